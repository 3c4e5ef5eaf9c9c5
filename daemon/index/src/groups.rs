//! Groups: stars around principals, kept up to date as documents come and go.
//!
//! E-discovery's convention (DESIGN §7): documents by canonical length descending, then document
//! hash; each unassigned one becomes a principal and takes all its unassigned neighbours. The rule
//! looks at one connected component at a time, so a change is answered by assigning anew only the
//! components it touches: the incremental path and a rebuild agree (property test below).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use simdex_schema::{DocId, DocumentHash, EdgeRecord};

/// The near-duplicate graph of all known documents, live or not.
#[derive(Default)]
pub(crate) struct Graph {
    neighbours: HashMap<DocId, BTreeMap<DocId, EdgeRecord>>,
}

impl Graph {
    /// Adds the edge a–b; `edge` counts from a's side.
    pub(crate) fn connect(&mut self, a: DocId, b: DocId, edge: EdgeRecord) {
        self.neighbours.entry(a).or_default().insert(b, edge);
        self.neighbours
            .entry(b)
            .or_default()
            .insert(a, edge.swapped());
    }

    /// Removes a document and its edges.
    pub(crate) fn remove(&mut self, id: DocId) {
        for neighbour in self.neighbours.remove(&id).unwrap_or_default().into_keys() {
            if let Some(others) = self.neighbours.get_mut(&neighbour) {
                others.remove(&id);
                if others.is_empty() {
                    self.neighbours.remove(&neighbour);
                }
            }
        }
    }

    /// Neighbours with the edge seen from `id`, by id.
    pub(crate) fn neighbours(&self, id: DocId) -> impl Iterator<Item = (DocId, EdgeRecord)> + '_ {
        let found = self.neighbours.get(&id).into_iter().flatten();
        found.map(|(other, edge)| (*other, *edge))
    }

    /// The edge a–b seen from a.
    pub(crate) fn edge(&self, a: DocId, b: DocId) -> Option<EdgeRecord> {
        self.neighbours.get(&a)?.get(&b).copied()
    }

    /// Documents that have edges.
    pub(crate) fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        self.neighbours.keys().copied()
    }
}

/// Where a document stands in the order of principals: longest first, then by hash.
pub(crate) type Rank = (Reverse<u64>, DocumentHash);

/// Assigns stars over these documents (a union of whole components).
/// Cost: O(V log V + E).
pub(crate) fn assign(
    documents: &BTreeSet<DocId>,
    graph: &Graph,
    rank: &dyn Fn(DocId) -> Rank,
) -> Vec<(DocId, BTreeSet<DocId>)> {
    let mut order: Vec<DocId> = documents.iter().copied().collect();
    order.sort_by_cached_key(|id| rank(*id));
    let mut taken = HashSet::new();
    let mut stars = Vec::new();
    for principal in order {
        if !taken.insert(principal) {
            continue;
        }
        let free = graph.neighbours(principal).map(|(id, _)| id);
        let members: BTreeSet<DocId> = free
            .filter(|id| documents.contains(id) && taken.insert(*id))
            .collect();
        if !members.is_empty() {
            stars.push((principal, members));
        }
    }
    stars
}

/// The stars of the live documents: only those with at least two documents.
#[derive(Default)]
pub(crate) struct Stars {
    members: HashMap<DocId, BTreeSet<DocId>>,
    principal: HashMap<DocId, DocId>,
}

impl Stars {
    /// Documents of the star around this principal, without it.
    pub(crate) fn members(&self, principal: DocId) -> impl Iterator<Item = DocId> + '_ {
        self.members.get(&principal).into_iter().flatten().copied()
    }

    /// The principal of a document: itself where it stands alone.
    pub(crate) fn principal(&self, id: DocId) -> DocId {
        self.principal.get(&id).copied().unwrap_or(id)
    }

    /// Assigns anew the components that these documents touch; returns every document whose star
    /// may have changed.
    pub(crate) fn update(
        &mut self,
        changed: &BTreeSet<DocId>,
        graph: &Graph,
        is_live: &dyn Fn(DocId) -> bool,
        rank: &dyn Fn(DocId) -> Rank,
    ) -> BTreeSet<DocId> {
        let seeds = self.seeds(changed, graph);
        let touched = component(&seeds, graph, is_live);
        let affected: BTreeSet<DocId> = &seeds | &touched;
        for id in &affected {
            self.principal.remove(id);
            self.members.remove(id);
        }
        for (principal, members) in assign(&touched, graph, rank) {
            for id in members.iter().chain([&principal]) {
                self.principal.insert(*id, principal);
            }
            self.members.insert(principal, members);
        }
        affected
    }

    /// The changed documents, their neighbours, and whoever stood in a star with them.
    fn seeds(&self, changed: &BTreeSet<DocId>, graph: &Graph) -> BTreeSet<DocId> {
        let mut seeds = changed.clone();
        for id in changed {
            seeds.extend(graph.neighbours(*id).map(|(other, _)| other));
            let principal = self.principal(*id);
            seeds.insert(principal);
            seeds.extend(self.members(principal));
        }
        seeds
    }
}

/// The live documents connected to the seeds.
fn component(
    seeds: &BTreeSet<DocId>,
    graph: &Graph,
    is_live: &dyn Fn(DocId) -> bool,
) -> BTreeSet<DocId> {
    let mut found: BTreeSet<DocId> = seeds.iter().copied().filter(|id| is_live(*id)).collect();
    let mut open: Vec<DocId> = found.iter().copied().collect();
    while let Some(id) = open.pop() {
        for (other, _) in graph.neighbours(id) {
            if is_live(other) && found.insert(other) {
                open.push(other);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EDGE: EdgeRecord = EdgeRecord {
        shared: 9,
        shingles_a: 10,
        shingles_b: 10,
    };

    fn rank(id: DocId) -> Rank {
        // Lengths collide on purpose, so that the hash decides too.
        (
            Reverse(id.0 % 5),
            DocumentHash([(id.0 * 37 % 251) as u8; 32]),
        )
    }

    #[derive(Debug, Clone)]
    enum Step {
        Live(u64),
        Dead(u64),
        Connect(u64, u64),
        Purge(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        let id = 0u64..24;
        prop_oneof![
            3 => id.clone().prop_map(Step::Live),
            1 => id.clone().prop_map(Step::Dead),
            3 => (id.clone(), id.clone()).prop_map(|(a, b)| Step::Connect(a, b)),
            1 => id.prop_map(Step::Purge),
        ]
    }

    fn shown(stars: &Stars) -> BTreeMap<DocId, BTreeSet<DocId>> {
        stars
            .members
            .iter()
            .map(|(id, members)| (*id, members.clone()))
            .collect()
    }

    proptest! {
        #[test]
        fn the_incremental_path_equals_a_rebuild(steps in prop::collection::vec(step(), 0..120)) {
            let (mut graph, mut stars) = (Graph::default(), Stars::default());
            let mut live = BTreeSet::new();
            for step in steps {
                let changed: BTreeSet<DocId> = match step {
                    Step::Live(id) => { live.insert(DocId(id)); [DocId(id)].into() }
                    Step::Dead(id) => { live.remove(&DocId(id)); [DocId(id)].into() }
                    Step::Connect(a, b) if a != b => {
                        graph.connect(DocId(a), DocId(b), EDGE);
                        [DocId(a), DocId(b)].into()
                    }
                    Step::Connect(..) => continue,
                    Step::Purge(id) => {
                        live.remove(&DocId(id));
                        stars.update(&[DocId(id)].into(), &graph, &|id| live.contains(&id), &rank);
                        graph.remove(DocId(id));
                        continue;
                    }
                };
                stars.update(&changed, &graph, &|id| live.contains(&id), &rank);
                let rebuilt: BTreeMap<_, _> = assign(&live, &graph, &rank).into_iter().collect();
                prop_assert_eq!(shown(&stars), rebuilt);
            }
        }
    }

    #[test]
    fn the_longest_document_leads_and_a_chain_does_not_join_unlike_ends() {
        // 4 – 3 – 2: lengths 4, 3, 2. The star around 4 takes 3; 2 is left alone.
        let mut graph = Graph::default();
        graph.connect(DocId(4), DocId(3), EDGE);
        graph.connect(DocId(3), DocId(2), EDGE);
        let stars = assign(&[DocId(2), DocId(3), DocId(4)].into(), &graph, &rank);
        assert_eq!(stars, [(DocId(4), [DocId(3)].into())]);
    }
}
