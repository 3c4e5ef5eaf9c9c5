//! The performance of a model on pairs of whole families that it has not seen, and on each kind of pair.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use simdex_judge::Class;
use simdex_judge::evaluation::{Quality, SourcedPair, Validated};
use simdex_judge::training::{Growth, LabelledSignals, train};

use super::{put, tenth, validated_as_shipped};
use crate::figure::Figures;
use crate::labelled::{Body, Document, LabelledPair, by_family};
use crate::study::papers::originals;
use crate::study::{Settings, template_pairs};

/// Measured pairs with what they are cases of.
pub(super) type SourcedPairs<'a> = [(&'a LabelledPair, SourcedPair)];

/// Ten-fold by family, as the folds by source are made.
pub(super) fn families(
    found: &SourcedPairs<'_>,
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
    found: &SourcedPairs<'_>,
    runs: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let Some(run) = runs.first() else {
        return Ok(());
    };
    figures.note(&format!("Judged by models that have not seen {name}:"))?;
    let mut judged: BTreeMap<(&str, &str), ([u32; 4], u32)> = BTreeMap::new();
    for ((pair, _), class) in found.iter().zip(&run.judged) {
        let (counts, withheld) = judged.entry((pair.kind, pair.class.name())).or_default();
        counts[class.index()] += 1;
        *withheld += u32::from(is_withheld(pair, *class));
    }
    for ((kind, class), (counts, withheld)) in judged {
        let columns = Class::ALL.map(|class| (class.name(), f64::from(counts[class.index()]), ""));
        let withheld = ("of them withheld", f64::from(withheld), "");
        let columns: Vec<_> = columns.into_iter().chain([withheld]).collect();
        figures.row(&format!("{kind} ({class})"), &columns)?;
    }
    Ok(())
}

/// Whether the guard withholds this judgement of a pair, as shown.
pub(super) fn is_withheld(pair: &LabelledPair, judged: Class) -> bool {
    judged.is_duplicate() && pair.is_numbered_otherwise(Body::Shown)
}

/// What the guard withholds: judgements that take two documents for one whose numbers differ. Quality counts what is
/// withheld as not found.
pub(super) fn guard(
    name: &str,
    found: &SourcedPairs<'_>,
    runs: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let Some(run) = runs.first() else {
        return Ok(());
    };
    let (mut quality, mut withheld) = (Quality::default(), [0, 0]);
    for ((pair, _), judged) in found.iter().zip(&run.judged) {
        let is_withheld = is_withheld(pair, *judged);
        let given = match is_withheld {
            true => Class::TemplateOnly,
            false => *judged,
        };
        quality.add(pair.class, given);
        withheld[usize::from(pair.class.is_duplicate())] += u32::from(is_withheld);
    }
    let columns = [
        ("P", tenth(100.0 * quality.precision()), ""),
        ("R", tenth(100.0 * quality.recall()), ""),
        ("F", tenth(100.0 * quality.f1()), ""),
        ("withheld of duplicates", f64::from(withheld[1]), ""),
        ("withheld of others", f64::from(withheld[0]), ""),
    ];
    let name = format!("withheld by numbers, {name}");
    Ok(figures.row(&name, &columns)?)
}

/// Near-duplicate pairs of forms that no training pair is of: how many of those that are no revisions are judged to be
/// the same or versions, and how many of those judgements are withheld.
pub(super) fn short_forms(
    settings: &Settings,
    found: &SourcedPairs<'_>,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let (texts, truth) = template_pairs::forms();
    of_forms("forms", (&texts, &truth), found, figures)?;
    let (texts, truth) = template_pairs::forms_of_prose();
    of_forms("forms of prose", (&texts, &truth), found, figures)?;
    let Ok(notices) = originals(settings, "short/rustsec", "md") else {
        return Ok(figures.note("short/rustsec is not here: left out")?);
    };
    let texts: Vec<String> = notices.into_iter().map(|notice| notice.text).collect();
    // None of them is known to revise another. The model has seen no notice.
    let families = found.iter().filter(|(pair, _)| pair.kind == "notice");
    let families: BTreeSet<u64> = families.map(|(pair, _)| pair.family).collect();
    let others = found
        .iter()
        .filter(|(pair, _)| !families.contains(&pair.family));
    let others: Vec<(&LabelledPair, SourcedPair)> = others.cloned().collect();
    of_forms("notices", (&texts, &BTreeSet::new()), &others, figures)
}

fn of_forms(
    name: &str,
    (texts, truth): (&[String], &BTreeSet<template_pairs::Pair>),
    learned: &SourcedPairs<'_>,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let learned: Vec<LabelledSignals> = learned.iter().map(|(_, pair)| pair.pair).collect();
    let model = train(&learned, &Growth::default(), "", "")?;
    let (mut quality, mut withheld) = (Quality::default(), [0, 0]);
    for (a, b) in template_pairs::pairs(texts) {
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
        let Some(values) = pair.values(Body::Shown) else {
            continue;
        };
        let judged = model.classify(&values).0;
        if is_withheld(&pair, judged) {
            withheld[usize::from(class.is_duplicate())] += 1;
            continue;
        }
        quality.add(class, judged);
    }
    let columns = [
        (
            "pairs",
            f64::from(quality.pairs()) + f64::from(withheld[0] + withheld[1]),
            "",
        ),
        ("false", f64::from(quality.false_hits), ""),
        ("withheld", f64::from(withheld[0]), ""),
        ("revisions found", f64::from(quality.hits), ""),
        ("missed", f64::from(quality.missed), ""),
        ("revisions withheld", f64::from(withheld[1]), ""),
    ];
    Ok(figures.row(&format!("near-duplicate {name} (goal: 0 false)"), &columns)?)
}
