//! Min_n: keep the n smallest fingerprints, all if there are fewer.
//!
//! Source: Broder 1997, "On the resemblance and containment of documents", §3 (the bottom-n
//! sketch); Cherkasova et al. 2009, §2 "Algorithm Min_n"; Heintze 1996. Cost: one rolling pass and
//! one comparison a window, for it is guessed how far the n smallest reach; where much of a text
//! repeats itself, as windows of five bytes do in prose, the guess is wrong and a second, more generous one takes a
//! second pass.
//!
//! The estimate is Broder's and unbiased: of the n smallest of A ∪ B, which the two signatures
//! hold between them, the share that both hold. These n are a sample of the union without
//! replacement, so that the count is hypergeometric; the binomial interval given is wider than
//! needed, never too narrow. Where both signatures hold all fingerprints the count is exact.
//!
//! Cherkasova et al. do not say how they count; dividing the shared entries by those of either
//! signature, as some do, has a bias: it counts fingerprints of A alone that are smaller than all
//! that B had room for as if B did not hold them.
//!
//! Departure: "smallest" is by our fingerprint, a fixed bijective image of Rabin's residue
//! ([`Fingerprint`]), for windows of a few bytes have residues that are the bytes themselves, and
//! the smallest would be those that begin with a space. Min_n gives no containment: how many
//! fingerprints A has is not known of a signature of fixed size.

use crate::canonical::CanonicalText;
use crate::estimate::Support;
use crate::fingerprint::Fingerprint;
use crate::rolling::Choice;
use crate::rung::Rung;
use crate::shingle::{choose_shingles, for_each_run};
use crate::signature::{Scheme, SchemeKind, Signature};
use crate::sorted::sorted_distinct;
use crate::window::Window;

/// The scheme Min_n; gathers the n smallest fingerprints.
pub struct MinN {
    n: usize,
    kept: Vec<Fingerprint>,
    /// Those not below it are not among the n smallest.
    below: Option<Fingerprint>,
    /// Whether that is not known but hoped.
    is_guess: bool,
    /// Where most fingerprints are repeats: those that were seen.
    seen: Option<Seen>,
}

impl MinN {
    /// The Min_n signature of a text, n = 2^rung.
    pub fn sign(text: &CanonicalText, window: Window, rung: Rung) -> Signature {
        let n = rung.modulus() as usize;
        let mut guesses = Self::guesses(n, text.as_bytes().len());
        let found = guesses.find_map(|(below, gather)| {
            let mut kept = Vec::new();
            choose_shingles(text, window, Choice::Below(below), &mut kept);
            gather.finish_with(kept)
        });
        let surely = || {
            let mut gather = Self::new(n);
            for_each_run(text, window, |run| gather.add(run));
            gather.finish().unwrap_or_default()
        };
        let kept = found.unwrap_or_else(surely);
        Signature::ascending(Scheme::of_text(SchemeKind::MinN, window), rung, kept)
    }

    /// Collects the n smallest.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            kept: Vec::new(),
            below: None,
            is_guess: false,
            seen: None,
        }
    }

    /// Guesses of what the n smallest are below, the closest first, and what collects them: fingerprints are uniform, so
    /// it is known well in advance how far the n smallest reach if most windows differ, or if one in [`REPEATS`] does.
    pub(crate) fn guesses(n: usize, windows: usize) -> impl Iterator<Item = (Fingerprint, Self)> {
        let enough = n as f64 + 3.0 * (n as f64).sqrt();
        let mut share = enough / windows.max(1) as f64;
        if share < FEW {
            // So few cost nothing, and many of the windows may be repeats.
            share *= 4.0;
        }
        let shares = [share, REPEATS * share].into_iter();
        shares.filter(|share| *share < 0.5).map(move |share| {
            // A cast to an integer saturates.
            let below = Fingerprint((share * 2f64.powi(64)) as u64);
            let mut gather = Self::new(n);
            gather.below = Some(below);
            gather.is_guess = true;
            (below, gather)
        })
    }

    /// The n smallest, given all that are below the guess, in any order and with repeats; `None` where the
    /// guess was wrong.
    pub(crate) fn finish_with(self, mut kept: Vec<Fingerprint>) -> Option<Vec<Fingerprint>> {
        if kept.len() > MANY * self.n {
            let mut seen = Seen::default();
            kept.retain(|fingerprint| seen.is_new(*fingerprint));
        }
        Self { kept, ..self }.finish()
    }

    /// Adds fingerprints in any order, with repeats.
    pub(crate) fn add(&mut self, run: &[Fingerprint]) {
        let mut small = [Fingerprint(0); ROOM];
        // In pieces, so that few are gathered before it is known how far the smallest reach.
        for piece in run.chunks(ROOM) {
            match self.below {
                Some(below) => {
                    // Written over where it is not wanted: a branch would be guessed wrong too often.
                    let mut end = 0;
                    for &fingerprint in piece {
                        small[end % ROOM] = fingerprint;
                        end += usize::from(fingerprint < below);
                    }
                    self.keep(small.get(..end).unwrap_or(&small));
                }
                None => self.keep(piece),
            }
            if self.kept.len() >= 2 * self.n + ROOM {
                self.make_room();
            }
        }
    }

    fn keep(&mut self, found: &[Fingerprint]) {
        match &mut self.seen {
            Some(seen) => {
                let new = found
                    .iter()
                    .filter(|fingerprint| seen.is_new(**fingerprint));
                self.kept.extend(new);
            }
            None => self.kept.extend_from_slice(found),
        }
    }

    fn make_room(&mut self) {
        let gathered = self.kept.len();
        self.kept = sorted_distinct(std::mem::take(&mut self.kept));
        if self.seen.is_none() && gathered > 2 * self.kept.len() + ROOM {
            self.seen = Some(Seen::default());
        }
        self.kept.truncate(self.n);
        if let Some(&last) = self.kept.get(self.n.saturating_sub(1)) {
            self.below = Some(last);
            self.is_guess = false;
        }
    }

    /// The n smallest, ascending and distinct; `None` where the guess was wrong.
    pub(crate) fn finish(mut self) -> Option<Vec<Fingerprint>> {
        self.make_room();
        (!self.is_guess).then_some(self.kept)
    }
}

/// Where the n smallest are fewer of the windows than this, the guess is generous.
const FEW: f64 = 1.0 / 256.0;

/// How much more generous the second guess is.
const REPEATS: f64 = 16.0;

/// More than this many times n are below a guess only where most are repeats, of which most are dropped before the rest
/// is sorted.
const MANY: usize = 8;

/// Bits of the number of places of [`Seen`].
const SEEN_BITS: u32 = 12;

/// Fingerprints that were seen: in each place the last one of those that belong there.
struct Seen(Vec<u64>);

impl Default for Seen {
    fn default() -> Self {
        // At first each place has one that belongs elsewhere.
        Self((0..1 << SEEN_BITS).map(|place: u64| !place).collect())
    }
}

impl Seen {
    /// Whether it was not seen, or was forgotten for another one.
    fn is_new(&mut self, fingerprint: Fingerprint) -> bool {
        let place = (fingerprint.0 & ((1 << SEEN_BITS) - 1)) as usize;
        let last = std::mem::replace(&mut self.0[place], fingerprint.0);
        last != fingerprint.0
    }
}

/// Fingerprints gathered beyond twice n before the greater ones are dropped.
const ROOM: usize = 256;

/// How many of the n smallest fingerprints of the union are in both signatures, and how many there are.
pub(crate) fn count(a: &[Fingerprint], b: &[Fingerprint], n: usize) -> (u64, u64, Support) {
    let is_all = a.len() < n && b.len() < n;
    let (mut i, mut j) = (0, 0);
    let (mut shared, mut union) = (0, 0);
    while is_all || union < n as u64 {
        let (x, y) = (a.get(i), b.get(j));
        let Some(&least) = [x, y].into_iter().flatten().min() else {
            break;
        };
        shared += u64::from(x == y);
        union += 1;
        i += usize::from(x == Some(&least));
        j += usize::from(y == Some(&least));
    }
    let support = if is_all {
        Support::Exact
    } else {
        Support::Sampled
    };
    (shared, union, support)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;
    use crate::fingerprint::mix;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Signs a set by the definition: twin of [`MinN`].
    fn slowly(all: &[Fingerprint], n: usize) -> Vec<Fingerprint> {
        let all: BTreeSet<Fingerprint> = all.iter().copied().collect();
        all.into_iter().take(n).collect()
    }

    fn resemblance(a: &[Fingerprint], b: &[Fingerprint], n: usize) -> Option<Estimate> {
        let (shared, trials, support) = count(a, b, n);
        Estimate::from_counts(shared, trials, support)
    }

    fn prints(values: &[u64]) -> Vec<Fingerprint> {
        values.iter().copied().map(Fingerprint).collect()
    }

    fn signed(all: &[Fingerprint], n: usize) -> Vec<Fingerprint> {
        let mut gather = MinN::new(n);
        all.chunks(37).for_each(|run| gather.add(run));
        gather.finish().unwrap()
    }

    proptest! {
        #[test]
        fn min_n_agrees_with_its_twin(
            values in prop::collection::vec(prop_oneof![0u64..50, 0u64..5000], 0..2000), n in 1usize..80,
        ) {
            let all = prints(&values);
            prop_assert_eq!(signed(&all, n), slowly(&all, n));
        }

        #[test]
        fn a_guess_is_right_or_known_to_be_wrong(
            values in prop::collection::vec(any::<u64>(), 0..2000), n in 1usize..80, windows in 0usize..9000,
        ) {
            let all = prints(&values);
            for (below, mut gather) in MinN::guesses(n, windows) {
                let small: Vec<Fingerprint> = all.iter().copied().filter(|f| *f < below).collect();
                small.chunks(700).for_each(|run| gather.add(run));
                let found = gather.finish();
                prop_assert!(found.is_none_or(|found| found == slowly(&all, n)));
            }
        }

        #[test]
        fn the_estimate_is_the_share_of_the_smallest_of_the_union(
            a in prop::collection::vec(0u64..300, 0..200), b in prop::collection::vec(0u64..300, 0..200),
            n in 1usize..120,
        ) {
            let (a, b) = (prints(&a), prints(&b));
            let found = resemblance(&slowly(&a, n), &slowly(&b, n), n);
            let [all_a, all_b] = [&a, &b].map(|all| all.iter().copied().collect::<BTreeSet<_>>());
            let whole = all_a.len() < n && all_b.len() < n;
            let union = all_a.union(&all_b).take(if whole { usize::MAX } else { n });
            let union: Vec<_> = union.collect();
            let shared = union.iter().filter(|f| all_a.contains(f) && all_b.contains(f)).count();
            prop_assert_eq!(
                found.map(|e| (e.shared, e.trials)),
                (!union.is_empty()).then_some((shared as u64, union.len() as u64))
            );
        }
    }

    #[test]
    fn repeats_are_dropped_before_the_rest_is_sorted_and_nothing_else_is() {
        for distinct in [1, 100, 3_000, 50_000] {
            let values = (0..distinct).map(|at| Fingerprint(mix(at)));
            let mut all: Vec<Fingerprint> = values.collect();
            all.extend([Fingerprint(0), Fingerprint(u64::MAX)]);
            let (mut seen, mut kept) = (Seen::default(), all.repeat(9));
            kept.retain(|fingerprint| seen.is_new(*fingerprint));
            let [found, right] = [&kept, &all].map(|all| all.iter().collect::<BTreeSet<_>>());
            assert_eq!(found, right);
            if distinct <= 100 {
                assert!(kept.len() < 3 * all.len(), "{} of {distinct}", kept.len());
            }
            for n in [10, 500] {
                let mut gather = MinN::new(n);
                gather.add(&all.repeat(9));
                assert!(gather.seen.is_some() || (distinct, n) != (100, 10));
                gather.add(&all);
                assert_eq!(gather.finish().unwrap(), slowly(&all, n));
            }
        }
    }

    #[test]
    fn where_most_windows_are_repeats_the_second_guess_holds() {
        let distinct: Vec<Fingerprint> = (0..20_000).map(|at| Fingerprint(mix(at))).collect();
        let found: Vec<bool> = MinN::guesses(100, 500_000)
            .map(|(below, gather)| {
                let kept = distinct.iter().copied().filter(|f| *f < below);
                let found = gather.finish_with(kept.collect());
                found.is_some_and(|found| found == slowly(&distinct, 100))
            })
            .collect();
        assert_eq!(found, [false, true]);
    }

    #[test]
    fn signatures_that_hold_all_are_exact() {
        let (a, b) = (prints(&[1, 2, 3]), prints(&[2, 3, 4]));
        let found = resemblance(&a, &b, 4).unwrap();
        assert_eq!((found.value.get(), found.low().unwrap().get()), (0.5, 0.5));
        // One of three entries may hide a fourth.
        assert!(resemblance(&a, &b, 3).unwrap().low().unwrap().get() < 0.5);
        assert_eq!(resemblance(&[], &[], 3), None);
    }
}
