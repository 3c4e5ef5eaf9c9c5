//! Edges of the near-duplicate graph: every partner of a document, exactly.
//!
//! a–b is an edge iff (1) at the common rung, the coarser of both, the sampled fingerprints they
//! share reach the cut, and (2) the exact resemblance of all shingles reaches the threshold. The
//! cut lies so far below the threshold that a pair at the threshold is missed with probability at
//! most [`MISS`]; at rung 0 nothing is sampled and (1) follows from (2). Both are symmetric, so an
//! edge never depends on who asked or came first.
//!
//! The search is exhaustive in the sense of the prefix filter (Xiao et al., WWW 2008, Lemma 1): of
//! a fingerprints in a fixed order of which at least o must be shared, any a - o + 1 hold a shared
//! one. The order is coarsest rung first, so that one prefix serves every common rung.

use std::cmp::Reverse;

use roaring::RoaringTreemap;
use simdex_schema::{DocId, DocumentKind, EdgeRecord};
use simdex_signature::{Fingerprint, Ratio, Rung, SchemeKind, ShingleSet, least_overlap_cut};

use crate::index::Index;
use crate::{Cancel, DocumentStats, IndexError};

/// A pair exactly at the threshold is missed with at most this probability.
pub(crate) const MISS: f64 = 0.001;

/// Finds partners at one threshold.
pub(crate) struct EdgeFinder<'a> {
    pub(crate) index: &'a Index,
    pub(crate) threshold: Ratio,
    /// Documents that may be partners.
    pub(crate) among: &'a RoaringTreemap,
}

impl EdgeFinder<'_> {
    /// All edges of `id` to documents that `wanted` admits.
    pub(crate) fn edges_of(
        &self,
        id: DocId,
        wanted: &dyn Fn(DocId) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<(DocId, EdgeRecord)>, IndexError> {
        let Some(set) = self.index.shingles(id)? else {
            return Ok(Vec::new());
        };
        let Some(stats) = self.index.stats(id) else {
            return Ok(Vec::new());
        };
        let mut edges = Vec::new();
        for (other, rung, cut) in self.partners(id, &stats, &set, wanted, cancel)? {
            cancel.check()?;
            let Some(other_set) = self.index.shingles(other)? else { continue };
            edges.extend(self.edge(&set, &other_set, rung, cut).map(|edge| (other, edge)));
        }
        Ok(edges)
    }

    /// Exact counts of a pair, where both conditions hold.
    fn edge(&self, a: &ShingleSet, b: &ShingleSet, rung: Rung, cut: u64) -> Option<EdgeRecord> {
        let (shared, sampled) = count_shared(a.fingerprints(), b.fingerprints(), rung);
        let edge = EdgeRecord { shared, shingles_a: a.len() as u64, shingles_b: b.len() as u64 };
        (sampled >= cut && edge.resemblance() >= self.threshold.get()).then_some(edge)
    }

    /// Documents that pass the prefix and length filters, with common rung and least overlap there.
    fn partners(
        &self,
        id: DocId,
        stats: &DocumentStats,
        set: &ShingleSet,
        wanted: &dyn Fn(DocId) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<(DocId, Rung, u64)>, IndexError> {
        let probes = self.prefix(stats, set);
        let shared = self.index.read();
        let hits = self.index.hits(&shared, SchemeKind::ModN, &probes, self.among, cancel)?;
        let candidates = hits.documents.into_iter().filter(|(other, _)| *other != id);
        let partners = candidates.filter_map(|(other, hits)| {
            let theirs = shared.table.get(other).filter(|s| s.kind == DocumentKind::Text)?;
            let rung = stats.rung.max(theirs.rung);
            let at = usize::from(rung.get());
            let (ours, theirs) = (u64::from(stats.counts[at]), u64::from(theirs.counts[at]));
            let cut = self.least_overlap(ours, theirs, rung)?;
            let probed = (probes.len() as u64).min(ours);
            let passes = hits >= probed.saturating_sub(ours - cut).max(1);
            (passes && wanted(other)).then_some((other, rung, cut))
        });
        Ok(partners.collect())
    }

    /// The shortest prefix that no partner at any common rung can avoid.
    fn prefix(&self, stats: &DocumentStats, set: &ShingleSet) -> Vec<Fingerprint> {
        let at_rung = set.fingerprints().iter().filter(|f| f.divisible_by(stats.rung));
        let mut ordered: Vec<Fingerprint> = at_rung.copied().collect();
        ordered.sort_unstable_by_key(|f| (Reverse(f.0.trailing_zeros()), f.mixed()));
        let common = Rung::all().filter(|r| *r >= stats.rung && *r <= Rung::MAX_DOCUMENT);
        let needed = common.filter_map(|rung| {
            let ours = u64::from(stats.counts[usize::from(rung.get())]);
            // The least any partner can share is reached by one contained in this document.
            let overlap = self.cut(ours, rung).max(1);
            (ours + 1).checked_sub(overlap)
        });
        let length = needed.max().unwrap_or(0).min(ordered.len() as u64);
        ordered.truncate(length as usize);
        ordered
    }

    /// Least number of shared fingerprints for sets of these sizes; none where no overlap suffices.
    fn least_overlap(&self, a: u64, b: u64, rung: Rung) -> Option<u64> {
        // The more is shared, the smaller the union: bisect for the least that reaches the cut.
        let (mut low, mut high) = (1, a.min(b));
        let reaches = |shared: u64| shared >= self.cut(a + b - shared, rung);
        if high == 0 || !reaches(high) {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if reaches(middle) { high = middle } else { low = middle + 1 }
        }
        Some(low)
    }

    /// Shared fingerprints demanded of a union of this size.
    fn cut(&self, union: u64, rung: Rung) -> u64 {
        if rung == Rung::ZERO {
            // Every shingle is counted; allow for the rounding of the product alone.
            return (self.threshold.get() * union as f64 - 1e-9).ceil() as u64;
        }
        least_overlap_cut(union, self.threshold, MISS)
    }
}

/// Fingerprints in both, and those of them divisible by the modulus of `rung`.
fn count_shared(a: &[Fingerprint], b: &[Fingerprint], rung: Rung) -> (u64, u64) {
    let (mut i, mut j) = (0, 0);
    let (mut shared, mut sampled) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x == y {
            shared += 1;
            sampled += u64::from(x.divisible_by(rung));
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    (shared, sampled)
}
