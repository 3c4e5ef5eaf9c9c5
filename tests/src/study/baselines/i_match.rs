//! I-Match: two documents are duplicates if one hash of their filtered terms agrees.
//!
//! Source: Chowdhury, Frieder, Grossman and McCabe 2002, "Collection statistics for fast duplicate
//! document detection": the unique terms of a document that are in a lexicon, sorted and hashed.
//! The lexicon holds the terms of a band of collection frequency. Kolcz, Chowdhury and Alspector
//! 2004, "Improved robustness of signature-based near-replica detection via lexicon
//! randomization": K more lexicons, each the first one without a random share of its terms; two
//! documents are near-duplicates if any of the K + 1 hashes agrees.
//!
//! Departure: BLAKE3 in place of SHA-1. A document of which no term is left has no hash.

use std::collections::BTreeSet;

use super::{Statistics, words};
use crate::corpus::Random;

/// The lexicons of a collection.
#[derive(Clone, Debug)]
pub struct Lexicons(Vec<BTreeSet<String>>);

impl Lexicons {
    /// One lexicon: the words held by a number of documents in the band.
    pub fn plain(statistics: &Statistics, band: std::ops::RangeInclusive<u64>) -> Self {
        Self(vec![statistics.held_by(band)])
    }

    /// This lexicon and this many others, each without a random `share` of its words.
    pub fn randomised(self, others: usize, share: f64, seed: u64) -> Self {
        let mut all = self.0;
        let whole = all.first().cloned().unwrap_or_default();
        for number in 0..others {
            let mut random = Random::new(seed, number as u64);
            let kept = whole.iter().filter(|_| !random.chance(share));
            all.push(kept.cloned().collect());
        }
        Self(all)
    }

    /// The hash of a document by each lexicon.
    pub fn sign(&self, text: &str) -> Vec<Option<[u8; 32]>> {
        let words: BTreeSet<String> = words(text).into_iter().collect();
        let hashes = self.0.iter().map(|lexicon| {
            let left: Vec<&str> = words.intersection(lexicon).map(String::as_str).collect();
            (!left.is_empty()).then(|| *blake3::hash(left.join(" ").as_bytes()).as_bytes())
        });
        hashes.collect()
    }
}

/// Whether any hash agrees.
pub fn is_match(a: &[Option<[u8; 32]>], b: &[Option<[u8; 32]>]) -> bool {
    a.iter().zip(b).any(|(x, y)| x.is_some() && x == y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<String> {
        let text = |at: u64| {
            let words = (0..60).map(|word| format!("w{}", (at * 37 + word) % 400));
            words.collect::<Vec<_>>().join(" ")
        };
        (0..40).map(text).collect()
    }

    #[test]
    fn order_case_and_words_outside_the_band_do_not_matter() {
        let statistics = Statistics::of(["rare b c", "b c d", "c d b c", "c"]);
        let lexicons = Lexicons::plain(&statistics, 2..=3);
        let sign = |text| lexicons.sign(text);
        assert!(is_match(&sign("B d, unknown"), &sign("c d b d")));
        assert!(!is_match(&sign("b d"), &sign("b")));
        assert!(!is_match(&sign("c"), &sign("c")), "nothing is left");
    }

    #[test]
    fn randomised_lexicons_survive_more_edits() {
        let texts = texts();
        let statistics = Statistics::of(texts.iter().map(String::as_str));
        let plain = Lexicons::plain(&statistics, 2..=20);
        let randomised = plain.clone().randomised(20, 0.3, 1);
        let survived = |lexicons: &Lexicons| {
            let edited = |text: &str| text.replacen("w1", "w3", 1);
            let same = texts
                .iter()
                .filter(|text| is_match(&lexicons.sign(text), &lexicons.sign(&edited(text))));
            same.count()
        };
        assert!(survived(&randomised) > survived(&plain) + 5);
        let other = is_match(&randomised.sign(&texts[0]), &randomised.sign(&texts[5]));
        assert!(!other, "distinct texts stay distinct");
    }
}
