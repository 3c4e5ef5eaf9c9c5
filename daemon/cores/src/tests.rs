//! Cores compared with the definition and with a second miner; components compared with all pairs.

use std::cell::Cell;
use std::io::BufReader;
use std::ops::ControlFlow;

use proptest::prelude::*;

use crate::components::within;
use crate::*;

fn cores(table: &InvertedTable, k: u32) -> Vec<Core> {
    let (found, mined) = cores_while(table, k, &|| true);
    assert_eq!(mined, Mined::All);
    found
}

fn cores_while(table: &InvertedTable, k: u32, go_on: &ShouldContinue<'_>) -> (Vec<Core>, Mined) {
    let mut found = Vec::new();
    let mined = mine(table, k, go_on, &mut |core| {
        found.push(core);
        ControlFlow::Continue(())
    });
    found.sort();
    (found, mined.unwrap())
}

fn by_fp_max(table: &InvertedTable, k: u32) -> Vec<Core> {
    let (mut found, mined) = fp_max::fp_max(table, k, &|| true);
    assert_eq!(mined, Mined::All);
    found.sort();
    found
}

/// All sets of two documents or more that have the support and are in no larger set that has it.
fn by_definition(table: &InvertedTable, k: u32) -> Vec<Core> {
    let all = table.documents();
    let members = |set: u32| {
        (0..all)
            .filter(|at| set >> at & 1 == 1)
            .collect::<Vec<u32>>()
    };
    let support = |set: u32| table.support(&members(set)) as u32;
    let is_core = |set: &u32| {
        let mut others = (0..all).filter(|at| set >> at & 1 == 0);
        set.count_ones() > 1 && support(*set) >= k && others.all(|at| support(set | 1 << at) < k)
    };
    let sets = (0..1u32 << all).filter(is_core);
    let mut found: Vec<Core> = sets
        .map(|set| Core {
            documents: members(set),
            common: support(set),
        })
        .collect();
    found.sort();
    found
}

/// Up to nine documents with images of at most 16 of a few fingerprints, so that they share many.
fn table() -> impl Strategy<Value = InvertedTable> {
    let image = prop::collection::btree_set(0u64..20, 0..16);
    let images = prop::collection::vec(image, 0..10);
    images.prop_map(|images| {
        let images: Vec<Vec<u64>> = images
            .into_iter()
            .map(|image| image.into_iter().collect())
            .collect();
        InvertedTable::from_images(images.iter().map(Vec::as_slice))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn cores_are_those_of_the_definition_and_of_a_second_miner(table in table(), k in 1u32..10) {
        let right = by_definition(&table, k);
        prop_assert_eq!(&cores(&table, k), &right);
        prop_assert_eq!(&by_fp_max(&table, k), &right);
    }

    #[test]
    fn components_join_whoever_shares_enough_and_hold_all_cores(table in table(), k in 1u32..10) {
        let mut right = Partition::new(table.documents());
        for a in 0..table.documents() {
            for b in 0..a {
                if table.support(&[a, b]) >= k as usize {
                    right.join(a, b);
                }
            }
        }
        let parts = components(&table, k, &|| true);
        prop_assert!(parts.is_exact);
        prop_assert_eq!(&parts.sets, &right.sets());
        prop_assert_eq!(cores_by_part(&table, k, &parts.sets), cores(&table, k));
    }

    #[test]
    fn what_is_joined_unseen_holds_all_cores(table in table(), k in 1u32..10, most in 0usize..3, steps in 0u32..20) {
        let left = Cell::new(steps);
        let go_on = || {
            left.set(left.get().saturating_sub(1));
            left.get() > 0
        };
        for parts in [within(&table, k, most, &|| true), components(&table, k, &go_on)] {
            prop_assert_eq!(cores_by_part(&table, k, &parts.sets), cores(&table, k));
            let exact = components(&table, k, &|| true);
            prop_assert!(!parts.is_exact || parts == exact);
        }
    }

    #[test]
    fn what_was_found_before_it_was_stopped_are_cores(table in table(), k in 1u32..6, steps in 0u32..20) {
        let left = Cell::new(steps);
        let go_on = || {
            left.set(left.get().saturating_sub(1));
            left.get() > 0
        };
        let (found, mined) = cores_while(&table, k, &go_on);
        let all = cores(&table, k);
        prop_assert!(found.iter().all(|core| all.binary_search(core).is_ok()));
        prop_assert!(mined == Mined::Some || found == all);
    }

    #[test]
    fn a_table_is_read_back_as_it_was_written(table in table()) {
        let mut written = Vec::new();
        fimi::write_table(&table, &mut written).unwrap();
        let read = fimi::read_table(&mut BufReader::new(written.as_slice())).unwrap();
        prop_assert!(read.rows().eq(table.rows()));
    }
}

/// The documents from `from` on, each sharing most with the next: it keeps all but `drift` fingerprints.
fn chain(length: u64, drift: u64, n: u64) -> Vec<Vec<u64>> {
    (0..length)
        .map(|at| (at * drift..at * drift + n).collect())
        .collect()
}

#[test]
fn a_chain_joins_unlike_documents_in_a_component_and_not_in_a_core() {
    let images = chain(30, 5, 100);
    let table = InvertedTable::from_images(images.iter().map(Vec::as_slice));
    assert_eq!(table.support(&[0, 29]), 0);
    let parts = components(&table, 85, &|| true);
    assert_eq!(parts.sets, [(0..30).collect::<Vec<u32>>()]);
    let found = cores(&table, 85);
    assert_eq!(found.len(), 27);
    for (at, core) in (0..).zip(&found) {
        assert_eq!(core.documents, [at, at + 1, at + 2, at + 3]);
        assert_eq!(core.common, 85);
    }
}

/// 100 planted cores of 50 documents, each sharing 90 of its own fingerprints; the rest of an image, and what
/// joins each core with the next, is shared by two documents at most.
fn planted() -> InvertedTable {
    let mut images = Vec::new();
    for core in 0..100u64 {
        for member in 0..50u64 {
            let own = (core << 32) | 1;
            let mut image: Vec<u64> = (0..90).map(|at| own + at).collect();
            image.extend((0..10).map(|at| own + 1_000 + member * 10 + at));
            images.push(image);
        }
        // A link: most of this core's fingerprints and few of its own, so that at k = 88 it is joined by 88.
        if let Some(last) = images.last_mut() {
            last.splice(90..100, (0..10).map(|at| ((core + 1) << 32 | 1) + at));
        }
    }
    InvertedTable::from_images(images.iter().map(Vec::as_slice))
}

/// Documents each of which holds 10 of the same 40 fingerprints, so that few share 9.
fn crowd(documents: u64) -> InvertedTable {
    let mut state = 1u64;
    let mut image = || {
        let mut image = std::collections::BTreeSet::new();
        while image.len() < 10 {
            // Knuth's multiplier: MMIX.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            image.insert((state >> 33) % 40);
        }
        image.into_iter().collect()
    };
    let images: Vec<Vec<u64>> = (0..documents).map(|_| image()).collect();
    InvertedTable::from_images(images.iter().map(Vec::as_slice))
}

#[test]
fn documents_that_share_too_little_cost_no_more_than_their_number() {
    let table = crowd(20_000);
    let steps = Cell::new(0u32);
    let go_on = || {
        steps.set(steps.get() + 1);
        true
    };
    let parts = within(&table, 9, 8, &go_on);
    // Each list ends when its comparisons are used up, far from its 1,000 documents.
    assert!(!parts.is_exact && steps.get() < 10_000, "{}", steps.get());
    // Short lists are never joined without comparison.
    assert!(components(&crowd(400), 9, &|| true).is_exact);
}

fn cores_by_part(table: &InvertedTable, k: u32, parts: &[Vec<u32>]) -> Vec<Core> {
    let mut found = Vec::new();
    for (own, part) in table.split(parts).iter().zip(parts) {
        found.extend(cores(own, k).into_iter().map(|core| Core {
            documents: core.documents.iter().map(|&at| part[at as usize]).collect(),
            ..core
        }));
    }
    found.sort();
    found
}

#[test]
fn planted_cores_of_5000_documents_are_found_and_no_others() {
    let table = planted();
    assert_eq!(table.documents(), 5_000);
    let steps = Cell::new(0u32);
    let go_on = || {
        steps.set(steps.get() + 1);
        true
    };
    // At 10 a core's last document joins the next core: one component.
    assert_eq!(components(&table, 10, &go_on).sets.len(), 1);
    let before = steps.get();
    let (found, mined) = cores_while(&table, 88, &go_on);
    assert_eq!((found.len(), mined), (100, Mined::All));
    for (at, core) in (0..).zip(&found) {
        let right: Vec<u32> = (at * 50..at * 50 + 50).collect();
        assert_eq!((&core.documents, core.common), (&right, 90));
    }
    // One step per document: no search below any of them.
    assert_eq!(steps.get() - before, 5_000);
}

#[test]
fn images_that_are_too_long_and_lines_that_are_no_table_are_refused() {
    let long: Vec<u64> = (0..129).collect();
    let table = InvertedTable::from_images([long.as_slice(), &long]);
    let refused = mine(&table, 3, &|| true, &mut |_| ControlFlow::Continue(()));
    assert_eq!(
        refused,
        Err(TooLong {
            document: 0,
            length: 129
        })
    );
    let mut lines = BufReader::new(&b"1 2\n\n3 x\n"[..]);
    let refused = fimi::read_table(&mut lines).unwrap_err();
    assert!(
        matches!(refused, fimi::FimiError::NoNumber { line: 3, .. }),
        "{refused}"
    );
    assert!(fimi::read_table(&mut BufReader::new(&b"4294967295\n"[..])).is_err());
}

#[test]
fn a_core_is_written_as_the_miners_of_the_workshops_do() {
    let mut line = Vec::new();
    let core = Core {
        documents: vec![3, 7],
        common: 90,
    };
    fimi::write_core(&core, &mut line).unwrap();
    assert_eq!(line, b"3 7 (90)\n");
}
