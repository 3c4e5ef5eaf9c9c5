//! The report of a compliance question: a manifest, a line per finding, and a page.
//!
//! ```text
//! manifest.json    what was asked, when, with which parameters; sums; every file with its BLAKE3
//! findings.jsonl   one line per file found, in the order of the question
//! changes.jsonl    where it was asked for: what changed since an earlier report of the same question
//! unread.jsonl     one line per file that was not read, or not whole: nothing is known of these
//! report.html      the same for people, self-contained
//! ```

use simdex_proto::lines::{self as json, JsonPath, date};

use super::changes::FoundChanges;
use super::facts::Findings;
use super::json_lines::json_line;
use super::sink::{HashedFile, HashingSink, Sink};
use super::survey::survey;
use super::table_rows::TableRows;
use super::tallies::Tallies;
use super::{ReportError, ReportInput, Written, check, html, manifest};
use crate::read_side::findings::{Finding, FindingsSummary};

/// The line for a finding.
fn line(found: &Finding, kind: &'static str) -> json::Finding {
    let (stated, source) = found.date.unzip();
    json::Finding {
        kind: kind.to_owned(),
        path: JsonPath::new(&found.path),
        root: json::lossy(&found.root),
        owner: found.owner,
        owner_name: found.owner_name.clone(),
        relation: found.relation.to_owned(),
        of: json::lossy(&found.of),
        of_bytes: json::exact(&found.of),
        of_not_indexed: found.of_sent_file,
        newest: found.newest.as_deref().map(json::lossy),
        newest_bytes: found.newest.as_deref().and_then(json::exact),
        document: found.document.map(|hash| hash.to_string()),
        content: found.content.map(|hash| hash.to_string()),
        bytes: found.bytes,
        modified: date(found.modified),
        date: date(stated),
        date_source: source.map(str::to_owned),
        resemblance: found.resemblance,
        containment: found.containment,
        containment_of_other: found.containment_of_other,
        verified: found.verified,
    }
}

/// Writes the report of a question; see [`super::write()`].
pub(super) fn write_findings<'a>(
    sink: &'a dyn Sink,
    input: &'a ReportInput<'a>,
    findings: &Findings<'_>,
) -> Result<Written, ReportError> {
    let mut sink = HashingSink::new(sink, input.account);
    let mut changes = FoundChanges::begin(&mut sink, input, findings.kind)?;
    let mut rows = TableRows::new(html::FINDINGS_SHOWN, input.account);
    let mut tallies = Tallies::new(input.account);
    let FindingsSummary { sums, not_compared } =
        list(&mut sink, findings, (&mut rows, &mut tallies), &mut changes)?;
    check(input.account.cancel())?;
    let survey = survey(&mut sink, input)?;
    let mut page: HashedFile<'_> = sink.create_file("report.html")?;
    let found = html::FoundFiles {
        sums: &sums,
        rows: &rows,
        tallies: &tallies,
        not_compared: &not_compared,
    };
    page.write_with(|out| html::findings(out, input, findings, &found))?;
    let changes = changes.map(|it| it.finish(input, (findings, &sums), &mut sink, &mut page));
    let changes = changes.transpose()?;
    let met = (input.completeness)();
    page.write_with(|out| {
        html::unread(out, &survey.unread)?;
        html::findings_foot(out, &input.summary.completeness, &met)
    })?;
    sink.finish(page)?;
    let outcome = manifest::Outcome {
        kind: findings.kind,
        question: Some(findings.question.clone()),
        sums: Some(sums),
        not_compared,
        changes,
        ..manifest::Outcome::default()
    };
    manifest::write(sink, input, outcome)
}

/// Writes a line for each finding, keeps what the page shows of it, and compares it with the earlier report if there is one.
fn list<'a>(
    sink: &mut HashingSink<'a>,
    findings: &Findings<'_>,
    (rows, tallies): (&mut TableRows, &mut Tallies),
    changes: &mut Option<FoundChanges<'_>>,
) -> Result<FindingsSummary, ReportError> {
    let mut lines = sink.create_file("findings.jsonl")?;
    let (mut found, mut text) = (FindingsSummary::default(), Vec::new());
    let listed = lines.write_with(|out| {
        found = (findings.visit)(&mut |finding| {
            rows.push(|row| html::finding_row(row, finding, findings.kind))?;
            tallies.add(finding)?;
            text.clear();
            json_line(&mut text, &line(finding, findings.kind))?;
            out.write_all(&text)?;
            changes.as_mut().map_or(Ok(()), |it| it.line(&text))
        })?;
        Ok(())
    });
    // The error of a comparison that cannot continue ends the list.
    changes.as_mut().map_or(Ok(()), FoundChanges::check)?;
    listed?;
    sink.finish(lines)?;
    Ok(found)
}
