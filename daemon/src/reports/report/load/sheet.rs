//! CSV according to RFC 4180: every value in quotes, quotes within values doubled, lines ending with CR LF.
//!
//! Spreadsheets execute values that begin like a formula, quoted or not (CWE-1236). A value that begins with `=`, `+`,
//! `-`, `@`, a tab, a line break, or one of their full-width forms therefore gets an apostrophe in front. So does one
//! that begins with an apostrophe, so that dropping one apostrophe at the beginning of a value restores the original. A
//! spreadsheet that separates values by semicolons or tabs begins a value after each of these, and after a line break:
//! what follows there is guarded in the same way, ignoring quotes and spaces before it.

use std::io::{self, Write};

/// Writes a record, including its line end.
pub(super) fn record(out: &mut dyn Write, values: &[String]) -> io::Result<()> {
    for (index, value) in values.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let value = escape_formulas(value).replace('"', "\"\"");
        write!(out, "{comma}\"{value}\"")?;
    }
    out.write_all(b"\r\n")
}

/// Whether a value is written unchanged.
pub(super) fn holds(value: &str) -> bool {
    escape_formulas(value) == value
}

/// What separates values and records in formats other than that of RFC 4180.
const BETWEEN: &[char] = &[';', '\t', '\n', '\r'];

/// The value with an apostrophe before anything that a spreadsheet might execute.
fn escape_formulas(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 1);
    out.extend(is_risky(value).then_some('\''));
    for (at, letter) in value.char_indices() {
        out.push(letter);
        let after = &value[at + letter.len_utf8()..];
        let is_between = BETWEEN.contains(&letter);
        out.extend((is_between && is_risky_within(after)).then_some('\''));
    }
    out
}

fn is_risky(value: &str) -> bool {
    value.starts_with(['\t', '\r', '\n']) || value.starts_with(FORMULA)
}

/// Whether the text after a separator would be a formula.
fn is_risky_within(value: &str) -> bool {
    value.trim_start_matches(['"', ' ']).starts_with(FORMULA)
}

/// Characters that begin a formula, and the apostrophe.
const FORMULA: &[char] = &['=', '+', '-', '@', '\'', '＝', '＋', '－', '＠'];
