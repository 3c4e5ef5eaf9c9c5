//! Whether `simctl calibrate` foresees what its setting comes to: on several collections, by the real programs, the
//! precision and recall that it predicts from one half of the documents beside those of pairs of the other half, none of
//! which it had looked at.
//!
//! Collections: pages of compiler errors and security notices; versions of policies; and copies made of real texts by
//! the generator of near-duplicates, in all its ways. Each text is a file of its own, without repeats.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Settings;
use super::papers::{derived_texts, originals};
use crate::figure::Figures;
use crate::sandbox::Sandbox;

const THRESHOLDS: [&str; 2] = ["0.6", "0.8"];
const PRECISIONS: [&str; 2] = ["0.8", "0.95"];
/// How far precision may be from what was predicted.
const TARGET: f64 = 0.03;

/// Four rows a collection.
pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut furthest: f64 = 0.0;
    let collections = [
        ("short notes", of_folder(settings, "short")?),
        ("made copies", derived_texts(settings)?),
        ("versions", of_folder(settings, "versions")?),
    ];
    for (name, texts) in collections {
        let texts: BTreeSet<String> = texts.into_iter().collect();
        figures.put(&format!("{name}: documents"), texts.len() as f64, "")?;
        let sandbox = Sandbox::new()?;
        for (at, text) in texts.iter().enumerate() {
            sandbox.write(format!("{at}.txt"), text)?;
        }
        let daemon = sandbox.serve().start()?;
        daemon.sync()?;
        for threshold in THRESHOLDS {
            for precision in PRECISIONS {
                let flags = [
                    "calibrate",
                    "--threshold",
                    threshold,
                    "--precision",
                    precision,
                ];
                let answer = daemon.simctl(flags)?;
                let name = format!("{name}, {precision} at {threshold}");
                match answer.lines_of("calibration")?.first() {
                    Some(found) => furthest = furthest.max(row(figures, &name, found)?),
                    None => figures.note(&format!("{name}: {}", answer.stderr.trim_end()))?,
                }
            }
        }
        daemon.stop()?;
    }
    Ok(figures.against(
        "the farthest that precision is from its prediction",
        furthest,
        "",
        &format!("target: {TARGET} at most"),
    )?)
}

fn of_folder(settings: &Settings, folder: &str) -> Result<Vec<String>> {
    let texts = originals(settings, folder, "md")?;
    Ok(texts.into_iter().map(|text| text.text).collect())
}

/// Prints one calibration; returns how far precision is from what was predicted.
fn row(figures: &mut Figures<'_>, name: &str, found: &Value) -> Result<f64> {
    let share = |pairs: &str, of: &str| found[pairs][of].as_f64().context("a share");
    let [predicted, checked] = [
        share("predicted", "precision")?,
        share("checked", "precision")?,
    ];
    let groups = found["groups"].as_array().context("groups")?;
    let coarsest = groups.iter().filter_map(|group| group["n"].as_f64());
    let columns = [
        ("groups", groups.len() as f64, ""),
        ("greatest n", coarsest.fold(1.0, f64::max), ""),
        ("pairs", found["pairs"].as_f64().unwrap_or(0.0), ""),
        (
            "and others",
            found["checked_pairs"].as_f64().unwrap_or(0.0),
            "",
        ),
        ("predicted precision", predicted, ""),
        ("of others", checked, ""),
        ("predicted recall", share("predicted", "recall")?, ""),
        ("of others", share("checked", "recall")?, ""),
    ];
    figures.row(name, &columns)?;
    Ok((predicted - checked).abs())
}
