//! What samples of two texts say of them: one trial for every remainder of every step of the ladder.

use crate::fingerprint::Fingerprint;
use crate::ratio::Ratio;
use crate::rung::Rung;

/// Steps of the ladder that documents are signed at: n = 1, 2, 4, … 64.
pub const STEPS: usize = Rung::MAX_DOCUMENT.get() as usize + 1;

/// Remainders of the coarsest step.
const REMAINDERS: usize = 1 << (STEPS - 1);

/// Two texts, held against a threshold on all their shingles and on every sample of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTrials {
    /// Bytes of the longer canonical text.
    pub longer: u64,
    /// Whether the resemblance reaches the threshold on all shingles.
    pub is_similar: bool,
    /// For each step, the share of its n samples, F mod n = 0, 1, … n − 1, in which it does (Ye et al. 2008, §4.4). A
    /// sample without a shingle finds nothing.
    pub found: [f64; STEPS],
}

/// Shingles of one sample.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Shingles in both texts.
    shared: u64,
    /// Shingles in at least one of the texts.
    union: u64,
}

impl PairTrials {
    /// The trials of the shingles of two texts, each ascending and distinct. Cost: one pass over both.
    pub fn of(a: &[Fingerprint], b: &[Fingerprint], longer: u64, threshold: Ratio) -> Self {
        let mut counts = by_remainder(a, b);
        let mut found = [0.0; STEPS];
        for (step, share) in found.iter_mut().enumerate().rev() {
            let n = 1 << step;
            let reached = counts[..n].iter().filter(|counts| counts.reach(threshold));
            *share = reached.count() as f64 / n as f64;
            // The next finer step joins the remainders R and R + n/2.
            let (lower, upper) = counts[..n].split_at_mut(n / 2);
            for (lower, upper) in lower.iter_mut().zip(upper) {
                lower.shared += upper.shared;
                lower.union += upper.union;
            }
        }
        Self {
            longer,
            is_similar: counts[0].reach(threshold),
            found,
        }
    }
}

impl Counts {
    fn reach(&self, threshold: Ratio) -> bool {
        Ratio::of(self.shared, self.union).is_some_and(|found| found >= threshold)
    }
}

/// What both texts share, by what division by the greatest n leaves.
fn by_remainder(a: &[Fingerprint], b: &[Fingerprint]) -> [Counts; REMAINDERS] {
    let mut counts = [Counts::default(); REMAINDERS];
    let (mut i, mut j) = (0, 0);
    while let Some(&least) = [a.get(i), b.get(j)].into_iter().flatten().min() {
        let (in_a, in_b) = (a.get(i) == Some(&least), b.get(j) == Some(&least));
        let counted = &mut counts[least.0 as usize % REMAINDERS];
        counted.union += 1;
        counted.shared += u64::from(in_a && in_b);
        i += usize::from(in_a);
        j += usize::from(in_b);
    }
    counts
}
