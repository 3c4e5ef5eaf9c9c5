//! The queues of the settler: rounds, epochs, counts.

use std::collections::BTreeMap;

use super::*;
use proptest::prelude::*;

/// The next step, with documents ranked by their ids.
fn next(unsettled: &mut Unsettled, most: usize, few: usize) -> PlacementBatch {
    let (effort, round) = unsettled.begin_step();
    if let Some(round) = round {
        unsettled.begin_round(effort, round.iter().map(DocId).collect());
    }
    unsettled.take(effort, most, few)
}

fn ids(step: PlacementBatch) -> (Vec<u64>, bool) {
    let ids = step.documents.iter().map(|id| id.0).collect();
    (ids, step.effort > Effort::Usual)
}

/// Takes out what waits for the id of its group.
fn take_regroupings(unsettled: &mut Unsettled) -> Vec<DocId> {
    let ids = unsettled.regrouping_ids();
    ids.iter().for_each(|id| unsettled.clear_regrouping(*id));
    ids
}

#[test]
fn a_round_is_placed_in_order_of_rank_and_what_was_deferred_comes_last() {
    let mut unsettled = Unsettled::default();
    [5, 3, 9]
        .into_iter()
        .for_each(|id| unsettled.queue_placement(DocId(id)));
    assert_eq!(ids(next(&mut unsettled, 2, 1)), (vec![3, 5], false));
    unsettled.clear_placement(DocId(3));
    unsettled.defer(DocId(5), Effort::High);
    unsettled.defer(DocId(7), Effort::High);
    unsettled.queue_placement(DocId(1));
    assert_eq!(
        ids(next(&mut unsettled, 9, 1)),
        (vec![9], false),
        "1 is of the next round"
    );
    unsettled.clear_placement(DocId(9));
    assert_eq!(ids(next(&mut unsettled, 9, 1)), (vec![5], true));
    assert_eq!(ids(next(&mut unsettled, 9, 1)), (vec![1], false));
    unsettled.clear_placement(DocId(1));
    // It was not placed, for whatever reason, and is returned again.
    assert_eq!(ids(next(&mut unsettled, 9, 1)), (vec![5], true));
    unsettled.queue_placement(DocId(4));
    unsettled.defer(DocId(4), Effort::High);
    assert_eq!(unsettled.awaited(), 2);
    assert_eq!(ids(next(&mut unsettled, 9, 9)), (vec![4, 5], true));
    unsettled.clear_placement(DocId(4));
    unsettled.clear_placement(DocId(5));
    assert_eq!(ids(next(&mut unsettled, 9, 1)), (vec![], false));
    assert!(unsettled.is_empty());
}

#[test]
fn a_generation_is_settled_once_all_that_was_queued_in_it_and_follows_from_it_is() {
    let mut unsettled = Unsettled::default();
    for id in [1, 2] {
        unsettled.queue_placement(DocId(id));
    }
    let before = unsettled.end_epoch();
    unsettled.queue_placement(DocId(1));
    unsettled.queue_placement(DocId(3));
    assert!(!unsettled.is_settled_through(before));
    unsettled.defer(DocId(2), Effort::High);
    let since = unsettled.clear_placement(DocId(1));
    assert_eq!(since, before, "it was queued before, and again");
    unsettled.clear_placement(DocId(2));
    assert!(unsettled.is_settled_through(before), "3 came later");
    unsettled.queue_placement_since(DocId(4), since);
    assert!(!unsettled.is_settled_through(before), "4 follows from 1");
    let since = unsettled.clear_placement(DocId(4));
    unsettled.queue_regrouping(DocId(4), since);
    assert!(!unsettled.is_settled_through(before));
    assert_eq!(take_regroupings(&mut unsettled), [DocId(4)]);
    assert!(unsettled.is_settled_through(before));
    assert!(!unsettled.is_empty());
}

#[test]
fn no_document_starves_while_others_keep_coming() {
    let mut unsettled = Unsettled::default();
    let documents = (100..103).map(DocId);
    documents.for_each(|id| unsettled.queue_placement(id));
    unsettled.defer(DocId(102), Effort::High);
    let before = unsettled.end_epoch();
    for id in 0..9 {
        unsettled.queue_placement(DocId(id));
        for id in next(&mut unsettled, 1, 8).documents {
            unsettled.clear_placement(id);
        }
    }
    assert!(unsettled.is_settled_through(before));
    assert!(!unsettled.is_empty());
}

#[test]
fn nobody_waits_for_crowded_documents_and_what_follows_from_them() {
    let mut unsettled = Unsettled::default();
    for id in [1, 2, 3] {
        unsettled.queue_placement(DocId(id));
    }
    let before = unsettled.end_epoch();
    assert_eq!(unsettled.deferred(), 0);
    unsettled.defer(DocId(2), Effort::Crowded);
    unsettled.defer(DocId(2), Effort::High);
    unsettled.defer(DocId(3), Effort::High);
    assert_eq!(unsettled.deferred(), 2);
    assert_eq!((unsettled.awaited(), unsettled.crowded()), (2, 1));
    let turns = [(3, Effort::High), (2, Effort::Crowded), (1, Effort::Usual)];
    for (id, effort) in turns.into_iter().chain(turns) {
        let documents = vec![DocId(id)];
        assert_eq!(
            next(&mut unsettled, 9, 8),
            PlacementBatch { documents, effort }
        );
    }
    for id in [1, 3] {
        assert!(!unsettled.is_settled_through(before));
        unsettled.clear_placement(DocId(id));
    }
    assert!(unsettled.is_settled_through(before) && !unsettled.is_empty());
    let since = unsettled.clear_placement(DocId(2));
    unsettled.queue_regrouping(DocId(2), since);
    unsettled.queue_placement_since(DocId(4), since);
    assert!(unsettled.is_settled_through(unsettled.epoch));
    assert_eq!((unsettled.awaited(), unsettled.crowded()), (1, 0));
    unsettled.clear_placement(DocId(4));
    assert_eq!(unsettled.awaited(), 0);
    assert!(!unsettled.is_empty(), "its group waits for its group");
}

#[test]
fn a_group_is_looked_at_once_its_document_has_its_place() {
    let mut unsettled = Unsettled::default();
    let since = unsettled.end_epoch();
    unsettled.queue_placement(DocId(1));
    for id in [1, 2] {
        unsettled.queue_regrouping(DocId(id), since);
    }
    assert_eq!(take_regroupings(&mut unsettled), [DocId(2)]);
    unsettled.clear_placement(DocId(1));
    assert_eq!(take_regroupings(&mut unsettled), [DocId(1)]);
}

#[test]
fn nobody_waits_for_the_group_that_a_crowded_document_will_be_in() {
    let mut unsettled = Unsettled::default();
    let since = unsettled.end_epoch();
    // A principal took it from its group, or was removed: it lost its place, and its group changed.
    unsettled.queue_regrouping(DocId(1), since);
    unsettled.queue_placement_since(DocId(1), since);
    assert!(!unsettled.is_settled_through(since));
    unsettled.defer(DocId(1), Effort::Crowded);
    assert!(unsettled.is_settled_through(since));
    assert_eq!((unsettled.awaited(), unsettled.crowded()), (0, 1));
    unsettled.queue_regrouping(DocId(1), since);
    assert!(unsettled.is_settled_through(since));
    assert_eq!(unsettled.regroupings(), 0, "it has no place yet");
    assert_eq!(take_regroupings(&mut unsettled), []);
    unsettled.clear_placement(DocId(1));
    assert!(unsettled.is_settled_through(since));
    assert_eq!(take_regroupings(&mut unsettled), [DocId(1)]);
    assert!(unsettled.is_empty());
}

#[test]
fn a_round_is_placed_in_the_order_in_which_it_was_ranked_outside() {
    let mut unsettled = Unsettled::default();
    [1, 2, 3]
        .into_iter()
        .for_each(|id| unsettled.queue_placement(DocId(id)));
    let (effort, round) = unsettled.begin_step();
    assert_eq!(round.unwrap().iter().collect::<Vec<_>>(), [1, 2, 3]);
    // What happens while they are ranked.
    unsettled.queue_placement(DocId(4));
    unsettled.clear_placement(DocId(2));
    unsettled.begin_round(effort, [3, 2, 1].map(DocId).to_vec());
    assert_eq!(ids(unsettled.take(effort, 9, 1)), (vec![3, 1], false));
    let (_, round) = unsettled.begin_step();
    assert_eq!(round.unwrap().iter().collect::<Vec<_>>(), [1, 3, 4]);
}

/// A collection is loaded while it settles: as maps the queues took some 32 bytes for each document.
#[test]
fn a_hundred_thousand_that_wait_since_many_epochs_take_little_memory() {
    let mut unsettled = Unsettled::default();
    for id in 0..100_000 {
        unsettled.queue_placement(DocId(id));
        unsettled.queue_file_check(DocId(id));
        if id % 1000 == 0 {
            let _ended = unsettled.end_epoch();
        }
    }
    assert_eq!(unsettled.awaited(), 100_000);
    let bytes = unsettled.bytes();
    assert!(bytes < 1_000_000, "{bytes}");
    assert_eq!(unsettled.placement_since(DocId(1)), Epoch(1));
    assert_eq!(unsettled.clear_placement(DocId(99_999)), Epoch(100));
}

proptest! {
    #[test]
    fn counts_and_generations_are_those_of_the_entries(
        steps in prop::collection::vec((0_u8..12, 0_u64..6), 0..60),
    ) {
        let mut unsettled = Unsettled::default();
        for (step, id) in steps {
            let id = DocId(id);
            match step {
                0 => unsettled.queue_placement(id),
                1 => { let _since = unsettled.clear_placement(id); }
                2 => unsettled.queue_file_check(id),
                3 => { let _since = unsettled.clear_file_check(id); }
                4 => unsettled.defer(id, Effort::High),
                8 => unsettled.defer(id, Effort::Crowded),
                5 => { let _since = unsettled.end_epoch(); }
                6 => unsettled.queue_regrouping(id, Epoch(id.0)),
                9 => {
                    let ready = take_regroupings(&mut unsettled);
                    prop_assert!(ready.iter().all(|id| !unsettled.needs_placement(*id)));
                }
                10 => {
                    let ids = [id.0, id.0 + 1].into_iter().collect();
                    unsettled.queue_file_checks(&ids);
                }
                _ => {
                    for id in unsettled.file_checks_from(id, 2) {
                        let _since = unsettled.clear_file_check(id);
                    }
                }
            }
            let [usual, high, crowded] = &unsettled.to_place;
            let of = |queue: &Queue| queue.entries();
            let waiting = [&usual.queue, &high.queue, &unsettled.to_check].into_iter().flat_map(of);
            let waiting: BTreeMap<_, _> = waiting.collect();
            let groups = [&unsettled.to_regroup, &unsettled.regroup_placed].into_iter().flat_map(of);
            let groups: BTreeMap<_, _> = groups.collect();
            for id in groups.keys() {
                let is_ready = unsettled.to_regroup.contains(*id);
                prop_assert_eq!(is_ready, !unsettled.needs_placement(*id));
            }
            // Computed independently here: barriers do not wait for a group that a crowded document holds up.
            let is_awaited = |id: &DocId| !crowded.queue.contains(*id) && groups[id] < Epoch::UNAWAITED;
            let awaited = groups.keys().filter(|id| is_awaited(id));
            let awaited: Vec<Epoch> = awaited.map(|id| groups[id]).collect();
            prop_assert_eq!(unsettled.awaited(), waiting.len().max(usize::from(!awaited.is_empty())));
            prop_assert_eq!(unsettled.crowded(), crowded.queue.len());
            let queues = [&usual.queue, &high.queue, &unsettled.to_check];
            let epochs = queues.into_iter().flat_map(|queue| of(queue).into_values());
            let oldest = epochs.chain(awaited).min();
            let settled = |epoch| unsettled.is_settled_through(Epoch(epoch));
            for epoch in 0..9 {
                let expected = oldest.is_none_or(|oldest| oldest.0 > epoch);
                prop_assert_eq!(settled(epoch), expected);
            }
        }
    }
}
