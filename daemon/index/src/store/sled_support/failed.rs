//! Whether a write to a database of sled failed half-way.
//!
//! sled goes on after some of them, as though nothing had happened, and the next flush waits for what is
//! never written, under a lock of all databases of the process; so does closing it. What it has in memory by then may
//! be half of a batch. So nothing is asked of such a database any more, and it is let go of without being closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::store::StoreError;

/// Shared by all who use a database.
#[derive(Debug, Clone, Default)]
pub(in crate::store) struct Failed(Arc<AtomicBool>);

impl Failed {
    pub(in crate::store) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(in crate::store) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// Where a write failed.
    pub(in crate::store) fn check(&self) -> Result<(), StoreError> {
        match self.is_set() {
            true => Err(StoreError::Sled(
                "an earlier write failed half-way; the store must be opened anew".to_owned(),
            )),
            false => Ok(()),
        }
    }
}
