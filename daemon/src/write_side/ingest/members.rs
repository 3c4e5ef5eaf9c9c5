//! Files inside a file: each is hashed, looked up and extracted like a file on disk, at any depth.
//!
//! A container is read as one whole. Where it is a great one it is recorded in parts, and its own
//! record says that it is not read until the last is there. What a content holds is read once:
//! another file with the same bytes gets the same members from one that is whole.
//! The bounds here are those of the whole tree under one file; what one container may unpack to is
//! for the worker to keep.

mod names;
mod tree;

use std::time::Duration;

use simdex_extract::Member;
use simdex_index::{IndexError, SeenFile};
use simdex_schema::{ContentHash, FileKey};

use self::tree::Tree;
use super::extract::Extractor;
use super::records::Records;
use crate::config::ExtractConfig;

/// Limits of unpacking one file, containers within containers included.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLimits {
    /// Members in all.
    entries: usize,
    /// Bytes of all of them.
    bytes: u64,
    /// Containers within containers.
    nesting: usize,
    /// Time at workers after which the rest is put off.
    time: Duration,
}

impl TreeLimits {
    /// The limits that are configured.
    pub(super) fn of(limits: &ExtractConfig) -> Self {
        Self {
            entries: limits.container_entries as usize,
            bytes: limits.container_mib.bytes(),
            nesting: limits.container_nesting as usize,
            time: Duration::from_secs(limits.container_seconds),
        }
    }
}

/// Reads the members of files.
pub(super) struct Unpacker<'a> {
    pub(super) records: Records<'a>,
    pub(super) extractor: &'a Extractor<'a>,
    pub(super) limits: TreeLimits,
}

impl Unpacker<'_> {
    /// Reads the members of a content that the file `container` holds, and what they hold in turn.
    pub(super) fn unpack(
        &self,
        container: &FileKey,
        content: ContentHash,
        members: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        Tree::new(self, content).into_files(container, members)
    }
}

#[cfg(test)]
mod tests;
