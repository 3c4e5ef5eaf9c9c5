//! What people and tools are shown of documents that are near one another: pairs and groups of a view
//! at a threshold.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocId, DocumentKind, EdgeRecord, GroupId};
use simdex_signature::Ratio;

use crate::edges::EdgeFinder;
use crate::groups::{Graph, assign};
use crate::index::Index;
use crate::settle::rank;
use crate::{Cancel, IndexError, View};

/// A group with its documents; files are asked for by document.
#[derive(Clone, Debug)]
pub struct GroupView {
    /// Persistent handle; none where the group exists only for this question.
    pub id: Option<GroupId>,
    /// The principal document.
    pub principal: DocId,
    /// Documents other than the principal.
    pub members: Vec<MemberView>,
}

/// A document of a group.
#[derive(Clone, Copy, Debug)]
pub struct MemberView {
    /// The document.
    pub document: DocId,
    /// Exact counts, the principal's side first.
    pub edge: EdgeRecord,
}

/// Two near-duplicate documents.
#[derive(Clone, Copy, Debug)]
pub struct PairView {
    /// One document.
    pub a: DocId,
    /// The other.
    pub b: DocId,
    /// Exact counts, a's side first.
    pub edge: EdgeRecord,
}

/// Pairs and groups of one view at one threshold.
pub struct Neighbourhood {
    /// Every pair, in no order.
    pub pairs: Vec<PairView>,
    /// Groups of at least two files, in no order.
    pub groups: Vec<GroupView>,
}

impl Index {
    /// Pairs and groups of the view. At the index's own threshold they are at hand; above it they
    /// are filtered; below it they are joined anew.
    pub fn neighbourhood(
        &self,
        view: &View,
        threshold: Ratio,
        cancel: &Cancel,
    ) -> Result<Neighbourhood, IndexError> {
        self.all_texts_read()?;
        let kept = self.parameters.threshold;
        if threshold.get() < kept {
            let pairs = self.join(view, threshold, cancel)?;
            return Ok(self.grouped(view, pairs));
        }
        let shared = self.read();
        let visible = shared.table.visible(view);
        let seen = |id: DocId| visible.contains(id.0);
        let mut pairs = Vec::new();
        for a in shared.graph.documents().filter(|a| seen(*a)) {
            let later = shared
                .graph
                .neighbours(a)
                .filter(|(b, _)| *b > a && seen(*b));
            let near = later.filter(|(_, edge)| edge.resemblance() >= threshold.get());
            pairs.extend(near.map(|(b, edge)| PairView { a, b, edge }));
        }
        drop(shared);
        Ok(self.grouped(view, pairs))
    }

    /// Every pair at a threshold of its own.
    fn join(
        &self,
        view: &View,
        threshold: Ratio,
        cancel: &Cancel,
    ) -> Result<Vec<PairView>, IndexError> {
        let visible = self.read().table.visible(view);
        let finder = EdgeFinder::new(self, threshold, Some(&visible));
        let mut pairs = Vec::new();
        for a in visible.iter().map(DocId) {
            cancel.check()?;
            let edges = finder.edges_of(a, &|_, b| b < a, cancel)?;
            pairs.extend(edges.into_iter().map(|(b, edge)| PairView { a, b, edge }));
        }
        self.all_texts_read()?;
        Ok(pairs)
    }

    /// Stars over these pairs, and documents that several files carry.
    fn grouped(&self, view: &View, pairs: Vec<PairView>) -> Neighbourhood {
        let mut graph = Graph::default();
        for pair in &pairs {
            graph.connect(pair.a, pair.b, pair.edge);
        }
        let shared = self.read();
        let documents: BTreeSet<DocId> = graph.documents().collect();
        let mut stars: BTreeMap<DocId, BTreeSet<DocId>> =
            assign(&documents, &graph, &|id| rank(&shared.table, id))
                .into_iter()
                .collect();
        let members: BTreeSet<DocId> = stars.values().flatten().copied().collect();
        for id in shared.table.visible(view).iter().map(DocId) {
            let is_text = shared
                .table
                .get(id)
                .is_some_and(|s| s.kind == DocumentKind::Text);
            if is_text && !members.contains(&id) && shared.table.files_in(id, view) >= 2 {
                stars.entry(id).or_default();
            }
        }
        let groups = stars.into_iter().map(|(principal, members)| GroupView {
            id: shared.group_ids.get(&principal).copied(),
            principal,
            members: members
                .into_iter()
                .filter_map(|document| {
                    graph
                        .edge(principal, document)
                        .map(|edge| MemberView { document, edge })
                })
                .collect(),
        });
        Neighbourhood {
            groups: groups.collect(),
            pairs,
        }
    }
}
