//! Groups in the order of the first files of their principals: the order in which files are listed.
//!
//! Many groups are met on a walk over the files, so that none of them is looked up before the first is visited, and a
//! list that is resumed looks at none of those before. A few are sorted by path instead of reading all files.

use std::ops::ControlFlow;

use simdex_index::{
    DocumentGroup, GroupList, GrowingPermit, IndexError, MemoryAccount, UnsettledCounts,
};
use simdex_schema::{DocId, FileKey};

use super::group_loader::GroupLoader;
use super::{GroupSelection, PATH_OVERHEAD_BYTES, stored};

/// At most this many groups are sorted by path.
const FEW: usize = if cfg!(test) { 8 } else { 1_024 };

/// Visits a group; breaks once the visitor has enough, and returns `None` if no file carries its principal any more.
type VisitGroup<'a> = dyn FnMut(&DocumentGroup) -> Result<Option<ControlFlow<()>>, IndexError> + 'a;

/// What is missing from a list of groups.
pub(super) struct GroupOmissions {
    /// Posting lists that the search skipped.
    pub(super) common_lists_skipped: u64,
    /// Documents that were unsettled, or whose group has no principal any more.
    pub(super) unsettled: UnsettledCounts,
}

impl GroupLoader<'_> {
    /// Visits the groups that come after a path, without those whose principal has vanished since.
    pub(super) fn groups_in_order(
        &self,
        request: GroupSelection<'_>,
        account: &MemoryAccount,
        visit: &mut VisitGroup<'_>,
    ) -> Result<GroupOmissions, IndexError> {
        let mut list = self
            .index
            .groups()
            .list(self.view, request.threshold, account)?;
        let after = request.after.map(|after| stored(after.as_os_str()));
        match list.few(FEW) {
            Some(few) => self.sorted(few, (&mut list, after.as_deref()), account, visit)?,
            None => self.met_on_a_walk((&mut list, after.as_deref()), account, visit)?,
        }
        let mut unsettled = list.unsettled();
        for group in list.without_principal(account)? {
            unsettled.awaited += self.left_behind(&group);
        }
        Ok(GroupOmissions {
            common_lists_skipped: list.common_lists_skipped(),
            unsettled,
        })
    }

    fn sorted(
        &self,
        principals: Vec<DocId>,
        (list, after): (&mut GroupList<'_>, Option<&[u8]>),
        account: &MemoryAccount,
        visit: &mut VisitGroup<'_>,
    ) -> Result<(), IndexError> {
        let (mut held, mut paths) = (GrowingPermit::of(account), Vec::new());
        for principal in principals {
            account.cancel().check()?;
            let Some(path) = self.first_path(principal)? else {
                continue;
            };
            held.add(path.as_os_str().len() as u64 + PATH_OVERHEAD_BYTES)?;
            paths.push((stored(path.as_os_str()), principal));
        }
        paths.sort();
        let unseen = paths
            .into_iter()
            .filter(|(path, _)| after.is_none_or(|after| path[..] > *after));
        for (_, principal) in unseen {
            if let Some(group) = list.take(principal)
                && visit_held(group, list, account, visit)?.is_break()
            {
                break;
            }
        }
        Ok(())
    }

    fn met_on_a_walk(
        &self,
        (list, after): (&mut GroupList<'_>, Option<&[u8]>),
        account: &MemoryAccount,
        visit: &mut VisitGroup<'_>,
    ) -> Result<(), IndexError> {
        let is_resumed = after.is_some();
        self.index
            .files()
            .visit_documents_after(self.view, after, &mut |file, id| {
                account.cancel().check()?;
                match list.take(id) {
                    Some(_) if is_resumed && !self.is_first(&file, id)? => {
                        Ok(ControlFlow::Continue(()))
                    }
                    Some(group) => visit_held(group, list, account, visit),
                    None => Ok(ControlFlow::Continue(())),
                }
            })
    }

    /// Whether no file before this one carries its document.
    fn is_first(&self, file: &FileKey, id: DocId) -> Result<bool, IndexError> {
        if self.index.files().count_of_document(id, self.view) < 2 {
            return Ok(true);
        }
        let first = self.first_file(id)?;
        Ok(first.is_none_or(|first| first.key == *file))
    }
}

/// Visits a group while its memory is counted.
fn visit_held(
    group: DocumentGroup,
    list: &mut GroupList<'_>,
    account: &MemoryAccount,
    visit: &mut VisitGroup<'_>,
) -> Result<ControlFlow<()>, IndexError> {
    account.cancel().check()?;
    let mut held = GrowingPermit::of(account);
    held.add(group.bytes())?;
    Ok(visit(&group)?.unwrap_or_else(|| {
        list.give_back(group);
        ControlFlow::Continue(())
    }))
}
