//! PDFs in which poppler finds words: whether they are found here, in whatever order.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::extracted::{Extracted, extract, extract_with_pdftotext};
use super::measure::{Words, quantile, share_reaching};
use super::reference::{Reading, read};
use super::{Settings, goal, shown};
use crate::acceptance::files_below;
use crate::figure::Figures;

/// Words from which on a PDF counts as one with text.
const LEAST_WORDS: usize = 50;
/// Recall from which on its text counts as found.
const FOUND: f64 = 0.8;
/// Least share of PDFs whose text is found, by our own engines and with `pdftotext` beside them.
const GOAL: f64 = 0.92;
const OUTSIDE_GOAL: f64 = 0.95;

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let folder = settings.folder("formats")?;
    let paths = files_below(&folder)?;
    let mut references = read(settings, &paths, &["pdf"])?;
    if references.readings.is_empty() {
        figures.note("pdftotext or python3 is not installed: there is nothing to compare with")?;
        return Ok(());
    }
    let wordy = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        Words::of(text).count() >= LEAST_WORDS
    };
    references.readings.retain(|reading| wordy(&reading.text));
    let paths: Vec<PathBuf> = references.readings.iter().map(|r| r.path.clone()).collect();
    let count = paths.len() as f64;
    figures.put("PDFs in which pdftotext finds 50 words", count, "files")?;
    figures.note("pure Rust:")?;
    let ours = recalls(&references.readings, &extract(&paths)?);
    print(&ours, &folder, GOAL, figures)?;
    match extract_with_pdftotext(&paths)? {
        Some(theirs) => {
            figures.note("with pdftotext enabled:")?;
            let theirs = recalls(&references.readings, &theirs);
            print(&theirs, &folder, OUTSIDE_GOAL, figures)
        }
        None => {
            figures.note("pdftotext is not installed where the daemon looks for it")?;
            Ok(())
        }
    }
}

/// Recall, end and path of each, the lowest first.
fn recalls<'a>(readings: &'a [Reading], ours: &[Extracted]) -> Vec<(f64, String, &'a Path)> {
    let mut recalls: Vec<(f64, String, &Path)> = Vec::new();
    for (reading, ours) in readings.iter().zip(ours) {
        let theirs = Words::of(reading.text.as_deref().unwrap_or_default());
        let recall = Words::of(&ours.text).recall(&theirs);
        recalls.push((recall, ours.end.label(), &reading.path));
    }
    recalls.sort_by(|a, b| a.0.total_cmp(&b.0));
    recalls
}

/// The losers by name, and how many are none.
fn print(
    recalls: &[(f64, String, &Path)],
    folder: &Path,
    least: f64,
    figures: &mut Figures<'_>,
) -> Result<()> {
    for (recall, label, path) in recalls.iter().filter(|(recall, ..)| *recall < FOUND) {
        let path = shown(path, folder);
        figures.note(&format!("    {recall:.3} {label}: {path}"))?;
    }
    let values: Vec<f64> = recalls.iter().map(|(recall, ..)| *recall).collect();
    let share = share_reaching(&values, FOUND);
    figures.put("median recall of vocabulary", quantile(&values, 0.5), "")?;
    figures.put("p10 of recall", quantile(&values, 0.1), "")?;
    let name = "share with recall of at least 0.8";
    figures.against(name, share, "", &goal(share, least))?;
    Ok(())
}
