//! Whether a write to a database of sled failed halfway.
//!
//! sled continues after some of them as if nothing had happened, and the next flush waits for what is never written,
//! under a lock of all databases of the process; so does closing it. By then it may hold half of a batch in memory. So
//! such a database is not used any more, and it is dropped without being closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::store::StoreError;

/// Shared by all users of a database.
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
    /// If a write failed.
    pub(in crate::store) fn check(&self) -> Result<(), StoreError> {
        match self.is_set() {
            true => Err(StoreError::Sled(
                "an earlier write failed half-way; the store must be opened anew".to_owned(),
            )),
            false => Ok(()),
        }
    }
}
