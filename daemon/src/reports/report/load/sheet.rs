//! CSV as RFC 4180 has it: every value in quotes, quotes within doubled, lines that end with CR LF.
//!
//! Spreadsheets run what begins like a formula, quotes or not (CWE-1236). A value that begins with `=`, `+`, `-`,
//! `@`, a tab, a line break, or one of their full-width forms therefore gets an apostrophe in front; so does one
//! that begins with an apostrophe, so that whoever drops one apostrophe at the beginning of a value has it as it
//! was.

use std::io::{self, Write};

/// Writes a record, its line end included.
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
