//! Shingles: every window of a canonical text, in runs or sampled.
//!
//! A byte shingle is fingerprinted as its bytes. A word shingle is fingerprinted as the 8·w
//! big-endian bytes of its w words' fingerprints, by the same rolling machinery: a word costs
//! eight slides, whatever w is.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::canonical::CanonicalText;
use crate::chunk_minima::ChunkMinima;
use crate::fingerprint::Fingerprint;
use crate::rolling::{Choice, LONGEST_RUN, RUN_GRAIN, RabinTables};
use crate::rung::Rung;
use crate::window::Window;

/// The tables for widths below this one are kept: an index has one width, and making its tables takes more than a
/// hundredth of the time that it takes to sign a text of 4 KB.
const KEPT_WIDTHS: usize = 129;

static TABLES: [OnceLock<RabinTables>; KEPT_WIDTHS] = [const { OnceLock::new() }; KEPT_WIDTHS];

/// The tables for windows of `width` bytes.
pub(crate) fn tables(width: usize) -> Cow<'static, RabinTables> {
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

#[cfg(test)]
mod tests;
