//! The list of all groups: a table of the first ones, and the data from which the page's script searches,
//! sorts and shows the others.
//!
//! The data is JSON in an element that no browser runs; the script sets text and never markup.
use std::io::{self, Write};

use serde_json::json;

use super::clusters::Words;
use crate::reports::report::ReportGroup;
use crate::reports::report::format::{Count, PathText, plain_path, share};
use crate::reports::report::page_plan::{GROUPS_SHOWN, PagePlan};
use crate::reports::report::sorted_group::SortedGroup;

/// Rows in the page before its script runs; as many as a page of the script.
const ROWS_SHOWN: usize = 100;
/// Bytes of the paths of members that can be searched; principals come on top.
const SEARCHED: usize = 6 << 20;
/// Files of one group that can be searched.
const FILES_SEARCHED: usize = 200;

/// The script, which is independent of the report.
const SCRIPT: &str = include_str!("page.js");
/// SHA-256 of [`SCRIPT`] in Base64: the page's policy allows this script alone.
pub(super) const SCRIPT_HASH: &str = "UCwvTldsWm41Z0XR5PbEOWELumrZlge2gI4ePCIKNDo=";

const TOOLS: &str = r#"<div class="tools" id="tools" hidden>
<label>Search paths (press /)<input type="search" id="search" autocomplete="off" spellcheck="false"></label>
<label>Texts<select id="texts"><option value="all">all groups<option value="one">all files have the same text<option value="more">texts differ</select></label>
<label>Files<select id="files"><option value="2">2 or more<option value="5">5 or more<option value="20">20 or more<option value="100">100 or more</select></label>
<label class="sort">Sort by<select id="sort" autocomplete="off"><option value="">order of the report</select></label>
</div>
<table class="cards" id="groups" aria-label="Groups">
<thead><tr><th scope="col" class="r"><button type="button" data-column="0" disabled>Group</button></th><th scope="col"><button type="button" data-column="2" disabled>FIRST</button></th><th scope="col" class="r"><button type="button" data-column="3" disabled>Files</button></th><th scope="col" class="r"><button type="button" data-column="4" disabled>Texts</button></th><th scope="col" class="r"><button type="button" data-column="5" disabled>NUMBER</button></th></tr></thead>
<tbody>
"#;

const PAGER: &str = r#"</tbody></table>
<div class="pager" id="pager" hidden><button type="button" id="back">Back</button><button type="button" id="next">Next</button><span id="shown" role="status"></span></div>
"#;

/// Present if not every path is searched; the script checks for it before it says that nothing matches.
const PARTIAL: &str = "<p class=\"soft\" id=\"partial\">The paths are so many that not every file is searched here; \
    <a href=\"groups.jsonl\">groups.jsonl</a> has all.</p>\n";

/// Writes the list; `groups` are in the order of the report.
pub(super) fn list(
    out: &mut dyn Write,
    groups: &[&ReportGroup],
    plan: &PagePlan,
    words: &Words,
) -> io::Result<()> {
    out.write_all(b"<h2 id=\"list\">Groups</h2>\n")?;
    if groups.is_empty() {
        return writeln!(out, "<p>{}</p>", words.none);
    }
    let tools = TOOLS.replace("FIRST", words.first);
    out.write_all(tools.replace("NUMBER", words.number).as_bytes())?;
    let listed = || groups.iter().take(GROUPS_SHOWN).enumerate();
    for (index, group) in listed().take(ROWS_SHOWN) {
        // A group without its principal is refused before it is shown.
        if let Ok(sorted) = SortedGroup::new(group) {
            row(out, &sorted, &plan.link(index, group.id), words)?;
        }
    }
    out.write_all(PAGER.as_bytes())?;
    if groups.len() > ROWS_SHOWN {
        let (shown, all) = (Count(ROWS_SHOWN as u64), Count(groups.len() as u64));
        let listed = Count(groups.len().min(GROUPS_SHOWN) as u64);
        writeln!(
            out,
            "<noscript><p class=\"soft\">The first {shown} of {all} groups. Where scripts run, {listed} can be searched here.</p></noscript>"
        )?;
    }
    out.write_all(b"<script type=\"application/json\" id=\"groups-data\">[")?;
    let (mut room, mut is_partial) = (SEARCHED, groups.len() > GROUPS_SHOWN);
    for (index, group) in listed() {
        if let Ok(sorted) = SortedGroup::new(group) {
            let (line, is_whole) = data(&sorted, plan.page_of(index), &mut room);
            is_partial |= !is_whole;
            write!(out, "{}\n{line}", if index == 0 { "" } else { "," })?;
        }
    }
    writeln!(out, "]</script>")?;
    match is_partial {
        true => out.write_all(PARTIAL.as_bytes()),
        false => Ok(()),
    }
}

/// Writes the script, which must come after the elements that it uses.
pub(super) fn script(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<script>{SCRIPT}</script>")
}

fn row(out: &mut dyn Write, sorted: &SortedGroup<'_>, link: &str, words: &Words) -> io::Result<()> {
    let (id, principal) = (sorted.group.id, PathText(&sorted.group.principal));
    let files = Count(sorted.members.len() as u64);
    let texts = Count(sorted.distinct_documents());
    let number = words.number;
    let lowest = match sorted.group.common {
        Some(common) => common.to_string(),
        None => share(sorted.lowest_resemblance()),
    };
    writeln!(
        out,
        "<tr><td class=\"r\" data-is=\"Group\"><a href=\"{link}\">{id}</a></td><td>{principal}</td>\
         <td class=\"r\" data-is=\"Files\">{files}</td><td class=\"r\" data-is=\"Texts\">{texts}</td>\
         <td class=\"r\" data-is=\"{number}\">{lowest}</td></tr>"
    )
}

/// The data of a group for the script: id, page, principal, files, texts, least resemblance or what a core shares,
/// other paths; and whether all of its paths are there.
fn data(sorted: &SortedGroup<'_>, page: usize, room: &mut usize) -> (String, bool) {
    let mut others = Vec::new();
    for member in sorted.members.iter().skip(1).take(FILES_SEARCHED) {
        match room.checked_sub(member.path.len()) {
            Some(left) => *room = left,
            None => {
                *room = 0;
                break;
            }
        }
        others.push(plain_path(&member.path));
    }
    let is_whole = others.len() + 1 == sorted.members.len();
    let number = match sorted.group.common {
        Some(common) => Some(f64::from(common)),
        None => sorted.lowest_resemblance(),
    };
    let row = json!([
        sorted.group.id,
        page,
        plain_path(&sorted.group.principal),
        sorted.members.len(),
        sorted.distinct_documents(),
        number,
        others,
    ]);
    // Nothing in it can end the enclosing element.
    (row.to_string().replace('<', "\\u003c"), is_whole)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_policy_of_the_page_names_its_script() {
        let hash = STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
        assert_eq!(SCRIPT_HASH, hash);
        assert!(!SCRIPT.contains("</"), "it would end its element");
        assert!(!SCRIPT.contains("innerHTML"));
    }
}
