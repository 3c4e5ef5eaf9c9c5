//! The format of the workshops on frequent itemset mining implementations (FIMI 2003): one transaction per line, the
//! numbers of its items separated by spaces. Here a line is a fingerprint, and its items are documents.
//!
//! Results are written as the miners of the workshops do: the documents of a core, then how many fingerprints
//! they share, in brackets.

use std::io::{self, BufRead, Read, Write};

use thiserror::Error;

use crate::{Core, InvertedTable};

/// Longest line that is read, in bytes: a fingerprint of about ten million documents.
const LONGEST_LINE: u64 = 100 << 20;

/// A table that cannot be read.
#[derive(Debug, Error)]
pub enum FimiError {
    /// Not the format.
    #[error("line {line} holds {found:?}, which is no number of a document from 0 to 4294967294")]
    NoNumber {
        /// Number of the line, from 1.
        line: usize,
        /// The beginning of what was found there.
        found: String,
    },
    /// A line that is too long.
    #[error("line {line} is longer than {LONGEST_LINE} bytes")]
    LongLine {
        /// Number of the line, from 1.
        line: usize,
    },
    /// It could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a table, one line for each fingerprint.
pub fn write_table(table: &InvertedTable, out: &mut dyn Write) -> io::Result<()> {
    table.rows().try_for_each(|row| {
        write_numbers(row, out)?;
        writeln!(out)
    })
}

/// Reads a table; empty lines are fingerprints that no document holds, and are left out.
///
/// # Errors
/// [`FimiError`] at the first line that does not have the format.
pub fn read_table(input: &mut impl BufRead) -> Result<InvertedTable, FimiError> {
    let (mut rows, mut text) = (Vec::new(), String::new());
    for line in 1.. {
        text.clear();
        let read = input.by_ref().take(LONGEST_LINE).read_line(&mut text)?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST_LINE {
            return Err(FimiError::LongLine { line });
        }
        let row = read_row(&text, line)?;
        rows.extend((!row.is_empty()).then_some(row));
    }
    Ok(InvertedTable::from_rows(rows))
}

fn read_row(text: &str, line: usize) -> Result<Vec<u32>, FimiError> {
    let number = |word: &str| {
        let number = word.parse().ok().filter(|number| *number != u32::MAX);
        let found = || word.chars().take(20).collect();
        number.ok_or_else(|| FimiError::NoNumber {
            line,
            found: found(),
        })
    };
    text.split_ascii_whitespace().map(number).collect()
}

/// Writes a core as a line of a result.
pub fn write_core(core: &Core, out: &mut dyn Write) -> io::Result<()> {
    write_numbers(&core.documents, out)?;
    writeln!(out, " ({})", core.common)
}

fn write_numbers(numbers: &[u32], out: &mut dyn Write) -> io::Result<()> {
    for (at, number) in numbers.iter().enumerate() {
        let separator = if at == 0 { "" } else { " " };
        write!(out, "{separator}{number}")?;
    }
    Ok(())
}
