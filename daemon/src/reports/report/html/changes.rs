//! Changes since an earlier report: the sums, and as many changes as a page can hold.
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_proto::changes::{Totals, caveats_sentence};
use simdex_proto::lines::{Change, FindingChange};

use crate::reports::report::facts::ChangeSummary;
use crate::reports::report::format::{Count, PathText, Text, counted};
use crate::reports::report::table_rows::TableRows;

/// Most changes shown; `changes.jsonl` has all.
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

/// A change of a finding as a row of the table.
pub(in crate::reports::report) fn finding_change_row(
    out: &mut Vec<u8>,
    change: &FindingChange,
) -> io::Result<()> {
    let finding = &change.finding;
    let what = match change.change {
        "finding-new" => "new".to_owned(),
        "finding-gone" => "gone".to_owned(),
        _ => format!("changed: {}", change.fields.join(", ").replace('_', " ")),
    };
    let (path, of) = (&finding.path.path, PathText(finding.of.as_bytes()));
    let (what, path) = (Text(&what), PathText(path.as_bytes()));
    writeln!(
        out,
        "<tr><td class=\"w\">{what}</td><td>{path}</td><td>{of}</td></tr>"
    )
}

/// The texts of the section for a kind of changes: how things are identified, the sums, and the headings of the table.
struct Words {
    known: &'static str,
    sums: Vec<(&'static str, u64)>,
    headings: [&'static str; 3],
}

fn words(totals: &Totals) -> Words {
    match totals {
        Totals::Groups(totals) => Words {
            known: "A group is known by its principal; a file that went over to another group left the one and \
                    joined the other.",
            sums: vec![
                ("Groups new", totals.groups_new),
                ("Groups gone", totals.groups_gone),
                ("Groups with other files or texts", totals.groups_changed),
                ("Files joined", totals.files_joined),
                ("Files left", totals.files_left),
                ("Files in groups with another text", totals.files_changed),
            ],
            headings: ["Change", "File", "Principal of the group"],
        },
        Totals::Findings(totals) => Words {
            known: "A file is known by its path; where it may be found beside several others, by both. Estimates \
                    are not compared.",
            sums: vec![
                ("Files new", totals.findings_new),
                ("Files gone", totals.findings_gone),
                ("Files with other facts", totals.findings_changed),
            ],
            headings: ["Change", "File", "Beside"],
        },
    }
}

/// The section with these rows.
pub(in crate::reports::report) fn changes(
    out: &mut dyn Write,
    since: &Path,
    compared: &ChangeSummary,
    rows: &TableRows,
) -> io::Result<()> {
    let since = PathText(since.as_os_str().as_bytes());
    let words = words(&compared.totals);
    writeln!(
        out,
        "<h2 id=\"changes\">What changed since the last report</h2>\n<p>Beside {since}. {}</p>",
        words.known
    )?;
    if let Some(caveats) = caveats_sentence(&compared.caveats) {
        writeln!(out, "<p class=\"warning\"><b>Note</b> that {caveats}.</p>")?;
    }
    out.write_all(b"<table class=\"facts\">\n")?;
    for (name, sum) in words.sums {
        writeln!(
            out,
            "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>",
            Count(sum)
        )?;
    }
    out.write_all(b"</table>\n")?;
    if rows.count() == 0 {
        return out.write_all(b"<p>Nothing changed.</p>\n");
    }
    let [change, file, other] = words.headings;
    writeln!(
        out,
        "<table>\n<thead><tr><th scope=\"col\">{change}</th><th scope=\"col\">{file}</th><th scope=\"col\">{other}</th></tr></thead>"
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
