//! Walks that one root wants, done by a thread of its own: hints of the root go on meanwhile, and
//! other roots know nothing of it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Directories that wait to be walked; beyond that the whole root is.
const DIRECTORIES: usize = 1024;

/// What is to be walked.
#[derive(Debug, PartialEq, Eq)]
pub enum Walk {
    /// The whole root.
    Root,
    /// What lies below a directory.
    Below(PathBuf),
}

/// Wishes of one root; several for the same are one walk.
#[derive(Default)]
pub struct Walks {
    wishes: Mutex<Wishes>,
    wake: Condvar,
}

#[derive(Default)]
struct Wishes {
    root: bool,
    directories: VecDeque<PathBuf>,
    /// The walk of the root that its watcher asks for at its start was handed out.
    begun: bool,
    /// What was handed out last is being walked.
    walking: bool,
    ended: bool,
}

impl Walks {
    /// Wants the whole root walked, which every directory is part of.
    pub fn want_root(&self) {
        self.change(Wishes::want_root);
    }

    /// Wants a directory walked.
    pub fn want_below(&self, directory: PathBuf) {
        self.change(|wishes| {
            if wishes.root || wishes.directories.contains(&directory) {
                return;
            }
            match wishes.directories.len() < DIRECTORIES {
                true => wishes.directories.push_back(directory),
                false => wishes.want_root(),
            }
        });
    }

    /// Waits for the next wish, which ends the walk before it; none once it is over.
    pub fn next(&self) -> Option<Walk> {
        let idle = |wishes: &mut Wishes| {
            wishes.walking = false;
            !wishes.ended && wishes.is_empty()
        };
        let waited = self.wake.wait_while(self.lock(), idle);
        let mut wishes = waited.unwrap_or_else(PoisonError::into_inner);
        if wishes.ended {
            return None;
        }
        wishes.walking = true;
        match std::mem::take(&mut wishes.root) {
            true => {
                wishes.begun = true;
                Some(Walk::Root)
            }
            false => wishes.directories.pop_front().map(Walk::Below),
        }
    }

    /// Whether a walk is wanted or under way. The first walk of the root is wanted from the beginning: the
    /// watcher asks for it as soon as its watches stand.
    pub fn is_busy(&self) -> bool {
        let wishes = self.lock();
        let wanted = !wishes.begun || !wishes.is_empty();
        wishes.walking || (wanted && !wishes.ended)
    }

    /// Nothing is walked any more.
    pub fn end(&self) {
        self.change(|wishes| wishes.ended = true);
    }

    fn change(&self, change: impl FnOnce(&mut Wishes)) {
        change(&mut self.lock());
        self.wake.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wishes {
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
        let walks = Walks::default();
        for directory in ["/r/a", "/r/b", "/r/a"] {
            walks.want_below(directory.into());
        }
        assert_eq!(walks.next(), Some(Walk::Below("/r/a".into())));
        walks.want_root();
        walks.want_root();
        walks.want_below("/r/c".into());
        assert_eq!(walks.next(), Some(Walk::Root));
        walks.want_below("/r/c".into());
        assert_eq!(walks.next(), Some(Walk::Below("/r/c".into())));
        walks.end();
        walks.want_root();
        assert_eq!(walks.next(), None);
    }

    #[test]
    fn a_walk_is_under_way_from_its_wish_until_the_next_one_is_asked_for() {
        let walks = Walks::default();
        assert!(walks.is_busy(), "the watcher is going to ask for the first");
        walks.want_root();
        assert_eq!(walks.next(), Some(Walk::Root));
        assert!(walks.is_busy(), "it is being walked");
        std::thread::scope(|scope| {
            let next = scope.spawn(|| walks.next());
            while walks.is_busy() {
                std::thread::yield_now();
            }
            walks.want_below("/r/a".into());
            assert_eq!(next.join().unwrap(), Some(Walk::Below("/r/a".into())));
        });
        assert!(walks.is_busy());
        walks.end();
        assert_eq!(walks.next(), None);
        assert!(!walks.is_busy());
    }

    #[test]
    fn too_many_directories_are_a_walk_of_the_root() {
        let walks = Walks::default();
        for number in 0..=DIRECTORIES {
            walks.want_below(format!("/r/{number}").into());
        }
        assert_eq!(walks.next(), Some(Walk::Root));
        walks.end();
        assert_eq!(walks.next(), None);
    }
}
