//! A list of groups that is made while it is visited: maintained groups are copied one by one, when their principal is
//! met.

use roaring::RoaringTreemap;
use rustc_hash::FxHashMap;
use simdex_schema::DocId;
use simdex_signature::Ratio;

use super::{AT_ONCE, BegunList, DocumentGroup, FoundGroups, Groups, note_listed};
use crate::{IndexError, MemoryAccount, UnsettledCounts, VisibleRoots};

/// The groups of a view, to be taken by their principals in any order. Each document is in one of them at most.
pub struct GroupList<'a> {
    from: Groups<'a>,
    view: &'a VisibleRoots,
    source: Source,
}

enum Source {
    /// The maintained groups, which may change meanwhile.
    Kept {
        begun: BegunList,
        /// Documents of the groups that were taken.
        listed: RoaringTreemap,
    },
    /// Groups that were computed for the list, and not taken yet.
    Made {
        groups: FxHashMap<DocId, DocumentGroup>,
        /// What else is known of them, with their permit.
        of_all: FoundGroups,
    },
}

impl<'a> Groups<'a> {
    /// Begins a list of the groups that [`Groups::of_view`] returns. If they are kept, none of them is looked at
    /// before it is taken.
    pub fn list(
        self,
        view: &'a VisibleRoots,
        threshold: Ratio,
        account: &MemoryAccount,
    ) -> Result<GroupList<'a>, IndexError> {
        let begun = {
            let state = self.shared.state();
            let is_kept = threshold == self.shared.threshold() && *view == state.grouped;
            is_kept.then(|| BegunList::of(&state))
        };
        let source = match begun {
            Some(begun) => Source::Kept {
                begun,
                listed: RoaringTreemap::new(),
            },
            None => {
                let mut of_all = self.of_view(view, threshold, account)?;
                let groups = std::mem::take(&mut of_all.groups).into_iter();
                let groups = groups.map(|group| (group.principal, group)).collect();
                Source::Made { groups, of_all }
            }
        };
        Ok(GroupList {
            from: self,
            view,
            source,
        })
    }
}

impl GroupList<'_> {
    /// The principals of all groups, if these are not more than `most`.
    pub fn few(&self, most: usize) -> Option<Vec<DocId>> {
        match &self.source {
            Source::Kept { .. } => self.from.shared.state().shown.few(most),
            Source::Made { groups, .. } => {
                (groups.len() <= most).then(|| groups.keys().copied().collect())
            }
        }
    }

    /// The group around a document, unless it heads none or was taken before.
    pub fn take(&mut self, principal: DocId) -> Option<DocumentGroup> {
        match &mut self.source {
            Source::Kept { listed, .. } => {
                let kept = self.from.shared.state().maintained_group(principal);
                kept.filter(|_| !listed.contains(principal.0))
                    .and_then(|mut group| note_listed(&mut group, listed).then_some(group))
            }
            Source::Made { groups, .. } => groups.remove(&principal),
        }
    }

    /// Gives back a group that was taken and not listed, since no file carries its principal any more.
    pub fn give_back(&mut self, group: DocumentGroup) {
        if let Source::Made { groups, .. } = &mut self.source {
            groups.insert(group.principal, group);
        }
    }

    /// Posting lists left unread to find the groups, because none depended on them; 0 for maintained groups.
    pub fn common_lists_skipped(&self) -> u64 {
        match &self.source {
            Source::Kept { .. } => 0,
            Source::Made { of_all, .. } => of_all.common_lists_skipped,
        }
    }

    /// Documents that were unsettled when the list was begun, or that have lost their principal since.
    pub fn unsettled(&self) -> UnsettledCounts {
        match &self.source {
            Source::Kept { begun, .. } => begun.unsettled(&self.from.shared.state()),
            Source::Made { of_all, .. } => of_all.unsettled,
        }
    }

    /// Groups that nothing took because no file carries their principal any more: the next settling decides who leads
    /// them.
    pub fn without_principal(
        &self,
        account: &MemoryAccount,
    ) -> Result<Vec<DocumentGroup>, IndexError> {
        match &self.source {
            Source::Kept { .. } => self.from.leaderless(self.view, account),
            Source::Made { groups, .. } => {
                let files = |id| {
                    let state = self.from.shared.state();
                    state.table.count_files_of(id, self.view)
                };
                let left = groups.values().filter(|group| files(group.principal) == 0);
                Ok(left.cloned().collect())
            }
        }
    }
}

impl Groups<'_> {
    /// The maintained groups whose principal has no file any more. They wait to be settled.
    fn leaderless(
        self,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<Vec<DocumentGroup>, IndexError> {
        let (mut groups, mut next) = (Vec::new(), Some(DocId(0)));
        while let Some(from) = next {
            account.cancel().check()?;
            let state = self.shared.state();
            let some: Vec<DocId> = state.unsettled.to_check_from(from).take(AT_ONCE).collect();
            let is_gone = |id: &&DocId| state.table.count_files_of(**id, view) == 0;
            let gone = some.iter().filter(is_gone);
            let left = gone.map(|id| state.group_around(&state.stars, *id));
            groups.extend(left.filter(|group| !group.members.is_empty()));
            let last = some.last().filter(|_| some.len() == AT_ONCE);
            next = last.map(|last| DocId(last.0 + 1));
        }
        Ok(groups)
    }
}
