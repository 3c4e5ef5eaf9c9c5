//! Two texts side by side, for people: the changed places with changed words marked.
//!
//! Places and rows are bounded; the whole difference is in `diffs/`. Long lines (texts that are one line, paragraphs)
//! are shown in pieces that end with a sentence, so that an edit in one leaves the others unchanged. Of what is unchanged
//! beside a change only the nearest is shown, since it is written twice and stands in the texts anyway. If lines are
//! broken differently, or something moved, texts are shown by words ([`words`]).
mod changed_rows;
#[cfg(test)]
mod tests;
mod words;

use std::fmt::Write as _;

use similar::DiffOp;

use super::format::{Text, counted};
use crate::read_side::difference::Difference;
use crate::read_side::difference::words::WordDifference;
use changed_rows::{Row, Sides, sides, unchanged};

/// Changed places shown per difference.
const PLACES_SHOWN: usize = 25;
/// Rows shown per difference.
const ROWS_SHOWN: usize = 240;
/// A line longer than this, in bytes, is shown in pieces, of which each is at least this long.
const PIECE: usize = 400;
const PIECE_MIN: usize = 60;

/// A text split into pieces to show, each with the number of its line (from 1).
#[derive(Default)]
struct Pieces<'a> {
    texts: Vec<&'a str>,
    lines: Vec<usize>,
}

impl<'a> Pieces<'a> {
    fn of(text: &'a str) -> Self {
        let mut pieces = Self::default();
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let mut rest = line;
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(piece_end(rest));
                pieces.texts.push(piece);
                pieces.lines.push(index + 1);
                rest = after;
            }
        }
        pieces
    }

    /// The line number, for its first piece.
    fn number(&self, index: usize) -> Option<usize> {
        let line = *self.lines.get(index)?;
        let before = index.checked_sub(1).and_then(|i| self.lines.get(i));
        (before != Some(&line)).then_some(line)
    }
}

/// Where the first piece of a line ends: at the end of a sentence, otherwise at a space, otherwise anywhere.
fn piece_end(line: &str) -> usize {
    if line.len() <= PIECE {
        return line.len();
    }
    let bytes = &line.as_bytes()[PIECE_MIN..PIECE];
    let sentence = bytes
        .windows(2)
        .position(|w| b".?!;".contains(&w[0]) && w[1] == b' ');
    let space = || bytes.iter().rposition(|&b| b == b' ').map(|at| at + 1);
    let end = sentence.map(|at| at + 2).or_else(space);
    end.map_or_else(|| line.floor_char_boundary(PIECE), |at| PIECE_MIN + at)
}

/// Bytes that showing two texts by lines takes in addition to aligning them: long lines are aligned in pieces.
pub(super) fn beside_lines([a, b]: [&str; 2]) -> u64 {
    (a.len() + b.len()) as u64 / PIECE_MIN as u64 * 256
}

/// The difference by lines as an HTML table; `link` leads to the whole diff.
///
/// # Errors
/// That of `go_on`, which is called periodically.
pub(super) fn by_lines<E>(
    [principal, member]: [&str; 2],
    link: &str,
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<String, E> {
    let (old, new) = (Pieces::of(principal), Pieces::of(member));
    let difference = Difference::between(old.texts.clone(), new.texts.clone(), go_on)?;
    Ok(table(&difference, old, new, link))
}

/// The difference by words as an HTML table, independent of line breaks; `link` leads to the whole diff.
///
/// # Errors
/// That of `go_on`, which is called periodically.
pub(super) fn by_words<E>(
    [principal, member]: [&str; 2],
    link: &str,
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<String, E> {
    let difference = WordDifference::between_while(principal, member, go_on)?;
    Ok(words::table(&difference, link))
}

fn table(difference: &Difference<'_>, old: Pieces<'_>, new: Pieces<'_>, link: &str) -> String {
    let mut table = Table {
        out: String::new(),
        rows: 0,
        old,
        new,
    };
    let places = difference.hunks().count();
    let mut shown = 0;
    if places > 0 {
        table.out.push_str(HEAD);
    }
    for hunk in difference.hunks().take(PLACES_SHOWN) {
        if table.rows >= ROWS_SHOWN {
            break;
        }
        table.place(difference, &hunk);
        shown += 1;
    }
    if places > 0 {
        table.out.push_str("</table>\n");
    }
    rest(&mut table.out, places - shown, link);
    table.out
}

const HEAD: &str = "<table class=\"diff\"><colgroup><col class=\"n\"><col><col class=\"n\"><col></colgroup>\n\
    <thead><tr><th scope=\"col\" colspan=\"2\">Principal</th><th scope=\"col\" colspan=\"2\">Member</th></tr></thead>\n";

/// The table being written.
struct Table<'a> {
    out: String,
    rows: usize,
    old: Pieces<'a>,
    new: Pieces<'a>,
}

impl Table<'_> {
    fn place(&mut self, difference: &Difference<'_>, ops: &[DiffOp]) {
        self.out.push_str("<tbody>\n");
        for (at, op) in ops.iter().enumerate() {
            let both = sides(difference, op);
            let blocks = match op {
                DiffOp::Equal { .. } => unchanged(both, at == 0, at + 1 == ops.len()),
                _ => vec![both],
            };
            if !self.blocks(&blocks) {
                break;
            }
        }
        self.out.push_str("</tbody>\n");
    }

    /// Writes rows in blocks; returns false if that ended with as many rows as are shown.
    fn blocks(&mut self, blocks: &[Sides<'_>]) -> bool {
        for (number, [left, right]) in blocks.iter().enumerate() {
            if number > 0 {
                self.out.push_str("</tbody>\n<tbody>\n");
            }
            for row in 0..left.len().max(right.len()) {
                if self.rows >= ROWS_SHOWN {
                    self.out.push_str(
                        "<tr><td colspan=\"4\" class=\"cut\">… this part continues</td></tr>\n",
                    );
                    return false;
                }
                self.row(left.get(row), right.get(row));
            }
        }
        true
    }

    fn row(&mut self, left: Option<&Row<'_>>, right: Option<&Row<'_>>) {
        self.rows += 1;
        self.out.push_str("<tr>");
        cell(&mut self.out, left, &self.old, "del");
        cell(&mut self.out, right, &self.new, "ins");
        self.out.push_str("</tr>\n");
    }
}

/// Writes where the rest of a difference is.
fn rest(out: &mut String, places: usize, link: &str) {
    // Writing to a string does not fail.
    let _ = match places {
        0 => writeln!(
            out,
            "<p class=\"more\">As a file: <a href=\"{link}\">{link}</a></p>"
        ),
        n => writeln!(
            out,
            "<p class=\"more\">… {}, see <a href=\"{link}\">{link}</a></p>",
            counted(n, "more changed place")
        ),
    };
}

/// The cells of a side without a row. There are many cells, so none states what is usual: no end tag, and no class if
/// nothing differs.
const NO_ROW: &str = "<td class=\"none\"><td class=\"none\">";

/// Number and text of one side.
fn cell(out: &mut String, row: Option<&Row<'_>>, pieces: &Pieces<'_>, tag: &str) {
    let Some(row) = row else {
        out.push_str(NO_ROW);
        return;
    };
    let number = pieces.number(row.index);
    let number = number.map(|n| n.to_string()).unwrap_or_default();
    let _ = match row.is_changed {
        true => write!(out, "<td class=\"{tag}\">{number}<td class=\"{tag}\">"),
        false => write!(out, "<td>{number}<td>"),
    };
    for (marked, text) in &row.parts {
        let text = Text(text.trim_end_matches(['\n', '\r']));
        let _ = match marked {
            true => write!(out, "<{tag}>{text}</{tag}>"),
            false => write!(out, "{text}"),
        };
    }
    if row.is_changed {
        let is_last = row.index + 1 == pieces.texts.len();
        out.push_str(line_end(row, is_last));
    }
}

/// Unusual line ends are shown: they may be the whole change.
fn line_end(row: &Row<'_>, is_last: bool) -> &'static str {
    let text = row.parts.last().map_or("", |(_, text)| *text);
    if text.ends_with("\r\n") || text.ends_with('\r') {
        "<i class=\"u\">CR</i>"
    } else if is_last && !text.ends_with('\n') {
        "<i class=\"u\">no line end</i>"
    } else {
        ""
    }
}
