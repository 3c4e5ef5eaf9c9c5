//! Files inside a file: each is hashed, looked up and extracted like a file on disk, at any depth.
//!
//! A container is read as a unit. A large one is recorded in parts, and its own record says that it is unread until
//! the last part is recorded. A content's members are read once: another file with the same bytes gets copies of the
//! members of a file that is complete. The limits here are those of the whole tree under one file; limits on what one
//! container may unpack to are enforced by the worker.

mod allowance;
mod names;
mod tree;

use std::time::Duration;

use simdex_extract::Member;
use simdex_index::{IndexError, SeenFile};
use simdex_schema::{ContentHash, FileKey};

use self::tree::MemberTree;
use super::content_processor::ContentProcessor;
use super::records::Records;
use crate::config::ExtractConfig;

/// Limits of unpacking one file, including nested containers.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLimits {
    /// Number of all members.
    members: usize,
    /// Bytes of all members.
    bytes: u64,
    /// Depth of nested containers.
    nesting: usize,
    /// Time at workers after which the rest is postponed.
    time: Duration,
}

impl TreeLimits {
    /// The configured limits.
    pub(super) fn of(limits: &ExtractConfig) -> Self {
        Self {
            members: limits.container_entries as usize,
            bytes: limits.container_mib.bytes(),
            nesting: limits.container_nesting as usize,
            time: Duration::from_secs(limits.container_seconds),
        }
    }
}

/// Reads the members of files.
pub(super) struct Unpacker<'a> {
    pub(super) records: Records<'a>,
    pub(super) processor: &'a ContentProcessor<'a>,
    pub(super) limits: TreeLimits,
}

impl Unpacker<'_> {
    /// Reads the members of a content held by the file `container`, and their members in turn.
    pub(super) fn unpack(
        &self,
        container: &FileKey,
        content: ContentHash,
        members: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        MemberTree::new(self, content).into_files(container, members)
    }
}

#[cfg(test)]
mod tests;
