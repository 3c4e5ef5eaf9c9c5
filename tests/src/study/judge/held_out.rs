//! The performance of a model on pairs of whole families that it has not seen, and on each kind of pair.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use simdex_judge::evaluation::{Quality, SourcedPair, Validated};
use simdex_judge::training::{Growth, LabelledSignals, train};
use simdex_judge::{Class, Doubt};

use super::{put, tenth, validated_as_shipped};
use crate::figure::Figures;
use crate::labelled::{Body, Document, LabelledPair, by_family, measured, standard};
use crate::study::papers::originals;
use crate::study::{Settings, template_pairs};

/// Forms that make pairs of a manner never trained on.
const LICENCES: u64 = 60;

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
    let judgements = run.judged.iter().zip(&run.doubts);
    for ((pair, _), (class, doubt)) in found.iter().zip(judgements) {
        let (counts, withheld) = judged.entry((pair.kind, pair.class.name())).or_default();
        counts[class.index()] += 1;
        *withheld += u32::from(doubt.is_some());
    }
    for ((kind, class), (counts, withheld)) in judged {
        let columns = Class::ALL.map(|class| (class.name(), f64::from(counts[class.index()]), ""));
        let withheld = ("of them withheld", f64::from(withheld), "");
        let columns: Vec<_> = columns.into_iter().chain([withheld]).collect();
        figures.row(&format!("{kind} ({class})"), &columns)?;
    }
    Ok(())
}

/// How many judgements are withheld for each reason.
pub(super) fn withheld(
    name: &str,
    found: &SourcedPairs<'_>,
    runs: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let Some(run) = runs.first() else {
        return Ok(());
    };
    for reason in Doubt::ALL {
        let mut withheld = [0_u32; 2];
        let doubted = found.iter().zip(&run.doubts);
        for ((pair, _), _) in doubted.filter(|(_, doubt)| **doubt == Some(reason)) {
            withheld[usize::from(pair.class.is_duplicate())] += 1;
        }
        let columns = [
            ("of duplicates", f64::from(withheld[1]), ""),
            ("of others", f64::from(withheld[0]), ""),
        ];
        figures.row(&format!("withheld as {}, {name}", reason.name()), &columns)?;
    }
    Ok(())
}

/// Pairs by their class, and what they were judged to be; the share of those judged that are judged rightly.
pub(super) fn confusion(name: &str, quality: &Quality, figures: &mut Figures<'_>) -> Result<()> {
    for class in Class::ALL {
        let judged = quality.confusion[class.index()];
        let accuracy =
            f64::from(judged[class.index()]) / f64::from(judged.iter().sum::<u32>().max(1));
        let columns = Class::ALL.map(|other| (other.name(), f64::from(judged[other.index()]), ""));
        let withheld = f64::from(quality.withheld[class.index()]);
        let more = [
            ("withheld", withheld, ""),
            ("right", tenth(100.0 * accuracy), "%"),
        ];
        let columns: Vec<_> = columns.into_iter().chain(more).collect();
        figures.row(&format!("{}, {name}", class.name()), &columns)?;
    }
    let accuracy = tenth(100.0 * quality.accuracy());
    Ok(figures.put(
        &format!("exactly right of those judged, {name}"),
        accuracy,
        "%",
    )?)
}

/// Forms of a manner that no training pair is of.
pub(super) fn manner(found: &SourcedPairs<'_>, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = standard::held_out(super::SEED, LICENCES);
    let pairs = measured(&pairs, Body::Shown);
    let pairs: Vec<SourcedPair> = pairs.into_iter().map(|(_, pair)| pair).collect();
    let learned: Vec<LabelledSignals> = found.iter().map(|(_, pair)| pair.pair).collect();
    let model = train(&learned, &Growth::default(), "", "")?;
    let runs = [Validated::of(&model, &pairs)];
    let name = "licences, a manner never trained on";
    put(figures, name, &runs)?;
    confusion(name, &runs[0].quality, figures)
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
        let answered = model.answer(&values, pair.caveats(Body::Shown));
        if answered.doubt.is_some() {
            withheld[usize::from(class.is_duplicate())] += 1;
            continue;
        }
        quality.add(class, answered.class);
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
