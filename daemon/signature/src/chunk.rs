//! The chunk map: content-defined chunks, whole chunks hashed, and the spans two inputs share.
//!
//! The heir of the Basic Sliding Window (Muthitacharoen et al. 2001), which cuts where a rolling
//! fingerprint says so and compares by hash; the cutting is FastCDC's (Xia et al. 2020). A small
//! edit touches the one or two chunks around it. It aligns two canonical texts for display, and
//! over raw bytes it gives a signature to files that have no text.

use std::collections::HashMap;

use crate::fingerprint::Fingerprint;
use crate::rung::{Ladder, Rung};
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
    /// For spans of canonical text: 64, 256, 1024, the smallest FastCDC permits.
    pub const TEXT: Self = Self {
        min: 64,
        mean: 256,
        max: 1024,
    };
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

/// A run of bytes equal in two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where its first byte is in the first input, counted from 0.
    pub offset_a: u64,
    /// Where its first byte is in the second input, counted from 0.
    pub offset_b: u64,
    /// Length in bytes; at least 1.
    pub length: u64,
}

/// Runs of bytes that `a` shares with `b`, ascending and disjoint in `a`, each as long as it can
/// be. Found from equal [`ChunkSize::TEXT`] chunks, verified by bytes: nothing that is not equal
/// is ever returned, but equal runs too short to hold a whole chunk (certain only from about
/// twice the maximum length on) may be left out. Of several places in `b` the one that continues
/// the span before is taken, else the next one, else the first. Linear in both lengths.
pub fn shared_spans(a: &[u8], b: &[u8]) -> Vec<Span> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for chunk in chunk_map(b, ChunkSize::TEXT) {
        places
            .entry(chunk.hash)
            .or_default()
            .push(chunk.offset as usize);
    }
    let mut spans = Vec::new();
    // Ends of the span before, in a and in b.
    let (mut end_a, mut end_b) = (0, 0);
    for chunk in chunk_map(a, ChunkSize::TEXT) {
        let (offset, length) = (chunk.offset as usize, chunk.length as usize);
        let Some(places) = places.get(&chunk.hash) else {
            continue;
        };
        if offset + length <= end_a {
            continue;
        }
        let place = next_place(places, end_b);
        if a[offset..offset + length] != b[place..place + length] {
            continue;
        }
        let covered = end_a.saturating_sub(offset);
        let (mut from_a, mut from_b) = (offset + covered, place + covered);
        let back = equal_suffix(&a[end_a..from_a], &b[..from_b]);
        let forward = equal_prefix(&a[from_a..], &b[from_b..]);
        (from_a, from_b) = (from_a - back, from_b - back);
        spans.push(Span {
            offset_a: from_a as u64,
            offset_b: from_b as u64,
            length: (back + forward) as u64,
        });
        (end_a, end_b) = (from_a + back + forward, from_b + back + forward);
    }
    spans
}

/// The first place not before `end`, else the first; `places` ascend and are not empty.
fn next_place(places: &[usize], end: usize) -> usize {
    let next = places.partition_point(|&place| place < end);
    places[if next < places.len() { next } else { 0 }]
}

fn equal_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

fn equal_suffix(a: &[u8], b: &[u8]) -> usize {
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count()
}

#[cfg(test)]
mod tests;
