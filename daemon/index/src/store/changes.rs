//! What is changed while records are rewritten ([`super::rewrite`]).
//!
//! A rewriting reads the old database from the first key to the last. A write to a key that it has read,
//! or may be reading, is kept here until the rewriting takes it; a write to any later key is not, as it
//! will be read. So one thread alone writes the new database, and batches never wait for it but where
//! [`MOST_BYTES`] are kept.

use super::{StoreError, Write};

/// Bytes kept above which batches wait until they are taken.
const MOST_BYTES: usize = 8 << 20;

/// Writes to the old database that the new one does not have.
#[derive(Debug)]
pub(super) struct Changes {
    read: Read,
    kept: Vec<Write>,
    bytes: usize,
    /// A batch failed: what the old database holds is not known any more.
    is_broken: bool,
}

/// Which keys of the old database were read, or may be being read.
#[derive(Debug)]
enum Read {
    /// Those before this one.
    Before(Vec<u8>),
    All,
}

impl Changes {
    /// While nothing was read.
    pub(super) fn new() -> Self {
        Self {
            read: Read::Before(Vec::new()),
            kept: Vec::new(),
            bytes: 0,
            is_broken: false,
        }
    }

    /// Whether a batch must wait.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The writes of a batch that must be kept once it is applied.
    pub(super) fn to_keep(&self, batch: &[Write]) -> Vec<Write> {
        let is_read = |write: &&Write| self.is_read(write);
        batch.iter().filter(is_read).cloned().collect()
    }

    /// Keeps them, after their batch.
    pub(super) fn keep(&mut self, writes: Vec<Write>, was_applied: bool) {
        self.is_broken |= !was_applied;
        self.bytes += writes.iter().map(Write::bytes).sum::<usize>();
        self.kept.extend(writes);
    }

    /// From now on any key may be read.
    pub(super) fn read_on(&mut self) {
        self.read = Read::All;
    }

    /// The key and those behind it were not read after all.
    pub(super) fn read_until(&mut self, key: &[u8]) {
        self.read = Read::Before(key.to_vec());
        let kept = std::mem::take(&mut self.kept);
        self.kept = kept.into_iter().filter(|one| self.is_read(one)).collect();
        self.bytes = self.kept.iter().map(Write::bytes).sum();
    }

    /// Takes what is kept, in the order in which it was applied.
    ///
    /// # Errors
    /// Where a batch failed.
    pub(super) fn take(&mut self) -> Result<Vec<Write>, StoreError> {
        if self.is_broken {
            return Err(StoreError::Engine("a batch failed".to_owned()));
        }
        self.bytes = 0;
        Ok(std::mem::take(&mut self.kept))
    }

    fn is_read(&self, write: &Write) -> bool {
        match &self.read {
            Read::Before(next) => write.key() < next.as_slice(),
            Read::All => true,
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

    fn changed(changes: &mut Changes, batch: &[Write]) {
        let to_keep = changes.to_keep(batch);
        changes.keep(to_keep, true);
    }

    #[test]
    fn what_was_read_or_may_be_is_kept_and_nothing_else() {
        let mut changes = Changes::new();
        let delete = Write::Delete { key: b"c".to_vec() };
        changed(&mut changes, &[put(b"a", 1), delete.clone()]);
        assert_eq!(changes.take().unwrap(), [], "nothing was read");
        changes.read_on();
        changed(&mut changes, &[put(b"c", 1), put(b"a", 1), delete.clone()]);
        changed(&mut changes, &[put(b"b", 1), put(b"a", 2)]);
        changes.read_until(b"c");
        assert_eq!(changes.bytes(), 2 + 2 + 3);
        changed(&mut changes, &[delete.clone(), put(b"bb", 3)]);
        let kept = [put(b"a", 1), put(b"b", 1), put(b"a", 2), put(b"bb", 3)];
        assert_eq!(changes.take().unwrap(), kept);
        assert_eq!((changes.bytes(), changes.take().unwrap()), (0, Vec::new()));
    }

    #[test]
    fn batches_wait_above_the_bound_and_a_batch_that_failed_is_told() {
        let mut changes = Changes::new();
        changes.read_on();
        changed(&mut changes, &[put(b"a", MOST_BYTES - 1)]);
        assert!(!changes.is_full());
        changed(&mut changes, &[put(b"b", 1)]);
        assert!(changes.is_full());
        assert_eq!(changes.take().unwrap().len(), 2);
        assert!(!changes.is_full());
        changes.keep(Vec::new(), false);
        assert!(matches!(changes.take(), Err(StoreError::Engine(_))));
    }
}
