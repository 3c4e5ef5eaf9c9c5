//! Postings gathered in memory until they are merged into a run; queried with the rest.
//!
//! They are distributed over many small parts by the top bits of their keys and left unsorted there: a query reads one
//! whole part, and a merge sorts parts that fit a processor's cache. A posting takes eight bytes: the rest of its key,
//! and the index of its document among those of the buffer.

use simdex_schema::DocId;
use simdex_schema::posting::{KEY_BITS, Posting, PostingKey};

/// Key bits that select a part: at 32 million postings a part holds some 2,000.
pub(crate) const PART_BITS: u8 = 14;
/// Replaces a document whose postings no longer count.
const GONE: DocId = DocId(u64::MAX);
/// Bits of a document's index.
const PLACE_BITS: u32 = 32;
/// Bits of a key that do not select its part.
const REST_BITS: u32 = KEY_BITS - PART_BITS as u32;

/// Postings of one scheme.
#[derive(Default)]
pub(crate) struct Buffer {
    /// Empty, or one part for every value of the top bits.
    parts: Vec<Vec<u64>>,
    documents: Vec<DocId>,
    len: usize,
}

impl Buffer {
    /// Adds postings of a document, in any order.
    pub(crate) fn push(&mut self, id: DocId, keys: impl Iterator<Item = PostingKey>) {
        self.parts.resize_with(1 << PART_BITS, Vec::new);
        let place = self.documents.len() as u64;
        debug_assert!(place >> PLACE_BITS == 0, "some billions of documents");
        self.documents.push(id);
        for key in keys {
            let part = &mut self.parts[key.bucket(PART_BITS) as usize];
            if part.len() == part.capacity() {
                // Grows by a quarter; doubling would leave a third of all memory unused.
                part.reserve_exact(part.len() / 4 + 4);
            }
            part.push(rest(key) << PLACE_BITS | place);
            self.len += 1;
        }
    }

    /// Adds what another buffer holds.
    pub(crate) fn absorb(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        self.parts.resize_with(1 << PART_BITS, Vec::new);
        let places = self.documents.len() as u64;
        self.documents.extend_from_slice(&other.documents);
        for (part, others) in self.parts.iter_mut().zip(&other.parts) {
            part.extend(others.iter().map(|packed| packed + places));
        }
        self.len += other.len;
    }

    /// Removes the postings of a document and returns whether there were any. They count in [`Buffer::len`] until they
    /// are merged.
    pub(crate) fn forget(&mut self, id: DocId) -> bool {
        let mut is_found = false;
        for held in self.documents.iter_mut().filter(|held| **held == id) {
            *held = GONE;
            is_found = true;
        }
        is_found
    }

    /// Whether nothing is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of postings held; one that was added twice counts twice.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self
            .parts
            .iter()
            .map(|part| size_of_val(part) + 8 * part.capacity());
        parts.sum::<usize>() + size_of::<DocId>() * self.documents.capacity()
    }

    /// Appends the documents of a key; a document may occur more than once.
    pub(crate) fn documents_of(&self, key: PostingKey, out: &mut Vec<DocId>) {
        let part = self.parts.get(key.bucket(PART_BITS) as usize);
        let same = part
            .into_iter()
            .flatten()
            .filter(|packed| **packed >> PLACE_BITS == rest(key));
        let documents = same.map(|packed| self.document(*packed));
        out.extend(documents.filter(|id| *id != GONE));
    }

    /// Appends the postings of a part, sorted; one may occur more than once.
    pub(crate) fn part(&self, number: u32, out: &mut Vec<Posting>) {
        let Some(part) = self.parts.get(number as usize) else {
            return;
        };
        let start = out.len();
        let top = u64::from(number) << REST_BITS;
        let unpacked = |packed: &u64| {
            let key = PostingKey::from_bits(top | packed >> PLACE_BITS);
            (key, self.document(*packed))
        };
        out.extend(
            part.iter()
                .map(unpacked)
                .filter(|posting| posting.1 != GONE),
        );
        out[start..].sort_unstable();
    }

    fn document(&self, packed: u64) -> DocId {
        self.documents[(packed & ((1 << PLACE_BITS) - 1)) as usize]
    }
}

/// The bits of a key that do not select its part.
fn rest(key: PostingKey) -> u64 {
    key.bits() & ((1 << REST_BITS) - 1)
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

    fn all(buffer: &Buffer) -> Vec<Posting> {
        let mut all = Vec::new();
        (0..1 << PART_BITS).for_each(|part| buffer.part(part, &mut all));
        all.dedup();
        all
    }

    proptest! {
        #[test]
        fn a_buffer_answers_like_a_set(
            batches in prop::collection::vec(
                (0u64..200, prop::collection::vec(0u64..40, 0..60)),
                0..20,
            ),
            absorbed in 0usize..20,
            forgotten in 0u64..200,
        ) {
            let mut buffers = [Buffer::default(), Buffer::default()];
            let mut set = BTreeSet::new();
            for (at, (id, keys)) in batches.iter().enumerate() {
                let id = DocId(*id);
                set.extend(keys.iter().map(|k| (key(*k), id)));
                buffers[usize::from(at < absorbed)].push(id, keys.iter().map(|k| key(*k)));
            }
            let [mut buffer, other] = buffers;
            buffer.absorb(&other);
            prop_assert_eq!(buffer.len(), batches.iter().map(|(_, keys)| keys.len()).sum::<usize>());
            let gone = DocId(forgotten);
            prop_assert_eq!(buffer.forget(gone), batches.iter().any(|(id, _)| *id == forgotten));
            set.retain(|posting| posting.1 != gone);
            prop_assert!(buffer.bytes() >= 8 * buffer.len());
            prop_assert_eq!(all(&buffer), set.iter().copied().collect::<Vec<_>>());
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
