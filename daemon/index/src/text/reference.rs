//! Where a text lies: the reference kept in a document's record.

/// The place of one text. Opaque to callers, who store its bytes.
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
}

impl TextRef {
    /// Length of the stored form in bytes.
    pub const LEN: usize = 24;

    /// The stored form, all numbers little-endian:
    ///
    /// | bytes  | field       |
    /// |--------|-------------|
    /// | 0..4   | `segment`   |
    /// | 4..12  | `offset`    |
    /// | 12..16 | `block_len` |
    /// | 16..20 | `start`     |
    /// | 20..24 | `len`       |
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[0..4].copy_from_slice(&self.segment.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.block_len.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.start.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.len.to_le_bytes());
        bytes
    }

    /// Reads the stored form; `None` if `bytes` is not [`TextRef::LEN`] long. Whether anything
    /// lies there shows on reading.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (segment, rest) = bytes.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (block_len, rest) = rest.split_first_chunk()?;
        let (start, rest) = rest.split_first_chunk()?;
        let (len, rest) = rest.split_first_chunk()?;
        rest.is_empty().then_some(Self {
            segment: u32::from_le_bytes(*segment),
            offset: u64::from_le_bytes(*offset),
            block_len: u32::from_le_bytes(*block_len),
            start: u32::from_le_bytes(*start),
            len: u32::from_le_bytes(*len),
        })
    }
}
