//! Files that were not read, or only in part: as many as a page can hold, by name and with the reason.
use std::io::{self, Write};

use crate::reports::report::ReportFile;
use crate::reports::report::format::{PathText, Text, counted};
use crate::reports::report::table_rows::TableRows;

/// Most files shown; `unread.jsonl` has all.
pub(in crate::reports::report) const UNREAD_SHOWN: usize = 2_000;

/// A file as a row of the table.
pub(in crate::reports::report) fn unread_row(
    out: &mut Vec<u8>,
    file: &ReportFile<'_>,
) -> io::Result<()> {
    let (state, reason, path) = (Text(file.state), Text(file.reason), PathText(file.path));
    writeln!(
        out,
        "<tr><td class=\"w\">{state}</td><td class=\"w\">{reason}</td><td>{path}</td></tr>"
    )
}

/// The table of the files that were not read.
pub(in crate::reports::report) fn unread(out: &mut dyn Write, rows: &TableRows) -> io::Result<()> {
    out.write_all(b"<h2>Files that were not read, or only in part</h2>\n")?;
    if rows.count() == 0 {
        return out.write_all(b"<p>Every file was read.</p>\n");
    }
    out.write_all(
        b"<table>\n<thead><tr><th scope=\"col\">State</th><th scope=\"col\">Reason</th><th scope=\"col\">File</th></tr></thead>\n",
    )?;
    out.write_all(rows.html())?;
    out.write_all(b"</table>\n")?;
    match rows.hidden() {
        0 => Ok(()),
        more => writeln!(
            out,
            "<p class=\"more\">\u{2026} {}, see <a href=\"unread.jsonl\">unread.jsonl</a></p>",
            counted(more, "more file")
        ),
    }
}
