//! Documents that no file carries any more leave their groups, many in one batch. The members of a principal are
//! unsettled in parts, as they were settled.

use simdex_schema::{DocId, key};

use super::group_ids::group_value;
use super::parts::PART;
use crate::batch::{Batch, LONG_BATCH};
use crate::groups::rank;
use crate::shared::IndexState;
use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// Removes documents from their groups, except those that a file carries again: the next step then decides where
    /// they belong. Other changes may be applied between two batches.
    pub(super) fn remove_from_groups(&self, gone: &[DocId]) -> Result<(), IndexError> {
        let mut left = gone;
        while let Some(first) = left.first() {
            self.unsettle_all_but_few(*first)?;
            left = self.remove_some(left)?;
        }
        Ok(())
    }

    /// Unsettles the members of a document until one batch can hold the rest. Possible successors stay until the
    /// principal is removed with them, so the group id can still be passed on after a crash.
    fn unsettle_all_but_few(&self, id: DocId) -> Result<(), IndexError> {
        if !self.shared.state().leads_many(id) {
            return Ok(());
        }
        let members = self.shared.state().members_by_succession(id);
        for some in members[PART..].rchunks(PART) {
            let _writer = self.lock();
            let since = {
                let state = self.shared.state();
                if state.is_groupable(id) {
                    return Ok(());
                }
                state.unsettled.check_since(id)
            };
            self.take_places(some, since)?;
        }
        Ok(())
    }

    /// Removes the first of these documents in one batch, and at least one; returns the others. The first has few
    /// members.
    fn remove_some<'a>(&self, gone: &'a [DocId]) -> Result<&'a [DocId], IndexError> {
        let _writer = self.lock();
        let mut batch = Batch::new(self.shared.store.records());
        let (mut removed, mut left) = (Vec::new(), gone);
        let state = self.shared.state();
        while let [id, others @ ..] = left
            && batch.len() < LONG_BATCH
            && (left.len() == gone.len() || !state.leads_many(*id))
        {
            if !state.is_groupable(*id) {
                removed.push((*id, state.stage_removal(*id, &mut batch)));
            }
            left = others;
        }
        // It is locked again below.
        drop(state);
        batch.write()?;
        let mut state = self.shared.state_mut();
        for (id, successor) in removed {
            state.remove_from_group(id, successor);
        }
        Ok(left)
    }
}

impl IndexState {
    /// Whether so many are in the star of a document that one batch does not hold them.
    fn leads_many(&self, id: DocId) -> bool {
        self.stars.members(id).nth(PART).is_some()
    }

    /// The members of a principal, the likeliest successor first.
    fn members_by_succession(&self, id: DocId) -> Vec<DocId> {
        let members = self.stars.members(id).map(|(member, _)| member);
        let mut members: Vec<DocId> = members.collect();
        members.sort_by_cached_key(|id| (!self.may_succeed(*id), rank(&self.table, *id)));
        members
    }

    /// Whether a document may inherit the id of the group it is in.
    fn may_succeed(&self, member: DocId) -> bool {
        self.is_groupable(member) && self.group_ids.get(member).is_none()
    }

    /// The member that inherits the id of the group of a document, if it has one.
    fn successor(&self, id: DocId) -> Option<DocId> {
        let members = self.stars.members(id).map(|(member, _)| member);
        let possible = members.filter(|member| self.may_succeed(*member));
        possible.min_by_key(|member| rank(&self.table, *member))
    }

    /// Adds to a batch what removing a document from its group changes; returns the successor. Its mark on disk says
    /// that it must be placed again if a file carries it once more, and so do those of the members it displaces.
    fn stage_removal(&self, id: DocId, batch: &mut Batch<'_>) -> Option<DocId> {
        batch.put(key::unsettled(id), Vec::new());
        batch.delete(key::edge(id, self.stars.principal(id)));
        for (member, _) in self.stars.members(id) {
            batch.delete(key::edge(id, member));
            batch.put(key::unsettled(member), Vec::new());
        }
        let group = self.group_ids.get(id)?;
        batch.delete(key::group(id));
        let successor = self.successor(id)?;
        batch.put(key::group(successor), group_value(group));
        Some(successor)
    }

    /// Removes a document from its group, whose id passes to the successor.
    fn remove_from_group(&mut self, id: DocId, successor: Option<DocId>) {
        let since = self.unsettled.clear_file_check(id);
        let members: Vec<DocId> = self.stars.members(id).map(|(member, _)| member).collect();
        members
            .into_iter()
            .chain([id])
            .for_each(|id| self.note_regrouping(id, since));
        let displaced = self.unplace(id);
        self.requeue(&displaced, since);
        if let (Some(group), Some(successor)) = (self.group_ids.release(id), successor) {
            self.group_ids.assign(successor, group);
        }
    }
}
