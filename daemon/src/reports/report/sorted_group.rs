//! A group in the form that the report writes, its principal first.

use std::collections::{HashMap, HashSet};

use simdex_schema::DocumentHash;

use super::{ReportError, ReportGroup, ReportMember};

/// A group in the order of the report: its principal, then the others by path; a component or core in the order it
/// was gathered.
pub(super) struct SortedGroup<'a> {
    pub(super) group: &'a ReportGroup,
    pub(super) principal: &'a ReportMember,
    pub(super) members: Vec<&'a ReportMember>,
}

impl<'a> SortedGroup<'a> {
    pub(super) fn new(group: &'a ReportGroup) -> Result<Self, ReportError> {
        let mut members: Vec<_> = group.members.iter().collect();
        // A component or core keeps the order of other lists: the files of its longest document first.
        if group.kind == "star" {
            members.sort_by_key(|m| (m.path != group.principal, &m.path));
        }
        let first = members.first().filter(|m| m.path == group.principal);
        let principal = *first.ok_or(ReportError::NoPrincipal { id: group.id })?;
        Ok(Self {
            group,
            principal,
            members,
        })
    }

    /// The number of distinct documents of the members.
    pub(super) fn distinct_documents(&self) -> u64 {
        let documents: HashSet<_> = self.members.iter().map(|m| &m.document).collect();
        documents.len() as u64
    }

    /// The least resemblance to the principal; `None` if one was not measured.
    pub(super) fn lowest_resemblance(&self) -> Option<f64> {
        let mut others = self.members.iter().skip(1).map(|m| m.resemblance);
        others.try_fold(1.0, |lowest, next| next.map(|next| f64::min(lowest, next)))
    }

    /// The documents other than the principal's, each with its files, in the members' order.
    pub(super) fn other_documents(&self) -> Vec<(&'a DocumentHash, Vec<&'a ReportMember>)> {
        let mut place = HashMap::new();
        let mut others: Vec<(_, Vec<_>)> = Vec::new();
        for member in &self.members {
            if member.document == self.principal.document {
                continue;
            }
            let at = *place.entry(&member.document).or_insert(others.len());
            match others.get_mut(at) {
                Some((_, files)) => files.push(*member),
                None => others.push((&member.document, vec![*member])),
            }
        }
        others
    }
}
