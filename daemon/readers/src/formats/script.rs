//! Superscripts and subscripts that are formatting alone, as the characters that Unicode has for them.
//!
//! `10³` with a raised 3 and `103` read differently, so digits keep their height. Text with any character that has no such
//! form stays as it is, so that `1st` is one word; white space, commas and dashes have none and may stand between.

use std::borrow::Cow;

/// Where text stands, other than on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Raised,
    Lowered,
}

/// Characters with a form above the line, and below it. Canonical text keeps them apart from those on the line.
const RAISED: (&str, &str) = ("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ");
const LOWERED: (&str, &str) = ("0123456789+-−=()n", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ");

impl Script {
    /// Text that stands there.
    pub(super) fn of(self, text: &str) -> Cow<'_, str> {
        let (line, script) = match self {
            Self::Raised => RAISED,
            Self::Lowered => LOWERED,
        };
        let form = |c: char| match c {
            ',' | '–' => Some(c),
            _ if c.is_whitespace() => Some(c),
            _ => line
                .chars()
                .zip(script.chars())
                .find(|(on, _)| *on == c)
                .map(|(_, form)| form),
        };
        let written: Option<String> = text.chars().map(form).collect();
        written.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Text that stands there, or on the line.
    pub(super) fn apply(script: Option<Self>, text: &str) -> Cow<'_, str> {
        script.map_or(Cow::Borrowed(text), |script| script.of(text))
    }

    /// From a property of binary formats: 1 above, 2 below the line.
    #[cfg(feature = "office")]
    pub(super) fn of_number(number: u16) -> Option<Self> {
        match number {
            1 => Some(Self::Raised),
            2 => Some(Self::Lowered),
            _ => None,
        }
    }

    /// From a property of OOXML: `superscript`, `subscript`.
    #[cfg(feature = "office")]
    pub(super) fn of_align(value: &str) -> Option<Self> {
        match value {
            "superscript" => Some(Self::Raised),
            "subscript" => Some(Self::Lowered),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_form_is_raised_and_words_are_not() {
        for (text, raised, lowered) in [
            ("3", "³", "₃"),
            ("-1", "⁻¹", "₋₁"),
            ("n+1", "ⁿ⁺¹", "ₙ₊₁"),
            ("i", "ⁱ", "i"),
            ("1, 2", "¹, ²", "₁, ₂"),
            ("st", "st", "st"),
            ("nd", "nd", "nd"),
            ("*", "*", "*"),
            ("2a", "2a", "2a"),
            ("", "", ""),
        ] {
            assert_eq!(Script::Raised.of(text), raised);
            assert_eq!(Script::Lowered.of(text), lowered);
            assert_eq!(Script::apply(None, text), text);
        }
        assert_eq!(RAISED.0.chars().count(), RAISED.1.chars().count());
        assert_eq!(LOWERED.0.chars().count(), LOWERED.1.chars().count());
    }
}
