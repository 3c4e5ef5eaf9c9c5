//! Wakes a thread that waits for work; rung while it works, it wakes it once more.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// One waits, any may ring.
#[derive(Default)]
pub struct Bell {
    rung: Mutex<bool>,
    wake: Condvar,
}

impl Bell {
    /// Wakes who waits, or who waits next.
    pub fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.wake.notify_all();
    }

    /// Waits for a ring, at most so long.
    pub fn wait(&self, patience: Duration) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.wake.wait_timeout_while(rung, patience, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}
