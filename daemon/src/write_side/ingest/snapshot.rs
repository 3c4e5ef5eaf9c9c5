//! The bytes of a file, hashed, looked up, and copied if they are needed. Every result, whether hash, text, raw chunks
//! or frames, is about these bytes and not about the file, which may change at any time.
//!
//! A file up to 64 MiB is hashed while it is copied. A longer one is hashed in place first, and read a second time, for
//! the copy, only if its content must be read.

use std::fs::File;

use simdex_extract::{PrivateFile, SnapshotError, SpoolBudget};
use simdex_index::{Cancel, IndexError};
use simdex_schema::{ContentHash, FileKey, FileRecord, FileStat, Timestamp};

use super::hash::{hash_in_place, now};
use super::records::{ContentLookup, Records};
use crate::write_side::watch::stat::Observe;

/// Files longer than this are hashed in place first: a known one need not be copied.
const HASHED_FIRST: u64 = 64 << 20;

/// Takes snapshots of the files of one root, and looks their contents up.
pub(super) struct SnapshotTaker<'a> {
    pub(super) records: Records<'a>,
    /// Where copies are kept, counted for the root's share.
    pub(super) space: SpoolBudget,
    /// Longest file that is read, bytes.
    pub(super) input_bytes: u64,
    pub(super) cancel: &'a Cancel,
}

/// The result of taking a file's bytes.
pub(super) enum TakeOutcome {
    /// The stat was the same before and after.
    Taken(Box<FileSnapshot>),
    /// The stat changed: take the bytes again.
    Changed,
    /// The share answered with an error.
    IoError(FileStat),
    /// It turned out to be longer than the limit.
    TooLong(FileStat),
    /// There is no room for a copy now.
    NoRoom(FileStat),
}

/// The bytes of a file at one moment: their hash, what the index knows of them, and a copy if it is needed.
pub(super) struct FileSnapshot {
    pub(super) stat: FileStat,
    pub(super) read_at: Timestamp,
    pub(super) hash: ContentHash,
    /// Result of looking up their content.
    pub(super) lookup: ContentLookup,
    /// A private copy and its length; `None` unless the bytes themselves are needed.
    pub(super) bytes: Option<(PrivateFile, u64)>,
}

impl FileSnapshot {
    /// Whether the file changed so recently that an equal stat proves nothing.
    pub(super) fn is_racy(&self) -> bool {
        self.stat.racy(self.read_at)
    }
}

/// A content that was hashed and looked up, before the stat of its file is checked again.
struct LookedUp {
    hash: ContentHash,
    lookup: ContentLookup,
    /// A private copy with its length, if the bytes are needed.
    bytes: Option<(PrivateFile, u64)>,
}

impl SnapshotTaker<'_> {
    /// Takes the bytes of an open file, and looks their content up.
    pub(super) fn take(
        &self,
        key: &FileKey,
        recorded: Option<&FileRecord>,
        file: &File,
    ) -> Result<TakeOutcome, IndexError> {
        let Ok(stat) = FileStat::of_open(file) else {
            return Ok(TakeOutcome::Changed);
        };
        let read_at = now();
        let LookedUp {
            hash,
            lookup,
            bytes,
        } = match self.look_up(key, recorded, file, stat.length)? {
            Ok(looked_up) => looked_up,
            Err(error) => return Ok(TakeOutcome::failed(&error, stat)),
        };
        // The content is fixed now; it belongs to the stat only if the file did not change meanwhile.
        if !FileStat::of_open(file).is_ok_and(|after| after.unchanged(&stat, true)) {
            return Ok(TakeOutcome::Changed);
        }
        Ok(TakeOutcome::Taken(Box::new(FileSnapshot {
            stat,
            read_at,
            hash,
            lookup,
            bytes,
        })))
    }

    /// Hashes a file and looks up its content; keeps a copy if the bytes are needed.
    fn look_up(
        &self,
        key: &FileKey,
        recorded: Option<&FileRecord>,
        file: &File,
        length: u64,
    ) -> Result<Result<LookedUp, SnapshotError>, IndexError> {
        if length > HASHED_FIRST
            && let Some(known) = self.known_in_place(key, recorded, (file, length))?
        {
            return Ok(Ok(known));
        }
        let keep_going = || self.cancel.check().is_ok();
        let snapshot = match self.space.snapshot(file, self.input_bytes, &keep_going) {
            Ok(snapshot) => snapshot,
            // A known content needs no room; a longer file was looked up already.
            Err(SnapshotError::Spool(error)) if length <= HASHED_FIRST => {
                let known = self.known_in_place(key, recorded, (file, length))?;
                return Ok(known.ok_or(SnapshotError::Spool(error)));
            }
            Err(SnapshotError::Stopped) => return Err(IndexError::Cancelled),
            Err(error) => return Ok(Err(error)),
        };
        let (hash, length) = (ContentHash(snapshot.hash()), snapshot.length());
        let lookup = self.records.lookup(key, recorded, hash)?;
        if !lookup.needs_bytes() {
            return Ok(Ok(LookedUp {
                hash,
                lookup,
                bytes: None,
            }));
        }
        let private = snapshot.into_file().map_err(SnapshotError::Spool);
        Ok(private.map(|private| LookedUp {
            hash,
            lookup,
            bytes: Some((private, length)),
        }))
    }

    /// A file of which only the hash is needed: it is read once, without a copy.
    fn known_in_place(
        &self,
        key: &FileKey,
        recorded: Option<&FileRecord>,
        (file, length): (&File, u64),
    ) -> Result<Option<LookedUp>, IndexError> {
        let Some(hash) = hash_in_place(file, length, self.cancel)? else {
            return Ok(None);
        };
        let lookup = self.records.lookup(key, recorded, hash)?;
        Ok((!lookup.needs_bytes()).then_some(LookedUp {
            hash,
            lookup,
            bytes: None,
        }))
    }
}

impl TakeOutcome {
    fn failed(error: &SnapshotError, stat: FileStat) -> Self {
        match error {
            SnapshotError::Source(_) => Self::IoError(stat),
            // The next ingest takes the bytes again.
            SnapshotError::Stopped => Self::Changed,
            SnapshotError::TooLong => Self::TooLong(stat),
            SnapshotError::Spool(error) => {
                tracing::warn!(%error, "a file cannot be copied to be read; it is tried again later");
                Self::NoRoom(stat)
            }
        }
    }
}
