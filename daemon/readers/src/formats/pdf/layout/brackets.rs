//! Brackets in text that runs to the left. They are drawn mirrored (Unicode Annex 9, rule L4), and fonts differ in what
//! they say of one: the character of the text, or the one that looks like what is drawn. Which it is shows on the page:
//! only one of both gives pairs.

use super::piece::{is_leftward_text, turn};
use super::rows;
use super::run::Run;

/// Opening brackets, each followed by its counterpart.
const PAIRS: &[[char; 2]] = &[['(', ')'], ['[', ']'], ['{', '}'], ['«', '»'], ['‹', '›']];

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
    /// What the runs of a page show.
    pub(super) fn of(runs: &[Run]) -> Self {
        let has = |predicate: fn(&Run) -> bool| runs.iter().any(predicate);
        if !has(|run| run.leftward) || !has(|run| run.text.contains(is_bracket)) {
            return Self::Unknown;
        }
        let rows = rows(runs.to_vec());
        let rows = rows.iter().filter(|row| is_leftward_text(row));
        let (mut written, mut drawn) = (0, 0);
        for row in rows {
            written += pairs(&reading(row, Self::Written));
            drawn += pairs(&reading(row, Self::Drawn));
        }
        match written.cmp(&drawn) {
            std::cmp::Ordering::Less => Self::Drawn,
            std::cmp::Ordering::Equal => Self::Unknown,
            std::cmp::Ordering::Greater => Self::Written,
        }
    }

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

fn is_bracket(c: char) -> bool {
    PAIRS.iter().any(|pair| pair.contains(&c))
}

/// The text of a row in reading order.
fn reading(row: &[Run], brackets: Brackets) -> String {
    let mut row = row.to_vec();
    for run in &mut row {
        run.brackets = brackets;
        run.turn_ends();
    }
    turn(&mut row);
    row.into_iter().map(|run| run.text).collect()
}

/// How many brackets are closed after they were opened.
fn pairs(text: &str) -> usize {
    let of_kind = |[open, close]: &[char; 2]| {
        let (mut pairs, mut depth) = (0_usize, 0_usize);
        for c in text.chars() {
            if c == *open {
                depth += 1;
            } else if c == *close && depth > 0 {
                depth -= 1;
                pairs += 1;
            }
        }
        pairs
    };
    PAIRS.iter().map(of_kind).sum()
}

/// Whether as many brackets of each kind are opened as closed.
pub(super) fn is_balanced(text: &str) -> bool {
    let count = |bracket: char| text.chars().filter(|c| *c == bracket).count();
    PAIRS
        .iter()
        .all(|[open, close]| count(*open) == count(*close))
}
