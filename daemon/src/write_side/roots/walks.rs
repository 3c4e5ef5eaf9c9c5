//! The walks of a root: those that are requested, the number of those that began, and what the last one found.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::{Root, RootState, RootStatus};
use crate::base::lock::lock;
use crate::write_side::walk_queue::{RootUrgency, WalkQueue};

/// What is known of the walks of one root in this run.
#[derive(Default)]
pub(super) struct Walks {
    /// Those that its own thread is to do; none before it is watched.
    requested: OnceLock<Arc<WalkQueue>>,
    /// How many began.
    begun: AtomicU64,
    /// The status that the last one ended with.
    last: Mutex<Option<RootStatus>>,
}

impl Root {
    /// Whether it is being walked, other than by routine, or has not been walked yet in this run.
    pub fn awaits_walk(&self) -> bool {
        self.is_being_walked() || self.state() == RootState::Scanning
    }

    /// The walks requested of its own thread; `None` if it is not watched.
    pub fn walks(&self) -> Option<&Arc<WalkQueue>> {
        self.walks.requested.get()
    }

    /// From now on walks are requested: it is being watched, and its watcher will request the first.
    pub fn expect_walks(&self) -> &Arc<WalkQueue> {
        self.walks.requested.get_or_init(Arc::default)
    }

    /// Has its own thread walk it, if it is watched. Several requests result in one walk.
    pub fn request_walk(&self, urgency: RootUrgency) {
        if let Some(walks) = self.walks() {
            walks.request_root(urgency);
        }
    }

    fn is_being_walked(&self) -> bool {
        self.walk_turns.are_taken()
    }

    /// Counts a walk that is beginning; the caller holds [`Root::walk_turns`].
    pub fn count_walk(&self) {
        self.walks.begun.fetch_add(1, Ordering::SeqCst);
    }

    /// Records the status that a walk ended with as the last one; the caller holds [`Root::walk_turns`].
    pub fn finish_walk(&self) -> RootStatus {
        let status = self.status();
        *lock(&self.walks.last) = Some(status.clone());
        status
    }

    /// The status that its last walk ended with, or its status now if there was none. They may differ: another walk
    /// may have begun since.
    pub fn last_walk(&self) -> RootStatus {
        let last = lock(&self.walks.last).clone();
        last.unwrap_or_else(|| self.status())
    }

    /// The number of the walk under way, or of the first one of this run if that has not begun.
    pub fn awaited_walk(&self) -> Option<u64> {
        let begun = self.walks.begun.load(Ordering::SeqCst);
        match (self.is_being_walked(), self.state()) {
            (true, _) => Some(begun),
            (false, RootState::Scanning) => Some(begun + 1),
            (false, _) => None,
        }
    }

    /// Whether a walk is over, or will not take place any more.
    pub fn is_walk_over(&self, number: u64) -> bool {
        match self.walks.begun.load(Ordering::SeqCst) {
            begun if begun == number => !self.is_being_walked(),
            begun if begun < number => !self.awaits_walk(),
            _ => true,
        }
    }
}
