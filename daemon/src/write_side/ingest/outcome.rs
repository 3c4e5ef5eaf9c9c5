//! The outcomes of ingesting a file, and the records of files that are not read.

use std::io;

use rustix::io::Errno;
use simdex_index::{FileChange, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, FileStat, Reason, State};

use crate::write_side::roots::{Root, Trouble};
use crate::write_side::watch::anchor::is_shortage;
use crate::write_side::watch::open::OpenError;
use crate::write_side::watch::stat::Observe;

/// The outcome of ingesting a file.
pub enum IngestOutcome {
    /// The index need not apply anything.
    Unchanged,
    /// The file was read and is as recorded: only the time of the reading, in this record, is new.
    Reverified(Box<FileRecord>),
    /// The index must apply this change.
    Changed(FileChange),
    /// A transient fault of the system kept the file, or all its contents, from being read. The index
    /// must apply the change, if there is one, and the file must be ingested again after a while.
    RetryLater(Option<FileChange>),
}

impl IngestOutcome {
    /// The change that the index must apply, if any.
    pub fn change(self) -> Option<FileChange> {
        match self {
            Self::Unchanged | Self::Reverified(_) => None,
            Self::Changed(change) => Some(change),
            Self::RetryLater(change) => change,
        }
    }
}

/// The file that is ingested, and its record.
pub(super) struct IngestTarget<'a> {
    pub(super) root: &'a Root,
    pub(super) key: FileKey,
    pub(super) recorded: Option<FileRecord>,
}

/// A transient fault of the system, which says nothing about the file.
pub(super) struct TransientFault {
    /// The file as it was seen.
    pub(super) stat: FileStat,
    /// Its content, if known so far.
    pub(super) content: Option<ContentHash>,
    /// The fault, as the reason of a file whose record does not apply any more.
    pub(super) reason: Reason,
}

impl TransientFault {
    /// A fault before the content was known.
    pub(super) fn of_stat(stat: FileStat, reason: Reason) -> Self {
        Self {
            stat,
            content: None,
            reason,
        }
    }
}

impl IngestTarget<'_> {
    /// A file whose bytes are not read.
    pub(super) fn unread(
        &self,
        stat: Option<FileStat>,
        state: State,
        reason: Reason,
    ) -> IngestOutcome {
        let stat = stat.unwrap_or_default();
        self.recorded_as(FileRecord::unread(stat, state, reason))
    }

    /// The outcome for a file longer than the limit.
    pub(super) fn too_large(&self, stat: FileStat) -> IngestOutcome {
        self.unread(Some(stat), State::TooLarge, Reason::InputLimit)
    }

    /// The outcome for a file with this record and without a content; unchanged if it is already on record.
    pub(super) fn recorded_as(&self, record: FileRecord) -> IngestOutcome {
        if self.recorded.as_ref() == Some(&record) {
            return IngestOutcome::Unchanged;
        }
        let seen = SeenFile::without_content(self.key.clone(), record);
        IngestOutcome::Changed(FileChange::file(seen))
    }

    /// The outcome for a file for which the share, or a folder above it, returned an error. A file with known content
    /// keeps its state; the root reports the error, and the next rescan tries again.
    pub(super) fn keep_on_io_error(&self, stat: Option<FileStat>, reason: Reason) -> IngestOutcome {
        let (trouble, outcome) = match self.has_content() {
            true => (Trouble::Kept, IngestOutcome::Unchanged),
            false => {
                let unread = self.unread(stat, State::Unreadable, reason);
                (Trouble::Unread, unread)
            }
        };
        self.root.saw_trouble(&self.key.path, trouble);
        outcome
    }

    /// The outcome for a file covered by another file system mounted over it, or over a folder above
    /// it: its record is kept, as the file may still exist below.
    pub(super) fn keep_covered(&self) -> IngestOutcome {
        if self.recorded.is_some() {
            self.root.saw_trouble(&self.key.path, Trouble::Kept);
        }
        IngestOutcome::Unchanged
    }

    /// Whether a content of the file is on record.
    pub(super) fn has_content(&self) -> bool {
        let recorded = self.recorded.as_ref();
        recorded.and_then(FileRecord::content).is_some()
    }

    /// The outcome for a file that a transient fault kept from being read: its record stays if it
    /// still applies, otherwise the file is unstable; either way it is tried again.
    pub(super) fn retry_later(&self, fault: &TransientFault) -> IngestOutcome {
        let still_holds = |recorded: &FileRecord| match fault.content {
            Some(content) => recorded.content() == Some(content),
            None => {
                let stable = self.root.stable_inodes();
                let unchanged = fault.stat.unchanged(&recorded.stat, stable);
                recorded.content().is_some() && !recorded.racy && unchanged
            }
        };
        if self.recorded.as_ref().is_some_and(still_holds) {
            return IngestOutcome::RetryLater(None);
        }
        match self.unread(Some(fault.stat), State::Unstable, fault.reason) {
            IngestOutcome::Changed(change) => IngestOutcome::RetryLater(Some(change)),
            IngestOutcome::Unchanged
            | IngestOutcome::Reverified(_)
            | IngestOutcome::RetryLater(_) => IngestOutcome::RetryLater(None),
        }
    }

    /// The outcome for a file that could not be opened.
    pub(super) fn not_opened(&self, stat: FileStat, error: &OpenError) -> IngestOutcome {
        match error {
            // The kernel asks the holder of the lease to release it within a time.
            OpenError::Io(error) if is_leased(error) => {
                self.retry_later(&TransientFault::of_stat(stat, Reason::Leased))
            }
            OpenError::RootUnusable(error) | OpenError::Io(error) if is_transient(error) => {
                tracing::warn!(%error, "a file cannot be opened; it is tried again later");
                self.retry_later(&TransientFault::of_stat(stat, Reason::NoDescriptor))
            }
            // A delete event or the next rescan removes the record; until then it keeps its state.
            OpenError::Vanished | OpenError::RootUnusable(_) | OpenError::Outside => {
                IngestOutcome::Unchanged
            }
            OpenError::Unreadable(_) => {
                self.root.saw_trouble(&self.key.path, Trouble::Unread);
                self.unread(Some(stat), State::Unreadable, error.reason())
            }
            OpenError::Io(_) => self.keep_on_io_error(Some(stat), error.reason()),
            OpenError::NotRegular => self.unread(Some(stat), State::Skipped, error.reason()),
        }
    }
}

/// Whether a member is still to be read because of a transient fault.
pub(super) fn is_incomplete(record: &FileRecord) -> bool {
    matches!(record.outcome, FileOutcome::Unread(State::Unstable, _))
}

/// Whether an error means that the system lacks something that it may have again later.
fn is_transient(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    errno.is_some_and(is_shortage)
}

/// Whether somebody holds a lease on the file that was to be opened (a file server may).
fn is_leased(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

/// The record of a file that has no content on record and whose ingestion panicked: the next rescan tries again.
pub fn gave_up(key: &FileKey) -> FileChange {
    let record = FileRecord::unread(FileStat::default(), State::Failed, Reason::IngestPanic);
    FileChange::file(SeenFile::without_content(key.clone(), record))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use simdex_index::store::MemoryStore;
    use simdex_index::{Index, Options};

    use super::*;
    use crate::base::events::Events;
    use crate::config::{Config, RootConfig, RootMode};

    #[test]
    fn an_error_of_the_share_keeps_a_known_content_and_is_said() {
        let texts = tempfile::tempdir().unwrap();
        let parameters = Config::default().parameters();
        let store = Box::new(MemoryStore::default());
        let index = Index::open(store, texts.path(), parameters, Options::default()).unwrap();
        let configured = RootConfig {
            path: "/share".into(),
            mode: RootMode::Poll,
        };
        let root = Root::open(&index.writer, configured, &Arc::new(Events::default())).unwrap();
        let mut target = IngestTarget {
            root: &root,
            key: FileKey {
                root: root.id,
                path: b"folder/a.txt".to_vec(),
            },
            recorded: Some(FileRecord::new(
                FileStat::default(),
                FileOutcome::Content(ContentHash([1; 32])),
            )),
        };
        let kept = target.keep_on_io_error(None, Reason::IoError);
        assert!(matches!(kept, IngestOutcome::Unchanged));
        let detail = root.status().detail;
        assert!(detail.contains("the first is folder/a.txt"), "{detail}");
        assert_eq!(root.unreadable(), 1, "no answer is complete meanwhile");

        root.forget_trouble(&target.key.path);
        target.recorded = None;
        let IngestOutcome::Changed(change) = target.keep_on_io_error(None, Reason::IoError) else {
            panic!("a file that was never read has a state");
        };
        let record = change.into_file().unwrap().record;
        let FileOutcome::Unread(State::Unreadable, reason) = record.outcome else {
            panic!("{record:?}");
        };
        assert!(reason.is(Reason::IoError));
        assert_eq!(root.unreadable(), 1, "of a new file nothing is known");
    }
}
