//! A page as it is shown: its frames and immediate refreshes filled in from the files beside it.
//!
//! A worker sees one document and may open nothing, and a content's text follows from its bytes
//! alone: equal framesets lie in many folders, beside other frames. So the reader of a page only
//! tells which relative addresses the page asks for; the daemon finds those files, with the care it
//! takes for every file of a share, and puts page and frames into one web archive. That is a member
//! of the page (`index.html!/as-shown.mhtml`), a content of its own, and read like any other. Pages in
//! a container are shown with what lies beside them there, by [`members`](super::members).

pub(super) mod address;
mod archive;
pub(super) mod plan;

use std::ffi::OsStr;
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_extract::{Fact, Hint, Member, PrivateFile, Snapshot, SnapshotError, Urgency};
use simdex_index::{IndexError, SeenFile};
use simdex_schema::{ContentHash, ContentRecord, FileKey, FileStat};

use self::plan::{MAX_BYTES, Page, PathLookup, Plan, copy};
use super::content::{ReadContent, patience_of};
use super::current::is_current;
use super::{Ingest, members, name_of};
use crate::roots::Root;
use crate::watch::stat::Observe;
use crate::watch::walk::{Look, Seen};

/// Its name in the page.
pub(super) const NAME: &str = "as-shown.mhtml";

/// What can be filled in.
const PAGE: &str = "text/html";

/// The addresses that a content asks for: those of a page, which holds no files of its own.
pub(super) fn asked(content: &ContentRecord) -> Vec<String> {
    asked_by_page(&content.media_type, &content.facts).unwrap_or_default()
}

/// The same; none where the content is no page at all.
pub(super) fn asked_by_page(media_type: &str, facts: &[(String, String)]) -> Option<Vec<String>> {
    let stated = |code: &str| facts.iter().find(|(fact, _)| fact == code);
    let asked = match stated(Fact::FramesAsked.code()) {
        Some((_, list)) if stated(members::COUNT).is_none() => {
            list.split(' ').map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    (media_type == PAGE).then_some(asked)
}

/// What a page is shown with.
pub(super) enum PageFrames {
    /// Nothing lies beside it.
    Nothing,
    /// Its frames.
    Filled(Filled),
    /// They change while they are read: the next look tries again.
    Unsteady,
}

/// A page with its frames.
pub(super) struct Filled {
    member: Member,
    digest: u64,
}

impl Ingest<'_> {
    /// Puts a page, `file`, together with what lies beside it: the bytes of each are those whose hash
    /// its place in the archive was given for, or nothing is shown until the next look.
    pub(super) fn shown(
        &self,
        root: &Root,
        key: &FileKey,
        file: &PrivateFile,
        (hash, stat): (ContentHash, FileStat),
        asked: Vec<String>,
    ) -> Result<PageFrames, IndexError> {
        let page = Page::new(key.path.clone(), (hash, stat), asked);
        let plan = Plan::follow(page, &mut |path| {
            self.seen_on_disk(root, on_share(key, path))
        })?;
        let Some(plan) = plan else {
            return Ok(PageFrames::Unsteady);
        };
        if !plan.shows_frames() {
            return Ok(PageFrames::Nothing);
        }
        let member = plan.put_together(self.pool.space(), &mut |at, page, out| match at {
            0 => {
                let mut page = file.file();
                page.rewind().and_then(|()| copy(page, hash, out))
            }
            _ => copy_from_disk(root, page, out),
        });
        Ok(match member {
            Ok(member) => PageFrames::Filled(Filled {
                member,
                digest: plan.digest(),
            }),
            Err(_) => PageFrames::Unsteady,
        })
    }

    /// Reads the page as it is shown: a member of the page.
    pub(super) fn read_shown(
        &self,
        key: &FileKey,
        content: ContentHash,
        filled: Filled,
    ) -> Result<Vec<SeenFile>, IndexError> {
        let mut seen = self.unpack(key, content, vec![filled.member])?;
        if let Some(shown) = seen.first_mut() {
            shown.record.stat.inode = filled.digest;
        }
        Ok(seen)
    }

    /// Whether a page is shown otherwise than is on record, or may be: judged without reading.
    pub(super) fn shows_otherwise(
        &self,
        root: &Root,
        key: &FileKey,
        seen: (ContentHash, FileStat),
        content: &ContentRecord,
    ) -> Result<bool, IndexError> {
        let asked = asked(content);
        if asked.is_empty() {
            return Ok(false);
        }
        let page = Page::new(key.path.clone(), seen, asked);
        let plan = Plan::follow(page, &mut |path| {
            self.seen_on_record(root, on_share(key, path))
        })?;
        let Some(plan) = plan else {
            return Ok(true);
        };
        let recorded = self.index.file(&key.member(NAME.as_bytes()))?;
        Ok(match recorded {
            Some(shown) if plan.shows_frames() => {
                shown.stat.inode != plan.digest() || self.members_wait(key)?
            }
            recorded => recorded.is_some() || plan.shows_frames(),
        })
    }

    /// What a file is, by its record where its stat proves that true.
    fn seen_on_record(&self, root: &Root, key: FileKey) -> Result<PathLookup, IndexError> {
        let Some(stat) = self.regular_at(root, &key) else {
            return Ok(PathLookup::Nothing);
        };
        let known = self
            .index
            .file(&key)?
            .filter(|known| !known.racy && stat.unchanged(&known.stat, root.stable_inodes()));
        let Some(hash) = known.and_then(|known| known.content()) else {
            return Ok(PathLookup::Unproven);
        };
        let content = self.index.content(hash)?.filter(is_current);
        Ok(content.map_or(PathLookup::Unproven, |content| {
            sight(key, (hash, stat), &content.media_type, &content.facts)
        }))
    }

    /// What a file is, by reading it where its record proves nothing; its text is read where its
    /// content is not known.
    fn seen_on_disk(&self, root: &Root, key: FileKey) -> Result<PathLookup, IndexError> {
        let recorded = self.seen_on_record(root, key.clone())?;
        if !matches!(recorded, PathLookup::Unproven) {
            return Ok(recorded);
        }
        let Some((stat, snapshot)) = self.frame_of(root, &key) else {
            return Ok(PathLookup::Nothing);
        };
        let snapshot = match snapshot {
            Ok(snapshot) => snapshot,
            Err(SnapshotError::Spool(_)) => return Ok(PathLookup::Unproven),
            Err(SnapshotError::Source(_) | SnapshotError::TooLong) => {
                return Ok(PathLookup::Nothing);
            }
        };
        let hash = ContentHash(snapshot.hash());
        let length = snapshot.length();
        let seen = (hash, FileStat { length, ..stat });
        if let Some(content) = self.index.content(hash)?.filter(is_current) {
            return Ok(sight(key, seen, &content.media_type, &content.facts));
        }
        Ok(self.read_frame(key, seen, snapshot))
    }

    /// The bytes of a frame.
    fn frame_of(
        &self,
        root: &Root,
        key: &FileKey,
    ) -> Option<(FileStat, Result<Snapshot, SnapshotError>)> {
        let file = root.open_file(&key.path).ok()?;
        let stat = FileStat::of_open(&file).ok()?;
        Some((stat, self.pool.space().snapshot(&file, MAX_BYTES)))
    }

    /// What a frame is whose content is not on record.
    fn read_frame(
        &self,
        key: FileKey,
        seen: (ContentHash, FileStat),
        snapshot: Snapshot,
    ) -> PathLookup {
        let hint = Hint {
            name: name_of(Path::new(OsStr::from_bytes(&key.path))),
            urgency: Urgency::Backlog,
            share: self.share,
        };
        let Ok(private) = snapshot.into_file() else {
            return PathLookup::Unproven;
        };
        let (extraction, _mark) =
            self.pool
                .extract_marked(&private, seen.0.0, &hint, patience_of(&self.account));
        let read = ReadContent::of(extraction);
        match read.fault {
            Some(_) => PathLookup::Unproven,
            None => sight(key, seen, &read.media_type, &read.facts),
        }
    }

    /// The stat of a file that may be read.
    fn regular_at(&self, root: &Root, key: &FileKey) -> Option<FileStat> {
        let limit = self.input_bytes.min(MAX_BYTES);
        match root.look(&key.path) {
            Look::Seen(Seen::File { stat, .. }, _) => {
                Some(stat).filter(|stat| stat.length <= limit)
            }
            _ => None,
        }
    }
}

fn sight(
    key: FileKey,
    (hash, stat): (ContentHash, FileStat),
    media_type: &str,
    facts: &[(String, String)],
) -> PathLookup {
    asked_by_page(media_type, facts).map_or(PathLookup::NoPage(stat.length), |asked| {
        PathLookup::Page(Page::new(key.path, (hash, stat), asked))
    })
}

/// The file at this path of the share of `key`.
fn on_share(key: &FileKey, path: Vec<u8>) -> FileKey {
    let root = key.root;
    FileKey { root, path }
}

/// Writes the bytes of a frame.
fn copy_from_disk(root: &Root, page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let file = root.open_file(&page.path).map_err(io::Error::other)?;
    copy(file, page.hash, out)
}
