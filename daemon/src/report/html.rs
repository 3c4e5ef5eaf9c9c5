//! `report.html`: the report for people. One file, no scripts, nothing from elsewhere.
//!
//! Written as a stream. What a browser cannot bear is cut and said so; the JSON files have all.
mod changes;
mod findings;
mod group;
mod head;
mod states;
mod unread;

use std::io::{self, Write};

pub(super) use changes::{CHANGES_SHOWN, change_row, changes};
pub(super) use findings::{FINDINGS_SHOWN, finding_row, findings, findings_foot};
pub(super) use group::group;
pub(super) use head::head;
pub(super) use unread::{UNREAD_SHOWN, unread, unread_row};

use simdex_proto::completeness::Completeness;

use super::format::{Count, Text};

/// Groups shown; browsers falter on more.
pub(super) const GROUPS_SHOWN: usize = 2_000;
/// Files shown of one group.
const FILES_SHOWN: usize = 200;

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

/// Ends the page; says what was met on the way that the head of the page could not know.
pub(super) fn foot(out: &mut dyn Write, told: &Completeness, met: &Completeness) -> io::Result<()> {
    if met != told {
        incomplete(out, met)?;
    }
    out.write_all(FOOT.as_bytes())
}

/// What the index lacked when the report was made; nothing where it was complete.
fn incomplete(out: &mut dyn Write, completeness: &Completeness) -> io::Result<()> {
    let Some(pending) = &completeness.pending else {
        return Ok(());
    };
    let pending = pending.to_string();
    writeln!(
        out,
        "<p class=\"warning\"><b>This report is not complete.</b> When it was made: {}.</p>",
        Text(&pending)
    )
}

const FOOT: &str = r#"<footer>
<p>Beside this page: <a href="manifest.json">manifest.json</a> (parameters, counts, checksums),
<a href="groups.jsonl">groups.jsonl</a>, <a href="diffs.jsonl">diffs.jsonl</a> and
<a href="unread.jsonl">unread.jsonl</a> (for tools),
<a href="diffs/">diffs/</a> (applied to the principal’s text, a diff gives the member’s),
<a href="text/">text/</a> (the texts as they were read).</p>
</footer>
</main>
</body>
</html>
"#;
