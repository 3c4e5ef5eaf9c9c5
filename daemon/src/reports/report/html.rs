//! `report.html` and the pages after it: the report for people. Nothing is loaded from elsewhere, and the
//! only script that may run is identified by its hash.
//!
//! Written as a stream. What would be too much for a browser is cut, and the page says so; the JSON files
//! have everything. Without the script the page shows the same, except that the list of groups ends after the
//! first hundred.
mod changes;
mod charts;
mod clusters;
mod findings;
mod group;
mod head;
mod judged;
mod list;
mod question;
mod states;
mod tallies;
mod unread;

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

pub(super) use changes::{CHANGES_SHOWN, change_row, changes, finding_change_row};
pub(super) use clusters::cluster;
pub(super) use findings::{FINDINGS_SHOWN, FoundFiles, finding_row, findings, findings_foot};
pub(super) use group::group;
pub(super) use head::{head, later_head};
pub(super) use judged::groups_apart;
pub(super) use unread::{UNREAD_SHOWN, unread, unread_row};

use simdex_proto::completeness::Completeness;

use super::ReportInput;
use super::format::{Count, PathText, Text, counted};
use super::page_plan::GROUPS_SHOWN;
use crate::base::report_files::page_name;

/// Roots named that could not be reached.
const ROOTS_NAMED: usize = 5;
/// Says how many of the `groups` are not on the page.
pub(super) fn more_groups(out: &mut dyn Write, groups: usize) -> io::Result<()> {
    if let Some(more @ 1..) = groups.checked_sub(GROUPS_SHOWN) {
        writeln!(
            out,
            "<p class=\"more\">… {} more groups, see <a href=\"groups.jsonl\">groups.jsonl</a></p>",
            Count(more as u64)
        )?;
    }
    Ok(())
}

/// Links to the pages before and after this one, counted from 0; nothing if there is only one page.
pub(super) fn page_links(out: &mut dyn Write, page: usize, pages: usize) -> io::Result<()> {
    if pages < 2 {
        return Ok(());
    }
    out.write_all(b"<nav class=\"pages\" aria-label=\"Pages of groups\">")?;
    if page > 0 {
        write!(out, "<a href=\"report.html#list\">List of all groups</a> ")?;
        let before = page_name(page - 1);
        write!(out, "<a rel=\"prev\" href=\"{before}\">Page {page}</a> ")?;
    }
    let (here, all) = (Count(page as u64 + 1), Count(pages as u64));
    write!(out, "<span>Page {here} of {all}</span>")?;
    if page + 1 < pages {
        let (after, name) = (page_name(page + 1), Count(page as u64 + 2));
        write!(out, " <a rel=\"next\" href=\"{after}\">Page {name}</a>")?;
    }
    out.write_all(b"</nav>\n")
}

/// Ends a page after the first.
pub(super) fn later_foot(out: &mut dyn Write, page: usize, pages: usize) -> io::Result<()> {
    page_links(out, page, pages)?;
    out.write_all(b"</main>\n</body>\n</html>\n")
}

/// Ends the page of a report of groups, components or cores.
pub(super) fn foot(
    out: &mut dyn Write,
    input: &ReportInput<'_>,
    met: &Completeness,
) -> io::Result<()> {
    let foot = match input.clusters {
        Some(_) => clusters::FOOT,
        None => FOOT,
    };
    end_of_text(out, &input.summary.completeness, met, foot)?;
    list::script(out)?;
    out.write_all(b"</body>\n</html>\n")
}

/// Writes the foot of a page, after anything found during writing that its head could not know.
fn end_of_text(
    out: &mut dyn Write,
    completeness: &Completeness,
    met: &Completeness,
    foot: &str,
) -> io::Result<()> {
    if met != completeness {
        incomplete(out, met, &[])?;
    }
    out.write_all(foot.as_bytes())
}

/// What the index lacked when the report was made; nothing if it was complete.
fn incomplete(
    out: &mut dyn Write,
    completeness: &Completeness,
    stale_roots: &[PathBuf],
) -> io::Result<()> {
    let Some(pending) = &completeness.pending else {
        return Ok(());
    };
    let pending = pending.to_string();
    writeln!(
        out,
        "<p class=\"warning\"><b>This report is not complete.</b> When it was made: {}.{}</p>",
        Text(&pending),
        stale(stale_roots)
    )
}

/// Names the folders of which what was last known is reported, a few of them.
fn stale(roots: &[PathBuf]) -> String {
    let named = roots.iter().take(ROOTS_NAMED);
    let named: Vec<_> = named
        .map(|root| PathText(root.as_os_str().as_bytes()).to_string())
        .collect();
    let more = match roots.len().saturating_sub(ROOTS_NAMED) {
        0 => String::new(),
        more => format!(" and {}, see manifest.json", counted(more, "more folder")),
    };
    match named.is_empty() {
        true => String::new(),
        false => format!(
            " Not reached, so that what was last known is shown: {}{more}.",
            named.join(", ")
        ),
    }
}

const FOOT: &str = r#"<footer>
<p>Beside this page: <a href="manifest.json">manifest.json</a> (parameters, counts, checksums),
<a href="groups.jsonl">groups.jsonl</a>, <a href="diffs.jsonl">diffs.jsonl</a> and
<a href="unread.jsonl">unread.jsonl</a> (for tools),
<a href="diffs/">diffs/</a> (applied to the principal’s text, a diff gives the member’s),
<a href="text/">text/</a> (the texts as they were read).</p>
</footer>
</main>
"#;
