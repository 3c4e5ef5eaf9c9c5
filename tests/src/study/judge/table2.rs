//! Huffman et al. 2007, Tables 2 and 3 and Fig. 2: every signal alone, all of them together, and what the
//! combination comes to on each kind of pair.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use simdex_judge::evaluation::{Quality, SourcedPair, Validated, precision_recall};
use simdex_judge::training::{Growth, LabelledSignals, train};
use simdex_judge::{Class, Signal};

use super::{labelled, of_texts, put, tenth, validated};
use crate::figure::Figures;
use crate::labelled::{Body, Document, LabelledPair, measured};
use crate::study::{Settings, template_pairs};

/// One source in so many is held out of everything.
const HELD_OUT: u64 = 4;

/// The tables, the goals, the held-out sources, the kinds.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = labelled(settings, figures)?;
    let found = measured(&pairs, Body::Shown);
    let sourced: Vec<SourcedPair> = found.iter().map(|(_, pair)| pair.clone()).collect();
    base_rate(&sourced, figures)?;
    let mut alone = Vec::new();
    for signal in of_texts() {
        let runs = validated(&sourced, &[signal])?;
        put(figures, signal.name(), &runs)?;
        alone.push((signal, runs));
    }
    let together = validated(&sourced, &of_texts())?;
    put(figures, "all together", &together)?;
    goals(&alone, &together, figures)?;
    curve(&together, figures)?;
    held_out(&sourced, &together, figures)?;
    short_forms(&sourced, figures)?;
    kinds(&found, figures)
}

fn base_rate(pairs: &[SourcedPair], figures: &mut Figures<'_>) -> Result<()> {
    let duplicates = pairs
        .iter()
        .filter(|pair| pair.pair.class.is_duplicate())
        .count();
    let sources: BTreeSet<u64> = pairs.iter().map(|pair| pair.source).collect();
    figures.put("pairs", pairs.len() as f64, "")?;
    figures.put("sources", sources.len() as f64, "")?;
    let share = tenth(100.0 * duplicates as f64 / pairs.len().max(1) as f64);
    figures.put("base rate of duplicates", share, "%")?;
    Ok(figures.note(
        "The labels are made, by construction and by provenance; no two raters were asked.",
    )?)
}

fn quality(runs: &[Validated]) -> Quality {
    runs.first().map(|run| run.quality).unwrap_or_default()
}

fn goals(
    alone: &[(Signal, Vec<Validated>)],
    together: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let all = quality(together);
    let simhash = alone
        .iter()
        .find(|(signal, _)| *signal == Signal::SimhashDistance);
    let simhash = simhash.map(|(_, runs)| quality(runs)).unwrap_or_default();
    let above = tenth(100.0 * (all.f1() - simhash.f1()));
    figures.against(
        "F1 above the similarity hash",
        above,
        "points",
        "goal: at least 6",
    )?;
    let best = alone.iter().min_by_key(|(_, runs)| quality(runs).errors());
    if let Some((signal, runs)) = best {
        let errors = f64::from(quality(runs).errors().max(1));
        let fewer = tenth(100.0 * (1.0 - f64::from(all.errors()) / errors));
        let reference = format!("{}; goal: at least 25", signal.name());
        figures.against("fewer errors than the best signal", fewer, "%", &reference)?;
    }
    Ok(figures.against("precision", all.precision(), "", "goal: at least 0.95")?)
}

/// Precision at some recalls.
fn curve(together: &[Validated], figures: &mut Figures<'_>) -> Result<()> {
    let Some(run) = together.first() else {
        return Ok(());
    };
    let curve = precision_recall(&run.scores);
    for wanted in [0.5, 0.7, 0.8, 0.9, 0.95, 0.99] {
        if let Some((recall, precision)) = curve.iter().find(|(recall, _)| *recall >= wanted) {
            let name = format!("precision at a recall of {:.3}", recall);
            figures.put(&name, *precision, "")?;
        }
    }
    Ok(())
}

/// Trained on three sources in four, and judged on the fourth.
fn held_out(
    pairs: &[SourcedPair],
    together: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    // Sources are numbered as they come: every fourth has some of every folder.
    let mut number = BTreeMap::new();
    for pair in pairs {
        let next = number.len() as u64;
        number.entry(pair.source).or_insert(next);
    }
    let is_out = |pair: &&SourcedPair| number[&pair.source] % HELD_OUT == 0;
    let (out, learned): (Vec<&SourcedPair>, Vec<&SourcedPair>) = pairs.iter().partition(is_out);
    let learned: Vec<LabelledSignals> = learned.into_iter().map(|pair| pair.pair).collect();
    let model = train(&learned, &Growth::default(), "", "")?;
    let mut quality = Quality::default();
    for pair in &out {
        quality.add(pair.pair.class, model.classify(&pair.pair.values).0);
    }
    let folds = together.first().map_or(0.0, |run| run.quality.f1());
    let reference = format!("folds {:.1}; goal: within 3 points", 100.0 * folds);
    figures.against(
        "held-out sources: F1",
        tenth(100.0 * quality.f1()),
        "",
        &reference,
    )?;
    Ok(figures.put("held-out sources: precision", quality.precision(), "")?)
}

/// The near-duplicate pairs of `template-pairs`, forms that no training pair is of: how many of those that are no
/// revisions are judged to be the same or versions.
fn short_forms(pairs: &[SourcedPair], figures: &mut Figures<'_>) -> Result<()> {
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
            class,
            documents: [a, b].map(|at| Document::new(&texts[at])),
        };
        if let Some(values) = pair.values(Body::Shown) {
            quality.add(class, model.classify(&values).0);
        }
    }
    figures.put(
        "short forms: near-duplicate pairs",
        f64::from(quality.pairs()),
        "",
    )?;
    let false_hits = f64::from(quality.false_hits);
    figures.against(
        "short forms: judged same or version",
        false_hits,
        "",
        "of no revisions; goal: 0",
    )?;
    Ok(figures.put("short forms: revisions found", quality.recall(), "")?)
}

/// Judged by a model that has not seen the source: what each kind is judged to be.
fn kinds(found: &[(&LabelledPair, SourcedPair)], figures: &mut Figures<'_>) -> Result<()> {
    let mut judged: BTreeMap<(&str, &str), [u32; 4]> = BTreeMap::new();
    for fold in 0..5 {
        let is_out = |pair: &SourcedPair| pair.source % 5 == fold;
        let learned = found.iter().filter(|(_, pair)| !is_out(pair));
        let learned: Vec<LabelledSignals> = learned.map(|(_, pair)| pair.pair).collect();
        let model = train(&learned, &Growth::default(), "", "")?;
        for (pair, sourced) in found.iter().filter(|(_, pair)| is_out(pair)) {
            let (class, _) = model.classify(&sourced.pair.values);
            let counts = judged.entry((pair.kind, pair.class.name())).or_default();
            counts[class.index()] += 1;
        }
    }
    for ((kind, class), counts) in judged {
        let columns = Class::ALL.map(|class| (class.name(), f64::from(counts[class.index()]), ""));
        figures.row(&format!("{kind} ({class})"), &columns)?;
    }
    Ok(())
}
