//! Bullets: signs that mark the items of a list and say nothing.
//!
//! The same list has `•` in a PDF, `-` or `*` in plain text, none in the text of HTML or DOCX, where
//! the program that shows it draws them. Numbers and letters of items are text: they are referred to.
//!
//! Some signs are nothing but bullets. A dash, an asterisk or a dot stands within sentences too, and a
//! line may break before it: it is a bullet only where a list can begin or go on ([`Place`]), and a
//! dash before a number is none anywhere.

use std::ops::Range;

use super::{is_ignorable, is_space};

/// Signs in canonical form that are bullets wherever a line begins. The last ones are those of Symbol
/// and Wingdings, which PDFs and word processors give as characters of the private area.
pub(super) const BULLETS: &[&str] = &[
    "•", "‣", "⁃", "∙", "■", "□", "▪", "▫", "▶", "▸", "►", "▹", "◆", "◇", "○", "●", "◦", "❖", "➢",
    "➤", "\u{f0a7}", "\u{f0b7}", "\u{f0d8}",
];

/// Signs that stand within sentences too.
const AMBIGUOUS: &[&str] = &["*", "·"];
/// Such signs that may also be a minus.
const DASHES: &[&str] = &["-", "‐", "–"];

/// Ends of a line that a list may follow.
const ENDS: &[u8] = b".:;,!?";

/// A line that matters to lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// One without words.
    Blank(Range<usize>),
    /// One that may begin with a bullet.
    Item(Range<usize>),
}

/// The lines of a text that are blank or may begin with a bullet, with their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        kind(line, start..end)
    })
}

/// Quickly: what begins with a letter, a digit or a sign of ASCII that is no bullet is neither.
fn kind(line: &str, at: Range<usize>) -> Option<Line> {
    match line.chars().find(|&c| !is_space(c) && !is_ignorable(c)) {
        None => Some(Line::Blank(at)),
        Some('-' | '*') => Some(Line::Item(at)),
        Some(c) => (!c.is_ascii() && !c.is_alphanumeric()).then_some(Line::Item(at)),
    }
}

/// Where a list stands.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// Whether an ambiguous bullet was dropped since the last blank line: its list may go on, and
    /// items may have wrapped lines.
    goes_on: bool,
    /// The end of the last blank line.
    blank: usize,
}

impl Place {
    /// Takes a blank line.
    pub(super) fn blank(&mut self, end: usize) {
        *self = Self {
            goes_on: false,
            blank: end,
        };
    }

    /// How many bytes the bullets at the beginning of a line in canonical form take, with the spaces
    /// behind them. The line begins at `start` in the text; `before` is the canonical text so far.
    pub(super) fn bullets(&mut self, start: usize, before: &[u8], line: &[u8]) -> usize {
        let can_stand = self.goes_on || self.blank == start || may_be_followed(before);
        let mut rest = line;
        loop {
            if let Some(after) = after_any(BULLETS, rest) {
                rest = after;
            } else if let Some(after) = after_ambiguous(rest).filter(|_| can_stand) {
                self.goes_on = true;
                rest = after;
            } else {
                return line.len() - rest.len();
            }
        }
    }
}

/// Whether a list may begin behind this canonical text.
fn may_be_followed(before: &[u8]) -> bool {
    let before = before.strip_suffix(b" ").unwrap_or(before);
    before.last().is_none_or(|last| ENDS.contains(last))
}

fn after_ambiguous(line: &[u8]) -> Option<&[u8]> {
    let after_dash = || after_any(DASHES, line).filter(|after| !begins_with_number(after));
    after_any(AMBIGUOUS, line).or_else(after_dash)
}

/// What stands behind one of these signs, where it is a word of its own.
fn after_any<'l>(signs: &[&str], line: &'l [u8]) -> Option<&'l [u8]> {
    let mut signs = signs.iter();
    let after = signs.find_map(|sign| line.strip_prefix(sign.as_bytes()))?;
    match after {
        [] => Some(after),
        [b' ', rest @ ..] => Some(rest),
        _ => None,
    }
}

fn begins_with_number(text: &[u8]) -> bool {
    // No character is longer; all of a line, for each of its signs, would be quadratic.
    let mut start = text[..text.len().min(4)].utf8_chunks();
    let first = start.next().and_then(|chunk| chunk.valid().chars().next());
    first.is_some_and(char::is_numeric)
}
