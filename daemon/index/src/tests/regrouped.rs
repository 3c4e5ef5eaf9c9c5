//! The group changes reported by settling, replayed, give the groups.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use simdex_schema::{DocId, GroupId};
use simdex_signature::Ratio;

use super::bed::{Bed, account};
use super::texts::{Random, pool};
use crate::writer::REGROUPED_AT_ONCE;
use crate::{Cancel, Regrouped, VisibleRoots};

/// Groups as they were reported.
#[derive(Debug, Default)]
struct Told {
    members: BTreeMap<DocId, GroupId>,
    principals: BTreeMap<GroupId, DocId>,
}

impl Told {
    fn hear(&mut self, regrouped: Regrouped) {
        for moved in regrouped.moved {
            assert_eq!(self.members.get(&moved.document).copied(), moved.from);
            assert_ne!(moved.from, moved.to);
            match moved.to {
                Some(group) => self.members.insert(moved.document, group),
                None => self.members.remove(&moved.document),
            };
        }
        for (group, principal) in regrouped.made {
            assert_eq!(self.principals.insert(group, principal), None, "it is new");
        }
        for (group, principal) in regrouped.led {
            let before = self.principals.insert(group, principal);
            assert!(before.is_some_and(|before| before != principal));
        }
        for (group, principal) in regrouped.vanished {
            assert_eq!(self.principals.remove(&group), Some(principal));
        }
    }

    /// Compares what was reported with the groups.
    fn check(&self, bed: &Bed) {
        let threshold = Ratio::new(bed.parameters.threshold).unwrap();
        let groups =
            bed.reader()
                .groups()
                .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
        let (mut members, mut principals) = (BTreeMap::new(), BTreeMap::new());
        for group in groups.unwrap().groups {
            let id = group.id.unwrap();
            principals.insert(id, group.principal);
            let all = group.members.iter().map(|member| member.document);
            members.extend(all.chain([group.principal]).map(|document| (document, id)));
        }
        assert_eq!((&self.members, &self.principals), (&members, &principals));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_told_of_groups_is_what_they_are(
        seed in 0_u64..1_000,
        steps in prop::collection::vec((0_usize..14, 0_usize..40, 0_u8..8), 1..60),
    ) {
        let mut random = Random::new(seed);
        let (texts, bed) = (pool(&mut random, 5, 60), Bed::memory());
        let (mut told, mut paths) = (Told::default(), BTreeSet::new());
        for (path, text, then) in steps {
            let path = format!("a/{path}");
            if then == 0 && paths.remove(&path) {
                bed.remove(&path);
            } else {
                bed.put(&path, &texts[text % texts.len()]);
                paths.insert(path);
            }
            if then < 3 {
                told.hear(bed.index().writer.settle_step(&Cancel::never()).unwrap());
            }
            if then == 7 {
                while !bed.index().writer.is_settled() {
                    told.hear(bed.index().writer.settle_step(&Cancel::never()).unwrap());
                }
                told.check(&bed);
            }
        }
    }
}

#[test]
fn ids_of_many_groups_are_given_in_steps_and_stay_with_those_that_take_them_on() {
    const GROUPS: usize = 20;
    let bed = Bed::memory();
    let mut random = Random::new(7);
    let bases: Vec<String> = (0..GROUPS).map(|_| random.words(60)).collect();
    let mut told = Told::default();
    let mut settle = |bed: &Bed| {
        while !bed.index().writer.is_settled() {
            told.hear(bed.index().writer.settle_step(&Cancel::never()).unwrap());
        }
        told.check(bed);
        told.principals.keys().copied().collect::<Vec<_>>()
    };
    // Those that lead come first and have the least ids of documents.
    let longer = |at: usize| (format!("a/{at}.longer"), format!("{} and more", bases[at]));
    let put_longer = || {
        for (path, text) in (0..GROUPS).map(longer) {
            bed.put(&path, &text);
        }
    };
    put_longer();
    for (at, base) in bases.iter().enumerate() {
        bed.put(&format!("a/{at}"), base);
        bed.put(&format!("a/{at}.copy"), base);
    }
    let first = settle(&bed);
    assert_eq!(first.len(), GROUPS);
    // An id passes to who leads once they are gone, and back to them.
    (0..GROUPS).for_each(|at| bed.remove(&longer(at).0));
    assert_eq!(settle(&bed), first);
    put_longer();
    assert_eq!(settle(&bed), first);
    let largest = bed
        .index()
        .index
        .shared
        .state()
        .unsettled
        .largest_regrouping;
    assert_eq!(largest, REGROUPED_AT_ONCE, "documents under one lock");
}
