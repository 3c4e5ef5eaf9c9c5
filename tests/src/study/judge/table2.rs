//! Huffman et al. 2007, Tables 2 and 3 and Fig. 2: every signal alone, all of them together, and what the
//! combination comes to on each kind of pair.

use std::collections::BTreeMap;

use anyhow::Result;
use simdex_judge::evaluation::{Agreement, Quality, SourcedPair, Validated, precision_recall};
use simdex_judge::{Class, Signal};

use super::{columns, held_out, labelled, of_texts, put, tenth, validated, validated_as_shipped};
use crate::figure::Figures;
use crate::labelled::{Body, LabelledPair, measured};
use crate::study::Settings;

/// Shares of duplicates among all pairs for which precision is shown: from half down to the paper's 537 of 34,577.
const BASE_RATES: [f64; 4] = [0.5, 0.2, 0.05, 537.0 / 34_577.0];

/// The tables, the goals, the held-out families, the kinds.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = labelled(settings, figures)?;
    let found = measured(&pairs, Body::Shown);
    let sourced: Vec<SourcedPair> = found.iter().map(|(_, pair)| pair.clone()).collect();
    base_rate(&sourced, figures)?;
    on_both_bodies(&pairs, figures)?;
    let mut alone = Vec::new();
    for signal in of_texts() {
        let runs = validated(&sourced, &[signal])?;
        put(figures, signal.name(), &runs)?;
        alone.push((signal, runs));
    }
    put(figures, "all together", &validated(&sourced, &of_texts())?)?;
    let together = validated_as_shipped(&sourced)?;
    put(figures, "as shipped", &together)?;
    goals(&alone, &together, figures)?;
    curve(&together, figures)?;
    rarer(&together, figures)?;
    let families = held_out::families(&found, &together, figures)?;
    rarer(&families, figures)?;
    held_out::short_forms(settings, &found, figures)?;
    held_out::manner(&found, figures)?;
    for (name, runs) in [
        ("sources held out", &together),
        ("families held out", &families),
    ] {
        held_out::withheld(name, &found, runs, figures)?;
        held_out::confusion(name, &quality(runs), figures)?;
    }
    raters(&sourced, figures)?;
    held_out::kinds("their source", &found, &together, figures)?;
    held_out::kinds("their family", &found, &families, figures)
}

/// Each signal alone, on the fetched and on the shown bodies of the same pairs.
fn on_both_bodies(pairs: &[LabelledPair], figures: &mut Figures<'_>) -> Result<()> {
    let pairs = columns::both(pairs);
    for signal in of_texts() {
        for body in [Body::Fetched, Body::Shown] {
            let runs = columns::validated(&pairs, &[(body, signal)])?;
            let name = format!("{}, {}", signal.name(), columns::name_of(body));
            put(figures, &name, &runs)?;
        }
    }
    Ok(())
}

fn base_rate(pairs: &[SourcedPair], figures: &mut Figures<'_>) -> Result<()> {
    let duplicates = pairs
        .iter()
        .filter(|pair| pair.pair.class.is_duplicate())
        .count();
    let mut sources: BTreeMap<u64, u32> = BTreeMap::new();
    for pair in pairs {
        *sources.entry(pair.source).or_default() += 1;
    }
    let largest = sources.values().max().copied().unwrap_or(0);
    figures.put("pairs", pairs.len() as f64, "")?;
    figures.put(
        "sources, no two with a text in common",
        sources.len() as f64,
        "",
    )?;
    figures.put("pairs of the largest source", f64::from(largest), "")?;
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

/// Precision where duplicates are rarer than among labelled pairs.
fn rarer(runs: &[Validated], figures: &mut Figures<'_>) -> Result<()> {
    for rate in BASE_RATES {
        let name = format!("precision at a base rate of {:.1} %", 100.0 * rate);
        figures.put(&name, quality(runs).precision_at(rate), "")?;
    }
    Ok(())
}

/// Two synthetic raters that each err in one pair of twenty: shows the figures of agreement without real raters.
fn raters(pairs: &[SourcedPair], figures: &mut Figures<'_>) -> Result<()> {
    let labels: Vec<Class> = pairs.iter().map(|pair| pair.pair.class).collect();
    let agreement = Agreement::of_made_raters(&labels);
    figures
        .note("Two raters, made from the labels: each gives any class to one pair of twenty.")?;
    let row = |same: f64, kappa: f64| [("agreed", same, ""), ("kappa", kappa, "")];
    figures.row("made raters, all", &row(agreement.share, agreement.kappa))?;
    for (class, of) in Class::ALL.into_iter().zip(agreement.by_class) {
        if let Some(of) = of {
            let name = format!("made raters, {}", class.name());
            figures.row(&name, &row(of.share, of.kappa))?;
        }
    }
    Ok(())
}
