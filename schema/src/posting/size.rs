//! How many bytes postings take: measured on some of them, and estimated for another number of them.
//!
//! A bucket writes the differences of its keys, which are shorter the more keys there are, and then the documents of
//! each key. Keys are uniform, so that the lengths of the differences follow from the number of keys alone. How many
//! documents a key has, and how far their ids are apart, depends on the collection and is measured.

use super::{Encoder, KEY_BITS, Posting, put_piece};

/// Postings that were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostingSizes {
    keys: u64,
    postings: u64,
    /// Bytes of the documents of all these keys.
    document_bytes: u64,
}

impl PostingSizes {
    /// Measures postings that are sorted and distinct; all of one key must come together.
    pub fn add(&mut self, postings: &[Posting]) {
        let mut body = Vec::new();
        for list in postings.chunk_by(|a, b| a.0 == b.0) {
            body.clear();
            // Each piece begins with a difference of 0, a byte, of which the first is counted with the key.
            let pieces = list.chunks(Encoder::PIECE);
            pieces.for_each(|piece| put_piece(&mut body, 0, piece));
            self.keys += 1;
            self.postings += list.len() as u64;
            self.document_bytes += body.len() as u64 - 1;
        }
    }

    /// Postings measured so far.
    pub fn postings(&self) -> u64 {
        self.postings
    }

    /// Estimates the bytes of this many postings in one run, whose keys have as many documents as those measured; 0
    /// where nothing was measured.
    pub fn bytes_of(&self, postings: f64) -> f64 {
        let keys = postings * self.keys as f64 / self.postings.max(1) as f64;
        let documents = self.document_bytes as f64 / self.keys.max(1) as f64;
        keys * (mean_key_bytes(keys) + documents)
    }
}

/// Mean bytes of the difference between neighbours of this many uniform keys, doubled as a bucket writes it.
fn mean_key_bytes(keys: f64) -> f64 {
    // A byte, and one more for each power of 2^7 that the difference reaches.
    let further = (1..=KEY_BITS.div_ceil(7)).map(|bytes| {
        let reached = f64::from(7 * bytes - 1).exp2();
        (-keys * reached / f64::from(KEY_BITS).exp2()).exp()
    });
    1.0 + further.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use simdex_signature::Fingerprint;

    use super::*;
    use crate::ids::DocId;
    use crate::posting::{PostingKey, encode_bucket};

    /// Postings of this many keys, each of as many documents, in order.
    fn postings(keys: u64, documents: u64, apart: u64) -> Vec<Posting> {
        let mut postings: Vec<Posting> = (0..keys)
            .flat_map(|key| {
                let first = key * 7_919 % 5_000;
                let ids = (0..documents).map(move |at| DocId(first + at * apart));
                ids.map(move |id| (PostingKey::of(Fingerprint(key * 64)), id))
            })
            .collect();
        postings.sort_unstable();
        postings
    }

    /// Bytes of postings in buckets of this many bits.
    fn encoded(postings: &[Posting], bits: u8) -> f64 {
        let buckets = postings.chunk_by(|a, b| a.0.bucket(bits) == b.0.bucket(bits));
        let shards = buckets.flat_map(encode_bucket);
        shards.map(|shard| shard.len()).sum::<usize>() as f64
    }

    #[test]
    fn the_bytes_of_many_postings_are_estimated_from_few() {
        for (documents, apart) in [(1, 1), (2, 1), (30, 1), (4, 900), (300, 1)] {
            let few = postings(1 << 10, documents, apart);
            let mut sizes = PostingSizes::default();
            sizes.add(&few);
            for keys in [1 << 10, 1 << 14, 1 << 16] {
                let all = postings(keys, documents, apart);
                let bits = (all.len() as u64 * 5 / 2_048).next_power_of_two().ilog2() as u8;
                let (found, right) = (sizes.bytes_of(all.len() as f64), encoded(&all, bits));
                assert!(
                    (0.97..1.03).contains(&(found / right)),
                    "{documents} documents of {keys} keys: {found} for {right}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        assert_eq!(PostingSizes::default().bytes_of(1e6), 0.0);
    }
}
