//! Notes membership before groups change, and compares it once group ids are assigned.

use std::ops::Bound;

use simdex_schema::{DocId, GroupId};

use crate::regrouped::{GroupMove, Regrouped};
use crate::shared::IndexState;

impl IndexState {
    /// Notes the group of a document that may be about to change.
    pub(crate) fn note_group(&mut self, id: DocId) {
        let principal = self.stars.principal(id);
        let group = self.group_ids.get(principal);
        if let Some(group) = group {
            let principals = &mut self.groups_before.principals;
            principals.entry(group).or_insert(principal);
        }
        self.groups_before.documents.entry(id).or_insert(group);
    }

    /// The group that a document was last reported to be in.
    pub(crate) fn reported_group(&self, id: DocId) -> Option<GroupId> {
        let noted = self.groups_before.documents.get(&id).copied();
        noted.unwrap_or_else(|| self.group_ids.get(self.stars.principal(id)))
    }

    /// Adds those of these documents that moved to another group. All of them have their places and group ids.
    pub(super) fn take_moved(
        &mut self,
        ids: impl IntoIterator<Item = DocId>,
        regrouped: &mut Regrouped,
    ) {
        for document in ids {
            let Some(from) = self.groups_before.documents.remove(&document) else {
                continue;
            };
            let to = self.group_ids.get(self.stars.principal(document));
            if from != to {
                let is_carried = self.table.count_files_of(document, &self.grouped) > 0;
                regrouped.moved.push(GroupMove {
                    document,
                    from,
                    to,
                    is_carried,
                });
            }
        }
    }

    /// Adds the groups that vanished or have another principal, among the next `limit` groups by id; returns the last
    /// one looked at.
    pub(super) fn take_led_and_vanished(
        &mut self,
        from: Bound<GroupId>,
        limit: usize,
        regrouped: &mut Regrouped,
    ) -> Option<GroupId> {
        let noted = &mut self.groups_before.principals;
        let some = noted.range((from, Bound::Unbounded)).take(limit);
        let some: Vec<_> = some
            .map(|(group, principal)| (*group, *principal))
            .collect();
        for (group, principal) in &some {
            match self.group_ids.principal(*group) {
                None => regrouped.vanished.push((*group, *principal)),
                // The new principal has no place yet, so the group stays noted.
                Some(now) if self.unsettled.needs_placement(now) => continue,
                Some(now) if now != *principal => regrouped.led.push((*group, now)),
                Some(_) => {}
            }
            noted.remove(group);
        }
        some.last().map(|(group, _)| *group)
    }
}
