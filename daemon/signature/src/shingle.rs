//! Shingles: every window of a canonical text, in runs or sampled; and lists of them, sorted and shared.
//!
//! A byte shingle is fingerprinted as its bytes. A word shingle is fingerprinted as the 8·w
//! big-endian bytes of its w words' fingerprints, by the same rolling machinery: a word costs
//! eight slides, whatever w is.

use std::sync::LazyLock;

use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::rolling::{Choice, LONGEST_RUN, RUN_GRAIN, RabinWindow};
use crate::rung::Rung;
use crate::window::Window;

static DEFAULT_TABLES: LazyLock<RabinWindow> =
    LazyLock::new(|| RabinWindow::new(Window::DEFAULT.width().into()));

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

/// Adds the shingles divisible by 2^rung, in no particular order. Of those that occur again and again
/// some are added more than once, but never so many that they outnumber the others.
pub(crate) fn select_shingles(
    text: &CanonicalText,
    window: Window,
    rung: Rung,
    selected: &mut Vec<Fingerprint>,
) {
    choose_shingles(text, window, Choice::Divisible(rung), selected);
}

/// Adds the shingles of a choice, likewise.
pub(crate) fn choose_shingles(
    text: &CanonicalText,
    window: Window,
    choice: Choice,
    chosen: &mut Vec<Fingerprint>,
) {
    let mut distinct = Distinct::default();
    let mut choose = |tables: &RabinWindow| {
        for slab in slabs(text.as_bytes(), tables.width()) {
            tables.choose(slab, choice, chosen);
            distinct.keep(chosen);
        }
    };
    match window {
        Window::DEFAULT => choose(&DEFAULT_TABLES),
        Window::Bytes(width) => choose(&RabinWindow::new(width.get().into())),
        Window::Words(width) => word_shingles(text, width.get().into(), |run| {
            chosen.extend(run.iter().filter(|shingle| choice.has(**shingle)));
            distinct.keep(chosen);
        }),
    }
}

/// Windows of a text that are looked at before repeats are dropped.
const SLAB: usize = 1 << 20;

/// A text in pieces that together have its windows, each once.
pub(crate) fn slabs(bytes: &[u8], width: usize) -> impl Iterator<Item = &[u8]> {
    let windows = (bytes.len() + 1).saturating_sub(width);
    let starts = (0..windows).step_by(SLAB);
    starts.map(move |start| {
        let end = bytes.len().min(start + SLAB + width - 1);
        &bytes[start..end]
    })
}

/// Drops repeats from a growing list whenever it has doubled: a text of one letter has one shingle,
/// however often it is selected.
pub(crate) struct Distinct {
    most: usize,
}

impl Default for Distinct {
    fn default() -> Self {
        Self { most: SLAB }
    }
}

impl Distinct {
    pub(crate) fn keep(&mut self, list: &mut Vec<Fingerprint>) {
        if list.len() > self.most {
            list.sort_unstable();
            list.dedup();
            self.most = self.most.max(2 * list.len());
        }
    }
}

/// Words whose fingerprints are held at once.
const WORDS: usize = 64 << 10;

fn word_shingles(text: &CanonicalText, width: usize, mut visit: impl FnMut(&[Fingerprint])) {
    let tables = RabinWindow::new(8 * width);
    let mut shingles = Vec::with_capacity(LONGEST_RUN);
    let mut roll = |words: &[u8]| {
        tables.for_each_run(words, |run| {
            // Only windows that begin where a word begins are shingles; so does every run.
            const { assert!(RUN_GRAIN.is_multiple_of(8)) }
            shingles.clear();
            shingles.extend(run.iter().step_by(8));
            visit(&shingles);
        });
    };
    let mut words = Vec::new();
    for word in text.as_str().split(' ').filter(|word| !word.is_empty()) {
        words.extend(Fingerprint::of(word.as_bytes()).0.to_be_bytes());
        if words.len() >= 8 * (WORDS + width) {
            roll(&words);
            // The windows that begin with the last words are not complete.
            words.drain(..words.len() - 8 * (width - 1));
        }
    }
    roll(&words);
}

/// Sorts and drops repeats.
///
/// Fingerprints are close to uniform, so one scatter by their top bits leaves buckets of few
/// values, each sorted in the fastest cache; input that is not uniform only costs the
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

/// From this many values on a scatter pays for its table.
const SCATTER_FROM: usize = 128;

/// Sorts by counting the top bits, placing, and sorting each bucket.
fn scattered(values: &[Fingerprint]) -> Vec<Fingerprint> {
    // The smallest of many begin with zeros.
    let any = values.iter().fold(0, |any, value| any | value.0);
    let used = 64 - any.leading_zeros();
    // About 8 values a bucket; more buckets than 2¹² would not stay in the cache.
    let bits = (values.len() / 8).max(1).ilog2().clamp(1, 12);
    let shift = used.saturating_sub(bits);
    let bucket = |value: Fingerprint| (value.0 >> shift) as usize;
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
mod tests;
