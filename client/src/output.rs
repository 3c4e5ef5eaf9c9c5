//! Answers on stdout, as tables for people or JSON lines for programs; remarks go to stderr.

mod calibration;
mod difference;
mod family;
mod groups;
mod judging;
mod records;
mod sampling;
mod schemes;
mod sections;
mod side_by_side;
mod status;
mod table;
pub(crate) mod text;

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;

use crate::output::table::Table;
use simdex_client::lines::{Body, Line};

pub(crate) use calibration::CalibrationPage;
pub(crate) use difference::{
    DifferenceForm, by_words, difference, is_shown_better_by_words, left_out,
};
pub(crate) use family::{Family, dot, svg, tree};
pub(crate) use groups::Cluster;
pub(crate) use records::{FoldedMatch, ROOT, Record, Tabular};
pub(crate) use sections::{ComparisonText, summary_sentence};
pub(crate) use side_by_side::SideBySide;
pub(crate) use text::shell_word;

/// Writes answers in the requested form.
pub(crate) struct Printer<W: Write> {
    out: W,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Table {
        colour: bool,
        max_cells: Option<usize>,
    },
}

/// Width of a terminal, in cells.
const DEFAULT_TERMINAL_WIDTH: usize = 80;

/// The greatest width of lines: `COLUMNS` if set, otherwise a terminal's; `None` if stdout is not a terminal.
fn width(columns: Option<&OsStr>, is_terminal: bool) -> Option<usize> {
    let columns = columns.and_then(OsStr::to_str);
    let columns = columns.and_then(|columns| columns.parse().ok());
    let columns = columns.filter(|columns| *columns > 0);
    columns.or_else(|| is_terminal.then_some(DEFAULT_TERMINAL_WIDTH))
}

/// Cells of a line of the screen: `COLUMNS` if set, otherwise the terminal's, otherwise 80.
pub(crate) fn screen_width() -> usize {
    let columns = std::env::var_os("COLUMNS");
    let terminal = rustix::termios::tcgetwinsize(io::stdout());
    let terminal = terminal.map_or(0, |size| usize::from(size.ws_col));
    let terminal = (terminal > 0).then_some(terminal);
    let width = width(columns.as_deref(), false).or(terminal);
    width.unwrap_or(DEFAULT_TERMINAL_WIDTH)
}

impl Printer<BufWriter<StdoutLock<'static>>> {
    /// Creates a printer on stdout, which it locks; with `wide`, lines are not cut.
    pub(crate) fn on_stdout(json: bool, wide: bool) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let colour = is_terminal && std::env::var_os("NO_COLOR").is_none();
        let columns = std::env::var_os("COLUMNS");
        let max_cells = width(columns.as_deref(), is_terminal).filter(|_| !wide);
        let form = if json {
            Form::Json
        } else {
            Form::Table { colour, max_cells }
        };
        Self {
            out: BufWriter::new(stdout.lock()),
            form,
        }
    }
}

impl<W: Write> Printer<W> {
    /// Whether answers are JSON lines.
    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Maximum number of cells in a line; `None` if lines are not cut.
    pub(crate) fn max_cells(&self) -> Option<usize> {
        match self.form {
            Form::Table { max_cells, .. } => max_cells,
            Form::Json => None,
        }
    }

    /// Writes one JSON line.
    pub(crate) fn line(&mut self, body: &impl Body) -> io::Result<()> {
        self.write_json(&Line::of(body))
    }

    fn write_json(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        writeln!(self.out)
    }

    /// Starts a list of records of one type.
    pub(crate) fn list<R: Tabular>(&mut self) -> List<'_, W> {
        let (colour, max_cells) = match self.form {
            Form::Table { colour, max_cells } => (colour, max_cells),
            Form::Json => (false, None),
        };
        let table = Table::new(R::COLUMNS, colour, max_cells);
        List {
            printer: self,
            table,
        }
    }

    /// Flushes the output; otherwise a failing write might go unnoticed.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Write for Printer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A list being printed. One list holds records of one type.
pub(crate) struct List<'a, W: Write> {
    printer: &'a mut Printer<W>,
    table: Table,
}

impl<W: Write> List<'_, W> {
    /// Leaves columns out of the table, by header.
    pub(crate) fn without(mut self, headers: &[&str]) -> Self {
        for header in headers {
            self.table.hide(header);
        }
        self
    }

    /// Prints a record, as a JSON line or as rows.
    pub(crate) fn record(&mut self, record: &impl Record) -> io::Result<()> {
        if self.printer.is_json() {
            self.printer.line(&record.json())
        } else {
            self.rows(record)
        }
    }

    /// Adds the rows of a record, whatever the output form.
    pub(crate) fn rows(&mut self, record: &impl Tabular) -> io::Result<()> {
        for row in record.rows() {
            self.table.push(row, &mut self.printer.out)?;
        }
        Ok(())
    }

    /// Prints the rows still buffered.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.table.flush(&mut self.printer.out)
    }
}

/// Prints one line on stderr, control characters escaped.
pub(crate) fn eprint_line(words: impl Display) {
    let words = simdex_client::text::harmless(&words.to_string(), |_| false);
    // stderr may be closed; there is nowhere else to report that.
    let _ = writeln!(io::stderr().lock(), "simctl: {words}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_on_a_terminal_or_where_columns_are_set() {
        let of = |columns: Option<&str>, is_terminal| width(columns.map(OsStr::new), is_terminal);
        assert_eq!(of(None, false), None);
        assert_eq!(of(None, true), Some(80));
        assert_eq!(of(Some("120"), false), Some(120));
        assert_eq!(of(Some("60"), true), Some(60));
        for none in ["", "0", "-1", "wide"] {
            assert_eq!(of(Some(none), false), None);
            assert_eq!(of(Some(none), true), Some(80));
        }
    }
}
