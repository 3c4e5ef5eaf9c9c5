//! Deadlines and cancellation: long work asks now and then whether anybody still waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::IndexError;

/// Says whether work should go on. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Never cancelled unless [`Cancel::cancel`] is called.
    pub fn never() -> Self {
        Self::default()
    }

    /// Cancelled at a time.
    pub fn at(deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..Self::default()
        }
    }

    /// Cancels now.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// When the work must be done, if ever.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// An error once cancelled.
    pub fn check(&self) -> Result<(), IndexError> {
        let late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.flag.load(Ordering::Relaxed) {
            return Err(IndexError::Cancelled);
        }
        Ok(())
    }
}
