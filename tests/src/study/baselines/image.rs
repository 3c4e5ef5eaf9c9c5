//! The lexical image: the words of a document that describe it.
//!
//! Source: Ignatov et al. 2009, §1 and §3: words whose frequencies lie in an interval, except those
//! of a list of about 30 stop-words, articles, prepositions and pronouns. The more frequent say
//! nothing, the less frequent may be misprints. After Ilyinsky et al. 2002, who choose few words
//! and look them up in an inverted index. Two images are as alike as the words they share.

use std::collections::BTreeSet;

use super::{Statistics, words};

/// Articles, prepositions, pronouns: 30 of them.
pub const STOP: [&str; 30] = [
    "a", "an", "and", "as", "at", "by", "for", "from", "he", "her", "his", "i", "in", "it", "its",
    "of", "on", "or", "she", "that", "the", "their", "they", "this", "to", "we", "which", "with",
    "you", "your",
];

/// The words that describe documents.
#[derive(Clone, Debug)]
pub struct Dictionary(BTreeSet<String>);

impl Dictionary {
    /// The words that occur so often in the collection and are no stop-words; the band decides how
    /// many there are.
    pub fn new(statistics: &Statistics, band: std::ops::RangeInclusive<u64>) -> Self {
        let mut words = statistics.occurring(band);
        words.retain(|word| !STOP.contains(&word.as_str()));
        Self(words)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that a text has.
    pub fn image(&self, text: &str) -> BTreeSet<String> {
        words(text)
            .into_iter()
            .filter(|word| self.0.contains(word))
            .collect()
    }
}

/// Words in both images over words in either; `None` if both are empty.
pub fn resemblance(a: &BTreeSet<String>, b: &BTreeSet<String>) -> Option<f64> {
    let all = a.union(b).count();
    (all > 0).then(|| a.intersection(b).count() as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_the_words_of_the_band_alone() {
        let statistics =
            Statistics::of(["the ship sails", "the ship the ship ship", "a sail sails"]);
        let dictionary = Dictionary::new(&statistics, 2..=3);
        assert_eq!((dictionary.len(), dictionary.is_empty()), (1, false));
        assert_eq!(
            dictionary.image("She SAILS the ship"),
            ["sails".to_owned()].into()
        );
        let wide = Dictionary::new(&statistics, 1..=4);
        let (a, b) = (wide.image("the ship sails"), wide.image("a ship"));
        assert_eq!(resemblance(&a, &b), Some(0.5));
        assert_eq!(resemblance(&wide.image("the"), &wide.image("")), None);
    }
}
