//! Adaptive sampling after Ye, Wen and Ma 2008, §6, with a cut of its own in each group: what a sample shows as
//! similar from a resemblance below the threshold on is found, so that chance costs precision and not recall.
//!
//! The paper cuts at the threshold itself: a pair just above it falls below in half of all samples, whatever the ratio.
//! Here each group of sizes gets the coarsest ratio, and of it the lowest cut, at which pairs that are found, not
//! verified, are similar as often as required and are nearly all of those that are.

use std::collections::BTreeMap;

use anyhow::Result;

use super::pair_counts::PairCounts;
use super::ye::{groups, name, pairs, pairs_by_group, signed_by};
use crate::figure::Figures;
use crate::study::Settings;

const THRESHOLD: f64 = 0.6;
const PRECISION: f64 = 0.8;
const RECALL: f64 = 0.98;
/// Where pairs may be cut, the highest first.
const CUTS: [f64; 11] = [
    0.6, 0.58, 0.56, 0.54, 0.53, 0.52, 0.51, 0.5, 0.475, 0.45, 0.4,
];
/// The coarsest first.
const RATIOS: [u64; 5] = [32, 16, 8, 4, 2];
/// Samples of each ratio, one a remainder.
const TRIALS: u64 = 4;
/// What the paper's collection holds of its shingles in documents under 500 words.
const SHARE_OF_SHORT: f64 = 0.17;

/// For each group, what it comes to at each ratio, by the cuts of [`CUTS`].
type Measured = BTreeMap<usize, BTreeMap<u64, Vec<PairCounts>>>;

/// Two settings: every group as complete as required, and all together.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let groups = groups(settings)?;
    let exact = signed_by(&groups, 1, 0)?;
    let truth = pairs_by_group(&exact)?;
    let mut measured = Measured::new();
    for n in RATIOS {
        for remainder in 0..TRIALS.min(n) {
            for (group, signed) in &signed_by(&groups, n, remainder)? {
                let sampled = pairs(signed)?;
                let of_group = measured.entry(*group).or_default().entry(n);
                let counts = of_group.or_insert_with(|| vec![PairCounts::default(); CUTS.len()]);
                for (cut, counts) in CUTS.iter().zip(counts) {
                    counts.add(counted(&truth[group], &sampled, *cut));
                }
            }
        }
    }
    let shingles =
        |group: &usize| -> f64 { exact[group].iter().map(|signed| signed.len() as f64).sum() };
    let sizes = groups
        .keys()
        .map(|group| (*group, shingles(group)))
        .collect();
    figures.note("every group precise and complete")?;
    tell(&sizes, &setting(&measured, RECALL), figures)?;
    figures.note("every group precise, and as complete as the coarsest ratios allow")?;
    for n in [16, 8] {
        let mut chosen = setting(&measured, 0.0);
        chosen.extend(lowest(&measured[&0][&n]).map(|choice| (0, Choice { n, ..choice })));
        tell(&sizes, &chosen, figures)?;
    }
    Ok(figures.note(
        "to reach: precision 0.8 and recall 0.98 at threshold 0.6, at most 8 % kept at the paper's sizes, 4.8 % with 1/32",
    )?)
}

/// How a group is sampled, and what comes of it.
#[derive(Clone, Copy)]
struct Choice {
    n: u64,
    cut: f64,
    found: PairCounts,
}

/// The pairs of one sample, where those from `cut` on are found.
fn counted(truth: &[f64], sampled: &[f64], cut: f64) -> PairCounts {
    let mut counts = PairCounts::default();
    for (truth, sampled) in truth.iter().zip(sampled) {
        counts.add_pair(*truth >= THRESHOLD, *sampled >= cut);
    }
    counts
}

/// The lowest cut that is precise, which misses least.
fn lowest(by_cut: &[PairCounts]) -> Option<Choice> {
    let cuts = CUTS.iter().zip(by_cut).rev();
    let mut precise = cuts.filter(|(_, found)| found.meets(PRECISION, 0.0));
    precise.next().map(|(cut, found)| Choice {
        n: 1,
        cut: *cut,
        found: *found,
    })
}

/// For each group the coarsest ratio that is precise, and complete, at some cut, and of its cuts the lowest that is precise.
fn setting(measured: &Measured, recall: f64) -> BTreeMap<usize, Choice> {
    let groups = measured.iter().filter_map(|(group, by_ratio)| {
        let ratios = RATIOS
            .iter()
            .filter_map(|n| Some((*n, lowest(by_ratio.get(n)?)?)));
        let mut complete = ratios.filter(|(_, choice)| choice.found.meets(PRECISION, recall));
        let (n, choice) = complete.next()?;
        Some((*group, Choice { n, ..choice }))
    });
    groups.collect()
}

fn tell(
    sizes: &BTreeMap<usize, f64>,
    chosen: &BTreeMap<usize, Choice>,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let (mut all, mut kept, mut long) = (PairCounts::default(), 0.0, 0.0);
    let total: f64 = sizes.values().sum();
    let of_long = total - sizes.get(&0).copied().unwrap_or_default();
    for (group, shingles) in sizes {
        let n = chosen.get(group).map_or(1, |choice| choice.n);
        kept += shingles / n as f64;
        long += if *group > 0 { shingles / n as f64 } else { 0.0 };
        let Some(choice) = chosen.get(group) else {
            figures.note(&format!("{}: no ratio meets both", name(*group)))?;
            continue;
        };
        all.add(choice.found);
        let columns = [
            ("1 in", n as f64, ""),
            ("cut", choice.cut, ""),
            ("precision", choice.found.precision(), ""),
            ("recall", choice.found.recall(), ""),
        ];
        figures.row(&name(*group), &columns)?;
    }
    let short = chosen.get(&0).map_or(1, |choice| choice.n);
    let as_in_paper = SHARE_OF_SHORT / short as f64 + (1.0 - SHARE_OF_SHORT) * long / of_long;
    let columns = [
        ("precision", all.precision(), ""),
        ("recall", all.recall(), ""),
        ("shingles kept", 100.0 * kept / total, "%"),
        ("at the paper's sizes", 100.0 * as_in_paper, "%"),
    ];
    Ok(figures.row("all", &columns)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_cut_that_is_precise_misses_least() {
        let truth = [0.9, 0.62, 0.61, 0.6, 0.6, 0.5, 0.2];
        let by_cut = |sample: [f64; 7]| CUTS.map(|cut| counted(&truth, &sample, cut));
        let blurred = [0.9, 0.66, 0.57, 0.61, 0.6, 0.45, 0.1];
        let chosen = lowest(&by_cut(blurred)).unwrap();
        assert!((chosen.cut - 0.4).abs() < 1e-12, "five of six are similar");
        assert_eq!(chosen.found.recall(), 1.0);
        let drowned = [0.9, 0.5, 0.5, 0.5, 0.5, 0.9, 0.9];
        assert!(lowest(&by_cut(drowned)).is_none());
    }
}
