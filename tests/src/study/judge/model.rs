//! The model that ships with the program: trained on all labelled pairs, as they are shown.

use std::fs;

use anyhow::{Context, Result};
use simdex_judge::training::{Growth, train};

use super::{labelled, sourced};
use crate::figure::Figures;
use crate::labelled::Body;
use crate::study::Settings;

/// Writes `shipped.txt` beside the figures, and prints its rules.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = labelled(settings, figures)?;
    let pairs = sourced(&pairs, Body::Shown);
    let sources: std::collections::BTreeSet<u64> = pairs.iter().map(|pair| pair.source).collect();
    let learned: Vec<_> = pairs.iter().map(|pair| pair.pair).collect();
    let note = format!(
        "{} pairs of {} sources, by study judge-model",
        learned.len(),
        sources.len()
    );
    let model = train(&learned, &Growth::default(), "shipped", &note)?;
    fs::create_dir_all(&settings.figures)?;
    let path = settings.figures.join("shipped.txt");
    fs::write(&path, model.to_string()).with_context(|| path.display().to_string())?;
    for counted in model.rules() {
        let (class, counts) = (counted.class, counted.counts);
        let judged = format!("{:<14} {:5.3}", class.name(), counts.claimed(class));
        figures.note(&format!(
            "{:>3}  {judged}  of {:>5}  {}",
            counted.rule.number,
            counts.total(),
            counted.rule
        ))?;
    }
    Ok(figures.note(&format!("written: {}", path.display()))?)
}
