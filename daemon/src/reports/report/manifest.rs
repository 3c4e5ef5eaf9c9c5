//! `manifest.json`: what the report covers, and every file in it with its checksum.
//!
//! One key or file per line, in fixed order, so that two manifests can be compared with `diff`. It
//! ends with this daemon's mark ([`ReportKey`]) and a hash ([`simdex_proto::manifest`]).
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use simdex_proto::lines::{Counts, EarlierReport, JsonPath, Line, Manifest, Question, UnreadFile};
use simdex_proto::manifest::{FileEntry, checked_hash, with_hash, with_mark};

use super::facts::ChangeSummary;
use super::judged::JudgedTotals;
use super::sink::HashingSink;
use super::{ClusterTerms, ReportError, ReportInput, RequestedFiles, Written};
use crate::base::report_files::MANIFEST;
use crate::base::report_key::ReportKey;
use crate::read_side::findings::{NotCompared, Sums};
use crate::read_side::lists::ListSummary;

/// The results of a report.
#[derive(Default)]
pub(super) struct Outcome {
    /// `groups`, `components`, `cores`, or the name of a compliance question.
    pub(super) kind: &'static str,
    /// The compliance question, and its sums.
    pub(super) question: Option<Question>,
    pub(super) sums: Option<Sums>,
    /// The files asked about whose text was not compared.
    pub(super) not_compared: Vec<NotCompared>,
    /// The changes since an earlier report.
    pub(super) changes: Option<ChangeSummary>,
    /// The results of judging the files of groups.
    pub(super) judged: Option<JudgedTotals>,
    /// Files below `diffs/`, and documents without a diff because text is not kept.
    pub(super) diffs: u64,
    pub(super) without_text: u64,
}

/// Writes the manifest over all finished files.
pub(super) fn write(
    mut sink: HashingSink<'_>,
    input: &ReportInput<'_>,
    outcome: Outcome,
) -> Result<Written, ReportError> {
    let (diffs, without_text) = (outcome.diffs, outcome.without_text);
    let unjudged = outcome.judged.as_ref().map(|judged| judged.unjudged);
    let (sums, since) = (outcome.sums.clone(), since(input, &outcome));
    let not_compared = outcome.not_compared.clone();
    let text = text(input, &sink.files, outcome).map_err(|error| ReportError::Write {
        name: MANIFEST.to_owned(),
        source: error.into(),
    })?;
    sink.write_file(MANIFEST, text.as_bytes())?;
    let files = sink.files.len() as u64;
    let bytes = sink.files.iter().map(|file| file.bytes).sum();
    Ok(Written {
        manifest: checked_hash(&text).unwrap_or_default(),
        files,
        bytes,
        diffs,
        without_text,
        unjudged,
        sums,
        not_compared,
        since,
    })
}

/// The earlier report that was compared with, and what changed.
fn since(input: &ReportInput<'_>, outcome: &Outcome) -> Option<EarlierReport> {
    let (earlier, compared) = input.since.zip(outcome.changes.as_ref())?;
    Some(EarlierReport {
        report: JsonPath::new(earlier.path.as_os_str().as_bytes()),
        manifest: earlier.manifest.clone(),
        totals: compared.totals,
        caveats: compared.caveats.iter().map(|it| it.name()).collect(),
    })
}

/// The manifest as text; `files` need not be sorted.
fn text(
    input: &ReportInput<'_>,
    files: &[FileEntry],
    outcome: Outcome,
) -> serde_json::Result<String> {
    let paths = |roots: &[PathBuf]| {
        let roots = roots.iter().map(|root| root.as_os_str().as_bytes());
        roots.map(JsonPath::new).collect()
    };
    let requested_files = input.requested_files.as_ref();
    let judged = outcome.judged.as_ref();
    let summary = ListSummary {
        unjudged: judged.map(|judged| judged.unjudged),
        ..input.summary.clone()
    };
    let head = Manifest {
        since: since(input, &outcome),
        product: "simdex",
        version: input.version.to_owned(),
        kind: outcome.kind,
        created: input.created.to_string(),
        seconds: (input.seconds)(),
        roots: paths(&input.roots),
        stale_roots: paths(&input.stale_roots),
        threshold: input
            .clusters
            .is_none_or(ClusterTerms::uses_threshold)
            .then_some(input.threshold),
        scheme: input.scheme.clone(),
        counts: Counts::from(&crate::encode::summary(&summary)),
        promise: summary.promise,
        completeness: (input.completeness)(),
        question: outcome
            .question
            .or_else(|| requested_files.map(RequestedFiles::question)),
        common: input.clusters.and_then(ClusterTerms::common),
        files_in_no_group: requested_files.map(RequestedFiles::ungrouped),
        files_not_compared: outcome.not_compared.iter().map(not_compared_line).collect(),
        findings: outcome.sums,
        judge_model: judged.map(|judged| (&judged.model).into()),
        groups_judged_apart: judged.map(|judged| judged.apart),
        diffs: outcome.diffs,
        documents_without_text: outcome.without_text,
    };
    let head = serde_json::to_string_pretty(&Line::of(&head))?;
    with_files(&head, files, input.key)
}

/// A file asked about that was not compared, as a manifest names it.
fn not_compared_line(file: &NotCompared) -> UnreadFile {
    UnreadFile::new(&file.path, file.state, file.reason.as_str())
}

/// Adds `files`, one file per line, the mark and the hash.
fn with_files(head: &str, files: &[FileEntry], key: &ReportKey) -> serde_json::Result<String> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let lines = files
        .iter()
        .map(|file| serde_json::to_string(file).map(|line| format!("    {line}")));
    let lines: Vec<_> = lines.collect::<Result<_, _>>()?;
    let head = head.trim_end_matches(['\n', '}']);
    let lines = format!("{head},\n  \"files\": [\n{}\n  ],\n", lines.join(",\n"));
    Ok(with_hash(&with_mark(&lines, &key.mark(&lines).to_hex())))
}
