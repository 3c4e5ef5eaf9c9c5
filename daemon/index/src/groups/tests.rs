//! Stars maintained one change at a time, compared with the rule applied from scratch to the whole graph.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

const EDGE: EdgeRecord = EdgeRecord {
    shared: 9,
    shingles_a: 10,
    shingles_b: 12,
};

fn rank(id: DocId) -> Rank {
    // Lengths collide on purpose, so that the hash decides too.
    let mut hash = [(id.0 * 37 % 251) as u8; 32];
    hash[24..].copy_from_slice(&id.0.to_be_bytes());
    (Reverse(id.0 % 5), DocumentHash(hash), id)
}

type Graph = BTreeSet<(DocId, DocId)>;

fn neighbours(graph: &Graph, a: DocId, b: DocId) -> bool {
    graph.contains(&(a.min(b), a.max(b)))
}

/// The rule itself: in order of rank, each document that is not taken takes what it neighbours.
fn from_scratch(live: &BTreeSet<DocId>, graph: &Graph) -> BTreeMap<DocId, BTreeSet<DocId>> {
    let mut order: Vec<DocId> = live.iter().copied().collect();
    order.sort_by_key(|id| rank(*id));
    let mut taken = HashSet::new();
    let mut stars = BTreeMap::new();
    for principal in &order {
        if !taken.insert(*principal) {
            continue;
        }
        let free = order.iter().copied();
        let members = free.filter(|id| neighbours(graph, *principal, *id) && taken.insert(*id));
        stars.insert(*principal, members.collect());
    }
    stars
}

/// Stars with the documents that wait to be placed.
#[derive(Default)]
struct Settler {
    stars: Stars,
    waiting: BTreeSet<DocId>,
    /// Edge tests made.
    tests: usize,
}

impl Settler {
    fn settle(&mut self, live: &BTreeSet<DocId>, graph: &Graph) {
        while let Some(id) = self.waiting.pop_first() {
            let candidates = live.iter().map(|id| (*id, ()));
            let to_test = self.stars.to_test(id, candidates, &rank);
            let tests = &mut self.tests;
            let place = to_test.place(|other, ()| {
                *tests += 1;
                Ok::<_, ()>(neighbours(graph, id, other).then_some(EDGE))
            });
            self.waiting.extend(self.stars.place(id, &place.unwrap()));
        }
    }

    fn shown(&self) -> BTreeMap<DocId, BTreeSet<DocId>> {
        let members = |id| self.stars.members(id).map(|(member, _)| member).collect();
        let principals = self.stars.principals().iter().map(DocId);
        principals.map(|id| (id, members(id))).collect()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add(u64),
    Remove(u64),
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0u64..24).prop_map(Step::Add),
        1 => (0u64..24).prop_map(Step::Remove),
        1 => Just(Step::Settle),
    ]
}

proptest! {
    #[test]
    fn stars_kept_one_change_at_a_time_equal_those_made_from_scratch(
        pairs in prop::collection::btree_set((0u64..24, 0u64..24), 0..90),
        steps in prop::collection::vec(step(), 0..120),
    ) {
        let pairs = pairs.into_iter().filter(|(a, b)| a < b);
        let graph: Graph = pairs.map(|(a, b)| (DocId(a), DocId(b))).collect();
        let (mut settler, mut live) = (Settler::default(), BTreeSet::new());
        for step in steps.into_iter().chain([Step::Settle]) {
            match step {
                Step::Add(id) => {
                    if live.insert(DocId(id)) {
                        settler.waiting.insert(DocId(id));
                    }
                }
                Step::Remove(id) => {
                    live.remove(&DocId(id));
                    settler.waiting.remove(&DocId(id));
                    let displaced = settler.stars.remove(DocId(id));
                    settler.waiting.extend(displaced);
                }
                Step::Settle => {
                    settler.settle(&live, &graph);
                    prop_assert_eq!(settler.shown(), from_scratch(&live, &graph));
                }
            }
            let settled: BTreeSet<DocId> = &live - &settler.waiting;
            let expected = from_scratch(&settled, &graph);
            prop_assert_eq!(settler.shown(), expected, "exact over what is settled");
        }
    }
}

#[test]
fn the_longest_document_leads_and_a_chain_does_not_join_unlike_ends() {
    // 4 – 3 – 2: lengths 4, 3, 2. The star around 4 takes 3; 2 is left alone.
    let graph: Graph = [(DocId(3), DocId(4)), (DocId(2), DocId(3))].into();
    let live: BTreeSet<DocId> = [DocId(2), DocId(3), DocId(4)].into();
    for order in [[2, 3, 4], [4, 3, 2], [3, 2, 4]] {
        let mut settler = Settler::default();
        for id in order {
            settler.waiting.insert(DocId(id));
            settler.settle(&live, &graph);
        }
        let expected = [(DocId(4), [DocId(3)].into()), (DocId(2), [].into())];
        assert_eq!(settler.shown(), expected.into());
    }
}

#[test]
fn a_family_in_one_batch_costs_one_edge_test_per_member() {
    let ids = || (0..400u64).map(|id| DocId(id * 5));
    let graph: Graph = ids()
        .flat_map(|a| ids().filter(move |b| a < *b).map(move |b| (a, b)))
        .collect();
    let live: BTreeSet<DocId> = ids().collect();
    let mut settler = Settler::default();
    let mut order: Vec<DocId> = ids().collect();
    order.sort_by_key(|id| rank(*id));
    for id in order {
        settler.waiting.insert(id);
        settler.settle(&live, &graph);
    }
    assert_eq!(
        settler.tests, 399,
        "each member is tested against its principal alone"
    );
    assert_eq!(settler.stars.members.len(), 1);
}

/// A list that met the new principal's file before the change, and the taken one's after it, shows the group nowhere.
#[test]
fn a_principal_without_members_that_is_taken_has_left_its_group() {
    let mut stars = Stars::default();
    stars.lead(DocId(1));
    let taken = vec![(DocId(1), EDGE)];
    assert_eq!(stars.place(DocId(2), &Place::Principal { taken }), []);
    assert_eq!(stars.departures(), 1);
    stars.remove(DocId(2));
    assert_eq!(stars.departures(), 2, "its member left");
    stars.lead(DocId(3));
    stars.remove(DocId(3));
    assert_eq!(stars.departures(), 2, "what is gone is missing in no list");
}
