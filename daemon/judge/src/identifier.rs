//! The identifier at the head of a document, which distinguishes serial notices.
//!
//! Notices, letters and tickets of one series differ in their number and a few words, and no measure of what they have
//! in common distinguishes them from versions of one document. A reader looks at the number. So a pair is not called
//! one document if both heads have an identifier of one kind and these differ; nor is it called two, since a number may
//! have been corrected.
//!
//! An identifier is the first word with three digits in a row among the first [`HEAD`] words. Four-digit years and
//! eight-digit dates do not count. Two are of one kind if the word before them, digits apart, is the same, and so is
//! their shape: `RUSTSEC-2020-0166` and `RUSTSEC-2021-0001`, but not a part number and a telephone number.

use crate::signal::terms::words;

/// Words in which an identifier is searched for.
const HEAD: usize = 40;
/// Digits in a row that make a word an identifier.
const DIGITS: usize = 3;

/// The first identifier of a text, with the word before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identifier<'a> {
    label: Option<&'a str>,
    word: &'a str,
}

/// Whether both canonical texts have an identifier of one kind, but different ones.
pub(crate) fn differ(a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (first(a), first(b)) else {
        return false;
    };
    a.word != b.word && a.label == b.label && shape(a.word).eq(shape(b.word))
}

fn first(canonical: &str) -> Option<Identifier<'_>> {
    let mut label = None;
    for word in words(canonical).take(HEAD) {
        if is_identifier(word) {
            return Some(Identifier { label, word });
        }
        if !word.bytes().any(|byte| byte.is_ascii_digit()) {
            label = Some(word);
        }
    }
    None
}

fn is_identifier(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_this_age = word.starts_with("19") || word.starts_with("20");
    let is_date = is_number && is_of_this_age && [4, 8].contains(&word.len());
    let mut runs = word.split(|letter: char| !letter.is_ascii_digit());
    !is_date && runs.any(|digits| digits.len() >= DIGITS)
}

/// The shape of a word: a marker for each digit, or the letter itself.
fn shape(word: &str) -> impl Iterator<Item = char> + '_ {
    let digit = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    word.chars().map(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_series_differ_and_those_of_two_kinds_do_not() {
        assert!(differ(
            "advisory id rustsec-2020-0166 of a package",
            "advisory id rustsec-2021-0001 of another"
        ));
        assert!(differ("error c2143 in a line", "error c2144 in a line"));
        for (a, b) in [
            ("note 1715 of a lease", "note 1715 of another lease"),
            ("note 1715 of a lease", "call 2204 about it"),
            ("note 1715 of a lease", "note 17150 of a lease"),
            ("error c2143 in a line", "error d2143 in a line"),
            ("note 1715 of a lease", "a lease without a number"),
        ] {
            assert!(!differ(a, b), "{a} {b}");
        }
    }

    #[test]
    fn neither_years_nor_dates_nor_what_comes_late_are_identifiers() {
        assert!(!differ("lease of 1998 or so", "lease of 2003 or so"));
        assert!(!differ("lease of 20200904", "lease of 20210904"));
        assert!(!differ("version 12.34", "version 12.35"));
        assert!(differ("ticket 20201 of a day", "ticket 20202 of a day"));
        let late = |number: &str| format!("{}{number}", "word ".repeat(HEAD));
        assert!(!differ(&late("1715"), &late("2204")));
        let early = |number: &str| format!("{}{number}", "word ".repeat(HEAD - 1));
        assert!(differ(&early("1715"), &early("2204")));
    }
}
