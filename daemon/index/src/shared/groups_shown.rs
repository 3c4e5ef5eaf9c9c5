//! The number of groups shown, maintained with each change of files and places, so that nothing has to scan all
//! documents for it.
//!
//! A group is shown around a document that is no member and has a file, if it and its members have two files or more;
//! it need not be settled. A change costs time in proportion to the documents it concerns.

use std::collections::BTreeSet;

use roaring::RoaringTreemap;
use rustc_hash::FxHashMap;
use simdex_schema::{DocId, EdgeRecord};

use super::IndexState;
use crate::VisibleRoots;
use crate::counts::{CountChanges, KeptCounts};
use crate::groups::Place;

/// The groups shown.
#[derive(Default)]
pub(crate) struct GroupsShown {
    /// Files of the members of each principal.
    of_members: FxHashMap<DocId, u64>,
    /// The documents whose groups are shown.
    around: RoaringTreemap,
}

impl GroupsShown {
    /// The number of groups shown.
    pub(crate) fn len(&self) -> u64 {
        self.around.len()
    }

    /// The documents whose groups are shown, if these are not more than `most`.
    pub(crate) fn few(&self, most: usize) -> Option<Vec<DocId>> {
        (self.around.len() <= most as u64).then(|| self.around.iter().map(DocId).collect())
    }

    /// Approximate bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.of_members.capacity() * size_of::<(DocId, u64)>() + self.around.serialized_size()
    }
}

impl IndexState {
    /// Counts what was applied: the files of each document and root.
    pub(crate) fn count(&mut self, counts: &mut KeptCounts, changes: &CountChanges) {
        let carried = changes
            .changes
            .iter()
            .filter_map(|change| change.file.carried);
        let concerned = carried.map(|(id, _)| id).collect();
        self.shown_after(concerned, |state| counts.change(&mut state.table, changes));
    }

    /// Settles a document in its place; returns the members that this leaves unsettled.
    pub(crate) fn place(&mut self, id: DocId, place: &Place) -> Vec<DocId> {
        let taken: &[_] = match place {
            Place::Principal { taken } => taken,
            Place::Member { .. } => &[],
        };
        let concerned = self.stars.displaced(place).into_iter().chain([id]);
        let concerned = concerned.chain(taken.iter().map(|(other, _)| *other));
        self.shown_after(concerned.collect(), |state| state.stars.place(id, place))
    }

    /// Removes a document from its star; returns the members that this leaves unsettled.
    pub(crate) fn unplace(&mut self, id: DocId) -> Vec<DocId> {
        let members = self.stars.members(id).map(|(member, _)| member);
        let concerned = members.chain([id]).collect();
        self.shown_after(concerned, |state| state.stars.remove(id))
    }

    /// Adds a document to a star; `edge` counts the principal's side first.
    pub(crate) fn join(&mut self, id: DocId, principal: DocId, edge: EdgeRecord) {
        let concerned = [id].into();
        self.shown_after(concerned, |state| state.stars.join(id, principal, edge));
    }

    /// Changes the files or places of some documents.
    fn shown_after<T>(
        &mut self,
        concerned: BTreeSet<DocId>,
        change: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut around = concerned.clone();
        for id in &concerned {
            let (principal, files) = self.files_for_principal(*id);
            around.insert(principal);
            if files > 0
                && let Some(of_members) = self.shown.of_members.get_mut(&principal)
            {
                *of_members = of_members.saturating_sub(files);
                if *of_members == 0 {
                    self.shown.of_members.remove(&principal);
                }
            }
        }
        let changed = change(self);
        for id in &concerned {
            let (principal, files) = self.files_for_principal(*id);
            around.insert(principal);
            if files > 0 {
                *self.shown.of_members.entry(principal).or_insert(0) += files;
            }
        }
        around.into_iter().for_each(|id| self.show_or_hide(id));
        changed
    }

    /// The principal of a document, and how many files the document counts for that principal.
    fn files_for_principal(&self, id: DocId) -> (DocId, u64) {
        let principal = self.stars.principal(id);
        let files = match principal == id {
            true => 0,
            false => self.table.count_files_of(id, &self.grouped),
        };
        (principal, files)
    }

    fn show_or_hide(&mut self, id: DocId) {
        let own = self.table.count_files_of(id, &self.grouped);
        let of_members = self.shown.of_members.get(&id).copied().unwrap_or(0);
        let leads_some = self.stars.principal(id) == id && own > 0 && own + of_members > 1;
        match leads_some && self.table.is_text(id) {
            true => self.shown.around.insert(id.0),
            false => self.shown.around.remove(id.0),
        };
    }

    /// Recounts everything: the documents were loaded, or a different set of them is grouped.
    pub(crate) fn recount_shown(&mut self) {
        self.shown = GroupsShown::default();
        let known = self.table.known().clone();
        for id in known.iter().map(DocId) {
            let (principal, files) = self.files_for_principal(id);
            if files > 0 {
                *self.shown.of_members.entry(principal).or_insert(0) += files;
            }
        }
        known.iter().for_each(|id| self.show_or_hide(DocId(id)));
    }

    /// Groups only documents with files in this view.
    pub(crate) fn group_view(&mut self, view: VisibleRoots) {
        self.grouped = view;
        self.recount_shown();
    }
}
