//! Exact title match (Huffman et al. 2007, §3.2.1): weak alone, and useful against false duplicates.
//!
//! The title is the first Markdown heading (`# Lease`), if there is one in the first [`HEADINGS`] bytes: such files
//! begin with a block of facts more often than not. Otherwise it is the first line with a letter. Canonical forms of at
//! most [`LONGEST`] bytes are compared, so case and spaces do not matter.

use simdex_signature::CanonicalText;

/// Bytes of a title that are compared.
const LONGEST: usize = 200;
/// Bytes in which a heading is searched for.
const HEADINGS: usize = 4_096;

/// The title of a document as it is compared; `None` if no line has a letter.
pub fn of(extracted: &str) -> Option<String> {
    let has_letter = |line: &&str| line.chars().any(char::is_alphanumeric);
    let beginning = &extracted[..extracted.floor_char_boundary(HEADINGS)];
    let heading = beginning.lines().find_map(heading).filter(has_letter);
    let title = heading.or_else(|| extracted.lines().find(has_letter))?;
    let end = title.floor_char_boundary(4 * LONGEST);
    Some(CanonicalText::bounded(&title[..end], LONGEST).into_string())
}

/// The text of a Markdown heading: one to six `#`, then a space.
fn heading(line: &str) -> Option<&str> {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&marks);
    is_heading
        .then(|| line[marks..].strip_prefix(' '))
        .flatten()
}

/// Whether both titles are the same; `None` if one is missing.
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
    fn a_heading_of_markdown_goes_before_what_stands_above_it() {
        let page = "```toml\n[advisory]\n```\n\n## Overflow in ada\nText\n# Another";
        assert_eq!(of(page).as_deref(), Some("overflow in ada"));
        assert_eq!(of("#define A\n#! b").as_deref(), Some("#define a"));
        let far = format!("first\n{}\n# Too far", "x".repeat(HEADINGS));
        assert_eq!(of(&far).as_deref(), Some("first"));
    }

    #[test]
    fn a_missing_title_says_nothing() {
        assert_eq!(same(Some("a"), Some("a")), Some(true));
        assert_eq!(same(Some("a"), Some("b")), Some(false));
        assert_eq!(same(None, Some("b")), None);
    }
}
