//! The identifier at the head of a document, which distinguishes serial notices.
//!
//! Notices, letters and tickets of one series differ in their number and a few words, and no measure of what they have
//! in common distinguishes them from versions of one document. A reader looks at the number. So a pair is not called
//! one document if both heads have an identifier of one kind and these differ; nor is it called two, since a number may
//! have been corrected.
//!
//! An identifier is a word with three digits in a row among the first [`HEAD`] words. Four-digit years and eight-digit
//! dates do not count. Two are of one kind if the last word before them without a digit is the same, and so is their
//! shape: `RUSTSEC-2020-0166` and `RUSTSEC-2021-0001`, but not a part number and a telephone number. Of each kind all
//! are compared, so that the number of a letter is not hidden by the telephone number above it.

use std::collections::BTreeMap;

use crate::signal::terms::words;

/// Words in which an identifier is searched for.
const HEAD: usize = 40;
/// Digits in a row that make a word an identifier.
const DIGITS: usize = 3;

/// The identifiers of a text by kind: the word before them and their shape.
type Identifiers<'a> = BTreeMap<(Option<&'a str>, String), Vec<&'a str>>;

/// Whether both canonical texts have identifiers of one kind, but different ones.
pub(crate) fn differ(a: &str, b: &str) -> bool {
    let (of_a, of_b) = (identifiers(a), identifiers(b));
    let differs = |(kind, a): (_, &Vec<&str>)| of_b.get(kind).is_some_and(|b| a != b);
    of_a.iter().any(differs)
}

fn identifiers(canonical: &str) -> Identifiers<'_> {
    let mut all = Identifiers::new();
    let mut label = None;
    for word in words(canonical).take(HEAD) {
        if is_identifier(word) {
            all.entry((label, shape(word))).or_default().push(word);
        } else if !word.bytes().any(|byte| byte.is_ascii_digit()) {
            label = Some(word);
        }
    }
    all
}

fn is_identifier(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_this_age = word.starts_with("19") || word.starts_with("20");
    let is_date = is_number && is_of_this_age && [4, 8].contains(&word.len());
    let mut runs = word.split(|letter: char| !letter.is_ascii_digit());
    !is_date && runs.any(|digits| digits.len() >= DIGITS)
}

/// The shape of a word: a marker for each digit, or the letter itself.
fn shape(word: &str) -> String {
    let digit = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    word.chars().map(digit).collect()
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
    fn a_number_that_both_have_does_not_hide_another() {
        let invoice = |number: u32| {
            format!("tel 01422 555 017 vat gb 812 4471 invoice no {number} for goods")
        };
        assert!(differ(&invoice(20_411), &invoice(20_533)));
        assert!(!differ(&invoice(20_411), &invoice(20_411)));
        assert!(!differ(
            &invoice(20_411),
            "invoice no 20411 of a firm without a telephone"
        ));
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
