//! The requested walks of one root, done by a thread of its own: hints of the root are handled during a walk, and
//! other roots are not delayed. Every request has the generation in which it was made, so that a caller can wait
//! for the requests made before, however many come after.
//!
//! A walk of the whole root is followed by a pause as long as the walk, except for requests that cannot wait:
//! however short the polling interval is, and however often users ask, no more than half of the time is spent on
//! walking. A `sync` waits out that pause only after a walk that somebody asked for, and never for longer than
//! [`SYNC_PAUSE`]: a caller that asks for walks again and again delays other walks, one that asks once does not.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::write_side::watch::WalkCause;

/// Directories that wait to be walked; if there are more, the whole root is walked.
const DIRECTORIES: usize = 1024;
/// Longest time that a sync waits until a walk for it may begin: a walk that took longer was waiting, for a share
/// that hung or for readers, and did not load the share meanwhile.
const SYNC_PAUSE: Duration = Duration::from_secs(1800);

/// A walk to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum WalkRequest {
    /// The whole root: something in it may have changed.
    Root,
    /// The whole root, only because a walk is due.
    Routine,
    /// Everything below a directory.
    Below(PathBuf),
}

/// Why the whole root is to be walked, the least urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootUrgency {
    /// A walk is due.
    Routine,
    /// Somebody asked for it.
    Requested,
    /// Events were lost.
    Lost,
    /// Another directory is at the root's path than before, or a walk could not be finished.
    Pressing,
}

impl From<WalkCause> for RootUrgency {
    fn from(cause: WalkCause) -> Self {
        match cause {
            WalkCause::Timer => Self::Routine,
            WalkCause::Overflow | WalkCause::WatcherError | WalkCause::FellBackToPolling => {
                Self::Lost
            }
            WalkCause::Start
            | WalkCause::RootGone
            | WalkCause::RootBack
            | WalkCause::RootReplaced => Self::Pressing,
        }
    }
}

/// The requested walks of one root; several requests for the same are one walk.
#[derive(Default)]
pub struct WalkQueue {
    state: Mutex<State>,
    wake: Condvar,
    /// Requests to the watcher to send its hints, and those that were acted on.
    flushes: AtomicU64,
    flushed: AtomicU64,
}

#[derive(Default)]
struct State {
    root: Option<RootRequest>,
    /// Each with the generation of the first request for it, ascending.
    directories: VecDeque<(u64, PathBuf)>,
    /// Whether the walk of the root that its watcher requests at its start, which cannot wait, was handed out:
    /// other requests may come before.
    begun: bool,
    /// The walk handed out last, until it is over.
    walking: Option<Walk>,
    /// When the pause after the last walk of the root is over.
    pause_end: Option<Instant>,
    /// When the pause before a walk for a sync is over; `None` unless the last walk of the root was asked for, or
    /// made for a sync.
    sync_pause_end: Option<Instant>,
    ended: bool,
    /// The current generation.
    generation: u64,
}

/// A request for the whole root.
#[derive(Clone, Copy, Debug)]
struct RootRequest {
    urgency: RootUrgency,
    /// The generation of the first request for it, not counting routine.
    since: u64,
    /// Whether a sync waits for it.
    is_sync: bool,
}

/// The walk that was handed out.
#[derive(Clone, Copy, Debug)]
struct Walk {
    /// Why the whole root is walked; `None` for a walk below a directory.
    root: Option<RootUrgency>,
    /// The generation of the first request that it serves.
    since: u64,
    /// Whether a sync waits for it.
    is_sync: bool,
    began: Instant,
}

impl Walk {
    fn is_routine(&self) -> bool {
        self.root == Some(RootUrgency::Routine)
    }
}

impl WalkQueue {
    /// Requests a walk of the whole root, which includes every directory.
    pub fn request_root(&self, urgency: RootUrgency) {
        self.change(|state| state.request_root(urgency));
    }

    /// Requests a walk of the whole root for a sync, which waits for it.
    pub fn request_sync(&self) {
        self.change(State::request_sync);
    }

    /// Requests an immediate walk of the whole root in place of the present one: callers that wait for that one
    /// wait for this.
    pub fn request_root_instead(&self) {
        self.change(|state| {
            let walking = state.walking.map(|walk| walk.since);
            state.request_root(RootUrgency::Pressing);
            if let (Some(root), Some(since)) = (&mut state.root, walking) {
                root.since = root.since.min(since);
            }
        });
    }

    /// Requests a walk of a directory.
    pub fn request_below(&self, directory: PathBuf) {
        self.change(|state| {
            let mut waiting = state.directories.iter();
            if waiting.any(|(_, waiting)| *waiting == directory) {
                return;
            }
            match state.directories.len() < DIRECTORIES {
                true => state.directories.push_back((state.generation, directory)),
                false => state.request_root(RootUrgency::Lost),
            }
        });
    }

    /// The number of a new request to the watcher to send the hints that it holds back.
    pub fn next_flush(&self) -> u64 {
        self.flushes.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Notes that the hints of the request of this number, and of those before it, have been acted on.
    pub fn note_flushed(&self, number: u64) {
        self.flushed.fetch_max(number, Ordering::AcqRel);
    }

    /// Whether the hints of the request of this number have been acted on.
    pub fn is_flushed(&self, number: u64) -> bool {
        self.flushed.load(Ordering::Acquire) >= number
    }

    /// Ends the current generation and returns it.
    pub fn end_generation(&self) -> u64 {
        let mut state = self.lock();
        state.generation += 1;
        state.generation - 1
    }

    /// Whether all walks requested in this generation or before are done, not counting routine.
    pub fn is_done_through(&self, generation: u64) -> bool {
        let oldest = self.lock().oldest();
        oldest.is_none_or(|oldest| oldest > generation)
    }

    /// Waits for the next request, which ends the walk before it; `None` once the queue has ended.
    pub fn next(&self) -> Option<WalkRequest> {
        let mut state = self.lock();
        state.note_walked(Instant::now());
        loop {
            if state.ended {
                return None;
            }
            let now = Instant::now();
            if let Some(request) = state.hand_out(now) {
                return Some(request);
            }
            let rested = state.root.and_then(|root| state.pause_end_for(&root));
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

    /// Whether a walk is requested or under way because something may have changed. The first walk of the root
    /// is requested from the beginning: the watcher asks for it as soon as its watches are in place.
    pub fn is_busy(&self) -> bool {
        self.lock().is_busy(Instant::now())
    }

    /// Ends the queue: nothing is walked any more.
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
    fn request_root(&mut self, urgency: RootUrgency) {
        let before = self.root;
        let counted = before.filter(|before| before.urgency != RootUrgency::Routine);
        self.root = Some(RootRequest {
            urgency: before.map_or(urgency, |before| before.urgency.max(urgency)),
            since: counted.map_or(self.generation, |before| before.since),
            is_sync: before.is_some_and(|before| before.is_sync),
        });
    }

    fn request_sync(&mut self) {
        self.request_root(RootUrgency::Requested);
        self.root.iter_mut().for_each(|root| root.is_sync = true);
    }

    /// Marks the walk that was handed out as done.
    fn note_walked(&mut self, now: Instant) {
        let Some(walk) = self.walking.take() else {
            return;
        };
        if let Some(urgency) = walk.root {
            let took = now.saturating_duration_since(walk.began);
            self.pause_end = now.checked_add(took);
            let was_requested = urgency == RootUrgency::Requested || walk.is_sync;
            let pause = Some(took.min(SYNC_PAUSE)).filter(|_| was_requested);
            self.sync_pause_end = pause.and_then(|pause| now.checked_add(pause));
        }
    }

    /// The walk to be done now, if there is one.
    fn hand_out(&mut self, now: Instant) -> Option<WalkRequest> {
        let Some(root) = self.root.filter(|root| self.is_due(root, now)) else {
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
        let urgency = match root.urgency {
            // It is also walked for the directories, in which something changed.
            RootUrgency::Routine if below.is_some() => RootUrgency::Lost,
            urgency => urgency,
        };
        // The first walk is requested from the beginning, before anybody asks for it.
        let first = (!self.begun).then_some(0);
        let since = [Some(root.since), below, first];
        self.begun |= root.urgency == RootUrgency::Pressing;
        self.walking = Some(Walk {
            root: Some(urgency),
            since: since.into_iter().flatten().min().unwrap_or(root.since),
            is_sync: root.is_sync,
            began: now,
        });
        Some(match urgency {
            RootUrgency::Routine => WalkRequest::Routine,
            _ => WalkRequest::Root,
        })
    }

    /// When the pause that this request waits for is over; `None` if it does not wait.
    fn pause_end_for(&self, root: &RootRequest) -> Option<Instant> {
        match (root.urgency, root.is_sync) {
            (RootUrgency::Pressing, _) => None,
            (_, true) => self.sync_pause_end,
            (_, false) => self.pause_end,
        }
    }

    fn is_due(&self, root: &RootRequest, now: Instant) -> bool {
        self.pause_end_for(root).is_none_or(|until| until <= now)
    }

    /// The generation of the first request that is not done, not counting routine.
    fn oldest(&self) -> Option<u64> {
        let root = self
            .root
            .filter(|root| root.urgency != RootUrgency::Routine);
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
        let wants_root = self.root.is_some_and(|root| match root.urgency {
            RootUrgency::Routine => false,
            // Otherwise a caller that asks again and again would keep every answer from being complete.
            RootUrgency::Requested => self.sync_pause_end.is_none() || self.is_due(&root, now),
            RootUrgency::Lost | RootUrgency::Pressing => true,
        });
        let is_requested = !self.begun || wants_root || !self.directories.is_empty();
        is_walking || (is_requested && !self.ended)
    }
}

#[cfg(test)]
mod tests;
