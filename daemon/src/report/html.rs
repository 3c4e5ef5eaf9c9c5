//! `report.html`: the report for people. One file, no scripts, nothing from elsewhere.
//!
//! Written as a stream. What a browser cannot bear is cut and said so; the JSON files have all.
mod group;
mod head;
mod states;
mod unread;

use std::io::{self, Write};

pub(super) use group::group;
pub(super) use head::head;
pub(super) use unread::{UNREAD_SHOWN, unread, unread_row};

use super::format::Count;

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

/// Ends the page.
pub(super) fn foot(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(FOOT.as_bytes())
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
