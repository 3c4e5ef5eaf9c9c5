//! Adaptive sampling after Ye, Wen and Ma 2008, §6, with a cut of its own in each group: what a sample shows as
//! similar from a resemblance below the threshold on is found, so that chance costs precision and not recall.
//!
//! The paper cuts at the threshold itself: a pair just above it falls below in half of all samples, whatever the ratio.
//! Two ways of choosing. Each group of sizes gets the coarsest ratio, and of it the lowest cut, at which pairs that are
//! found, not verified, are similar as often as required and are nearly all of those that are. Or documents under 500
//! words and all others get a ratio and a cut each: of those that keep no more shingles than allowed at the paper's mix
//! of sizes, those that exceed what is required by most. Either is chosen on one half of the documents and scored on the other, all versions of a document in one half;
//! then the halves change places. A ratio is measured by all its samples, one a remainder.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Text;
use super::pair_counts::PairCounts;
use super::ye::{SHARE_OF_SHORT, groups, name, pairs, pairs_by_group, signed_by};
use crate::figure::Figures;
use crate::plot::Series;
use crate::study::Settings;

const THRESHOLD: f64 = 0.6;
const PRECISION: f64 = 0.8;
const RECALL: f64 = 0.98;
/// Where pairs may be cut, the highest first.
const CUTS: [f64; 11] = [
    0.6, 0.58, 0.56, 0.54, 0.53, 0.52, 0.51, 0.5, 0.475, 0.45, 0.4,
];
/// The coarsest first; without sampling every group is precise and complete.
const RATIOS: [u64; 6] = [32, 16, 8, 4, 2, 1];
/// What the paper's collection holds of its documents in documents under 500 words.
const DOCUMENTS_SHORT: f64 = 0.68;

/// What a setting may not exceed.
#[derive(Clone, Copy)]
struct Limits {
    /// The coarsest ratio, as its n.
    coarsest: u64,
    /// The shingles kept at the paper's mix of sizes, in percent.
    kept: f64,
}

/// The paper's limits: 8 % of the shingles, and 4.8 % where 1/32 is allowed.
const LIMITS: [Limits; 2] = [
    Limits {
        coarsest: 16,
        kept: 8.0,
    },
    Limits {
        coarsest: 32,
        kept: 4.8,
    },
];

/// The results of each group at each ratio, by the cuts of [`CUTS`].
type Measured = BTreeMap<usize, BTreeMap<u64, Vec<PairCounts>>>;
type Groups = BTreeMap<usize, Vec<Text>>;

/// Half of the documents: what they come to, and how many shingles each group has.
struct Half {
    measured: Measured,
    sizes: BTreeMap<usize, f64>,
}

/// The two halves, for each coarsest ratio and each way of choosing.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let [first, second] = halves(groups(settings)?);
    let halves = [measured(&first)?, measured(&second)?];
    let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for limits in LIMITS {
        for (way, choose) in [
            ("by group", by_group as fn(&Half, Limits) -> Setting),
            ("at the paper's mix", at_mix),
        ] {
            figures.note(&format!("1/{} at most, chosen {way}", limits.coarsest))?;
            let mut scores = Score::default();
            for [ours, other] in [[0, 1], [1, 0]] {
                let chosen = choose(&halves[ours], limits);
                scores.add(&tell(&halves[other], &chosen, figures)?);
            }
            scores.show(figures, limits.kept)?;
            let point = (scores.at_paper() / 2.0, scores.recall());
            points.entry(way).or_default().push(point);
        }
    }
    figures.note("to reach: precision 0.8 and recall 0.98 at threshold 0.6, at most 8 % kept at the paper's sizes, 4.8 % with 1/32")?;
    // A line for each way of choosing, from 1/32 at most to 1/16.
    let lines = points.into_iter().map(|(way, points)| Series {
        name: format!("chosen {way}"),
        points: sorted(points),
    });
    let axes = (
        "shingles kept at the paper's sizes, %",
        "recall at the paper's mix",
    );
    super::draw(
        settings,
        "ye-recall",
        "Adaptive sampling, other documents",
        axes,
        lines.collect(),
    )
}

fn sorted(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// The documents of every other family, and the others.
fn halves(groups: Groups) -> [Groups; 2] {
    let mut halves = [Groups::new(), Groups::new()];
    for (group, texts) in groups {
        for text in texts {
            let half =
                usize::from(crate::corpus::Random::new(super::SEED, family(&text)).chance(0.5));
            halves[half].entry(group).or_default().push(text);
        }
    }
    halves
}

/// A number of its own for the versions of one document: they lie in one folder, apart from notes, which have none.
fn family(text: &Text) -> u64 {
    let is_version = text.name.starts_with("versions/");
    let family = text.folder().filter(|_| is_version).unwrap_or(&text.name);
    simdex_signature::Fingerprint::of(family.as_bytes()).0
}

fn measured(groups: &Groups) -> Result<Half> {
    let exact = signed_by(groups, 1, 0)?;
    let truth = pairs_by_group(&exact)?;
    let mut measured = Measured::new();
    for n in RATIOS {
        for remainder in 0..n {
            for (group, signed) in &signed_by(groups, n, remainder)? {
                let sampled = pairs(signed)?;
                let of_group = measured.entry(*group).or_default().entry(n);
                let counts = of_group.or_insert_with(|| vec![PairCounts::default(); CUTS.len()]);
                for (cut, counts) in CUTS.iter().zip(counts) {
                    counts.add(counted(&truth[group], &sampled, *cut));
                }
            }
        }
    }
    // As many trials of every ratio: each weighs as one.
    for (n, counts) in measured.values_mut().flatten() {
        for counts in counts {
            counts.divide(*n as f64);
        }
    }
    let shingles = |signed: &Vec<_>| {
        signed
            .iter()
            .map(|s: &simdex_signature::laboratory::RecipeSignature| s.len() as f64)
            .sum()
    };
    let sizes = exact
        .iter()
        .map(|(group, signed)| (*group, shingles(signed)));
    Ok(Half {
        measured,
        sizes: sizes.collect(),
    })
}

/// How a group is sampled.
#[derive(Clone, Copy)]
struct Choice {
    n: u64,
    /// Which of [`CUTS`].
    cut: usize,
}

/// How each group is sampled.
type Setting = BTreeMap<usize, Choice>;

/// The pairs of one sample, where those from `cut` on are found.
fn counted(truth: &[f64], sampled: &[f64], cut: f64) -> PairCounts {
    let mut counts = PairCounts::default();
    for (truth, sampled) in truth.iter().zip(sampled) {
        counts.add_pair(*truth >= THRESHOLD, *sampled >= cut);
    }
    counts
}

/// The lowest cut that is precise, which misses least; and what comes of it.
fn lowest(n: u64, by_cut: &[PairCounts]) -> Option<(Choice, PairCounts)> {
    let cuts = by_cut.iter().enumerate().rev();
    let mut precise = cuts.filter(|(_, found)| found.meets(PRECISION, 0.0));
    precise
        .next()
        .map(|(cut, found)| (Choice { n, cut }, *found))
}

/// For each group the coarsest ratio that is precise, and complete, at some cut, and of its cuts the lowest that is
/// precise.
fn by_group(half: &Half, limits: Limits) -> Setting {
    let groups = half.measured.iter().filter_map(|(group, by_ratio)| {
        let ratios = RATIOS.iter().filter(|n| **n <= limits.coarsest);
        let mut choices = ratios.filter_map(|n| lowest(*n, by_ratio.get(n)?));
        let (choice, _) = choices.find(|(_, found)| found.meets(PRECISION, RECALL))?;
        Some((*group, choice))
    });
    groups.collect()
}

/// One ratio and cut for documents under 500 words and one for all others: of those that keep no more at the paper's
/// sizes than allowed, those with most to spare of precision and recall at its mix. Empty if none reaches what is
/// required. To keep as little as possible instead would leave nothing to spare for documents of which nothing is known.
fn at_mix(half: &Half, limits: Limits) -> Setting {
    let choices: Vec<Choice> = RATIOS
        .iter()
        .filter(|n| **n <= limits.coarsest)
        .flat_map(|n| (0..CUTS.len()).map(|cut| Choice { n: *n, cut }))
        .collect();
    let pairs = choices
        .iter()
        .flat_map(|short| choices.iter().map(move |long| (*short, *long)));
    let affordable = pairs.filter(|(short, long)| {
        100.0 * (SHARE_OF_SHORT / short.n as f64 + (1.0 - SHARE_OF_SHORT) / long.n as f64)
            <= limits.kept
    });
    let settings = affordable.map(|(short, long)| -> Setting {
        let of = |group: &usize| (*group, if *group == 0 { short } else { long });
        half.measured.keys().map(of).collect()
    });
    let scored = settings.map(|setting| (Score::of(half, &setting).spare(), setting));
    let best = scored
        .filter(|(spare, _)| *spare >= 0.0)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, setting)| setting).unwrap_or_default()
}

/// The quality of a setting on documents by which it was not chosen.
#[derive(Default)]
struct Score {
    short: PairCounts,
    long: PairCounts,
    kept: f64,
    of_short: f64,
    of_long: f64,
    halves: f64,
}

impl Score {
    /// What a setting comes to on a half.
    fn of(half: &Half, chosen: &Setting) -> Self {
        let mut score = Self::default();
        let total: f64 = half.sizes.values().sum();
        let of_long = total - half.sizes.get(&0).copied().unwrap_or_default();
        for (group, shingles) in &half.sizes {
            let Some((choice, found)) = half.found(*group, chosen) else {
                continue;
            };
            let n = choice.n as f64;
            score.kept += shingles / n / total;
            if *group == 0 {
                score.short.add(*found);
                score.of_short = 1.0 / n;
            } else {
                score.long.add(*found);
                score.of_long += shingles / n / of_long;
            }
        }
        score
    }

    fn add(&mut self, other: &Self) {
        self.short.add(other.short);
        self.long.add(other.long);
        self.kept += other.kept;
        self.of_short += other.of_short;
        self.of_long += other.of_long;
        self.halves += 1.0;
    }

    /// Percent, of both halves together.
    fn at_paper(&self) -> f64 {
        100.0 * (SHARE_OF_SHORT * self.of_short + (1.0 - SHARE_OF_SHORT) * self.of_long)
    }

    /// Recall at the paper's mix of documents.
    fn recall(&self) -> f64 {
        DOCUMENTS_SHORT * self.short.recall() + (1.0 - DOCUMENTS_SHORT) * self.long.recall()
    }

    /// Precision at the paper's mix of documents.
    fn precision(&self) -> f64 {
        DOCUMENTS_SHORT * self.short.precision() + (1.0 - DOCUMENTS_SHORT) * self.long.precision()
    }

    /// How far precision and recall are above what is required, as a share of what there is above it; the lesser of
    /// both, negative if one is missed or unknown.
    fn spare(&self) -> f64 {
        let precision = (self.precision() - PRECISION) / (1.0 - PRECISION);
        let recall = (self.recall() - RECALL) / (1.0 - RECALL);
        match precision.is_nan() || recall.is_nan() {
            true => -1.0,
            false => precision.min(recall),
        }
    }

    fn show(&self, figures: &mut Figures<'_>, most: f64) -> Result<()> {
        let mut all = self.short;
        all.add(self.long);
        let columns = [
            ("precision", all.precision(), ""),
            ("recall", all.recall(), ""),
            ("under 500 words precision", self.short.precision(), ""),
            ("recall", self.short.recall(), ""),
            ("shingles kept", 100.0 * self.kept / self.halves, "%"),
        ];
        figures.row("both halves", &columns)?;
        let columns = [
            ("precision", self.precision(), ""),
            ("recall", self.recall(), ""),
            ("shingles kept", self.at_paper() / self.halves, "%"),
            ("to reach", most, "%"),
        ];
        Ok(figures.row("at the paper's mix", &columns)?)
    }
}

/// Scores a setting on a half, and shows its groups.
fn tell(half: &Half, chosen: &Setting, figures: &mut Figures<'_>) -> Result<Score> {
    for group in half.sizes.keys() {
        let Some((choice, found)) = half.found(*group, chosen) else {
            continue;
        };
        let columns = [
            ("1 in", choice.n as f64, ""),
            ("cut", CUTS[choice.cut], ""),
            ("precision", found.precision(), ""),
            ("recall", found.recall(), ""),
        ];
        figures.row(&name(*group), &columns)?;
    }
    Ok(Score::of(half, chosen))
}

impl Half {
    /// How a group is sampled, without sampling if nothing is chosen, and what that finds of it.
    fn found(&self, group: usize, chosen: &Setting) -> Option<(Choice, &PairCounts)> {
        let choice = chosen.get(&group).copied();
        let choice = choice.unwrap_or(Choice { n: 1, cut: 0 });
        let by_cut = self.measured.get(&group)?.get(&choice.n)?;
        Some((choice, by_cut.get(choice.cut)?))
    }
}

#[cfg(test)]
mod tests;
