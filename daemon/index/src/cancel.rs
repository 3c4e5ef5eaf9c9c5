//! Deadlines and cancellation: long work checks now and then whether anybody still waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::IndexError;

/// Says whether work should continue. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// Another flag that cancels this one too.
    other: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Never cancelled unless [`Cancel::cancel`] is called.
    pub fn never() -> Self {
        Self::default()
    }

    /// Cancelled at this time.
    pub fn at(deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..Self::default()
        }
    }

    /// Also cancelled when `other` is; its deadline does not matter.
    pub fn or(self, other: &Self) -> Self {
        Self {
            other: Some(Arc::clone(&other.flag)),
            ..self
        }
    }

    /// Also cancelled at this time, in place of an earlier deadline.
    pub fn until(self, deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..self
        }
    }

    /// Cancels all work that shares this flag; it stops at its next check.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// When the work must be done, if ever.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns an error once cancelled.
    pub fn check(&self) -> Result<(), IndexError> {
        let late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if late || is_set(&self.flag) || self.other.as_ref().is_some_and(is_set) {
            return Err(IndexError::Cancelled);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_with_its_own_cancel_or_with_that_of_another() {
        let (own, other) = (Cancel::never(), Cancel::never());
        let both = own.clone().or(&other);
        assert!(both.check().is_ok());
        other.cancel();
        assert!(both.check().is_err() && own.check().is_ok());
        let both = own.clone().or(&Cancel::never());
        own.cancel();
        assert!(both.check().is_err());
    }
}
