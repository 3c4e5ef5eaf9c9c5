//! Calibration against its definition, and its prediction against pairs it has not seen.

use std::collections::BTreeSet;

use super::*;
use crate::fingerprint::{Fingerprint, mix};
use proptest::prelude::*;

/// Trials by the definition: every sample is made and compared. Twin of [`PairTrials::of`].
fn slowly(a: &[Fingerprint], b: &[Fingerprint], longer: u64, threshold: Ratio) -> PairTrials {
    let reaches = |n: u64, remainder: u64| {
        let sample = |all: &[Fingerprint]| -> BTreeSet<u64> {
            let all = all.iter().map(|f| f.0);
            all.filter(|f| f % n == remainder).collect()
        };
        let (a, b) = (sample(a), sample(b));
        let (shared, union) = (a.intersection(&b).count(), a.union(&b).count());
        union > 0 && shared as f64 / union as f64 >= threshold.get()
    };
    PairTrials {
        longer,
        is_similar: reaches(1, 0),
        found: std::array::from_fn(|step| {
            let n = 1 << step;
            (0..n).filter(|k| reaches(n, *k)).count() as f64 / n as f64
        }),
    }
}

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).unwrap()
}

fn prints(values: &BTreeSet<u64>) -> Vec<Fingerprint> {
    values.iter().copied().map(Fingerprint).collect()
}

proptest! {
    #[test]
    fn trials_agree_with_their_twin(
        a in prop::collection::btree_set(0u64..400, 0..200), b in prop::collection::btree_set(0u64..400, 0..200),
        same: bool, threshold in 0.0f64..=1.0,
    ) {
        let b = if same { a.iter().copied().filter(|value| value % 9 != 0).collect() } else { b };
        let (a, b) = (prints(&a), prints(&b));
        let found = PairTrials::of(&a, &b, 7, ratio(threshold));
        prop_assert_eq!(found, slowly(&a, &b, 7, ratio(threshold)));
    }
}

/// A pair of texts of so many shingles each, of which about `apart` are their own.
fn pair(seed: u64, shingles: u64, apart: f64, threshold: Ratio) -> PairTrials {
    let own = (shingles as f64 * apart) as u64;
    let of = |stream: u64, count: u64| (0..count).map(move |at| mix(mix(seed << 8 ^ stream) ^ at));
    let [a, b] = [1, 2].map(|stream| {
        let all: BTreeSet<u64> = of(0, shingles - own).chain(of(stream, own)).collect();
        prints(&all)
    });
    PairTrials::of(&a, &b, shingles, threshold)
}

/// Pairs of many sizes and resemblances, from a seed.
fn measured(seeds: std::ops::Range<u64>, threshold: Ratio) -> Measurements {
    let mut measured = Measurements::default();
    for seed in seeds {
        let random = |of: u64| mix(mix(seed) ^ of) as f64 / u64::MAX as f64;
        let shingles = 100.0 * 50f64.powf(random(1));
        // Resemblance (1 - x) / (1 + x): from 0.6 to 1.
        measured.add(
            &pair(seed, shingles as u64, 0.25 * random(2), threshold),
            1.0,
        );
    }
    measured
}

fn quality(found: &Calibration, pairs: &Measurements) -> Quality {
    found.quality(Ladder::default(), pairs)
}

fn sizes() -> Sizes {
    let mut sizes = Sizes::default();
    (0..1_000u64).for_each(|at| sizes.add(100 + at * at / 200));
    sizes
}

#[test]
fn the_prediction_holds_for_pairs_it_was_not_made_from() {
    let threshold = ratio(0.8);
    let (learned, others) = (
        measured(0..1_600, threshold),
        measured(1_600..3_200, threshold),
    );
    for required in [0.8, 0.9, 0.95] {
        let found = Calibration::new(ratio(required), &sizes(), &learned).unwrap();
        let [predicted, checked] =
            [&learned, &others].map(|pairs| quality(&found, pairs).precision.unwrap());
        let (low, high) = quality(&found, &learned).interval.unwrap();
        assert!(
            low >= required && (low..=high).contains(&predicted),
            "{low} of {required}"
        );
        assert!(
            (predicted - checked).abs() <= 0.03,
            "{predicted}, then {checked}"
        );
    }
}

#[test]
fn what_is_required_costs_fingerprints_and_longer_texts_are_sampled_no_finer() {
    let learned = measured(0..1_600, ratio(0.8));
    let of = |required| Calibration::new(ratio(required), &sizes(), &learned).unwrap();
    let kept = [0.5, 0.8, 0.9, 0.99].map(|required| {
        let groups = of(required).groups;
        let kept = groups
            .iter()
            .map(|group| group.held.bytes >> group.rung.get());
        kept.sum::<u64>()
    });
    assert!(kept.is_sorted(), "{kept:?}");
    assert!(kept[0] < kept[3] / 4, "{kept:?}");
    for required in [0.7, 0.8, 0.9] {
        let found = of(required);
        assert!(found.groups.len() > 2 && found.groups[0].from == 0);
        assert!(
            found
                .groups
                .is_sorted_by(|a, b| a.rung <= b.rung && a.from < b.from)
        );
        for group in &found.groups {
            let step = usize::from(group.rung.get());
            assert!(group.pairs >= MIN_PAIRS);
            assert!(
                group.steps[..=step]
                    .iter()
                    .all(|s| s.interval.unwrap().0 >= required)
            );
        }
        let held: u64 = found.groups.iter().map(|group| group.held.documents).sum();
        assert_eq!(held, 1_000);
    }
    // All shingles find what is similar, and nothing else.
    for group in of(0.9).groups {
        let quality = group.steps[0];
        assert_eq!((quality.precision, quality.recall), (Some(1.0), Some(1.0)));
        assert_eq!(quality.interval.unwrap().1, 1.0);
    }
}

#[test]
fn a_step_is_not_taken_across_one_that_fails() {
    let mut learned = Measurements::default();
    for at in 0..100 {
        let is_similar = at < 50;
        // By chance the coarsest sample finds none but similar pairs.
        let wrong = [0.0, 0.01, 1.0, 1.0, 1.0, 1.0, 0.0];
        let found = if is_similar { [1.0; STEPS] } else { wrong };
        learned.add(
            &PairTrials {
                longer: 1_000,
                is_similar,
                found,
            },
            1.0,
        );
    }
    let found = Calibration::new(ratio(0.9), &sizes(), &learned).unwrap();
    assert_eq!(found.groups.len(), 1);
    assert_eq!(found.groups[0].rung.get(), 1);
}

/// Trials of a pair that every step finds, or of one that seems similar by chance.
fn certain(is_similar: bool) -> PairTrials {
    PairTrials {
        longer: 1_000,
        is_similar,
        found: [1.0; STEPS],
    }
}

#[test]
fn pairs_that_are_not_similar_are_no_evidence_and_too_few_are_refused() {
    let mut learned = Measurements::default();
    for _ in 0..260 {
        learned.add(&certain(false), 1.0);
    }
    assert_eq!(learned.pairs(), 0);
    let of =
        |learned: &Measurements, required| Calibration::new(ratio(required), &sizes(), learned);
    let refused = |pairs, least| Err(TooFewPairs { pairs, least });
    assert_eq!(of(&learned, 0.5), refused(0, MIN_PAIRS));
    let mut similar = Measurements::default();
    for _ in 0..MIN_PAIRS - 1 {
        similar.add(&certain(true), 1.0);
    }
    assert_eq!(of(&similar, 0.8), refused(29, MIN_PAIRS));
    similar.add(&certain(true), 1.0);
    let found = of(&similar, 0.8).unwrap();
    assert_eq!(found.groups[0].rung, Rung::MAX_DOCUMENT);
    // 30 pairs, all found right, do not show that 95 of 100 are.
    assert_eq!(of(&similar, 0.95), refused(30, 72));
}

#[test]
fn a_step_that_only_seems_precise_enough_is_not_taken() {
    let calibrated = |pairs: u64| {
        let mut learned = Measurements::default();
        for at in 0..pairs {
            learned.add(&certain(true), 1.0);
            // One pair in ten that the coarsest step finds is wrong.
            if at % 9 == 0 {
                let mut wrong = certain(false);
                wrong.found = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
                learned.add(&wrong, 1.0);
            }
        }
        Calibration::new(ratio(0.87), &sizes(), &learned)
            .unwrap()
            .groups[0]
    };
    let (few, many) = (calibrated(45), calibrated(900));
    assert!(few.steps[6].precision.unwrap() > 0.87, "{few:?}");
    assert_eq!((few.rung.get(), many.rung.get()), (5, 6));
}

/// The ladder keeps no more than 16,384 fingerprints of a text and no fewer than 64.
#[test]
fn quality_is_that_of_the_step_at_which_the_index_would_sign() {
    let of = |longer, wrong: [f64; STEPS], required| {
        let mut learned = Measurements::default();
        for at in 0..800 {
            let is_similar = at % 2 == 0;
            let found = if is_similar { [1.0; STEPS] } else { wrong };
            learned.add(
                &PairTrials {
                    longer,
                    is_similar,
                    found,
                },
                1.0,
            );
        }
        let found = Calibration::new(ratio(required), &sizes(), &learned).unwrap();
        let precision = quality(&found, &learned).precision.unwrap();
        (found.groups[0].rung.get(), precision)
    };
    // Recommended: n = 1. Signed at: n = 4, where a pair in three is wrong.
    let wrong = [0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(of(40_000, wrong, 0.95), (0, 2.0 / 3.0));
    // Recommended: n = 64. Signed at: n = 2, where none is.
    let wrong = [0.0, 0.0, 0.02, 0.02, 0.02, 0.02, 0.02];
    assert_eq!(of(200, wrong, 0.9), (6, 1.0));
}

#[test]
fn a_weight_changes_what_is_found_and_not_how_much_is_known() {
    let (mut once, mut thrice) = (Measurements::default(), Measurements::default());
    for at in 0..100 {
        once.add(&certain(at % 5 > 0), 1.0);
        thrice.add(&certain(at % 5 > 0), 3.0);
    }
    let of = |learned| {
        quality(
            &Calibration::new(ratio(0.5), &sizes(), learned).unwrap(),
            learned,
        )
    };
    assert_eq!(of(&once), of(&thrice));
}
