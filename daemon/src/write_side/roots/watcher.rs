//! The watcher of a root: how changes below it are noticed.

use super::Root;
use crate::base::lock::lock;
use crate::config::RootMode;
use crate::write_side::watch::{ChosenMode, RootWatcher};

impl Root {
    /// Sets or removes the watcher; dropping the previous one ends its watch.
    pub fn set_watcher(&self, watcher: Option<RootWatcher>) {
        let old = std::mem::replace(&mut *lock(&self.watcher), watcher);
        drop(old);
    }

    /// Makes the watcher request another walk soon, because this one could not use the root.
    pub fn retry_walk_soon(&self) {
        lock(&self.watcher)
            .iter()
            .for_each(RootWatcher::retry_walk_soon);
    }

    /// Makes its watcher send the hints that it holds back; false if the root is not watched.
    pub fn flush_hints(&self, number: u64) -> bool {
        let watcher = lock(&self.watcher);
        watcher.iter().for_each(|watcher| watcher.flush(number));
        watcher.is_some()
    }

    /// How the root is watched now; `None` if it is not, as in a scan.
    pub fn chosen(&self) -> Option<ChosenMode> {
        lock(&self.watcher).as_ref().map(RootWatcher::chosen)
    }

    /// Whether changes are reported by events, so that events for deletes may still arrive.
    pub fn has_events(&self) -> bool {
        self.chosen()
            .is_some_and(|chosen| chosen.mode == RootMode::Native)
    }
}
