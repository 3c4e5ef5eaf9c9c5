//! The walks that one root wants, done by a thread of its own: hints of the root are acted on during a walk, and
//! other roots are not held up. Every request knows the generation in which it was made, so that a caller can
//! wait for those made before, however many come after.
//!
//! After a walk of the whole root a pause as long as the walk was follows, but for what cannot wait: however
//! short the time between polls is, and however often somebody asks, no more than half of the time is spent on
//! walking. A `sync` waits out that pause behind a walk that somebody asked for, behind no other, and never for
//! longer than [`SYNC_PAUSE`]: a caller that asks for walks again and again delays other walks, one that asks once
//! does not.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::write_side::watch::Cause;

/// Directories that wait to be walked; beyond that the whole root is.
const DIRECTORIES: usize = 1024;
/// A sync waits so long at most until a walk for it may begin: one that took longer waited, for a share that hung or
/// for readers, and was no load on the share during that.
const SYNC_PAUSE: Duration = Duration::from_secs(1800);

/// A walk to do.
#[derive(Debug, PartialEq, Eq)]
pub enum WalkRequest {
    /// The whole root: something in it may have changed.
    Root,
    /// The whole root, for nothing but that it is time to.
    Routine,
    /// All below a directory.
    Below(PathBuf),
}

/// Why the whole root is wanted, the least pressing first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootWish {
    /// It is time to.
    Routine,
    /// Somebody asks for it.
    Asked,
    /// Events were lost.
    Lost,
    /// Another directory stands at the root's path than before, or a walk could not be finished.
    Pressing,
}

impl From<Cause> for RootWish {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Timer => Self::Routine,
            Cause::Overflow | Cause::WatcherError | Cause::FellBackToPolling => Self::Lost,
            Cause::Start | Cause::RootGone | Cause::RootBack | Cause::RootReplaced => {
                Self::Pressing
            }
        }
    }
}

/// The walks that one root wants; several requests for the same are one walk.
#[derive(Default)]
pub struct WalkQueue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    root: Option<RootRequest>,
    /// Each with the generation of the first request for it; they ascend.
    directories: VecDeque<(u64, PathBuf)>,
    /// The walk of the root that its watcher asks for at its start, which cannot wait, was handed out: what others
    /// ask for may come before.
    begun: bool,
    /// The walk handed out last, until it is over.
    walking: Option<Walk>,
    /// When the pause after the last walk of the root is over.
    rested: Option<Instant>,
    /// When the pause before a walk for a sync is over; none unless the last walk of the root was asked for, or made for a sync.
    sync_rested: Option<Instant>,
    ended: bool,
    /// The present generation.
    generation: u64,
}

/// A request for the whole root.
#[derive(Clone, Copy, Debug)]
struct RootRequest {
    wish: RootWish,
    /// The generation of the first request for it, routine apart.
    since: u64,
    /// A sync waits for it.
    is_sync: bool,
}

/// A walk that was handed out.
#[derive(Clone, Copy, Debug)]
struct Walk {
    /// Why the whole root is walked; none of a walk below a directory.
    root: Option<RootWish>,
    /// The generation of the first request that it answers.
    since: u64,
    /// A sync waits for it.
    is_sync: bool,
    began: Instant,
}

impl Walk {
    fn is_routine(&self) -> bool {
        self.root == Some(RootWish::Routine)
    }
}

impl WalkQueue {
    /// Wants the whole root walked, which every directory is part of.
    pub fn want_root(&self, wish: RootWish) {
        self.change(|state| state.want_root(wish));
    }

    /// Wants the whole root walked for a sync, which waits for it.
    pub fn want_sync(&self) {
        self.change(State::want_sync);
    }

    /// Wants the whole root walked at once in place of what is being walked: a caller that waits for that waits for
    /// this.
    pub fn want_root_instead(&self) {
        self.change(|state| {
            let walking = state.walking.map(|walk| walk.since);
            state.want_root(RootWish::Pressing);
            if let (Some(root), Some(since)) = (&mut state.root, walking) {
                root.since = root.since.min(since);
            }
        });
    }

    /// Wants a directory walked.
    pub fn want_below(&self, directory: PathBuf) {
        self.change(|state| {
            let mut wanted = state.directories.iter();
            if wanted.any(|(_, wanted)| *wanted == directory) {
                return;
            }
            match state.directories.len() < DIRECTORIES {
                true => state.directories.push_back((state.generation, directory)),
                false => state.want_root(RootWish::Lost),
            }
        });
    }

    /// Ends the present generation and returns it.
    pub fn end_generation(&self) -> u64 {
        let mut state = self.lock();
        state.generation += 1;
        state.generation - 1
    }

    /// Whether all that was wanted in this generation or before was walked, but for what is mere routine.
    pub fn is_done_through(&self, generation: u64) -> bool {
        let oldest = self.lock().oldest();
        oldest.is_none_or(|oldest| oldest > generation)
    }

    /// Waits for the next request, which ends the walk before it; none once it is over.
    pub fn next(&self) -> Option<WalkRequest> {
        let mut state = self.lock();
        state.walked(Instant::now());
        loop {
            if state.ended {
                return None;
            }
            let now = Instant::now();
            if let Some(request) = state.hand_out(now) {
                return Some(request);
            }
            let rested = state.root.and_then(|root| state.rested_for(&root));
            let pause = rested.map(|until| until.saturating_duration_since(now));
            state = match pause {
                Some(pause) => {
                    let waited = self.wake.wait_timeout(state, pause);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let waited = self.wake.wait(state);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    /// Whether a walk is wanted or under way for which something may have changed. The first walk of the root is
    /// wanted from the beginning: the watcher asks for it as soon as its watches stand.
    pub fn is_busy(&self) -> bool {
        self.lock().is_busy(Instant::now())
    }

    /// Nothing is walked any more.
    pub fn end(&self) {
        self.change(|state| state.ended = true);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.wake.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn want_root(&mut self, wish: RootWish) {
        let before = self.root;
        let counted = before.filter(|before| before.wish != RootWish::Routine);
        self.root = Some(RootRequest {
            wish: before.map_or(wish, |before| before.wish.max(wish)),
            since: counted.map_or(self.generation, |before| before.since),
            is_sync: before.is_some_and(|before| before.is_sync),
        });
    }

    fn want_sync(&mut self) {
        self.want_root(RootWish::Asked);
        self.root.iter_mut().for_each(|root| root.is_sync = true);
    }

    /// Ends the walk that was handed out.
    fn walked(&mut self, now: Instant) {
        let Some(walk) = self.walking.take() else {
            return;
        };
        if let Some(wish) = walk.root {
            let took = now.saturating_duration_since(walk.began);
            self.rested = now.checked_add(took);
            let was_asked = wish == RootWish::Asked || walk.is_sync;
            let pause = Some(took.min(SYNC_PAUSE)).filter(|_| was_asked);
            self.sync_rested = pause.and_then(|pause| now.checked_add(pause));
        }
    }

    /// The walk to do now, if there is one.
    fn hand_out(&mut self, now: Instant) -> Option<WalkRequest> {
        let Some(root) = self.root.filter(|root| self.is_at_hand(root, now)) else {
            let (since, directory) = self.directories.pop_front()?;
            self.walking = Some(Walk {
                root: None,
                since,
                is_sync: false,
                began: now,
            });
            return Some(WalkRequest::Below(directory));
        };
        self.root = None;
        let below = self.directories.front().map(|(since, _)| *since);
        self.directories.clear();
        let wish = match root.wish {
            // It is walked for the directories as well, in which something changed.
            RootWish::Routine if below.is_some() => RootWish::Lost,
            wish => wish,
        };
        // The first is wanted from the beginning, before anybody asks for it.
        let first = (!self.begun).then_some(0);
        let since = [Some(root.since), below, first];
        self.begun |= root.wish == RootWish::Pressing;
        self.walking = Some(Walk {
            root: Some(wish),
            since: since.into_iter().flatten().min().unwrap_or(root.since),
            is_sync: root.is_sync,
            began: now,
        });
        Some(match wish {
            RootWish::Routine => WalkRequest::Routine,
            _ => WalkRequest::Root,
        })
    }

    /// When the pause that this request waits out is over; none where it waits for none.
    fn rested_for(&self, root: &RootRequest) -> Option<Instant> {
        match (root.wish, root.is_sync) {
            (RootWish::Pressing, _) => None,
            (_, true) => self.sync_rested,
            (_, false) => self.rested,
        }
    }

    fn is_at_hand(&self, root: &RootRequest, now: Instant) -> bool {
        self.rested_for(root).is_none_or(|until| until <= now)
    }

    /// The generation of the first request that is not done, but for routine.
    fn oldest(&self) -> Option<u64> {
        let root = self.root.filter(|root| root.wish != RootWish::Routine);
        let below = self.directories.front().map(|(since, _)| *since);
        let waiting = [
            root.map(|root| root.since),
            below,
            (!self.begun).then_some(0),
        ];
        let waiting = waiting.into_iter().flatten().filter(|_| !self.ended);
        let walking = self.walking.filter(|walk| !walk.is_routine());
        waiting.chain(walking.map(|walk| walk.since)).min()
    }

    fn is_busy(&self, now: Instant) -> bool {
        let is_walking = self.walking.is_some_and(|walk| !walk.is_routine());
        let wants_root = self.root.is_some_and(|root| match root.wish {
            RootWish::Routine => false,
            // Who asks again and again would have no answer be complete.
            RootWish::Asked => self.sync_rested.is_none() || self.is_at_hand(&root, now),
            RootWish::Lost | RootWish::Pressing => true,
        });
        let is_wanted = !self.begun || wants_root || !self.directories.is_empty();
        is_walking || (is_wanted && !self.ended)
    }
}

#[cfg(test)]
mod tests;
