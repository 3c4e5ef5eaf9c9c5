//! Tables: aligned columns, a header, bounded memory. Columns may be left out, some because their cells say nothing.
//!
//! If lines have a greatest width, headers of several words are wrapped, and names and texts are cut to the room that
//! the columns of numbers leave. If that is too little, a column whose cells all say the usual makes room; if it is too
//! little even so, each name and text goes on a line of its own below its row.

mod layout;

use std::io::{self, Write};

use simdex_client::text::harmless;
use unicode_width::UnicodeWidthStr;

use crate::output::text::{UNKNOWN, beginning, ending};
use layout::{Layout, narrowest};

#[cfg(test)]
mod tests;

/// Rows buffered before widths are settled; later rows can only widen a column.
const BATCH: usize = 1000;

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
    /// It is left out if this is in all of the first rows, as many as are buffered.
    blank: Option<&'static str>,
    /// It makes room for names and texts if this is in all of the first rows.
    usual: Option<&'static str>,
}

/// A column of words or ratios.
pub(crate) const fn left(header: &'static str) -> Column {
    Column::of(header, Cells::Left)
}

/// A column of counts.
pub(crate) const fn right(header: &'static str) -> Column {
    Column::of(header, Cells::Right)
}

/// A column of paths; too wide ones keep their end, which has the name.
pub(crate) const fn path(header: &'static str) -> Column {
    Column::of(header, Cells::Path)
}

/// A column of texts; too wide ones keep their beginning.
pub(crate) const fn text(header: &'static str) -> Column {
    Column::of(header, Cells::Text)
}

impl Column {
    const fn of(header: &'static str, cells: Cells) -> Self {
        Self {
            header,
            cells,
            blank: None,
            usual: None,
        }
    }

    /// The column, left out if the first rows have nothing in it.
    pub(crate) const fn unless_empty(self) -> Self {
        Self {
            blank: Some(UNKNOWN),
            ..self
        }
    }

    /// The column, left out if the first rows all have this in it and there is no room for it beside names and texts.
    pub(crate) const fn unless_usual(self, usual: &'static str) -> Self {
        Self {
            usual: Some(usual),
            ..self
        }
    }

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

    /// The columns shown, without those of which all rows have the cell that `evident` names.
    fn without(&self, evident: impl Fn(&Column) -> Option<&'static str>) -> Vec<usize> {
        let says_more = |at: &usize| {
            let cell = evident(&self.columns[*at]);
            cell.is_none_or(|cell| self.rows.iter().any(|row| row[*at] != cell))
        };
        self.shown.iter().copied().filter(says_more).collect()
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
        if !self.started {
            self.shown = self.without(|column| column.blank);
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
        let line = Layout::of(&self.shown, whole, usize::MAX);
        let is_narrow = |max_width: &usize| line.width() > *max_width || self.is_below;
        let Some(max_width) = self.max_width.filter(is_narrow) else {
            return line;
        };
        let beside = match self.is_below {
            true => None,
            false => self.narrow_layout(max_width),
        };
        self.is_below = beside.is_none();
        let mut layout =
            beside.unwrap_or_else(|| self.narrow(&self.shown, max_width).with_below(self.columns));
        layout.count_header_lines(self.columns);
        layout
    }

    /// A layout in which all columns are in one line, less one that makes room; `None` if that is too little.
    fn narrow_layout(&mut self, max_width: usize) -> Option<Layout> {
        let fewer = match self.started {
            true => self.shown.clone(),
            false => self.without(|column| column.usual),
        };
        for shown in [self.shown.clone(), fewer] {
            let mut layout = self.narrow(&shown, max_width);
            if layout.cut_to_fit(self.columns, &self.rows) {
                self.shown = shown;
                return Some(layout);
            }
        }
        None
    }

    /// These columns in one line, as narrow as their headers may be.
    fn narrow(&self, shown: &[usize], max_width: usize) -> Layout {
        let narrow = |at: usize| self.widths[at].max(narrowest(self.columns[at].header));
        Layout::of(shown, narrow, max_width)
    }
}
