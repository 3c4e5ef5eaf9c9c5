//! CSV according to RFC 4180: every value in quotes, quotes within values doubled, lines ending with CR LF.
//!
//! Spreadsheets execute values that begin like a formula, quoted or not (CWE-1236). So a value that begins with `=`,
//! `+`, `-`, `@`, a tab, a line break, or one of their full-width forms gets an apostrophe in front; so does one that
//! begins with an apostrophe, so that a reader who drops one apostrophe at the beginning gets the original value.

use std::io::{self, Write};

/// Writes a record, including its line end.
pub(super) fn record(out: &mut dyn Write, values: &[String]) -> io::Result<()> {
    for (index, value) in values.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let guard = if is_risky(value) { "'" } else { "" };
        let value = value.replace('"', "\"\"");
        write!(out, "{comma}\"{guard}{value}\"")?;
    }
    out.write_all(b"\r\n")
}

fn is_risky(value: &str) -> bool {
    const FIRST: &[char] = &[
        '=', '+', '-', '@', '\t', '\r', '\n', '\'', '＝', '＋', '－', '＠',
    ];
    value.starts_with(FIRST)
}
