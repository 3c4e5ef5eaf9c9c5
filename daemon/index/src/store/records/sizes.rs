//! Decides when records take so much more disk space than they need that they are rewritten.
//!
//! Live bytes are counted by reading all records, since sled does not know them. So they are counted again only once
//! half as many bytes were written as were live: this costs less than the writing did.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{StoreError, Write};

/// Approximate bytes of an entry in addition to its key and value.
const OVERHEAD: u64 = 16;

/// Bytes written, and live bytes at the last count.
#[derive(Debug, Default)]
pub(in crate::store) struct Sizes {
    written: AtomicU64,
    counted: Mutex<Option<LiveBytes>>,
}

#[derive(Debug, Clone, Copy)]
struct LiveBytes {
    live: u64,
    /// Bytes written by then.
    at: u64,
    /// It was already tried since that count; more space could not be freed.
    was_rewritten: bool,
}

impl Sizes {
    /// Notes what is about to be written.
    pub(in crate::store) fn count(&self, batch: &[Write]) {
        let bytes = batch.iter().map(|one| one.bytes() as u64 + OVERHEAD);
        let sum: u64 = bytes.sum();
        self.written.fetch_add(sum, Ordering::Relaxed);
    }

    /// Whether records that take `allocated` bytes, above `min_bytes`, are to be rewritten, and how many bytes are
    /// live;
    /// `count` counts them, unless it is stopped.
    pub(in crate::store) fn live_if_due(
        &self,
        allocated: u64,
        min_bytes: u64,
        count: impl FnOnce() -> Result<Option<u64>, StoreError>,
    ) -> Result<Option<u64>, StoreError> {
        if allocated <= min_bytes {
            return Ok(None);
        }
        let at = self.written.load(Ordering::Relaxed);
        let fresh = self
            .lock()
            .filter(|counted| at.saturating_sub(counted.at) <= counted.live / 2);
        let counted = match fresh {
            Some(counted) => counted,
            None => match count()? {
                Some(live) => self.set(live, at, false),
                None => return Ok(None),
            },
        };
        let is_due = !counted.was_rewritten && allocated / 2 > counted.live;
        Ok(is_due.then_some(counted.live))
    }

    /// Notes that records were rewritten.
    pub(in crate::store) fn rewritten(&self, live: u64) {
        self.set(live, self.written.load(Ordering::Relaxed), true);
    }

    fn set(&self, live: u64, at: u64, was_rewritten: bool) -> LiveBytes {
        let counted = LiveBytes {
            live,
            at,
            was_rewritten,
        };
        *self.lock() = Some(counted);
        counted
    }

    fn lock(&self) -> MutexGuard<'_, Option<LiveBytes>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN_BYTES: u64 = 1_000;

    fn written(sizes: &Sizes, bytes: usize) {
        let value = vec![0; bytes];
        let key = Vec::new();
        sizes.count(&[Write::Put { key, value }]);
    }

    fn asked(sizes: &Sizes, allocated: u64, live: u64) -> (Option<u64>, bool) {
        let mut was_counted = false;
        let count = || {
            was_counted = true;
            Ok(Some(live))
        };
        let due = sizes.live_if_due(allocated, MIN_BYTES, count).unwrap();
        (due, was_counted)
    }

    #[test]
    fn records_are_due_above_twice_what_lives_and_counted_once_for_much_that_is_written() {
        let sizes = Sizes::default();
        assert_eq!(
            asked(&sizes, MIN_BYTES, 1),
            (None, false),
            "too few to matter"
        );
        assert_eq!(asked(&sizes, 2_001, 1_000), (None, true));
        assert_eq!(asked(&sizes, 2_002, 0), (Some(1_000), false));
        written(&sizes, 400);
        assert_eq!(asked(&sizes, 2_000, 900), (None, false));
        written(&sizes, 400);
        assert_eq!(asked(&sizes, 2_000, 900), (Some(900), true));
    }

    #[test]
    fn what_was_rewritten_is_not_tried_again_before_much_more_is_written() {
        let sizes = Sizes::default();
        assert_eq!(asked(&sizes, 9_000, 1_000), (Some(1_000), true));
        sizes.rewritten(1_000);
        assert_eq!(asked(&sizes, 9_000, 1_000), (None, false));
        written(&sizes, 600);
        assert_eq!(asked(&sizes, 9_000, 1_000), (Some(1_000), true));
    }

    #[test]
    fn a_count_that_is_stopped_decides_nothing() {
        let sizes = Sizes::default();
        assert_eq!(
            sizes.live_if_due(9_000, MIN_BYTES, || Ok(None)).unwrap(),
            None
        );
        assert_eq!(asked(&sizes, 9_000, 1_000), (Some(1_000), true));
    }
}
