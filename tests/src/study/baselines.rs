//! Baselines of the literature, for the evaluator alone: literal, small, over texts.
//!
//! * [`i_match`]: one hash of the terms left after filtering by collection statistics, and the same
//!   under randomised lexicons;
//! * [`image`]: the lexical image, words of a frequency band that are on no stop list;
//! * [`overlap`]: COPS's shared sentences and SCAM's shared words;
//! * [`identity`]: the identity measure of Hoad and Zobel.
//!
//! Words are runs of letters and digits, in lower case.

use std::collections::{BTreeMap, BTreeSet};

pub mod i_match;
pub mod identity;
pub mod image;
pub mod overlap;

/// The words of a text, in its order.
pub fn words(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    let runs = runs.filter(|word| !word.is_empty());
    runs.map(str::to_lowercase).collect()
}

/// How often each word occurs in a text.
pub fn frequencies(text: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// What is known of the words of a collection.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    documents: u64,
    /// For each word, the documents that have it, and how often it occurs in all of them.
    words: BTreeMap<String, (u64, u64)>,
}

impl Statistics {
    /// Of these texts.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.documents += 1;
            for (word, count) in frequencies(text) {
                let entry = all.words.entry(word).or_default();
                *entry = (entry.0 + 1, entry.1 + count);
            }
        }
        all
    }

    /// N, the number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// f_t, the number of documents that have the word; 0 if it is unknown.
    pub fn holders(&self, word: &str) -> u64 {
        self.words.get(word).map_or(0, |(holders, _)| *holders)
    }

    /// The words whose number of holders is in a range.
    pub fn held_by(&self, range: std::ops::RangeInclusive<u64>) -> BTreeSet<String> {
        let within = self
            .words
            .iter()
            .filter(|(_, (holders, _))| range.contains(holders));
        within.map(|(word, _)| word.clone()).collect()
    }

    /// The words that occur so often in the collection.
    pub fn occurring(&self, range: std::ops::RangeInclusive<u64>) -> BTreeSet<String> {
        let within = self
            .words
            .iter()
            .filter(|(_, (_, count))| range.contains(count));
        within.map(|(word, _)| word.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_statistics() {
        assert_eq!(
            words("It's 2 o'clock, ÉTÉ!"),
            ["it", "s", "2", "o", "clock", "été"]
        );
        let all = Statistics::of(["a a b", "b c", ""]);
        assert_eq!(
            (all.documents(), all.holders("b"), all.holders("x")),
            (3, 2, 0)
        );
        assert_eq!(all.held_by(2..=9), ["b".to_owned()].into());
        assert_eq!(
            all.occurring(2..=2),
            ["a".to_owned(), "b".to_owned()].into()
        );
    }
}
