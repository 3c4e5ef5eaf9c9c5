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

/// How far predictions are off.
#[derive(Default)]
struct Apart {
    /// The farthest, where there were pairs enough to know a precision as closely as the target.
    known: f64,
    /// The farthest of the others, and how many of them are outside the interval of the prediction.
    unknown: f64,
    outside: f64,
}

/// Four rows a collection.
pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut apart = Apart::default();
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
                    Some(found) => row(figures, &name, found, &mut apart)?,
                    None => figures.note(&format!("{name}: {}", answer.stderr.trim_end()))?,
                }
            }
        }
        daemon.stop()?;
    }
    figures.against(
        "farthest from a prediction known to 0.03",
        apart.known,
        "",
        &format!("target: {TARGET} at most"),
    )?;
    figures.put("farthest from one that is not", apart.unknown, "")?;
    Ok(figures.put("of these outside its interval", apart.outside, "")?)
}

fn of_folder(settings: &Settings, folder: &str) -> Result<Vec<String>> {
    let texts = originals(settings, folder, "md")?;
    Ok(texts.into_iter().map(|text| text.text).collect())
}

/// Prints one calibration, and notes how far precision is from what was predicted.
fn row(figures: &mut Figures<'_>, name: &str, found: &Value, apart: &mut Apart) -> Result<()> {
    let share = |pairs: &str, of: &str| found[pairs][of].as_f64().context("a share");
    let [predicted, checked] = [
        share("predicted", "precision")?,
        share("checked", "precision")?,
    ];
    let [low, high] = [
        share("predicted", "precision_low")?,
        share("predicted", "precision_high")?,
    ];
    let groups = found["groups"].as_array().context("groups")?;
    let coarsest = groups.iter().filter_map(|group| group["n"].as_f64());
    let columns = [
        ("groups", groups.len() as f64, ""),
        ("greatest n", coarsest.fold(1.0, f64::max), ""),
        ("sampled", found["sampled"].as_f64().unwrap_or(0.0), ""),
        ("similar pairs", found["pairs"].as_f64().unwrap_or(0.0), ""),
        (
            "and others",
            found["checked_pairs"].as_f64().unwrap_or(0.0),
            "",
        ),
        ("predicted precision", predicted, ""),
        ("from", low, ""),
        ("to", high, ""),
        ("of others", checked, ""),
        ("predicted recall", share("predicted", "recall")?, ""),
        ("of others", share("checked", "recall")?, ""),
    ];
    figures.row(name, &columns)?;
    let off = (predicted - checked).abs();
    if (predicted - low).max(high - predicted) <= TARGET {
        apart.known = apart.known.max(off);
    } else {
        apart.unknown = apart.unknown.max(off);
        apart.outside += f64::from(!(low..=high).contains(&checked));
    }
    Ok(())
}
