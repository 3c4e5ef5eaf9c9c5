//! Bullets: signs that mark the items of a list and say nothing.
//!
//! The same list has `•` in a PDF, `-` or `*` in plain text, none in the text of HTML or DOCX, where
//! the program that shows it draws them. Numbers and letters of items are text: they are referred to.

use std::ops::Range;

use super::{is_ignorable, is_space};

/// Signs in canonical form. The last ones are those of Symbol and Wingdings, which PDFs and word
/// processors give as characters of the private area.
const BULLETS: &[&str] = &[
    "-", "*", "·", "‐", "–", "•", "‣", "⁃", "∙", "■", "□", "▪", "▫", "▶", "▸", "►", "▹", "◆", "◇",
    "○", "●", "◦", "❖", "➢", "➤", "\u{f0a7}", "\u{f0b7}", "\u{f0d8}",
];

/// The lines of a text that may begin with a bullet, with their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = end;
        end += line.len();
        (start..end, line)
    });
    lines.filter_map(|(range, line)| may_begin_item(line).then_some(range))
}

/// Quickly: what begins with a letter, a digit or a sign of ASCII that is no bullet does not.
fn may_begin_item(line: &str) -> bool {
    let first = line.chars().find(|&c| !is_space(c) && !is_ignorable(c));
    first.is_some_and(|c| match c {
        '-' | '*' => true,
        _ => !c.is_ascii() && !c.is_alphanumeric(),
    })
}

/// How many bytes the bullets at the beginning of a line in canonical form take, with the spaces
/// behind them.
pub(super) fn length(line: &[u8]) -> usize {
    let mut rest = line;
    while let Some(after) = after_bullet(rest) {
        rest = after;
    }
    line.len() - rest.len()
}

fn after_bullet(line: &[u8]) -> Option<&[u8]> {
    let mut signs = BULLETS.iter();
    let after = signs.find_map(|sign| line.strip_prefix(sign.as_bytes()))?;
    match after {
        [] => Some(after),
        [b' ', rest @ ..] => Some(rest),
        _ => None,
    }
}
