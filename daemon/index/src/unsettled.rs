//! The queue of the settler: documents that need a place among the groups, and documents whose files changed,
//! so that it must be checked whether they still belong where they are. One document may be in both sets; how
//! many are in either is counted along, so that asking for that number costs nothing.
//!
//! Documents are placed in rounds: all that wait when a round begins, the longest first, so that a family
//! is led by its principal from the beginning, in whatever order it came. A document that must be compared
//! with very many principals is put off: it is placed once no other waits, whoever sent it.

use std::collections::BTreeSet;

use simdex_schema::DocId;

use crate::groups::Rank;

/// Documents that are not settled.
#[derive(Default)]
pub(crate) struct Unsettled {
    /// They need a place.
    to_place: BTreeSet<DocId>,
    /// Their files changed.
    to_check: BTreeSet<DocId>,
    /// Documents in both sets.
    both: usize,
    /// Those of this round that are still to be placed, the first at the end; of some the place is found
    /// already.
    round: Vec<DocId>,
    /// Those of `to_place` that are placed once no other waits.
    put_off: BTreeSet<DocId>,
}

/// Documents to be placed next, in order of rank.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) documents: Vec<DocId>,
    /// They were put off before.
    pub(crate) were_put_off: bool,
}

impl Unsettled {
    /// Documents in either set.
    pub(crate) fn len(&self) -> usize {
        self.to_place.len() + self.to_check.len() - self.both
    }

    /// Documents whose place is still to be found, but for those that were put off.
    pub(crate) fn waiting(&self) -> usize {
        self.to_place.len() - self.put_off.len()
    }

    /// The documents to be placed next: at most so many of this round, or of the next where it is over;
    /// where no other waits, at most `few` of those that were put off.
    pub(crate) fn next(&mut self, most: usize, few: usize, rank: &dyn Fn(DocId) -> Rank) -> Step {
        let mut documents = Vec::new();
        while documents.len() < most && self.waiting() > documents.len() {
            if self.round.is_empty() {
                if !documents.is_empty() {
                    break;
                }
                self.round = self.to_place.difference(&self.put_off).copied().collect();
                let last_first = |id: &DocId| std::cmp::Reverse(rank(*id));
                self.round.sort_by_cached_key(last_first);
            }
            let next = self.round.pop();
            documents
                .extend(next.filter(|id| self.to_place.contains(id) && !self.put_off.contains(id)));
        }
        let were_put_off = documents.is_empty();
        if were_put_off {
            documents = self.put_off.iter().copied().collect();
            documents.sort_by_cached_key(|id| rank(*id));
            documents.truncate(few);
        }
        Step {
            documents,
            were_put_off,
        }
    }

    /// This document is placed once no other waits.
    pub(crate) fn put_off(&mut self, id: DocId) {
        if self.to_place.contains(&id) {
            self.put_off.insert(id);
        }
    }

    pub(crate) fn needs_placement(&self, id: DocId) -> bool {
        self.to_place.contains(&id)
    }

    pub(crate) fn needs_file_check(&self, id: DocId) -> bool {
        self.to_check.contains(&id)
    }

    /// This document needs a place.
    pub(crate) fn queue_placement(&mut self, id: DocId) {
        if self.to_place.insert(id) && self.to_check.contains(&id) {
            self.both += 1;
        }
    }

    /// This document has its place, or needs none any more.
    pub(crate) fn clear_placement(&mut self, id: DocId) {
        self.put_off.remove(&id);
        if self.to_place.remove(&id) && self.to_check.contains(&id) {
            self.both -= 1;
        }
    }

    /// The files of this document changed: whether it belongs where it is must be checked.
    pub(crate) fn queue_file_check(&mut self, id: DocId) {
        if self.to_check.insert(id) && self.to_place.contains(&id) {
            self.both += 1;
        }
    }

    /// The files of this document were checked.
    pub(crate) fn clear_file_check(&mut self, id: DocId) {
        if self.to_check.remove(&id) && self.to_place.contains(&id) {
            self.both -= 1;
        }
    }

    /// Takes out every document whose files changed.
    pub(crate) fn take_file_checks(&mut self) -> BTreeSet<DocId> {
        self.both = 0;
        std::mem::take(&mut self.to_check)
    }

    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_id(id: DocId) -> Rank {
        (
            std::cmp::Reverse(0),
            simdex_schema::DocumentHash([id.0 as u8; 32]),
        )
    }

    #[test]
    fn a_round_is_placed_in_order_of_rank_and_what_was_put_off_comes_last() {
        let mut unsettled = Unsettled::default();
        [5, 3, 9]
            .into_iter()
            .for_each(|id| unsettled.queue_placement(DocId(id)));
        let ids = |step: Step| {
            (
                step.documents.iter().map(|id| id.0).collect::<Vec<_>>(),
                step.were_put_off,
            )
        };
        assert_eq!(ids(unsettled.next(2, 1, &by_id)), (vec![3, 5], false));
        unsettled.clear_placement(DocId(3));
        unsettled.put_off(DocId(5));
        unsettled.put_off(DocId(7));
        unsettled.queue_placement(DocId(1));
        assert_eq!(
            ids(unsettled.next(9, 1, &by_id)),
            (vec![9], false),
            "1 is of the next round"
        );
        unsettled.clear_placement(DocId(9));
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![1], false));
        // It was not placed, for whatever reason, and comes again.
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![1], false));
        unsettled.clear_placement(DocId(1));
        unsettled.queue_placement(DocId(4));
        unsettled.put_off(DocId(4));
        assert_eq!((unsettled.waiting(), unsettled.len()), (0, 2));
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![4], true));
        unsettled.clear_placement(DocId(4));
        unsettled.clear_placement(DocId(5));
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![], true));
    }

    proptest! {
        #[test]
        fn the_count_is_that_of_both_sets_together(
            steps in prop::collection::vec((0_u8..5, 0_u64..6), 0..60),
        ) {
            let mut unsettled = Unsettled::default();
            for (step, id) in steps {
                let id = DocId(id);
                match step {
                    0 => unsettled.queue_placement(id),
                    1 => unsettled.clear_placement(id),
                    2 => unsettled.queue_file_check(id),
                    3 => unsettled.clear_file_check(id),
                    _ => drop(unsettled.take_file_checks()),
                }
                let either = unsettled.to_place.union(&unsettled.to_check);
                prop_assert_eq!(unsettled.len(), either.count());
            }
        }
    }
}
