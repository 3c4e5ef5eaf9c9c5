//! How the groups change: membership is noted before a change, and compared once group ids are assigned.

use std::collections::BTreeMap;
use std::ops::Bound;

use simdex_schema::{DocId, GroupId};

use crate::shared::IndexState;

/// How groups changed between two moments at which they had their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regrouped {
    /// Documents that went from one group to another, from none to one, or from one to none.
    pub moved: Vec<GroupMove>,
    /// Groups that are new, with their principals.
    pub made: Vec<(GroupId, DocId)>,
    /// Groups that have another principal, with the new one.
    pub led: Vec<(GroupId, DocId)>,
    /// Groups that no longer exist, with their former principals.
    pub vanished: Vec<(GroupId, DocId)>,
}

/// A document whose group changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMove {
    /// Id of the document that moved.
    pub document: DocId,
    /// The group it was in.
    pub from: Option<GroupId>,
    /// The group it is in.
    pub to: Option<GroupId>,
}

/// The groups that changed since group ids were last assigned, as they were then.
#[derive(Default)]
pub(crate) struct GroupsBefore {
    documents: BTreeMap<DocId, Option<GroupId>>,
    principals: BTreeMap<GroupId, DocId>,
}

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
            let moved = (from != to).then_some(GroupMove { document, from, to });
            regrouped.moved.extend(moved);
        }
    }

    /// Adds the groups that vanished or have another principal, among the next `most` groups by id; returns the last
    /// one looked at.
    pub(super) fn take_led_and_vanished(
        &mut self,
        from: Bound<GroupId>,
        most: usize,
        regrouped: &mut Regrouped,
    ) -> Option<GroupId> {
        let noted = &mut self.groups_before.principals;
        let some = noted.range((from, Bound::Unbounded)).take(most);
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
