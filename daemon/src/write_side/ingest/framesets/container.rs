//! Pages of a container, rendered with frames that are members of the same container.
//!
//! Unlike on a share, the files beside such a page cannot change without its container, so the
//! rendered page is on record exactly as long as the container is.

use std::collections::BTreeMap;
use std::io;

use simdex_extract::{Member, MemberBytes, SpoolBudget};
use simdex_index::IndexError;
use simdex_schema::{ContentHash, FileKey, FileStat};

use super::address::parts;
use super::plan::{Page, PathLookup, Plan, copy};

/// The pages directly in one container, by their path in it.
#[derive(Default)]
pub(in crate::write_side::ingest) struct ContainerPages(BTreeMap<Vec<u8>, MemberPage>);

/// A page among the members.
struct MemberPage {
    key: FileKey,
    hash: ContentHash,
    stat: FileStat,
    bytes: MemberBytes,
    frame_addresses: Vec<String>,
}

/// A page that has frames, with its plan.
pub(in crate::write_side::ingest) struct FramedPage<'a> {
    pages: &'a ContainerPages,
    plan: Plan,
    /// Key of the page, as a member of the container.
    pub(in crate::write_side::ingest) key: &'a FileKey,
    /// Content of the page itself, without its frames.
    pub(in crate::write_side::ingest) hash: ContentHash,
}

impl ContainerPages {
    /// Adds a member that is a page and asks for these frames; the first of several at one path counts.
    pub(in crate::write_side::ingest) fn add(
        &mut self,
        key: &FileKey,
        (hash, stat): (ContentHash, FileStat),
        bytes: &MemberBytes,
        frame_addresses: &[String],
    ) {
        let path = parts(key.name()).collect::<Vec<_>>().join(&b'/');
        self.0.entry(path).or_insert_with(|| MemberPage {
            key: key.clone(),
            hash,
            stat,
            bytes: bytes.clone(),
            frame_addresses: frame_addresses.to_vec(),
        });
    }

    /// The pages that have frames here, planned one at a time.
    pub(in crate::write_side::ingest) fn framed(
        &self,
    ) -> impl Iterator<Item = Result<FramedPage<'_>, IndexError>> {
        let asking = self
            .0
            .iter()
            .filter(|(_, page)| !page.frame_addresses.is_empty());
        asking.filter_map(|(path, page)| {
            let framed = |plan| FramedPage {
                pages: self,
                plan,
                key: &page.key,
                hash: page.hash,
            };
            self.plan(path).map(|plan| plan.map(framed)).transpose()
        })
    }

    /// The plan for rendering the page at `path`, if it has frames.
    fn plan(&self, path: &[u8]) -> Result<Option<Plan>, IndexError> {
        let Some(page) = self.page(path) else {
            return Ok(None);
        };
        let plan = Plan::follow(page, &mut |path| {
            let page = self.page(&path);
            Ok(page.map_or(PathLookup::Nothing, PathLookup::Page))
        })?;
        Ok(plan.filter(Plan::shows_frames))
    }

    fn page(&self, path: &[u8]) -> Option<Page> {
        let found = self.0.get(path)?;
        let seen = (found.hash, found.stat);
        Some(Page::new(
            path.to_vec(),
            seen,
            found.frame_addresses.clone(),
        ))
    }
}

impl FramedPage<'_> {
    /// Bytes of the page and its frames.
    pub(in crate::write_side::ingest) fn bytes(&self) -> u64 {
        self.plan.bytes()
    }

    /// The archive of page and frames.
    ///
    /// # Errors
    /// If a member cannot be read, or the archive cannot be kept in `space`.
    pub(in crate::write_side::ingest) fn put_together(
        &self,
        space: &SpoolBudget,
    ) -> io::Result<Member> {
        self.plan.put_together(space, &mut |_, page, out| {
            let found = self.pages.0.get(&page.path);
            let found = found.ok_or(io::ErrorKind::NotFound)?;
            copy(found.bytes.reader(), page.hash, out)
        })
    }
}
