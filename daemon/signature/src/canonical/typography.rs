//! Signs that word processors put in place of typed ones: quotation marks, apostrophes, hyphens.
//!
//! A keyboard has `"`, `'` and `-`. Programs replace them while somebody types, and exports to plain text put them back,
//! so that the same clause is typed, saved and exported in different signs. Each stands where the typed one does
//! and reads like it. A minus and a dash from 2 to 3 are a hyphen too: none is dropped. What is not typed as one of the
//! three keeps its form: the em dash, which is typed `--`, primes, and the quotation marks and dashes of East Asia.

/// The sign as it is typed; any other character is returned as it is.
pub(super) const fn typed(c: char) -> char {
    match c {
        // Single quotation marks, high, low and reversed, and angle ones.
        '\u{2018}'..='\u{201B}' | '\u{2039}' | '\u{203A}' => '\'',
        // The same, doubled.
        '\u{AB}' | '\u{BB}' | '\u{201C}'..='\u{201F}' => '"',
        // Hyphen, figure dash, en dash, minus. The hyphen that does not break decomposes to the first.
        '\u{2010}' | '\u{2012}' | '\u{2013}' | '\u{2212}' => '-',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::{fold_and_normalise, is_space};

    #[test]
    fn a_typed_sign_keeps_its_form_and_no_other_ascii_character_is_made() {
        for c in '\0'..=char::MAX {
            let sign = typed(c);
            assert_eq!(typed(sign), sign, "{c:?}");
            assert!(sign == c || matches!(sign, '\'' | '"' | '-'), "{c:?}");
            assert!(sign == c || !(c.is_alphanumeric() || is_space(c)), "{c:?}");
        }
    }

    #[test]
    fn a_clause_in_typographic_signs_is_the_clause_as_it_is_typed() {
        let folded = |text: &str| fold_and_normalise(text.chars()).collect::<String>();
        let typed = "the \"agreement\" of the parties' isn't 'void': 5-7 non-exclusive, -3, \"a\"";
        let shown = "the “agreement” of the parties’ isn’t ‘void’: 5–7 non‑exclusive, −3, «a»";
        assert_eq!(folded(shown), typed);
        for own in ["a — b", "5′ 3″", "「a」", "~ ¬ _ ‗", "`a´"] {
            assert!(!folded(own).contains(['-', '\'', '"']), "{own}");
        }
    }
}
