//! How much two documents must share at a rung to be neighbours.

use std::sync::atomic::{AtomicU64, Ordering};

use simdex_signature::{Ratio, Rung, min_overlap_cut};

/// A pair exactly at the threshold is missed with at most this probability at all rungs together.
pub(crate) const MISSED_PAIR: f64 = 0.001;
/// A pair at the threshold is refused with at most this probability at the common rung.
pub(crate) const MISS: f64 = MISSED_PAIR - Rung::TOP.get() as f64 * DOUBT;
/// A pair at the threshold is refused at any other rung with at most this probability.
pub(crate) const DOUBT: f64 = 1e-9;

/// Cuts are cached for unions up to this size. Two usual documents have at most 1,024 samples, and two documents of 8 KB
/// at most 8,192 shingles at the finest rung at which they are sampled. Computing one cut takes as long as reading a
/// bucket.
const KEPT: usize = 8_192;
/// A cut that was not computed yet.
const UNKNOWN: u64 = u64::MAX;

/// The cuts of one threshold.
#[derive(Debug)]
pub(crate) struct Cuts {
    threshold: Ratio,
    at_common: KeptCuts,
    elsewhere: KeptCuts,
}

/// Cuts by the size of the union, at one probability that a pair at the threshold shares less.
#[derive(Debug)]
struct KeptCuts {
    miss: f64,
    kept: Vec<AtomicU64>,
}

impl KeptCuts {
    fn new(miss: f64) -> Self {
        let kept = (0..KEPT).map(|_| AtomicU64::new(UNKNOWN)).collect();
        Self { miss, kept }
    }

    fn get(&self, union: u64, threshold: Ratio) -> u64 {
        let work_out = || min_overlap_cut(union, threshold, self.miss);
        let Some(kept) = self.kept.get(union as usize) else {
            return work_out();
        };
        match kept.load(Ordering::Relaxed) {
            UNKNOWN => {
                let cut = work_out();
                kept.store(cut, Ordering::Relaxed);
                cut
            }
            cut => cut,
        }
    }
}

impl Cuts {
    pub(crate) fn new(threshold: Ratio) -> Self {
        Self {
            threshold,
            at_common: KeptCuts::new(MISS),
            elsewhere: KeptCuts::new(DOUBT),
        }
    }

    pub(crate) fn threshold(&self) -> Ratio {
        self.threshold
    }

    /// Fingerprints that two documents must share at their common rung, if their union has this many.
    pub(crate) fn at_common(&self, union: u64, rung: Rung) -> u64 {
        if rung == Rung::ZERO {
            // Every shingle is counted; allow only for the rounding of the product.
            return (self.threshold.get() * union as f64 - 1e-9).ceil() as u64;
        }
        self.at_common.get(union, self.threshold)
    }

    /// Fingerprints that they must share at any other rung.
    pub(crate) fn elsewhere(&self, union: u64) -> u64 {
        self.elsewhere.get(union, self.threshold)
    }

    /// Whether they share enough at any other rung.
    pub(crate) fn reaches_elsewhere(&self, shared: u64, union: u64) -> bool {
        // No cut is higher than the next whole number above the mean.
        let is_plenty = shared as f64 >= self.threshold.get() * union as f64 + 1.5;
        is_plenty || shared >= self.elsewhere(union)
    }

    /// Smallest number of fingerprints that sets of these sizes must share at their common rung; `None` if no overlap
    /// suffices.
    pub(crate) fn min_at_common(&self, a: u64, b: u64, rung: Rung) -> Option<u64> {
        min_overlap(a, b, |union| self.at_common(union, rung))
    }

    /// Smallest number that they must share at any other rung; `None` if no overlap suffices.
    pub(crate) fn min_elsewhere(&self, a: u64, b: u64) -> Option<u64> {
        min_overlap(a, b, |union| self.elsewhere(union))
    }
}

fn min_overlap(a: u64, b: u64, cut: impl Fn(u64) -> u64) -> Option<u64> {
    // The more is shared, the smaller the union: bisect for the least that reaches the cut.
    let (mut low, mut high) = (1, a.min(b));
    let reaches = |shared: u64| shared >= cut(a + b - shared);
    if high == 0 || !reaches(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if reaches(middle) {
            high = middle
        } else {
            low = middle + 1
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_worked_out_once_and_stays() {
        let cuts = Cuts::new(Ratio::new(0.8).unwrap());
        let known = || {
            let known = cuts
                .at_common
                .kept
                .iter()
                .filter(|cut| cut.load(Ordering::Relaxed) != UNKNOWN);
            known.count()
        };
        let rung = Rung::MAX_DOCUMENT;
        for union in [0, 1, 700, KEPT as u64 - 1, KEPT as u64, 90_000] {
            let expected = min_overlap_cut(union, cuts.threshold(), MISS);
            assert_eq!(cuts.at_common(union, rung), expected);
            assert_eq!(cuts.at_common(union, rung), expected);
            let expected = min_overlap_cut(union, cuts.threshold(), DOUBT);
            assert_eq!(cuts.elsewhere(union), expected);
            for shared in 0..=union {
                assert_eq!(cuts.reaches_elsewhere(shared, union), shared >= expected);
            }
        }
        assert_eq!(known(), 4);
        // Nothing is sampled there.
        assert_eq!(cuts.at_common(10, Rung::ZERO), 8);
        assert_eq!(known(), 4);
    }
}
