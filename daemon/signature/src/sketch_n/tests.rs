//! Entries against their definition; the estimate against exact resemblance, for bias and variance.

use super::*;
use crate::estimate::{Estimate, Support};
use crate::fingerprint::mix;
use proptest::prelude::*;

fn resemblance(a: &[Entry], b: &[Entry]) -> Option<Estimate> {
    let (shared, trials) = count(a, b);
    Estimate::from_counts(shared, trials, Support::Sampled)
}

fn binned(all: &[Fingerprint], n: usize) -> Vec<Entry> {
    let mut gather = SketchN::new(n);
    all.chunks(41).for_each(|run| gather.add(run));
    gather.finish()
}

fn least_under(all: &[Fingerprint], permutations: &[Permutation]) -> Vec<Entry> {
    let mut gather = LeastUnder::new(permutations);
    all.chunks(41).for_each(|run| gather.add(run));
    gather.finish()
}

/// Bin by bin, by its bounds.
fn slowly(all: &[Fingerprint], n: usize) -> Vec<Entry> {
    let begin = |bin: usize| ((bin as u128) << 64).div_ceil(n as u128);
    let of_bin = |bin: usize| {
        let range = begin(bin)..begin(bin + 1);
        all.iter()
            .copied()
            .filter(|f| range.contains(&f.0.into()))
            .min()
    };
    (0..n).map(of_bin).collect()
}

proptest! {
    #[test]
    fn sketch_n_agrees_with_its_twin(values in prop::collection::vec(0u64..u64::MAX, 0..400), n in 1usize..150) {
        let all: Vec<_> = values.into_iter().map(Fingerprint).collect();
        prop_assert_eq!(binned(&all, n), slowly(&all, n));
    }

    #[test]
    fn the_first_under_a_permutation_is_the_first(values in prop::collection::vec(any::<u64>(), 0..200), seed: u64) {
        let all: Vec<_> = values.into_iter().map(Fingerprint).collect();
        let family = [Permutation::scramble(seed, 0), Permutation::matrix(seed, 1)];
        let expected = family.each_ref().map(|p| all.iter().copied().min_by_key(|&f| p.apply(f)));
        prop_assert_eq!(least_under(&all, &family), expected);
    }
}

/// Mean error and mean square error over many pairs of sets, in units of what sampling m of the
/// union without replacement gives.
fn bias(sign: impl Fn(&[Fingerprint]) -> Vec<Entry>, shared: u64, differ: u64) -> (f64, f64) {
    let truth = shared as f64 / (shared + 2 * differ) as f64;
    let union = (shared + 2 * differ) as f64;
    let (mut sum, mut squares, mut variance) = (0.0, 0.0, 0.0);
    let pairs = 1_500;
    for pair in 0..pairs {
        let set = |from: u64| -> Vec<_> {
            let numbers = from..from + shared + differ;
            numbers
                .map(|i| Fingerprint(mix(mix(pair << 32 | i))))
                .collect()
        };
        let found = resemblance(&sign(&set(0)), &sign(&set(differ))).unwrap();
        let error = found.value.get() - truth;
        let m = found.trials as f64;
        sum += error;
        squares += error * error;
        variance += truth * (1.0 - truth) / m * (union - m) / (union - 1.0);
    }
    let pairs = pairs as f64;
    let expected = (variance / pairs).sqrt().max(1e-9);
    (
        sum / pairs / (expected / pairs.sqrt()),
        squares / pairs / (expected * expected),
    )
}

#[test]
fn bins_are_without_bias_and_have_the_variance_of_sampling_without_replacement() {
    for (shared, differ) in [
        (3, 200),
        (10, 10),
        (60, 30),
        (400, 200),
        (900, 20),
        (60, 3_000),
    ] {
        let (mean, square) = bias(|all| binned(all, 100), shared, differ);
        assert!(
            mean.abs() < 4.0,
            "{shared} {differ}: {mean} standard errors"
        );
        assert!(
            (0.8..1.2).contains(&square),
            "{shared} {differ}: {square} times the variance"
        );
    }
}

#[test]
fn independent_functions_and_matrices_are_without_bias() {
    let scrambles: Vec<_> = (0..25).map(|i| Permutation::scramble(7, i)).collect();
    let matrices: Vec<_> = (0..25).map(|i| Permutation::matrix(7, i)).collect();
    for family in [scrambles, matrices] {
        for (shared, differ) in [(3, 60), (60, 30), (100, 4)] {
            let (mean, _) = bias(|all| least_under(all, &family), shared, differ);
            assert!(
                mean.abs() < 5.0,
                "{shared} {differ}: {mean} standard errors"
            );
        }
    }
}

#[test]
fn bins_empty_on_both_sides_are_no_trials() {
    let one = binned(&[Fingerprint(5)], 100);
    let other = binned(&[Fingerprint(5), Fingerprint(u64::MAX - 1)], 100);
    let found = resemblance(&one, &other).unwrap();
    assert_eq!((found.shared, found.trials), (1, 2));
    assert_eq!(resemblance(&binned(&[], 100), &binned(&[], 100)), None);
}
