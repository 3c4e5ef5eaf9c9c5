//! Exact title match (Huffman et al. 2007, §3.2.1): weak alone, and useful against false duplicates.
//!
//! The title is the one that the document states; where it states none, its first line with a letter.
//! Compared are canonical forms of at most [`LONGEST`] bytes, so that case and spaces do not matter.

use simdex_signature::CanonicalText;

/// Bytes of a title that are compared.
const LONGEST: usize = 200;

/// The title of a document as it is compared; `None` where it has no letter.
pub fn of(stated: Option<&str>, extracted: &str) -> Option<String> {
    let has_letter = |line: &&str| line.chars().any(char::is_alphanumeric);
    let stated = stated.filter(has_letter);
    let title = stated.or_else(|| extracted.lines().find(has_letter))?;
    let end = title.floor_char_boundary(4 * LONGEST);
    Some(CanonicalText::bounded(&title[..end], LONGEST).into_string())
}

/// Whether both titles are the same; `None` where one is missing.
pub fn same(a: Option<&str>, b: Option<&str>) -> Option<bool> {
    Some(a? == b?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stated_title_comes_before_the_first_line() {
        assert_eq!(of(Some("A  Lease"), "Page 1\n").as_deref(), Some("a lease"));
        assert_eq!(
            of(None, "\n---\nA Lease\nof rooms").as_deref(),
            Some("a lease")
        );
        assert_eq!(of(Some(" - "), "b").as_deref(), Some("b"));
        assert_eq!(of(None, "\n * * *\n"), None);
        let long = "é".repeat(10_000);
        assert!(of(None, &long).is_some_and(|title| title.len() <= LONGEST));
    }

    #[test]
    fn a_missing_title_says_nothing() {
        assert_eq!(same(Some("a"), Some("a")), Some(true));
        assert_eq!(same(Some("a"), Some("b")), Some(false));
        assert_eq!(same(None, Some("b")), None);
    }
}
