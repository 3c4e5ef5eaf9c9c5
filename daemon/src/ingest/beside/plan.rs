//! Which pages are shown together, and the archive that holds them: whatever tells what there is at
//! an address, a share or a container.

use std::io::{self, Read, Write};
use std::path::Path;

use simdex_extract::{Member, MemberBytes, Role};
use simdex_index::IndexError;
use simdex_schema::{ContentHash, FileStat};

use super::NAME;
use super::address::{Place, depth_of, folder_of, location, place};
use super::archive::{self, Part};

/// Pages that are put together at most, the page itself among them.
const MAX_PAGES: usize = 64;
/// Frames of frames are followed so deep.
const MAX_DEPTH: usize = 4;
/// Bytes of all of them.
pub(super) const MAX_BYTES: u64 = 32 << 20;

/// A page that is shown, or a frame of it.
pub(in crate::ingest) struct Page {
    /// Below the root.
    pub(in crate::ingest) path: Vec<u8>,
    pub(in crate::ingest) hash: ContentHash,
    stat: FileStat,
    /// Addresses.
    asked: Vec<String>,
    depth: usize,
}

impl Page {
    pub(in crate::ingest) fn new(
        path: Vec<u8>,
        (hash, stat): (ContentHash, FileStat),
        asked: Vec<String>,
    ) -> Self {
        Self {
            path,
            hash,
            stat,
            asked,
            depth: 0,
        }
    }
}

/// What there is at an address.
pub(in crate::ingest) enum Sight {
    /// A page.
    Page(Page),
    /// Nothing, or no page.
    Nothing,
    /// What is on record of it proves nothing.
    Unproven,
}

/// Pages in the order in which they are asked for, the first asks for all others.
pub(in crate::ingest) struct Plan {
    pages: Vec<Page>,
    /// Folders below the root of the one that all addresses stay in.
    top: usize,
}

impl Plan {
    /// Follows the addresses from a page on; none where `see` cannot tell what lies at a path.
    pub(in crate::ingest) fn follow(
        page: Page,
        see: &mut dyn FnMut(Vec<u8>) -> Result<Sight, IndexError>,
    ) -> Result<Option<Self>, IndexError> {
        let mut plan = Self {
            top: depth_of(&page.path),
            pages: vec![page],
        };
        let mut at = 0;
        while at < plan.pages.len() {
            for place in plan.asked_by(at) {
                let is_shown = plan.pages.iter().any(|page| page.path == place.path);
                if !is_shown && plan.room() > 0 {
                    match see(place.path)? {
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

    /// Whether anything is shown but the page alone.
    pub(in crate::ingest) fn shows_frames(&self) -> bool {
        self.pages.len() > 1
    }

    /// The archive, a member of the page; `copy` writes the bytes of the page of that number.
    ///
    /// # Errors
    /// Those of `copy`, and when the archive cannot be kept in `spool`.
    pub(in crate::ingest) fn put_together(
        &self,
        spool: &Path,
        copy: &mut dyn FnMut(usize, &Page, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Member> {
        let bytes = MemberBytes::written_in(spool, |out| {
            archive::write(&self.parts(), out, &mut |at, out| {
                copy(at, &self.pages[at], out)
            })
        })?;
        Ok(Member {
            name: NAME.to_owned(),
            role: Role::Rendered,
            modified: self.pages.iter().map(|page| page.stat.mtime.seconds).max(),
            body: Ok(bytes),
        })
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

    /// Bytes of all pages.
    pub(in crate::ingest) fn bytes(&self) -> u64 {
        self.pages.iter().map(|page| page.stat.length).sum()
    }

    /// Bytes that another page may have.
    fn room(&self) -> u64 {
        match self.pages.len() < MAX_PAGES {
            true => MAX_BYTES.saturating_sub(self.bytes()),
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
    pub(super) fn digest(&self) -> u64 {
        let digest = archive::digest(&self.parts());
        digest[..8]
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// Copies bytes that must be those of this hash.
pub(in crate::ingest) fn copy(
    from: impl Read,
    hash: ContentHash,
    out: &mut dyn Write,
) -> io::Result<()> {
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
