//! Edges of the near-duplicate graph: every partner of a document, exactly.
//!
//! a–b is an edge iff (1) at the common rung, the coarser of both, the sampled fingerprints they
//! share reach the cut, (2) so they do at each finer rung, and (3) the exact resemblance of all shingles
//! reaches the threshold. The cut at the common rung lies so far below the threshold that a pair at the
//! threshold is missed with probability at most [`cuts::MISS`], those of finer rungs so far that (2) refuses
//! one with [`compare::DOUBT`] at most: it spares most pairs below the threshold the reading of all
//! shingles. At rung 0 nothing is sampled, and (1) follows from (3). All are symmetric, so an edge never
//! depends on who asked or came first.
//!
//! The search is exhaustive in the sense of the prefix filter (Xiao et al., WWW 2008, Lemma 1): of
//! a fingerprints in a fixed order of which at least o must be shared, any a - o + 1 hold a shared
//! one. The order is coarsest rung first, so that one prefix serves every common rung.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringTreemap;
use simdex_schema::{DocId, DocumentKind, EdgeRecord};
use simdex_signature::{Fingerprint, Ratio, Rung, SchemeKind};

use crate::candidates::Tally;
use crate::index::{Index, IndexState};
use crate::settle::{rank, rank_of};
use crate::{Cancel, DocumentStats, IndexError, MemoryAccount, MemoryBudget};

mod compare;
mod cuts;
mod principals;

#[cfg(test)]
pub(crate) use compare::DOUBT;
pub(crate) use compare::Shingles;
pub(crate) use cuts::Cuts;
pub(crate) use principals::{LONG, PrincipalLists};

/// Finds partners at one threshold.
pub(crate) struct EdgeFinder<'a> {
    index: &'a Index,
    threshold: Ratio,
    cuts: Arc<Cuts>,
    /// Documents that may be partners; none where all may.
    among: Option<RoaringTreemap>,
    /// Long lists left unread so far.
    unread: AtomicU64,
}

/// Admits partners; it is handed what is locked already, since no lock may be taken twice.
pub(crate) type Wanted<'a> = dyn Fn(&IndexState, DocId) -> bool + 'a;

/// A document whose edges are sought, with its shingles.
pub(crate) struct Sought {
    pub(crate) id: DocId,
    /// Kept where they are few; otherwise asked for when they are needed, as many documents may be sought
    /// at once.
    shingles: Option<Shingles>,
    pub(crate) stats: DocumentStats,
}

/// What a partner whose common rung with a document is this one must share.
struct Demand {
    rung: Rung,
    /// Fingerprints of the document at that rung.
    ours: u64,
    /// The least that any partner shares: reached by one contained in the document.
    overlap: u64,
}

/// A document that passed the filters and is to be counted.
#[derive(Clone, Copy)]
pub(crate) struct Partner {
    pub(crate) id: DocId,
    pub(crate) demand: Overlap,
}

/// What two documents must share to be neighbours: at least `cut` samples at `rung`.
#[derive(Clone, Copy)]
pub(crate) struct Overlap {
    pub(crate) rung: Rung,
    pub(crate) cut: u64,
}

impl<'a> EdgeFinder<'a> {
    pub(crate) fn new(index: &'a Index, threshold: Ratio, among: Option<RoaringTreemap>) -> Self {
        Self {
            index,
            threshold,
            cuts: index.cuts(threshold),
            among,
            unread: AtomicU64::default(),
        }
    }

    /// Long lists of fingerprints left unread so far: further probes made up for each.
    pub(crate) fn unread(&self) -> u64 {
        self.unread.load(Ordering::Relaxed)
    }

    /// All edges of `id` to documents that `wanted` admits, each counted from `id`'s side.
    pub(crate) fn edges_of(
        &self,
        id: DocId,
        wanted: &Wanted<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<(DocId, EdgeRecord)>, IndexError> {
        let Some(sought) = self.sought(id, cancel)? else {
            return Ok(Vec::new());
        };
        let mut edges = Vec::new();
        for partner in self.partners(&sought, wanted, cancel)? {
            cancel.check()?;
            let edge = self.edge(&sought, partner.id, partner.demand, cancel)?;
            edges.extend(edge.map(|edge| (partner.id, edge)));
        }
        Ok(edges)
    }

    /// A document with its shingles; none where it has no text that can be read.
    pub(crate) fn sought(&self, id: DocId, cancel: &Cancel) -> Result<Option<Sought>, IndexError> {
        let shingles = self.shingles(id, &self.memory().account(cancel))?;
        let (Some(shingles), Some(stats)) = (shingles, self.index.stats(id)) else {
            return Ok(None);
        };
        let small = shingles.small();
        if small.is_none() {
            // It is asked for again at each step.
            self.keep(id, &shingles);
        }
        Ok(Some(Sought {
            id,
            shingles: small,
            stats,
        }))
    }

    fn shingles_of(
        &self,
        sought: &Sought,
        account: &MemoryAccount,
    ) -> Result<Option<Shingles>, IndexError> {
        match sought.shingles.as_ref().and_then(Shingles::small) {
            Some(shingles) => Ok(Some(shingles)),
            None => self.shingles(sought.id, account),
        }
    }

    /// The fingerprints of a document's signature, in no order.
    pub(crate) fn sample(
        &self,
        sought: &Sought,
        cancel: &Cancel,
    ) -> Result<Option<Vec<Fingerprint>>, IndexError> {
        let shingles = self.shingles_of(sought, &self.memory().account(cancel))?;
        Ok(shingles.map(|shingles| shingles.sampled(sought.stats.rung)))
    }

    /// Placing is part of the backlog; a search at another threshold is a question.
    fn memory(&self) -> &MemoryBudget {
        let memory = self.index.memory();
        match self.among {
            None => &memory.backlog,
            Some(_) => &memory.questions,
        }
    }

    /// The shingles of a document; none where it is raw, was purged meanwhile, or its text is
    /// damaged: that is noted, and must not keep all others from their edges.
    fn shingles(&self, id: DocId, account: &MemoryAccount) -> Result<Option<Shingles>, IndexError> {
        if let Some(levels) = self.index.levels.get(&id) {
            return Shingles::of_levels(levels, account).map(Some);
        }
        let held = match self.index.read_shingles(id, account) {
            Err(IndexError::UnknownDocument(_)) => None,
            Err(error) if error.is_damaged_text() => None,
            held => held?,
        };
        held.map(|held| Shingles::of(held, account)).transpose()
    }

    /// Keeps the shingles of a document that others are compared with.
    fn keep(&self, id: DocId, shingles: &Shingles) {
        if let Some(levels) = shingles.levels() {
            let bytes = levels.held_bytes();
            self.index.levels.insert(id, Arc::clone(levels), bytes);
        }
    }

    /// Keeps those of a document that leads.
    pub(crate) fn keep_sought(&self, sought: &Sought) {
        sought
            .shingles
            .iter()
            .for_each(|shingles| self.keep(sought.id, shingles));
    }

    /// Exact counts of a pair, the sought document's side first, where they are neighbours.
    pub(crate) fn edge(
        &self,
        sought: &Sought,
        other: DocId,
        demand: Overlap,
        cancel: &Cancel,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        let mut edge = None;
        self.edges_to(other, [(sought, demand)], cancel, |_, found| edge = found)?;
        Ok(edge)
    }

    /// The same of several documents sought and another one, which is read once for all; `show` takes
    /// the number of each of them.
    pub(crate) fn edges_to<'s>(
        &self,
        other: DocId,
        sought: impl IntoIterator<Item = (&'s Sought, Overlap)>,
        cancel: &Cancel,
        mut show: impl FnMut(usize, Option<EdgeRecord>),
    ) -> Result<(), IndexError> {
        let mut theirs = None;
        for (at, (sought, demand)) in sought.into_iter().enumerate() {
            cancel.check()?;
            let account = self.memory().account(cancel);
            let Some(ours) = self.shingles_of(sought, &account)? else {
                continue;
            };
            if theirs.is_none() {
                let Some(read) = self.shingles(other, &account)? else {
                    return Ok(());
                };
                self.keep(other, &read);
                theirs = Some(read);
            }
            if let Some(theirs) = &theirs {
                let work = &self.index.work;
                show(at, ours.edge(theirs, demand, self.threshold, work, cancel)?);
            }
        }
        Ok(())
    }

    /// The principals that precede a document and may be its neighbours. Only for the settler, which
    /// alone makes principals.
    pub(crate) fn earlier_principals(
        &self,
        sought: &Sought,
        cancel: &Cancel,
    ) -> Result<Vec<Partner>, IndexError> {
        let own = rank_of(&sought.stats);
        let wanted = |state: &IndexState, other: DocId| {
            state.stars.leads(other) && rank(&state.table, other) < own
        };
        let mut tally = Tally::new(self.index, SchemeKind::ModN, None);
        tally.principals = Some(&self.index.principal_lists);
        self.find(sought, tally, &wanted, cancel)
    }

    /// Documents that pass the prefix and length filters: every neighbour is among them.
    pub(crate) fn partners(
        &self,
        sought: &Sought,
        wanted: &Wanted<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Partner>, IndexError> {
        let tally = Tally::new(self.index, SchemeKind::ModN, self.among.as_ref());
        self.find(sought, tally, wanted, cancel)
    }

    fn find(
        &self,
        sought: &Sought,
        mut tally: Tally<'_>,
        wanted: &Wanted<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Partner>, IndexError> {
        let Sought { id, stats, .. } = sought;
        let Some(mut ordered) = self.sample(sought, cancel)? else {
            return Ok(Vec::new());
        };
        put_in_order(&mut ordered);
        let probed = self.search(&mut tally, &ordered, &self.demands(stats), cancel)?;
        let state = self.index.state();
        let candidates = tally.hits.iter().filter(|(other, _)| *other != id);
        let partners = candidates.filter_map(|(other, hits)| {
            let theirs = state
                .table
                .get(*other)
                .filter(|s| s.kind == DocumentKind::Text)?;
            let demand = self.demand(stats, theirs)?;
            let ours = u64::from(stats.counts[usize::from(demand.rung.get())]);
            let unread = ours.saturating_sub(probed) + tally.long_at(demand.rung);
            let passes = hits + unread >= demand.cut && wanted(&state, *other);
            passes.then_some(Partner { id: *other, demand })
        });
        Ok(partners.collect())
    }

    /// What two documents must share; none where not even all would do.
    pub(crate) fn demand(&self, a: &DocumentStats, b: &DocumentStats) -> Option<Overlap> {
        let rung = a.rung.max(b.rung);
        let count = |stats: &DocumentStats| u64::from(stats.counts[usize::from(rung.get())]);
        let cut = self.cuts.least_overlap(count(a), count(b), rung)?;
        Some(Overlap { rung, cut })
    }

    /// Probes the shortest prefix that no partner at any common rung can avoid. Long lists are left
    /// unread while further probes make up for them. Returns the length of the prefix.
    fn search(
        &self,
        tally: &mut Tally<'_>,
        ordered: &[Fingerprint],
        demands: &[Demand],
        cancel: &Cancel,
    ) -> Result<u64, IndexError> {
        let mut probed = 0;
        loop {
            let needed = demands.iter().map(|demand| {
                let unread = tally.long_at(demand.rung);
                (demand.ours + 1 + unread)
                    .saturating_sub(demand.overlap)
                    .min(demand.ours)
            });
            let needed = needed.max().unwrap_or(0).min(ordered.len() as u64);
            if needed <= probed {
                break;
            }
            tally.probe(&ordered[probed as usize..needed as usize], cancel)?;
            probed = needed;
        }
        let open = demands.iter().filter(|demand| {
            let unread = demand.ours.saturating_sub(probed) + tally.long_at(demand.rung);
            unread >= demand.overlap
        });
        let open: Vec<Rung> = open.map(|demand| demand.rung).collect();
        tally.read_long(&|f| open.iter().any(|rung| f.divisible_by(*rung)), cancel)?;
        let unread = tally.long_at(Rung::ZERO);
        self.unread.fetch_add(unread, Ordering::Relaxed);
        Ok(probed)
    }

    /// What partners must share, by common rung.
    fn demands(&self, stats: &DocumentStats) -> Vec<Demand> {
        let common = Rung::all().filter(|r| (stats.rung..=Rung::MAX_DOCUMENT).contains(r));
        let demands = common.map(|rung| {
            let ours = u64::from(stats.counts[usize::from(rung.get())]);
            let overlap = self.cuts.cut(ours, rung).max(1);
            Demand {
                rung,
                ours,
                overlap,
            }
        });
        demands.filter(|demand| demand.ours > 0).collect()
    }
}

/// Fingerprints coarsest rung first, then as if at random.
fn put_in_order(fingerprints: &mut [Fingerprint]) {
    let place = |f: &Fingerprint| (Reverse(f.0.trailing_zeros()), f.mixed());
    fingerprints.sort_unstable_by_key(place);
}
