//! Ye, Wen and Ma 2008: how precision and recall of sampling depend on threshold, ratio and size of
//! the documents, and adaptive sampling, which follows from it (§5, §6).
//!
//! Departure: a shingle is a fingerprint of 64 bits, the paper's an MD5 of 128. As in the paper: word 10-shingles, exact duplicates removed first, groups by number of words,
//! pairs within a group; the truth is the same comparison without sampling; at ratio 1/n the average
//! of n trials, one a remainder (§4.4), with their standard deviation. The collection is ours: notes, policies and their versions,
//! long texts; a group without a true pair has no recall, one without a found pair no precision.

use std::collections::BTreeMap;

use anyhow::Result;
use simdex_signature::laboratory::{
    Method, Recipe, RecipeSignature, ShingleUnit, Shingling, Signer,
};

use super::pair_counts::PairCounts;
use super::{Text, draw, mean, series, similar, texts, thinned};
use crate::figure::Figures;
use crate::plot::Series;
use crate::study::Settings;

/// Words of the smallest document of each group but the first.
const GROUPS: [usize; 10] = [
    500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000,
];
const THRESHOLDS: [f64; 11] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99];
/// The ones that tables show.
const SHOWN: [f64; 4] = [0.6, 0.85, 0.95, 0.99];
/// What the paper's collection holds of its shingles in documents under 500 words (Table 3).
pub(super) const SHARE_OF_SHORT: f64 = 0.17;
/// What Fig. 4 may choose from, the coarsest first; the paper's figure begins with the second.
const RATIOS: [u64; 5] = [32, 16, 8, 4, 2];

/// Fig. 1 and Table 3: the sizes of the documents.
pub(crate) fn table3(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let groups = groups(settings)?;
    let (mut documents, mut shingles) = (0.0, 0.0);
    let signer = signer(1, 0)?;
    let mut rows = Vec::new();
    let mut sizes = Vec::new();
    for (group, texts) in &groups {
        let count: usize = texts.iter().map(|text| signer.sign(&text.text).len()).sum();
        rows.push((*group, texts.len() as f64, count as f64));
        (documents, shingles) = (documents + texts.len() as f64, shingles + count as f64);
        sizes.extend(texts.iter().map(|text| text.text.split(' ').count()));
    }
    for (group, in_group, of_group) in rows {
        let columns = [
            ("documents", in_group, ""),
            ("of all", 100.0 * in_group / documents, "%"),
            ("shingles", of_group, ""),
            ("of all", 100.0 * of_group / shingles, "%"),
        ];
        figures.row(&name(group), &columns)?;
    }
    figures.note("the paper, under 500 words: 68 % of the documents, 17 % of the shingles")?;
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let points = (1..)
        .zip(sizes)
        .map(|(rank, words)| (f64::from(rank).log10(), (words.max(1) as f64).log10()));
    let line = series("documents", thinned(points.collect()));
    let axes = ("log10 of the rank", "log10 of the words");
    draw(
        settings,
        "ye-fig1",
        "Sizes of the documents",
        axes,
        vec![line],
    )
}

/// Fig. 2: precision by threshold, and the figures in the text.
pub(crate) fn fig2(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let groups = groups(settings)?;
    for n in [4, 16, 25] {
        let lines = by_threshold(&groups, n, |trials| &trials.precision, figures)?;
        let title = format!("Precision at ratio 1/{n}");
        draw(
            settings,
            &format!("ye-fig2-{n}"),
            &title,
            ("threshold", "precision"),
            lines,
        )?;
    }
    figures.note("the paper at 1/16 and 0.85: 0.57 under 500 words, 0.70 overall; at 1/25 at most 0.55 under 500 words")?;
    Ok(())
}

/// Fig. 3: recall by threshold at 1/16.
pub(crate) fn fig3(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let lines = by_threshold(&groups(settings)?, 16, |trials| &trials.recall, figures)?;
    figures.note("the paper: above 0.6 in every group")?;
    draw(
        settings,
        "ye-fig3",
        "Recall at ratio 1/16",
        ("threshold", "recall"),
        lines,
    )
}

/// Fig. 4: per group the smallest ratio that meets a precision, and the share of shingles kept; with 1/16 as the
/// smallest, as in the paper's figure, and with 1/32.
pub(crate) fn fig4(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let groups = groups(settings)?;
    let shares = shares(&groups)?;
    let tables: Result<Vec<_>> = RATIOS.iter().map(|&n| measured(&groups, n)).collect();
    let tables = tables?;
    let mut lines = Vec::new();
    for (at, finer) in [(2, 1), (7, 1), (2, 0), (7, 0)] {
        let (threshold, coarsest) = (THRESHOLDS[at], RATIOS[finer]);
        let mut points = Vec::new();
        for required in [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99] {
            let by_group = adapted(&tables[finer..], &RATIOS[finer..], at, required);
            let kept = |at: usize| -> f64 {
                let kept = by_group
                    .iter()
                    .map(|(group, n)| shares[group][at] / *n as f64);
                100.0 * kept.sum::<f64>()
            };
            points.push((required, kept(0)));
            if required == 0.8 || required == 0.85 {
                let name = format!("1/{coarsest}: kept, precision {required} at {threshold}");
                figures.put(&name, kept(0), "%")?;
                figures.put("  at the paper's sizes", kept(1), "%")?;
                let ratios = by_group.values().map(|n| format!("1/{n}"));
                let ratios = ratios.collect::<Vec<_>>().join(" ");
                figures.note(&format!("  ratios by group: {ratios}"))?;
            }
        }
        let name = format!("threshold {threshold}, 1/{coarsest} at most");
        lines.push(series(name, points));
    }
    figures.note("the paper: 8 % at precision 0.8 and threshold 0.6 (4.72 % with 1/32), 5.55 % at 0.85 and 0.85")?;
    draw(
        settings,
        "ye-fig4",
        "Adaptive sampling",
        ("precision required", "shingles kept, %"),
        lines,
    )
}

/// The share of all shingles that each group has: here, and where documents under 500 words have as many as in the
/// paper's collection.
fn shares(groups: &BTreeMap<usize, Vec<Text>>) -> Result<BTreeMap<usize, [f64; 2]>> {
    let exact = signed_by(groups, 1, 0)?;
    let sizes = exact.iter().map(|(group, signed)| {
        let shingles = signed.iter().map(|signed| signed.len() as f64);
        (*group, shingles.sum::<f64>())
    });
    let sizes: BTreeMap<usize, f64> = sizes.collect();
    let all: f64 = sizes.values().sum();
    let long = all - sizes.get(&0).copied().unwrap_or_default();
    let shares = sizes.into_iter().map(|(group, size)| {
        let there = match group {
            0 => SHARE_OF_SHORT,
            _ => (1.0 - SHARE_OF_SHORT) * size / long,
        };
        (group, [size / all, there])
    });
    Ok(shares.collect())
}

/// For each group the coarsest ratio that is precise enough at a threshold, 1 if none is.
fn adapted(
    tables: &[BTreeMap<usize, Vec<Trials>>],
    ratios: &[u64],
    at: usize,
    required: f64,
) -> BTreeMap<usize, u64> {
    let groups = tables.iter().flat_map(|table| table.keys());
    let groups = groups.filter(|group| **group != ALL).map(|group| {
        let is_met = |table: &BTreeMap<usize, Vec<Trials>>| {
            average(&table[group][at].precision).is_none_or(|found| found >= required)
        };
        let found = tables.iter().zip(ratios).find(|(table, _)| is_met(table));
        (*group, found.map_or(1, |(_, n)| *n))
    });
    groups.collect()
}

pub(super) fn name(group: usize) -> String {
    if group == ALL {
        return "overall".to_owned();
    }
    match (
        group.checked_sub(1).and_then(|at| GROUPS.get(at)),
        GROUPS.get(group),
    ) {
        (None, Some(most)) => format!("under {most} words"),
        (Some(least), Some(most)) => format!("{least} to {most} words"),
        (least, None) => format!("from {} words", least.unwrap_or(&0)),
    }
}

/// The collection in its groups, each text once.
pub(super) fn groups(settings: &Settings) -> Result<BTreeMap<usize, Vec<Text>>> {
    let mut all = Vec::new();
    for (folder, ending) in [("short", "md"), ("versions", "md"), ("long", "txt")] {
        let mut texts = texts(settings, folder, ending)?;
        for text in &mut texts {
            text.name = format!("{folder}/{}", text.name);
        }
        all.extend(texts);
    }
    all.sort_by(|a, b| a.text.cmp(&b.text));
    all.dedup_by(|a, b| a.text == b.text);
    let mut groups: BTreeMap<usize, Vec<Text>> = BTreeMap::new();
    for text in all {
        let words = text.text.split(' ').count();
        let group = GROUPS.partition_point(|least| *least <= words);
        groups.entry(group).or_default().push(text);
    }
    Ok(groups)
}

fn signer(n: u64, remainder: u64) -> Result<Signer> {
    Ok(Signer::new(Recipe {
        method: Method::ModN { n, remainder },
        shingling: Shingling::new(ShingleUnit::Words, 10, 1)?,
    })?)
}

type Signed = BTreeMap<usize, Vec<RecipeSignature>>;

pub(super) fn signed_by(
    groups: &BTreeMap<usize, Vec<Text>>,
    n: u64,
    remainder: u64,
) -> Result<Signed> {
    let signer = signer(n, remainder)?;
    let signed = groups.iter().map(|(group, texts)| {
        (
            *group,
            texts.iter().map(|text| signer.sign(&text.text)).collect(),
        )
    });
    Ok(signed.collect())
}

/// Trials of one group at one threshold, one a remainder.
#[derive(Clone, Default)]
struct Trials {
    precision: Vec<f64>,
    recall: Vec<f64>,
}

/// The average of trials; `None` where none has a value.
fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean(values))
}

/// The standard deviation of trials.
fn spread(values: &[f64]) -> f64 {
    let mean = mean(values);
    super::root_mean_square(values.iter().map(|value| value - mean))
}

/// Under which all groups stand together.
const ALL: usize = usize::MAX;

/// For each group, and all together, n trials at each threshold.
fn measured(groups: &BTreeMap<usize, Vec<Text>>, n: u64) -> Result<BTreeMap<usize, Vec<Trials>>> {
    let truth = pairs_by_group(&signed_by(groups, 1, 0)?)?;
    let mut measured: BTreeMap<usize, Vec<Trials>> = BTreeMap::new();
    for remainder in 0..n {
        let mut all = vec![PairCounts::default(); THRESHOLDS.len()];
        let mut by_group = BTreeMap::new();
        for (group, signed) in &signed_by(groups, n, remainder)? {
            let sampled = pairs(signed)?;
            let counts = THRESHOLDS.map(|threshold| {
                let mut counts = PairCounts::default();
                for (exact, sampled) in truth[group].iter().zip(&sampled) {
                    counts.add_pair(*exact >= threshold, *sampled >= threshold);
                }
                counts
            });
            all.iter_mut()
                .zip(counts)
                .for_each(|(all, counts)| all.add(counts));
            by_group.insert(*group, counts.to_vec());
        }
        by_group.insert(ALL, all);
        for (group, counts) in by_group {
            let trials = measured
                .entry(group)
                .or_insert_with(|| vec![Trials::default(); THRESHOLDS.len()]);
            for (trials, counts) in trials.iter_mut().zip(counts) {
                trials
                    .precision
                    .extend(counts.finds_any().then(|| counts.precision()));
                trials
                    .recall
                    .extend(counts.has_similar().then(|| counts.recall()));
            }
        }
    }
    Ok(measured)
}

/// The similarity of all pairs, in one order.
pub(super) fn pairs(signed: &[RecipeSignature]) -> Result<Vec<f64>> {
    let all = (0..signed.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    all.map(|(a, b)| similar(&signed[a], &signed[b])).collect()
}

/// The similarity of all pairs of each group, as [`pairs`] orders them.
pub(super) fn pairs_by_group(
    signed: &BTreeMap<usize, Vec<RecipeSignature>>,
) -> Result<BTreeMap<usize, Vec<f64>>> {
    let groups = signed.iter();
    groups
        .map(|(group, signed)| Ok((*group, pairs(signed)?)))
        .collect()
}

fn by_threshold(
    groups: &BTreeMap<usize, Vec<Text>>,
    n: u64,
    measure: impl Fn(&Trials) -> &[f64],
    figures: &mut Figures<'_>,
) -> Result<Vec<Series>> {
    let mut lines = Vec::new();
    for (group, trials) in measured(groups, n)? {
        let of_all = THRESHOLDS.iter().zip(trials.iter().map(&measure));
        let points: Vec<(f64, f64)> = of_all
            .clone()
            .filter_map(|(threshold, trials)| Some((*threshold, average(trials)?)))
            .collect();
        let shown = of_all.filter(|(t, trials)| SHOWN.contains(t) && !trials.is_empty());
        let shown: Vec<(String, f64, f64)> = shown
            .map(|(t, trials)| (format!("at {t}"), mean(trials), spread(trials)))
            .collect();
        let columns: Vec<_> = shown
            .iter()
            .flat_map(|(t, value, spread)| [(t.as_str(), *value, ""), ("±", *spread, "")])
            .collect();
        figures.row(&format!("1/{n}, {}", name(group)), &columns)?;
        lines.push(series(name(group), points));
    }
    Ok(lines)
}
