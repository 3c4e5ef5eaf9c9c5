//! Brackets in text that runs to the left. They are drawn mirrored (Unicode Annex 9, rule L4), and fonts differ in what
//! they say of one: the character of the text, or the one that looks like what is drawn.

/// Opening brackets, each followed by its counterpart.
pub(super) const PAIRS: &[[char; 2]] =
    &[['(', ')'], ['[', ']'], ['{', '}'], ['«', '»'], ['‹', '›']];

/// What the fonts of a page say of brackets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Brackets {
    /// There is nothing to tell it by: brackets stay as and where they are.
    #[default]
    Unknown,
    /// The characters of the text.
    Written,
    /// The characters that look like what is drawn.
    Drawn,
}

impl Brackets {
    /// Whether a character at the end of a run is a bracket that runs with the line.
    pub(super) fn moves(self, c: char) -> bool {
        self != Self::Unknown && is_bracket(c)
    }

    /// The character of the text for one that was read.
    pub(super) fn character(self, c: char) -> char {
        if self != Self::Drawn {
            return c;
        }
        let pair = PAIRS.iter().find(|pair| pair.contains(&c));
        pair.map_or(c, |[open, close]| if c == *open { *close } else { *open })
    }
}

pub(super) fn is_bracket(c: char) -> bool {
    PAIRS.iter().any(|pair| pair.contains(&c))
}

/// Whether as many brackets of each kind are opened as closed.
pub(super) fn is_balanced(text: &str) -> bool {
    let count = |bracket: char| text.chars().filter(|c| *c == bracket).count();
    PAIRS
        .iter()
        .all(|[open, close]| count(*open) == count(*close))
}
