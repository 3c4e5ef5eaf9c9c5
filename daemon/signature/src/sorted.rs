//! Ascending lists of distinct fingerprints: made, and counted together.

use crate::fingerprint::Fingerprint;
use crate::rung::Rung;

/// Sorts and drops repeats.
///
/// Fingerprints are close to uniform, so one scatter by their top bits leaves buckets of few
/// values, each sorted in the fastest cache; input that is not uniform only costs the
/// comparison sort it would have cost anyway.
pub(crate) fn sorted_distinct(mut fingerprints: Vec<Fingerprint>) -> Vec<Fingerprint> {
    match u32::try_from(fingerprints.len()) {
        Ok(count) if count >= SCATTER_FROM => fingerprints = scattered(&fingerprints),
        _ => fingerprints.sort_unstable(),
    }
    fingerprints.dedup();
    fingerprints
}

/// Number of values from which scattering is worth its table.
const SCATTER_FROM: u32 = 128;

/// Sorts by scattering the values into buckets by their top bits, and then sorting within each bucket.
fn scattered(values: &[Fingerprint]) -> Vec<Fingerprint> {
    // The smallest of many begin with zeros.
    let any = values.iter().fold(0, |any, value| any | value.0);
    let used = 64 - any.leading_zeros();
    // One or two values per bucket; more than 2¹² buckets would not stay in the cache.
    let bits = values.len().ilog2().clamp(1, 12);
    let shift = used.saturating_sub(bits);
    let bucket = |value: Fingerprint| (value.0 >> shift) as usize;
    let mut ends = vec![0u32; 1 << bits];
    for &value in values {
        ends[bucket(value)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        // For now where the bucket begins; placing moves it to the end.
        (*end, sum) = (sum, sum + *end);
    }
    let mut placed = vec![Fingerprint(0); values.len()];
    for &value in values {
        let end = &mut ends[bucket(value)];
        placed[*end as usize] = value;
        *end += 1;
    }
    let mut start = 0;
    let are_small = values.len() <= 2 << bits;
    for end in ends {
        let end = end as usize;
        if !are_small || end - start > BY_INSERTION {
            placed[start..end].sort_unstable();
        }
        start = end;
    }
    if are_small {
        insert_sorted(&mut placed);
    }
    placed
}

/// Largest bucket that is left to the insertion sort over all values, in which no value moves farther than this.
const BY_INSERTION: usize = 8;

/// Sorts by insertion, which is fast if every value is near its place.
fn insert_sorted(values: &mut [Fingerprint]) {
    for at in 1..values.len() {
        let value = values[at];
        let mut to = at;
        while to > 0 && values[to - 1] > value {
            values[to] = values[to - 1];
            to -= 1;
        }
        values[to] = value;
    }
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
        fn sorting_agrees_with_the_standard_sort(
            values in prop::collection::vec(any::<u64>(), 0..5000), narrow in 0u32..64,
        ) {
            let values: Vec<_> = values.into_iter().map(|v| Fingerprint(v >> narrow)).collect();
            let expected: BTreeSet<_> = values.iter().copied().collect();
            prop_assert!(sorted_distinct(values).iter().eq(&expected));
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
