//! The walks that one root wants, done by a thread of its own: hints of the root go on meanwhile, and
//! other roots know nothing of it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Directories that wait to be walked; beyond that the whole root is.
const DIRECTORIES: usize = 1024;

/// What is to be walked.
#[derive(Debug, PartialEq, Eq)]
pub enum WalkRequest {
    /// The whole root.
    Root,
    /// What lies below a directory.
    Below(PathBuf),
}

/// The walks that one root wants; several requests for the same are one walk.
#[derive(Default)]
pub struct WalkQueue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    root: bool,
    directories: VecDeque<PathBuf>,
    /// The walk of the root that its watcher asks for at its start was handed out.
    begun: bool,
    /// What was handed out last is being walked.
    walking: bool,
    ended: bool,
}

impl WalkQueue {
    /// Wants the whole root walked, which every directory is part of.
    pub fn want_root(&self) {
        self.change(State::want_root);
    }

    /// Wants a directory walked.
    pub fn want_below(&self, directory: PathBuf) {
        self.change(|state| {
            if state.root || state.directories.contains(&directory) {
                return;
            }
            match state.directories.len() < DIRECTORIES {
                true => state.directories.push_back(directory),
                false => state.want_root(),
            }
        });
    }

    /// Waits for the next request, which ends the walk before it; none once it is over.
    pub fn next(&self) -> Option<WalkRequest> {
        let idle = |state: &mut State| {
            state.walking = false;
            !state.ended && state.is_empty()
        };
        let waited = self.wake.wait_while(self.lock(), idle);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.ended {
            return None;
        }
        state.walking = true;
        match std::mem::take(&mut state.root) {
            true => {
                state.begun = true;
                Some(WalkRequest::Root)
            }
            false => state.directories.pop_front().map(WalkRequest::Below),
        }
    }

    /// Whether a walk is wanted or under way. The first walk of the root is wanted from the beginning: the
    /// watcher asks for it as soon as its watches stand.
    pub fn is_busy(&self) -> bool {
        let state = self.lock();
        let is_wanted = !state.begun || !state.is_empty();
        state.walking || (is_wanted && !state.ended)
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
    fn is_empty(&self) -> bool {
        !self.root && self.directories.is_empty()
    }

    fn want_root(&mut self) {
        self.directories.clear();
        self.root = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_for_the_same_are_one_walk_and_the_whole_root_is_all_of_them() {
        let queue = WalkQueue::default();
        for directory in ["/r/a", "/r/b", "/r/a"] {
            queue.want_below(directory.into());
        }
        assert_eq!(queue.next(), Some(WalkRequest::Below("/r/a".into())));
        queue.want_root();
        queue.want_root();
        queue.want_below("/r/c".into());
        assert_eq!(queue.next(), Some(WalkRequest::Root));
        queue.want_below("/r/c".into());
        assert_eq!(queue.next(), Some(WalkRequest::Below("/r/c".into())));
        queue.end();
        queue.want_root();
        assert_eq!(queue.next(), None);
    }

    #[test]
    fn a_walk_is_under_way_from_its_request_until_the_next_one_is_asked_for() {
        let queue = WalkQueue::default();
        assert!(queue.is_busy(), "the watcher is going to ask for the first");
        queue.want_root();
        assert_eq!(queue.next(), Some(WalkRequest::Root));
        assert!(queue.is_busy(), "it is being walked");
        std::thread::scope(|scope| {
            let next = scope.spawn(|| queue.next());
            while queue.is_busy() {
                std::thread::yield_now();
            }
            queue.want_below("/r/a".into());
            assert_eq!(
                next.join().unwrap(),
                Some(WalkRequest::Below("/r/a".into()))
            );
        });
        assert!(queue.is_busy());
        queue.end();
        assert_eq!(queue.next(), None);
        assert!(!queue.is_busy());
    }

    #[test]
    fn too_many_directories_are_a_walk_of_the_root() {
        let queue = WalkQueue::default();
        for number in 0..=DIRECTORIES {
            queue.want_below(format!("/r/{number}").into());
        }
        assert_eq!(queue.next(), Some(WalkRequest::Root));
        queue.end();
        assert_eq!(queue.next(), None);
    }
}
