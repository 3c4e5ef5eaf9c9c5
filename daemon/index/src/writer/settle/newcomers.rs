//! Documents that are placed together: first, on two threads, what each must be compared with is found for all of them,
//! so that each thread reads a principal once for all its possible members.

use std::collections::BTreeMap;

use simdex_schema::{DocId, EdgeRecord};

use crate::edges::{EdgeFinder, LoadedDocument, PairThreshold, Partner};
use crate::groups::{Place, Rank, rank, rank_of};
use crate::shared::IndexState;
use crate::unsettled::Effort;
use crate::{Cancel, IndexError, IndexWriter, MemoryAccount, MemoryPermit};

mod mates;

use mates::find_mates;

/// A document that must be compared with more principals than this is deferred.
const MAX_PRINCIPALS: usize = if cfg!(test) { 12 } else { 256 };
/// A document that must be compared with more documents than this, principals or their members, is crowded.
const MAX_DOCUMENTS: usize = if cfg!(test) { 128 } else { 1024 };

impl Effort {
    /// The effort of comparing a document with this many others, and this many principals among them.
    fn of(principals: usize, documents: usize) -> Self {
        match (principals > MAX_PRINCIPALS, documents > MAX_DOCUMENTS) {
            (_, true) => Self::Crowded,
            (true, false) => Self::High,
            (false, false) => Self::Usual,
        }
    }
}

/// A document to be placed, in order of rank with the others.
pub(super) struct Newcomer {
    pub(super) id: DocId,
    /// `None` if it has no readable text.
    pub(super) loaded: Option<LoadedDocument>,
    /// What is known of the work to find its place; it is deferred if that is more.
    effort: Effort,
    /// The effort that was found to be needed, if that is more: nothing else is found then.
    deferred_to: Option<Effort>,
    /// It was deferred because a few principals have very many members; other documents of this batch may belong to the
    /// same family.
    leads_many: bool,
    /// The principals before it that may be its neighbours.
    earlier: Vec<Partner>,
    /// The first of them that is a neighbour.
    found: Option<(DocId, EdgeRecord)>,
    /// Newcomers before it that may be its neighbours, in order of rank.
    mates: Vec<Partner>,
    /// What it may take from later principals, if that is already known.
    later: Option<Vec<Partner>>,
    /// The permit for `later`.
    held: Option<MemoryPermit>,
    /// Others go first: it is handled at its next turn.
    is_requeued: bool,
}

/// Where a document belongs.
pub(super) enum Placement {
    At(Place),
    /// Finding its place takes more comparisons than its effort class allows.
    Deferred,
    /// A principal it depends on changed or was deferred: it must be loaded again.
    Changed,
}

impl IndexWriter {
    /// What decides the places of some documents, which come in order of rank.
    pub(super) fn load_newcomers(
        &self,
        finder: &EdgeFinder<'_>,
        ids: &[DocId],
        effort: Effort,
        cancel: &Cancel,
    ) -> Result<Vec<Newcomer>, IndexError> {
        let newcomers = ids.iter().map(|id| Newcomer::new(*id, effort));
        let mut newcomers: Vec<Newcomer> = newcomers.collect();
        let load = |newcomer: &mut Newcomer, account: &MemoryAccount| -> Result<(), IndexError> {
            newcomer.loaded = finder.load(newcomer.id, account)?;
            if let Some(loaded) = &newcomer.loaded {
                let earlier = finder.earlier_principals(loaded, account)?;
                if !newcomer.defers_for(earlier.len(), earlier.len()) {
                    newcomer.earlier = earlier;
                }
            }
            Ok(())
        };
        self.on_settlers(&mut newcomers, &|some| {
            let account = self.settling(cancel);
            for (at, newcomer) in some.iter_mut().enumerate() {
                newcomer.is_requeued = at > 0 && self.is_to_break_off(effort);
                if !newcomer.is_requeued {
                    load(newcomer, &account)?;
                }
            }
            Ok(())
        })?;
        newcomers.retain(|newcomer| !newcomer.is_requeued);
        Ok(newcomers)
    }

    /// Compares newcomers with the principals before them, and finds what else they may have to be compared with.
    pub(super) fn compare(
        &self,
        finder: &EdgeFinder<'_>,
        newcomers: &mut Vec<Newcomer>,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        find_mates(finder, newcomers, &self.settling(cancel))?;
        self.on_settlers(newcomers.as_mut_slice(), &|some| {
            let account = self.settling(cancel);
            self.join_earlier(finder, some, &account)?;
            // For those that will be principals, as far as can be told. For the others this is found when it is needed,
            // and for crowded ones too, one at a time, since it may be much.
            let mut alone = some.iter_mut().filter(|newcomer| newcomer.is_alone());
            alone.try_for_each(|newcomer| self.find_later(finder, newcomer, &account))
        })?;
        newcomers.retain(|newcomer| !newcomer.is_requeued);
        Ok(())
    }

    /// Whether documents of this effort give way to others: crowded ones do, to all others, at once.
    pub(super) fn is_to_break_off(&self, effort: Effort) -> bool {
        effort == Effort::Crowded && self.shared.state().unsettled.any_easier_than(effort)
    }

    /// Finds the first principal before each newcomer that is its neighbour. Each principal is read once for all of
    /// them. If they give way to others, one continues, so that all have their turn.
    fn join_earlier(
        &self,
        finder: &EdgeFinder<'_>,
        newcomers: &mut [Newcomer],
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let mut by_rank: BTreeMap<(Rank, DocId), Vec<(usize, PairThreshold)>> = BTreeMap::new();
        {
            let state = self.shared.state();
            for (at, newcomer) in newcomers.iter().enumerate() {
                for partner in &newcomer.earlier {
                    let key = (rank(&state.table, partner.id), partner.id);
                    by_rank
                        .entry(key)
                        .or_default()
                        .push((at, partner.threshold));
                }
            }
        }
        for ((_, principal), mut asking) in by_rank {
            if self.is_to_break_off(newcomers[asking[0].0].effort) {
                requeue_all_but_one(newcomers);
            }
            asking.retain(|(at, _)| newcomers[*at].is_undecided());
            let mut found = Vec::new();
            let loaded = asking
                .iter()
                .filter_map(|(at, threshold)| Some((newcomers[*at].loaded.as_ref()?, *threshold)));
            finder.edges_to(principal, loaded, account, |at, edge| {
                found.extend(edge.map(|edge| (asking[at].0, edge.swapped())));
            })?;
            for (at, edge) in found {
                newcomers[at].found = Some((principal, edge));
            }
        }
        Ok(())
    }

    /// Finds later principals and their members that may be neighbours of a newcomer.
    fn find_later(
        &self,
        finder: &EdgeFinder<'_>,
        newcomer: &mut Newcomer,
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let Some(loaded) = &newcomer.loaded else {
            return Ok(());
        };
        let own = rank_of(loaded.id, &loaded.stats);
        if self.shared.state().last_rank.is_none_or(|last| last <= own) {
            newcomer.later = Some(Vec::new());
            return Ok(());
        }
        let admits = |state: &IndexState, other: DocId| {
            state.stars.contains(other) && rank(&state.table, state.stars.principal(other)) > own
        };
        let later = finder.find_partners(loaded, &admits, account)?;
        let principals = {
            let stars = &self.shared.state().stars;
            later.iter().filter(|other| stars.leads(other.id)).count()
        };
        let earlier = newcomer.earlier.len();
        if !newcomer.defers_for(earlier + principals, earlier + later.len()) {
            newcomer.held = account.take_large((later.len() * size_of::<Partner>()) as u64)?;
            newcomer.later = Some(later);
        }
        Ok(())
    }

    /// Where a newcomer belongs among those settled now. Those before it are placed, except those that were deferred. A
    /// document that may join one of `deferred_leaders`, which are about to have very many members, is not deferred
    /// because of that.
    pub(super) fn place_of(
        &self,
        finder: &EdgeFinder<'_>,
        newcomer: &mut Newcomer,
        deferred_leaders: &[DocId],
        account: &MemoryAccount,
    ) -> Result<Placement, IndexError> {
        if let Some(placement) = self.place_as_member(finder, newcomer, account)? {
            return Ok(placement);
        }
        if newcomer
            .mates
            .iter()
            .any(|mate| deferred_leaders.contains(&mate.id))
        {
            return Ok(Placement::Changed);
        }
        if newcomer.later.is_none() {
            self.find_later(finder, newcomer, account)?;
        }
        if newcomer.deferred_to.is_some() {
            return Ok(Placement::Deferred);
        }
        let Some(loaded) = &newcomer.loaded else {
            return Ok(Placement::At(Place::Principal { taken: Vec::new() }));
        };
        let to_test = {
            let state = self.shared.state();
            let later = newcomer.later.take().unwrap_or_default().into_iter();
            let later = later.map(|partner| (partner.id, partner.threshold));
            let rank = |id| rank(&state.table, id);
            state.stars.to_test(newcomer.id, later, &rank)
        };
        let edge = |other, threshold| finder.edge(loaded, other, threshold, account);
        to_test.take(edge).map(Placement::At)
    }

    /// Places a newcomer that neighbours a principal before it.
    fn place_as_member(
        &self,
        finder: &EdgeFinder<'_>,
        newcomer: &Newcomer,
        account: &MemoryAccount,
    ) -> Result<Option<Placement>, IndexError> {
        let Some(loaded) = &newcomer.loaded else {
            return Ok(None);
        };
        let found = newcomer.found;
        let mates: Vec<Partner> = {
            let state = self.shared.state();
            let leads = |id: DocId| state.stars.leads(id);
            if found.is_some_and(|(principal, _)| !leads(principal)) {
                return Ok(Some(Placement::Changed));
            }
            let found = found.map(|(id, _)| rank(&state.table, id));
            let before = |id| found.is_none_or(|found| rank(&state.table, id) < found);
            let mates = newcomer.mates.iter();
            let mates = mates.filter(|mate| leads(mate.id) && before(mate.id));
            mates.copied().collect()
        };
        let mut member_of = found;
        for mate in mates {
            if let Some(edge) = finder.edge(loaded, mate.id, mate.threshold, account)? {
                member_of = Some((mate.id, edge.swapped()));
                break;
            }
        }
        let place = member_of.map(|(principal, edge)| Place::Member { principal, edge });
        Ok(place.map(Placement::At))
    }
}

impl Newcomer {
    fn new(id: DocId, effort: Effort) -> Self {
        Self {
            id,
            loaded: None,
            effort,
            deferred_to: None,
            leads_many: false,
            earlier: Vec::new(),
            found: None,
            mates: Vec::new(),
            later: None,
            held: None,
            is_requeued: false,
        }
    }

    /// Whether comparing it with this many documents takes more than was known, so that it is deferred.
    fn defers_for(&mut self, principals: usize, documents: usize) -> bool {
        let effort = Effort::of(principals, documents);
        self.leads_many = documents > MAX_DOCUMENTS && principals <= MAX_DOCUMENTS;
        self.deferred_to = Some(effort).filter(|effort| *effort > self.effort);
        self.deferred_to.is_some()
    }

    /// Whether the principal that it joins is still to be found.
    fn is_undecided(&self) -> bool {
        self.found.is_none() && !self.is_requeued
    }

    /// Whether it was deferred because it is about to have very many members.
    pub(super) fn leads_many(&self) -> bool {
        self.leads_many
    }

    /// Whether the principal that it joins is known.
    pub(super) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Whether it was deferred for being compared with very many documents.
    pub(super) fn is_crowded(&self) -> bool {
        self.effort == Effort::Crowded
    }

    /// Whether it may join this newcomer, which comes before it.
    pub(super) fn may_join(&self, earlier: DocId) -> bool {
        self.mates.iter().any(|mate| mate.id == earlier)
    }

    /// Drops what was found for it and is no longer needed.
    pub(super) fn give_back(&mut self) {
        (self.later, self.held) = (None, None);
    }

    /// The effort of finding its place, if that is more than was known.
    pub(super) fn deferred_to(&self) -> Option<Effort> {
        self.deferred_to
    }

    /// Whether nothing before it may be its neighbour, and it is not crowded by what comes after it.
    fn is_alone(&self) -> bool {
        self.earlier.is_empty() && self.mates.is_empty() && !self.is_crowded()
    }
}

/// Requeues all but the first of those that have principals before them and for which it is not known yet what they
/// join.
fn requeue_all_but_one(newcomers: &mut [Newcomer]) {
    let undecided = newcomers.iter_mut();
    let undecided =
        undecided.filter(|newcomer| newcomer.is_undecided() && !newcomer.earlier.is_empty());
    for newcomer in undecided.skip(1) {
        newcomer.is_requeued = true;
    }
}
