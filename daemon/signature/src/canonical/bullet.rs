//! Bullets: signs that mark the items of a list and say nothing.
//!
//! The same list has `•` in a PDF and no sign in the text of HTML or DOCX, where the program that
//! shows it draws one. Numbers and letters of items are text: they are referred to.
//!
//! Only signs that are nothing but bullets are dropped. A dash may be a minus, an asterisk a footnote
//! or a multiplication, `∙` an operator, `⁃` is drawn as a dash, and a filled box, circle or diamond beside an empty one a
//! choice that somebody made: they change what a text says and stay, wherever they stand. So do characters of the private
//! use area: what they are depends on the font, which is not known here. Readers that know it write the bullets of Symbol
//! and Wingdings as those below.

use std::ops::Range;

use super::{folded, is_ignorable, is_space};

/// Bullets in canonical form.
pub(super) const BULLETS: &[&str] = &["•", "‣", "▪", "◦", "▸", "►", "❖", "➢", "➤"];

/// The lines of a text that may begin with a bullet: those whose first visible character is neither
/// ASCII nor a letter or digit.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        let first = line.chars().find(|&c| !is_space(c) && !is_ignorable(c))?;
        (!first.is_ascii() && !first.is_alphanumeric()).then_some(start..end)
    })
}

/// How many bytes the bullets at the beginning of a line in canonical form take, with the spaces
/// behind them.
pub(super) fn bullets(line: &[u8]) -> usize {
    let mut rest = line;
    while let Some(after) = after_bullet(rest) {
        rest = after;
    }
    line.len() - rest.len()
}

/// What stands behind a bullet that is a word of its own.
fn after_bullet(line: &[u8]) -> Option<&[u8]> {
    let mut bullets = BULLETS.iter();
    match bullets.find_map(|bullet| line.strip_prefix(bullet.as_bytes()))? {
        [] => Some(&[]),
        [b' ', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Where the bullets that are dropped stand in a text, in bytes of it: from the beginning of a line to the end of the
/// last of them.
pub(crate) fn dropped_bullets(text: &str) -> impl Iterator<Item = Range<usize>> {
    lines(text).filter_map(|line| {
        let end = bullets_written(&text[line.clone()]);
        (end > 0).then(|| line.start..line.start + end)
    })
}

/// How many bytes the bullets at the beginning of a line take as it is written.
fn bullets_written(line: &str) -> usize {
    let (mut end, mut at) = (0, 0);
    for word in line.split_inclusive(is_space) {
        let form = folded(word);
        if bullets(form.as_bytes()) < form.len() {
            break;
        }
        if !form.is_empty() {
            end = at + word.trim_end_matches(is_space).len();
        }
        at += word.len();
    }
    end
}
