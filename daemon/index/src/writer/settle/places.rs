//! Stores and publishes the places of documents: first in the store, then in memory.

use simdex_schema::{DocId, EdgeRecord, key};

use crate::batch::Batch;
use crate::groups::Place;
use crate::shared::IndexState;
use crate::unsettled::Epoch;
use crate::{IndexError, IndexWriter};

/// A document and its place.
pub(super) type Placed = (DocId, Place);

impl IndexWriter {
    /// Stores and publishes places in one batch, and takes them from the list.
    pub(super) fn publish_places(&self, found: &mut Vec<Placed>) -> Result<(), IndexError> {
        match found.is_empty() {
            true => Ok(()),
            false => self.place_at_once(std::mem::take(found)).map(drop),
        }
    }

    /// Stores and publishes the places of documents in one batch; returns how many of them are not gone. One that takes documents from
    /// other groups must be alone.
    pub(super) fn place_at_once(&self, mut places: Vec<Placed>) -> Result<usize, IndexError> {
        let _writer = self.lock();
        {
            let mut state = self.shared.state_mut();
            places.retain(|(id, _)| {
                let is_there = state.is_groupable(*id);
                if !is_there {
                    // If a file carries it again, `check_changed_files` queues it again.
                    let _since = state.unsettled.clear_placement(*id);
                }
                is_there
            });
        }
        self.batch_of(&places).write()?;
        let mut state = self.shared.state_mut();
        for (id, place) in &places {
            let since = state.unsettled.clear_placement(*id);
            state.note_regrouping_for(*id, place, since);
            let displaced = state.place(*id, place);
            if state.stars.leads(*id) {
                state.note_principal(*id);
            }
            state.requeue(&displaced, since);
        }
        Ok(places.len())
    }

    /// What placing documents changes on disk: all of it or nothing.
    fn batch_of(&self, places: &[Placed]) -> Batch<'_> {
        let state = self.shared.state();
        let mut batch = Batch::new(self.shared.store.records());
        for (id, place) in places {
            batch.delete(key::unsettled(*id));
            match place {
                Place::Member { principal, edge } => put_edge(&mut batch, *principal, *id, *edge),
                Place::Principal { taken } => {
                    for member in state.stars.displaced(place) {
                        batch.delete(key::edge(member, state.stars.principal(member)));
                        batch.put(key::unsettled(member), Vec::new());
                    }
                    for (other, edge) in taken {
                        batch.delete(key::edge(*other, state.stars.principal(*other)));
                        put_edge(&mut batch, *id, *other, *edge);
                    }
                }
            }
        }
        batch
    }
}

impl IndexState {
    /// Notes that the groups of all documents concerned are about to change because one gets this place.
    fn note_regrouping_for(&mut self, id: DocId, place: &Place, since: Epoch) {
        let taken: &[_] = match place {
            Place::Principal { taken } => taken,
            Place::Member { .. } => &[],
        };
        let taken = taken.iter().map(|(other, _)| *other);
        let displaced = self.stars.displaced(place);
        let changed: Vec<DocId> = taken.chain(displaced).chain([id]).collect();
        changed
            .into_iter()
            .for_each(|id| self.note_regrouping(id, since));
    }

    /// Queues members that lost their principal, to be placed again; the cause was queued in that epoch.
    pub(super) fn requeue(&mut self, displaced: &[DocId], since: Epoch) {
        displaced
            .iter()
            .for_each(|id| self.unsettled.queue_placement_since(*id, since));
    }
}

/// Stores the edge between a principal and its member, counted from the principal's side.
pub(super) fn put_edge(batch: &mut Batch<'_>, principal: DocId, member: DocId, edge: EdgeRecord) {
    let stored = if principal < member {
        edge
    } else {
        edge.swapped()
    };
    batch.put(key::edge(principal, member), stored.encode());
}
