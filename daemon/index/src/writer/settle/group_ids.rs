//! Group ids: kept where possible, and assigned to groups that have none.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocId, GroupId, key};

use super::regrouped::Regrouped;
use crate::batch::Batch;
use crate::shared::IndexState;
use crate::{IndexError, IndexWriter};

/// Documents whose groups are shown, and those whose groups are not.
type ByShown = (BTreeSet<DocId>, BTreeSet<DocId>);

impl IndexWriter {
    /// Assigns group ids; returns how the groups changed.
    pub(super) fn update_group_ids(&self) -> Result<Regrouped, IndexError> {
        let mut writer = self.lock();
        let (regrouped, (lost, gained)) = {
            let mut state = self.shared.state_mut();
            let pending = state.unsettled.take_regroupings();
            let principals = pending.iter().map(|id| state.stars.principal(*id));
            let affected: BTreeSet<DocId> = principals.chain(pending.iter().copied()).collect();
            let staying = affected.into_iter().filter(|id| !state.is_going(*id));
            let by_shown = staying.partition(|id| state.is_shown(*id));
            let changed = state.note_appearing(&by_shown);
            let first_new = GroupId(writer.meta.next_group);
            let group_ids = state.assign_group_ids(&by_shown, &mut writer.meta.next_group);
            let made = group_ids.1.iter().filter(|(_, group)| *group >= first_new);
            let made = made
                .map(|(principal, group)| (*group, *principal))
                .collect();
            let (shown, hidden) = by_shown;
            let ids = shown.into_iter().chain(hidden).chain(changed);
            (state.take_regrouped(ids, made), group_ids)
        };
        if lost.is_empty() && gained.is_empty() {
            return Ok(regrouped);
        }
        let mut batch = Batch::new(self.shared.store.records());
        lost.iter().for_each(|id| batch.delete(key::group(*id)));
        for (id, group) in &gained {
            batch.put(key::group(*id), group_value(*group));
        }
        batch.put(key::meta(), writer.meta.encode());
        batch.apply()?;
        Ok(regrouped)
    }
}

impl IndexState {
    /// Keeps group ids where possible: a principal's own, or that of a group whose principal joined this one. Returns
    /// the group ids removed and assigned.
    fn assign_group_ids(
        &mut self,
        (shown, hidden): &ByShown,
        next: &mut u64,
    ) -> (Vec<DocId>, Vec<(DocId, GroupId)>) {
        let free = hidden
            .iter()
            .filter_map(|id| Some((self.group_ids.release(*id)?, *id)));
        let free: BTreeMap<GroupId, DocId> = free.collect();
        let without = shown.iter().filter(|id| self.group_ids.get(**id).is_none());
        let mut without: BTreeSet<DocId> = without.copied().collect();
        let mut gained = Vec::new();
        for (group, old) in &free {
            let successor = self.stars.principal(*old);
            if without.remove(&successor) {
                gained.push((successor, *group));
            }
        }
        for id in without {
            gained.push((id, GroupId(*next)));
            *next += 1;
        }
        for (principal, group) in &gained {
            self.group_ids.assign(*principal, *group);
        }
        (free.into_values().collect(), gained)
    }

    /// Notes the groups that are to be shown and have no id yet, or the other way round, before that changes; returns
    /// their members. All others keep their ids.
    fn note_appearing(&mut self, (shown, hidden): &ByShown) -> Vec<DocId> {
        let has_id = |id: &&DocId| self.group_ids.get(**id).is_some();
        let appear = shown.iter().filter(|id| !has_id(id));
        let principals: Vec<DocId> = appear
            .chain(hidden.iter().filter(has_id))
            .copied()
            .collect();
        let members = principals.iter().flat_map(|id| self.stars.members(*id));
        let members: Vec<DocId> = members.map(|(member, _)| member).collect();
        principals
            .iter()
            .chain(&members)
            .for_each(|id| self.note_group(*id));
        members
    }

    /// Whether a principal is yet to be removed: its group keeps its id until that passes to the successor.
    fn is_going(&self, id: DocId) -> bool {
        self.stars.leads(id) && self.unsettled.needs_file_check(id) && !self.is_groupable(id)
    }

    /// Whether a group around this document is shown: it is the principal of at least two files.
    fn is_shown(&self, id: DocId) -> bool {
        let files = |id| self.table.files_in(id, &self.grouped);
        let mut members = self.stars.members(id);
        let mut has_others = || files(id) >= 2 || members.any(|(member, _)| files(member) > 0);
        self.is_groupable(id) && self.stars.leads(id) && has_others()
    }

    /// Whether the group of a settled document that a file carries is to get an id, or to lose one: after a start few
    /// are. Members are examined only for a principal, and only up to the first with a file.
    pub(super) fn is_to_regroup(&self, id: DocId) -> bool {
        let principal = self.stars.principal(id);
        let has_id = |id| self.group_ids.get(id).is_some();
        let is_shown = match principal == id {
            true => self.is_shown(id),
            false => self.is_groupable(principal),
        };
        is_shown != has_id(principal) || (principal != id && has_id(id))
    }
}

pub(super) fn group_value(group: GroupId) -> Vec<u8> {
    group.0.to_be_bytes().to_vec()
}
