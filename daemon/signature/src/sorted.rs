//! Ascending lists of distinct fingerprints: made, and counted together.

use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::sort::sorted;

/// Sorts and drops repeats.
pub(crate) fn sorted_distinct(fingerprints: Vec<Fingerprint>) -> Vec<Fingerprint> {
    let mut sorted = sorted(fingerprints);
    drop_repeats(&mut sorted);
    sorted
}

/// Drops the repeats of a sorted list.
fn drop_repeats(sorted: &mut Vec<Fingerprint>) {
    let Some(&(mut last)) = sorted.first() else {
        return;
    };
    // Each is written, and written over by the next one if it is a repeat: a branch would be guessed wrong too often.
    let mut end = 1;
    for at in 1..sorted.len() {
        let value = sorted[at];
        sorted[end] = value;
        end += usize::from(value != last);
        last = value;
    }
    sorted.truncate(end);
}

/// How many values two ascending distinct lists share.
pub(crate) fn shared(a: &[Fingerprint], b: &[Fingerprint]) -> u64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() / 16 > short.len() {
        return shared_by_search(short, long);
    }
    if short.len() < CUT_FROM {
        return merged(short, long);
    }
    let mut merges = cut(short, long);
    let mut count = 0;
    'all: loop {
        for merge in &mut merges {
            let Some(shared) = merge.step() else {
                break 'all;
            };
            count += shared;
        }
    }
    // They are about equally long, so little is left of the others.
    for Merge { a, b, i, j } in merges {
        count += merged(&a[i..], &b[j..]);
    }
    count
}

/// Number of values from which cutting the lists is worth its while.
const CUT_FROM: usize = 32;

/// Parts of two lists that are merged at once. A step of a merge waits for what the step before it loaded; those of
/// several merges wait at the same time.
const AT_ONCE: usize = 3;

/// Cuts two lists at the same values, the short one into parts of equal length.
fn cut<'a>(mut short: &'a [Fingerprint], mut long: &'a [Fingerprint]) -> [Merge<'a>; AT_ONCE] {
    std::array::from_fn(|at| {
        let (of_short, short_left) = short.split_at(short.len() / (AT_ONCE - at));
        let end = short_left.first().map_or(long.len(), |first| {
            long.partition_point(|value| value < first)
        });
        let (of_long, long_left) = long.split_at(end);
        (short, long) = (short_left, long_left);
        Merge {
            a: of_short,
            b: of_long,
            i: 0,
            j: 0,
        }
    })
}

/// Two lists that are merged, and how far they are.
struct Merge<'a> {
    a: &'a [Fingerprint],
    b: &'a [Fingerprint],
    i: usize,
    j: usize,
}

impl Merge<'_> {
    /// Merges the next value; returns how many values it shows to be in both. None once one list has ended.
    #[inline]
    fn step(&mut self) -> Option<u64> {
        let (x, y) = (self.a.get(self.i)?, self.b.get(self.j)?);
        self.i += usize::from(x <= y);
        self.j += usize::from(y <= x);
        Some(u64::from(x == y))
    }
}

/// How many values two lists share, by merging them.
#[inline(never)]
fn merged(a: &[Fingerprint], b: &[Fingerprint]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        count += u64::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

/// How many fingerprints divisible by 2^rung are in both of two ascending lists.
pub fn count_shared_at(a: &[Fingerprint], b: &[Fingerprint], rung: Rung) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        count += u64::from(x == y && x.divisible_by(rung));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

/// Counts shared values of lists of very different length: looks each short value up in the rest.
fn shared_by_search(short: &[Fingerprint], mut long: &[Fingerprint]) -> u64 {
    let mut count = 0;
    for wanted in short {
        long = &long[long.partition_point(|value| value < wanted)..];
        count += u64::from(long.first() == Some(wanted));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn distinct_ones_are_those_of_the_set(values in prop::collection::vec(0u64..90, 0..200)) {
            let list: Vec<Fingerprint> = values.iter().copied().map(Fingerprint).collect();
            let set: BTreeSet<Fingerprint> = list.iter().copied().collect();
            prop_assert!(sorted_distinct(list).iter().eq(&set));
        }

        #[test]
        fn sharing_agrees_with_set_intersection(
            a in prop::collection::btree_set(0u64..500, 0..200),
            b in prop::collection::btree_set(0u64..500, 0..400),
            skew in 0u64..400,
        ) {
            // Those of one list from some value on may all be in one part of the other.
            let b: BTreeSet<u64> = b.into_iter().filter(|value| *value >= skew).collect();
            let expected = a.intersection(&b).count() as u64;
            let list = |set: BTreeSet<u64>| set.into_iter().map(Fingerprint).collect::<Vec<_>>();
            let (a, b) = (list(a), list(b));
            for (a, b) in [(&a, &b), (&b, &a)] {
                prop_assert_eq!(shared(a, b), expected);
                prop_assert_eq!(merged(a, b), expected);
                prop_assert_eq!(shared_by_search(a, b), expected);
            }
        }
    }
}
