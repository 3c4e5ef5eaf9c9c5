//! Group ids: kept where they can be kept, and assigned to groups that have none.
//!
//! Tens of thousands of groups may have changed, and everything else waits for a lock while it is held. So ids are
//! assigned in steps, each a batch of its own, and the locks are free in between. Principals that give up an id come
//! first, in the order of the ids, each with its successor: an id would be lost if the successor had already been given
//! a new one. What was not reached stays queued, so it does not count as settled.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use simdex_schema::{DocId, GroupId, key};

use crate::batch::Batch;
use crate::regrouped::Regrouped;
use crate::shared::IndexState;
use crate::{Fault, IndexError, IndexWriter};

/// Documents whose groups are shown, and those whose groups are not.
type ByShown = (BTreeSet<DocId>, BTreeSet<DocId>);

/// Documents whose groups are looked at under one lock; their principals come on top.
pub(crate) const REGROUPED_AT_ONCE: usize = if cfg!(test) { 4 } else { 1 << 10 };

impl IndexWriter {
    /// Assigns group ids; returns how the groups changed.
    pub(super) fn update_group_ids(&self) -> Result<Regrouped, IndexError> {
        let pending = self.shared.state().unsettled.regrouping_ids();
        let mut regrouped = Regrouped::default();
        let giving_up = self.giving_up(&pending);
        for some in [giving_up, pending]
            .iter()
            .flat_map(|ids| ids.chunks(REGROUPED_AT_ONCE))
        {
            self.update_some_group_ids(some, &mut regrouped)?;
        }
        let mut from = Bound::Unbounded;
        while let Some(last) = {
            let mut state = self.shared.state_mut();
            state.take_led_and_vanished(from, REGROUPED_AT_ONCE, &mut regrouped)
        } {
            from = Bound::Excluded(last);
        }
        Ok(regrouped)
    }

    /// Those of these documents and their principals that have a group id although no group is shown around them any
    /// more, in the order of the ids.
    fn giving_up(&self, pending: &[DocId]) -> Vec<DocId> {
        let mut found: BTreeMap<GroupId, DocId> = BTreeMap::new();
        for some in pending.chunks(REGROUPED_AT_ONCE) {
            let state = self.shared.state();
            for id in some.iter().flat_map(|id| [*id, state.stars.principal(*id)]) {
                let group = state.group_ids.get(id);
                let group = group.filter(|_| !state.is_going(id) && !state.is_shown(id));
                found.extend(group.map(|group| (group, id)));
            }
        }
        found.into_values().collect()
    }

    /// Assigns ids to the groups of some documents, in one batch.
    fn update_some_group_ids(
        &self,
        ids: &[DocId],
        regrouped: &mut Regrouped,
    ) -> Result<(), IndexError> {
        let mut writer = self.lock();
        let (lost, gained) = {
            let mut state = self.shared.state_mut();
            let by_shown = state.take_by_shown(ids);
            let changed = state.note_appearing(&by_shown);
            let first_new = GroupId(writer.meta.next_group);
            let (lost, gained) = state.assign_group_ids(&by_shown, &mut writer.meta.next_group);
            let made = gained.iter().filter(|(_, group)| *group >= first_new);
            let made = made.map(|(principal, group)| (*group, *principal));
            regrouped.made.extend(made);
            let (shown, hidden) = by_shown;
            let ids = shown.into_iter().chain(hidden).chain(changed);
            state.take_moved(ids, regrouped);
            (lost, gained)
        };
        if lost.is_empty() && gained.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new(self.shared.store.records());
        lost.iter().for_each(|id| batch.delete(key::group(*id)));
        for (id, group) in &gained {
            batch.put(key::group(*id), group_value(*group));
        }
        batch.put(key::meta(), writer.meta.encode());
        // Memory is ahead of the store until this succeeds, and these documents are not queued again. Each error of such
        // a batch is a `Fault::Index`: the index is opened again, from what is stored.
        let stored = batch.write();
        debug_assert!(
            stored
                .as_ref()
                .err()
                .is_none_or(|error| error.fault() == Fault::Index)
        );
        Ok(stored?)
    }
}

impl IndexState {
    /// Takes these documents off the queue; returns them and their principals, by whether a group is shown around them.
    fn take_by_shown(&mut self, ids: &[DocId]) -> ByShown {
        #[cfg(test)]
        {
            let largest = &mut self.unsettled.largest_regrouping;
            *largest = (*largest).max(ids.len());
        }
        // Some may have come to need a place since they were listed: they are queued again once they have one.
        let waiting = ids
            .iter()
            .filter(|id| !self.unsettled.needs_placement(**id));
        let waiting: Vec<DocId> = waiting.copied().collect();
        waiting
            .iter()
            .for_each(|id| self.unsettled.clear_regrouping(*id));
        let principals = waiting.iter().map(|id| self.stars.principal(*id));
        let affected: BTreeSet<DocId> = principals.chain(waiting.iter().copied()).collect();
        let staying = affected.into_iter().filter(|id| !self.is_going(*id));
        staying.partition(|id| self.is_shown(*id))
    }

    /// Keeps group ids where they can be kept: a principal has its own, or that of a group whose principal joined this
    /// one. Returns the group ids taken away and those assigned.
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
        let files = |id| self.table.count_files_of(id, &self.grouped);
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
