//! One document, top to bottom: from a path that may have changed to the change the index applies.
//!
//! `look → unchanged? → open → BLAKE3 → known? → worker → ExtractedText → CanonicalText →
//! Signatures → Change`; from the worker on that is [`content`], and what a file holds goes the
//! same way from `BLAKE3` on, in [`members`]; so does a page with its frames filled in, from
//! [`beside`].
//!
//! Everything is decided by what the file system says now, so looking twice does no harm and hints
//! need not be exact. Each step that fails ends in a state with a reason; only the index's own
//! failure is an error.

mod beside;
mod content;
mod current;
mod known;
mod members;
mod own_report;
mod reading;
mod refused;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use rustix::io::Errno;
use simdex_extract::{Outside, Pool, Share};
use simdex_index::{Cancel, Change, Index, IndexError, MemoryAccount};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, FileKey, FileRecord, FileStat, Reason, State, Timestamp,
};

use self::current::is_current;
use self::reading::{NotNow, not_now};
use self::refused::{covered, has_content, refused};
use crate::config::ExtractConfig;
use crate::roots::Root;
use crate::watch::anchor::is_shortage;
use crate::watch::open::OpenError;
use crate::watch::stat::Observe;
use crate::watch::walk::{Look, Seen, SkipReason, UnreadableReason};

pub use content::{ReadContent, patience_of, raw_document};
pub use members::state_of_unread;
pub use own_report::OwnReports;

/// Failures of a content before it is given up.
pub const STRIKES: u32 = 3;

/// What one file needs to be ingested.
pub struct Ingest<'a> {
    /// Where it goes.
    pub index: &'a Index,
    /// Who reads it.
    pub pool: &'a Pool,
    /// Which files the daemon wrote itself.
    pub own_reports: &'a OwnReports,
    /// Longest file that is read, bytes.
    pub input_bytes: u64,
    /// Longest file without text that is compared by its raw bytes.
    pub raw_bytes: u64,
    /// What unpacking one file may cost.
    pub tree: members::TreeLimits,
    /// Whose file it is.
    pub share: Share,
    /// Permits for what is held of the file and its members until they are applied.
    pub account: MemoryAccount,
}

/// What became of a look at a file.
pub enum Looked {
    /// Nothing changed.
    Unchanged,
    /// The index must apply this.
    Changed(Change),
    /// The machine did not allow the file, or all that it holds, to be read. The index must apply
    /// this, if anything, and the file is to be looked at again after a while.
    Again(Option<Change>),
}

impl<'a> Ingest<'a> {
    /// With the limits of the config; waits for memory end with `cancel`.
    pub fn new(
        index: &'a Index,
        pool: &'a Pool,
        own_reports: &'a OwnReports,
        limits: &ExtractConfig,
        share: Share,
        cancel: &Cancel,
    ) -> Self {
        Self {
            account: index.memory().backlog.account(cancel),
            index,
            pool,
            own_reports,
            input_bytes: limits.input_mib.bytes(),
            raw_bytes: limits.raw_mib.bytes(),
            tree: members::TreeLimits::of(limits),
            share,
        }
    }

    /// Looks at one file below `root` and says what the index must change.
    pub fn file(&self, root: &Root, key: FileKey) -> Result<Looked, IndexError> {
        let known = self.index.file(&key)?;
        match root.look(&key.path) {
            Look::RootVanished => Ok(Looked::Unchanged),
            Look::Shortage => Ok(Looked::Again(None)),
            Look::Nothing => Ok(match known.is_some() || self.index.has_members(&key)? {
                true => Looked::Changed(Change::Remove(key)),
                false => Looked::Unchanged,
            }),
            // A folder's refusal stands on the folder's own record.
            Look::Refused(UnreadableReason::PermissionDenied) if known.is_none() => {
                Ok(Looked::Unchanged)
            }
            Look::Refused(reason) => Ok(refused(root, key, known, None, reason.code())),
            Look::Seen(Seen::File { stat, .. }, _) => self.regular(root, key, known, stat),
            Look::Covered => Ok(covered(root, &key, known.as_ref())),
            Look::Seen(Seen::Skipped { reason, .. }, _)
                if reason == SkipReason::MountPoint && has_content(known.as_ref()) =>
            {
                Ok(covered(root, &key, known.as_ref()))
            }
            Look::Seen(Seen::Skipped { reason, .. }, stat) => {
                Ok(unread(key, known, stat, State::Skipped, reason.code()))
            }
            // A directory: of the files in it nothing is known, and nothing is concluded.
            Look::Seen(Seen::Unreadable { reason, .. }, stat) => {
                Ok(unread(key, known, stat, State::Unreadable, reason.code()))
            }
        }
    }

    /// A regular file: read again unless its stat proves it unchanged.
    fn regular(
        &self,
        root: &Root,
        key: FileKey,
        known: Option<FileRecord>,
        stat: FileStat,
    ) -> Result<Looked, IndexError> {
        if let Some(known) = known.as_ref()
            && !self.must_read(root, &key, known, &stat)?
        {
            return Ok(Looked::Unchanged);
        }
        if stat.length > self.input_bytes {
            return Ok(unread(
                key,
                known,
                Some(stat),
                State::TooLarge,
                "input-limit",
            ));
        }
        match root.open_file(&key.path) {
            Ok(file) => self.read(root, key, known, &file),
            // The kernel asks whoever holds the lease to give it up, within a time.
            Err(OpenError::Io(error)) if is_leased(&error) => {
                let (content, why) = (None, (State::Unstable, "leased"));
                Ok(not_now(root, key, known, NotNow { stat, content, why }))
            }
            Err(OpenError::RootVanished(error) | OpenError::Io(error)) if is_machines(&error) => {
                tracing::warn!(%error, "a file cannot be opened; it is tried again later");
                let (content, why) = (None, (State::Unstable, "no-descriptor"));
                Ok(not_now(root, key, known, NotNow { stat, content, why }))
            }
            // Its removal is for the next look to say; until then it keeps its state.
            Err(OpenError::Vanished | OpenError::RootVanished(_) | OpenError::Outside) => {
                Ok(Looked::Unchanged)
            }
            Err(error @ OpenError::Unreadable(_)) => {
                let state = State::Unreadable;
                Ok(unread(key, known, Some(stat), state, error.code()))
            }
            Err(error @ OpenError::Io(_)) => {
                Ok(refused(root, key, known, Some(stat), error.code()))
            }
            Err(error) => Ok(unread(key, known, Some(stat), State::Skipped, error.code())),
        }
    }

    /// Whether an equal stat proves nothing, or the last extraction deserves another try.
    pub fn must_read(
        &self,
        root: &Root,
        key: &FileKey,
        known: &FileRecord,
        stat: &FileStat,
    ) -> Result<bool, IndexError> {
        if known.racy || !stat.unchanged(&known.stat, root.stable_inodes()) {
            return Ok(true);
        }
        let own = self.own_reports.content_of(root, key);
        if own_report::is_recorded(&known.outcome) {
            // It is as it was, and so is the manifest that names it, or it is read after all.
            return Ok(own.is_none());
        }
        if own.is_some() && own == known.content() {
            // It was read before its manifest was there.
            return Ok(true);
        }
        match &known.outcome {
            FileOutcome::Unread(State::TooLarge, _) => Ok(stat.length <= self.input_bytes),
            FileOutcome::Unread(..) => Ok(true),
            FileOutcome::Content(hash) => {
                let content = self.index.content(*hash)?;
                let Some(content) = content else {
                    return Ok(true);
                };
                Ok(self.deserves_another_try(&content)
                    || (content.count(members::COUNT) > 0 && self.members_wait(key)?)
                    || self.shows_otherwise(root, key, (*hash, *stat), &content)?)
            }
        }
    }
}

fn name_of(path: &Path) -> Option<String> {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
}

/// Whether an error is for want of something that the machine may have again later.
fn is_machines(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    errno.is_some_and(is_shortage)
}

/// Whether somebody has a lease on the file that was to be opened (a server of shares may have).
fn is_leased(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

impl Ingest<'_> {
    /// Whether reading the same bytes again may end otherwise.
    fn deserves_another_try(&self, content: &ContentRecord) -> bool {
        let ContentRecord {
            media_type, reason, ..
        } = content;
        let asks_outside =
            |outside: &Outside| outside.could_improve(media_type, reason.as_str(), &content.engine);
        !is_current(content)
            || (content.state.is_failure() && content.strikes < STRIKES)
            || self.pool.outside().is_some_and(asks_outside)
    }
}

/// A file whose bytes are not read; unchanged where the same is on record.
fn unread(
    key: FileKey,
    known: Option<FileRecord>,
    stat: Option<FileStat>,
    state: State,
    reason: &str,
) -> Looked {
    let stat = stat.unwrap_or_default();
    let outcome = FileOutcome::Unread(state, Reason::code(reason));
    let record = FileRecord {
        stat,
        racy: false,
        outcome,
        member: None,
        last_read: None,
    };
    if known.as_ref() == Some(&record) {
        return Looked::Unchanged;
    }
    Looked::Changed(Change::File {
        key,
        record,
        content: None,
    })
}

/// What is recorded of a file at which a look panicked: the next rescan looks again.
pub fn gave_up(key: &FileKey) -> Change {
    let outcome = FileOutcome::Unread(State::Failed, Reason::code("look-panic"));
    let record = FileRecord {
        stat: FileStat::default(),
        racy: false,
        outcome,
        member: None,
        last_read: None,
    };
    Change::File {
        key: key.clone(),
        record,
        content: None,
    }
}

/// BLAKE3 and length of bytes that nobody changes meanwhile.
pub fn hash_all(bytes: impl Read) -> io::Result<(ContentHash, u64)> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(bytes)?;
    Ok((ContentHash(*hasher.finalize().as_bytes()), hasher.count()))
}

/// BLAKE3 of a file of a share, which has `length` bytes; none where it has more or fewer by now. It
/// says nothing more than what was read: who does more with the bytes takes a snapshot.
fn hash_in_place(
    mut file: &File,
    length: u64,
    cancel: &Cancel,
) -> Result<Option<ContentHash>, IndexError> {
    if file.rewind().is_err() {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 128 << 10];
    let mut left = length;
    loop {
        cancel.check()?;
        let Ok(read) = file.read(&mut buffer) else {
            return Ok(None);
        };
        match left.checked_sub(read as u64) {
            // It grows: to read on might take for ever.
            None => return Ok(None),
            Some(0) if read == 0 => break,
            Some(_) if read == 0 => return Ok(None),
            Some(rest) => left = rest,
        }
        hasher.update(&buffer[..read]);
    }
    Ok(Some(ContentHash(*hasher.finalize().as_bytes())))
}

/// The present, as `stat` tells times.
pub fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    Timestamp {
        seconds: since.as_secs() as i64,
        nanos: since.subsec_nanos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_grows_or_shrinks_is_not_hashed_on_and_on() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"some bytes").unwrap();
        let hash = |length| hash_in_place(&file, length, &Cancel::never()).unwrap();
        let (whole, _) = hash_all(&b"some bytes"[..]).unwrap();
        assert_eq!(hash(10), Some(whole));
        assert_eq!((hash(9), hash(11)), (None, None));
        // Read to its end it would take hours.
        file.set_len(1 << 40).unwrap();
        assert_eq!(hash(10), None);
        let cancel = Cancel::never();
        cancel.cancel();
        let given_up = hash_in_place(&file, 1 << 40, &cancel);
        assert!(matches!(given_up, Err(IndexError::Cancelled)));
    }
}
