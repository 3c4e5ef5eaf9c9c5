//! Two texts side by side, as `diff -y` shows them: the first on the left, the second on the right, and a mark between
//! them: none where the lines are equal, `|` where they differ, `<` and `>` where only one text has the line.
//!
//! A unified difference holds all lines that differ, and the equal ones around them ([`Parts`]), of which those are shown
//! that take little of the screen ([`shortened`]). Where lines were replaced, the first one removed is beside the first
//! one added, and so on.

mod context;
mod parts;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use simdex_client::text::{counted, escaped, harmless};
use unicode_width::UnicodeWidthStr;

use crate::output::text::{MAX_BYTES, ending};
use context::shortened;
use parts::{Part, Parts};

/// Cells between the columns: the mark, and a space on either side.
const GUTTER: usize = 3;
/// Least and greatest number of cells of both columns with the gutter.
const WIDTH: (usize, usize) = (23, 403);
/// Cells from one tab stop to the next.
const TAB: usize = 8;

/// Two texts, from their unified difference, in two columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideBySide<'t> {
    diff: &'t str,
    /// Cells of each column.
    column: usize,
}

impl<'t> SideBySide<'t> {
    /// In lines of at most `width` cells; of at least 23 and at most 403, however narrow or wide the terminal is.
    pub(crate) fn new(diff: &'t str, width: usize) -> Self {
        let column = (width.clamp(WIDTH.0, WIDTH.1) - GUTTER) / 2;
        Self { diff, column }
    }

    /// Writes the names of both files and the first `lines` lines below them; returns how many lines follow.
    pub(crate) fn write(
        self,
        out: &mut impl Write,
        names: [&[u8]; 2],
        lines: usize,
    ) -> io::Result<u64> {
        let [a, b] = names.map(|name| ending(&escaped(name), self.column));
        let rule = "-".repeat(self.column);
        writeln!(out, "{}", self.row(&a, ' ', &b))?;
        writeln!(out, "{}", self.row(&rule, ' ', &rule))?;
        let mut rows = self.rows();
        for row in rows.by_ref().take(lines) {
            writeln!(out, "{row}")?;
        }
        Ok(rows.count() as u64)
    }

    /// The parts of both texts that are shown.
    fn parts(self) -> impl Iterator<Item = Part<'t>> {
        let height = move |line: &str| pieces(&shown(line), self.column).len();
        shortened(Parts::of(self.diff), height)
    }

    /// The lines of the screen.
    fn rows(self) -> impl Iterator<Item = String> {
        self.parts().flat_map(move |part| match part {
            Part::Lines(left, right) => self.beside(left, right),
            Part::LeftOut(count) => vec![format!("… {}", counted(count, "equal line"))],
            Part::End => vec!["… no further difference".to_owned()],
            Part::Unknown(line) => vec![shown(line)],
        })
    }

    /// A line of either text, or one of each beside the other; both are continued below if they are long.
    fn beside(self, left: Option<&str>, right: Option<&str>) -> Vec<String> {
        let mark = match (left, right) {
            (Some(left), Some(right)) if left == right => ' ',
            (Some(_), Some(_)) => '|',
            (Some(_), None) => '<',
            (None, _) => '>',
        };
        let (left, right) = without_common_return(left, right);
        let [left, right] = [left, right].map(|line| self.cells(line));
        let cell = |cells: &[String], at: usize| cells.get(at).cloned().unwrap_or_default();
        let rows = 0..left.len().max(right.len());
        rows.map(|at| self.row(&cell(&left, at), mark, &cell(&right, at)))
            .collect()
    }

    /// The cells of a line in its column, one below the other; none without a line.
    fn cells(self, line: Option<&str>) -> Vec<String> {
        let line = line.map(shown);
        let pieces = line.iter().flat_map(|line| pieces(line, self.column));
        pieces.map(str::to_owned).collect()
    }

    fn row(self, left: &str, mark: char, right: &str) -> String {
        let left = left.trim_end_matches(' ');
        let blank = " ".repeat(self.column.saturating_sub(left.width()));
        let mut row = format!("{left}{blank} {mark} {right}");
        row.truncate(row.trim_end_matches(' ').len());
        row
    }
}

/// Both lines without the `\r` at their end, unless only one of them has it: then it is what differs.
fn without_common_return<'t>(
    left: Option<&'t str>,
    right: Option<&'t str>,
) -> (Option<&'t str>, Option<&'t str>) {
    let bare = |line: Option<&'t str>| line.map(|line| line.strip_suffix('\r').unwrap_or(line));
    let has_return = |line: Option<&str>| line.is_none_or(|line| line.ends_with('\r'));
    match has_return(left) && has_return(right) {
        true => (bare(left), bare(right)),
        false => (left, right),
    }
}

/// A line with hidden characters escaped and tabs as spaces.
fn shown(line: &str) -> String {
    let line = harmless(line, |letter| letter == '\t');
    let mut parts = line.split('\t');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    let mut cells = shown.width();
    for part in parts {
        let blank = TAB - cells % TAB;
        shown.extend(std::iter::repeat_n(' ', blank));
        shown.push_str(part);
        cells += blank + part.width();
    }
    shown
}

/// Breaks a line into pieces of at most `width` cells, trailing spaces aside, after a word if possible. An empty line is
/// one empty piece.
fn pieces(line: &str, width: usize) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), line);
    loop {
        let (piece, after) = rest.split_at(break_of(rest, width));
        pieces.push(piece);
        if after.is_empty() {
            return pieces;
        }
        rest = after;
    }
}

/// Length of the first piece of a line, in bytes.
fn break_of(line: &str, width: usize) -> usize {
    let fitting = fitting(line, width);
    let (first, rest) = line.split_at(fitting);
    // Spaces at the break need no room.
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    let within_word = !rest.is_empty() && spaces == 0;
    let last_space = first.rfind(' ').map(|space| space + 1);
    // A word that is longer than half of the line is broken.
    match last_space.filter(|end| within_word && *end > fitting / 2) {
        Some(end) => end,
        None => fitting + spaces,
    }
}

/// Length of the longest beginning that fits into `width` cells, in bytes; of one character at least.
fn fitting(line: &str, width: usize) -> usize {
    let bytes = line.as_bytes();
    let is_ascii = bytes.iter().take(width + 1).all(u8::is_ascii);
    if is_ascii {
        return bytes.len().min(width);
    }
    let ends = line
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    // The width is measured on the whole part, since it is not the sum of its letters' widths.
    let fits = |end: &usize| *end <= width * MAX_BYTES && line[..*end].width() <= width;
    let first = line.chars().next().map_or(0, char::len_utf8);
    ends.take_while(fits).last().unwrap_or(first)
}
