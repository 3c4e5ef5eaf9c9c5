//! Sixteen RFCs in four kinds each: how much of one document its kinds share.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use simdex_signature::CanonicalText;

use super::extracted::extract;
use super::word_agreement::quantile;
use super::{Settings, goal};
use crate::acceptance::files_below;
use crate::figure::Figures;
use simdex_oracle::ratios;

/// Kinds with a goal: the XML of an RFC is its source, with markup that becomes text elsewhere.
const READ_ALIKE: [&str; 3] = ["html", "pdf", "txt"];
const GOAL: f64 = 0.85;

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let paths = files_below(&settings.folder("crossformat")?)?;
    let ours = extract(&paths)?;
    let mut kinds: BTreeMap<String, BTreeMap<String, CanonicalText>> = BTreeMap::new();
    for (path, ours) in paths.iter().zip(&ours) {
        let text = CanonicalText::from_extracted(&ours.text);
        if ours.end.state != "indexed" {
            figures.note(&format!("{}: {}", ours.end.label(), path.display()))?;
        }
        let of_document = kinds.entry(part(path.file_stem())).or_default();
        of_document.insert(part(path.extension()), text);
    }
    ensure!(!kinds.is_empty(), "there are no files");
    let mut pairs: BTreeMap<(String, String), Vec<(f64, &str)>> = BTreeMap::new();
    for (document, texts) in &kinds {
        for (a, text) in texts {
            for (b, other) in texts.range(a.clone()..).skip(1) {
                let resemblance = ratios(text, other).map_or(0.0, |ratios| ratios.resemblance);
                let of_pair = pairs.entry((a.clone(), b.clone())).or_default();
                of_pair.push((resemblance, document));
            }
        }
    }
    for ((a, b), mut values) in pairs {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        print(&a, &b, &values, figures)?;
    }
    Ok(())
}

fn print(a: &str, b: &str, values: &[(f64, &str)], figures: &mut Figures<'_>) -> Result<()> {
    let numbers: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
    let median = quantile(&numbers, 0.5);
    let columns = [
        ("documents", numbers.len() as f64, ""),
        ("median", median, ""),
        ("least", quantile(&numbers, 0.0), ""),
    ];
    figures.row(&format!("{a} and {b}"), &columns)?;
    if [a, b].iter().all(|kind| READ_ALIKE.contains(kind)) {
        let name = format!("{a} and {b}: median resemblance");
        figures.against(&name, median, "", &goal(median, GOAL))?;
        let worst = values.iter().take(3).filter(|(value, _)| *value < GOAL);
        for (value, document) in worst {
            figures.note(&format!("    {value:.3} {document}"))?;
        }
    }
    Ok(())
}

fn part(of_name: Option<&std::ffi::OsStr>) -> String {
    Path::new(of_name.unwrap_or_default()).display().to_string()
}
