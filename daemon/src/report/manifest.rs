//! `manifest.json`: what the report is, and every file in it with its checksum.
//!
//! One key or file a line, in fixed order, so that two manifests can be compared with `diff`.
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;

use serde::Serialize;

use super::lines::PathLine;
use super::stage::FileEntry;
use super::{ReportInput, SchemeLine};

#[derive(Serialize)]
struct Manifest<'a> {
    r#type: &'static str,
    v: u32,
    product: &'static str,
    version: &'a str,
    created: String,
    seconds: f64,
    roots: Vec<PathLine>,
    threshold: f64,
    scheme: &'a SchemeLine,
    files_on_disk: u64,
    members: u64,
    states: &'a BTreeMap<String, u64>,
    documents: u64,
    groups: u64,
    suppressed: u64,
    diffs: u64,
    documents_without_text: u64,
}

/// The manifest as text; `files` need not be sorted.
pub(super) fn text(
    input: &ReportInput<'_>,
    files: &[FileEntry],
    diffs: u64,
    without_text: u64,
) -> serde_json::Result<String> {
    let summary = &input.summary;
    let head = Manifest {
        r#type: "manifest",
        v: 1,
        product: "simdex",
        version: input.version,
        created: input.created.to_string(),
        seconds: summary.seconds,
        roots: input
            .roots
            .iter()
            .map(|root| PathLine::new(root.as_os_str().as_bytes()))
            .collect(),
        threshold: input.threshold,
        scheme: &input.scheme,
        files_on_disk: summary.files_on_disk,
        members: summary.members,
        states: &summary.states,
        documents: summary.documents,
        groups: summary.groups,
        suppressed: summary.suppressed,
        diffs,
        documents_without_text: without_text,
    };
    with_files(&serde_json::to_string_pretty(&head)?, files)
}

/// Adds `files` as the last key, one file a line.
fn with_files(head: &str, files: &[FileEntry]) -> serde_json::Result<String> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let lines = files
        .iter()
        .map(|file| serde_json::to_string(file).map(|line| format!("    {line}")));
    let lines: Vec<_> = lines.collect::<Result<_, _>>()?;
    let head = head.trim_end_matches(['\n', '}']);
    Ok(format!(
        "{head},\n  \"files\": [\n{}\n  ]\n}}\n",
        lines.join(",\n")
    ))
}
