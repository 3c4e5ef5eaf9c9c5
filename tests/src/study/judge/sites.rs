//! Henzinger 2006, as Huffman et al. 2007 §2 tell it: shingles and random projection, each alone and one after the other,
//! on pairs of one site and of two.
//!
//! There both were precise on pairs of two sites and poor within one, whose pages share a frame; and the one after the
//! other was better than either. Labelled pairs of one make, such as pages of one site, letters of one form, and versions
//! of one file, count as of one site; mirrors, reframed data, collections and other formats as of two.

use anyhow::Result;
use simdex_judge::evaluation::{Quality, Validated};
use simdex_judge::{Class, Signal};

use super::{held_out::SourcedPairs, labelled, of_texts, tenth, validated, validated_as_shipped};
use crate::figure::Figures;
use crate::labelled::{Body, measured};
use crate::study::Settings;

/// Kinds of pairs whose documents are of two sites.
const ACROSS: [&str; 5] = ["collection", "format", "mirror", "reframed", "unrelated"];

/// Precision and recall within a site and across two, of each signal, of both in sequence, and of all together.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = labelled(settings, figures)?;
    let found = measured(&pairs, Body::Shown);
    let sourced: Vec<_> = found.iter().map(|(_, pair)| pair.clone()).collect();
    let shingles = validated(&sourced, &[Signal::Resemblance])?;
    let projection = validated(&sourced, &[Signal::SimhashDistance])?;
    let together = validated_as_shipped(&sourced)?;
    let [shingles, projection, together] = [shingles, projection, together].map(judged);
    let sequence: Vec<Class> = shingles
        .iter()
        .zip(&projection)
        .map(|(first, then)| if then.is_duplicate() { *first } else { *then })
        .collect();
    for (name, judged) in [
        ("shingles (resemblance)", &shingles),
        ("random projection (hash)", &projection),
        ("one after the other", &sequence),
        ("as shipped", &together),
    ] {
        row(name, &found, judged, figures)?;
    }
    for signal in of_texts() {
        let judged = judged(validated(&sourced, &[signal])?);
        row(signal.name(), &found, &judged, figures)?;
    }
    Ok(())
}

/// What each pair was judged to be in the median run.
fn judged(runs: Vec<Validated>) -> Vec<Class> {
    let median = runs.into_iter().next();
    median.map(|run| run.judged).unwrap_or_default()
}

fn row(
    name: &str,
    found: &SourcedPairs<'_>,
    judged: &[Class],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let (mut within, mut across) = (Quality::default(), Quality::default());
    for ((pair, _), judged) in found.iter().zip(judged) {
        let part = match ACROSS.contains(&pair.kind) {
            true => &mut across,
            false => &mut within,
        };
        part.add(pair.class, *judged);
    }
    let columns = [
        ("P within", tenth(100.0 * within.precision()), ""),
        ("R", tenth(100.0 * within.recall()), ""),
        ("pairs", f64::from(within.pairs()), ""),
        ("P across", tenth(100.0 * across.precision()), ""),
        ("R", tenth(100.0 * across.recall()), ""),
        ("pairs", f64::from(across.pairs()), ""),
    ];
    Ok(figures.row(name, &columns)?)
}
