//! How groups change: what a step of settling returns, and what is noted for it before a change.

use std::collections::BTreeMap;

use simdex_schema::{DocId, GroupId};

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
    /// Whether a file carries it. Where none does, the change that removed the last one had its [`GroupArrival`].
    ///
    /// [`GroupArrival`]: crate::GroupArrival
    pub is_carried: bool,
}

/// The groups that changed since group ids were last assigned, as they were then.
#[derive(Default)]
pub(crate) struct GroupsBefore {
    pub(crate) documents: BTreeMap<DocId, Option<GroupId>>,
    pub(crate) principals: BTreeMap<GroupId, DocId>,
}
