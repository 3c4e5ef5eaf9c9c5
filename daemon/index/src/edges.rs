//! Edges of the near-duplicate graph: every partner of a document, exactly.
//!
//! a–b is an edge iff (1) at the common rung, the coarser of both, the sampled fingerprints they
//! share reach the cut, and (2) the exact resemblance of all shingles reaches the threshold. The
//! cut lies so far below the threshold that a pair at the threshold is missed with probability at
//! most [`cuts::MISS`]; at rung 0 nothing is sampled and (1) follows from (2). Both are symmetric, so an
//! edge never depends on who asked or came first.
//!
//! The search is exhaustive in the sense of the prefix filter (Xiao et al., WWW 2008, Lemma 1): of
//! a fingerprints in a fixed order of which at least o must be shared, any a - o + 1 hold a shared
//! one. The order is coarsest rung first, so that one prefix serves every common rung.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringTreemap;
use simdex_schema::{DocId, DocumentKind, EdgeRecord};
use simdex_signature::{Fingerprint, Ratio, Rung, SchemeKind, ShingleSet};

use crate::candidates::Tally;
use crate::index::{Index, Shared};
use crate::{Cancel, DocumentStats, HeldSet, IndexError, MemoryAccount, MemoryBudget};

mod cuts;

pub(crate) use cuts::Cuts;

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
pub(crate) type Wanted<'a> = dyn Fn(&Shared, DocId) -> bool + 'a;

/// A document whose edges are sought, with its shingles.
pub(crate) struct Sought {
    pub(crate) id: DocId,
    /// Kept where it is small; a large one is asked for when it is needed, as many documents may be sought
    /// at once.
    set: Option<Arc<ShingleSet>>,
    stats: DocumentStats,
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
pub(crate) struct Partner {
    pub(crate) id: DocId,
    pub(crate) demand: Overlap,
}

/// What two documents must share to be neighbours: at least `cut` samples at `rung`.
#[derive(Clone, Copy)]
pub(crate) struct Overlap {
    rung: Rung,
    cut: u64,
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
        let set = self.set(id, &self.memory().account(cancel))?;
        let (Some(set), Some(stats)) = (set, self.index.stats(id)) else {
            return Ok(None);
        };
        let set = set.small();
        Ok(Some(Sought { id, set, stats }))
    }

    fn set_of(
        &self,
        sought: &Sought,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSet>, IndexError> {
        match &sought.set {
            Some(set) => Ok(Some(HeldSet::of_small(Arc::clone(set)))),
            None => self.set(sought.id, account),
        }
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
    fn set(&self, id: DocId, account: &MemoryAccount) -> Result<Option<HeldSet>, IndexError> {
        match self.index.shingles(id, account) {
            Err(IndexError::UnknownDocument(_)) => Ok(None),
            Err(error) if error.is_lost_text() => Ok(None),
            set => set,
        }
    }

    /// Exact counts of a pair, the sought document's side first, where both conditions hold.
    pub(crate) fn edge(
        &self,
        sought: &Sought,
        other: DocId,
        demand: Overlap,
        cancel: &Cancel,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        let account = self.memory().account(cancel);
        let Some(a) = self.set_of(sought, &account)? else {
            return Ok(None);
        };
        let Some(b) = self.set(other, &account)? else {
            return Ok(None);
        };
        let (shared, sampled) = a.count_shared(&b, demand.rung, || cancel.check())?;
        let edge = EdgeRecord {
            shared,
            shingles_a: a.len() as u64,
            shingles_b: b.len() as u64,
        };
        let reaches = sampled >= demand.cut && edge.resemblance() >= self.threshold.get();
        Ok(reaches.then_some(edge))
    }

    /// Documents that pass the prefix and length filters: every neighbour is among them.
    pub(crate) fn partners(
        &self,
        sought: &Sought,
        wanted: &Wanted<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Partner>, IndexError> {
        let Sought { id, stats, .. } = sought;
        let ordered = {
            let account = self.memory().account(cancel);
            let Some(set) = self.set_of(sought, &account)? else {
                return Ok(Vec::new());
            };
            ordered(&set, stats.rung)
        };
        let mut tally = Tally::new(self.index, SchemeKind::ModN, self.among.as_ref());
        let probed = self.search(&mut tally, &ordered, &self.demands(stats), cancel)?;
        let shared = self.index.read();
        let candidates = tally.hits.iter().filter(|(other, _)| *other != id);
        let partners = candidates.filter_map(|(other, hits)| {
            let theirs = shared
                .table
                .get(*other)
                .filter(|s| s.kind == DocumentKind::Text)?;
            let rung = stats.rung.max(theirs.rung);
            let at = usize::from(rung.get());
            let (ours, theirs) = (u64::from(stats.counts[at]), u64::from(theirs.counts[at]));
            let cut = self.cuts.least_overlap(ours, theirs, rung)?;
            let unread = ours.saturating_sub(probed) + tally.long_at(rung);
            let passes = hits + unread >= cut && wanted(&shared, *other);
            passes.then_some(Partner {
                id: *other,
                demand: Overlap { rung, cut },
            })
        });
        Ok(partners.collect())
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

/// The fingerprints of a document's signature, coarsest rung first, then as if at random.
fn ordered(set: &ShingleSet, rung: Rung) -> Vec<Fingerprint> {
    let mut ordered = set.sampled(rung);
    let place = |f: &Fingerprint| (Reverse(f.0.trailing_zeros()), f.mixed());
    ordered.sort_unstable_by_key(place);
    ordered
}
