//! Sorting of fingerprints, which are close to uniform: by their highest digits alone.
//!
//! A radix sort that scatters the values twice, by the lower and then by the higher of their two highest digits. These
//! together tell nearly all values apart; the few that they do not are sorted by comparison. No step depends on how
//! values compare, so a processor guesses no branch wrong, and the time is linear. Values that are not uniform have
//! more in common in those digits, and cost the comparison sort that they would have cost anyway.

use crate::fingerprint::Fingerprint;

/// Number of values from which scattering is faster than comparing.
const SCATTER_FROM: usize = 64;

/// Most values that are scattered over all their range, so that writes stay in the cache of a core.
const IN_CACHE: usize = 1 << 15;

/// Sorts values, ascending.
pub(crate) fn sorted(mut values: Vec<Fingerprint>) -> Vec<Fingerprint> {
    if values.len() < SCATTER_FROM {
        values.sort_unstable();
        return values;
    }
    let mut other = vec![Fingerprint(0); values.len()];
    match sort_beside(&mut values, &mut other) {
        Place::Values => values,
        Place::Other => other,
    }
}

/// Where values are once they are sorted.
pub(crate) enum Place {
    /// Where they were.
    Values,
    /// In the other list.
    Other,
}

/// Sorts values, ascending, with another list of the same length, which is overwritten.
pub(crate) fn sort_beside(values: &mut [Fingerprint], other: &mut [Fingerprint]) -> Place {
    // The smallest of many begin with zeros.
    let any = values.iter().fold(0, |any, value| any | value.0);
    let used = u64::BITS - any.leading_zeros();
    if values.len() <= IN_CACHE {
        sort_part(values, other, used);
        return Place::Values;
    }
    let bits = (values.len() / (IN_CACHE / 4)).ilog2();
    let below = used.saturating_sub(bits);
    let mut start = 0;
    for end in scatter(values, other, below, bits) {
        sort_part(&mut other[start..end], &mut values[start..end], below);
        start = end;
    }
    Place::Other
}

/// Sorts values that are equal above the lowest `used` bits; overwrites `other`, which is as long.
fn sort_part(values: &mut [Fingerprint], other: &mut [Fingerprint], used: u32) {
    if values.len() < SCATTER_FROM {
        return values.sort_unstable();
    }
    // Two digits hold at least six bits more than are needed to count the values: few are alike in both.
    let bits = (values.len().ilog2() + 7) / 2;
    let low = used.saturating_sub(2 * bits);
    scatter(values, other, low, bits);
    scatter(other, values, low + bits, bits);
    sort_alike(values, low);
}

/// Copies the values to `to` in order of their digit of `bits` bits above the lowest `shift`; those with the same digit
/// stay in order. Returns where each digit ends.
fn scatter(from: &[Fingerprint], to: &mut [Fingerprint], shift: u32, bits: u32) -> Vec<usize> {
    let digit = |value: Fingerprint| (value.0 >> shift) as usize & ((1 << bits) - 1);
    let mut ends = vec![0; 1 << bits];
    for &value in from {
        ends[digit(value)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        // For now where the digit begins; placing moves it to the end.
        (*end, sum) = (sum, sum + *end);
    }
    for &value in from {
        let end = &mut ends[digit(value)];
        to[*end] = value;
        *end += 1;
    }
    ends
}

/// Sorts values that are in order but for those that differ in the lowest `low` bits only.
fn sort_alike(values: &mut [Fingerprint], low: u32) {
    let key = |value: &Fingerprint| value.0 >> low;
    let mut at = 1;
    while at < values.len() {
        if values[at - 1] > values[at] {
            let own = key(&values[at]);
            let before = values[..at].iter().rposition(|value| key(value) != own);
            let after = values[at..].iter().position(|value| key(value) != own);
            let end = after.map_or(values.len(), |after| at + after);
            values[before.map_or(0, |before| before + 1)..end].sort_unstable();
            at = end;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agrees(values: Vec<u64>) -> Result<(), TestCaseError> {
        let mut expected = values.clone();
        expected.sort_unstable();
        let sorted = sorted(values.into_iter().map(Fingerprint).collect());
        prop_assert!(sorted.iter().map(|value| value.0).eq(expected));
        Ok(())
    }

    proptest! {
        /// Uniform ones, small ones, and ones that only differ where they are compared.
        #[test]
        fn sorting_agrees_with_the_standard_sort(
            values in prop::collection::vec(any::<u64>(), 0..3000), narrow in 0u32..64, high in any::<u64>(),
        ) {
            agrees(values.iter().map(|value| value >> narrow).collect())?;
            agrees(values.iter().map(|value| value >> narrow | high << (64 - narrow.max(1))).collect())?;
        }
    }

    #[test]
    fn more_than_fit_the_cache_are_sorted_in_parts() {
        for narrow in [0, 30, 50, 62] {
            let values = (0..3 * IN_CACHE as u64).map(|at| Fingerprint(at).mixed() >> narrow);
            agrees(values.collect()).unwrap();
        }
    }
}
