//! Tables: aligned columns, a header, bounded memory. Columns may be left out.
//!
//! If lines have a greatest width, headers of several words are wrapped, and names and texts are cut to the room that
//! the columns of numbers leave. If that is too little, each goes on a line of its own below its row.

use std::io::{self, Write};

use simdex_client::text::harmless;
use unicode_width::UnicodeWidthStr;

use crate::output::text::{beginning, ending};

#[cfg(test)]
mod tests;

/// Rows buffered before widths are settled; later rows can only widen a column.
const BATCH: usize = 1000;
const GAP: &str = "  ";

/// The least width of names and texts within a row; with less they go below it.
const MIN_COLUMN_WIDTH: usize = 16;
/// Indentation of a name below its row.
const BELOW: &str = "    ";

/// The kind of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    /// Words or ratios.
    Left,
    /// Counts, aligned right.
    Right,
    /// Paths, of which the end is kept.
    Path,
    /// Texts, of which the beginning is kept.
    Text,
}

/// A column: its header, and the kind of its cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    header: &'static str,
    cells: Cells,
}

/// A column of words or ratios.
pub(crate) const fn left(header: &'static str) -> Column {
    Column {
        header,
        cells: Cells::Left,
    }
}

/// A column of counts.
pub(crate) const fn right(header: &'static str) -> Column {
    Column {
        header,
        cells: Cells::Right,
    }
}

/// A column of paths; too wide ones keep their end, which has the name.
pub(crate) const fn path(header: &'static str) -> Column {
    Column {
        header,
        cells: Cells::Path,
    }
}

/// A column of texts; too wide ones keep their beginning.
pub(crate) const fn text(header: &'static str) -> Column {
    Column {
        header,
        cells: Cells::Text,
    }
}

impl Column {
    fn is_cut(&self) -> bool {
        matches!(self.cells, Cells::Path | Cells::Text)
    }

    /// Fits a cell into the given width.
    fn fitted(&self, cell: &str, room: usize) -> String {
        match self.cells {
            Cells::Path => ending(cell, room),
            Cells::Text => beginning(cell, room),
            Cells::Left | Cells::Right => cell.to_owned(),
        }
    }
}

/// A table being printed.
pub(crate) struct Table {
    columns: &'static [Column],
    /// The columns that are shown, by index into a row.
    shown: Vec<usize>,
    /// The width of each column's widest cell, without headers.
    widths: Vec<usize>,
    rows: Vec<Vec<String>>,
    started: bool,
    bold: bool,
    /// The greatest number of cells per line, if bounded.
    max_width: Option<usize>,
    /// Whether names and texts go below their rows; set once they have too little room.
    is_below: bool,
}

impl Table {
    /// An empty table. `bold` highlights its header with terminal colours, and `max_width` is the greatest width of its
    /// lines.
    pub(crate) fn new(columns: &'static [Column], bold: bool, max_width: Option<usize>) -> Self {
        Self {
            columns,
            shown: (0..columns.len()).collect(),
            widths: vec![0; columns.len()],
            rows: Vec::new(),
            started: false,
            bold,
            max_width,
            is_below: false,
        }
    }

    /// Leaves out the column with this header; rows still have a cell for it.
    pub(crate) fn hide(&mut self, header: &str) {
        let columns = self.columns;
        self.shown.retain(|at| {
            columns
                .get(*at)
                .is_some_and(|column| column.header != header)
        });
    }

    /// Adds a row, one cell per column. Cells are escaped, so that they cannot control the terminal.
    pub(crate) fn push(&mut self, row: Vec<String>, out: &mut impl Write) -> io::Result<()> {
        let mut row: Vec<_> = row.iter().map(|cell| harmless(cell, |_| false)).collect();
        row.resize(self.columns.len(), String::new());
        for (width, cell) in self.widths.iter_mut().zip(&row) {
            *width = cell.width().max(*width);
        }
        self.rows.push(row);
        if self.rows.len() >= BATCH {
            self.flush(out)
        } else {
            Ok(())
        }
    }

    /// Writes the rows buffered so far; nothing, not even a header, if there are none.
    pub(crate) fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let layout = self.layout();
        if !self.started {
            self.started = true;
            for line in layout.header(self.columns) {
                match self.bold {
                    true => writeln!(out, "\x1b[1m{line}\x1b[0m")?,
                    false => writeln!(out, "{line}")?,
                }
            }
        }
        for row in std::mem::take(&mut self.rows) {
            for line in layout.lines(self.columns, &row) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    /// Computes the position of each column.
    fn layout(&mut self) -> Layout {
        let whole = |at: usize| self.widths[at].max(self.columns[at].header.width());
        let line = Layout {
            beside: self.shown.iter().map(|at| (*at, whole(*at))).collect(),
            below: Vec::new(),
            header_lines: 1,
            max_width: usize::MAX,
        };
        let is_narrow = |max_width: &usize| line.width() > *max_width || self.is_below;
        let Some(max_width) = self.max_width.filter(is_narrow) else {
            return line;
        };
        let narrow = |at: usize| self.widths[at].max(narrowest(self.columns[at].header));
        let beside = self.shown.iter().map(|at| (*at, narrow(*at))).collect();
        let mut narrow = Layout {
            beside,
            max_width,
            ..line
        };
        let is_cut = |at: usize| self.columns[at].is_cut();
        self.is_below = self.is_below || !narrow.cut_to_fit(self.columns, &self.rows, is_cut);
        if self.is_below {
            let (below, beside) = narrow.beside.iter().partition(|(at, _)| is_cut(*at));
            (narrow.below, narrow.beside) = (below, beside);
        }
        let headers = narrow.beside.iter();
        let headers = headers.map(|(at, width)| wrapped(self.columns[*at].header, *width).len());
        narrow.header_lines = headers.max().unwrap_or(1);
        narrow
    }
}

/// The positions of columns, by index, with each width.
struct Layout {
    /// Columns in one line.
    beside: Vec<(usize, usize)>,
    /// Columns on lines of their own.
    below: Vec<(usize, usize)>,
    header_lines: usize,
    max_width: usize,
}

impl Layout {
    fn width(&self) -> usize {
        let cells: usize = self.beside.iter().map(|(_, width)| width).sum();
        cells + GAP.len() * self.beside.len().saturating_sub(1)
    }

    /// Makes names and texts narrower until a line fits, the widest first. Returns false if too little of them is left:
    /// less than [`MIN_COLUMN_WIDTH`] or, for paths, than their last names.
    fn cut_to_fit(
        &mut self,
        columns: &[Column],
        rows: &[Vec<String>],
        is_cut: impl Fn(usize) -> bool,
    ) -> bool {
        while self.width() > self.max_width {
            let over = self.width() - self.max_width;
            let cut = self.beside.iter_mut().filter(|(at, _)| is_cut(*at));
            let mut cut: Vec<&mut usize> = cut.map(|(_, width)| width).collect();
            cut.sort_unstable_by_key(|width| std::cmp::Reverse(**width));
            let next = cut.get(1).map_or(0, |width| **width);
            let alike = cut
                .iter()
                .take_while(|width| ***width > next)
                .count()
                .max(1);
            let Some(widest) = cut.first_mut().filter(|width| ***width > MIN_COLUMN_WIDTH) else {
                return false;
            };
            // Down to the next widest, or in equal parts if several are equally wide.
            let step = match **widest > next {
                true => over.min(**widest - next),
                false => over.div_ceil(alike.max(2)),
            };
            **widest -= step.clamp(1, **widest - MIN_COLUMN_WIDTH);
        }
        self.beside.iter().all(|(at, width)| {
            let is_path = columns[*at].cells == Cells::Path;
            let names = rows.iter().map(|row| last_name(&row[*at]).width());
            !is_path || names.max().unwrap_or(0) < *width
        })
    }

    /// The lines of the header.
    fn header(&self, columns: &[Column]) -> Vec<String> {
        let mut lines = Vec::new();
        for line in 0..self.header_lines {
            let cells = self.beside.iter().map(|(at, width)| {
                let words = wrapped(columns[*at].header, *width);
                // Short headers are aligned with the bottom line.
                let from = self.header_lines - words.len().min(self.header_lines);
                let word = line.checked_sub(from).and_then(|at| words.get(at).cloned());
                (*at, *width, word.unwrap_or_default())
            });
            lines.push(aligned(columns, cells));
        }
        let below = self.below.iter().map(|(at, _)| columns[*at].header);
        lines.extend(below.map(|header| format!("{BELOW}{header}")));
        lines
    }

    /// The lines of a row.
    fn lines(&self, columns: &[Column], row: &[String]) -> Vec<String> {
        let cells = self.beside.iter().map(|(at, width)| {
            let cell = columns[*at].fitted(&row[*at], *width);
            (*at, *width, cell)
        });
        let mut lines = vec![aligned(columns, cells)];
        for (at, _) in self.below.iter().filter(|(at, _)| !row[*at].is_empty()) {
            let room = self.max_width.saturating_sub(BELOW.len());
            lines.push(format!("{BELOW}{}", columns[*at].fitted(&row[*at], room)));
        }
        lines
    }
}

/// Cells in one line, each with its column and width.
fn aligned(columns: &[Column], cells: impl Iterator<Item = (usize, usize, String)>) -> String {
    let mut line = String::new();
    for (at, width, cell) in cells {
        let blank = " ".repeat(width.saturating_sub(cell.width()));
        let (before, after) = match columns[at].cells {
            Cells::Right => (&*blank, ""),
            _ => ("", &*blank),
        };
        line.extend([before, &*cell, after, GAP]);
    }
    line.truncate(line.trim_end().len());
    line
}

/// Greatest number of lines of a header.
const HEADER_LINES: usize = 3;

/// Long words in headers, and how they are split.
const DIVIDED: [(&str, &str); 2] = [
    ("RESEMBLANCE", "RESEM- BLANCE"),
    ("CONTAINMENT", "CONTAIN- MENT"),
];

/// The least width that a header fits into.
fn narrowest(header: &str) -> usize {
    let mut widths = 1..header.width();
    let fits = |width: &usize| {
        let lines = wrapped(header, *width);
        lines.len() <= HEADER_LINES && lines.iter().all(|line| line.width() <= *width)
    };
    widths.find(fits).unwrap_or_else(|| header.width())
}

/// Breaks a header into lines of the given width; long words are split if they do not fit.
fn wrapped(header: &str, width: usize) -> Vec<String> {
    let fits = header.split(' ').all(|word| word.width() <= width);
    let divided = DIVIDED
        .iter()
        .fold(header.to_owned(), |header, (word, parts)| {
            header.replace(word, parts)
        });
    let words = if fits { header } else { &*divided };
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width && !line.ends_with('-') => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The last name of a path; for a member, its name within its container.
fn last_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}
