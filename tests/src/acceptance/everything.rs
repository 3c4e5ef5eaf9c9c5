//! A scan of all documents: every file has a state, and the states add up to the files on disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::documents::files_below;
use super::scanned::Scanned;
use crate::figure::Figures;
use crate::jsonl;

pub(super) fn run(documents: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let on_disk: BTreeSet<PathBuf> = files_below(documents)?.into_iter().collect();
    let scanned = Scanned::of([documents], 0.8)?;
    figures.put("files on disk", on_disk.len() as f64, "files")?;
    figures.put("files listed", scanned.files.len() as f64, "files")?;
    let states = scanned.states()?;
    for (state, count) in &states {
        figures.put(&format!("files {state}"), *count as f64, "files")?;
    }
    for field in ["documents", "groups", "pairs", "suppressed"] {
        figures.put(field, jsonl::number(&scanned.summary, field)?, "")?;
    }
    figures.put("seconds", jsonl::number(&scanned.summary, "seconds")?, "s")?;
    // Members of containers are counted apart.
    let files = scanned
        .files
        .iter()
        .filter(|file| file["container"].is_null());
    let files: Vec<_> = files.collect();
    figures.put(
        "files inside containers",
        (scanned.files.len() - files.len()) as f64,
        "files",
    )?;
    let listed = files
        .iter()
        .map(|file| jsonl::text(file, "path").map(PathBuf::from));
    let listed: BTreeSet<PathBuf> = listed.collect::<Result<_>>()?;
    let apart: Vec<_> = listed.symmetric_difference(&on_disk).take(10).collect();
    ensure!(apart.is_empty(), "listed or on disk, not both: {apart:?}");
    ensure!(listed.len() == files.len(), "a file is listed twice");
    ensure!(
        scanned.summary["states"] == serde_json::json!(states),
        "states do not add up"
    );
    ensure!(
        scanned.summary["files_on_disk"] == on_disk.len(),
        "files_on_disk is wrong"
    );
    ensure!(
        scanned.summary["groups"] == scanned.groups.len(),
        "groups are miscounted"
    );
    ensure!(
        scanned.summary["pairs"] == scanned.pairs.len(),
        "pairs are miscounted"
    );
    Ok(())
}
