//! What a model makes of pairs of whole families that it has not seen, and of each kind of pair.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use simdex_judge::Class;
use simdex_judge::evaluation::{Quality, SourcedPair, Validated};
use simdex_judge::training::{Growth, LabelledSignals, train};

use super::{put, tenth, validated_as_shipped};
use crate::figure::Figures;
use crate::labelled::{Body, Document, LabelledPair, by_family};
use crate::study::template_pairs;

/// Measured pairs with what they are cases of.
pub(super) type Found<'a> = [(&'a LabelledPair, SourcedPair)];

/// Ten-fold by family, as the folds by source are made.
pub(super) fn families(
    found: &Found<'_>,
    together: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<Vec<Validated>> {
    let pairs = by_family(found);
    let families: BTreeSet<u64> = pairs.iter().map(|pair| pair.source).collect();
    figures.put("families", families.len() as f64, "")?;
    let runs = validated_as_shipped(&pairs)?;
    put(figures, "families held out", &runs)?;
    let f1 = |runs: &[Validated]| runs.first().map_or(0.0, |run| 100.0 * run.quality.f1());
    let below = tenth(f1(together) - f1(&runs));
    figures.against("F1 below that of folds", below, "points", "goal: at most 3")?;
    Ok(runs)
}

/// What each kind of pair was judged to be in the median run.
pub(super) fn kinds(
    name: &str,
    found: &Found<'_>,
    runs: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let Some(run) = runs.first() else {
        return Ok(());
    };
    figures.note(&format!("Judged by models that have not seen {name}:"))?;
    let mut judged: BTreeMap<(&str, &str), [u32; 4]> = BTreeMap::new();
    for ((pair, _), class) in found.iter().zip(&run.judged) {
        let counts = judged.entry((pair.kind, pair.class.name())).or_default();
        counts[class.index()] += 1;
    }
    for ((kind, class), counts) in judged {
        let columns = Class::ALL.map(|class| (class.name(), f64::from(counts[class.index()]), ""));
        figures.row(&format!("{kind} ({class})"), &columns)?;
    }
    Ok(())
}

/// The near-duplicate pairs of `template-pairs`, forms that no training pair is of: how many of those that are no
/// revisions are judged to be the same or versions.
pub(super) fn short_forms(pairs: &[SourcedPair], figures: &mut Figures<'_>) -> Result<()> {
    let learned: Vec<LabelledSignals> = pairs.iter().map(|pair| pair.pair).collect();
    let model = train(&learned, &Growth::default(), "", "")?;
    let (texts, truth) = template_pairs::forms();
    let mut quality = Quality::default();
    for (a, b) in template_pairs::pairs(&texts) {
        let class = match truth.contains(&(a, b)) {
            true => Class::Version,
            false => Class::TemplateOnly,
        };
        let pair = LabelledPair {
            kind: "short form",
            source: 0,
            family: 0,
            class,
            documents: [a, b].map(|at| Document::new(&texts[at])),
        };
        if let Some(values) = pair.values(Body::Shown) {
            quality.add(class, model.classify(&values).0);
        }
    }
    let of_forms = f64::from(quality.pairs());
    figures.put("short forms: near-duplicate pairs", of_forms, "")?;
    let false_hits = f64::from(quality.false_hits);
    figures.against(
        "short forms: judged same or version",
        false_hits,
        "",
        "of no revisions; goal: 0",
    )?;
    Ok(figures.put("short forms: revisions found", quality.recall(), "")?)
}
