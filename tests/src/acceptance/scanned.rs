//! The lines of one `scan --json`, by type.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::jsonl;
use crate::sandbox;

/// What a scan printed.
pub(super) struct Scanned {
    pub(super) files: Vec<Value>,
    pub(super) pairs: Vec<Value>,
    pub(super) groups: Vec<Value>,
    pub(super) summary: Value,
}

impl Scanned {
    /// Scans these folders, pairs included.
    pub(super) fn of<D: AsRef<OsStr>>(
        dirs: impl IntoIterator<Item = D>,
        threshold: f64,
    ) -> Result<Self> {
        let threshold = threshold.to_string();
        let mut lines = sandbox::scan(dirs, ["--pairs", "--threshold", &threshold])?.lines()?;
        let summary = lines.pop().context("a scan printed nothing")?;
        ensure!(summary["type"] == "summary", "the last line is {summary}");
        let of_type = |kind| jsonl::of_type(lines.clone(), kind);
        let (files, pairs, groups) = (of_type("file"), of_type("pair"), of_type("group"));
        let typed = files.len() + pairs.len() + groups.len();
        ensure!(
            typed == lines.len(),
            "{} lines of another type",
            lines.len() - typed
        );
        Ok(Self {
            files,
            pairs,
            groups,
            summary,
        })
    }

    /// Files on disk by state, as the file lines have it; members of containers are counted apart.
    pub(super) fn states(&self) -> Result<BTreeMap<&str, u64>> {
        let mut states = BTreeMap::new();
        let on_disk = |file: &&Value| file["container"].is_null();
        for file in self.files.iter().filter(on_disk) {
            *states.entry(jsonl::text(file, "state")?).or_insert(0) += 1;
        }
        Ok(states)
    }
}
