//! A page as it is shown: its frames and immediate refreshes filled in from the files beside it.
//!
//! A worker sees one document and may open nothing, and a content's text follows from its bytes
//! alone: equal framesets lie in many folders, beside other frames. So the reader of a page only
//! tells which relative addresses the page asks for; the daemon finds those files, with the care it
//! takes for every file of a share, and puts page and frames into one web archive. That is a member
//! of the page (`index.html!/as-shown.mhtml`), a content of its own, and read like any other.

mod address;
mod archive;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use simdex_extract::{EXTRACTOR_VERSION, Fact, Hint, Member, MemberBytes, Role, Urgency};
use simdex_index::{IndexError, SeenFile};
use simdex_schema::{ContentHash, ContentRecord, FileKey, FileStat};

use self::address::{Place, depth_of, folder_of, location, place};
use self::archive::Part;
use super::content::ReadContent;
use super::{Ingest, hash_of, is_behind_symlink, members, name_of, rewind};
use crate::roots::Root;
use crate::watch::open::open_regular;
use crate::watch::stat::Observe;
use crate::watch::walk::{Seen, look};

/// Its name in the page.
pub(super) const NAME: &str = "as-shown.mhtml";

/// What can be filled in.
const PAGE: &str = "text/html";

/// Pages that are put together at most, the page itself among them.
const MAX_PAGES: usize = 64;
/// Frames of frames are followed so deep.
const MAX_DEPTH: usize = 4;
/// Bytes of all of them.
const MAX_BYTES: u64 = 32 << 20;

/// The addresses that a content asks for: those of a page, which holds no files of its own.
pub(super) fn asked(content: &ContentRecord) -> Vec<String> {
    asked_in(&content.media_type, &content.facts)
}

fn asked_in(media_type: &str, facts: &[(String, String)]) -> Vec<String> {
    let stated = |code: &str| facts.iter().find(|(fact, _)| fact == code);
    match stated(Fact::FramesAsked.code()) {
        Some((_, list)) if media_type == PAGE && stated(members::COUNT).is_none() => {
            list.split(' ').map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// What a page is shown with.
pub(super) enum Shown {
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

/// A page that is shown, or a frame of it.
struct Page {
    /// Below the root.
    path: Vec<u8>,
    hash: ContentHash,
    stat: FileStat,
    asked: Vec<String>,
    depth: usize,
}

/// What there is at an address.
enum Sight {
    /// A page.
    Page(Page),
    /// Nothing, or no page.
    Nothing,
    /// What is on record of it proves nothing.
    Unproven,
}

/// Pages in the order in which they are asked for, the first asks for all others.
struct Plan {
    pages: Vec<Page>,
    /// Folders below the root of the one that all addresses stay in.
    top: usize,
}

impl Ingest<'_> {
    /// Puts a page, `file`, together with what lies beside it.
    pub(super) fn shown(
        &self,
        root: &Root,
        key: &FileKey,
        file: &mut File,
        (hash, stat): (ContentHash, FileStat),
        asked: Vec<String>,
    ) -> Result<Shown, IndexError> {
        let plan = Plan::follow(key, (hash, stat), asked, &mut |frame| {
            self.seen_on_disk(root, frame)
        })?;
        let Some(plan) = plan.filter(|plan| plan.pages.len() > 1) else {
            return Ok(Shown::Nothing);
        };
        let written = MemberBytes::written_in(self.pool.spool(), |out| {
            archive::write(&plan.parts(), out, &mut |at, out| match at {
                0 => rewind(file).and_then(|()| copy(&mut *file, hash, out)),
                _ => plan.copy(root, at, out),
            })
        });
        let Ok(bytes) = written else {
            return Ok(Shown::Unsteady);
        };
        let member = Member {
            name: NAME.to_owned(),
            role: Role::Rendered,
            modified: plan.pages.iter().map(|page| page.stat.mtime.seconds).max(),
            body: Ok(bytes),
        };
        let digest = plan.digest();
        Ok(Shown::Filled(Filled { member, digest }))
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
        page: (ContentHash, FileStat),
        content: &ContentRecord,
    ) -> Result<bool, IndexError> {
        let asked = asked(content);
        if asked.is_empty() {
            return Ok(false);
        }
        let plan = Plan::follow(key, page, asked, &mut |frame| {
            self.seen_on_record(root, frame)
        })?;
        let Some(plan) = plan else {
            return Ok(true);
        };
        let recorded = self.index.file(&key.member(NAME.as_bytes()))?;
        Ok(match recorded {
            Some(shown) if plan.pages.len() > 1 => {
                shown.stat.inode != plan.digest() || self.members_wait(key)?
            }
            recorded => recorded.is_some() || plan.pages.len() > 1,
        })
    }

    /// What a file is, by its record where its stat proves that true.
    fn seen_on_record(&self, root: &Root, key: FileKey) -> Result<Sight, IndexError> {
        let Some(stat) = self.regular_at(root, &path_of(root, &key)) else {
            return Ok(Sight::Nothing);
        };
        let known = self
            .index
            .file(&key)?
            .filter(|known| !known.racy && stat.unchanged(&known.stat, root.stable_inodes()));
        let Some(hash) = known.and_then(|known| known.content()) else {
            return Ok(Sight::Unproven);
        };
        let content = self.index.content(hash)?.filter(is_current);
        Ok(content.map_or(Sight::Unproven, |content| {
            sight(key, (hash, stat), &content.media_type, &content.facts)
        }))
    }

    /// What a file is, by reading it; its text is read where its content is not known.
    fn seen_on_disk(&self, root: &Root, key: FileKey) -> Result<Sight, IndexError> {
        let path = path_of(root, &key);
        if self.regular_at(root, &path).is_none() {
            return Ok(Sight::Nothing);
        }
        let opened = open_regular(&root.path, &path).ok().and_then(|mut file| {
            let stat = FileStat::of_open(&file).ok()?;
            let (hash, bytes) = hash_of(&mut file).ok()?;
            let stat = FileStat {
                length: bytes,
                ..stat
            };
            Some((file, hash, stat))
        });
        let Some((file, hash, stat)) = opened else {
            return Ok(Sight::Nothing);
        };
        if let Some(content) = self.index.content(hash)?.filter(is_current) {
            return Ok(sight(
                key,
                (hash, stat),
                &content.media_type,
                &content.facts,
            ));
        }
        let hint = Hint {
            name: name_of(&path),
            urgency: Urgency::Backlog,
            share: self.share,
        };
        let read = ReadContent::of(self.pool.extract(&file, &hint));
        Ok(sight(key, (hash, stat), &read.media_type, &read.facts))
    }

    /// The stat of a file that may be read.
    fn regular_at(&self, root: &Root, path: &Path) -> Option<FileStat> {
        let limit = self.input_bytes.min(MAX_BYTES);
        let seen = look(&root.path, path).filter(|_| !is_behind_symlink(&root.path, path));
        match seen {
            Some(Seen::File { stat, .. }) => Some(stat).filter(|stat| stat.length <= limit),
            _ => None,
        }
    }
}

impl Plan {
    /// The page alone.
    fn of(key: &FileKey, (hash, stat): (ContentHash, FileStat), asked: Vec<String>) -> Self {
        let page = Page {
            path: key.path.clone(),
            hash,
            stat,
            asked,
            depth: 0,
        };
        Self {
            top: depth_of(&key.path),
            pages: vec![page],
        }
    }

    /// Follows the addresses; none where `see` cannot tell.
    fn follow(
        key: &FileKey,
        page: (ContentHash, FileStat),
        asked: Vec<String>,
        see: &mut dyn FnMut(FileKey) -> Result<Sight, IndexError>,
    ) -> Result<Option<Self>, IndexError> {
        let mut plan = Self::of(key, page, asked);
        let mut at = 0;
        while at < plan.pages.len() {
            for place in plan.asked_by(at) {
                let is_shown = plan.pages.iter().any(|page| page.path == place.path);
                if !is_shown && plan.room() > 0 {
                    let (root, path) = (key.root, place.path);
                    match see(FileKey { root, path })? {
                        Sight::Unproven => return Ok(None),
                        Sight::Page(frame) if frame.stat.length <= plan.room() => {
                            plan.show(at, frame);
                        }
                        Sight::Page(_) | Sight::Nothing => continue,
                    }
                }
                plan.top = plan.top.min(place.top);
            }
            at += 1;
        }
        Ok(Some(plan))
    }

    /// With a page more, that the one of this number asks for.
    fn show(&mut self, asker: usize, frame: Page) {
        let depth = self.pages[asker].depth + 1;
        self.pages.push(Page { depth, ..frame });
    }

    /// Where the addresses of a page lead.
    fn asked_by(&self, at: usize) -> Vec<Place> {
        let page = &self.pages[at];
        let asked = page.asked.iter().filter(|_| page.depth < MAX_DEPTH);
        let folder = folder_of(&page.path);
        asked.filter_map(|address| place(folder, address)).collect()
    }

    /// Bytes that another page may have.
    fn room(&self) -> u64 {
        let taken = self.pages.iter().map(|page| page.stat.length).sum();
        match self.pages.len() < MAX_PAGES {
            true => MAX_BYTES.saturating_sub(taken),
            false => 0,
        }
    }

    fn parts(&self) -> Vec<Part> {
        let part = |page: &Page| Part {
            location: location(&page.path, self.top),
            hash: page.hash,
        };
        self.pages.iter().map(part).collect()
    }

    /// Tells of any change: the beginning of what names the archive.
    fn digest(&self) -> u64 {
        let digest = archive::digest(&self.parts());
        digest[..8]
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Writes the bytes of a page.
    fn copy(&self, root: &Root, at: usize, out: &mut dyn Write) -> io::Result<()> {
        let page = &self.pages[at];
        let path = Path::new(OsStr::from_bytes(&page.path));
        let file = open_regular(&root.path, path).map_err(io::Error::other)?;
        copy(file, page.hash, out)
    }
}

/// Copies bytes that must be those of this hash.
fn copy(from: impl Read, hash: ContentHash, out: &mut dyn Write) -> io::Result<()> {
    let mut hasher = blake3::Hasher::new();
    let mut from = from.take(MAX_BYTES);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer)? {
            0 if *hasher.finalize().as_bytes() == hash.0 => return Ok(()),
            0 => return Err(io::ErrorKind::InvalidData.into()),
            read => {
                hasher.update(&buffer[..read]);
                out.write_all(&buffer[..read])?;
            }
        }
    }
}

fn sight(
    key: FileKey,
    (hash, stat): (ContentHash, FileStat),
    media_type: &str,
    facts: &[(String, String)],
) -> Sight {
    if media_type != PAGE {
        return Sight::Nothing;
    }
    Sight::Page(Page {
        path: key.path,
        hash,
        stat,
        asked: asked_in(media_type, facts),
        depth: 0,
    })
}

/// Whether what is on record is what reading would give.
fn is_current(content: &ContentRecord) -> bool {
    content.extractor >= EXTRACTOR_VERSION
}

fn path_of(root: &Root, key: &FileKey) -> PathBuf {
    root.path.join(OsStr::from_bytes(&key.path))
}
