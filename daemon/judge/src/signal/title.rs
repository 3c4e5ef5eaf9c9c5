//! Exact title match (Huffman et al. 2007, §3.2.1): weak alone, and useful against false duplicates.
//!
//! The title is the first line with a letter. Compared are canonical forms of at most [`LONGEST`] bytes, so that case and spaces do not matter.

use simdex_signature::CanonicalText;

/// Bytes of a title that are compared.
const LONGEST: usize = 200;

/// The title of a document as it is compared; `None` where no line has a letter.
pub fn of(extracted: &str) -> Option<String> {
    let has_letter = |line: &&str| line.chars().any(char::is_alphanumeric);
    let title = extracted.lines().find(has_letter)?;
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
    fn the_title_is_the_first_line_with_a_letter() {
        assert_eq!(of("\n---\nA  Lease\nof rooms").as_deref(), Some("a lease"));
        assert_eq!(of("\n * * *\n"), None);
        let long = "é".repeat(10_000);
        assert!(of(&long).is_some_and(|title| title.len() <= LONGEST));
    }

    #[test]
    fn a_missing_title_says_nothing() {
        assert_eq!(same(Some("a"), Some("a")), Some(true));
        assert_eq!(same(Some("a"), Some("b")), Some(false));
        assert_eq!(same(None, Some("b")), None);
    }
}
