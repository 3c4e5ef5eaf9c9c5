//! `manifest.json`: what the report is, and every file in it with its checksum.
//!
//! Written as text and not by serde alone, since mark and hash cover its very bytes. One key or file a line, in
//! fixed order, so that two manifests can be compared with `diff`. The last
//! key is the BLAKE3 of all lines before it: a line that is dropped, added or changed by itself is
//! found. Whoever writes the whole manifest anew can make that hash too; only a copy of it kept
//! elsewhere tells ([`digest`]). The key before it is the mark by which the daemon knows its own reports
//! ([`ReportKey`]).
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;

use serde::Serialize;
use simdex_proto::completeness::Completeness;

use super::lines::PathLine;
use super::sink::FileEntry;
use super::{ReportInput, ReportKey, SchemeLine};

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
    #[serde(flatten)]
    completeness: Completeness,
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
        v: 2,
        product: "simdex",
        version: input.version,
        created: input.created.to_string(),
        seconds: (input.seconds)(),
        roots: input
            .roots
            .iter()
            .map(|root| PathLine::new(root.as_os_str().as_bytes()))
            .collect(),
        threshold: input.threshold,
        scheme: &input.scheme,
        files_on_disk: summary.files_on_disk,
        members: summary.container_members,
        states: &summary.states,
        documents: summary.documents,
        groups: summary.groups,
        suppressed: summary.suppressed,
        completeness: (input.completeness)(),
        diffs,
        documents_without_text: without_text,
    };
    with_files(&serde_json::to_string_pretty(&head)?, files, input.key)
}

/// Adds `files`, one file a line, the mark and the hash.
fn with_files(head: &str, files: &[FileEntry], key: &ReportKey) -> serde_json::Result<String> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let lines = files
        .iter()
        .map(|file| serde_json::to_string(file).map(|line| format!("    {line}")));
    let lines: Vec<_> = lines.collect::<Result<_, _>>()?;
    let head = head.trim_end_matches(['\n', '}']);
    let lines = format!("{head},\n  \"files\": [\n{}\n  ],\n", lines.join(",\n"));
    let lines = format!("{lines}{MARK}{}{MARK_END}", key.mark(&lines).to_hex());
    let digest = blake3::hash(lines.as_bytes());
    Ok(format!("{lines}{HASH}{}\"\n}}\n", digest.to_hex()))
}

/// The key of the mark, and what ends its line.
const MARK: &str = "  \"daemon_mark\": \"";
const MARK_END: &str = "\",\n";

/// The lines of a manifest that its mark is made of, and the mark.
pub(super) fn marked(text: &str) -> Option<(&str, &str)> {
    let (before, _) = text.split_at_checked(text.rfind(HASH)?)?;
    let (lines, mark) = before.split_at_checked(before.rfind(MARK)?)?;
    let mark = mark.strip_prefix(MARK)?.strip_suffix(MARK_END)?;
    Some((lines, mark))
}

/// The last key, before the hash of all lines above it.
const HASH: &str = "  \"manifest_blake3\": \"";

/// The hash that a manifest ends with, where it is that of its lines.
pub(super) fn digest(text: &str) -> Option<String> {
    let (lines, end) = text.split_at_checked(text.rfind(HASH)?)?;
    let digest = blake3::hash(lines.as_bytes()).to_hex().to_string();
    let stored = end.strip_prefix(HASH)?.strip_suffix("\"\n}\n")?;
    (stored == digest).then_some(digest)
}
