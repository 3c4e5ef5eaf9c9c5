//! What the fonts of a page say of brackets shows on the page: only one of both ways gives pairs.

use super::brackets::{Brackets, PAIRS, is_bracket};
use super::piece::{is_leftward_text, turn};
use super::rows::rows;
use super::run::Run;

/// What the runs of a page show.
pub(super) fn brackets_of(runs: &[Run]) -> Brackets {
    let has = |predicate: fn(&Run) -> bool| runs.iter().any(predicate);
    if !has(|run| run.leftward) || !has(|run| run.text.contains(is_bracket)) {
        return Brackets::Unknown;
    }
    let rows = rows(runs.to_vec());
    let rows = rows.iter().filter(|row| is_leftward_text(row));
    let (mut written, mut drawn) = (0, 0);
    for row in rows {
        written += pairs(&reading(row, Brackets::Written));
        drawn += pairs(&reading(row, Brackets::Drawn));
    }
    match written.cmp(&drawn) {
        std::cmp::Ordering::Less => Brackets::Drawn,
        std::cmp::Ordering::Equal => Brackets::Unknown,
        std::cmp::Ordering::Greater => Brackets::Written,
    }
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
