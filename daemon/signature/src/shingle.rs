//! Shingles: every window of a canonical text, and the set of them all.
//!
//! A byte shingle is fingerprinted as its bytes. A word shingle is fingerprinted as the 8·w
//! big-endian bytes of its w words' fingerprints, by the same rolling machinery: a word costs
//! eight slides, whatever w is.

use std::sync::LazyLock;

use crate::canonical::CanonicalText;
use crate::compare::Ratio;
use crate::fingerprint::Fingerprint;
use crate::rolling::{LONGEST_RUN, RabinWindow, SHORT_RUN};
use crate::rung::Rung;
use crate::window::Window;

static DEFAULT_TABLES: LazyLock<RabinWindow> =
    LazyLock::new(|| RabinWindow::new(Window::DEFAULT.width().into()));

/// Visits every shingle once, left to right.
pub(crate) fn for_each_shingle(
    text: &CanonicalText,
    window: Window,
    mut visit: impl FnMut(Fingerprint),
) {
    for_each_run(text, window, |run| run.iter().copied().for_each(&mut visit));
}

/// Visits every shingle once, left to right, in runs of at most [`LONGEST_RUN`].
pub(crate) fn for_each_run(
    text: &CanonicalText,
    window: Window,
    visit: impl FnMut(&[Fingerprint]),
) {
    match window {
        Window::DEFAULT => DEFAULT_TABLES.for_each_run(text.as_bytes(), visit),
        Window::Bytes(width) => {
            RabinWindow::new(width.get().into()).for_each_run(text.as_bytes(), visit);
        }
        Window::Words(width) => word_shingles(text, width.get().into(), visit),
    }
}

/// Appends the shingles divisible by 2^rung, in no particular order and with repeats.
pub(crate) fn select_shingles(
    text: &CanonicalText,
    window: Window,
    rung: Rung,
    selected: &mut Vec<Fingerprint>,
) {
    match window {
        Window::DEFAULT => DEFAULT_TABLES.select(text.as_bytes(), rung, selected),
        Window::Bytes(width) => {
            RabinWindow::new(width.get().into()).select(text.as_bytes(), rung, selected);
        }
        Window::Words(width) => word_shingles(text, width.get().into(), |run| {
            selected.extend(run.iter().filter(|shingle| shingle.divisible_by(rung)));
        }),
    }
}

fn word_shingles(text: &CanonicalText, width: usize, mut visit: impl FnMut(&[Fingerprint])) {
    let words: Vec<u8> = text
        .as_str()
        .split(' ')
        .filter(|word| !word.is_empty())
        .flat_map(|word| Fingerprint::of(word.as_bytes()).0.to_be_bytes())
        .collect();
    let mut shingles = Vec::with_capacity(LONGEST_RUN);
    RabinWindow::new(8 * width).for_each_run(&words, |run| {
        // Only windows that begin where a word begins are shingles; so does every run.
        const { assert!(LONGEST_RUN.is_multiple_of(8) && SHORT_RUN.is_multiple_of(8)) }
        shingles.clear();
        shingles.extend(run.iter().step_by(8));
        visit(&shingles);
    });
}

/// The distinct shingles of one text: no sampling, so what it measures is exact (up to the
/// collision probability of a 64-bit fingerprint).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShingleSet {
    fingerprints: Vec<Fingerprint>,
}

impl ShingleSet {
    /// All shingles of `text`; empty if the text is shorter than one window.
    pub fn new(text: &CanonicalText, window: Window) -> Self {
        let mut fingerprints = Vec::with_capacity(text.as_bytes().len());
        for_each_run(text, window, |run| fingerprints.extend_from_slice(run));
        Self {
            fingerprints: sorted_distinct(fingerprints),
        }
    }

    /// |S|.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether the text was shorter than one window.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// The fingerprints, ascending and distinct.
    pub fn fingerprints(&self) -> &[Fingerprint] {
        &self.fingerprints
    }

    /// |S(A) ∩ S(B)|.
    pub fn shared_with(&self, other: &Self) -> u64 {
        shared(&self.fingerprints, &other.fingerprints)
    }

    /// |A∩B| / |A∪B|; `None` if both are empty. Both sets must have the same window.
    pub fn resemblance(&self, other: &Self) -> Option<Ratio> {
        let shared = self.shared_with(other);
        Ratio::of(shared, self.len() as u64 + other.len() as u64 - shared)
    }

    /// |A∩B| / |A| for A = `self`, B = `whole`; `None` if A is empty.
    pub fn containment_in(&self, whole: &Self) -> Option<Ratio> {
        Ratio::of(self.shared_with(whole), self.len() as u64)
    }
}

/// Sorts and drops repeats.
///
/// Fingerprints are close to uniform, so one scatter by their top bits leaves buckets of some
/// tens of values, each sorted in the fastest cache; input that is not uniform only costs the
/// comparison sort it would have cost anyway.
pub(crate) fn sorted_distinct(mut fingerprints: Vec<Fingerprint>) -> Vec<Fingerprint> {
    if fingerprints.len() < SCATTER_FROM {
        fingerprints.sort_unstable();
    } else {
        fingerprints = scattered(&fingerprints);
    }
    fingerprints.dedup();
    fingerprints
}

/// From how many values on a scatter pays for its table.
const SCATTER_FROM: usize = 1024;

/// Sorts by counting the top bits, placing, and sorting each bucket.
fn scattered(values: &[Fingerprint]) -> Vec<Fingerprint> {
    // About 32 values a bucket; more buckets than 2¹² would not stay in the cache.
    let bits = (values.len() / 32).max(1).ilog2().clamp(1, 12);
    let bucket = |value: Fingerprint| (value.0 >> (64 - bits)) as usize;
    let mut ends = vec![0; 1 << bits];
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
        placed[*end] = value;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        placed[start..end].sort_unstable();
        start = end;
    }
    placed
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

/// As [`shared`], for lists of very different length: looks each short value up in the rest.
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
    use crate::reference;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(text: &str, window: Window) -> ShingleSet {
        ShingleSet::new(&CanonicalText::from_extracted(text), window)
    }

    fn bytes(width: u16) -> Window {
        Window::bytes(width).unwrap()
    }

    proptest! {
        #[test]
        fn the_set_agrees_with_its_twin(text in "[ab ]{0,900}", words: bool, w in 1u16..12) {
            let text = CanonicalText::from_extracted(&text);
            let window = if words { Window::words(w) } else { Window::bytes(w) }.unwrap();
            let expected: BTreeSet<_> = reference::shingles(&text, window).into_iter().collect();
            let set = ShingleSet::new(&text, window);
            prop_assert!(set.fingerprints().iter().eq(&expected));
        }

        #[test]
        fn measures_are_those_of_the_byte_windows(a in "[ab]{0,60}", b in "[ab]{0,60}", w in 1u16..12) {
            let (one, other) = (set(&a, bytes(w)), set(&b, bytes(w)));
            let (a, b, w) = (a.as_bytes(), b.as_bytes(), w.into());
            prop_assert_eq!(one.resemblance(&other).map(Ratio::get), reference::resemblance(a, b, w));
            prop_assert_eq!(one.resemblance(&other), other.resemblance(&one));
            prop_assert_eq!(
                one.containment_in(&other).map(Ratio::get),
                reference::containment(a, b, w)
            );
        }

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

    #[test]
    fn a_text_shorter_than_a_window_is_not_comparable() {
        let (short, long) = (
            set("short", Window::DEFAULT),
            set(&"long ".repeat(9), Window::DEFAULT),
        );
        assert!(short.is_empty());
        assert_eq!(short.resemblance(&short), None);
        assert_eq!(short.containment_in(&long), None);
        assert_eq!(long.containment_in(&short), Some(Ratio::ZERO));
    }

    #[test]
    fn containment_is_directed() {
        let part = set("the quick brown fox jumps", bytes(5));
        let whole = set("see: the quick brown fox jumps over the lazy dog", bytes(5));
        assert_eq!(part.containment_in(&whole), Some(Ratio::ONE));
        assert!(whole.containment_in(&part) < Some(Ratio::ONE));
        assert_eq!(whole.resemblance(&whole), Some(Ratio::ONE));
    }
}
