//! PDFs in which poppler finds words: whether they are found here, in whatever order.
//!
//! Poppler's text is no truth where a font does not say what its glyphs mean. So the shares are printed once more for
//! the files of which PDFium, an independent reader, finds the same words as poppler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::extracted::{Extracted, extract, extract_with_pdftotext};
use super::reference::{Reading, read};
use super::word_agreement::{Words, quantile, share_reaching};
use super::{Settings, goal, shown};
use crate::acceptance::files_below;
use crate::figure::Figures;

/// Name of the reader whose words are sought.
const POPPLER: &str = "pdftotext";
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
    let readings = read(settings, &paths, &["pdf"])?.readings;
    let (mut poppler, pdfium): (Vec<_>, Vec<_>) = readings
        .into_iter()
        .partition(|reading| reading.reader == POPPLER);
    if poppler.is_empty() {
        figures.note("pdftotext or python3 is not installed: there is nothing to compare with")?;
        return Ok(());
    }
    poppler.retain(|reading| words(reading).count() >= LEAST_WORDS);
    let paths: Vec<PathBuf> = poppler.iter().map(|r| r.path.clone()).collect();
    let count = paths.len() as f64;
    figures.put("PDFs in which pdftotext finds 50 words", count, "files")?;
    let agreed = agreed(&poppler, &pdfium);
    match pdfium.is_empty() {
        true => figures
            .note("pypdfium2 is not installed: no second reader says which are read rightly")?,
        false => figures.put("of them read alike by PDFium", agreed.len() as f64, "files")?,
    }
    figures.note("pure Rust:")?;
    let ours = recalls(&poppler, &extract(&paths)?);
    print(&ours, &agreed, &folder, GOAL, figures)?;
    match extract_with_pdftotext(&paths)? {
        Some(theirs) => {
            figures.note("with pdftotext enabled:")?;
            let theirs = recalls(&poppler, &theirs);
            print(&theirs, &agreed, &folder, OUTSIDE_GOAL, figures)
        }
        None => {
            figures.note("pdftotext is not installed where the daemon looks for it")?;
            Ok(())
        }
    }
}

fn words(reading: &Reading) -> Words {
    Words::of(reading.text.as_deref().unwrap_or_default())
}

/// The files in which both readers find the words of the other.
fn agreed(poppler: &[Reading], pdfium: &[Reading]) -> BTreeSet<PathBuf> {
    let pdfium: BTreeMap<&Path, Words> = pdfium.iter().map(|r| (&*r.path, words(r))).collect();
    let agree = |reading: &&Reading| {
        let poppler = words(reading);
        pdfium.get(&*reading.path).is_some_and(|pdfium| {
            pdfium.recall(&poppler) >= FOUND && poppler.recall(pdfium) >= FOUND
        })
    };
    poppler
        .iter()
        .filter(agree)
        .map(|r| r.path.clone())
        .collect()
}

/// Recall, end and path of each, the lowest first.
fn recalls<'a>(readings: &'a [Reading], ours: &[Extracted]) -> Vec<(f64, String, &'a Path)> {
    let mut recalls: Vec<(f64, String, &Path)> = Vec::new();
    for (reading, ours) in readings.iter().zip(ours) {
        let recall = Words::of(&ours.text).recall(&words(reading));
        recalls.push((recall, ours.end.label(), &reading.path));
    }
    recalls.sort_by(|a, b| a.0.total_cmp(&b.0));
    recalls
}

/// The files whose text is not found, by name, and the share of the others: of all, and of those that two readers agree on.
fn print(
    recalls: &[(f64, String, &Path)],
    agreed: &BTreeSet<PathBuf>,
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
    let of_agreed = recalls.iter().filter(|(.., path)| agreed.contains(*path));
    let values: Vec<f64> = of_agreed.map(|(recall, ..)| *recall).collect();
    if !values.is_empty() {
        let share = share_reaching(&values, FOUND);
        let name = "the same of those read alike by PDFium";
        figures.against(name, share, "", &goal(share, least))?;
    }
    Ok(())
}
