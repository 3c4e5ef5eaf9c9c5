//! The reference to a text, kept in a document's record.

use super::block::{BlockPosition, HEADER_LEN};

/// The position of one text. Opaque to callers, who store its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextRef {
    /// Number of the segment file, from 1.
    pub segment: u32,
    /// Offset of the block's header in the segment, in bytes.
    pub offset: u64,
    /// Length of the compressed block without its header, in bytes.
    pub block_len: u32,
    /// Where the text begins in the decompressed block, in bytes.
    pub start: u32,
    /// Length of the text, in bytes of UTF-8.
    pub len: u32,
    /// [`checksum`] of the text, compared whenever it is read; `None` in references of format 1 and 2.
    pub checksum: Option<[u8; 16]>,
}

/// The checksum in a reference: the first 16 bytes of BLAKE3. Lengths and positions may agree by chance if a text
/// directory was restored or exchanged; this does not.
pub fn checksum(text: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text).as_bytes()[..16]);
    short
}

impl TextRef {
    /// Length of the stored form in bytes.
    pub const LEN: usize = 40;
    /// Length of the form without a checksum, which is read but no longer written.
    const UNCHECKED_LEN: usize = 24;

    /// The stored form, all numbers little-endian:
    ///
    /// | bytes  | field       |
    /// |--------|-------------|
    /// | 0..4   | `segment`   |
    /// | 4..12  | `offset`    |
    /// | 12..16 | `block_len` |
    /// | 16..20 | `start`     |
    /// | 20..24 | `len`       |
    /// | 24..40 | `checksum`  |
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::LEN);
        bytes.extend_from_slice(&self.segment.to_le_bytes());
        bytes.extend_from_slice(&self.offset.to_le_bytes());
        bytes.extend_from_slice(&self.block_len.to_le_bytes());
        bytes.extend_from_slice(&self.start.to_le_bytes());
        bytes.extend_from_slice(&self.len.to_le_bytes());
        bytes.extend(self.checksum.into_iter().flatten());
        bytes
    }

    /// Reads the stored form; `None` if `bytes` has another length. Only reading the text shows whether it exists.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (position, rest) = bytes.split_first_chunk::<{ Self::UNCHECKED_LEN }>()?;
        let checksum = match rest {
            [] => None,
            _ => Some(rest.try_into().ok()?),
        };
        let (segment, rest) = position.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (block_len, rest) = rest.split_first_chunk()?;
        let (start, rest) = rest.split_first_chunk()?;
        let (len, _) = rest.split_first_chunk()?;
        Some(Self {
            segment: u32::from_le_bytes(*segment),
            offset: u64::from_le_bytes(*offset),
            block_len: u32::from_le_bytes(*block_len),
            start: u32::from_le_bytes(*start),
            len: u32::from_le_bytes(*len),
            checksum,
        })
    }

    pub(super) fn position(&self) -> BlockPosition {
        BlockPosition {
            segment: self.segment,
            offset: self.offset,
        }
    }

    /// Where the block ends in its segment; `None` if no file is that long.
    pub(crate) fn block_end(&self) -> Option<u64> {
        let len = HEADER_LEN as u64 + u64::from(self.block_len);
        self.offset.checked_add(len)
    }
}
