//! Group ids: maps a principal to the id of its group, and back.

use std::collections::HashMap;

use simdex_schema::{DocId, GroupId};

/// Group ids and their principals, one to one. A group is shown once it has an id. The id outlives changes of its
/// members and passes to the next principal.
#[derive(Default)]
pub(crate) struct GroupIds {
    of: HashMap<DocId, GroupId>,
    principals: HashMap<GroupId, DocId>,
}

impl GroupIds {
    /// The id of this principal's group.
    pub(crate) fn get(&self, principal: DocId) -> Option<GroupId> {
        self.of.get(&principal).copied()
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        (self.of.capacity() + self.principals.capacity()) * size_of::<(DocId, GroupId)>()
    }

    /// How many groups have an id.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.of.len()
    }

    /// The principal of the group with this id.
    pub(crate) fn principal(&self, group: GroupId) -> Option<DocId> {
        self.principals.get(&group).copied()
    }

    /// Assigns an id to a principal's group, taking it from another one if necessary.
    pub(crate) fn assign(&mut self, principal: DocId, group: GroupId) {
        self.release(principal);
        if let Some(before) = self.principals.insert(group, principal) {
            self.of.remove(&before);
        }
        self.of.insert(principal, group);
    }

    /// Removes and returns the id of a principal's group.
    pub(crate) fn release(&mut self, principal: DocId) -> Option<GroupId> {
        let group = self.of.remove(&principal)?;
        self.principals.remove(&group);
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_leads_to_its_principal_and_to_no_other() {
        let mut group_ids = GroupIds::default();
        let (a, b, number) = (DocId(1), DocId(2), GroupId(7));
        group_ids.assign(a, number);
        group_ids.assign(b, number);
        assert_eq!((group_ids.get(a), group_ids.get(b)), (None, Some(number)));
        assert_eq!(group_ids.principal(number), Some(b));
        group_ids.assign(b, GroupId(8));
        assert_eq!(group_ids.principal(number), None);
        assert_eq!(group_ids.release(b), Some(GroupId(8)));
        assert_eq!(
            (group_ids.get(b), group_ids.principal(GroupId(8))),
            (None, None)
        );
    }
}
