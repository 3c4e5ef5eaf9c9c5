//! Which pages are shown together, and the archive that contains them; independent of whether a
//! share or a container provides the files.

use std::collections::HashSet;
use std::io::{self, Read, Write};

use simdex_extract::{Member, MemberBytes, Role, SpoolBudget};
use simdex_index::IndexError;
use simdex_schema::file::folder_of;
use simdex_schema::{ContentHash, FileStat};

use super::RENDERED_NAME;
use super::address::{ResolvedPath, depth_of, location, resolve};
use super::archive::{self, ArchivedPage};

/// Most pages that are combined, including the page itself.
const MAX_PAGES: usize = 64;
/// Frames of frames are followed to this depth.
const MAX_DEPTH: usize = 4;
/// Most bytes of all pages together.
pub(super) const MAX_BYTES: u64 = 32 << 20;

/// A page that is shown, or a frame of it.
pub(super) struct Page {
    /// Path below the root, or in the container.
    pub(super) path: Vec<u8>,
    pub(super) hash: ContentHash,
    stat: FileStat,
    /// Addresses of the frames that it asks for.
    frame_addresses: Vec<String>,
    depth: usize,
}

impl Page {
    pub(super) fn new(
        path: Vec<u8>,
        (hash, stat): (ContentHash, FileStat),
        frame_addresses: Vec<String>,
    ) -> Self {
        Self {
            path,
            hash,
            stat,
            frame_addresses,
            depth: 0,
        }
    }
}

/// The result of looking a path up.
pub(super) enum PathLookup {
    /// A page, which may ask for frames of its own.
    Page(Page),
    /// A file that is not a page; its length in bytes.
    NotHtml(u64),
    /// Nothing that may be read.
    Nothing,
    /// The record of the file proves nothing.
    Unproven,
}

/// Pages in the order in which they are referred to; the first leads to all others.
pub(super) struct Plan {
    pages: Vec<Page>,
    /// Number of folders, below the root, of the folder that contains all addresses.
    top: usize,
    /// Paths looked up without result; none is looked up twice.
    passed: HashSet<Vec<u8>>,
    /// Bytes of the files at those paths.
    passed_bytes: u64,
}

impl Plan {
    /// Follows the addresses, starting at a page; `None` if `see` cannot classify a path.
    pub(super) fn follow(
        page: Page,
        see: &mut dyn FnMut(Vec<u8>) -> Result<PathLookup, IndexError>,
    ) -> Result<Option<Self>, IndexError> {
        let mut plan = Self {
            top: depth_of(&page.path),
            pages: vec![page],
            passed: HashSet::new(),
            passed_bytes: 0,
        };
        let mut at = 0;
        while at < plan.pages.len() {
            for place in plan.frame_paths(at) {
                if plan.may_look_at(&place.path) {
                    match see(place.path.clone())? {
                        PathLookup::Unproven => return Ok(None),
                        PathLookup::Page(frame) if frame.stat.length <= plan.room() => {
                            plan.show(at, frame);
                        }
                        PathLookup::Page(frame) => plan.pass(&place.path, frame.stat.length),
                        PathLookup::NotHtml(bytes) => plan.pass(&place.path, bytes),
                        PathLookup::Nothing => plan.pass(&place.path, 0),
                    }
                }
                if plan.shows(&place.path) {
                    plan.top = plan.top.min(place.top);
                }
            }
            at += 1;
        }
        Ok(Some(plan))
    }

    /// Whether a path should still be looked up: shown and passed paths are known, and what is read
    /// without result has the same bounds as what is shown.
    fn may_look_at(&self, path: &[u8]) -> bool {
        let is_known = self.shows(path) || self.passed.contains(path);
        !is_known && self.room() > 0 && self.passed_bytes < MAX_BYTES
    }

    fn shows(&self, path: &[u8]) -> bool {
        self.pages.iter().any(|page| page.path == path)
    }

    fn pass(&mut self, path: &[u8], bytes: u64) {
        self.passed.insert(path.to_vec());
        self.passed_bytes += bytes;
    }

    /// Whether more than the page alone is shown.
    pub(super) fn shows_frames(&self) -> bool {
        self.pages.len() > 1
    }

    /// The archive, a member of the page; `copy` writes the bytes of the page with the given number.
    ///
    /// # Errors
    /// Errors of `copy`, or if the archive cannot be kept in `space`.
    pub(super) fn put_together(
        &self,
        space: &SpoolBudget,
        copy: &mut dyn FnMut(usize, &Page, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Member> {
        let bytes = MemberBytes::written_in(space, |out| {
            archive::write(&self.parts(), out, &mut |at, out| {
                copy(at, &self.pages[at], out)
            })
        })?;
        Ok(Member {
            name: RENDERED_NAME.to_owned(),
            role: Role::Rendered,
            modified: self.pages.iter().map(|page| page.stat.mtime.seconds).max(),
            body: Ok(bytes),
        })
    }

    /// Adds a page that the page with the number `asker` refers to.
    fn show(&mut self, asker: usize, frame: Page) {
        let depth = self.pages[asker].depth + 1;
        self.pages.push(Page { depth, ..frame });
    }

    /// The paths that the addresses of a page resolve to.
    fn frame_paths(&self, at: usize) -> Vec<ResolvedPath> {
        let page = &self.pages[at];
        let frame_addresses = page
            .frame_addresses
            .iter()
            .filter(|_| page.depth < MAX_DEPTH);
        let folder = folder_of(&page.path);
        frame_addresses
            .filter_map(|address| resolve(folder, address))
            .collect()
    }

    /// Bytes of all pages.
    pub(super) fn bytes(&self) -> u64 {
        self.pages.iter().map(|page| page.stat.length).sum()
    }

    /// Bytes that a further page may have.
    fn room(&self) -> u64 {
        match self.pages.len() < MAX_PAGES {
            true => MAX_BYTES.saturating_sub(self.bytes()),
            false => 0,
        }
    }

    fn parts(&self) -> Vec<ArchivedPage> {
        let part = |page: &Page| ArchivedPage {
            location: location(&page.path, self.top),
            hash: page.hash,
        };
        self.pages.iter().map(part).collect()
    }

    /// Changes with any of the pages: the first bytes of the hash that identifies the archive.
    pub(super) fn digest(&self) -> u64 {
        let digest = archive::digest(&self.parts());
        digest[..8]
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// Copies bytes that must be those of this hash.
pub(super) fn copy(from: impl Read, hash: ContentHash, out: &mut dyn Write) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, length: u64, frame_addresses: &[&str]) -> Page {
        let stat = FileStat {
            length,
            ..FileStat::default()
        };
        let frame_addresses = frame_addresses.iter().map(|address| (*address).to_owned());
        Page::new(
            path.into(),
            (ContentHash([1; 32]), stat),
            frame_addresses.collect(),
        )
    }

    /// The plan of a page, and the number of look-ups.
    fn follow(first: Page, see: impl Fn(&str) -> PathLookup) -> (Plan, usize) {
        let mut looks = 0;
        let plan = Plan::follow(first, &mut |path| {
            looks += 1;
            Ok(see(std::str::from_utf8(&path).unwrap_or_default()))
        });
        (plan.ok().flatten().expect("a plan"), looks)
    }

    #[test]
    fn pages_that_ask_for_one_another_look_at_every_path_once() {
        let frame_addresses = ["a.html", "b.html", "none.html", "image.png"];
        let (plan, looks) = follow(page("x.html", 9, &frame_addresses), |path| match path {
            "a.html" | "b.html" => PathLookup::Page(page(path, 9, &frame_addresses)),
            "image.png" => PathLookup::NotHtml(9),
            _ => PathLookup::Nothing,
        });
        assert_eq!((plan.pages.len(), looks), (3, 4));
    }

    #[test]
    fn what_is_read_in_vain_is_bounded() {
        let names: Vec<String> = (0..40).map(|at| format!("{at}.bin")).collect();
        let frame_addresses: Vec<&str> = names.iter().map(String::as_str).collect();
        let (plan, looks) = follow(page("x.html", 9, &frame_addresses), |_| {
            PathLookup::NotHtml(MAX_BYTES / 4)
        });
        assert_eq!((plan.pages.len(), looks), (1, 4));
    }

    #[test]
    fn pages_are_bounded_in_number_and_length() {
        let names: Vec<String> = (0..100).map(|at| format!("{at}.html")).collect();
        let frame_addresses: Vec<&str> = names.iter().map(String::as_str).collect();
        let (plan, _) = follow(page("x.html", 9, &frame_addresses), |path| {
            PathLookup::Page(page(path, 9, &[]))
        });
        assert_eq!(plan.pages.len(), MAX_PAGES);
        let (plan, looks) = follow(page("x.html", 9, &frame_addresses), |path| {
            PathLookup::Page(page(path, MAX_BYTES / 2 + 1, &[]))
        });
        assert_eq!((plan.pages.len(), looks), (2, 3));
    }
}
