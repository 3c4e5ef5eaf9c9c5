//! The chunk map: content-defined chunks, whole chunks hashed.
//!
//! The heir of the Basic Sliding Window (Muthitacharoen et al. 2001), which cuts where a rolling
//! fingerprint says so and compares by hash; the cutting is FastCDC's (Xia et al. 2020). A small
//! edit touches the one or two chunks around it. Over raw bytes it gives a signature to files that have no
//! text.

use crate::fingerprint::Fingerprint;
use crate::ladder::Ladder;
use crate::rung::Rung;
use crate::signature::{Scheme, SchemeKind, Signature};
use crate::window::Window;

/// Bounds and mean of a chunk's length, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSize {
    min: u16,
    mean: u16,
    max: u16,
}

impl ChunkSize {
    /// For the raw bytes of files without text: 256, 1024, 8192.
    pub const RAW: Self = Self {
        min: 256,
        mean: 1024,
        max: 8192,
    };

    /// The mean length aimed at.
    pub const fn mean(self) -> u16 {
        self.mean
    }
}

/// One chunk of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Where its first byte is in the input, counted from 0.
    pub offset: u64,
    /// Length in bytes; at least 1.
    pub length: u64,
    /// The first 64 bits, little-endian, of the BLAKE3 hash of its bytes.
    pub hash: u64,
}

/// Cuts `bytes` into chunks; they follow each other without gaps and cover it all.
pub fn chunk_map(bytes: &[u8], size: ChunkSize) -> Vec<Chunk> {
    let cutter =
        fastcdc::v2020::FastCDC::new(bytes, size.min.into(), size.mean.into(), size.max.into());
    cutter
        .map(|cut| Chunk {
            offset: cut.offset as u64,
            length: cut.length as u64,
            hash: hash(&bytes[cut.offset..cut.offset + cut.length]),
        })
        .collect()
}

/// The first 64 bits, little-endian, of the BLAKE3 hash.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(bytes).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The scheme that signs raw bytes by their chunks.
pub struct Chunks;

impl Chunks {
    /// The one scheme of raw bytes; the mean chunk length stands in for the window.
    pub const SCHEME: Scheme = Scheme {
        kind: SchemeKind::Chunks,
        window: match Window::bytes(ChunkSize::RAW.mean) {
            Some(window) => window,
            None => Window::DEFAULT,
        },
        canonical: 0,
    };

    /// The signature of raw bytes: the chunk hashes divisible by n = 2^rung. BLAKE3 is uniform in
    /// every bit, so they are sampled like shingles and resemblance is over sets of chunks.
    pub fn sign(bytes: &[u8], rung: Rung) -> Signature {
        Self::sign_map(&chunk_map(bytes, ChunkSize::RAW), rung)
    }

    /// [`sign`](Self::sign) at the rung the ladder gives to the number of chunks.
    pub fn sign_by(bytes: &[u8], ladder: Ladder) -> Signature {
        let chunks = chunk_map(bytes, ChunkSize::RAW);
        Self::sign_map(&chunks, ladder.rung_for(chunks.len() as u64))
    }

    fn sign_map(chunks: &[Chunk], rung: Rung) -> Signature {
        let hashes = chunks.iter().map(|chunk| Fingerprint(chunk.hash));
        Signature::new(Self::SCHEME, rung, hashes.collect())
    }
}

#[cfg(test)]
mod tests;
