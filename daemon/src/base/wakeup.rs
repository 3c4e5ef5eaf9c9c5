//! Wakes a thread that waits for work; a call while the thread works wakes it once more.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// One thread waits, any thread may wake it.
#[derive(Default)]
pub struct Wakeup {
    called: Mutex<bool>,
    changed: Condvar,
}

impl Wakeup {
    /// Wakes the waiting thread, or the next to wait.
    pub fn wake(&self) {
        *self.called.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for a call, for at most this time.
    pub fn wait(&self, timeout: Duration) {
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(called, timeout, |called| !*called);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}
