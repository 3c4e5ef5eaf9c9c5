//! Extracted text in append-only segment files outside sled, whose leaves and open time suffer from large values.
//!
//! A batch of texts is packed into blocks of up to 64 KiB, so that short texts compress together;
//! a longer text has a block of its own. Blocks are compressed with zstd, checksummed and appended
//! to the current segment. A [`TextRef`] in a document's record says where its text lies.
//!
//! Order of a commit: [`TextStore::append`] and the records, [`TextStore::sync`], then the commit of
//! the records. So no committed record points to text that a power cut took. A record that was written and not
//! committed may point to such a text. It is found missing when the store opens, and never mistaken for another, as
//! every start appends to a new segment and a torn tail is never overwritten.
//!
//! The directory may be removed, exchanged or restored by people. So the checksum of a block covers the id of its store
//! and its position, a reference has a checksum of its text, segment numbers are never reused, and a segment that
//! vanishes while it is written is abandoned for a new one.
//!
//! Dead texts are dropped by segment: [`TextStore::segments`] tells the live share,
//! [`TextStore::compact`] copies what lives, and after the caller has committed the new references
//! [`TextStore::remove_segment`] deletes the file.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use self::block::BlockPosition;
use crate::aside;
use crate::io_error::is_lost;

mod block;
mod pack;
mod reader;
mod reference;
mod segment;
mod store;
mod writer;

#[cfg(test)]
mod tests;

pub use reader::TextWork;
pub use reference::{TextRef, checksum};
pub use store::{BlockHead, CompactedSegment, SegmentUsage, TextStore};

/// Texts are packed into one block up to this many bytes.
pub const BLOCK_BYTES: usize = 64 << 10;

/// A new segment begins once the current one has reached this length, in bytes.
pub const SEGMENT_BYTES: u64 = 64 << 20;

/// Longest text accepted, in bytes; also bounds what a reader allocates.
pub const MAX_TEXT: usize = 256 << 20;

/// What can go wrong with stored text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The text is longer than [`MAX_TEXT`].
    #[error("text of {len} bytes exceeds {MAX_TEXT}")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// The data at this position is not the block that was written there.
    #[error("corrupt text in segment {segment} at {offset}: {reason}")]
    Corrupt {
        /// Number of the segment.
        segment: u32,
        /// Offset of the block in bytes.
        offset: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The segment a reference names does not exist.
    #[error("no text segment {segment}")]
    NoSegment {
        /// Number of the segment.
        segment: u32,
    },
    /// A reference given as live in one segment points to another.
    #[error("reference to segment {found} in the compaction of segment {expected}")]
    WrongSegment {
        /// The segment being compacted.
        expected: u32,
        /// The segment of the reference.
        found: u32,
    },
    /// An fsync failed: what was appended since the last sync may be lost even if a later fsync succeeds, so the store
    /// accepts nothing more until it is opened again.
    #[error("an earlier sync of the texts failed")]
    SyncFailed,
    /// All 2³² segment numbers are used up.
    #[error("no segment numbers left")]
    Exhausted,
    /// The operating system refused an operation on a file.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, e.g. `open`.
        action: &'static str,
        /// The file or directory concerned.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl TextError {
    fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// The error for a failed read at a position: either the data there is lost, or it cannot be read now.
    fn reading(
        action: &'static str,
        dir: &Path,
        position: BlockPosition,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = segment::path(dir, position.segment);
        move |source| match source.kind() {
            ErrorKind::NotFound => Self::NoSegment {
                segment: position.segment,
            },
            ErrorKind::UnexpectedEof => position.corrupt("the segment was cut short"),
            _ if is_lost(&source) => {
                tracing::error!(path = %path.display(), offset = position.offset, %source, "reading a stored text failed");
                position.corrupt("the disk does not read it")
            }
            _ => Self::io(action, path)(source),
        }
    }
}

/// Sets all texts in `dir` aside, under the number of the store that was set aside last or the next one; returns their
/// new path. `None` if there are no texts.
pub(crate) fn set_aside(dir: &Path) -> Result<Option<PathBuf>, TextError> {
    if segment::list(dir)?.is_empty() {
        return Ok(None);
    }
    let moved = aside::last_number(dir).and_then(|last| {
        let is_taken = last == 0 || aside::path(dir, last).symlink_metadata().is_ok();
        aside::set_aside(dir, last + u32::from(is_taken))
    });
    moved.map(Some).map_err(TextError::io("rename", dir))
}

/// A block as formats 1 and 2 wrote it, for tests of reading old formats.
#[cfg(test)]
pub(crate) fn block_of_format_2(segment: u32, offset: u64, raw: &[u8]) -> Vec<u8> {
    block::encode_unbound(block::BlockPosition { segment, offset }, raw)
}
