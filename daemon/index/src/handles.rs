//! The handles of groups: from a principal to its group's number, and back.

use std::collections::HashMap;

use simdex_schema::{DocId, GroupId};

/// Numbers of groups and their principals, one to one.
#[derive(Default)]
pub(crate) struct Handles {
    of: HashMap<DocId, GroupId>,
    principals: HashMap<GroupId, DocId>,
}

impl Handles {
    /// The number of the group around this principal.
    pub(crate) fn of(&self, principal: DocId) -> Option<GroupId> {
        self.of.get(&principal).copied()
    }

    /// Bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        (self.of.capacity() + self.principals.capacity()) * size_of::<(DocId, GroupId)>()
    }

    /// How many groups have a number.
    pub(crate) fn len(&self) -> usize {
        self.of.len()
    }

    /// The principal of the group with this number.
    pub(crate) fn principal(&self, handle: GroupId) -> Option<DocId> {
        self.principals.get(&handle).copied()
    }

    /// Assigns a number to a principal.
    pub(crate) fn assign(&mut self, principal: DocId, handle: GroupId) {
        self.release(principal);
        if let Some(before) = self.principals.insert(handle, principal) {
            self.of.remove(&before);
        }
        self.of.insert(principal, handle);
    }

    /// Takes a principal's number away.
    pub(crate) fn release(&mut self, principal: DocId) -> Option<GroupId> {
        let handle = self.of.remove(&principal)?;
        self.principals.remove(&handle);
        Some(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_leads_to_its_principal_and_to_no_other() {
        let mut handles = Handles::default();
        let (a, b, number) = (DocId(1), DocId(2), GroupId(7));
        handles.assign(a, number);
        handles.assign(b, number);
        assert_eq!((handles.of(a), handles.of(b)), (None, Some(number)));
        assert_eq!(handles.principal(number), Some(b));
        handles.assign(b, GroupId(8));
        assert_eq!(handles.principal(number), None);
        assert_eq!(handles.release(b), Some(GroupId(8)));
        assert_eq!((handles.of(b), handles.principal(GroupId(8))), (None, None));
    }
}
