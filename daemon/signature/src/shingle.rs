//! Shingles: every window of a canonical text, in runs or sampled; and lists of them, sorted and shared.
//!
//! A byte shingle is fingerprinted as its bytes. A word shingle is fingerprinted as the 8·w
//! big-endian bytes of its w words' fingerprints, by the same rolling machinery: a word costs
//! eight slides, whatever w is.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::bsw_n::ChunkMinima;
use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::rolling::{Choice, LONGEST_RUN, RUN_GRAIN, RabinTables};
use crate::rung::Rung;
use crate::window::Window;

/// The tables for widths below this one are kept: an index has one width, and making its tables takes more than a
/// hundredth of the time that it takes to sign a text of 4 KB.
const KEPT_WIDTHS: usize = 129;

static TABLES: [OnceLock<RabinTables>; KEPT_WIDTHS] = [const { OnceLock::new() }; KEPT_WIDTHS];

/// The tables for windows of `width` bytes.
fn tables(width: usize) -> Cow<'static, RabinTables> {
    match TABLES.get(width) {
        Some(kept) => Cow::Borrowed(kept.get_or_init(|| RabinTables::new(width))),
        None => Cow::Owned(RabinTables::new(width)),
    }
}

/// Visits every shingle once, left to right, in runs of at most [`LONGEST_RUN`].
pub(crate) fn for_each_run(
    text: &CanonicalText,
    window: Window,
    visit: impl FnMut(&[Fingerprint]),
) {
    match window {
        Window::Bytes(width) => tables(width.get().into()).for_each_run(text.as_bytes(), visit),
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
    let mut choose = |tables: &RabinTables| {
        for slab in slabs(text.as_bytes(), tables.width()) {
            tables.choose(slab, choice, chosen);
            distinct.keep(chosen);
        }
    };
    match window {
        Window::Bytes(width) => choose(&tables(width.get().into())),
        Window::Words(width) => word_shingles(text, width.get().into(), |run| {
            chosen.extend(run.iter().filter(|shingle| choice.has(**shingle)));
            distinct.keep(chosen);
        }),
    }
}

/// Finds the least shingle of each chunk, in no particular order. A chunk ends at each shingle that `ends` selects.
/// After each part of the text, `visit` gets the list found so far and may empty it.
pub(crate) fn chunk_minima(
    text: &CanonicalText,
    window: Window,
    ends: Choice,
    mut visit: impl FnMut(&mut Vec<Fingerprint>),
) {
    let mut kept = Vec::new();
    let mut minima = ChunkMinima::default();
    let mut roll = |tables: &RabinTables| {
        for slab in slabs_of(text.as_bytes(), tables.width(), PART) {
            let join = |stretch, kept: &mut Vec<_>| minima.join(stretch, |least| kept.push(least));
            tables.minima(slab, ends, join, &mut kept);
            visit(&mut kept);
        }
    };
    match window {
        Window::Bytes(width) => roll(&tables(width.get().into())),
        Window::Words(width) => word_shingles(text, width.get().into(), |run| {
            minima.add(run, |shingle| ends.has(shingle), |least| kept.push(least));
            visit(&mut kept);
        }),
    }
    kept.extend(minima.finish());
    visit(&mut kept);
}

/// Number of windows in a part of a text, whose chunks are shown at once.
const PART: usize = 64 << 10;

/// Windows of a text that are looked at before repeats are dropped.
const SLAB: usize = 1 << 20;

/// A text in pieces that together have its windows, each once.
pub(crate) fn slabs(bytes: &[u8], width: usize) -> impl Iterator<Item = &[u8]> {
    slabs_of(bytes, width, SLAB)
}

/// Cuts a text into pieces of at most `most` windows.
fn slabs_of(bytes: &[u8], width: usize, most: usize) -> impl Iterator<Item = &[u8]> {
    let windows = (bytes.len() + 1).saturating_sub(width);
    let starts = (0..windows).step_by(most);
    starts.map(move |start| {
        let end = bytes.len().min(start + most + width - 1);
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
    let tables = RabinTables::new(8 * width);
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
mod tests;
