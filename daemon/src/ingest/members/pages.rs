//! Pages of a container as they are shown: their frames are members of the same container.
//!
//! Unlike on a share, what lies beside such a page cannot change without its container, so the page
//! as shown is on record exactly as long as the container is.

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use simdex_extract::{Member, MemberBytes, Reason, Role, SpoolSpace};
use simdex_index::IndexError;
use simdex_schema::{ContentHash, FileKey, FileStat, State};

use super::tree::{Read, Refused, Tree, stat};
use crate::ingest::beside::NAME;
use crate::ingest::beside::address::parts;
use crate::ingest::beside::plan::{Page, PathLookup, Plan, copy};

/// The pages directly in one container, by path in it.
#[derive(Default)]
pub(super) struct Pages(BTreeMap<Vec<u8>, MemberPage>);

/// A page among the members.
struct MemberPage {
    key: FileKey,
    hash: ContentHash,
    stat: FileStat,
    bytes: MemberBytes,
    asked: Vec<String>,
}

impl Pages {
    /// Keeps a member in mind that is a page; of several at one path the first.
    pub(super) fn note(&mut self, key: &FileKey, member: &Member, read: &Result<Read, Refused>) {
        let (Ok(read), Ok(bytes)) = (read, &member.body) else {
            return;
        };
        let Some(asked) = &read.asked else {
            return;
        };
        self.0
            .entry(plain(key.name()))
            .or_insert_with(|| MemberPage {
                key: key.clone(),
                hash: read.hash,
                stat: stat(member),
                bytes: bytes.clone(),
                asked: asked.clone(),
            });
    }

    fn see(&self, path: &[u8]) -> Option<Page> {
        let found = self.0.get(path)?;
        let seen = (found.hash, found.stat);
        Some(Page::new(path.to_vec(), seen, found.asked.clone()))
    }

    /// What the page at `path` is shown with, if anything.
    fn plan(&self, path: &[u8]) -> Result<Option<Plan>, IndexError> {
        let Some(page) = self.see(path) else {
            return Ok(None);
        };
        let plan = Plan::follow(page, &mut |path| {
            Ok(self
                .see(&path)
                .map_or(PathLookup::Nothing, PathLookup::Page))
        })?;
        Ok(plan.filter(Plan::shows_frames))
    }

    /// Puts page and frames together.
    fn put_together(&self, plan: &Plan, space: &SpoolSpace) -> io::Result<Member> {
        plan.put_together(space, &mut |_, page, out| {
            let found = self.0.get(&page.path).ok_or(io::ErrorKind::NotFound)?;
            copy(found.bytes.reader(), page.hash, out)
        })
    }
}

impl Tree<'_> {
    /// Adds to each page of a container what it is shown with.
    pub(super) fn show(&mut self, pages: &Pages) -> Result<(), IndexError> {
        for (path, page) in pages.0.iter().filter(|(_, page)| !page.asked.is_empty()) {
            let Some(plan) = pages.plan(path)? else {
                continue;
            };
            self.open.push(page.hash);
            match self.put_together(pages, &plan) {
                Ok(shown) => self.unpack(&page.key, vec![shown])?,
                Err(refused) => {
                    let key = page.key.member(NAME.as_bytes());
                    self.record(key, &unread(), 0, Err(refused))?;
                }
            }
            self.open.pop();
        }
        Ok(())
    }

    fn put_together(&mut self, pages: &Pages, plan: &Plan) -> Result<Member, Refused> {
        if Instant::now() >= self.until {
            return Err((State::TimedOut, "wall-limit"));
        }
        self.fits(1, plan.bytes())?;
        self.bytes -= plan.bytes();
        let shown = pages.put_together(plan, self.ingest.pool.space());
        shown.map_err(|_| (State::Unstable, "read-error"))
    }
}

/// What stands for a page that could not be put together.
fn unread() -> Member {
    Member {
        name: NAME.to_owned(),
        role: Role::Rendered,
        modified: None,
        body: Err(Reason::ReadError),
    }
}

/// A path without the empty and the `.` parts that archives write.
fn plain(path: &[u8]) -> Vec<u8> {
    parts(path).collect::<Vec<_>>().join(&b'/')
}
