//! Documents that no file carries any more leave their groups. The members of a principal are unsettled in parts, as
//! they were settled.

use simdex_schema::{DocId, key};

use super::group_ids::group_value;
use super::parts::PART;
use crate::batch::Batch;
use crate::groups::rank;
use crate::shared::IndexState;
use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// Removes a document from its group, unless a file carries it again: the next step then decides where it belongs.
    /// Other changes may be applied between two parts.
    pub(super) fn remove_from_group(&self, id: DocId) -> Result<(), IndexError> {
        let members = self.shared.state().members_by_succession(id);
        // Possible successors are removed in the last batch, together with the principal, so the group id can still be
        // passed on after a crash.
        let before = members.get(PART..).unwrap_or_default();
        for some in before.rchunks(PART) {
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
        let _writer = self.lock();
        // The state is read before: it is locked again below.
        let carried_again = self.shared.state().is_groupable(id);
        match carried_again {
            true => Ok(()),
            false => self.remove_with_few(id, &members),
        }
    }

    /// Removes a document that has few members; `group` were the documents of its group. Its mark on disk says that it
    /// must be placed again if a file carries it once more, and so do those of the members it displaces. The id of its
    /// group passes to its successor. The caller holds the writer.
    fn remove_with_few(&self, id: DocId, group: &[DocId]) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.shared.store.records());
        let successor = {
            let state = self.shared.state();
            batch.put(key::unsettled(id), Vec::new());
            batch.delete(key::edge(id, state.stars.principal(id)));
            for (member, _) in state.stars.members(id) {
                batch.delete(key::edge(id, member));
                batch.put(key::unsettled(member), Vec::new());
            }
            let successor = group.iter().find(|member| state.may_succeed(**member));
            if let Some(group) = state.group_ids.get(id) {
                batch.delete(key::group(id));
                successor
                    .iter()
                    .for_each(|successor| batch.put(key::group(**successor), group_value(group)));
            }
            successor
        };
        batch.write()?;
        let mut state = self.shared.state_mut();
        let since = state.unsettled.clear_file_check(id);
        let members: Vec<DocId> = state.stars.members(id).map(|(member, _)| member).collect();
        members
            .into_iter()
            .chain([id])
            .for_each(|id| state.note_regrouping(id, since));
        let displaced = state.unplace(id);
        state.requeue(&displaced, since);
        if let (Some(group), Some(successor)) = (state.group_ids.release(id), successor) {
            state.group_ids.assign(*successor, group);
        }
        Ok(())
    }
}

impl IndexState {
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
}
