//! File names in the head of a diff: one line, without anything that a terminal would interpret.
use std::fmt::Write as _;

use simdex_proto::text::is_hidden;

/// A name quoted for a header.
///
/// Names with control characters, quotes or backslashes are written as C strings with octal bytes,
/// which `patch` and `git apply` read. A tab ends a name with spaces, as in git.
pub(super) fn quoted(name: &str) -> String {
    if !name
        .chars()
        .any(|c| is_hidden(c) || matches!(c, '"' | '\\'))
    {
        let end = if name.contains(' ') { "\t" } else { "" };
        return format!("{name}{end}");
    }
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_hidden(c) => octal(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn octal(out: &mut String, c: char) {
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        let _ = write!(out, "\\{byte:03o}");
    }
}
