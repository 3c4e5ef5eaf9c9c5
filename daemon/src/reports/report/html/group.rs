//! One group on the page: its files, and how each differs from the principal.
use std::collections::HashMap;
use std::io::{self, Write};

use super::judged as judged_cells;
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::reports::report::ReportMember;
use crate::reports::report::facts::{ComparedDocument, NoDiff, WordFacts};
use crate::reports::report::format::{Count, PathText, Text, counted, date, plain_path, share};
use crate::reports::report::judged::JudgedGroup;
use crate::reports::report::page_plan::FILES_SHOWN;
use crate::reports::report::sorted_group::SortedGroup;

/// Writes a group, with the judgements of its files if requested; `has_text` says whether the principal's text is
/// kept.
pub(in crate::reports::report) fn group(
    out: &mut dyn Write,
    sorted: &SortedGroup<'_>,
    compared: &[ComparedDocument<'_>],
    judged: Option<&JudgedGroup<'_>>,
    has_text: bool,
) -> io::Result<()> {
    let (id, files) = (sorted.group.id, counted(sorted.members.len(), "file"));
    writeln!(
        out,
        "<section class=\"group\" id=\"g{id}\">\n<h3>Group {id} <small>{files}</small></h3>"
    )?;
    members(out, sorted, compared, judged)?;
    judged.map_or(Ok(()), |judged| judged_cells::apart(out, judged))?;
    if !has_text {
        out.write_all(b"<p class=\"soft\">The text of the principal is not kept, so differences cannot be shown.</p>\n")?;
    }
    for one in compared {
        difference(out, one)?;
    }
    if compared
        .iter()
        .any(|one| one.facts.is_ok() && one.side_by_side.is_none())
    {
        out.write_all(b"<p class=\"soft\">This page shows no further differences, to stay small; the diffs have them.</p>\n")?;
    }
    out.write_all(b"</section>\n")
}

const HEAD: [&str; 2] = [
    "<table class=\"cards\">\n<thead><tr><th scope=\"col\">File</th><th scope=\"col\">Relation</th><th scope=\"col\" class=\"r\">Resemblance</th>\
    <th scope=\"col\" class=\"r\">Containment<br>of member</th><th scope=\"col\" class=\"r\">Containment<br>of principal</th>",
    "<th scope=\"col\">Modified (UTC)</th><th scope=\"col\" class=\"r\">Bytes</th><th scope=\"col\">Difference</th></tr></thead>\n",
];

fn members(
    out: &mut dyn Write,
    sorted: &SortedGroup<'_>,
    compared: &[ComparedDocument<'_>],
    judged: Option<&JudgedGroup<'_>>,
) -> io::Result<()> {
    let diffs: HashMap<_, _> = compared
        .iter()
        .map(|c| (c.document, c.facts.as_ref()))
        .collect();
    out.write_all(
        HEAD.join(judged.map_or("", |_| "<th scope=\"col\">Judged</th>"))
            .as_bytes(),
    )?;
    for (index, member) in sorted.members.iter().take(FILES_SHOWN).enumerate() {
        let link = match diffs.get(&member.document) {
            None if index == 0 => String::new(),
            None => "same text".to_owned(),
            Some(Err(NoDiff::TextNotKept)) => "text not kept".to_owned(),
            Some(Err(NoDiff::TooManyLines)) => "too many lines to align".to_owned(),
            Some(Ok(facts)) => diff_link(&facts.diff, &member.path),
        };
        let judged = judged.map(|judged| judged.of(member));
        row(out, member, index == 0, judged, &link)?;
    }
    out.write_all(b"</table>\n")?;
    match sorted.members.len().checked_sub(FILES_SHOWN) {
        Some(more @ 1..) => writeln!(
            out,
            "<p class=\"more\">… {}, see <a href=\"groups.jsonl\">groups.jsonl</a></p>",
            counted(more, "more file")
        ),
        _ => Ok(()),
    }
}

fn row(
    out: &mut dyn Write,
    member: &ReportMember,
    principal: bool,
    judged: Option<Option<&JudgingOutcome>>,
    link: &str,
) -> io::Result<()> {
    let path = PathText(&member.path);
    let modified = date(member.modified);
    let bytes = member
        .bytes
        .map_or("unknown".to_owned(), |n| Count(n).to_string());
    let mark = match member.is_requested {
        true => " <span class=\"tag\">asked about</span>",
        false => "",
    };
    write!(out, "<tr><td>{path}{mark}</td>")?;
    if principal {
        out.write_all(
            b"<td><span class=\"tag principal\">principal</span></td><td></td><td></td><td></td>",
        )?;
    } else {
        let relation = Text(member.relation.unwrap_or_default());
        let resemblance = share(member.resemblance);
        let found_in = share(member.containment_of_member);
        let finds = share(member.containment_of_principal);
        write!(
            out,
            "<td><span class=\"tag\">{relation}</span></td><td class=\"r\" data-is=\"Resemblance\">{resemblance}</td>\
             <td class=\"r\" data-is=\"Containment of member\">{found_in}</td>\
             <td class=\"r\" data-is=\"Containment of principal\">{finds}</td>"
        )?;
    }
    judged.map_or(Ok(()), |judged| judged_cells::cell(out, judged))?;
    writeln!(
        out,
        "<td class=\"w\" data-is=\"Modified (UTC)\">{modified}</td>\
         <td class=\"r\" data-is=\"Bytes\">{bytes}</td><td class=\"w\">{link}</td></tr>"
    )
}

/// A link to a diff as a file. There is one on every row, so its text says which file it is about and where it leads.
fn diff_link(diff: &str, member: &[u8]) -> String {
    let name = plain_path(member);
    let name = Text(name.rsplit('/').next().unwrap_or(&name));
    format!(
        "<a href=\"{diff}\" title=\"{diff}\" aria-label=\"diff as a file: {name}, {diff}\">diff as a file</a>"
    )
}

/// A collapsible section with the differing text side by side, if that is shown.
fn difference(out: &mut dyn Write, one: &ComparedDocument<'_>) -> io::Result<()> {
    let (Ok(facts), Some(side_by_side)) = (&one.facts, &one.side_by_side) else {
        return Ok(());
    };
    let Some(first) = one.files.first() else {
        return Ok(());
    };
    let extent = facts.extent;
    let others = match one.files.len() {
        1 => String::new(),
        n => format!(" and {} with the same text", counted(n - 1, "file")),
    };
    // Where the table is by words, its places are not those of the lines.
    let words = facts.words.as_ref().map(words);
    let by_lines = if words.is_some() { "by lines " } else { "" };
    writeln!(
        out,
        "<details>\n<summary>{}{others} <small>{by_lines}{}, {} removed, {} added{}</small></summary>",
        PathText(&first.path),
        counted(extent.hunks, "place"),
        counted(extent.removed, "line"),
        counted(extent.added, "line"),
        words.unwrap_or_default(),
    )?;
    if facts.cut_short {
        out.write_all(b"<p class=\"soft\">A shorter difference by lines may exist: the search for it was ended early.</p>\n")?;
    }
    out.write_all(WIDE)?;
    out.write_all(side_by_side.as_bytes())?;
    out.write_all(b"</div>")?;
    out.write_all(b"</details>\n")
}

/// Encloses a difference, which scrolls on a narrow page, by keyboard too.
const WIDE: &[u8] =
    b"<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Difference, side by side\">";

/// How many words differ, ignoring line breaks.
fn words(words: &WordFacts) -> String {
    let extent = words.extent;
    let counted = |count: u64| counted(count as usize, "word");
    let moved = match extent.moved {
        0 => String::new(),
        moved => format!(", {} moved", counted(moved)),
    };
    let (removed, added) = (counted(extent.removed), counted(extent.added));
    let at_most = if words.cut_short { " at most" } else { "" };
    format!("; by words {removed} removed, {added} added{moved}{at_most}")
}
