//! Settling: places new documents among the groups and updates the groups.
//!
//! A document waits here from the moment it is recorded until its star is known (the batch that stores its place
//! removes its *unsettled* mark in the store), and again when its principal is gone. Every step leaves the stars over
//! the settled documents exact; see [`crate::groups`].
//!
//! | a document | in `unsettled` | in `stars` |
//! |---|---|---|
//! | is new, or its principal is gone | to place | no |
//! | is settled | no | yes, as a principal or a member |
//! | gained or lost a file | to check, besides | as before |
//! | was checked and has no file any more | no | no: it is removed from its group |
//!
//! Documents whose groups changed because of that are also in `unsettled`, to be regrouped, until the groups have their
//! ids.
//!
//! Documents are placed in rounds, each in order of rank, longest first, so that a family loaded together has its
//! principal from the beginning and each member costs one exact comparison. A document that must be compared with many
//! principals, or with very many of their members, is deferred: a few of these follow each round.

use simdex_schema::DocId;

use crate::edges::EdgeFinder;
use crate::groups::{Place, rank};
use crate::shared::IndexState;
use crate::two_threads::on_two_threads;
use crate::unsettled::{Effort, Epoch, PlacementBatch};
use crate::{Cancel, IndexError, IndexWriter, MemoryAccount, UnsettledCounts, VisibleRoots};

mod group_ids;
mod newcomers;
mod parts;
mod places;
mod regrouped;
mod removal;

use crate::regrouped::Regrouped;
#[cfg(test)]
pub(crate) use group_ids::REGROUPED_AT_ONCE;
use newcomers::{Newcomer, Placement};
pub(super) use parts::PART;
use places::Placed;

/// Documents that are settled in one step.
const STEP: usize = if cfg!(test) { 128 } else { 1024 };
/// Documents whose candidates are found at once, and held until they are placed.
const AT_ONCE: usize = if cfg!(test) { 16 } else { 64 };
/// Documents with changed files that are checked under one lock, which takes some milliseconds.
const CHECKED_AT_ONCE: usize = if cfg!(test) { 64 } else { 4096 };
/// Limit of the principals that documents placed at once may have to be compared with, 24 bytes each.
const MAX_PARTNERS: usize = 1 << 22;

/// Group ids are assigned at the end of each round, and documents without files removed from their groups once no
/// document that came before waits for its place; or as soon as this many documents are concerned.
const MAX_PENDING_GROUPS: usize = 1 << 16;

impl IndexWriter {
    /// Limits the maintained groups to documents with files in this view.
    pub fn set_grouped_view(&self, view: VisibleRoots) {
        let mut state = self.shared.state_mut();
        state.group_view(view);
        state.queue_all_file_checks();
    }

    /// Whether every document has its place, and every group its id.
    pub fn is_settled(&self) -> bool {
        self.shared.state().unsettled.is_empty()
    }

    /// Whether nothing is queued that barriers wait for; crowded documents may be.
    pub fn is_settled_for_barriers(&self) -> bool {
        self.shared.state().unsettled.counts().awaited == 0
    }

    /// Documents that are not settled.
    pub fn unsettled(&self) -> UnsettledCounts {
        self.shared.state().unsettled.counts()
    }

    /// How many of these wait until others have their places, since each takes more work.
    pub fn deferred(&self) -> u64 {
        self.shared.state().unsettled.deferred() as u64
    }

    /// How many documents got a place in a group since the last call.
    pub fn take_placed(&self) -> u64 {
        self.shared.work.take_placed()
    }

    /// A point in time to wait for with [`IndexWriter::is_settled_through`]: what is applied from now on is not waited
    /// for.
    pub fn end_epoch(&self) -> Epoch {
        self.shared.state_mut().unsettled.end_epoch()
    }

    /// Whether everything applied up to the end of an epoch is settled, and what follows from it, whatever was applied
    /// since.
    pub fn is_settled_through(&self, epoch: Epoch) -> bool {
        self.shared.state().unsettled.is_settled_through(epoch)
    }

    /// Settles one step of documents; returns how the groups changed, once they have their ids. Only one
    /// thread may settle.
    pub fn settle_step(&self, cancel: &Cancel) -> Result<Regrouped, IndexError> {
        self.check_changed_files()?;
        let step = self.next_step(cancel)?;
        let finder = EdgeFinder::for_backlog(self.reader.shingles());
        for some in step.documents.chunks(AT_ONCE) {
            self.settle_some(&finder, some, step.effort, cancel)?;
        }
        // So that after many changes no count has to look up as much.
        self.reader
            .file_totals()
            .resolve_some_doubts(STEP, cancel)?;
        let is_due = {
            let unsettled = &self.shared.state().unsettled;
            unsettled.is_round_over() || unsettled.regroupings() >= MAX_PENDING_GROUPS
        };
        match is_due {
            true => self.update_group_ids(),
            false => Ok(Regrouped::default()),
        }
    }

    /// Finds the places of some documents, which come in order of rank; defers those that take more than this effort.
    fn settle_some(
        &self,
        finder: &EdgeFinder<'_>,
        ids: &[DocId],
        effort: Effort,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let mut newcomers = self.load_newcomers(finder, ids, effort, cancel)?;
        let deferred = newcomers.extract_if(.., |newcomer| newcomer.deferred_to().is_some());
        deferred.for_each(|newcomer| self.defer(&newcomer));
        self.compare(finder, &mut newcomers, cancel)?;
        let mut found = Vec::new();
        let placed = self.place_in_order(finder, &mut newcomers, effort, &mut found, cancel);
        self.publish_places(&mut found).and(placed)
    }

    /// Finds the places of newcomers, in order of rank, and adds them to `found`. These are stored and published before a
    /// newcomer that depends on one of them.
    fn place_in_order(
        &self,
        finder: &EdgeFinder<'_>,
        newcomers: &mut [Newcomer],
        effort: Effort,
        found: &mut Vec<Placed>,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let (account, mut deferred_leaders) = (self.settling(cancel), Vec::new());
        for (at, newcomer) in newcomers.iter_mut().enumerate() {
            cancel.check()?;
            if at > 0 && !newcomer.is_found() && self.is_to_break_off(effort) {
                continue;
            }
            let leads = |(id, place): &Placed| place.leads().then_some(*id);
            if found
                .iter()
                .filter_map(leads)
                .any(|id| newcomer.may_join(id))
            {
                self.publish_places(found)?;
            }
            match self.place_of(finder, newcomer, &deferred_leaders, &account)? {
                Placement::At(place) => {
                    self.settle_at(finder, newcomer, place, found, &account)?;
                }
                Placement::Deferred => {
                    self.defer(newcomer);
                    deferred_leaders.extend(newcomer.leads_many().then_some(newcomer.id));
                }
                Placement::Changed => {}
            }
            newcomer.give_back();
        }
        Ok(())
    }

    /// Notes the place of a document in `found`, so that many are stored in one batch: each waits for the disk. A place
    /// that takes documents from other groups is stored and published at once, after those, and so is that of a crowded
    /// document, since the next may take long. Of the others, newcomers after it need to see only that it leads, if they
    /// may join it: its rank is before theirs.
    fn settle_at(
        &self,
        finder: &EdgeFinder<'_>,
        newcomer: &Newcomer,
        place: Place,
        found: &mut Vec<Placed>,
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let id = newcomer.id;
        self.shared.work.placed();
        if let (Place::Principal { .. }, Some(loaded)) = (&place, &newcomer.loaded) {
            // Before it becomes one, so that it is never missed.
            let sample = finder.sample(loaded, account)?.unwrap_or_default();
            let lists = &self.shared.principal_lists;
            let was_signed_anew = self.shared.state().table.was_signed_anew(id);
            match was_signed_anew {
                true => lists.add_again(id, &sample),
                false => lists.add(id, &sample),
            }
            finder.keep_loaded(loaded);
        }
        if let Place::Principal { taken } = &place
            && !taken.is_empty()
        {
            self.publish_places(found)?;
            if self.is_long(&place) {
                return self.lead_in_parts(id, taken);
            }
            return self.place_at_once(vec![(id, place)]).map(drop);
        }
        found.push((id, place));
        match found.len() < PART && !newcomer.is_crowded() {
            true => Ok(()),
            false => self.publish_places(found),
        }
    }

    /// An account for one thread of the settler.
    fn settling(&self, cancel: &Cancel) -> MemoryAccount {
        self.shared.memory.backlog.account(cancel)
    }

    fn defer(&self, newcomer: &Newcomer) {
        if let Some(effort) = newcomer.deferred_to() {
            self.shared.state_mut().unsettled.defer(newcomer.id, effort);
        }
    }

    /// Handles one half on each of two threads, if there is a second one.
    pub(super) fn on_settlers<T: Send>(
        &self,
        items: &mut [T],
        each: &(dyn Fn(&mut [T]) -> Result<(), IndexError> + Sync),
    ) -> Result<(), IndexError> {
        if self.shared.options.second_settler {
            on_two_threads("settler-2", items, each)
        } else {
            each(items)
        }
    }

    /// Settles everything that waits.
    pub fn settle(&self, cancel: &Cancel) -> Result<(), IndexError> {
        while !self.is_settled() {
            self.settle_step(cancel)?;
        }
        Ok(())
    }

    /// Checks the documents whose files changed: queues those that need a place now, then removes those that no file
    /// carries any more from their groups. The removal waits for all documents that have waited for a place as long or
    /// longer, unless they are many: a document that replaces another is placed beside it first, and so inherits the id
    /// of the group. Each step of settling begins with this; only one thread may settle.
    pub fn check_changed_files(&self) -> Result<(), IndexError> {
        let (mut gone, mut next) = (Vec::new(), Some(DocId(0)));
        while let Some(from) = next {
            // The lock is free between two parts: at the start all documents are to be checked.
            next = self.shared.state_mut().classify_changed(from, &mut gone);
        }
        if gone.len() < MAX_PENDING_GROUPS {
            let unsettled = &self.shared.state().unsettled;
            gone.retain(|id| !unsettled.any_to_place_before_check_of(*id));
        }
        // A document that is to be checked, or in a star, is not purged.
        self.remove_from_groups(&gone)
    }

    /// The documents to be placed next. Those of a new round are ranked while the state is not locked.
    fn next_step(&self, cancel: &Cancel) -> Result<PlacementBatch, IndexError> {
        let (effort, round) = self.shared.state_mut().unsettled.begin_step();
        if let Some(round) = round {
            let ranks = self
                .reader
                .groups()
                .by_rank(&round, &self.settling(cancel))?;
            let documents = ranks.into_iter().map(|(_, _, id)| id).collect();
            let mut state = self.shared.state_mut();
            state.unsettled.begin_round(effort, documents);
        }
        let mut state = self.shared.state_mut();
        let few = AT_ONCE.min(MAX_PARTNERS / state.stars.count_principals().max(1));
        Ok(state.unsettled.take(effort, STEP, few.max(1)))
    }
}

impl IndexState {
    /// Whether a document has a place among the groups: it has text, and a served file carries it.
    pub(crate) fn is_groupable(&self, id: DocId) -> bool {
        self.table.is_text(id) && self.table.count_files_of(id, &self.grouped) > 0
    }

    /// Whether a document has a place among the groups that settling is about to remove, since its files changed: only
    /// settling passes on the id of a group.
    pub(crate) fn is_leaving_groups(&self, id: DocId) -> bool {
        let is_to_leave = self.unsettled.needs_file_check(id) || !self.is_groupable(id);
        self.stars.contains(id) && is_to_leave
    }

    /// Notes that the group of a document, and so that around its principal, is about to change.
    pub(super) fn note_regrouping(&mut self, id: DocId, since: Epoch) {
        self.note_group(id);
        self.unsettled.queue_regrouping(id, since);
        let principal = self.stars.principal(id);
        self.unsettled.queue_regrouping(principal, since);
    }

    /// Notes that a document became a principal.
    pub(crate) fn note_principal(&mut self, id: DocId) {
        self.last_rank = self.last_rank.max(Some(rank(&self.table, id)));
    }

    /// Sorts some of the documents whose files changed, from this id on; returns where to continue, if others are left.
    /// Those that have a file and are in no star are queued for placement; those that belong where they are need
    /// nothing. The rest must be removed from their groups: these stay to be checked and are added to `gone`.
    fn classify_changed(&mut self, from: DocId, gone: &mut Vec<DocId>) -> Option<DocId> {
        let some = self.unsettled.file_checks_from(from, CHECKED_AT_ONCE);
        for id in some.iter().copied() {
            let is_groupable = self.is_groupable(id);
            if !is_groupable && self.stars.contains(id) {
                gone.push(id);
                continue;
            }
            let since = self.unsettled.clear_file_check(id);
            match (is_groupable, self.stars.contains(id)) {
                // Its group is as before, except for the number of its files.
                (true, true) if !self.is_to_regroup(id) => {}
                (true, true) => self.unsettled.queue_regrouping(id, since),
                (true, false) => self.unsettled.queue_placement_since(id, since),
                (false, _) => drop(self.unsettled.clear_placement(id)),
            }
        }
        let last = some.last().filter(|_| some.len() == CHECKED_AT_ONCE);
        last.map(|last| DocId(last.0 + 1))
    }
}
