//! Overlap of sentences and of words: COPS and SCAM.
//!
//! Sources: Brin, Davis and Garcia-Molina 1995, "Copy detection mechanisms for digital documents"
//! (COPS): a document is its sentences, and the share of them that another has is the overlap.
//! Shivakumar and Garcia-Molina 1995, "SCAM: a copy detection mechanism for digital documents": of
//! the words that both use about equally often, ε − (F_a/F_b + F_b/F_a) > 0, the relative
//! frequency model: subset(A, B) = Σ over these of F_a·F_b, by Σ over all words of A of F_a²; the
//! greater of both directions, at most 1. All words weigh alike.

use std::collections::BTreeSet;

use super::{frequencies, words};

/// ε of SCAM: words may differ in frequency by up to a factor of 2.
pub const EPSILON: f64 = 2.5;

/// The sentences of a text, as their words: a full stop, a question or an exclamation mark before
/// white space ends one, and so does an empty line.
pub fn sentences(text: &str) -> BTreeSet<Vec<String>> {
    let mut before = ' ';
    let ends = |c: char| {
        let ends =
            c.is_whitespace() && matches!(before, '.' | '!' | '?') || c == '\n' && before == '\n';
        before = c;
        ends
    };
    let sentences: Vec<Vec<String>> = text.split(ends).map(words).collect();
    sentences
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect()
}

/// The share of the sentences of `part` that `whole` has; `None` if there are none.
pub fn cops(part: &str, whole: &str) -> Option<f64> {
    let (part, whole) = (sentences(part), sentences(whole));
    let common = part.intersection(&whole).count();
    (!part.is_empty()).then(|| common as f64 / part.len() as f64)
}

/// SCAM's similarity; `None` if one has no words.
pub fn scam(a: &str, b: &str) -> Option<f64> {
    let (a, b) = (frequencies(a), frequencies(b));
    let mut close = 0.0;
    for (word, &in_a) in &a {
        let (in_a, in_b) = (in_a as f64, b.get(word).map_or(0.0, |&count| count as f64));
        if in_b > 0.0 && EPSILON - (in_a / in_b + in_b / in_a) > 0.0 {
            close += in_a * in_b;
        }
    }
    let norm = |of: &std::collections::BTreeMap<String, u64>| -> f64 {
        of.values().map(|&count| (count as f64).powi(2)).sum()
    };
    let least = norm(&a).min(norm(&b));
    (least > 0.0).then(|| (close / least).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_and_shared() {
        let text = "One ship. Two ships!\nAre there 2.5?\n\nNo end\n\nOne  SHIP.";
        assert_eq!(sentences(text).len(), 4);
        assert_eq!(cops("Two ships. Three.", text), Some(0.5));
        assert_eq!(cops("One ship. no end", text), Some(1.0));
        assert_eq!(cops(text, "One ship."), Some(0.25));
        assert_eq!(cops("", text), None);
    }

    #[test]
    fn words_of_like_frequency_count() {
        assert_eq!(scam("a b c", "c b a"), Some(1.0));
        assert_eq!(scam("a b", "c d"), Some(0.0));
        // b occurs too often in the second; a alone is close: 1 of 1 + 1.
        assert_eq!(scam("a b", "a b b b"), Some(0.5));
        // The smaller one is all there.
        assert_eq!(scam("a b", "a b c d e"), Some(1.0));
        assert_eq!(scam("", "a"), None);
    }
}
