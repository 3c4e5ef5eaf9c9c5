//! What changed since an earlier report: the sums, and the changes as far as a page can hold them.
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_proto::changes::caveats_sentence;
use simdex_proto::lines::Change;

use crate::reports::report::changes::ChangeSummary;
use crate::reports::report::format::{Count, PathText, counted};
use crate::reports::report::rows::Rows;

/// Changes shown at most; `changes.jsonl` has all.
pub(in crate::reports::report) const CHANGES_SHOWN: usize = 2_000;

/// A change as a row of the table.
pub(in crate::reports::report) fn change_row(out: &mut Vec<u8>, change: &Change) -> io::Result<()> {
    let what = match change.change {
        "group-new" => "group new",
        "group-gone" => "group gone",
        "file-joined" => "file joined",
        "file-left" => "file left",
        _ => "text changed",
    };
    let principal = PathText(change.principal.as_bytes());
    let file = match (&change.path, change.files) {
        (Some(path), _) => PathText(path.path.as_bytes()).to_string(),
        (None, files) => counted(files.unwrap_or(0) as usize, "file"),
    };
    writeln!(
        out,
        "<tr><td class=\"w\">{what}</td><td>{file}</td><td>{principal}</td></tr>"
    )
}

/// The section with these rows.
pub(in crate::reports::report) fn changes(
    out: &mut dyn Write,
    since: &Path,
    compared: &ChangeSummary,
    rows: &Rows,
) -> io::Result<()> {
    let since = PathText(since.as_os_str().as_bytes());
    writeln!(
        out,
        "<h2 id=\"changes\">What changed since the last report</h2>\n<p>Beside {since}. A group is known by its \
         principal; a file that went over to another group left the one and joined the other.</p>"
    )?;
    if let Some(told) = caveats_sentence(&compared.caveats) {
        writeln!(out, "<p class=\"warning\"><b>Mind</b> that {told}.</p>")?;
    }
    let totals = &compared.totals;
    let sums = [
        ("Groups new", totals.groups_new),
        ("Groups gone", totals.groups_gone),
        ("Groups with other files or texts", totals.groups_changed),
        ("Files joined", totals.files_joined),
        ("Files left", totals.files_left),
        ("Files with another text", totals.files_changed),
    ];
    out.write_all(b"<table class=\"facts\">\n")?;
    for (name, sum) in sums {
        writeln!(out, "<tr><th>{name}</th><td>{}</td></tr>", Count(sum))?;
    }
    out.write_all(b"</table>\n")?;
    if rows.count() == 0 {
        return out.write_all(b"<p>Nothing changed.</p>\n");
    }
    out.write_all(
        b"<table>\n<thead><tr><th>Change</th><th>File</th><th>Principal of the group</th></tr></thead>\n",
    )?;
    out.write_all(rows.html())?;
    out.write_all(b"</table>\n")?;
    match rows.hidden() {
        0 => writeln!(
            out,
            "<p>For tools: <a href=\"changes.jsonl\">changes.jsonl</a>.</p>"
        ),
        more => writeln!(
            out,
            "<p class=\"more\">\u{2026} {}, see <a href=\"changes.jsonl\">changes.jsonl</a></p>",
            counted(more, "more change")
        ),
    }
}
