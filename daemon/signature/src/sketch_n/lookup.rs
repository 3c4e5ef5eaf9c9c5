//! How often a document that resembles a text shares no entry with its Sketch_n signature.
//!
//! A text has a shingles, m of which are entries. A document of resemblance r or more has some number K of them, and d
//! others, where K / (a + d) ≥ r. Fingerprints are uniform, so which of the a are in both is a random choice: of the m
//! entries, the number j in both is hypergeometric. Each of these is an entry of the document too, unless one of the d
//! others lies below it in its bin. For an entry with the share h of all fingerprints below it in its bin, that has
//! probability 1 − (1 − h)^d; q is the mean of this over the m entries. The ranges below entries are disjoint, so that
//! the events are negatively associated (Joag-Dev and Proschan 1983): all of j entries are replaced with at most the
//! product of their probabilities, which is at most q^j on average over the choice of the j (Maclaurin's inequality),
//! and never if j > d. The greatest sum over j, of all K, bounds the probability.
//!
//! For a long text this is close to (1 − r)^m. A short one has nearly every shingle among its entries, and hardly any
//! of them is replaced: the probability is next to nothing where (1 − r)^m may be a half.

use statrs::function::factorial::{binomial, ln_binomial};

use crate::ratio::Ratio;
use crate::signature::Signature;

/// Numbers of shared shingles that are distinguished. Of more, those that are nearly alike are bounded together.
const PARTS: f64 = 32.0;
/// Covers the rounding of products that are whole numbers.
const ROUNDING: f64 = 1e-9;

/// The entries of a text that were looked up, and how easily a document replaces each.
#[derive(Clone, Debug, PartialEq)]
pub struct SketchLookup {
    /// Per entry: the share of all fingerprints that lie below it in its bin.
    below: Vec<f64>,
    /// Distinct shingles of the text.
    shingles: u64,
}

impl SketchLookup {
    /// The entries of a Sketch_n signature of a text with this many distinct shingles.
    pub fn new(signature: &Signature, shingles: u64) -> Self {
        let in_bin = u64::MAX >> signature.rung().get();
        let below = signature.fingerprints().iter();
        let below = below.map(|entry| (entry.0 & in_bin) as f64 / 2f64.powi(64));
        Self {
            below: below.collect(),
            shingles: shingles.max(signature.len() as u64),
        }
    }

    /// An upper bound of the probability that a document of at least this resemblance shares no more than `hidden`
    /// entries.
    pub fn missed_at_most(&self, resemblance: Ratio, hidden: u64) -> f64 {
        let (all, ratio) = (self.shingles, resemblance.get());
        if self.below.is_empty() || ratio == 0.0 {
            return 1.0;
        }
        let fewest = ((ratio * all as f64 - ROUNDING).ceil() as u64).clamp(1, all);
        let growth = (all as f64 / fewest as f64).powf(1.0 / PARTS);
        let (mut shared, mut missed) = (fewest, 0.0_f64);
        while shared <= all {
            let most = ((shared as f64 * growth) as u64).clamp(shared, all);
            let others = (most as f64 / ratio - all as f64 + ROUNDING).floor();
            missed = missed.max(self.missed(shared, others.max(0.0), hidden));
            shared = most + 1;
        }
        missed.min(1.0)
    }

    /// The bound for a document with at least `shared` of the shingles and at most `others` of its own.
    fn missed(&self, shared: u64, others: f64, hidden: u64) -> f64 {
        let (all, entries) = (self.shingles, self.below.len() as u64);
        let replaced = self.below.iter();
        let replaced = replaced.map(|below| -(others * (-below).ln_1p()).exp_m1());
        let replaced = replaced.sum::<f64>() / entries as f64;
        let least = entries.saturating_sub(all - shared);
        let mut ln_chance = ln_binomial(entries, least)
            + ln_binomial(all - entries, shared - least)
            - ln_binomial(all, shared);
        // The more entries are in both the less often all are lost.
        let (mut sum, mut lost) = (0.0, 1.0_f64);
        for both in least..=entries.min(shared) {
            lost = lost.min(all_lost(both, hidden, replaced, others));
            sum += ln_chance.exp() * lost;
            let more = (entries - both) as f64 * shared.saturating_sub(both) as f64;
            let fewer = (both + 1) as f64 * (all + both + 1 - entries - shared) as f64;
            ln_chance += (more / fewer).ln();
        }
        sum
    }
}

/// Bounds the probability that of this many entries in both texts all but `hidden` are replaced, each of them with
/// probability `replaced`, and no more than `others` in all.
fn all_lost(both: u64, hidden: u64, replaced: f64, others: f64) -> f64 {
    let needed = both.saturating_sub(hidden) as f64;
    let ways = match hidden {
        0 => 1.0,
        _ => binomial(both, hidden.min(both)),
    };
    match needed > others {
        true => 0.0,
        false => ways * replaced.powf(needed),
    }
}

#[cfg(test)]
mod tests;
