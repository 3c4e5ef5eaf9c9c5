//! How much two texts agree: shingles and vocabularies of words.
//!
//! Words are runs of letters and digits of the canonical text, which is Unicode's NFKC with case
//! folding; so spacing, case, punctuation and presentation forms part nothing, nor does the height of
//! digits, which other readers do not keep.

use std::collections::HashSet;

use simdex_signature::CanonicalText;

/// Words of a shingle.
const WIDTH: usize = 5;
/// Raised and lowered digits.
const SCRIPTS: [&str; 2] = ["⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"];
/// What stands around the number or letter of a label.
const MARKS: [char; 6] = ['(', ')', '[', ']', '.', ':'];

/// A text taken apart into words.
pub(super) struct Words(CanonicalText);

impl Words {
    /// Of an extracted text.
    pub(super) fn of(text: &str) -> Self {
        let digit = |c: char| {
            let of = |script: &&str| script.chars().position(|other| other == c);
            let value = SCRIPTS.iter().find_map(of)?;
            char::from_digit(u32::try_from(value).ok()?, 10)
        };
        let plain: String = text.chars().map(|c| digit(c).unwrap_or(c)).collect();
        Self(CanonicalText::from_extracted(&plain))
    }

    fn list(&self) -> Vec<&str> {
        let words = self.0.as_str().split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).collect()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.list().len()
    }

    /// |A∩B| / |A∪B| of the sets of five words in a row; a shorter text is one shingle. 1 where
    /// both texts are empty.
    pub(super) fn agreement(&self, other: &Self) -> f64 {
        let (a, b) = (self.list(), other.list());
        let (a, b) = (shingles(&a), shingles(&b));
        let shared = a.intersection(&b).count();
        ratio(shared, a.len() + b.len() - shared)
    }

    /// The share of the reference's distinct words that stand here too; 1 where it has none.
    pub(super) fn recall(&self, reference: &Self) -> f64 {
        let own: HashSet<&str> = self.list().into_iter().collect();
        let wanted: HashSet<&str> = reference.list().into_iter().collect();
        ratio(wanted.intersection(&own).count(), wanted.len())
    }
}

/// A text without the label of a list item at the beginning of each of its lines (`3.2`, `(a)`,
/// `iv.`): of two readers one counts them and the other does not. A number alone is none (`2024 was`).
pub(super) fn without_labels(text: &str) -> String {
    let line = |line: &str| {
        let line = line.trim();
        let mut rest = after_label(line, is_label).unwrap_or(line);
        // Levels written apart (`1. (a)`): one may be counted and the next typed, which is text to
        // either reader.
        while rest.len() < line.len()
            && let Some(after) = after_label(rest, |word| is_label(word) && is_marked(word))
        {
            rest = after;
        }
        rest.to_owned()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn after_label(line: &str, is_one: impl Fn(&str) -> bool) -> Option<&str> {
    let (first, after) = line.split_once(char::is_whitespace)?;
    is_one(first).then(|| after.trim_start())
}

/// A number or letter with a dot or parenthesis.
fn is_label(word: &str) -> bool {
    let bare = word.trim_matches(MARKS);
    let is_number = bare.contains(|c: char| c.is_ascii_digit())
        && bare
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let is_roman = bare.chars().all(|c| "ivxlcIVXLC".contains(c));
    let is_letter = bare.chars().count() == 1 && bare.chars().all(char::is_alphabetic);
    let is_short = (1..=8).contains(&bare.len());
    let has_mark = bare != word || is_number && bare.contains('.');
    is_short && has_mark && (is_number || is_roman || is_letter)
}

/// Whether a dot or parenthesis closes a label.
fn is_marked(word: &str) -> bool {
    word.ends_with(MARKS)
}

fn shingles<'a>(words: &'a [&'a str]) -> HashSet<&'a [&'a str]> {
    match words.len() {
        0 => HashSet::new(),
        few @ 1..WIDTH => HashSet::from([&words[..few]]),
        _ => words.windows(WIDTH).collect(),
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// The share of the values that are at least this; 1 of none.
pub(super) fn share_reaching(values: &[f64], least: f64) -> f64 {
    ratio(
        values.iter().filter(|value| **value >= least).count(),
        values.len(),
    )
}

/// The value below which this share of the values lies (nearest rank); 0 of none.
pub(super) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(a: &str, b: &str) -> f64 {
        Words::of(a).agreement(&Words::of(b))
    }

    #[test]
    fn agreement_is_the_jaccard_of_five_words_in_a_row() {
        // Three shingles and two, of which two are shared.
        assert_eq!(agreement("a b c d e f g", "A, b\tc (d) e f"), 2.0 / 3.0);
        assert_eq!(agreement("a b c d e f", "f e d c b a"), 0.0);
        assert_eq!(agreement("ﬁne STRASSE", "fine straße"), 1.0);
        assert_eq!(agreement("", " . "), 1.0);
        assert_eq!(agreement("one", ""), 0.0);
        assert_eq!(agreement("one two", "one two three"), 0.0);
    }

    #[test]
    fn labels_go_and_words_stay() {
        let text = "3.2 Scope\n  (a) one\niv. two\n1) three\nI am\na word\n2026-11-21T10 x\n- 4";
        let bare = "Scope\none\ntwo\nthree\nI am\na word\n2026-11-21T10 x\n- 4";
        assert_eq!(without_labels(text), bare);
        assert_eq!(
            without_labels("1. (a) ii) x\n3.2 (b) 1. y"),
            "x\ny",
            "levels written apart"
        );
    }

    #[test]
    fn numbers_are_judged() {
        for text in [
            "1\t2\t3.5\t4",
            "2024 was good",
            "12\t3.5",
            "- 4 5",
            "I am",
            "2.",
        ] {
            assert_eq!(without_labels(text), text);
        }
        assert_eq!(without_labels("1. 2\t3.5"), "2\t3.5");
        assert_eq!(without_labels("3.5\t4.5\t5.5"), "4.5\t5.5");
    }

    #[test]
    fn recall_counts_distinct_words_of_the_reference() {
        let (own, reference) = (
            Words::of("two one other"),
            Words::of("one one two three four"),
        );
        assert_eq!(own.recall(&reference), 0.5);
        assert_eq!(own.recall(&Words::of("")), 1.0);
        assert_eq!(reference.count(), 5);
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let values: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        assert_eq!((quantile(&values, 0.5), quantile(&values, 0.1)), (5.0, 1.0));
        assert_eq!((quantile(&values, 0.0), quantile(&[], 0.5)), (1.0, 0.0));
        assert_eq!(share_reaching(&values, 9.0), 0.2);
    }
}
