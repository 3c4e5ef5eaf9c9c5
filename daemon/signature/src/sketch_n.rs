//! Sketch_n: n entries, in each the smallest fingerprint under a hash function of its own; the
//! share of entries that agree is the resemblance.
//!
//! Source: Broder et al. 1998, "Min-wise independent permutations"; Cherkasova et al. 2009, §2
//! "Algorithm Sketch_n". Cost: one rolling pass, one multiplication and one comparison a window,
//! whatever n is.
//!
//! Departure: the paper hashes every window n times. We hash it once and split the range of
//! fingerprints into n equal bins, entry i being the smallest fingerprint of bin i: one
//! permutation hashing (Li, Owen and Zhang 2012). A bin that no window falls into stays empty, and
//! bins that are empty in both signatures are no trials. This estimate is unbiased (their Lemma 1),
//! and given the number m of bins in use the m minima are a sample of A ∪ B without replacement:
//! never a greater variance than n independent functions have, a smaller one on short texts, and
//! the binomial interval is on the safe side. Densification (Shrivastava 2017) would fill the
//! empty bins, for tables that are looked up by entry; here it would only repeat trials.
//!
//! The literal scheme, n independent functions, is [`LeastUnder`]: n scrambles or n random binary
//! matrices of one fingerprint. Hashing the fingerprint in place of the window adds Rabin's
//! collision probability and nothing else. Sketch_n gives no containment.

use std::collections::BTreeSet;

use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::permutation::Permutation;
use crate::rung::Rung;
use crate::shingle::for_each_run;
use crate::signature::{Scheme, SchemeKind, Signature};
use crate::sorted::shared;
use crate::window::Window;

mod lookup;

pub use lookup::SketchLookup;

/// An entry: the smallest fingerprint, if there is any.
pub(crate) type Entry = Option<Fingerprint>;

/// The scheme Sketch_n; gathers the smallest fingerprint of each of n bins.
pub struct SketchN {
    /// The greatest fingerprint there is where a bin is empty: it is taken as empty, too.
    least: Vec<u64>,
}

const EMPTY: u64 = u64::MAX;

impl SketchN {
    /// The Sketch_n signature of a text, n = 2^rung. A fingerprint tells its bin, so that a set of them is the
    /// signature, and two signatures agree in an entry where they share a fingerprint.
    pub fn sign(text: &CanonicalText, window: Window, rung: Rung) -> Signature {
        let mut bins = Self::new(rung.modulus() as usize);
        for_each_run(text, window, |run| bins.add(run));
        let kept = bins.finish().into_iter().flatten().collect();
        Signature::ascending(Scheme::of_text(SchemeKind::SketchN, window), rung, kept)
    }

    /// The empty bins of a signature with n entries.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            least: vec![EMPTY; n],
        }
    }

    /// Adds fingerprints in any order, with repeats.
    pub(crate) fn add(&mut self, run: &[Fingerprint]) {
        let n = self.least.len();
        for fingerprint in run {
            if let Some(least) = self.least.get_mut(bin(*fingerprint, n)) {
                *least = fingerprint.0.min(*least);
            }
        }
    }

    /// One entry for each bin or function, in their order; none where nothing was added to it.
    pub(crate) fn finish(self) -> Vec<Entry> {
        let entry = |least| (least != EMPTY).then_some(Fingerprint(least));
        self.least.into_iter().map(entry).collect()
    }
}

/// The bin of a fingerprint F, of n: ⌊F·n / 2⁶⁴⌋.
#[inline]
fn bin(fingerprint: Fingerprint, n: usize) -> usize {
    ((u128::from(fingerprint.0) * n as u128) >> 64) as usize
}

/// Gathers the fingerprint that is first under each of n permutations: the paper's own form of
/// Sketch_n, and the method "minimal elements in n permutations" of Ignatov et al. 2009, §2.1.
/// Cost: n permutations a window.
pub(crate) struct LeastUnder<'p> {
    permutations: &'p [Permutation],
    /// The least image and what it is the image of.
    least: Vec<Option<(u64, Fingerprint)>>,
}

impl<'p> LeastUnder<'p> {
    /// Minima for one entry each.
    pub(crate) fn new(permutations: &'p [Permutation]) -> Self {
        Self {
            permutations,
            least: vec![None; permutations.len()],
        }
    }

    /// Adds fingerprints in any order, with repeats.
    pub(crate) fn add(&mut self, run: &[Fingerprint]) {
        for (permutation, least) in self.permutations.iter().zip(&mut self.least) {
            // Equal images have equal originals, so that the image alone is compared.
            for &fingerprint in run {
                let image = permutation.apply(fingerprint);
                if least.is_none_or(|(least, _)| image < least) {
                    *least = Some((image, fingerprint));
                }
            }
        }
    }

    /// One entry for each bin or function, in their order; none where nothing was added to it.
    pub(crate) fn finish(self) -> Vec<Entry> {
        let least = self.least.into_iter();
        least.map(|least| least.map(|(_, first)| first)).collect()
    }
}

/// Entries that agree, of those that are not empty in both.
pub(crate) fn count(a: &[Entry], b: &[Entry]) -> (u64, u64) {
    let pairs = a.iter().zip(b).filter(|(x, y)| x.is_some() || y.is_some());
    let counts = pairs.map(|(x, y)| u64::from(x == y));
    counts.fold((0, 0), |(shared, trials), agrees| {
        (shared + agrees, trials + 1)
    })
}

/// Counts the bins that agree of entries that are not empty, ascending, of 2^rung bins each.
pub(crate) fn count_listed(a: &[Fingerprint], b: &[Fingerprint], rung: Rung) -> (u64, u64) {
    let bins = |all: &[Fingerprint]| all.iter().map(|f| bin(*f, 1 << rung.get())).collect();
    let (of_a, of_b): (BTreeSet<usize>, BTreeSet<usize>) = (bins(a), bins(b));
    (shared(a, b), of_a.union(&of_b).count() as u64)
}

#[cfg(test)]
mod tests;
