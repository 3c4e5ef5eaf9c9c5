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
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (short.get(i), long.get(j)) {
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
            a in prop::collection::btree_set(0u64..500, 0..40),
            b in prop::collection::btree_set(0u64..500, 0..400),
        ) {
            let expected = a.intersection(&b).count() as u64;
            let list = |set: BTreeSet<u64>| set.into_iter().map(Fingerprint).collect::<Vec<_>>();
            let (a, b) = (list(a), list(b));
            prop_assert_eq!(shared(&a, &b), expected);
            prop_assert_eq!(shared(&b, &a), expected);
            prop_assert_eq!(shared_by_search(&a, &b), expected);
        }
    }
}
