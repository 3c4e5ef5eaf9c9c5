//! Tables: aligned columns, a header, bounded memory. A column may be left out.

use std::io::{self, Write};

use simdex_client::text::harmless;
use unicode_width::UnicodeWidthStr;

/// Rows gathered before widths are settled; later rows can only widen a column.
const BATCH: usize = 1000;
const GAP: &str = "  ";

/// A column: its header, and on which side its cells end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    header: &'static str,
    right: bool,
}

/// A column of words or ratios.
pub(crate) const fn left(header: &'static str) -> Column {
    Column {
        header,
        right: false,
    }
}

/// A column of counts.
pub(crate) const fn right(header: &'static str) -> Column {
    Column {
        header,
        right: true,
    }
}

/// A table on its way out.
pub(crate) struct Table {
    columns: &'static [Column],
    /// The columns that are shown, by their place in a row.
    shown: Vec<usize>,
    widths: Vec<usize>,
    rows: Vec<Vec<String>>,
    started: bool,
    bold: bool,
}

impl Table {
    /// An empty table; `bold` sets off its header with terminal colours.
    pub(crate) fn new(columns: &'static [Column], bold: bool) -> Self {
        let widths = columns.iter().map(|column| column.header.width()).collect();
        Self {
            columns,
            shown: (0..columns.len()).collect(),
            widths,
            rows: Vec::new(),
            started: false,
            bold,
        }
    }

    /// Leaves out the column with this header; rows have a cell for it all the same.
    pub(crate) fn hide(&mut self, header: &str) {
        let columns = self.columns;
        self.shown.retain(|at| {
            columns
                .get(*at)
                .is_some_and(|column| column.header != header)
        });
    }

    /// Adds a row, one cell per column. Whatever a cell is made of, it commands no terminal.
    pub(crate) fn push(&mut self, row: Vec<String>, out: &mut impl Write) -> io::Result<()> {
        let row: Vec<_> = row.iter().map(|cell| harmless(cell, |_| false)).collect();
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

    /// Writes the rows gathered so far; nothing, not even a header, where there are none.
    pub(crate) fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        if !self.started && !self.rows.is_empty() {
            self.started = true;
            let header: Vec<_> = self
                .columns
                .iter()
                .map(|column| column.header.to_owned())
                .collect();
            let line = self.aligned(&header);
            if self.bold {
                writeln!(out, "\x1b[1m{line}\x1b[0m")?;
            } else {
                writeln!(out, "{line}")?;
            }
        }
        for row in std::mem::take(&mut self.rows) {
            writeln!(out, "{}", self.aligned(&row))?;
        }
        Ok(())
    }

    fn aligned(&self, row: &[String]) -> String {
        let mut line = String::new();
        for at in &self.shown {
            let (Some(cell), Some(column), Some(width)) =
                (row.get(*at), self.columns.get(*at), self.widths.get(*at))
            else {
                continue;
            };
            let blank = " ".repeat(width.saturating_sub(cell.width()));
            let (before, after) = if column.right {
                (&*blank, "")
            } else {
                ("", &*blank)
            };
            line.extend([before, cell, after, GAP]);
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[right("BYTES"), left("NAME"), left("PATH")];

    fn row(cells: [&str; 3]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    #[test]
    fn columns_align_by_the_width_shown_and_the_last_ends_its_line() {
        let mut out = Vec::new();
        let mut table = Table::new(COLUMNS, false);
        table
            .push(row(["7", "日本", "/a"]), &mut out)
            .expect("written");
        table
            .push(row(["123456", "x", "/b"]), &mut out)
            .expect("written");
        table.flush(&mut out).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(
            text,
            " BYTES  NAME  PATH\n     7  日本  /a\n123456  x     /b\n"
        );
    }

    #[test]
    fn no_cell_commands_the_terminal_or_breaks_its_line() {
        let mut out = Vec::new();
        let mut table = Table::new(COLUMNS, false);
        table
            .push(row(["\u{9b}2J", "a\x1b[31m\nb", "\u{202e}c\\n"]), &mut out)
            .expect("written");
        table.flush(&mut out).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(
            text.ends_with("\\u{9b}2J  a\\u{1b}[31m\\nb  \\u{202e}c\\n\n"),
            "{text:?}"
        );
    }

    #[test]
    fn a_hidden_column_has_neither_header_nor_cells() {
        let mut out = Vec::new();
        let mut table = Table::new(COLUMNS, false);
        table.hide("NAME");
        table
            .push(row(["7", "a long name", "/a"]), &mut out)
            .expect("written");
        table.flush(&mut out).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text, "BYTES  PATH\n    7  /a\n");
    }

    #[test]
    fn an_empty_table_prints_nothing() {
        let mut out = Vec::new();
        Table::new(COLUMNS, true).flush(&mut out).expect("written");
        assert!(out.is_empty());
    }

    #[test]
    fn a_long_table_goes_out_in_batches_under_one_header() {
        let mut out = Vec::new();
        let mut table = Table::new(COLUMNS, false);
        for _ in 0..=BATCH {
            table
                .push(row(["1", "n", "/p"]), &mut out)
                .expect("written");
        }
        assert_eq!(table.rows.len(), 1);
        table.flush(&mut out).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text.lines().count(), BATCH + 2);
        assert_eq!(text.matches("PATH").count(), 1);
    }
}
