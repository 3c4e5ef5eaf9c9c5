//! Settling: finds the edges of new documents and brings the groups up to date.
//!
//! A pair is examined once, by the later of the two: a document looks for partners among those that
//! were settled before this pass, and among those of this pass with a smaller id.

use std::collections::BTreeSet;

use roaring::RoaringTreemap;
use simdex_schema::{DocId, DocumentKind, EdgeRecord, GroupId, key};
use simdex_signature::Ratio;

use crate::batch::Batch;
use crate::edges::EdgeFinder;
use crate::index::{Index, Shared};
use crate::table::Table;
use crate::{Cancel, DocumentStats, IndexError};

/// Documents settled in one atomic step.
const STEP: usize = 256;

type Edges = Vec<(DocId, Vec<(DocId, EdgeRecord)>)>;

impl Index {
    /// Whether documents wait for their edges, or groups for their members.
    pub fn is_settled(&self) -> bool {
        let shared = self.read();
        shared.unsettled.is_empty() && shared.restless.is_empty()
    }

    /// Settles one step of documents; returns how many still wait. Only one thread may settle.
    pub fn settle_step(&self, cancel: &Cancel) -> Result<usize, IndexError> {
        let (step, waiting, among) = {
            let shared = self.read();
            let step: Vec<DocId> = shared.unsettled.iter().copied().take(STEP).collect();
            (step, shared.unsettled.clone(), shared.table.known_ids())
        };
        let found = self.find_edges(&step, &waiting, &among, cancel)?;
        self.put_edges(&found)?;
        self.regroup()?;
        Ok(self.read().unsettled.len())
    }

    /// Settles everything that waits.
    pub fn settle(&self, cancel: &Cancel) -> Result<(), IndexError> {
        while !self.is_settled() {
            self.settle_step(cancel)?;
        }
        Ok(())
    }

    /// Edges of each document of the step, on two threads.
    fn find_edges(
        &self,
        step: &[DocId],
        waiting: &BTreeSet<DocId>,
        among: &RoaringTreemap,
        cancel: &Cancel,
    ) -> Result<Edges, IndexError> {
        let threshold = Ratio::new(self.parameters.threshold).unwrap_or(Ratio::ONE);
        let finder = EdgeFinder { index: self, threshold, among };
        let edges_of = |id: &DocId| {
            let earlier = |other: DocId| !waiting.contains(&other) || other < *id;
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

    fn put_edges(&self, found: &Edges) -> Result<(), IndexError> {
        let _writer = self.writer();
        let mut batch = Batch::new(self.store.records());
        let known = |id: DocId| self.read().table.get(id).is_some();
        let mut kept = Vec::new();
        for (a, edges) in found.iter().filter(|(a, _)| known(*a)) {
            batch.delete(key::unsettled(*a));
            for (b, edge) in edges.iter().filter(|(b, _)| known(*b)) {
                let stored = if a < b { *edge } else { edge.swapped() };
                batch.put(key::edge(*a, *b), stored.encode());
                kept.push((*a, *b, *edge));
            }
        }
        batch.apply()?;
        let mut shared = self.write();
        for (a, b, edge) in kept {
            shared.graph.connect(a, b, edge);
        }
        for (id, _) in found {
            shared.unsettled.remove(id);
            shared.restless.insert(*id);
        }
        Ok(())
    }

    /// Assigns groups anew around documents whose edges or files changed.
    fn regroup(&self) -> Result<(), IndexError> {
        let mut writer = self.writer();
        let mut shared = self.write();
        let restless = std::mem::take(&mut shared.restless);
        if restless.is_empty() {
            return Ok(());
        }
        let affected = shared.regroup_around(&restless);
        let next = &mut writer.meta.next_group;
        let (lost, gained) = shared.assign_handles(&affected, next);
        let mut batch = Batch::new(self.store.records());
        lost.iter().for_each(|id| batch.delete(key::group(*id)));
        for (id, handle) in &gained {
            batch.put(key::group(*id), handle.0.to_be_bytes().to_vec());
        }
        batch.put(key::meta(), writer.meta.encode());
        Ok(batch.apply()?)
    }
}

impl Shared {
    /// Brings the stars up to date around these documents; returns all whose star may have changed.
    fn regroup_around(&mut self, changed: &BTreeSet<DocId>) -> BTreeSet<DocId> {
        let Self { table, graph, stars, .. } = self;
        stars.update(changed, graph, &|id| table.is_live(id), &|id| rank(table, id))
    }

    /// Keeps handles where they can be kept: a principal's own, or that of a group whose principal
    /// joined or was next to this one. Returns handles taken away and given.
    fn assign_handles(
        &mut self,
        affected: &BTreeSet<DocId>,
        next: &mut u64,
    ) -> (Vec<DocId>, Vec<(DocId, GroupId)>) {
        let shown: Vec<DocId> = affected.iter().copied().filter(|id| self.is_shown(*id)).collect();
        let mut free: Vec<(DocId, GroupId)> = Vec::new();
        for id in affected.iter().filter(|id| !shown.contains(id)) {
            free.extend(self.group_ids.remove(id).map(|handle| (*id, handle)));
        }
        let lost = free.iter().map(|(id, _)| *id).collect();
        free.sort_by_key(|(_, handle)| *handle);
        let mut gained = Vec::new();
        for id in shown {
            if self.group_ids.contains_key(&id) {
                continue;
            }
            let heir = |old: DocId| {
                self.stars.principal(old) == id || self.graph.edge(old, id).is_some()
            };
            let handle = match free.iter().position(|(old, _)| heir(*old)) {
                Some(at) => free.remove(at).1,
                None => {
                    *next += 1;
                    GroupId(*next - 1)
                }
            };
            self.group_ids.insert(id, handle);
            gained.push((id, handle));
        }
        (lost, gained)
    }

    /// Whether a group around this document is shown: the principal of at least two files with text.
    fn is_shown(&self, id: DocId) -> bool {
        let is_text = |stats: &DocumentStats| stats.kind == DocumentKind::Text;
        let members = self.stars.members(id).map(|member| self.table.files(member));
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
