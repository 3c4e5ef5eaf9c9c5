//! One reading of a file. Its bytes are taken once; whatever is said of them, by hash, worker, raw
//! chunks or frames, is said of what was taken and not of the file, which may change meanwhile.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_extract::{PrivateFile, Reason, SnapshotError};
use simdex_index::{Change, IndexError};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, FileStat, State};

use super::beside::PageFrames;
use super::content::Bytes;
use super::known::{KnownContent, StableFile};
use super::{Ingest, Looked, hash_in_place, name_of, now, own_report, refused, unread};
use crate::roots::Root;
use crate::watch::stat::Observe;

/// How often a file that changes under our hands is read at once, before it is called unstable.
const ATTEMPTS: usize = 3;
/// Files longer than this are hashed where they lie first: one that is known need not be copied.
const HASHED_FIRST: u64 = 64 << 20;

/// What one reading of a file came to.
enum Reading {
    /// It stood still.
    Whole(Box<StableFile>),
    /// The share answered for it with an error, as it was then.
    Refused(FileStat),
    /// The daemon wrote it.
    OwnReport(FileRecord),
    /// It turned out to be longer than the limit.
    TooLong(FileStat),
    /// It changed meanwhile.
    Changed,
    /// The machine did not allow it.
    NotNow(NotNow),
}

/// A fault of the machine, which says nothing about the file.
pub(super) struct NotNow {
    /// The file as it was seen.
    pub(super) stat: FileStat,
    /// Its content, where that much is known.
    pub(super) content: Option<ContentHash>,
    /// What is to be said of it where nothing on record still holds.
    pub(super) why: (State, &'static str),
}

/// The bytes of a file at one moment.
struct Taken {
    hash: ContentHash,
    found: KnownContent,
    /// Where more is to be done with them.
    bytes: Option<(PrivateFile, u64)>,
}

impl Ingest<'_> {
    /// Reads an open file: hash first, extraction only where the content is not known.
    pub(super) fn read(
        &self,
        root: &Root,
        key: FileKey,
        known: Option<FileRecord>,
        file: &File,
    ) -> Result<Looked, IndexError> {
        for _ in 0..ATTEMPTS {
            match self.read_once(root, &key, known.as_ref(), file)? {
                Reading::Whole(whole) => return self.judge(key, known, *whole),
                Reading::Refused(stat) => {
                    return Ok(refused(root, key, known, Some(stat), "io-error"));
                }
                Reading::OwnReport(record) if known.as_ref() == Some(&record) => {
                    return Ok(Looked::Unchanged);
                }
                Reading::OwnReport(record) => {
                    return Ok(Looked::Changed(Change::File {
                        key,
                        record,
                        content: None,
                    }));
                }
                Reading::TooLong(stat) => {
                    let (state, reason) = (State::TooLarge, "input-limit");
                    return Ok(unread(key, known, Some(stat), state, reason));
                }
                Reading::NotNow(fault) => return Ok(not_now(root, key, known, fault)),
                Reading::Changed => {}
            }
        }
        let stat = FileStat::of_open(file).ok();
        let (state, reason) = (State::Unstable, "changed-while-read");
        Ok(unread(key, known, stat, state, reason))
    }

    fn read_once(
        &self,
        root: &Root,
        key: &FileKey,
        known: Option<&FileRecord>,
        file: &File,
    ) -> Result<Reading, IndexError> {
        let Ok(stat) = FileStat::of_open(file) else {
            return Ok(Reading::Changed);
        };
        let read_at = now();
        let Taken { hash, found, bytes } = match self.take(key, known, file, stat.length)? {
            Ok(taken) => taken,
            Err(error) => return Ok(Reading::failed(&error, stat)),
        };
        // From here on nothing looks at the file itself.
        if !FileStat::of_open(file).is_ok_and(|after| after.unchanged(&stat, true)) {
            return Ok(Reading::Changed);
        }
        if self.own_reports.content_of(root, key) == Some(hash) {
            let record = own_report::record(stat, stat.racy(read_at));
            return Ok(Reading::OwnReport(record));
        }
        let (found, unpacked) = match (found, &bytes) {
            (KnownContent::Fresh(old), Some((private, length))) => {
                let name = name_of(Path::new(OsStr::from_bytes(&key.path)));
                let bytes = Bytes {
                    private,
                    hash,
                    length: *length,
                };
                let unpacked = self.content(&bytes, name, old.clone(), None);
                (KnownContent::Fresh(old), Some(unpacked))
            }
            (found, _) => (found, None),
        };
        if let Some(reason) = unpacked.as_ref().and_then(|unpacked| unpacked.fault) {
            let (content, why) = (Some(hash), (State::Unstable, reason));
            return Ok(Reading::NotNow(NotNow { stat, content, why }));
        }
        let shown = match (found.asked(unpacked.as_ref()), &bytes) {
            (asked, Some((private, _))) if !asked.is_empty() => {
                self.shown(root, key, private, (hash, stat), asked)?
            }
            _ => PageFrames::Nothing,
        };
        let record = FileRecord {
            stat,
            racy: stat.racy(read_at) || matches!(shown, PageFrames::Unsteady),
            outcome: FileOutcome::Content(hash),
            member: None,
            last_read: Some(read_at.seconds),
        };
        Ok(Reading::Whole(Box::new(StableFile {
            record,
            found,
            unpacked,
            shown,
        })))
    }

    /// Takes the bytes of a file, and what is known of them.
    fn take(
        &self,
        key: &FileKey,
        known: Option<&FileRecord>,
        file: &File,
        length: u64,
    ) -> Result<Result<Taken, SnapshotError>, IndexError> {
        if length > HASHED_FIRST
            && let Some(taken) = self.known_where_it_lies(key, known, (file, length))?
        {
            return Ok(Ok(taken));
        }
        let snapshot = match self.pool.space().snapshot(file, self.input_bytes) {
            Ok(snapshot) => snapshot,
            Err(SnapshotError::Spool(error)) => {
                // What is known needs no room.
                let taken = self.known_where_it_lies(key, known, (file, length))?;
                return Ok(taken.ok_or(SnapshotError::Spool(error)));
            }
            Err(error) => return Ok(Err(error)),
        };
        let (hash, length) = (ContentHash(snapshot.hash()), snapshot.length());
        let found = self.found(key, known, hash)?;
        let bytes = match &found {
            KnownContent::Known | KnownContent::Copy(_) => None,
            KnownContent::Fresh(_) | KnownContent::Page(_) => match snapshot.into_file() {
                Ok(private) => Some((private, length)),
                Err(error) => return Ok(Err(SnapshotError::Spool(error))),
            },
        };
        Ok(Ok(Taken { hash, found, bytes }))
    }

    /// A file whose content is known and of which nothing but its hash is needed: one reading of it
    /// is enough, and no copy.
    fn known_where_it_lies(
        &self,
        key: &FileKey,
        known: Option<&FileRecord>,
        (file, length): (&File, u64),
    ) -> Result<Option<Taken>, IndexError> {
        let Some(hash) = hash_in_place(file, length, self.account.cancel())? else {
            return Ok(None);
        };
        let found = self.found(key, known, hash)?;
        let is_enough = matches!(found, KnownContent::Known | KnownContent::Copy(_));
        Ok(is_enough.then_some(Taken {
            hash,
            found,
            bytes: None,
        }))
    }
}

impl Reading {
    fn failed(error: &SnapshotError, stat: FileStat) -> Self {
        match error {
            SnapshotError::Source(_) => Self::Refused(stat),
            SnapshotError::TooLong => Self::TooLong(stat),
            SnapshotError::Spool(error) => {
                tracing::warn!(%error, "a file cannot be copied to be read; it is tried again later");
                let why = (State::Unstable, Reason::SpoolFailed.code());
                let content = None;
                Self::NotNow(NotNow { stat, content, why })
            }
        }
    }
}

/// What the index is to know of a file that the machine did not allow to be read: what is on record
/// stays where it still holds, else the file is unstable; either way it is looked at again.
pub(super) fn not_now(
    root: &Root,
    key: FileKey,
    known: Option<FileRecord>,
    fault: NotNow,
) -> Looked {
    let holds = |known: &FileRecord| match fault.content {
        Some(content) => known.content() == Some(content),
        None => {
            let unchanged = fault.stat.unchanged(&known.stat, root.stable_inodes());
            known.content().is_some() && !known.racy && unchanged
        }
    };
    if known.as_ref().is_some_and(holds) {
        return Looked::Again(None);
    }
    let (state, reason) = fault.why;
    match unread(key, known, Some(fault.stat), state, reason) {
        Looked::Changed(change) => Looked::Again(Some(change)),
        Looked::Unchanged | Looked::Again(_) => Looked::Again(None),
    }
}
