//! The mark of a clean close, which saves the next opening the probe.
//!
//! A backup that runs while the daemon starts may restore the mark beside records that were written to since. So it
//! says which records it belongs to. File `CLEAN`: id of the records (16 bytes) ‖ number of their last commit (8 bytes,
//! little-endian) ‖ length of `db` (8 bytes, little-endian) ‖ XXH3-64 of these (8 bytes). An empty one, as older
//! versions wrote it, counts as no mark.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write as _};
use std::path::Path;

use twox_hash::XxHash3_64;

use super::witness::RecordsId;
use crate::safe_fs;
use crate::store::StoreError;
use crate::store::files::sync_dir;

/// Name of the file in the store.
pub(in crate::store) const CLEAN: &str = "CLEAN";
/// Bytes of its content; and with the checksum.
const SAYS: usize = 32;
const WHOLE: usize = SAYS + 8;

/// The records of a store as they were closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Closed {
    pub(in crate::store) id: RecordsId,
    /// The number of their last commit.
    pub(in crate::store) commits: u64,
    /// Length of sled's file.
    pub(in crate::store) db_bytes: u64,
}

impl Closed {
    /// The mark in a store; `None` if there is none, or it is empty.
    pub(in crate::store) fn read(store: &Path) -> Result<Option<Self>, StoreError> {
        let path = store.join(CLEAN);
        let mark = match safe_fs::open_read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            mark => mark.map_err(StoreError::io("open", &path))?,
        };
        let mut bytes = Vec::new();
        let read = mark.take(WHOLE as u64 + 1).read_to_end(&mut bytes);
        read.map_err(StoreError::io("read", &path))?;
        Ok(Self::decode(&bytes))
    }

    /// Marks a clean close, power-safe. Everything else must be synced already.
    pub(in crate::store) fn mark(&self, store: &Path) -> Result<(), StoreError> {
        let path = store.join(CLEAN);
        let mut options = OpenOptions::new();
        let mark = safe_fs::open(&path, options.write(true).create(true).truncate(true));
        let mut mark = mark.map_err(StoreError::io("create", &path))?;
        let written = mark.write_all(&self.encode());
        written.map_err(StoreError::io("write", &path))?;
        mark.sync_all().map_err(StoreError::io("sync", &path))?;
        sync_dir(store)
    }

    fn encode(&self) -> Vec<u8> {
        let numbers = [self.commits, self.db_bytes].map(u64::to_le_bytes);
        let says = [&self.id[..], &numbers[0], &numbers[1]].concat();
        let checksum = XxHash3_64::oneshot(&says).to_le_bytes();
        [&says[..], &checksum].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (id, rest) = bytes.split_first_chunk()?;
        let (commits, rest) = rest.split_first_chunk()?;
        let (db_bytes, _checksum) = rest.split_first_chunk()?;
        let closed = Self {
            id: *id,
            commits: u64::from_le_bytes(*commits),
            db_bytes: u64::from_le_bytes(*db_bytes),
        };
        (closed.encode() == bytes).then_some(closed)
    }
}

/// Removes the mark, power-safe, before anything else is touched.
pub(in crate::store) fn unmark(store: &Path) -> Result<(), StoreError> {
    let path = store.join(CLEAN);
    match std::fs::remove_file(&path) {
        Ok(()) => sync_dir(store),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io("remove", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_says_what_it_was_told_and_one_that_is_torn_or_empty_says_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let closed = Closed {
            id: [7; 16],
            commits: 3,
            db_bytes: 1 << 20,
        };
        assert_eq!(Closed::read(temp.path()).unwrap(), None);
        closed.mark(temp.path()).unwrap();
        assert_eq!(Closed::read(temp.path()).unwrap(), Some(closed));
        let path = temp.path().join(CLEAN);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len(), WHOLE);
        for len in 0..WHOLE {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(Closed::read(temp.path()).unwrap(), None, "{len} bytes");
        }
        unmark(temp.path()).unwrap();
        assert!(!path.exists());
    }
}
