//! Framesets: pages rendered with their frames and immediate refreshes filled in from the files beside them.
//!
//! A worker sees one document and may open nothing else, and a content's text must depend on its bytes
//! alone: equal framesets may be in many folders, beside different frames. So the reader of a page
//! only returns the relative addresses that the page asks for; the daemon finds those files, with the
//! care it takes for every file of a share, and puts page and frames into one web archive. That is a
//! member of the page (`index.html!/as-shown.mhtml`), a content of its own, and read like any other.
//!
//! [`Framesets`] renders pages of a share, [`ContainerPages`] those among the members of a container.
//! Both use the [`plan`]: which pages are shown together.

mod address;
mod archive;
mod container;
mod plan;

use std::ffi::OsStr;
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;

use simdex_extract::{Member, PrivateFile, Snapshot, SnapshotError};
use simdex_index::IndexError;
use simdex_schema::{ContentHash, ContentRecord, FileKey, FileStat};

use self::plan::{MAX_BYTES, Page, PathLookup, Plan, copy};
use super::content_processor::{ContentProcessor, file_name};
use super::facts::{frame_addresses, frames_of_page};
use super::reader_version::is_current;
use super::records::Records;
use super::worker_answer::WorkerAnswer;
use crate::write_side::roots::Root;
use crate::write_side::watch::stat::Observe;
use crate::write_side::watch::walk::{PathState, WalkEntry};

pub(super) use container::{ContainerPages, FramedPage};

/// Name of a rendered page, as a member of the page.
pub(super) const RENDERED_NAME: &str = "as-shown.mhtml";

/// The result of rendering a page.
pub(super) enum RenderedPage {
    /// There are no frames beside it.
    WithoutFrames,
    /// The page with its frames.
    Filled(FilledPage),
    /// The files changed while they were read: the next ingest tries again.
    ChangedDuringRead,
}

/// A page with its frames.
pub(super) struct FilledPage {
    /// The archive that contains them.
    pub(super) member: Member,
    /// Changes if any of the pages does.
    pub(super) digest: u64,
}

/// Renders the pages of one root.
pub(super) struct Framesets<'a> {
    pub(super) records: Records<'a>,
    pub(super) root: &'a Root,
    /// Longest file that is read, bytes.
    pub(super) input_bytes: u64,
}

impl Framesets<'_> {
    /// Combines a page, of which `file` is a copy, with the files beside it. If the bytes of any do not
    /// have the hash in the plan, nothing is rendered until the next ingest.
    pub(super) fn render(
        &self,
        processor: &ContentProcessor<'_>,
        key: &FileKey,
        file: &PrivateFile,
        (hash, stat): (ContentHash, FileStat),
        frame_addresses: Vec<String>,
    ) -> Result<RenderedPage, IndexError> {
        let page = Page::new(key.path.clone(), (hash, stat), frame_addresses);
        let plan = Plan::follow(page, &mut |path| {
            self.seen_on_disk(processor, on_share(key, path))
        })?;
        let Some(plan) = plan else {
            return Ok(RenderedPage::ChangedDuringRead);
        };
        if !plan.shows_frames() {
            return Ok(RenderedPage::WithoutFrames);
        }
        let space = processor.space();
        let member = plan.put_together(&space, &mut |at, page, out| match at {
            0 => {
                let mut page = file.file();
                page.rewind().and_then(|()| copy(page, hash, out))
            }
            _ => self.copy_from_disk(page, out),
        });
        Ok(match member {
            Ok(member) => RenderedPage::Filled(FilledPage {
                member,
                digest: plan.digest(),
            }),
            Err(_) => RenderedPage::ChangedDuringRead,
        })
    }

    /// Whether a page would be rendered differently than on record, or may be: decided without reading.
    pub(super) fn changed_on_record(
        &self,
        key: &FileKey,
        seen: (ContentHash, FileStat),
        content: &ContentRecord,
    ) -> Result<bool, IndexError> {
        let frame_addresses = frame_addresses(content);
        if frame_addresses.is_empty() {
            return Ok(false);
        }
        let page = Page::new(key.path.clone(), seen, frame_addresses);
        let plan = Plan::follow(page, &mut |path| self.seen_on_record(on_share(key, path)))?;
        let Some(plan) = plan else {
            return Ok(true);
        };
        let recorded = self
            .records
            .registry
            .file(&key.member(RENDERED_NAME.as_bytes()))?;
        Ok(match recorded {
            Some(rendered) if plan.shows_frames() => {
                rendered.rendered_from != Some(plan.digest())
                    || self.records.members_are_incomplete(key)?
            }
            recorded => recorded.is_some() || plan.shows_frames(),
        })
    }

    /// Classifies a file by its record, if its stat proves that the record is current.
    fn seen_on_record(&self, key: FileKey) -> Result<PathLookup, IndexError> {
        let Some(stat) = self.regular_at(&key) else {
            return Ok(PathLookup::Nothing);
        };
        let registry = self.records.registry;
        let is_stable = self.root.stable_inodes();
        let recorded = registry
            .file(&key)?
            .filter(|recorded| !recorded.racy && stat.unchanged(&recorded.stat, is_stable));
        let Some(hash) = recorded.and_then(|recorded| recorded.content()) else {
            return Ok(PathLookup::Unproven);
        };
        let content = registry.content(hash)?.filter(is_current);
        Ok(content.map_or(PathLookup::Unproven, |content| {
            classify(key, (hash, stat), &content.media_type, &content.facts)
        }))
    }

    /// Classifies a file, reading it if its record proves nothing; its text is extracted if its content is unknown.
    fn seen_on_disk(
        &self,
        processor: &ContentProcessor<'_>,
        key: FileKey,
    ) -> Result<PathLookup, IndexError> {
        let recorded = self.seen_on_record(key.clone())?;
        if !matches!(recorded, PathLookup::Unproven) {
            return Ok(recorded);
        }
        let Ok(file) = self.root.open_file(&key.path) else {
            return Ok(PathLookup::Nothing);
        };
        let Ok(stat) = FileStat::of_open(&file) else {
            return Ok(PathLookup::Nothing);
        };
        let keep_going = || processor.account.cancel().check().is_ok();
        let space = processor.space();
        let snapshot = match space.snapshot(&file, MAX_BYTES, &keep_going) {
            Ok(snapshot) => snapshot,
            Err(SnapshotError::Spool(_) | SnapshotError::Stopped) => {
                return Ok(PathLookup::Unproven);
            }
            Err(SnapshotError::Source(_) | SnapshotError::TooLong) => {
                return Ok(PathLookup::Nothing);
            }
        };
        let hash = ContentHash(snapshot.hash());
        let length = snapshot.length();
        let seen = (hash, FileStat { length, ..stat });
        let content = self.records.registry.content(hash)?;
        if let Some(content) = content.filter(is_current) {
            return Ok(classify(key, seen, &content.media_type, &content.facts));
        }
        Ok(read_frame(processor, key, seen, snapshot))
    }

    /// The stat of a file that may be read.
    fn regular_at(&self, key: &FileKey) -> Option<FileStat> {
        let limit = self.input_bytes.min(MAX_BYTES);
        match self.root.look(&key.path) {
            PathState::Seen(WalkEntry::File { stat, .. }, _) => {
                Some(stat).filter(|stat| stat.length <= limit)
            }
            _ => None,
        }
    }

    /// Writes the bytes of a frame.
    fn copy_from_disk(&self, page: &Page, out: &mut dyn Write) -> io::Result<()> {
        let file = self.root.open_file(&page.path).map_err(io::Error::other)?;
        copy(file, page.hash, out)
    }
}

/// Classifies a frame whose content is not on record.
fn read_frame(
    processor: &ContentProcessor<'_>,
    key: FileKey,
    seen: (ContentHash, FileStat),
    snapshot: Snapshot,
) -> PathLookup {
    let Ok(private) = snapshot.into_file() else {
        return PathLookup::Unproven;
    };
    let name = file_name(OsStr::from_bytes(&key.path).as_ref());
    let journaled = processor.read_in_pool(&private, seen.0, name);
    let _entry = journaled.entry;
    let read = WorkerAnswer::of(journaled.extraction);
    match read.transient {
        Some(_) => PathLookup::Unproven,
        None => classify(key, seen, &read.media_type, &read.facts),
    }
}

fn classify(
    key: FileKey,
    (hash, stat): (ContentHash, FileStat),
    media_type: &str,
    facts: &[(String, String)],
) -> PathLookup {
    frames_of_page(media_type, facts).map_or(PathLookup::NotHtml(stat.length), |frame_addresses| {
        PathLookup::Page(Page::new(key.path, (hash, stat), frame_addresses))
    })
}

/// The file at this path of the root of `key`.
fn on_share(key: &FileKey, path: Vec<u8>) -> FileKey {
    let root = key.root;
    FileKey { root, path }
}
