//! Postings gathered in memory until they are merged into buckets; queried with the rest.
//!
//! Each batch becomes a sorted run; runs of like size are merged as they come, so that a query
//! searches a few runs by bisection and an insertion is moved about log₂(batches) times.

use simdex_schema::DocId;
use simdex_schema::posting::{Posting, PostingKey};

/// Sorted runs of one scheme.
#[derive(Default)]
pub(crate) struct Buffer {
    /// Each sorted and distinct; sizes fall at least by half from one to the next.
    runs: Vec<Vec<Posting>>,
}

impl Buffer {
    /// Adds a batch, in any order.
    pub(crate) fn push(&mut self, mut batch: Vec<Posting>) {
        if batch.is_empty() {
            return;
        }
        batch.sort_unstable();
        batch.dedup();
        self.runs.push(batch);
        while let [.., older, newer] = self.runs.as_slice() {
            if older.len() > 2 * newer.len() {
                break;
            }
            let newer = self.runs.pop().unwrap_or_default();
            let older = self.runs.pop().unwrap_or_default();
            self.runs.push(merge(&older, &newer));
        }
    }

    /// Postings held.
    pub(crate) fn len(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    /// Appends the documents of a key; one document may come more than once.
    pub(crate) fn documents_of(&self, key: PostingKey, out: &mut Vec<DocId>) {
        for run in &self.runs {
            let start = run.partition_point(|posting| posting.0 < key);
            let same = run[start..].iter().take_while(|posting| posting.0 == key);
            out.extend(same.map(|posting| posting.1));
        }
    }

    /// All postings as one sorted, distinct run.
    pub(crate) fn merged(&self) -> Vec<Posting> {
        let smallest_first = self.runs.iter().rev();
        smallest_first.fold(Vec::new(), |merged, run| merge(run, &merged))
    }
}

/// Merges two sorted, distinct runs into one.
pub(crate) fn merge(a: &[Posting], b: &[Posting]) -> Vec<Posting> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_buffer_answers_like_a_set(
            batches in prop::collection::vec(prop::collection::vec((0u64..40, 0u64..200), 0..60), 0..20)
        ) {
            let mut buffer = Buffer::default();
            let mut set = BTreeSet::new();
            for batch in batches {
                let batch: Vec<Posting> =
                    batch.iter().map(|&(k, d)| (PostingKey::from_bits(k), DocId(d))).collect();
                set.extend(batch.iter().copied());
                buffer.push(batch);
            }
            prop_assert_eq!(buffer.merged(), set.iter().copied().collect::<Vec<_>>());
            for key in (0..40).map(PostingKey::from_bits) {
                let mut found = Vec::new();
                buffer.documents_of(key, &mut found);
                let found: BTreeSet<DocId> = found.into_iter().collect();
                let expected = set.iter().filter(|p| p.0 == key).map(|p| p.1).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn runs_stay_few() {
        let mut buffer = Buffer::default();
        for batch in 0..1_000u64 {
            buffer.push((0..10).map(|i| (PostingKey::from_bits(i), DocId(batch))).collect());
        }
        assert!(buffer.runs.len() <= 12, "{} runs", buffer.runs.len());
        assert_eq!(buffer.len(), 10_000);
    }
}
