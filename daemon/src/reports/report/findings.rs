//! The report of a compliance question: a manifest, a line per finding, and a page.
//!
//! ```text
//! manifest.json    what was asked, when, with which parameters; sums; every file with its BLAKE3
//! findings.jsonl   one line per file found, in the order of the question
//! unread.jsonl     one line per file that was not read, or not whole: nothing is known of these
//! report.html      the same for people, self-contained
//! ```

use std::io;

use simdex_proto::lines::{self as json, JsonPath, date};

use super::rows::Rows;
use super::sink::{HashedFile, HashingSink, Sink};
use super::survey::survey;
use super::write::json_line;
use super::{DocumentHash, ReportError, ReportInput, Written, check, hex, html, manifest, write};

/// A file that a question found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Absolute path, as bytes.
    pub path: Vec<u8>,
    /// Path of its root.
    pub root: Vec<u8>,
    /// Who owns it, by number.
    pub owner: Option<u32>,
    /// The name of that user on this machine.
    pub owner_name: Option<String>,
    /// The document it carries.
    pub document: Option<DocumentHash>,
    /// BLAKE3 of its bytes.
    pub content: Option<[u8; 32]>,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Modification time, seconds since 1970-01-01 UTC.
    pub modified: Option<i64>,
    /// What it is to `of`, such as `near-duplicate`.
    pub relation: &'static str,
    /// Path of the file it was found beside: that asked about, that kept, the next version.
    pub of: Vec<u8>,
    /// Path of the last version of its line.
    pub newest: Option<Vec<u8>>,
    /// The date of a version, seconds since 1970, and where it is from.
    pub date: Option<(i64, &'static str)>,
    /// Resemblance to `of`; none where it was not measured.
    pub resemblance: Option<f64>,
    /// Share of this file found in `of`.
    pub containment: Option<f64>,
    /// Share of `of` found in this file.
    pub containment_of_other: Option<f64>,
    /// The numbers were counted on all shingles; absent where there are none.
    pub verified: Option<bool>,
}

/// What a question came to.
pub struct Findings<'a> {
    /// Its name, such as `leak`.
    pub kind: &'static str,
    /// What was asked.
    pub question: json::Question,
    /// Calls its argument for each finding, in order, and returns the sums.
    pub visit: &'a VisitFindings<'a>,
}

/// Visits findings, and returns their sums by name.
pub type VisitFindings<'a> = dyn Fn(&mut TakeFinding<'_>) -> io::Result<Sums> + 'a;

/// Takes one finding.
pub type TakeFinding<'a> = dyn FnMut(&Finding) -> io::Result<()> + 'a;

/// Sums over all findings, by name.
pub type Sums = std::collections::BTreeMap<&'static str, u64>;

impl Finding {
    fn line(&self, kind: &'static str) -> json::Finding {
        let (stated, source) = self.date.unzip();
        json::Finding {
            kind,
            path: JsonPath::new(&self.path),
            root: json::lossy(&self.root),
            owner: self.owner,
            owner_name: self.owner_name.clone(),
            relation: self.relation,
            of: json::lossy(&self.of),
            of_bytes: json::exact(&self.of),
            newest: self.newest.as_deref().map(json::lossy),
            newest_bytes: self.newest.as_deref().and_then(json::exact),
            document: self.document.map(|hash| hex(&hash)),
            content: self.content.map(|hash| hex(&hash)),
            bytes: self.bytes,
            modified: date(self.modified),
            date: date(stated),
            date_source: source,
            resemblance: self.resemblance,
            containment: self.containment,
            containment_of_other: self.containment_of_other,
            verified: self.verified,
        }
    }
}

/// Writes the report of a question; see [`super::write`].
pub(super) fn report(
    sink: &dyn Sink,
    input: &ReportInput<'_>,
    findings: &Findings<'_>,
) -> Result<Written, ReportError> {
    let mut sink = HashingSink::new(sink, input.account);
    let mut lines = sink.create_file("findings.jsonl")?;
    let mut rows = Rows::new(html::FINDINGS_SHOWN, input.account);
    let mut sums = Sums::new();
    lines.write_with(|out| {
        sums = (findings.visit)(&mut |finding| {
            rows.push(|row| html::finding_row(row, finding))?;
            json_line(out, &finding.line(findings.kind))
        })?;
        Ok(())
    })?;
    sink.finish(lines)?;
    check(input.account.cancel())?;
    let survey = survey(&mut sink, input)?;
    let mut page: HashedFile<'_> = sink.create_file("report.html")?;
    let met = (input.completeness)();
    page.write_with(|out| {
        html::findings(out, input, findings, &sums, &rows)?;
        html::unread(out, &survey.unread)?;
        html::findings_foot(out, &input.summary.completeness, &met)
    })?;
    sink.finish(page)?;
    let outcome = manifest::Outcome {
        kind: findings.kind,
        question: Some(findings.question.clone()),
        sums: Some(sums),
        ..manifest::Outcome::default()
    };
    write::close(sink, input, outcome)
}
