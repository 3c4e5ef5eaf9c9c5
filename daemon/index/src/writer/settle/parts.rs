//! A document that becomes the principal of very many, or takes very many from others: groups are changed in parts, so
//! that no change of files waits for one large batch. Between two parts some documents have no place, as after a crash:
//! each part is complete, and marks on disk which they are.

use std::collections::BTreeSet;

use simdex_schema::{DocId, EdgeRecord, key};

use super::places::put_edge;
use crate::batch::Batch;
use crate::groups::Place;
use crate::unsettled::Epoch;
use crate::{IndexError, IndexWriter};

/// Documents whose places are changed in one batch.
pub(in crate::writer) const PART: usize = if cfg!(test) { 4 } else { 4_096 };

impl IndexWriter {
    /// Whether placing a document changes the places of more others than one batch may hold.
    pub(super) fn is_long(&self, place: &Place) -> bool {
        let Place::Principal { taken } = place else {
            return false;
        };
        let displaced = self.shared.state().stars.displaced(place);
        taken.len() + displaced.len() > PART
    }

    /// Makes a document the principal of these, which are later principals or their members: they lose their places, it
    /// gets its own, and they join it.
    pub(super) fn lead_in_parts(
        &self,
        id: DocId,
        taken: &[(DocId, EdgeRecord)],
    ) -> Result<(), IndexError> {
        let (members, leaders) = self.losing_places(taken);
        // A principal loses its place once it has no members any more.
        for some in members.chunks(PART).chain(leaders.chunks(PART)) {
            let _writer = self.lock();
            let since = self.shared.state().unsettled.placement_since(id);
            self.take_places(some, since)?;
        }
        let alone = Place::Principal { taken: Vec::new() };
        if self.place_at_once(vec![(id, alone)])? == 0 {
            return Ok(());
        }
        let mut parts = taken.chunks(PART);
        parts.try_for_each(|some| self.join_all(id, some))
    }

    /// The members among these and of those that are principals, and the principals.
    fn losing_places(&self, taken: &[(DocId, EdgeRecord)]) -> (Vec<DocId>, Vec<DocId>) {
        let stars = &self.shared.state().stars;
        let taken = taken.iter().map(|(other, _)| *other);
        let (leaders, members): (Vec<DocId>, Vec<DocId>) = taken.partition(|id| stars.leads(*id));
        let theirs = leaders.iter().flat_map(|id| stars.members(*id));
        let theirs = theirs.map(|(member, _)| member);
        let members: BTreeSet<DocId> = theirs.chain(members).collect();
        (members.into_iter().collect(), leaders)
    }

    /// Takes the places of settled documents without members, because of something queued in that epoch. The caller
    /// holds the writer.
    pub(in crate::writer) fn take_places(
        &self,
        ids: &[DocId],
        since: Epoch,
    ) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.shared.store.records());
        {
            let state = self.shared.state();
            for id in ids {
                batch.delete(key::edge(*id, state.stars.principal(*id)));
                batch.put(key::unsettled(*id), Vec::new());
            }
        }
        batch.write()?;
        let mut state = self.shared.state_mut();
        for id in ids {
            state.note_regrouping(*id, since);
            let displaced = state.unplace(*id);
            debug_assert!(displaced.is_empty(), "it led somebody");
            state.unsettled.queue_placement_since(*id, since);
        }
        Ok(())
    }

    /// Makes documents without a place members of a principal; those that are gone by now need none.
    fn join_all(&self, principal: DocId, some: &[(DocId, EdgeRecord)]) -> Result<(), IndexError> {
        let _writer = self.lock();
        let mut batch = Batch::new(self.shared.store.records());
        let joining: Vec<(DocId, EdgeRecord)> = {
            let state = self.shared.state();
            let there = some.iter().filter(|(id, _)| state.is_groupable(*id));
            there.copied().collect()
        };
        for (id, edge) in &joining {
            batch.delete(key::unsettled(*id));
            put_edge(&mut batch, principal, *id, *edge);
        }
        batch.write()?;
        let mut state = self.shared.state_mut();
        for (id, edge) in joining {
            let since = state.unsettled.clear_placement(id);
            state.note_regrouping(id, since);
            state.join(id, principal, edge);
        }
        Ok(())
    }
}
