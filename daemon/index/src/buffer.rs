//! Postings gathered in memory until they are merged into buckets; queried with the rest.
//!
//! They are dealt into many small parts by the top bits of their keys and left unsorted there: a
//! query reads one part through, and a merge sorts parts that fit a processor's cache.

use simdex_schema::DocId;
use simdex_schema::posting::{Posting, PostingKey};

/// Key bits that name a part: at 12 million postings a part holds some 700.
const PART_BITS: u8 = 14;

/// Postings of one scheme.
#[derive(Default)]
pub(crate) struct Buffer {
    /// Empty, or one part for every value of the top bits.
    parts: Vec<Vec<Posting>>,
    len: usize,
}

impl Buffer {
    /// Adds postings, in any order.
    pub(crate) fn push(&mut self, postings: impl Iterator<Item = Posting>) {
        self.parts.resize_with(1 << PART_BITS, Vec::new);
        for posting in postings {
            self.parts[posting.0.bucket(PART_BITS) as usize].push(posting);
            self.len += 1;
        }
    }

    /// Adds what another buffer holds.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.push(other.parts.iter().flatten().copied());
    }

    /// Whether nothing is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Postings held; one that was added twice counts twice.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Appends the documents of a key; one document may come more than once.
    pub(crate) fn documents_of(&self, key: PostingKey, out: &mut Vec<DocId>) {
        let part = self.parts.get(key.bucket(PART_BITS) as usize);
        let same = part
            .into_iter()
            .flatten()
            .filter(|posting| posting.0 == key);
        out.extend(same.map(|posting| posting.1));
    }

    /// All postings as one sorted, distinct run.
    pub(crate) fn merged(&self) -> Vec<Posting> {
        let mut all = Vec::with_capacity(self.len);
        for part in &self.parts {
            let start = all.len();
            all.extend_from_slice(part);
            all[start..].sort_unstable();
        }
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Keys of all parts, some of one part.
    fn key(number: u64) -> PostingKey {
        PostingKey::from_bits((number % 20) << 35 | number)
    }

    proptest! {
        #[test]
        fn a_buffer_answers_like_a_set(
            batches in prop::collection::vec(prop::collection::vec((0u64..40, 0u64..200), 0..60), 0..20)
        ) {
            let mut buffer = Buffer::default();
            let mut set = BTreeSet::new();
            for batch in batches {
                let batch: Vec<Posting> =
                    batch.iter().map(|&(k, d)| (key(k), DocId(d))).collect();
                set.extend(batch.iter().copied());
                buffer.push(batch.into_iter());
            }
            prop_assert_eq!(buffer.merged(), set.iter().copied().collect::<Vec<_>>());
            for key in (0..40).map(key) {
                let mut found = Vec::new();
                buffer.documents_of(key, &mut found);
                let found: BTreeSet<DocId> = found.into_iter().collect();
                let expected = set.iter().filter(|p| p.0 == key).map(|p| p.1).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
