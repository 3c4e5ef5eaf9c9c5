//! What is changed while records are rewritten ([`super::rewrite`]).
//!
//! A rewrite reads the old database from the first key to the last. A write to a key that it has read, or may be
//! reading, is kept here until the rewrite takes it; a write to any later key is not, since it will be read. So only
//! one thread writes the new database, and batches wait for it only if [`MAX_BYTES`] are kept.

use crate::store::{StoreError, Write};

/// Above this many bytes, batches wait until they are taken.
const MAX_BYTES: usize = 8 << 20;

/// Writes to the old database that the new one does not have.
#[derive(Debug)]
pub(in crate::store) struct RewriteBacklog {
    read: ReadSoFar,
    kept: Vec<Write>,
    bytes: usize,
    /// A batch failed: the content of the old database is no longer known.
    is_broken: bool,
}

/// Which keys of the old database were read, or may be being read.
#[derive(Debug)]
enum ReadSoFar {
    /// Those before this one.
    Before(Vec<u8>),
    All,
}

impl RewriteBacklog {
    /// A backlog before anything was read.
    pub(in crate::store) fn new() -> Self {
        Self {
            read: ReadSoFar::Before(Vec::new()),
            kept: Vec::new(),
            bytes: 0,
            is_broken: false,
        }
    }

    /// Whether a batch must wait.
    pub(in crate::store) fn is_full(&self) -> bool {
        self.bytes > MAX_BYTES
    }

    /// Number of bytes that are kept.
    pub(in crate::store) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The writes of a batch that must be kept once it is applied.
    pub(in crate::store) fn to_keep(&self, batch: &[Write]) -> Vec<Write> {
        let is_read = |write: &&Write| self.is_read(write);
        batch.iter().filter(is_read).cloned().collect()
    }

    /// Keeps these writes, after their batch.
    pub(in crate::store) fn keep(&mut self, writes: Vec<Write>, was_applied: bool) {
        self.is_broken |= !was_applied;
        self.bytes += writes.iter().map(Write::bytes).sum::<usize>();
        self.kept.extend(writes);
    }

    /// From now on any key may be read.
    pub(in crate::store) fn read_on(&mut self) {
        self.read = ReadSoFar::All;
    }

    /// This key and later ones were not read after all.
    pub(in crate::store) fn read_until(&mut self, key: &[u8]) {
        self.read = ReadSoFar::Before(key.to_vec());
        let kept = std::mem::take(&mut self.kept);
        self.kept = kept.into_iter().filter(|one| self.is_read(one)).collect();
        self.bytes = self.kept.iter().map(Write::bytes).sum();
    }

    /// Takes what is kept, in the order in which it was applied.
    ///
    /// # Errors
    /// If a batch failed.
    pub(in crate::store) fn take(&mut self) -> Result<Vec<Write>, StoreError> {
        if self.is_broken {
            return Err(StoreError::Internal("a batch failed".to_owned()));
        }
        self.bytes = 0;
        Ok(std::mem::take(&mut self.kept))
    }

    fn is_read(&self, write: &Write) -> bool {
        match &self.read {
            ReadSoFar::Before(next) => write.key() < next.as_slice(),
            ReadSoFar::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(key: &[u8], len: usize) -> Write {
        let (key, value) = (key.to_vec(), vec![7; len]);
        Write::Put { key, value }
    }

    fn changed(backlog: &mut RewriteBacklog, batch: &[Write]) {
        let to_keep = backlog.to_keep(batch);
        backlog.keep(to_keep, true);
    }

    #[test]
    fn what_was_read_or_may_be_is_kept_and_nothing_else() {
        let mut backlog = RewriteBacklog::new();
        let delete = Write::Delete { key: b"c".to_vec() };
        changed(&mut backlog, &[put(b"a", 1), delete.clone()]);
        assert_eq!(backlog.take().unwrap(), [], "nothing was read");
        backlog.read_on();
        changed(&mut backlog, &[put(b"c", 1), put(b"a", 1), delete.clone()]);
        changed(&mut backlog, &[put(b"b", 1), put(b"a", 2)]);
        backlog.read_until(b"c");
        assert_eq!(backlog.bytes(), 2 + 2 + 3);
        changed(&mut backlog, &[delete.clone(), put(b"bb", 3)]);
        let kept = [put(b"a", 1), put(b"b", 1), put(b"a", 2), put(b"bb", 3)];
        assert_eq!(backlog.take().unwrap(), kept);
        assert_eq!((backlog.bytes(), backlog.take().unwrap()), (0, Vec::new()));
    }

    #[test]
    fn batches_wait_above_the_bound_and_a_batch_that_failed_is_told() {
        let mut backlog = RewriteBacklog::new();
        backlog.read_on();
        changed(&mut backlog, &[put(b"a", MAX_BYTES - 1)]);
        assert!(!backlog.is_full());
        changed(&mut backlog, &[put(b"b", 1)]);
        assert!(backlog.is_full());
        assert_eq!(backlog.take().unwrap().len(), 2);
        assert!(!backlog.is_full());
        backlog.keep(Vec::new(), false);
        assert!(matches!(backlog.take(), Err(StoreError::Internal(_))));
    }
}
