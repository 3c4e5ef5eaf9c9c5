//! A private copy of a file's bytes, identified by their hash: exactly the bytes that are hashed are read.
//!
//! A file of a share may change at any moment, through a mapped page even without a trace in its times. So no
//! conclusion is drawn from reading it twice: its bytes are copied once, into memory, a clone or an unlinked file, and
//! all results refer to that copy.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use crate::private_bytes::{GrowingBytes, IN_MEMORY, PrivateBytes, PrivateFile};
use crate::spool_budget::{Reservation, SpoolBudget};

/// Bytes read at once.
const BUFFER: usize = 128 << 10;

/// Bytes that nobody else can change.
#[derive(Debug)]
pub struct Snapshot {
    bytes: PrivateBytes,
    hash: [u8; 32],
    length: u64,
    space: SpoolBudget,
}

/// Why no snapshot was taken.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file itself cannot be read.
    #[error("the file cannot be read")]
    Source(#[source] io::Error),
    /// Its bytes cannot be stored: that is the machine's fault, not the file's.
    #[error("the bytes cannot be kept")]
    Spool(#[source] io::Error),
    /// It is longer than the limit.
    #[error("the file is longer than the limit")]
    TooLong,
    /// Nobody waits for it any more.
    #[error("the copy was cancelled")]
    Stopped,
}

impl SpoolBudget {
    /// Copies the bytes of a file that is open for reading, at most `limit` of them. A file that changes meanwhile may
    /// give bytes it never had at one moment; its `stat` shows that, and otherwise they are at least the same for all
    /// users of this snapshot. `keep_going` is called now and then: a share may be slow.
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn snapshot(
        &self,
        source: &File,
        limit: u64,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Snapshot, SnapshotError> {
        let length = source.metadata().map_err(SnapshotError::Source)?.len();
        let bounds = Bounds { limit, keep_going };
        if length > IN_MEMORY as u64
            && let Some(clone) = self.clone_of(source)
        {
            return self.cloned(&clone, &bounds);
        }
        self.copied(source, length, &bounds)
    }

    fn cloned(&self, clone: &File, bounds: &Bounds<'_>) -> Result<Snapshot, SnapshotError> {
        let mut hasher = blake3::Hasher::new();
        let length = bounds.read_all(clone, |chunk| {
            hasher.update(chunk);
            Ok(())
        })?;
        let file = PrivateFile::new(clone, None).map_err(SnapshotError::Spool)?;
        Ok(Snapshot {
            bytes: PrivateBytes::File(file),
            hash: *hasher.finalize().as_bytes(),
            length,
            space: self.clone(),
        })
    }

    fn copied(
        &self,
        source: &File,
        expected: u64,
        bounds: &Bounds<'_>,
    ) -> Result<Snapshot, SnapshotError> {
        let expected = expected.min(bounds.limit);
        let out = match expected > IN_MEMORY as u64 {
            true => GrowingBytes::in_file(self, bounds.reserve(self, expected)?),
            false => GrowingBytes::new(self, expected),
        };
        let mut out = out.map_err(SnapshotError::Spool)?;
        let mut from = source;
        from.rewind().map_err(SnapshotError::Source)?;
        let mut hasher = blake3::Hasher::new();
        let length = bounds.read_all(from, |chunk| {
            hasher.update(chunk);
            out.write_all(chunk)
        })?;
        Ok(Snapshot {
            bytes: out.finish().map_err(SnapshotError::Spool)?,
            hash: *hasher.finalize().as_bytes(),
            length,
            space: self.clone(),
        })
    }
}

/// How many bytes are read, and for how long.
struct Bounds<'a> {
    limit: u64,
    keep_going: &'a dyn Fn() -> bool,
}

impl Bounds<'_> {
    /// Reserves bytes for a file of which nothing is held yet.
    fn reserve(&self, space: &SpoolBudget, bytes: u64) -> Result<Reservation, SnapshotError> {
        let reserved = space.reserve_first(bytes, self.keep_going);
        reserved.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => SnapshotError::Stopped,
            _ => SnapshotError::Spool(error),
        })
    }

    /// Passes on all bytes of a reader, and counts them; a failure of `take` is the spool's.
    fn read_all(
        &self,
        mut from: impl Read,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<u64, SnapshotError> {
        let (mut buffer, mut length) = (vec![0; BUFFER], 0);
        loop {
            if !(self.keep_going)() {
                return Err(SnapshotError::Stopped);
            }
            let count = match from.read(&mut buffer) {
                Ok(0) => return Ok(length),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(SnapshotError::Source(error)),
            };
            length += count as u64;
            if length > self.limit {
                return Err(SnapshotError::TooLong);
            }
            take(&buffer[..count]).map_err(SnapshotError::Spool)?;
        }
    }
}

impl Snapshot {
    /// BLAKE3 of the bytes.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Number of bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes as a file that can only be read, as [`Pool::extract`](crate::Pool::extract) requires. Short ones are
    /// kept in memory and written to a file only here.
    ///
    /// # Errors
    /// If no file can be created: the machine's fault.
    pub fn into_file(self) -> io::Result<PrivateFile> {
        self.bytes.into_file(&self.space)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    /// A file on a disk, not in memory, if the tests can have one.
    fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at % 251) as u8).collect()
    }

    #[test]
    fn later_changes_of_the_file_do_not_reach_it() {
        let space = SpoolBudget::new(std::env::temp_dir(), 1 << 30);
        for length in [0, 5, IN_MEMORY, IN_MEMORY + 1, 3 * IN_MEMORY] {
            let old = bytes(length);
            let source = file_of(&old);
            let taken = space
                .snapshot(&source.reopen().unwrap(), u64::MAX, &|| true)
                .unwrap();
            // In place and with the same length, as a store into a mapped page would.
            source
                .as_file()
                .write_all_at(&vec![0xff; length], 0)
                .unwrap();
            assert_eq!(taken.hash(), *blake3::hash(&old).as_bytes());
            assert_eq!(taken.length(), length as u64);
            let taken = taken.into_file().unwrap();
            let (mut file, mut read) = (taken.file(), Vec::new());
            file.read_to_end(&mut read).unwrap();
            assert!(read == old, "{length}");
            assert!(file.write_all(b"x").is_err(), "it can be written to");
        }
        assert_eq!(space.used(), 0);
    }

    #[test]
    fn the_bytes_that_are_hashed_are_the_bytes_that_are_kept() {
        // Every read returns other bytes, as for a file that is written to all the time.
        let source = File::open("/proc/sys/kernel/random/uuid").unwrap();
        let read = |mut from: &File| {
            let mut read = Vec::new();
            from.rewind().unwrap();
            from.read_to_end(&mut read).unwrap();
            read
        };
        assert_ne!(read(&source), read(&source));
        let space = SpoolBudget::new(std::env::temp_dir(), 1 << 30);
        let taken = space.snapshot(&source, u64::MAX, &|| true).unwrap();
        let (hash, length) = (taken.hash(), taken.length());
        let kept = read(taken.into_file().unwrap().file());
        assert_eq!(hash, *blake3::hash(&kept).as_bytes());
        assert_eq!(length, kept.len() as u64);
    }

    #[test]
    fn a_full_spool_is_told_from_a_file_that_cannot_be_read() {
        let space = SpoolBudget::new(std::env::temp_dir(), 1 << 20);
        let long = file_of(&bytes(IN_MEMORY + 1));
        let limit = u64::MAX;
        // A clone takes no space; without clones the copy does not fit.
        if space.clone_of(&long.reopen().unwrap()).is_none() {
            let full = space
                .snapshot(&long.reopen().unwrap(), limit, &|| true)
                .unwrap_err();
            assert!(matches!(full, SnapshotError::Spool(_)), "{full:?}");
        }
        let only_written = File::options().write(true).open(long.path()).unwrap();
        let refused = space.snapshot(&only_written, limit, &|| true).unwrap_err();
        assert!(matches!(
            refused,
            SnapshotError::Source(_) | SnapshotError::Spool(_)
        ));
        let short = file_of(&bytes(9));
        let unreadable = File::options().write(true).open(short.path()).unwrap();
        let refused = space.snapshot(&unreadable, limit, &|| true).unwrap_err();
        assert!(matches!(refused, SnapshotError::Source(_)), "{refused:?}");
        let cut = space
            .snapshot(&short.reopen().unwrap(), 8, &|| true)
            .unwrap_err();
        assert!(matches!(cut, SnapshotError::TooLong));
        assert_eq!(space.used(), 0);
    }

    #[test]
    fn a_snapshot_that_nobody_waits_for_ends_in_the_middle_and_keeps_nothing() {
        let space = SpoolBudget::new(std::env::temp_dir(), 1 << 30);
        let source = file_of(&bytes(3 * IN_MEMORY));
        let calls = std::cell::Cell::new(0);
        let twice = || {
            calls.set(calls.get() + 1);
            calls.get() < 3
        };
        let stopped = space.snapshot(&source.reopen().unwrap(), u64::MAX, &twice);
        assert!(matches!(stopped.unwrap_err(), SnapshotError::Stopped));
        assert_eq!((calls.get(), space.used()), (3, 0));
    }
}
