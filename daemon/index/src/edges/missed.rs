//! How many pairs the search for near-duplicates misses at most.

use simdex_schema::DocumentKind;
use simdex_signature::{Ladder, Ratio, Rung, lower_tail};

use crate::cuts::{DOUBT, MISSED_PAIR};
use crate::shared::{IndexShared, IndexState};

/// An upper bound of the probability that the search for pairs misses one whose resemblance is exactly the threshold.
/// Either its sample is below the cut or, at a threshold so low that there is no cut, it shares nothing at all; or one of
/// the other samples, finer and coarser, rules it out.
pub(crate) fn pair_missed_at_most(shared: &IndexShared, threshold: Ratio) -> f64 {
    let min_kept = min_sampled(&shared.state());
    missed_at_most(threshold, min_kept)
}

/// The smallest number of fingerprints that a sampled text keeps.
fn min_sampled(state: &IndexState) -> u64 {
    let sampled = Rung::all().filter(|rung| *rung > Rung::ZERO);
    let kept = sampled.filter_map(|rung| state.table.min_kept(DocumentKind::Text, rung));
    let promised = u64::from(Ladder::default().min_kept());
    kept.fold(promised, u64::min)
}

fn missed_at_most(threshold: Ratio, min_kept: u64) -> f64 {
    let shares_nothing = lower_tail(0, min_kept, threshold);
    MISSED_PAIR.max(shares_nothing + f64::from(Rung::TOP.get()) * DOUBT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuts::MISS;

    #[test]
    fn pairs_that_resemble_each_other_hardly_at_all_may_share_nothing_of_their_samples() {
        let missed = |threshold| missed_at_most(Ratio::new(threshold).unwrap(), 128);
        let refused = f64::from(Rung::TOP.get()) * DOUBT;
        assert!(missed(0.8) <= 0.001 && MISS + refused <= 0.001);
        assert!((missed(0.02) - refused - 0.98_f64.powi(128)).abs() < 1e-12);
        assert!(missed(0.0) >= 1.0);
    }
}
