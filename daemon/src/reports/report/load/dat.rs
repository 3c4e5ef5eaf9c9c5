//! Concordance DAT: each value is between two 254 (thorn), values are separated by 020, and a line break within a
//! value is 174 (registered sign). In UTF-8 the marks are these characters, in Windows-1252 these bytes.
//!
//! The format has no escapes: in a value these three characters, and those that the encoding lacks, become `?`.
//! If that happens to a path, another field holds its exact bytes.

use std::io::{self, Write};

use super::Encoding;

const FIELD: char = '\u{14}';
const QUOTE: char = '\u{fe}';
const LINE_BREAK: char = '\u{ae}';

/// Bytes 0x80 to 0x9F of Windows-1252; U+FFFD for unassigned ones.
const HIGH: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
    '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}',
    'ž', 'Ÿ',
];

/// Whether a value is written unchanged.
pub(super) fn holds(value: &str, encoding: Encoding) -> bool {
    let is_held = |c: char| {
        let is_mark = matches!(c, FIELD | QUOTE | LINE_BREAK | '\r' | '\n' | '\0');
        !is_mark && (encoding == Encoding::Utf8 || byte(c).is_some())
    };
    value.chars().all(is_held)
}

/// Writes a record, including its line end.
pub(super) fn record(out: &mut dyn Write, values: &[String], encoding: Encoding) -> io::Result<()> {
    let mut line = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            line.push(FIELD);
        }
        line.push(QUOTE);
        // CR LF is one line break.
        for c in value.replace("\r\n", "\n").chars() {
            line.push(match c {
                FIELD | QUOTE | LINE_BREAK | '\0' => '?',
                '\r' | '\n' => LINE_BREAK,
                c => c,
            });
        }
        line.push(QUOTE);
    }
    line.push_str("\r\n");
    match encoding {
        Encoding::Utf8 => out.write_all(line.as_bytes()),
        Encoding::Windows1252 => {
            let bytes: Vec<u8> = line.chars().map(|c| byte(c).unwrap_or(b'?')).collect();
            out.write_all(&bytes)
        }
    }
}

/// The byte of a character in Windows-1252.
fn byte(c: char) -> Option<u8> {
    if let Ok(byte) = u8::try_from(u32::from(c)) {
        return (!(0x80..0xa0).contains(&byte)).then_some(byte);
    }
    let at = HIGH.iter().position(|high| *high == c && c != '\u{fffd}');
    at.and_then(|at| u8::try_from(0x80 + at).ok())
}
