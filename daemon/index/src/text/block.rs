//! One block of a segment: header and compressed texts.
//!
//! | bytes  | content                                                          |
//! |--------|------------------------------------------------------------------|
//! | 0..4   | `SXTB`                                                           |
//! | 4..6   | version, 2, little-endian as all numbers here                    |
//! | 6..8   | zero                                                             |
//! | 8..12  | length of the texts, decompressed                                |
//! | 12..16 | length of what follows the header, *n*                           |
//! | 16..32 | checksum                                                         |
//! | 32..   | *n* bytes: one zstd frame with the texts one after another       |
//!
//! The checksum is the first 16 bytes of BLAKE3 over the store's id (16 bytes), segment number (4), offset of the block
//! (8), header bytes 0..16 and the compressed bytes. It covers store and position, so that a block of another data
//! directory, or one at a wrong position, is noticed. It is verified before anything is decompressed. Version 1 leaves
//! the store out and is still read.

use std::cell::RefCell;

use simdex_schema::StoreId;
use zstd::bulk::Decompressor;

use super::{MAX_TEXT, TextError};

/// Bytes of a block's header.
pub(super) const HEADER_LEN: usize = 32;

/// A zstd frame is at most this much longer than its content (`ZSTD_COMPRESSBOUND` is less).
const MAX_EXPANSION: usize = (MAX_TEXT >> 8) + 1024;

const MAGIC: [u8; 4] = *b"SXTB";
/// The version that is written.
pub(super) const VERSION: u16 = 2;
/// The version whose checksum leaves the store out.
const UNBOUND: u16 = 1;
/// Compression level: the default of zstd, about 3:1 on prose at hundreds of MB/s.
const LEVEL: i32 = 3;

/// The position of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockPosition {
    pub(super) segment: u32,
    pub(super) offset: u64,
}

impl BlockPosition {
    pub(super) fn corrupt(self, reason: &'static str) -> TextError {
        TextError::Corrupt {
            segment: self.segment,
            offset: self.offset,
            reason,
        }
    }
}

/// The lengths a header states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    version: u16,
    /// Decompressed bytes, at most [`MAX_TEXT`].
    pub(super) raw_len: usize,
    /// Compressed bytes after the header.
    pub(super) block_len: usize,
}

impl Header {
    /// Reads magic, version and bounds; the checksum needs the whole block.
    pub(super) fn parse(
        position: BlockPosition,
        bytes: &[u8; HEADER_LEN],
    ) -> Result<Self, TextError> {
        let number = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
        };
        if bytes[0..4] != MAGIC {
            return Err(position.corrupt("no block here"));
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if !(UNBOUND..=VERSION).contains(&version) || bytes[6..8] != [0, 0] {
            return Err(position.corrupt("unknown version"));
        }
        let (raw_len, block_len) = (number(8), number(12));
        if raw_len > MAX_TEXT || block_len > raw_len + MAX_EXPANSION {
            return Err(position.corrupt("length out of bounds"));
        }
        Ok(Self {
            version,
            raw_len,
            block_len,
        })
    }
}

/// Header and compressed form of `raw`, which is at most [`MAX_TEXT`] long.
pub(super) fn encode(
    store: StoreId,
    position: BlockPosition,
    raw: &[u8],
) -> std::io::Result<Vec<u8>> {
    let compressed = zstd::bulk::compress(raw, LEVEL)?;
    let lengths = u32::try_from(raw.len())
        .ok()
        .zip(u32::try_from(compressed.len()).ok());
    let (raw_len, block_len) = lengths.ok_or(std::io::ErrorKind::FileTooLarge)?;
    let mut block = Vec::with_capacity(HEADER_LEN + compressed.len());
    block.extend_from_slice(&MAGIC);
    block.extend_from_slice(&VERSION.to_le_bytes());
    block.extend_from_slice(&[0, 0]);
    block.extend_from_slice(&raw_len.to_le_bytes());
    block.extend_from_slice(&block_len.to_le_bytes());
    let checksum = checksum(Some(store), position, &block, &compressed);
    block.extend_from_slice(&checksum);
    block.extend_from_slice(&compressed);
    Ok(block)
}

/// Verifies and decompresses a whole block.
pub(super) fn decode(
    store: StoreId,
    position: BlockPosition,
    block: &[u8],
) -> Result<Vec<u8>, TextError> {
    let Some((head, compressed)) = block.split_first_chunk::<HEADER_LEN>() else {
        return Err(position.corrupt("block is cut off"));
    };
    let header = Header::parse(position, head)?;
    if header.block_len != compressed.len() {
        return Err(position.corrupt("length differs from the reference"));
    }
    let store = (header.version != UNBOUND).then_some(store);
    if checksum(store, position, &head[..16], compressed) != head[16..] {
        return Err(position.corrupt("checksum mismatch"));
    }
    let raw =
        decompress(compressed, header.raw_len).map_err(|_| position.corrupt("not a zstd frame"))?;
    if raw.len() != header.raw_len {
        return Err(position.corrupt("decompressed length differs"));
    }
    Ok(raw)
}

thread_local! {
    /// The decompressor of each thread: creating one takes as long as a small block.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn decompress(compressed: &[u8], len: usize) -> std::io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        decompressor.decompress(compressed, len)
    })
}

fn checksum(
    store: Option<StoreId>,
    position: BlockPosition,
    head: &[u8],
    compressed: &[u8],
) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    if let Some(store) = store {
        hasher.update(&store.0);
    }
    hasher.update(&position.segment.to_le_bytes());
    hasher.update(&position.offset.to_le_bytes());
    hasher.update(head);
    hasher.update(compressed);
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}

/// A block as format 1 and 2 wrote it, for tests of reading old formats.
#[cfg(test)]
pub(super) fn encode_unbound(position: BlockPosition, raw: &[u8]) -> Vec<u8> {
    let mut block = encode(StoreId([0; 16]), position, raw).unwrap();
    block[4..6].copy_from_slice(&UNBOUND.to_le_bytes());
    let (head, compressed) = block.split_at(HEADER_LEN);
    let sum = checksum(None, position, &head[..16], compressed);
    block[16..HEADER_LEN].copy_from_slice(&sum);
    block
}
