//! Min_n against its definition, on lists and on texts, also where windows recur.

use super::*;
use crate::estimate::Estimate;
use crate::fingerprint::mix;
use crate::reference;
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
    gather.finish()
}

/// The n smallest of a text's windows, found in parts and by the definition.
fn of_text(bytes: &[u8], width: usize, n: usize) -> [Vec<Fingerprint>; 2] {
    let found = MinN::of_windows(&RabinTables::new(width), bytes, n);
    let all = reference::window_fingerprints(bytes, width);
    [found, slowly(&all, n)]
}

proptest! {
    #[test]
    fn min_n_agrees_with_its_twin(
        values in prop::collection::vec(prop_oneof![0u64..50, 0u64..5000], 0..2000), n in 1usize..80,
    ) {
        let all = prints(&values);
        prop_assert_eq!(signed(&all, n), slowly(&all, n));
    }

    /// Of texts that are random, that repeat a short piece, and that begin with one.
    #[test]
    fn parts_of_a_text_have_the_smallest_of_all(
        random in prop::collection::vec(any::<u8>(), 0..9000), piece in prop::collection::vec(any::<u8>(), 1..300),
        times in 0usize..90, width in 1usize..40, n in 1usize..600,
    ) {
        let text = [piece.repeat(times), random].concat();
        let [found, expected] = of_text(&text, width, n);
        prop_assert_eq!(found, expected);
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
        let kept = Seen::of(4096).only_new(&all.repeat(9));
        let [found, right] = [&kept, &all].map(|all| all.iter().collect::<BTreeSet<_>>());
        assert_eq!(found, right);
        if distinct <= 100 {
            assert!(kept.len() < 3 * all.len(), "{} of {distinct}", kept.len());
        }
        for n in [10, 500] {
            let mut gather = MinN::new(n);
            gather.add(&all.repeat(9));
            gather.add(&all);
            assert_eq!(gather.finish(), slowly(&all, n));
        }
    }
}

#[test]
fn texts_of_few_distinct_windows_are_signed_by_all_they_have() {
    let row = b"a row that comes again and again, and another one; ";
    for (times, n) in [(1, 4), (2000, 4), (2000, 40), (2000, 400)] {
        for width in [1, 5, 20, 100] {
            let [found, expected] = of_text(&row.repeat(times), width, n);
            assert_eq!(found, expected, "{times} rows, n = {n}, w = {width}");
        }
    }
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
