//! Edges of the near-duplicate graph: every partner of a document, exactly.
//!
//! a–b is an edge iff
//!
//! 1. at the *common rung*, the coarser of both, they share at least the cut of sampled fingerprints;
//! 2. at *every other rung*, finer and coarser, they share at least a lower cut;
//! 3. the exact resemblance of *all shingles* reaches the threshold.
//!
//! A pair at the threshold fails (1) with probability at most [`MISS`](crate::cuts::MISS), and each rung of (2) with at
//! most [`DOUBT`](crate::cuts::DOUBT). Finer rungs save the reading of all shingles for most pairs below the threshold;
//! coarser ones save the reading of most texts of other documents, and most look-ups. If the common rung is 0 nothing
//! is sampled: (1) follows from (3), and (2) requires nothing. All three are symmetric: no edge depends on which side
//! came first.
//!
//! The search is exhaustive by the prefix filter (Xiao et al., WWW 2008, Lemma 1): of a fingerprints of which at
//! least o must be shared, any a - o + 1 hold a shared one. [`prefix`] chooses those to look up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringTreemap;
use simdex_schema::{DocId, DocumentKind, EdgeRecord};
use simdex_signature::{Fingerprint, Ratio, Rung, SchemeKind};

use crate::groups::{rank, rank_of};
use crate::postings::{Filter, Postings, Tally};
use crate::shared::{IndexShared, IndexState};
use crate::{DocumentStats, IndexError, MemoryAccount, ShingleSets};

mod compare;
mod kept;
mod missed;
mod prefix;
mod together;

use crate::cuts::Cuts;
pub(crate) use compare::Shingles;
pub(crate) use missed::pair_missed_at_most;
use prefix::Prefix;
pub(crate) use together::{AskedTogether, LoadedTogether, TOGETHER};

/// This many partners are compared right away. If there are more, the remaining fingerprints are looked up first: that
/// rules out most that are no neighbours, and costs less than reading their texts.
const FEW_PARTNERS: usize = 1;

/// Finds partners at one threshold. Permits for shingles are taken from the account that is passed, which covers all
/// that is held at once: a caller that already holds permits passes the account that they belong to.
pub(crate) struct EdgeFinder<'a> {
    shared: &'a IndexShared,
    shingles: ShingleSets<'a>,
    cuts: Arc<Cuts>,
    /// Documents that may be partners; `None` if all may.
    among: Option<RoaringTreemap>,
    /// Long posting lists skipped so far.
    skipped: AtomicU64,
}

/// Whether a document may be a partner; called with the state locked, so it must not take that lock again.
pub(crate) type Admits<'a> = dyn Fn(&IndexState, DocId) -> bool + 'a;

/// A document whose edges are to be found, with its shingles.
pub(crate) struct LoadedDocument {
    pub(crate) id: DocId,
    /// `None` if there are many: they are then loaded whenever they are needed, since many documents may be loaded at
    /// once.
    shingles: Option<Shingles>,
    pub(crate) stats: DocumentStats,
}

/// A document that passed the filters and is to be counted.
#[derive(Clone, Copy)]
pub(crate) struct Partner {
    pub(crate) id: DocId,
    pub(crate) threshold: PairThreshold,
}

/// What two documents must share to be neighbours: at least `min_shared` fingerprints at `rung`.
#[derive(Clone, Copy)]
pub(crate) struct PairThreshold {
    pub(crate) rung: Rung,
    pub(crate) min_shared: u64,
}

impl<'a> EdgeFinder<'a> {
    /// A finder for the settler, which places documents among the maintained groups; that is backlog work.
    pub(crate) fn for_backlog(shingles: ShingleSets<'a>) -> Self {
        Self::new(shingles, shingles.shared.threshold(), None)
    }

    /// A finder for a request with a threshold of its own, about some documents.
    pub(crate) fn for_question(
        shingles: ShingleSets<'a>,
        threshold: Ratio,
        among: RoaringTreemap,
    ) -> Self {
        Self::new(shingles, threshold, Some(among))
    }

    fn new(shingles: ShingleSets<'a>, threshold: Ratio, among: Option<RoaringTreemap>) -> Self {
        Self {
            shared: shingles.shared,
            shingles,
            cuts: shingles.shared.cuts(threshold),
            among,
            skipped: AtomicU64::default(),
        }
    }

    /// The cuts of its threshold.
    pub(crate) fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// A document that may be a partner of another, with what both must share; `None` if nothing would suffice.
    pub(crate) fn partner(&self, document: &LoadedDocument, other: DocId) -> Option<Partner> {
        let theirs = self.stats(other)?;
        let threshold = self.pair_threshold(&document.stats, &theirs)?;
        Some(Partner {
            id: other,
            threshold,
        })
    }

    fn stats(&self, id: DocId) -> Option<DocumentStats> {
        self.shared.state().table.get(id).copied()
    }

    /// Bytes of the text of a document; 0 if it is unknown.
    pub(crate) fn length(&self, id: DocId) -> u64 {
        self.stats(id).map_or(0, |stats| stats.length)
    }

    /// Long posting lists skipped so far; further probes made up for each.
    pub(crate) fn common_lists_skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Loads a document with its shingles; `None` if it has no readable text.
    pub(crate) fn load(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<LoadedDocument>, IndexError> {
        let shingles = self.shingles(id, account)?;
        let (Some(shingles), Some(stats)) = (shingles, self.stats(id)) else {
            return Ok(None);
        };
        let small = shingles.small();
        if small.is_none() {
            // They are needed again at each step.
            self.keep(id, &shingles);
        }
        Ok(Some(LoadedDocument {
            id,
            shingles: small,
            stats,
        }))
    }

    fn shingles_of(
        &self,
        document: &LoadedDocument,
        account: &MemoryAccount,
    ) -> Result<Option<Shingles>, IndexError> {
        match document.shingles.as_ref().and_then(Shingles::small) {
            Some(shingles) => Ok(Some(shingles)),
            None => self.shingles(document.id, account),
        }
    }

    /// The fingerprints of a document's signature, unordered.
    pub(crate) fn sample(
        &self,
        document: &LoadedDocument,
        account: &MemoryAccount,
    ) -> Result<Option<Vec<Fingerprint>>, IndexError> {
        self.sample_at(document, document.stats.rung, account)
    }

    /// The fingerprints of a document at a rung.
    pub(crate) fn sample_at(
        &self,
        document: &LoadedDocument,
        rung: Rung,
        account: &MemoryAccount,
    ) -> Result<Option<Vec<Fingerprint>>, IndexError> {
        let shingles = self.shingles_of(document, account)?;
        Ok(shingles.map(|shingles| shingles.sampled(rung)))
    }

    /// The exact counts of a pair, the loaded document's side first, if the two are neighbours.
    pub(crate) fn edge(
        &self,
        document: &LoadedDocument,
        other: DocId,
        pair: PairThreshold,
        account: &MemoryAccount,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        let mut edge = None;
        self.edges_to(other, [(document, pair)], account, |_, found| edge = found)?;
        Ok(edge)
    }

    /// Counts the edges of several loaded documents to another one, which is read once and held for all of them. Calls
    /// `each` with the position of every document that can be read.
    pub(crate) fn edges_to<'s>(
        &self,
        other: DocId,
        documents: impl IntoIterator<Item = (&'s LoadedDocument, PairThreshold)>,
        account: &MemoryAccount,
        mut each: impl FnMut(usize, Option<EdgeRecord>),
    ) -> Result<(), IndexError> {
        let mut theirs = None;
        for (at, (document, pair)) in documents.into_iter().enumerate() {
            account.cancel().check()?;
            let Some(ours) = self.shingles_of(document, account)? else {
                continue;
            };
            if theirs.is_none() && self.is_refused_by_sample(&ours, other, pair) {
                each(at, None);
                continue;
            }
            if theirs.is_none() {
                let Some(read) = self.shingles(other, account)? else {
                    return Ok(());
                };
                self.keep(other, &read);
                theirs = Some(read);
            }
            if let Some(theirs) = &theirs {
                let work = &self.shared.work;
                each(
                    at,
                    ours.edge(theirs, pair, &self.cuts, work, account.cancel())?,
                );
            }
        }
        Ok(())
    }

    /// The principals that precede a document and may be its neighbours. Only for the settler, the only maker of them.
    pub(crate) fn earlier_principals(
        &self,
        document: &LoadedDocument,
        account: &MemoryAccount,
    ) -> Result<Vec<Partner>, IndexError> {
        let own = rank_of(document.id, &document.stats);
        let admits = |state: &IndexState, other: DocId| {
            state.stars.leads(other) && rank(&state.table, other) < own
        };
        let principals = Filter::Principals(&self.shared.principal_lists);
        let tally = Tally::new(Postings::of(self.shared), SchemeKind::ModN, principals);
        self.find_counted_by(document, tally, &admits, account)
    }

    /// Documents that pass the prefix and length filters: every neighbour is among them.
    pub(crate) fn find_partners(
        &self,
        document: &LoadedDocument,
        admits: &Admits<'_>,
        account: &MemoryAccount,
    ) -> Result<Vec<Partner>, IndexError> {
        let among = self.among.as_ref().map_or(Filter::All, Filter::Among);
        let tally = Tally::new(Postings::of(self.shared), SchemeKind::ModN, among);
        self.find_counted_by(document, tally, admits, account)
    }

    fn find_counted_by(
        &self,
        document: &LoadedDocument,
        mut tally: Tally<'_>,
        admits: &Admits<'_>,
        account: &MemoryAccount,
    ) -> Result<Vec<Partner>, IndexError> {
        let probing = self.probing_rung(&document.stats);
        let Some(sample) = self.sample_at(document, probing, account)? else {
            return Ok(Vec::new());
        };
        tally.leave_out(document.id);
        let mut prefix = Prefix::new(sample, probing, &self.shared.principal_lists);
        self.probe_prefix(&mut tally, &mut prefix, &document.stats, account.cancel())?;
        let mut partners = self.passing(document, &tally, &prefix, admits);
        if partners.len() > FEW_PARTNERS && probing > Rung::ZERO {
            tally.keep(partners.iter().map(|partner| partner.id));
            tally.probe_for_counted(&prefix.take_rest(), account.cancel())?;
            partners = self.passing(document, &tally, &prefix, admits);
        }
        Ok(partners)
    }

    /// The counted documents that would share enough if they shared everything that was not looked up.
    fn passing(
        &self,
        document: &LoadedDocument,
        tally: &Tally<'_>,
        prefix: &Prefix,
        admits: &Admits<'_>,
    ) -> Vec<Partner> {
        let own = &document.stats;
        let state = self.shared.state();
        let candidates = tally.shared.iter();
        let partners = candidates.filter_map(|(other, shared)| {
            let theirs = state
                .table
                .get(*other)
                .filter(|s| s.kind == DocumentKind::Text)?;
            let threshold = self.pair_threshold(own, theirs)?;
            let at = threshold.rung.max(prefix.rung());
            let min_shared = match at == threshold.rung {
                true => threshold.min_shared,
                false => self
                    .cuts
                    .min_elsewhere(count_at(own, at), count_at(theirs, at))?,
            };
            let unread = prefix.unread(own, at) + tally.common_lists_unread_at(at);
            // If it was signed again meanwhile, the count is void.
            let is_counted = theirs.signed_anew <= tally.began;
            let passes = (!is_counted || shared + unread >= min_shared) && admits(&state, *other);
            passes.then_some(Partner {
                id: *other,
                threshold,
            })
        });
        partners.collect()
    }

    /// The rung at which partners of a document are searched for.
    pub(crate) fn probing_rung(&self, stats: &DocumentStats) -> Rung {
        prefix::probing_rung(stats, &self.cuts)
    }

    /// Whether two documents share enough at their probing rung, if it is coarser than their common one; `shared`
    /// counts at a rung.
    pub(crate) fn may_be_neighbours(
        &self,
        [a, b]: [&DocumentStats; 2],
        shared: impl FnOnce(Rung) -> u64,
    ) -> bool {
        let common = a.rung.max(b.rung);
        let rung = self.probing_rung(a).max(self.probing_rung(b));
        if common == Rung::ZERO || rung == common {
            return true;
        }
        let min_shared = self
            .cuts
            .min_elsewhere(count_at(a, rung), count_at(b, rung));
        min_shared.is_some_and(|min_shared| shared(rung) >= min_shared)
    }

    /// What two documents must share; `None` if not even sharing everything would do.
    pub(crate) fn pair_threshold(
        &self,
        a: &DocumentStats,
        b: &DocumentStats,
    ) -> Option<PairThreshold> {
        let rung = a.rung.max(b.rung);
        let min_shared = self
            .cuts
            .min_at_common(count_at(a, rung), count_at(b, rung), rung)?;
        Some(PairThreshold { rung, min_shared })
    }
}

/// Number of fingerprints of a document at a rung.
fn count_at(stats: &DocumentStats, rung: Rung) -> u64 {
    u64::from(stats.counts[usize::from(rung.get())])
}
