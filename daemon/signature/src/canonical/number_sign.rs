//! Signs of numbers that compatibility decomposition would turn into digits or letters of the word before them.
//!
//! NFKD makes `10⁶` and `106` one text, and so `5¹` (a footnote) and `51`, `1½` and `11⁄2`, `3①` and `31`, `xₙ` and `xn`.
//! They are different readings, so these characters are kept as they are: superscripts and subscripts, and every character
//! whose decomposition begins with a decimal digit and that is not itself one (as full-width and mathematical digits are,
//! which are the same number in another shape).

use std::str::Chars;

/// Whether step 3 keeps this character as it is.
pub(super) const fn is_number_sign(c: char) -> bool {
    matches!(c,
        '\u{B2}' | '\u{B3}' | '\u{B9}' | '\u{BC}'..='\u{BE}'
        | '\u{2070}'..='\u{2071}' | '\u{2074}'..='\u{208E}' | '\u{2090}'..='\u{209C}'
        | '\u{2150}'..='\u{215F}' | '\u{2189}'
        | '\u{2460}'..='\u{2473}' | '\u{2488}'..='\u{249B}' | '\u{24EA}'
        | '\u{3251}'..='\u{325F}' | '\u{32B1}'..='\u{32CB}'
        | '\u{3358}'..='\u{3370}' | '\u{33E0}'..='\u{33FE}'
        | '\u{1F100}'..='\u{1F10A}')
}

/// A text as runs without such signs, each with the sign that ends it; none ends the last.
pub(super) fn runs(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let mut rest: Option<Chars<'_>> = Some(text.chars());
    std::iter::from_fn(move || {
        let mut chars = rest.take()?;
        let run = chars.as_str();
        let sign = chars.find(|&c| is_number_sign(c));
        let taken = run.len() - chars.as_str().len();
        rest = sign.is_some().then_some(chars);
        let end = taken - sign.map_or(0, char::len_utf8);
        Some((&run[..end], sign))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn of_every_character_those_that_would_become_digits_or_are_raised_are_signs() {
        let is_digit = |c: char| {
            c.is_numeric() && c.nfkd().eq(std::iter::once(c)) && {
                // Decimal digits fold to themselves and are ASCII or a script's own.
                c.is_ascii_digit() || !c.is_ascii()
            }
        };
        for c in '\0'..=char::MAX {
            let parts: Vec<char> = c.nfkd().collect();
            let is_raised = matches!(c, '\u{2070}'..='\u{209C}');
            let changes = parts != [c];
            let begins = parts[0].is_ascii_digit() && is_digit(parts[0]);
            // One decimal digit in another shape is that digit.
            let is_shape = parts.len() == 1
                && "０𝟎𝟘𝟢𝟬𝟶🯰\u{1CCF0}"
                    .chars()
                    .any(|zero| (zero as u32..zero as u32 + 10).contains(&(c as u32)));
            let expected = changes && (is_raised || (begins && !is_shape));
            assert_eq!(
                is_number_sign(c),
                expected,
                "{c:?} U+{:X} {parts:?}",
                c as u32
            );
        }
    }

    #[test]
    fn runs_are_the_text_without_and_with_its_signs() {
        let parted: Vec<_> = runs("x²y³").collect();
        assert_eq!(parted, [("x", Some('²')), ("y", Some('³')), ("", None)]);
        assert_eq!(runs("").collect::<Vec<_>>(), [("", None)]);
        assert_eq!(runs("ab").collect::<Vec<_>>(), [("ab", None)]);
    }
}
