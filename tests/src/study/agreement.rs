//! How much of the text is the one that independent readers find, by format.
//!
//! Those of [`UNLABELLED`] leave out the numbers of list items that programs count, and we do not: these
//! kinds are judged without such labels on either side. Beside it stands the agreement with them, as
//! which every other kind is judged: a label taken from a line may be a number of a sheet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::extracted::{Extracted, extract};
use super::reference::{Reading, read};
use super::word_agreement::{Words, quantile, without_labels};
use super::{Settings, goal, shown};
use crate::acceptance::files_below;
use crate::figure::Figures;

/// Words of the reference below which agreement says little.
const LEAST_WORDS: usize = 20;
/// Files listed for each format.
const WORST: usize = 5;
/// Kinds whose independent readers give no numbers of list items.
const UNLABELLED: &[&str] = &["docx", "odt", "rtf", "html"];
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

/// Agreement of a file with a reader, and where it ended.
struct ReaderAgreement<'a> {
    judged: f64,
    with_labels: f64,
    path: &'a Path,
    end: String,
}

/// Agreements of the files of one format with one reader.
type Agreements<'a> = BTreeMap<(&'a str, &'a str), Vec<ReaderAgreement<'a>>>;

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
        let Some(agreement) = ours
            .get(&reading.path)
            .and_then(|ours| agree(reading, ours))
        else {
            continue;
        };
        let of_reader = agreements
            .entry((&reading.format, &reading.reader))
            .or_default();
        of_reader.push(agreement);
    }
    figures.note(&format!(
        "judged without labels of list items: {}; every other kind with them",
        UNLABELLED.join(", ")
    ))?;
    print(agreements, &folder, figures)
}

/// The text of a file held against a reading of it; none where that says little.
fn agree<'a>(reading: &'a Reading, ours: &Extracted) -> Option<ReaderAgreement<'a>> {
    let text = reading.text.as_deref().unwrap_or_default();
    let theirs = Words::of(text);
    if theirs.count() < LEAST_WORDS {
        return None;
    }
    let with_labels = Words::of(&ours.body).agreement(&theirs);
    Some(ReaderAgreement {
        judged: without_labels_agreement(&reading.format, &ours.body, text).unwrap_or(with_labels),
        with_labels,
        path: &reading.path,
        end: ours.end.label(),
    })
}

/// The agreement without labels, where a kind is judged so.
fn without_labels_agreement(format: &str, ours: &str, theirs: &str) -> Option<f64> {
    let bare = |text: &str| Words::of(&without_labels(text));
    UNLABELLED
        .contains(&format)
        .then(|| bare(ours).agreement(&bare(theirs)))
}

fn print(agreements: Agreements<'_>, folder: &Path, figures: &mut Figures<'_>) -> Result<()> {
    for ((format, reader), mut files) in agreements {
        files.sort_by(|a, b| a.judged.total_cmp(&b.judged));
        let values: Vec<f64> = files.iter().map(|file| file.judged).collect();
        let labelled: Vec<f64> = files.iter().map(|file| file.with_labels).collect();
        let median = quantile(&values, 0.5);
        let columns = [
            ("files", values.len() as f64, ""),
            ("median", median, ""),
            ("p10", quantile(&values, 0.1), ""),
            ("with list labels", quantile(&labelled, 0.5), ""),
        ];
        let name = format!("{format}, {reader}");
        figures.row(&name, &columns)?;
        let is_its = |goal: &&(&str, &str, f64)| (goal.0, goal.1) == (format, reader);
        if let Some((.., least)) = GOALS.iter().find(is_its) {
            let name = format!("{name}: median agreement");
            figures.against(&name, median, "", &goal(median, *least))?;
        }
        let worst = files.iter().take(WORST);
        for file in worst.filter(|file| file.judged < 0.95) {
            let (agreement, end) = (file.judged, &file.end);
            figures.note(&format!(
                "    {agreement:.3} {end}: {}",
                shown(file.path, folder)
            ))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kinds_whose_readers_give_no_labels_are_judged_without() {
        let (ours, theirs) = ("1. one two three four five", "one two three four five");
        for kind in UNLABELLED {
            assert_eq!(
                without_labels_agreement(kind, ours, theirs),
                Some(1.0),
                "{kind}"
            );
        }
        for kind in ["xlsx", "xls", "pptx", "ppt", "doc", "eml", "msg"] {
            assert_eq!(without_labels_agreement(kind, ours, theirs), None, "{kind}");
        }
    }
}
