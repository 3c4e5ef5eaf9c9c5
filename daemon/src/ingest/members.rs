//! Files inside a file: each is hashed, looked up and read like a file on disk, at any depth.
//!
//! A container is read as one whole. Where it is a great one it is recorded in parts, and its own
//! record says that it is not read until the last is there. What a content holds is read once:
//! another file with the same bytes gets the same members from one that is whole.
//! The bounds here are those of the whole tree under one file; what one container may unpack to is
//! for the worker to keep.

mod pages;
mod tree;

pub use tree::state_of as state_of_unread;

use std::time::Duration;

use simdex_extract::Member;
use simdex_index::{IndexError, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, State};

use self::tree::Tree;
use super::Ingest;
use crate::config::ExtractConfig;

/// The fact that says how many files a content holds.
pub(super) const COUNT: &str = "members";

/// What unpacking one file may cost, containers within containers included.
#[derive(Clone, Copy, Debug)]
pub struct TreeLimits {
    /// Members in all.
    pub entries: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Containers within containers.
    pub nesting: usize,
    /// Time after which nothing more is unpacked.
    pub time: Duration,
}

impl TreeLimits {
    /// As configured.
    pub(super) fn of(limits: &ExtractConfig) -> Self {
        Self {
            entries: limits.container_entries as usize,
            bytes: limits.container_mib.bytes(),
            nesting: limits.container_nesting as usize,
            time: Duration::from_secs(limits.container_seconds),
        }
    }
}

impl Ingest<'_> {
    /// Whether some member of a file is still to be read, or lost its text, or may not be on record.
    pub(super) fn members_wait(&self, container: &FileKey) -> Result<bool, IndexError> {
        if self.whole(container)?.is_none() {
            return Ok(true);
        }
        let members = self.index.members(container)?;
        for (_, record) in &members {
            let waits = match &record.outcome {
                FileOutcome::Unread(state, _) => *state == State::Unstable,
                FileOutcome::Content(hash) => self
                    .index
                    .content(*hash)?
                    .is_none_or(|content| self.deserves_another_try(&content)),
            };
            if waits {
                return Ok(true);
            }
        }
        Ok(members.is_empty())
    }

    /// The record of the file on disk that a container is or lies in; none while that is not read:
    /// of what it holds, some may be on record and some not yet.
    fn whole(&self, container: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        let on_disk = self.index.file(&container.on_disk())?;
        Ok(on_disk.filter(|record| record.content().is_some()))
    }

    /// The members of another file of the same content, as members of this one. None where that file
    /// changes meanwhile, or is not whole: what was found may be a part.
    pub(super) fn copied(
        &self,
        from: &FileKey,
        to: &FileKey,
    ) -> Result<Option<Vec<SeenFile>>, IndexError> {
        let before = self.whole(from)?;
        let members = self.index.members(from)?.into_iter();
        let moved = members.map(|(key, record)| moved(&key, record, from, to));
        let moved = moved.collect();
        let is_whole = before.is_some() && before == self.whole(from)?;
        Ok(is_whole.then_some(moved))
    }

    /// Reads the members of a content that a file holds, and what they hold in turn.
    pub(super) fn unpack(
        &self,
        container: &FileKey,
        content: ContentHash,
        members: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        Tree::below(self, content).unpacked(container, members)
    }
}

fn moved(key: &FileKey, record: FileRecord, from: &FileKey, to: &FileKey) -> SeenFile {
    let path = [&to.path[..], &key.path[from.path.len()..]].concat();
    SeenFile {
        key: FileKey {
            root: to.root,
            path,
        },
        record,
        content: None,
    }
}
