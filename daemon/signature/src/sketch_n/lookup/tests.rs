//! The bound beside how often pairs are really missed, with fingerprints drawn anew for each.

use super::*;
use crate::fingerprint::{Fingerprint, mix};
use crate::rung::Rung;
use crate::signature::{Scheme, SchemeKind};
use crate::sketch_n::SketchN;
use crate::sorted::shared;
use crate::window::Window;

/// Fingerprints that are distinct and the same on every machine.
struct Drawn(u64);

impl Drawn {
    fn fingerprints(&mut self, count: u64) -> Vec<Fingerprint> {
        let from = self.0;
        self.0 += count;
        (from..self.0).map(|at| Fingerprint(mix(at))).collect()
    }
}

fn signature(all: &[Fingerprint], rung: Rung) -> Signature {
    let mut bins = SketchN::new(rung.modulus() as usize);
    bins.add(all);
    let kept = bins.finish().into_iter().flatten().collect();
    let scheme = Scheme::of_text(SchemeKind::SketchN, Window::DEFAULT);
    Signature::ascending(scheme, rung, kept)
}

/// A text with `all` shingles, and a document with `both` of them and `others`.
#[derive(Clone, Copy, Debug)]
struct Pair {
    all: u64,
    both: u64,
    others: u64,
}

impl Pair {
    /// All pairs whose resemblance reaches a ratio and would not with one shingle more or less.
    fn reaching(all: u64, ratio: f64) -> impl Iterator<Item = Self> {
        let least = (ratio * all as f64 - ROUNDING).ceil() as u64;
        (least.max(1)..=all).map(move |both| Self {
            all,
            both,
            others: (both as f64 / ratio - all as f64 + ROUNDING) as u64,
        })
    }

    /// In how many of some rounds the two share no entry, and what the bounds of these rounds add up to.
    fn missed(self, rung: Rung, ratio: Ratio, rounds: u64) -> (f64, f64) {
        let mut drawn = Drawn(rounds << 40 | self.all << 20 | self.both);
        let (mut missed, mut bounds) = (0.0, 0.0);
        for _ in 0..rounds {
            let text = drawn.fingerprints(self.all);
            let mut document = text[..self.both as usize].to_vec();
            document.extend(drawn.fingerprints(self.others));
            let [text, document] = [text, document].map(|all| signature(&all, rung));
            bounds += SketchLookup::new(&text, self.all).missed_at_most(ratio, 0);
            missed += f64::from(shared(text.fingerprints(), document.fingerprints()) == 0);
        }
        (missed, bounds)
    }
}

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).unwrap()
}

/// Few bins, so that it happens.
#[test]
fn a_document_is_missed_no_more_often_than_the_bound_says_and_the_worst_nearly_as_often() {
    let rung = Rung::new(3).unwrap();
    for (all, value, tight) in [
        (3, 0.3, 3.0),
        (6, 0.2, 2.0),
        (8, 0.5, 4.0),
        (40, 0.2, 2.0),
        (300, 0.2, 2.0),
        (300, 0.6, 3.0),
        (40, 0.8, 100.0),
    ] {
        let (rounds, mut worst) = (4_000, 0.0_f64);
        let mut bound = 0.0_f64;
        let step = (all as usize / 8).max(1);
        for pair in Pair::reaching(all, value).step_by(step) {
            let (missed, bounds) = pair.missed(rung, ratio(value), rounds);
            assert!(
                missed <= bounds + 3.0 * bounds.sqrt(),
                "{missed} missed, {bounds} promised: {pair:?}"
            );
            (worst, bound) = (worst.max(missed), bound.max(bounds));
        }
        assert!(
            bound <= tight * worst + 10.0,
            "{worst} missed at most, {bound} promised: {all} at {value}"
        );
    }
}

/// As many bins as an index has.
#[test]
fn short_texts_are_hardly_ever_missed_and_long_ones_as_seldom_as_their_bins_say() {
    let rung = Rung::new(9).unwrap();
    let of = |all: u64, value: f64, hidden| {
        let text = Drawn(all).fingerprints(all);
        let lookup = SketchLookup::new(&signature(&text, rung), all);
        lookup.missed_at_most(ratio(value), hidden)
    };
    for value in [0.6, 0.8, 0.9] {
        for all in [1, 2, 3, 5, 7] {
            assert_eq!(of(all, value, 0), 0.0, "{all} at {value}");
        }
        assert!(of(20, value, 0) < 1e-9 && of(5_000, value, 0) < 1e-100);
    }
    for (all, value, most) in [(10, 0.1, 1e-3), (3, 0.2, 1e-2), (60, 0.1, 1e-6)] {
        let bound = of(all, value, 0);
        let by_entries = (1.0 - value).powi(all as i32);
        assert!(
            bound < most && by_entries > 0.001,
            "{bound}: {all} at {value}"
        );
    }
    let (long, by_bins) = (of(100_000, 0.01, 0), 0.99_f64.powi(512));
    assert!((0.5..4.0).contains(&(long / by_bins)), "{long} {by_bins}");
    assert_eq!((of(10, 0.0, 0), of(3, 0.5, 3)), (1.0, 1.0));
    // Entries that find no document.
    let hidden = [0, 1, 4, 16].map(|hidden| of(600, 0.2, hidden));
    assert!(hidden.is_sorted() && hidden[3] < 1.0, "{hidden:?}");
}

#[test]
fn what_holds_for_a_resemblance_holds_for_every_greater_one() {
    let text = Drawn(7).fingerprints(90);
    let lookup = SketchLookup::new(&signature(&text, Rung::new(5).unwrap()), 90);
    let bounds =
        (1..=100).map(|percent| lookup.missed_at_most(ratio(f64::from(percent) / 100.0), 1));
    let bounds: Vec<f64> = bounds.collect();
    assert!(
        bounds.windows(2).all(|pair| pair[0] >= pair[1]),
        "{bounds:?}"
    );
    assert_eq!(bounds[99], 0.0);
}
