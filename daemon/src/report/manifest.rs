//! `manifest.json`: what the report is, and every file in it with its checksum.
//!
//! One key or file a line, in fixed order, so that two manifests can be compared with `diff`. It ends
//! with this daemon's mark ([`ReportKey`]) and a hash ([`simdex_proto::manifest`]).
use std::os::unix::ffi::OsStrExt as _;

use simdex_proto::lines::{Counts, JsonPath, Line, Manifest};
use simdex_proto::manifest::{FileEntry, with_hash, with_mark};

use super::{ReportInput, ReportKey};

/// The manifest as text; `files` need not be sorted.
pub(super) fn text(
    input: &ReportInput<'_>,
    files: &[FileEntry],
    diffs: u64,
    without_text: u64,
) -> serde_json::Result<String> {
    let roots = input.roots.iter().map(|root| root.as_os_str().as_bytes());
    let head = Manifest {
        product: "simdex",
        version: input.version.to_owned(),
        created: input.created.to_string(),
        seconds: (input.seconds)(),
        roots: roots.map(JsonPath::new).collect(),
        threshold: input.threshold,
        scheme: input.scheme.clone(),
        counts: Counts::from(&crate::encode::summary(&input.summary)),
        completeness: (input.completeness)(),
        diffs,
        documents_without_text: without_text,
    };
    let head = serde_json::to_string_pretty(&Line::of(&head))?;
    with_files(&head, files, input.key)
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
    Ok(with_hash(&with_mark(&lines, &key.mark(&lines).to_hex())))
}
