//! The queues of the settler: documents that need a place among the groups, documents whose files changed, so
//! that it must be checked whether they still belong where they are, and documents whose groups changed, so
//! that these need their handles. How many wait for a place or a check is counted along, so that asking for
//! that number costs nothing.
//!
//! Documents are placed in rounds: all that wait when a round begins, the longest first, so that a family
//! is led by its principal from the beginning, in whatever order it came. A document that must be compared
//! with very many principals is put off: a few of these are placed after each round of the others, and all
//! once no other waits.
//!
//! Every entry knows the generation in which it was queued, and what follows from it is queued in the same:
//! so a caller can wait for all that was queued before its call, however much comes meanwhile. No entry
//! starves, as each is part of the next round.

use std::collections::BTreeMap;

use simdex_schema::DocId;

use crate::groups::Rank;

/// Of the documents that are placed where no other waits, so many less are placed between two rounds.
const PUT_OFF_SHARE: usize = 8;

/// A stretch of time between two points: what was queued in it. Later ones are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(u64);

/// Documents that are not settled.
#[derive(Default)]
pub(crate) struct Unsettled {
    /// They need a place.
    to_place: Rounds,
    /// They need a place, and finding it takes long; none of them is in `to_place`.
    put_off: Rounds,
    /// Those put off were the last to be placed.
    put_off_had_turn: bool,
    /// Their files changed.
    to_check: Queue,
    /// Documents that need a place and a check.
    both: usize,
    /// Their groups changed.
    to_regroup: Queue,
    /// The present generation.
    generation: Generation,
}

/// Documents to be placed next, in order of rank.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) documents: Vec<DocId>,
    /// They were put off before.
    pub(crate) were_put_off: bool,
}

impl Unsettled {
    /// Documents that need a place or a check.
    pub(crate) fn len(&self) -> usize {
        self.to_place.queue.len() + self.put_off.queue.len() + self.to_check.len() - self.both
    }

    /// Whether nothing waits for anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0 && self.to_regroup.is_empty()
    }

    /// Ends the present generation and returns it: what is queued from now on belongs to later ones, but for
    /// what follows from something queued before.
    pub(crate) fn end_generation(&mut self) -> Generation {
        let ended = self.generation;
        self.generation.0 += 1;
        ended
    }

    /// Whether nothing waits that was queued in this generation or before.
    pub(crate) fn is_settled_through(&self, generation: Generation) -> bool {
        let queues = [&self.to_place.queue, &self.put_off.queue];
        let mut oldest = queues.into_iter().chain([&self.to_check, &self.to_regroup]);
        oldest.all(|queue| queue.oldest().is_none_or(|oldest| oldest > generation))
    }

    /// The documents to be placed next: at most so many of this round, or of the next where it is over;
    /// where no other waits, at most `few` of those that were put off, and fewer between two rounds.
    pub(crate) fn next(&mut self, most: usize, few: usize, rank: &dyn Fn(DocId) -> Rank) -> Step {
        self.end_generation();
        let others_wait = !self.to_place.queue.is_empty();
        let between_rounds = self.to_place.round.is_empty() && !self.put_off_had_turn;
        self.put_off_had_turn = !self.put_off.queue.is_empty() && (between_rounds || !others_wait);
        let documents = match (self.put_off_had_turn, others_wait) {
            (true, false) => self.put_off.next(few, rank),
            (true, true) => self.put_off.next(few.div_ceil(PUT_OFF_SHARE), rank),
            (false, _) => self.to_place.next(most, rank),
        };
        Step {
            documents,
            were_put_off: self.put_off_had_turn,
        }
    }

    /// Whether all that waited when the last round began have their place, but for those that were put off.
    pub(crate) fn is_round_over(&self) -> bool {
        self.to_place.round.is_empty() || self.to_place.queue.is_empty()
    }

    /// Finding the place of this document takes long.
    pub(crate) fn put_off(&mut self, id: DocId) {
        if let Some(since) = self.to_place.queue.remove(id) {
            self.put_off.queue.insert(id, since);
        }
    }

    pub(crate) fn needs_placement(&self, id: DocId) -> bool {
        self.to_place.queue.contains(id) || self.put_off.queue.contains(id)
    }

    pub(crate) fn needs_file_check(&self, id: DocId) -> bool {
        self.to_check.contains(id)
    }

    /// This document needs a place.
    pub(crate) fn queue_placement(&mut self, id: DocId) {
        self.queue_placement_since(id, self.generation);
    }

    /// The same, because of something queued in that generation.
    pub(crate) fn queue_placement_since(&mut self, id: DocId, since: Generation) {
        let is_new = !self.needs_placement(id);
        let queue = match self.put_off.queue.contains(id) {
            true => &mut self.put_off.queue,
            false => &mut self.to_place.queue,
        };
        queue.insert(id, since);
        if is_new && self.to_check.contains(id) {
            self.both += 1;
        }
    }

    /// This document has its place, or needs none any more. Returns since when it waited; the present
    /// generation where it did not.
    pub(crate) fn clear_placement(&mut self, id: DocId) -> Generation {
        let placed = self.to_place.queue.remove(id);
        let since = placed.or_else(|| self.put_off.queue.remove(id));
        if since.is_some() && self.to_check.contains(id) {
            self.both -= 1;
        }
        since.unwrap_or(self.generation)
    }

    /// The files of this document changed: whether it belongs where it is must be checked.
    pub(crate) fn queue_file_check(&mut self, id: DocId) {
        self.queue_file_check_since(id, self.generation);
    }

    /// The same, because of something queued in that generation.
    pub(crate) fn queue_file_check_since(&mut self, id: DocId, since: Generation) {
        if self.to_check.insert(id, since) && self.needs_placement(id) {
            self.both += 1;
        }
    }

    /// The files of this document were checked. Returns since when it waited; the present generation where
    /// it did not.
    pub(crate) fn clear_file_check(&mut self, id: DocId) -> Generation {
        let since = self.to_check.remove(id);
        if since.is_some() && self.needs_placement(id) {
            self.both -= 1;
        }
        since.unwrap_or(self.generation)
    }

    /// Takes out every document whose files changed, with the generation in which that was noted.
    pub(crate) fn take_file_checks(&mut self) -> BTreeMap<DocId, Generation> {
        self.both = 0;
        std::mem::take(&mut self.to_check).since
    }

    /// Whether a document that needs a place waited already when this one was queued for a check, or came in
    /// the same generation; those put off do not count.
    pub(crate) fn any_to_place_before_check_of(&self, id: DocId) -> bool {
        let check = self.to_check.since.get(&id);
        let oldest = self.to_place.queue.oldest();
        check
            .zip(oldest)
            .is_some_and(|(check, oldest)| oldest <= *check)
    }

    /// The group of this document changed, because of something queued in that generation.
    pub(crate) fn queue_regrouping(&mut self, id: DocId, since: Generation) {
        self.to_regroup.insert(id, since);
    }

    /// Documents whose groups changed.
    pub(crate) fn regroupings(&self) -> usize {
        self.to_regroup.len()
    }

    /// Takes out the documents whose groups changed, but for those that have no place: such a one may carry
    /// a handle into the group that it will be in.
    pub(crate) fn take_regroupings(&mut self) -> Vec<DocId> {
        let ids = self.to_regroup.since.keys().copied();
        let ready: Vec<DocId> = ids.filter(|id| !self.needs_placement(*id)).collect();
        for id in &ready {
            let _since = self.to_regroup.remove(*id);
        }
        ready
    }

    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Documents that are taken in rounds.
#[derive(Default)]
struct Rounds {
    queue: Queue,
    /// Those of this round that were not taken yet, the first at the end; some may wait no more.
    round: Vec<DocId>,
}

impl Rounds {
    /// At most so many of this round, or of the next where it is over.
    fn next(&mut self, most: usize, rank: &dyn Fn(DocId) -> Rank) -> Vec<DocId> {
        let mut documents = Vec::new();
        while documents.is_empty() && !self.queue.is_empty() {
            if self.round.is_empty() {
                self.round = self.queue.since.keys().copied().collect();
                let last_first = |id: &DocId| std::cmp::Reverse(rank(*id));
                self.round.sort_by_cached_key(last_first);
            }
            while documents.len() < most
                && let Some(id) = self.round.pop()
            {
                documents.extend(Some(id).filter(|id| self.queue.contains(*id)));
            }
        }
        documents
    }
}

/// Documents, each with the generation in which it was queued.
#[derive(Default)]
struct Queue {
    since: BTreeMap<DocId, Generation>,
    /// How many there are of each generation.
    sizes: BTreeMap<Generation, usize>,
}

impl Queue {
    fn len(&self) -> usize {
        self.since.len()
    }

    fn is_empty(&self) -> bool {
        self.since.is_empty()
    }

    fn contains(&self, id: DocId) -> bool {
        self.since.contains_key(&id)
    }

    /// The generation of those that were queued first.
    fn oldest(&self) -> Option<Generation> {
        self.sizes.keys().next().copied()
    }

    /// Queues a document; one that is queued already keeps the earlier generation. Says whether it is new.
    fn insert(&mut self, id: DocId, since: Generation) -> bool {
        let earlier = self.since.get(&id).copied();
        if earlier.is_none_or(|earlier| earlier > since) {
            self.remove(id);
            self.since.insert(id, since);
            *self.sizes.entry(since).or_default() += 1;
        }
        earlier.is_none()
    }

    /// Takes a document out; returns since when it was queued.
    fn remove(&mut self, id: DocId) -> Option<Generation> {
        let since = self.since.remove(&id)?;
        if let Some(size) = self.sizes.get_mut(&since) {
            *size -= 1;
            if *size == 0 {
                self.sizes.remove(&since);
            }
        }
        Some(since)
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

    fn ids(step: Step) -> (Vec<u64>, bool) {
        let ids = step.documents.iter().map(|id| id.0).collect();
        (ids, step.were_put_off)
    }

    #[test]
    fn a_round_is_placed_in_order_of_rank_and_what_was_put_off_comes_last() {
        let mut unsettled = Unsettled::default();
        [5, 3, 9]
            .into_iter()
            .for_each(|id| unsettled.queue_placement(DocId(id)));
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
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![5], true));
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![1], false));
        unsettled.clear_placement(DocId(1));
        // It was not placed, for whatever reason, and comes again.
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![5], true));
        unsettled.queue_placement(DocId(4));
        unsettled.put_off(DocId(4));
        assert_eq!(unsettled.len(), 2);
        assert_eq!(ids(unsettled.next(9, 9, &by_id)), (vec![4, 5], true));
        unsettled.clear_placement(DocId(4));
        unsettled.clear_placement(DocId(5));
        assert_eq!(ids(unsettled.next(9, 1, &by_id)), (vec![], false));
        assert!(unsettled.is_empty());
    }

    #[test]
    fn a_generation_is_settled_once_all_that_was_queued_in_it_and_follows_from_it_is() {
        let mut unsettled = Unsettled::default();
        for id in [1, 2] {
            unsettled.queue_placement(DocId(id));
        }
        let before = unsettled.end_generation();
        unsettled.queue_placement(DocId(1));
        unsettled.queue_placement(DocId(3));
        assert!(!unsettled.is_settled_through(before));
        unsettled.put_off(DocId(2));
        let since = unsettled.clear_placement(DocId(1));
        assert_eq!(since, before, "it was queued before, and again");
        unsettled.clear_placement(DocId(2));
        assert!(unsettled.is_settled_through(before), "3 came later");
        unsettled.queue_placement_since(DocId(4), since);
        assert!(!unsettled.is_settled_through(before), "4 follows from 1");
        let since = unsettled.clear_placement(DocId(4));
        unsettled.queue_regrouping(DocId(4), since);
        assert!(!unsettled.is_settled_through(before));
        assert_eq!(unsettled.take_regroupings(), [DocId(4)]);
        assert!(unsettled.is_settled_through(before));
        assert!(!unsettled.is_empty());
    }

    #[test]
    fn no_document_starves_while_others_keep_coming() {
        let mut unsettled = Unsettled::default();
        let documents = (100..103).map(DocId);
        documents.for_each(|id| unsettled.queue_placement(id));
        unsettled.put_off(DocId(102));
        let before = unsettled.end_generation();
        for id in 0..9 {
            unsettled.queue_placement(DocId(id));
            for id in unsettled.next(1, 8, &by_id).documents {
                unsettled.clear_placement(id);
            }
        }
        assert!(unsettled.is_settled_through(before));
        assert!(!unsettled.is_empty());
    }

    #[test]
    fn a_group_is_looked_at_once_its_document_has_its_place() {
        let mut unsettled = Unsettled::default();
        let since = unsettled.end_generation();
        unsettled.queue_placement(DocId(1));
        for id in [1, 2] {
            unsettled.queue_regrouping(DocId(id), since);
        }
        assert_eq!(unsettled.take_regroupings(), [DocId(2)]);
        unsettled.clear_placement(DocId(1));
        assert_eq!(unsettled.take_regroupings(), [DocId(1)]);
    }

    proptest! {
        #[test]
        fn counts_and_generations_are_those_of_the_entries(
            steps in prop::collection::vec((0_u8..8, 0_u64..6), 0..60),
        ) {
            let mut unsettled = Unsettled::default();
            for (step, id) in steps {
                let id = DocId(id);
                match step {
                    0 => unsettled.queue_placement(id),
                    1 => { let _since = unsettled.clear_placement(id); }
                    2 => unsettled.queue_file_check(id),
                    3 => { let _since = unsettled.clear_file_check(id); }
                    4 => unsettled.put_off(id),
                    5 => { let _since = unsettled.end_generation(); }
                    6 => unsettled.queue_regrouping(id, Generation(id.0)),
                    _ => drop(unsettled.take_file_checks()),
                }
                let queues = [
                    &unsettled.to_place.queue,
                    &unsettled.put_off.queue,
                    &unsettled.to_check,
                    &unsettled.to_regroup,
                ];
                let of = |queue: &Queue| queue.since.clone();
                let waiting = queues[..3].iter().flat_map(|queue| of(queue));
                let waiting: BTreeMap<_, _> = waiting.collect();
                prop_assert_eq!(unsettled.len(), waiting.len());
                let generations = queues.iter().flat_map(|queue| of(queue).into_values());
                let oldest = generations.min();
                let settled = |generation| unsettled.is_settled_through(Generation(generation));
                for generation in 0..9 {
                    let expected = oldest.is_none_or(|oldest| oldest.0 > generation);
                    prop_assert_eq!(settled(generation), expected);
                }
            }
        }
    }
}
