//! Groups with their files. A document may be carried by a hundred thousand files, so a large group is
//! visited in parts, and the memory held meanwhile is counted.

use std::ops::ControlFlow;
use std::path::Path;

use simdex_index::{
    GroupLookup, GrowingPermit, IndexError, IndexReader, MemoryAccount, UnsettledCounts,
    VisibleRoots,
};
use simdex_schema::{DocId, DocumentHash, GroupId};
use simdex_signature::Ratio;

use super::group_loader::GroupLoader;
use super::{Group, Listing, bytes_of};
use crate::base::visit::FirstError;

/// Which groups are listed.
#[derive(Clone, Copy, Debug)]
pub struct GroupSelection<'a> {
    /// The roots whose files may be listed.
    pub view: &'a VisibleRoots,
    /// Least resemblance of a near-duplicate.
    pub threshold: Ratio,
    /// Only groups whose principal's path comes after this one.
    pub after: Option<&'a Path>,
}

impl<'a> GroupSelection<'a> {
    /// All groups of a view.
    pub fn all(view: &'a VisibleRoots, threshold: Ratio) -> Self {
        Self {
            view,
            threshold,
            after: None,
        }
    }
}

/// Calls `visit` for each group in the order of the first files of their principals, which is that of a list of files,
/// and counts them. For a group of more than `FILES_PER_PART` files it is called several times in succession.
pub fn visit_groups(
    index: &IndexReader,
    request: GroupSelection<'_>,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Listing<u64>, IndexError> {
    let view = request.view;
    let (loader, mut count) = (GroupLoader { index, view }, 0);
    let lacking = loader.groups_in_order(request, account, &mut |group| {
        loader.group(group, account, &mut |part| {
            count += u64::from(!part.is_continued);
            visit(part)
        })
    })?;
    Ok(Listing {
        items: count,
        common_lists_skipped: lacking.common_lists_skipped,
        unsettled: lacking.unsettled,
    })
}

/// Calls `visit` for the principal of each group that [`visit_groups`] lists, in that order; reads one file
/// of each group.
pub fn visit_principals(
    index: &IndexReader,
    view: &VisibleRoots,
    threshold: Ratio,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(DocumentHash) -> ControlFlow<()>,
) -> Result<(), IndexError> {
    let loader = GroupLoader { index, view };
    let request = GroupSelection::all(view, threshold);
    let visited = loader.groups_in_order(request, account, &mut |group| {
        let first = loader.first_file(group.principal)?;
        let document = first.and_then(|file| file.document);
        let shown = document.filter(|_| loader.is_shown(group));
        Ok(shown.map(|(_, hash)| visit(hash)))
    });
    visited.map(drop)
}

/// Calls `visit` for each whole group, in the order of [`visit_groups`]; its memory is counted while it is visited.
pub fn visit_whole_groups(
    index: &IndexReader,
    view: &VisibleRoots,
    threshold: Ratio,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Listing<u64>, IndexError> {
    let (mut whole, mut failed) = (GroupAssembler::of(account), FirstError::default());
    let mut is_on = true;
    let request = GroupSelection::all(view, threshold);
    let counted = visit_groups(index, request, account, &mut |part| {
        let flow = match whole.add(part) {
            Ok(before) => before.map_or(ControlFlow::Continue(()), &mut *visit),
            Err(error) => failed.flow(Err(error)),
        };
        is_on = flow.is_continue();
        flow
    })?;
    failed.into_result()?;
    if let Some(last) = whole.group.filter(|_| is_on) {
        let _ = visit(last);
    }
    Ok(counted)
}

/// Assembles groups from their parts.
struct GroupAssembler<'a> {
    account: &'a MemoryAccount,
    held: GrowingPermit,
    group: Option<Group>,
}

impl<'a> GroupAssembler<'a> {
    fn of(account: &'a MemoryAccount) -> Self {
        Self {
            account,
            held: GrowingPermit::of(account),
            group: None,
        }
    }

    /// Adds a part; returns the group before it, which is then whole.
    fn add(&mut self, part: Group) -> Result<Option<Group>, IndexError> {
        let bytes: u64 = part.members.iter().map(|one| bytes_of(&one.file)).sum();
        if let (true, Some(group)) = (part.is_continued, &mut self.group) {
            self.held.add(bytes)?;
            group.members.extend(part.members);
            return Ok(None);
        }
        self.held = GrowingPermit::of(self.account);
        self.held.add(bytes)?;
        Ok(self.group.replace(part))
    }
}

/// The result of looking up one group.
#[derive(Default)]
pub struct FoundGroup {
    /// The group with the permit for its memory, if it is shown.
    pub group: Option<(Group, GrowingPermit)>,
    /// There is no group to show, but there may be one once waiting documents are settled.
    pub is_unsettled: bool,
    /// Documents that were unsettled when it was looked up.
    pub unsettled: UnsettledCounts,
}

/// The group of a document, as [`visit_groups`] lists it at the index's own threshold; `view` contains everything
/// that is served.
pub fn group_of_document(
    index: &IndexReader,
    view: &VisibleRoots,
    id: DocId,
    account: &MemoryAccount,
) -> Result<FoundGroup, IndexError> {
    shown_group(index, view, index.groups().of_document(id), account)
}

/// The group with this id, in the same form.
pub fn group_by_id(
    index: &IndexReader,
    view: &VisibleRoots,
    id: GroupId,
    account: &MemoryAccount,
) -> Result<FoundGroup, IndexError> {
    let mut known = match id.as_temporary() {
        Some(principal) => index.groups().of_document(principal),
        None => index.groups().by_id(id),
    };
    if id.as_temporary().is_some() {
        // A temporary id is valid until the group has an id of its own.
        known.group = known.group.filter(|group| group.id.is_none());
    }
    shown_group(index, view, known, account)
}

fn shown_group(
    index: &IndexReader,
    view: &VisibleRoots,
    known: GroupLookup,
    account: &MemoryAccount,
) -> Result<FoundGroup, IndexError> {
    let mut found = FoundGroup {
        group: None,
        is_unsettled: known.is_unsettled,
        unsettled: known.unsettled,
    };
    let Some(group) = known.group else {
        return Ok(found);
    };
    let (mut whole, mut failed) = (GroupAssembler::of(account), FirstError::default());
    let loader = GroupLoader { index, view };
    let mut add = |part| failed.flow(whole.add(part).map(drop));
    if loader.group(&group, account, &mut add)?.is_none() {
        // Its principal has disappeared since.
        found.is_unsettled = true;
        found.unsettled.awaited += loader.left_behind(&group);
    }
    failed.into_result()?;
    let GroupAssembler { group, held, .. } = whole;
    found.group = group.map(|group| (group, held));
    Ok(found)
}
