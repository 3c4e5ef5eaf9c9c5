//! What became of the writes to a database of sled: whether one failed halfway, and how much may not be written yet.
//!
//! sled continues after some failures as if nothing had happened, and the next flush waits for what is never written,
//! under a lock of all databases of the process; so does closing it. By then it may hold half of a batch in memory. So
//! such a database is not used any more, and it is dropped without being closed.
//!
//! sled hands each buffer of its log, half a megabyte or less, to seven threads that all databases of the process share,
//! and waits for none of them. On a slow disk that has two consequences. Buffers pile up in memory, and a reader of a
//! page that was dropped from the cache waits for all buffers up to that page, which may take minutes. And the threads
//! can wait for each other for ever: if each has written a buffer and waits for the lock on segments, while the holder of
//! that lock waits for a truncation that is queued behind them. So a writer waits, after each few buffers, until they are
//! written: then some of the threads are free, unless one transaction fills more buffers than there are threads. While it
//! waits and a transaction of any database is about to begin, readers of all databases wait too, as they do while a
//! transaction is applied.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::store::StoreError;

/// A writer waits after this many bytes: with what sled writes besides, two or three buffers. At most three databases
/// are written at a time: the records, their copy, and a run.
const MAX_UNWRITTEN: usize = 512 << 10;
/// Bytes that each write takes in the log besides key and value.
const OVERHEAD: usize = 64;

/// Shared by all users of a database.
#[derive(Debug, Clone, Default)]
pub(in crate::store) struct Writes(Arc<State>);

#[derive(Debug, Default)]
struct State {
    has_failed: AtomicBool,
    /// Bytes that were given to sled since a writer last waited.
    unwritten: AtomicUsize,
}

impl Writes {
    /// Notes that a write failed.
    pub(in crate::store) fn fail(&self) {
        self.0.has_failed.store(true, Ordering::Relaxed);
    }

    /// Whether a write failed.
    pub(in crate::store) fn has_failed(&self) -> bool {
        self.0.has_failed.load(Ordering::Relaxed)
    }

    /// # Errors
    /// If a write failed.
    pub(in crate::store) fn check(&self) -> Result<(), StoreError> {
        match self.has_failed() {
            true => Err(StoreError::Sled(
                "an earlier write failed half-way; the store must be opened anew".to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Counts a write of so many bytes, key and value; returns whether its writer must wait until sled has written all.
    pub(in crate::store) fn must_wait_after(&self, bytes: usize) -> bool {
        let added = bytes + OVERHEAD;
        let unwritten = self.0.unwritten.fetch_add(added, Ordering::Relaxed) + added;
        let must_wait = unwritten >= MAX_UNWRITTEN;
        if must_wait {
            self.0.unwritten.store(0, Ordering::Relaxed);
        }
        must_wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_waits_after_each_few_buffers() {
        let writes = Writes::default();
        let waits = |bytes| (0..1000).filter(|_| writes.must_wait_after(bytes)).count();
        let small = waits(1000 - OVERHEAD);
        assert_eq!(small, 1_000_000 / MAX_UNWRITTEN);
        assert_eq!(waits(MAX_UNWRITTEN), 1000);
    }
}
