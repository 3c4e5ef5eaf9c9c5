//! The traditional chunk signature: chunks cut where the window says so, each hashed as a whole.
//!
//! Source: the Basic Sliding Window of Muthitacharoen, Chen and Mazières 2001, as Cherkasova et
//! al. 2009, §2 "Content-Based Chunking Approach" define it: a window of w bytes moves over the
//! file, its place k ends a chunk if F_k mod n = 0, chunks are compared by hash. Cost: one rolling
//! pass and one hash of the text. The daemon signs raw bytes with FastCDC ([`crate::Chunks`]) in
//! place of these.
//!
//! Equal hashes mean equal spans. A small edit changes the hash of the whole chunk, which BSW_n,
//! the paper's repair, avoids.
//!
//! What the paper leaves open: a chunk ends with the last byte of its boundary window; the bytes
//! after the last boundary are a chunk too, if there are any; a text shorter than a window is one
//! chunk; chunks have no least and no greatest length. Departures: the hash is the first 64 bits of
//! BLAKE3, where the paper takes 64 bits of MD5; F is a fixed bijective image of Rabin's residue
//! ([`crate::Fingerprint`]).

use crate::chunk::{Chunk, hash};
use crate::modulus::Modulus;
use crate::rolling::RabinTables;

/// Cuts `bytes` into chunks; they follow each other without gaps and cover it all.
pub(crate) fn chunks(bytes: &[u8], tables: &RabinTables, modulus: Modulus) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let (mut begin, mut end) = (0, tables.width());
    let mut cut = |begin: usize, end: usize| {
        chunks.push(Chunk {
            offset: begin as u64,
            length: (end - begin) as u64,
            hash: hash(&bytes[begin..end]),
        });
    };
    tables.for_each(bytes, |fingerprint| {
        if modulus.divides(fingerprint) {
            cut(begin, end);
            begin = end;
        }
        end += 1;
    });
    if begin < bytes.len() {
        cut(begin, bytes.len());
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;
    use proptest::prelude::*;

    /// Every window anew, every boundary by division.
    fn slowly(bytes: &[u8], width: usize, n: u64) -> Vec<&[u8]> {
        let windows = crate::reference::window_fingerprints(bytes, width);
        let is_end = |end: usize| end >= width && windows[end - width].0.is_multiple_of(n);
        let mut ends: Vec<usize> = (1..=bytes.len()).filter(|&end| is_end(end)).collect();
        if !bytes.is_empty() && ends.last() != Some(&bytes.len()) {
            ends.push(bytes.len());
        }
        let begins = std::iter::once(0).chain(ends.iter().copied());
        begins
            .zip(&ends)
            .map(|(begin, &end)| &bytes[begin..end])
            .collect()
    }

    proptest! {
        #[test]
        fn chunks_agree_with_their_twin(
            bytes in prop::collection::vec(0u8..4, 0..600), width in 1usize..30, n in 1u64..60,
        ) {
            let found = chunks(&bytes, &RabinTables::new(width), Modulus::new(n));
            let expected = slowly(&bytes, width, n);
            let spans = found.iter().map(|c| &bytes[c.offset as usize..(c.offset + c.length) as usize]);
            prop_assert_eq!(spans.collect::<Vec<_>>(), expected.clone());
            let hashes = expected.iter().map(|span| Fingerprint(hash(span)).0);
            prop_assert!(found.iter().map(|chunk| chunk.hash).eq(hashes));
        }
    }
}
