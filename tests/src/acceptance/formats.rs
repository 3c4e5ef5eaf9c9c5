//! Files of many kinds, many of them broken on purpose: the state of each.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};

use super::scanned::Scanned;
use crate::figure::Figures;
use crate::jsonl::text;

/// States that need a reason beside them.
const EXPLAINED: [&str; 10] = [
    "partial",
    "no-text",
    "encrypted",
    "unsupported",
    "too-large",
    "failed",
    "timed-out",
    "crashed",
    "unreadable",
    "skipped",
];

pub(super) fn run(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let scanned = Scanned::of([corpora.join("formats")], 0.8)?;
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let (mut unexplained, mut crashed) = (Vec::new(), Vec::new());
    for file in &scanned.files {
        let (state, reason) = (text(file, "state")?, file["reason"].as_str());
        *counts.entry((state, reason.unwrap_or("-"))).or_default() += 1;
        if EXPLAINED.contains(&state) && reason.is_none() {
            unexplained.push(text(file, "path")?);
        }
        if state == "crashed" {
            crashed.push(text(file, "path")?);
        }
    }
    for ((state, reason), count) in &counts {
        figures.put(&format!("{state} {reason}"), f64::from(*count), "files")?;
    }
    for path in crashed {
        figures.put(&format!("crashed: {path}"), 1.0, "file")?;
    }
    ensure!(!scanned.files.is_empty(), "there are no files");
    ensure!(unexplained.is_empty(), "without a reason: {unexplained:?}");
    Ok(())
}
