//! How much of the text is the one that independent readers find, by format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::extracted::{Extracted, extract};
use super::measure::{Words, quantile};
use super::reference::{Reading, read};
use super::{Settings, goal, shown};
use crate::acceptance::files_below;
use crate::figure::Figures;

/// Words of the reference below which agreement says little.
const LEAST_WORDS: usize = 20;
/// Files listed for each format.
const WORST: usize = 5;
/// Goals of the median, each against its first reader.
const GOALS: &[(&str, &str, f64)] = &[
    ("docx", "python-docx", 0.98),
    ("pptx", "python-pptx", 0.98),
    ("odt", "odfpy", 0.98),
    ("rtf", "striprtf", 0.98),
    ("msg", "extract_msg", 0.98),
    ("eml", "Python email", 0.98),
    ("html", "Beautiful Soup", 0.98),
    ("doc", "catdoc", 0.95),
    ("xls", "xlrd", 0.95),
    ("xlsx", "openpyxl", 0.95),
    ("ppt", "LibreOffice", 0.85),
];

/// Agreements of the files of one format with one reader.
type Agreements<'a> = BTreeMap<(&'a str, &'a str), Vec<(f64, &'a Path, String)>>;

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let folder = settings.folder("formats")?;
    let paths = files_below(&folder)?;
    let references = read(settings, &paths, &[])?;
    for tool in &references.missing {
        figures.note(&format!("not installed, not compared with: {tool}"))?;
    }
    let readings: Vec<&Reading> = references
        .readings
        .iter()
        .filter(|r| r.text.is_some())
        .collect();
    let mut read: Vec<PathBuf> = readings
        .iter()
        .map(|reading| reading.path.clone())
        .collect();
    read.dedup();
    let ours: BTreeMap<PathBuf, Extracted> = read.iter().cloned().zip(extract(&read)?).collect();
    let mut agreements: Agreements<'_> = BTreeMap::new();
    for reading in readings {
        let theirs = Words::of(reading.text.as_deref().unwrap_or_default());
        let Some(ours) = ours
            .get(&reading.path)
            .filter(|_| theirs.count() >= LEAST_WORDS)
        else {
            continue;
        };
        let agreement = Words::of(&ours.body).agreement(&theirs);
        let of_reader = agreements
            .entry((&reading.format, &reading.reader))
            .or_default();
        of_reader.push((agreement, &reading.path, ours.end.label()));
    }
    print(agreements, &folder, figures)
}

fn print(agreements: Agreements<'_>, folder: &Path, figures: &mut Figures<'_>) -> Result<()> {
    for ((format, reader), mut files) in agreements {
        files.sort_by(|a, b| a.0.total_cmp(&b.0));
        let values: Vec<f64> = files.iter().map(|(agreement, ..)| *agreement).collect();
        let median = quantile(&values, 0.5);
        let columns = [
            ("files", values.len() as f64, ""),
            ("median", median, ""),
            ("p10", quantile(&values, 0.1), ""),
        ];
        let name = format!("{format}, {reader}");
        figures.row(&name, &columns)?;
        let held = |goal: &&(&str, &str, f64)| (goal.0, goal.1) == (format, reader);
        if let Some((.., least)) = GOALS.iter().find(held) {
            let name = format!("{name}: median agreement");
            figures.against(&name, median, "", &goal(median, *least))?;
        }
        for (agreement, path, label) in files.iter().take(WORST).filter(|(a, ..)| *a < 0.95) {
            figures.note(&format!(
                "    {agreement:.3} {label}: {}",
                shown(path, folder)
            ))?;
        }
    }
    Ok(())
}
