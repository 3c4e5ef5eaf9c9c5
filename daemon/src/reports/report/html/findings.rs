//! The page of a compliance question: the question, the sums, and the files found.
use std::io::{self, Write};

use super::end_of_text;
use super::head::{opening, reading};
use super::list::script;
use super::question::question;
use super::tallies::tallies;
use crate::read_side::findings::{Finding, NotCompared, Sums};
use crate::reports::report::ReportInput;
use crate::reports::report::facts::Findings;
use crate::reports::report::format::{Count, PathText, Text, counted, date, share};
use crate::reports::report::table_rows::TableRows;
use crate::reports::report::tallies::{Tallies, owner};
use simdex_proto::completeness::Completeness;

/// Most files shown; `findings.jsonl` has all.
pub(in crate::reports::report) const FINDINGS_SHOWN: usize = 2_000;

/// The texts of a page for a kind: its title, what a row means, and the heading of the other file.
struct Words {
    title: &'static str,
    about: &'static str,
    of: &'static str,
}

fn words(kind: &str) -> Words {
    let (title, about, of) = match kind {
        "copies-of" => (
            "Who holds copies",
            "Every file with the same bytes, the same text or nearly the same text as a file asked about, or \
             that contains its text; the file itself is left out.",
            "Copy of",
        ),
        "stale-versions" => (
            "Stale versions",
            "Every version that a later one superseded, older than was asked: one that was revised from it, or \
             that contains its text, however much else it holds. The date is the best that is \
             known: what the document states, or else the file system. Which is the later is told by dates \
             inside, or by modification times an hour or more apart (a copy of a share that took hours and kept no times \
             dates its files wrongly); where they do not tell it, no version is listed. A short \
             text within a very long one may not be found. Documents that look alike and are all in force are \
             listed too: look at the resemblance before anything is deleted.",
            "Superseded by",
        ),
        "leak" => (
            "Text of protected documents outside",
            "Every file outside the protected folders that shares at least the threshold of either text with \
             a document inside.",
            "Protected document",
        ),
        _ => (
            "Duplicates",
            "Every file whose bytes, or whose text, another file on disk has as well, beside the one that \
             would be kept, in a root that is up to date. A hard link frees nothing. Nothing was deleted.",
            "Same as",
        ),
    };
    Words { title, about, of }
}

/// What a sum counts.
fn meaning(sum: &str) -> &str {
    match sum {
        "compared" => "protected documents compared",
        "copies" => "copies found",
        "cut_short" => "searches that reached a bound: there may be more",
        "families" => "families looked at",
        "files" => "files asked about whose text was compared",
        "found" => "files found",
        "looked_up" => "old documents in no group, or the last of one, looked up by themselves",
        "hard_links" => "hard links, which free nothing",
        "identical_bytes_bytes" => "bytes in files with the same bytes",
        "identical_bytes_files" => "files with the same bytes",
        "identical_text_bytes" => "bytes in files with the same text and other bytes",
        "identical_text_files" => "files with the same text and other bytes",
        "not_indexed" => "files asked about that are not in the index",
        "not_compared" => "files whose text could not be compared",
        "stale_bytes" => "bytes in stale files",
        "stale_files" => "stale files",
        "uncertain" => {
            "searches that may miss a match with a probability above 0.1 %: a short text within a very long one may \
             share none of the fingerprints that are looked up"
        }
        "unreached" => "copies in roots that are not up to date, neither kept nor listed",
        "undated_files" => "files of superseded versions without a date, not listed",
        "undecided_versions" => "versions that cannot be ordered by date, not listed",
        other => other,
    }
}

/// What was found: the sums of the question, and rows and sums of all files.
pub(in crate::reports::report) struct FoundFiles<'a> {
    pub(in crate::reports::report) sums: &'a Sums,
    pub(in crate::reports::report) rows: &'a TableRows,
    pub(in crate::reports::report) tallies: &'a Tallies,
    /// The files asked about whose text was not compared.
    pub(in crate::reports::report) not_compared: &'a [NotCompared],
}

/// The page down to the table of findings, with these rows.
pub(in crate::reports::report) fn findings(
    out: &mut dyn Write,
    input: &ReportInput<'_>,
    findings: &Findings<'_>,
    found: &FoundFiles<'_>,
) -> io::Result<()> {
    let words = words(findings.kind);
    opening(out, input, words.title)?;
    writeln!(out, "<p>{}</p>", words.about)?;
    question(out, input, findings, found.not_compared)?;
    out.write_all(b"<h2>Totals</h2>\n<table class=\"facts totals\">\n")?;
    for (name, sum) in found.sums {
        let (name, sum) = (Text(meaning(name)), Count(*sum));
        writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{sum}</td></tr>")?;
    }
    out.write_all(b"</table>\n")?;
    if found.rows.count() > 0 {
        tallies(out, found.tallies)?;
    }
    reading(out, &input.summary)?;
    out.write_all(b"<h2 id=\"list\">Files found</h2>\n")?;
    match found.rows.count() {
        0 => out.write_all(b"<p>No file was found.</p>\n"),
        _ => table(out, found.rows, words.of),
    }
}

/// What the script searches with.
const TOOLS: &str = r#"<div class="tools" id="tools" hidden>
<label>Search (press /)<input type="search" id="search" autocomplete="off" spellcheck="false"></label>
<label>Owner<select id="owner"><option value="">all owners</select></label>
<label>Relation<select id="relation"><option value="">all relations</select></label>
</div>
<p class="soft" id="shown" role="status" hidden></p>
"#;

/// The table of findings; `of` is the heading of the other file.
fn table(out: &mut dyn Write, rows: &TableRows, of: &str) -> io::Result<()> {
    out.write_all(TOOLS.as_bytes())?;
    writeln!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Files found\">\n<table class=\"cards\" id=\"findings\">\n<thead><tr><th scope=\"col\">File</th><th scope=\"col\">Owner</th><th scope=\"col\">Relation</th><th scope=\"col\">{of}</th>\
         <th scope=\"col\" class=\"r\">Resemblance</th><th scope=\"col\" class=\"r\">Found in<br>the other</th>\
         <th scope=\"col\" class=\"r\">Of the<br>other</th><th scope=\"col\">Date (UTC)</th><th scope=\"col\" class=\"r\">Bytes</th></tr></thead>\n<tbody>"
    )?;
    out.write_all(rows.html())?;
    out.write_all(b"</tbody></table>\n</div>\n")?;
    match rows.hidden() {
        0 => Ok(()),
        more => writeln!(
            out,
            "<p class=\"more\" id=\"partial\">\u{2026} {}, see <a href=\"findings.jsonl\">findings.jsonl</a></p>",
            counted(more, "more file")
        ),
    }
}

/// A finding of a question of this kind, as a row of the table.
pub(in crate::reports::report) fn finding_row(
    out: &mut Vec<u8>,
    finding: &Finding,
    kind: &str,
) -> io::Result<()> {
    let other = words(kind).of;
    let (path, of) = (PathText(&finding.path), PathText(&finding.of));
    let newest = finding
        .newest
        .as_ref()
        .filter(|newest| **newest != finding.of);
    let newest = newest.map(|newest| {
        format!(
            "<br><span class=\"soft\">newest: {}</span>",
            PathText(newest)
        )
    });
    let newest = newest.unwrap_or_default();
    let owner = owner(finding);
    let number = |value: Option<f64>| match finding.verified {
        None => String::new(),
        Some(true) => share(value),
        Some(false) => format!("\u{2248}\u{a0}{}", share(value)),
    };
    let when = date(
        finding
            .date
            .map(|(seconds, _)| seconds)
            .or(finding.modified),
    );
    let bytes = finding
        .bytes
        .map_or("unknown".to_owned(), |bytes| Count(bytes).to_string());
    writeln!(
        out,
        "<tr><td class=\"p\">{path}</td><td class=\"o\" data-is=\"Owner\">{owner}</td><td><span class=\"tag\">{}</span></td>\
         <td class=\"p\" data-is=\"{other}\">{of}{newest}</td><td class=\"r\" data-is=\"Resemblance\">{}</td><td class=\"r\" data-is=\"Found in the other\">{}</td>\
         <td class=\"r\" data-is=\"Of the other\">{}</td><td class=\"w\" data-is=\"Date (UTC)\">{when}</td>\
         <td class=\"r\" data-is=\"Bytes\">{bytes}</td></tr>",
        Text(finding.relation),
        number(finding.resemblance),
        number(finding.containment),
        number(finding.containment_of_other),
    )
}

/// Ends the page, with anything found during writing that its head could not know.
pub(in crate::reports::report) fn findings_foot(
    out: &mut dyn Write,
    completeness: &Completeness,
    met: &Completeness,
) -> io::Result<()> {
    end_of_text(out, completeness, met, FOOT)?;
    script(out)?;
    out.write_all(b"</body>\n</html>\n")
}

const FOOT: &str = r#"<footer>
<p>Beside this page: <a href="manifest.json">manifest.json</a> (parameters, sums, checksums),
<a href="findings.jsonl">findings.jsonl</a> and <a href="unread.jsonl">unread.jsonl</a> (for tools).</p>
</footer>
</main>
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_named_beside_the_next_unless_it_is_that() {
        let row = |newest: &[u8]| {
            let mut row = Vec::new();
            let finding = Finding {
                of: b"/share/v2.txt".to_vec(),
                newest: Some(newest.to_vec()),
                ..Finding::default()
            };
            finding_row(&mut row, &finding, "stale-versions").unwrap();
            String::from_utf8(row).unwrap()
        };
        let named = row(b"/share/v3.txt");
        assert!(
            named.contains("newest: ") && named.contains("v3.txt"),
            "{named}"
        );
        assert!(!row(b"/share/v2.txt").contains("newest"));
    }

    #[test]
    fn every_number_of_a_row_says_what_it_is_where_the_heads_are_hidden() {
        let mut row = Vec::new();
        let finding = Finding {
            verified: Some(true),
            resemblance: Some(0.113),
            ..Finding::default()
        };
        finding_row(&mut row, &finding, "leak").unwrap();
        let row = String::from_utf8(row).unwrap();
        for cell in row
            .split("<td")
            .skip(1)
            .filter(|cell| cell.contains("class=\"r\""))
        {
            assert!(cell.contains("data-is=\""), "{cell}");
        }
        assert!(row.contains("data-is=\"Resemblance\">0.113<"), "{row}");
    }
}
