//! The maintained counts: of each root, of identical files, and of recently requested views.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use simdex_schema::{ContentHash, DocId, RootId, State};

use super::carriers::{Carriers, FirstCarrier, Shift};
use super::moves::MoveWatches;
use super::{CountChange, CountChanges, CountedFile, FileCounts};
use crate::VisibleRoots;
use crate::table::CountStep;
use crate::table::Table;

/// Number of views whose sums are maintained; the sum of another view is computed from every document that several
/// files carry.
const MAX_VIEWS: usize = 8;

/// Counts that follow every change.
///
/// Each root counts its files in their own states. What is shown differs if several files carry one document: all but
/// the first are shown as identical to it. The difference is summed for each view, document by document. Which file is
/// first may change with each change of these files, and only the store can tell. Until the next count asks it, the
/// document is left out of the sums.
#[derive(Default)]
pub(crate) struct KeptCounts {
    /// Files of each root, in their own states.
    roots: BTreeMap<RootId, FileCounts>,
    /// Carriers of documents with text that several files carry.
    carriers: Carriers,
    /// Documents that are in no sum, with their last change.
    doubtful: BTreeMap<DocId, u64>,
    /// Batches counted so far.
    changes: u64,
    /// Sums of views, by their roots in the order of their paths; the most recently requested one comes first.
    views: Vec<(Vec<RootId>, Shift)>,
    pub(crate) moves: MoveWatches,
}

/// A document whose first file is still to be found.
pub(crate) struct UnresolvedFirst {
    pub(crate) document: DocId,
    change: u64,
    /// Roots and contents of its files.
    pub(crate) carried: Vec<(RootId, ContentHash)>,
}

impl KeptCounts {
    /// Counts the files of a batch.
    pub(crate) fn change(&mut self, table: &mut Table, changes: &CountChanges) {
        self.changes += 1;
        let carried = |change: &CountChange| change.file.carried.map(|(id, _)| id);
        let touched = changes.changes.iter().filter_map(carried);
        let touched: BTreeSet<DocId> = touched.filter(|id| table.is_text(*id)).collect();
        for id in &touched {
            if self.doubtful.remove(id).is_none() {
                self.add_to_views(*id, -1);
            }
        }
        for file in &changes.sole_carriers {
            self.carriers.count(file, CountStep::More);
        }
        for CountChange { file, step } in &changes.changes {
            self.count_file(table, file, *step);
            if is_text(table, file) {
                self.carriers.count(file, *step);
            }
        }
        for id in touched {
            self.place(id, table.files(id));
        }
    }

    /// Counts a file in its root.
    fn count_file(&mut self, table: &mut Table, file: &CountedFile, step: CountStep) {
        let counts = self.roots.entry(file.root).or_default();
        let (files, states) = counts.of_kind(file.is_member);
        step.apply(files);
        step.apply(states.entry(file.state).or_insert(0));
        if file.is_damaged {
            step.apply(&mut counts.damaged);
        }
        let Some((id, _)) = file.carried else { return };
        let is_first_or_last = table.count_file(file.root, id, step);
        if is_first_or_last && table.is_text(id) {
            step.apply(&mut counts.documents);
        }
    }

    /// Puts a document that this many files carry back into the sums, or in doubt.
    fn place(&mut self, id: DocId, files: u64) {
        if files < 2 {
            self.carriers.forget(id);
        } else if self.carriers.is_plain(id) {
            self.carriers.forget_firsts(id);
            self.add_to_views(id, 1);
        } else {
            self.doubtful.insert(id, self.changes);
        }
    }

    fn add_to_views(&mut self, id: DocId, sign: i64) {
        for (roots, sum) in &mut self.views {
            self.carriers.shift(id, roots, sign, sum);
        }
    }

    /// Counts one file more when the index opens; files must come in the order of their paths, so that the first of
    /// each root that carries a document is known without a look-up. Returns false if it is the only one so far of
    /// those that carry a document: if there are others, it must be passed to [`KeptCounts::load_sole`].
    pub(crate) fn load(&mut self, table: &mut Table, file: &CountedFile) -> bool {
        self.count_file(table, file, CountStep::More);
        let Some((id, _)) = file.carried.filter(|_| is_text(table, file)) else {
            return true;
        };
        let is_further = table.files(id) > 1;
        if is_further {
            self.carriers.count(file, CountStep::More);
            self.carriers.note_first(file);
        }
        is_further
    }

    /// Counts the file of a document that was found first, if others were found since.
    pub(crate) fn load_sole(&mut self, table: &Table, file: &CountedFile) {
        if file.carried.is_some_and(|(id, _)| table.files(id) > 1) {
            self.carriers.count(file, CountStep::More);
            self.carriers.set_first(file);
        }
    }

    /// Call once all files are counted. No document is in doubt then, and there are no views yet.
    pub(crate) fn finish_load(&mut self) {
        for id in self.carriers.documents() {
            if self.carriers.is_plain(id) {
                self.carriers.forget_firsts(id);
            }
        }
    }

    /// Batches counted so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The next document in doubt, of those that changed until `until`.
    pub(crate) fn next_doubt(&self, after: Option<DocId>, until: u64) -> Option<UnresolvedFirst> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut doubtful = self.doubtful.range((from, Bound::Unbounded));
        let (document, change) = doubtful.find(|(_, change)| **change <= until)?;
        Some(UnresolvedFirst {
            document: *document,
            change: *change,
            carried: self.carriers.places(*document),
        })
    }

    /// Adds a document that was in doubt back to the sums, unless its files changed since.
    pub(crate) fn resolve(&mut self, doubt: &UnresolvedFirst, firsts: Vec<(RootId, FirstCarrier)>) {
        let id = doubt.document;
        if self.doubtful.get(&id) == Some(&doubt.change) {
            self.doubtful.remove(&id);
            self.carriers.put_firsts(id, firsts);
            self.add_to_views(id, 1);
        }
    }

    /// Counts of a view, by its roots in the order of their paths. For documents in doubt, the file that was first is
    /// taken to be still first.
    pub(crate) fn of_roots(&mut self, roots: &[RootId]) -> FileCounts {
        let mut shift = self.view(roots);
        for id in self.doubtful.keys() {
            self.carriers.shift(*id, roots, 1, &mut shift);
        }
        let mut counts = FileCounts::default();
        for of_root in roots.iter().filter_map(|root| self.roots.get(root)) {
            counts.files_on_disk += of_root.files_on_disk;
            counts.members += of_root.members;
            counts.documents += of_root.documents;
            counts.damaged += of_root.damaged;
            add(&of_root.states, &mut counts.states);
            add(&of_root.member_states, &mut counts.member_states);
        }
        counts.documents = counts.documents.saturating_add_signed(shift.documents);
        move_by(&shift.states, &mut counts.states);
        move_by(&shift.member_states, &mut counts.member_states);
        counts
    }

    /// The sum of a view, which is maintained from now on.
    fn view(&mut self, roots: &[RootId]) -> Shift {
        let known = self.views.iter().position(|(view, _)| view == roots);
        let view = match known {
            Some(at) => self.views.remove(at),
            None => (roots.to_vec(), self.sum(roots)),
        };
        let sum = view.1.clone();
        self.views.truncate(MAX_VIEWS - 1);
        self.views.insert(0, view);
        sum
    }

    fn sum(&self, roots: &[RootId]) -> Shift {
        let mut sum = Shift::default();
        for id in self.carriers.documents() {
            if !self.doubtful.contains_key(&id) {
                self.carriers.shift(id, roots, 1, &mut sum);
            }
        }
        sum
    }

    /// Files below the roots of a view whose text was found damaged and that are still to be read again.
    pub(crate) fn damaged_files(&self, view: &VisibleRoots) -> u64 {
        let shown = self.roots.iter().filter(|(root, _)| view.shows(**root));
        shown.map(|(_, counts)| counts.damaged).sum()
    }

    /// Files on disk of a root.
    pub(crate) fn files_on_disk(&self, root: RootId) -> u64 {
        self.roots.get(&root).map_or(0, |root| root.files_on_disk)
    }
}

/// Adds the files of a root.
fn add(of_root: &BTreeMap<State, u64>, to: &mut BTreeMap<State, u64>) {
    for (state, files) in of_root {
        *to.entry(*state).or_insert(0) += files;
    }
}

/// Moves files to the states in which they are shown; states without files are left out.
fn move_by(shift: &BTreeMap<State, i64>, states: &mut BTreeMap<State, u64>) {
    for (state, moved) in shift {
        let files = states.entry(*state).or_insert(0);
        *files = files.saturating_add_signed(*moved);
    }
    states.retain(|_, files| *files > 0);
}

fn is_text(table: &Table, file: &CountedFile) -> bool {
    file.carried.is_some_and(|(id, _)| table.is_text(id))
}
