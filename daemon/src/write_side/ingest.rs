//! One file, from a path that may have changed to the change that the index applies.
//!
//! The section "How does one document travel from a share into the index?" of ARCHITECTURE describes the whole path.
//! Here [`Ingest::file`] looks at the path, `regular_file` compares its stat with the record ([`ChangeDetector`]) and
//! opens it, and `read_once` does the rest:
//!
//! 1. [`snapshot`]: hash the bytes, look their content up in the [`records`], and copy them if they are needed;
//! 2. [`content_processor`]: have a worker read a content that is new, and sign its text;
//! 3. [`framesets`]: fill in the frames of a page;
//! 4. [`members`]: read the files inside, at any depth, by the [`content_processor`] again;
//! 5. build the change.
//!
//! [`context`], [`outcome`], [`facts`], [`hash`], [`raw_document`](mod@raw_document), [`reader_version`] and
//! [`worker_answer`] are used by several of these. No module below calls [`Ingest`].
//!
//! The types used along the way, in order:
//!
//! * [`PathState`]: what is at the path;
//! * [`IngestTarget`]: the file with its record;
//! * [`FileSnapshot`]: the bytes of the file, with the [`ContentLookup`] of what the index knows of them;
//! * [`WorkerAnswer`]: what a worker read of a new content;
//! * [`SignedContent`]: the record and the signed document of that content, with its members;
//! * [`RenderedPage`]: a page with its frames filled in;
//! * [`IngestOutcome`]: what the index must change, if anything;
//! * `IngestedJob`, in the pipeline: the change with the tickets that wait for it.
//!
//! Every decision depends only on the current state of the file system, so ingesting twice does no harm and
//! hints need not be exact. Nothing here writes to the index; the ingester records the time of a reading that
//! found nothing new (`record_reading`). Each step that fails ends in a state with a reason; only a failure
//! of the index itself is an error.

mod content_processor;
mod context;
mod detector;
mod facts;
mod framesets;
mod hash;
mod members;
mod outcome;
mod own_report;
mod raw_document;
mod reader_version;
mod records;
mod snapshot;
mod worker_answer;

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

use simdex_extract::{Member, Pool, QueueKey};
use simdex_index::{Cancel, FileChange, IndexError, IndexReader, Registry, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{FileKey, FileRecord, FileStat, Reason, State};

use self::content_processor::{ContentBytes, ContentProcessor, SignedContent};
use self::context::IngestContext;
use self::facts::frame_addresses;
use self::framesets::RenderedPage;
use self::members::{TreeLimits, Unpacker};
use self::outcome::{IngestTarget, TransientFault, is_incomplete};
use self::records::ContentLookup;
use self::snapshot::{FileSnapshot, SnapshotTaker, TakeOutcome};
use crate::config::ExtractConfig;
use crate::write_side::roots::{Root, Trouble};
use crate::write_side::watch::stat::Observe;
use crate::write_side::watch::walk::{PathState, SkipReason, UnreadableReason, WalkEntry};

pub use detector::{ChangeDetector, SeenStat};
pub use hash::{hash_all, now};
pub use outcome::{IngestOutcome, gave_up};
pub use own_report::OwnReports;
pub use raw_document::raw_document;
pub use worker_answer::{WorkerAnswer, state_of_unread};

/// A content is quarantined after this many failures in a row.
pub const MAX_FAILURES: u32 = 3;

/// How many times a file that changes while it is copied is copied in succession, before it is called unstable.
const MAX_COPY_ATTEMPTS: usize = 3;

/// Ingests one file.
pub struct Ingest<'a> {
    context: IngestContext<'a>,
    processor: ContentProcessor<'a>,
    /// Limits on the cost of unpacking the file.
    tree: TreeLimits,
}

impl<'a> Ingest<'a> {
    /// An ingest with the limits of the config; waits for memory end with `cancel`.
    pub fn new(
        index: &'a IndexReader,
        registry: &'a Registry,
        pool: &'a Pool,
        own_reports: &'a OwnReports,
        limits: &ExtractConfig,
        queue_key: QueueKey,
        cancel: &Cancel,
    ) -> Self {
        Self {
            context: IngestContext::new(registry, pool, own_reports, limits),
            processor: ContentProcessor {
                index,
                pool,
                queue_key,
                account: index.memory().backlog.account(cancel),
                raw_bytes: limits.raw_mib.bytes(),
            },
            tree: TreeLimits::of(limits),
        }
    }

    /// Ingests one file below `root`; returns what the index must change.
    pub fn file(&self, root: &Root, key: FileKey) -> Result<IngestOutcome, IndexError> {
        let registry = self.context.records.registry;
        let recorded = registry.file(&key)?;
        let target = IngestTarget {
            root,
            key,
            recorded,
        };
        let waiting = root.share_waits.begin(&target.key.path);
        let look = root.look(&target.key.path);
        drop(waiting);
        match look {
            PathState::RootUnusable => Ok(IngestOutcome::Unchanged),
            PathState::Shortage => Ok(IngestOutcome::RetryLater(None)),
            PathState::NoFile => {
                root.forget_trouble(&target.key.path);
                let is_recorded = target.recorded.is_some() || registry.has_members(&target.key)?;
                Ok(match is_recorded {
                    true => IngestOutcome::Changed(FileChange::removal(target.key)),
                    false => IngestOutcome::Unchanged,
                })
            }
            // The refusal of a folder is recorded in the folder's own record.
            PathState::Refused(UnreadableReason::PermissionDenied) if target.recorded.is_none() => {
                Ok(IngestOutcome::Unchanged)
            }
            PathState::Refused(reason) => Ok(target.keep_on_io_error(None, reason.reason())),
            PathState::Seen(WalkEntry::File { stat, .. }, _) => self.regular_file(&target, stat),
            PathState::Covered => Ok(target.keep_covered()),
            PathState::Seen(WalkEntry::Skipped { reason, .. }, _)
                if reason == SkipReason::MountPoint && target.has_content() =>
            {
                Ok(target.keep_covered())
            }
            PathState::Seen(WalkEntry::Skipped { reason, .. }, stat) => {
                Ok(target.unread(stat, State::Skipped, reason.reason()))
            }
            // A directory: nothing is concluded about its contents.
            PathState::Seen(WalkEntry::Unreadable { reason, .. }, stat) => {
                root.saw_trouble(&target.key.path, Trouble::Unseen);
                Ok(target.unread(stat, State::Unreadable, reason.reason()))
            }
        }
    }

    /// A regular file: read unless its stat proves it unchanged.
    fn regular_file(
        &self,
        target: &IngestTarget<'_>,
        stat: FileStat,
    ) -> Result<IngestOutcome, IndexError> {
        target.root.forget_trouble(&target.key.path);
        if let Some(recorded) = &target.recorded {
            let seen = SeenStat {
                stat: &stat,
                stable_inodes: target.root.stable_inodes(),
            };
            let detector = ChangeDetector {
                context: self.context,
            };
            if !detector.needs_read(target.root, &target.key, recorded, seen)? {
                return Ok(IngestOutcome::Unchanged);
            }
        }
        if stat.length > self.context.input_bytes {
            return Ok(target.too_large(stat));
        }
        let waiting = target.root.share_waits.begin(&target.key.path);
        let opened = target.root.open_file(&target.key.path);
        drop(waiting);
        let file = match opened {
            Ok(file) => file,
            Err(error) => return Ok(target.not_opened(stat, &error)),
        };
        for _ in 0..MAX_COPY_ATTEMPTS {
            if let Some(outcome) = self.read_once(target, &file)? {
                return Ok(outcome);
            }
        }
        let stat = FileStat::of_open(&file).ok();
        Ok(target.unread(stat, State::Unstable, Reason::ChangedWhileRead))
    }

    /// Takes the bytes of an open file and does all that follows; `None` if they changed meanwhile.
    fn read_once(
        &self,
        target: &IngestTarget<'_>,
        file: &File,
    ) -> Result<Option<IngestOutcome>, IndexError> {
        let (root, key) = (target.root, &target.key);
        let snapshots = SnapshotTaker {
            records: self.context.records,
            space: self.processor.space(),
            input_bytes: self.context.input_bytes,
            cancel: self.processor.account.cancel(),
        };
        let waiting = root.share_waits.begin(&key.path);
        let taken = snapshots.take(key, target.recorded.as_ref(), file)?;
        drop(waiting);
        let taken = match taken {
            TakeOutcome::Taken(taken) => *taken,
            TakeOutcome::Changed => return Ok(None),
            TakeOutcome::IoError(stat) => {
                return Ok(Some(target.keep_on_io_error(Some(stat), Reason::IoError)));
            }
            TakeOutcome::TooLong(stat) => return Ok(Some(target.too_large(stat))),
            TakeOutcome::NoRoom(stat) => {
                let fault = TransientFault::of_stat(stat, Reason::SpoolFailed);
                return Ok(Some(target.retry_later(&fault)));
            }
        };
        if self.context.own_reports.content_of(root, key) == Some(taken.hash) {
            let record = own_report::record(taken.stat, taken.is_racy());
            return Ok(Some(target.recorded_as(record)));
        }
        let extracted = self.extract_if_new(key, &taken);
        if let Some(reason) = extracted.as_ref().and_then(|extracted| extracted.transient) {
            let content = Some(taken.hash);
            return Ok(Some(target.retry_later(&TransientFault {
                content,
                ..TransientFault::of_stat(taken.stat, reason)
            })));
        }
        let rendered = self.render(target, &taken, extracted.as_ref())?;
        self.build_change(target, taken, extracted, rendered)
            .map(Some)
    }

    fn extract_if_new(&self, key: &FileKey, taken: &FileSnapshot) -> Option<SignedContent> {
        let ContentLookup::NeedsRead(old) = &taken.lookup else {
            return None;
        };
        let (private, length) = taken.bytes.as_ref()?;
        let bytes = ContentBytes {
            private,
            hash: taken.hash,
            length: *length,
        };
        let name = content_processor::file_name(OsStr::from_bytes(&key.path).as_ref());
        Some(self.processor.process(&bytes, name, old.clone(), None))
    }

    /// Fills in the frames of a page.
    fn render(
        &self,
        target: &IngestTarget<'_>,
        taken: &FileSnapshot,
        extracted: Option<&SignedContent>,
    ) -> Result<RenderedPage, IndexError> {
        let frame_addresses = match (&taken.lookup, extracted) {
            (ContentLookup::Frameset(frame_addresses), _) => frame_addresses.clone(),
            (_, Some(extracted)) => frame_addresses(&extracted.content.record),
            (_, None) => Vec::new(),
        };
        match &taken.bytes {
            Some((private, _)) if !frame_addresses.is_empty() => {
                let framesets = self.context.framesets(target.root);
                let page = (taken.hash, taken.stat);
                framesets.render(&self.processor, &target.key, private, page, frame_addresses)
            }
            _ => Ok(RenderedPage::WithoutFrames),
        }
    }

    /// Compares what was read with what is on record, and returns what the index must change.
    fn build_change(
        &self,
        target: &IngestTarget<'_>,
        taken: FileSnapshot,
        extracted: Option<SignedContent>,
        rendered: RenderedPage,
    ) -> Result<IngestOutcome, IndexError> {
        let is_unsteady = matches!(rendered, RenderedPage::ChangedDuringRead);
        let record = FileRecord {
            racy: taken.is_racy() || is_unsteady,
            last_read: Some(taken.read_at.seconds),
            ..FileRecord::new(taken.stat, FileOutcome::Content(taken.hash))
        };
        let is_same = |recorded: &FileRecord| recorded.is_same_reading(&record);
        let is_unchanged = extracted.is_none() && target.recorded.as_ref().is_some_and(is_same);
        if is_unchanged && !matches!(taken.lookup, ContentLookup::Frameset(_)) {
            return Ok(IngestOutcome::Reverified(Box::new(record)));
        }
        // A page that could not be rendered stays as it is until the next ingest.
        let may_have_stale_members = taken.lookup.may_have_stale_members() && !is_unsteady;
        let (content, unread) = match extracted {
            Some(extracted) => (Some(Box::new(extracted.content)), extracted.members),
            None => (None, Vec::new()),
        };
        let members = self.members(&target.key, taken, rendered, unread)?;
        if is_unchanged && self.are_recorded(&target.key, &members)? {
            return Ok(IngestOutcome::Reverified(Box::new(record)));
        }
        let file = SeenFile {
            key: target.key.clone(),
            record,
            content,
        };
        if members.is_empty() && !may_have_stale_members {
            return Ok(IngestOutcome::Changed(FileChange::file(file)));
        }
        let retry = members.iter().any(|member| is_incomplete(&member.record));
        let change = FileChange::container(file, members);
        Ok(match retry {
            true => IngestOutcome::RetryLater(Some(change)),
            false => IngestOutcome::Changed(change),
        })
    }

    /// The members of a file: the page rendered with its frames, members copied from another file, or those
    /// that were `unread` until now.
    fn members(
        &self,
        key: &FileKey,
        taken: FileSnapshot,
        rendered: RenderedPage,
        unread: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        let unpacker = Unpacker {
            records: self.context.records,
            processor: &self.processor,
            limits: self.tree,
        };
        match (rendered, taken.lookup) {
            (RenderedPage::Filled(filled), _) => {
                let mut members = unpacker.unpack(key, taken.hash, vec![filled.member])?;
                if let Some(page) = members.first_mut() {
                    page.record.rendered_from = Some(filled.digest);
                }
                Ok(members)
            }
            (_, ContentLookup::CopyMembers(members)) => Ok(members),
            _ => unpacker.unpack(key, taken.hash, unread),
        }
    }

    /// Whether exactly these members are on record.
    fn are_recorded(&self, key: &FileKey, members: &[SeenFile]) -> Result<bool, IndexError> {
        let recorded = self.context.records.registry.members(key)?;
        let is_same = |(member, (key, record)): (&SeenFile, &(FileKey, _))| {
            member.key == *key && member.record == *record && member.content.is_none()
        };
        Ok(members.len() == recorded.len() && members.iter().zip(&recorded).all(is_same))
    }
}
