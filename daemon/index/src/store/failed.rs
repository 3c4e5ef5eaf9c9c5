//! Whether a write to a database of the engine failed half-way.
//!
//! The engine goes on after some of them, as though nothing had happened, and the next flush waits for what is
//! never written, under a lock of all databases of the process; so does closing it. What it has in memory by then may
//! be half of a batch. So nothing is asked of such a database any more, and it is let go of without being closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::StoreError;

/// Shared by all who use a database.
#[derive(Debug, Clone, Default)]
pub(super) struct Failed(Arc<AtomicBool>);

impl Failed {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// Where a write failed.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.is_set() {
            true => Err(StoreError::Engine(
                "an earlier write failed half-way; the store must be opened anew".to_owned(),
            )),
            false => Ok(()),
        }
    }
}
