//! Components and cores on the page: their terms and texts, and a single one with its files.
use std::io::{self, Write};

use crate::reports::report::format::{Count, PathText, Text, counted, date};
use crate::reports::report::page_plan::FILES_SHOWN;
use crate::reports::report::sorted_group::SortedGroup;
use crate::reports::report::{ClusterTerms, ReportInput};

pub(super) const TERMS: &str = "<p class=\"soft\">The <b>principal</b> of a group is the document the others are \
    compared with. <b>Resemblance</b> is the share of passages two texts have in common, of all passages \
    in either. <b>Containment of the member</b> is the share of the member found in the principal, \
    <b>containment of the principal</b> the share of the principal found in the member. All run from 0 \
    to 1, disregarding case and white space.</p>\n";

/// The texts of the page for a kind of groups.
pub(super) struct Words {
    /// The title of the page.
    pub(super) title: &'static str,
    /// What a group is, as a paragraph.
    pub(super) terms: &'static str,
    /// The text if there are no groups.
    pub(super) none: &'static str,
    /// Heading of the column of the file that a group is listed by.
    pub(super) first: &'static str,
    /// Heading of the column of the number beside it.
    pub(super) number: &'static str,
}

impl Words {
    /// The texts for the kind of groups in the report.
    pub(super) fn of(input: &ReportInput<'_>) -> Self {
        match (input.clusters, &input.requested_files) {
            (None, requested_files) => Self {
                title: "Near-duplicate report",
                terms: TERMS,
                none: match requested_files {
                    Some(_) => "None of the files asked about is in a group.",
                    None => "No two files have the same or nearly the same text.",
                },
                first: "Principal",
                number: "Least resemblance",
            },
            (Some(ClusterTerms::Components), _) => Self {
                title: "Components of near-duplicates",
                terms: COMPONENTS,
                none: "No two files have the same or nearly the same text.",
                first: "Longest text",
                number: "Least resemblance",
            },
            (Some(ClusterTerms::Cores { .. }), _) => Self {
                title: "Cores",
                terms: CORES,
                none: "No two documents share so many fingerprints.",
                first: "Longest text",
                number: "Shared of 100",
            },
        }
    }
}

const COMPONENTS: &str = "<p class=\"soft\">A <b>component</b> joins all documents that a chain of near-duplicates \
    links: each resembles some other of it by the threshold, and its ends may be unlike. No document of it is compared \
    with all others. Its number is of this page alone.</p>\n";

const CORES: &str = "<p class=\"soft\">A <b>core</b> is a largest set of documents all of which share the same \
    fingerprints, of the 100 smallest of each. A document may be in several, and not all are near-duplicates of each \
    other. The number of a core is of this page alone.</p>\n";

pub(super) const FOOT: &str = r#"<footer>
<p>Beside this page: <a href="manifest.json">manifest.json</a> (parameters, counts, checksums),
<a href="groups.jsonl">groups.jsonl</a> and <a href="unread.jsonl">unread.jsonl</a> (for tools).</p>
</footer>
</main>
"#;

/// The parameters of cores, and whether all were found.
pub(super) fn parameters(out: &mut dyn Write, input: &ReportInput<'_>) -> io::Result<()> {
    if let Some(ClusterTerms::Cores { common }) = input.clusters {
        writeln!(
            out,
            "<tr><th scope=\"row\">Least shared</th><td>{common} of 100 fingerprints</td></tr>"
        )?;
    }
    let Some(unfinished @ 1..) = input.summary.unfinished else {
        return Ok(());
    };
    let parts = counted(unfinished as usize, "part");
    writeln!(
        out,
        "<tr><th scope=\"row\">Not finished</th><td><b>Not all cores are here</b>: {parts} of the collection not mined to the \
         end</td></tr>"
    )
}

/// Writes a component or core.
pub(in crate::reports::report) fn cluster(
    out: &mut dyn Write,
    sorted: &SortedGroup<'_>,
) -> io::Result<()> {
    let (id, files) = (sorted.group.id, counted(sorted.members.len(), "file"));
    let name = match sorted.group.common {
        Some(_) => "Core",
        None => "Component",
    };
    let shared = sorted.group.common.map_or_else(String::new, |common| {
        format!(", {common} of 100 fingerprints shared")
    });
    writeln!(
        out,
        "<section class=\"group\" id=\"g{id}\">\n<h3>{name} {id}<small>{files}{shared}</small></h3>\n\
         <table class=\"cards\">\n<thead><tr><th scope=\"col\">File</th><th scope=\"col\">Relation</th><th scope=\"col\">Modified (UTC)</th>\
         <th scope=\"col\" class=\"r\">Bytes</th></tr></thead>"
    )?;
    for (index, member) in sorted.members.iter().take(FILES_SHOWN).enumerate() {
        let relation = match (index, member.relation) {
            (0, _) => "<span class=\"tag principal\">longest</span>".to_owned(),
            (_, Some(relation)) => format!("<span class=\"tag\">{}</span>", Text(relation)),
            (_, None) => String::new(),
        };
        let (path, modified) = (PathText(&member.path), date(member.modified));
        let bytes = member
            .bytes
            .map_or("unknown".to_owned(), |n| Count(n).to_string());
        writeln!(
            out,
            "<tr><td>{path}</td><td>{relation}</td><td class=\"w\" data-is=\"Modified (UTC)\">{modified}</td>\
             <td class=\"r\" data-is=\"Bytes\">{bytes}</td></tr>"
        )?;
    }
    out.write_all(b"</table>\n")?;
    if let Some(more @ 1..) = sorted.members.len().checked_sub(FILES_SHOWN) {
        writeln!(
            out,
            "<p class=\"more\">\u{2026} {}, see <a href=\"groups.jsonl\">groups.jsonl</a></p>",
            counted(more, "more file")
        )?;
    }
    out.write_all(b"</section>\n")
}
