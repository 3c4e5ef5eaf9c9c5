//! Wakes a thread that waits for work; called while it works, it wakes it once more.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// One thread waits, any may wake it.
#[derive(Default)]
pub struct Wakeup {
    called: Mutex<bool>,
    changed: Condvar,
}

impl Wakeup {
    /// Wakes the thread that waits, or that waits next.
    pub fn wake(&self) {
        *self.called.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for a call, at most so long.
    pub fn wait(&self, patience: Duration) {
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(called, patience, |called| !*called);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}
