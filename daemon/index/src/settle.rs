//! Settling: finds the edges of new documents and brings the groups up to date.
//!
//! A pair is examined once, by the later of the two: a document looks for partners among those that
//! were settled before this pass, and among those of this pass with a smaller id.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocId, DocumentKind, EdgeRecord, GroupId, key};
use simdex_signature::Ratio;

use crate::batch::Batch;
use crate::edges::EdgeFinder;
use crate::index::{Index, Shared};
use crate::table::Table;
use crate::{Cancel, DocumentStats, IndexError};

/// Documents settled in one step.
const STEP: usize = 256;

/// Groups are assigned anew once nothing waits for its edges, or from so many changed documents on.
const MOST_RESTLESS: usize = 1 << 16;

/// What one step of settling did.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// Documents that still wait for their edges.
    pub waiting: usize,
    /// Principals of groups that may have changed, if groups were assigned anew.
    pub regrouped: Vec<DocId>,
}

type Edges = Vec<(DocId, Vec<(DocId, EdgeRecord)>)>;

impl Index {
    /// Whether documents wait for their edges, or groups for their members.
    pub fn is_settled(&self) -> bool {
        let shared = self.read();
        shared.unsettled.is_empty() && shared.restless.is_empty()
    }

    /// Settles one step of documents. Only one thread may settle.
    pub fn settle_step(&self, cancel: &Cancel) -> Result<Settled, IndexError> {
        let step: Vec<DocId> = self.read().unsettled.iter().copied().take(STEP).collect();
        if !step.is_empty() {
            let found = self.find_edges(&step, cancel)?;
            self.put_edges(&found)?;
        }
        let (waiting, restless) = {
            let shared = self.read();
            (shared.unsettled.len(), shared.restless.len())
        };
        // A successor that still waits for its edges would miss the handle of its group.
        let mut regrouped = Vec::new();
        if waiting == 0 || restless >= MOST_RESTLESS {
            regrouped = self.regroup()?;
        }
        Ok(Settled { waiting, regrouped })
    }

    /// Settles everything that waits.
    pub fn settle(&self, cancel: &Cancel) -> Result<(), IndexError> {
        while !self.is_settled() {
            self.settle_step(cancel)?;
        }
        Ok(())
    }

    /// Edges of each document of the step, on two threads.
    fn find_edges(&self, step: &[DocId], cancel: &Cancel) -> Result<Edges, IndexError> {
        let threshold = Ratio::new(self.parameters.threshold).unwrap_or(Ratio::ONE);
        let finder = EdgeFinder::new(self, threshold, None);
        let edges_of = |id: &DocId| {
            let earlier =
                |shared: &Shared, other: DocId| other < *id || !shared.unsettled.contains(&other);
            Ok((*id, finder.edges_of(*id, &earlier, cancel)?))
        };
        let (left, right) = step.split_at(step.len() / 2);
        let (left, right): (Result<Edges, IndexError>, Result<Edges, IndexError>) =
            std::thread::scope(|scope| {
                let other = scope.spawn(|| right.iter().map(edges_of).collect());
                let left = left.iter().map(edges_of).collect();
                let gone = || Err(IndexError::Damaged("a settling thread".to_owned()));
                (left, other.join().unwrap_or_else(|_| gone()))
            });
        let mut edges = left?;
        edges.extend(right?);
        Ok(edges)
    }

    /// Stores the edges of a step, each document's with its being settled.
    fn put_edges(&self, found: &Edges) -> Result<(), IndexError> {
        let _writer = self.writer();
        for (a, edges) in found {
            // Either may have been purged while nobody held the lock.
            let known = |id: DocId| self.read().table.get(id).is_some();
            if !known(*a) {
                continue;
            }
            let edges: Vec<&(DocId, EdgeRecord)> =
                edges.iter().filter(|(b, _)| known(*b)).collect();
            let mut batch = Batch::new(self.store.records());
            for (b, edge) in &edges {
                let stored = if a < b { *edge } else { edge.swapped() };
                batch.put(key::edge(*a, *b), stored.encode());
            }
            batch.delete(key::unsettled(*a));
            batch.apply()?;
            let mut shared = self.write();
            for (b, edge) in edges {
                shared.graph.connect(*a, *b, *edge);
            }
            shared.unsettled.remove(a);
            shared.restless.insert(*a);
        }
        Ok(())
    }

    /// Assigns groups anew around documents whose edges or files changed; returns the principals of
    /// those that may have changed.
    fn regroup(&self) -> Result<Vec<DocId>, IndexError> {
        let mut writer = self.writer();
        let (regrouped, (lost, gained)) = {
            let mut shared = self.write();
            let restless = std::mem::take(&mut shared.restless);
            let affected = shared.regroup_around(&restless);
            let handles = shared.assign_handles(&affected, &mut writer.meta.next_group);
            let shown = |id: &DocId| shared.group_ids.contains_key(id);
            (affected.into_iter().filter(shown).collect(), handles)
        };
        if lost.is_empty() && gained.is_empty() {
            return Ok(regrouped);
        }
        let mut batch = Batch::new(self.store.records());
        lost.iter().for_each(|id| batch.delete(key::group(*id)));
        for (id, handle) in &gained {
            batch.put(key::group(*id), handle.0.to_be_bytes().to_vec());
        }
        batch.put(key::meta(), writer.meta.encode());
        batch.apply()?;
        Ok(regrouped)
    }
}

impl Shared {
    /// Brings the stars up to date around these documents; returns all whose star may have changed.
    fn regroup_around(&mut self, changed: &BTreeSet<DocId>) -> BTreeSet<DocId> {
        let Self {
            table,
            graph,
            stars,
            ..
        } = self;
        stars.update(changed, graph, &|id| table.is_live(id), &|id| {
            rank(table, id)
        })
    }

    /// Keeps handles where they can be kept: a principal's own, or that of a group whose principal
    /// joined or was next to this one. Returns handles taken away and given.
    fn assign_handles(
        &mut self,
        affected: &BTreeSet<DocId>,
        next: &mut u64,
    ) -> (Vec<DocId>, Vec<(DocId, GroupId)>) {
        let (shown, hidden): (BTreeSet<DocId>, BTreeSet<DocId>) =
            affected.iter().copied().partition(|id| self.is_shown(*id));
        let free = hidden
            .iter()
            .filter_map(|id| Some((self.group_ids.remove(id)?, *id)));
        let free: BTreeMap<GroupId, DocId> = free.collect();
        let without = shown.iter().filter(|id| !self.group_ids.contains_key(id));
        let mut without: BTreeSet<DocId> = without.copied().collect();
        let mut gained = Vec::new();
        for (handle, old) in &free {
            let neighbours = self.graph.neighbours(*old).map(|(id, _)| id);
            let mut heirs = std::iter::once(self.stars.principal(*old)).chain(neighbours);
            if let Some(heir) = heirs.find(|id| without.remove(id)) {
                gained.push((heir, *handle));
            }
        }
        for id in without {
            gained.push((id, GroupId(*next)));
            *next += 1;
        }
        self.group_ids.extend(gained.iter().copied());
        (free.into_values().collect(), gained)
    }

    /// Whether a group around this document is shown: the principal of at least two files with text.
    fn is_shown(&self, id: DocId) -> bool {
        let is_text = |stats: &DocumentStats| stats.kind == DocumentKind::Text;
        let members = self
            .stars
            .members(id)
            .map(|member| self.table.files(member));
        self.table.is_live(id)
            && self.table.get(id).is_some_and(is_text)
            && self.stars.principal(id) == id
            && self.table.files(id) + members.sum::<u64>() >= 2
    }
}

pub(crate) fn rank(table: &Table, id: DocId) -> crate::groups::Rank {
    let stats = table.get(id);
    let length = stats.map_or(0, |stats| stats.length);
    let hash = stats.map_or(simdex_schema::DocumentHash([0xff; 32]), |stats| stats.hash);
    (std::cmp::Reverse(length), hash)
}
