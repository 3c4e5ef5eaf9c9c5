//! Adaptive sampling after Ye, Wen and Ma 2008, §6, with a cut of its own in each group: what a sample shows as
//! similar from a resemblance below the threshold on is found, so that chance costs precision and not recall.
//!
//! The paper cuts at the threshold itself: a pair just above it falls below in half of all samples, whatever the ratio.
//! Here each group of sizes gets the coarsest ratio, and of it the lowest cut, at which pairs that are found, not
//! verified, are similar as often as required and are nearly all of those that are. Both are chosen on one half of the
//! documents and scored on the other, all versions of a document in one half; then the halves change places. A ratio is
//! measured by all its samples, one a remainder.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Text;
use super::pair_counts::PairCounts;
use super::ye::{groups, name, pairs, pairs_by_group, signed_by};
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
/// What the paper's collection holds of its shingles, and of its documents, in documents under 500 words.
const SHARE_OF_SHORT: f64 = 0.17;
const DOCUMENTS_SHORT: f64 = 0.68;

/// The results of each group at each ratio, by the cuts of [`CUTS`].
type Measured = BTreeMap<usize, BTreeMap<u64, Vec<PairCounts>>>;
type Groups = BTreeMap<usize, Vec<Text>>;

/// Half of the documents: what they come to, and how many shingles each group has.
struct Half {
    measured: Measured,
    sizes: BTreeMap<usize, f64>,
}

/// The two halves, for each coarsest ratio and each ratio of short documents.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let [first, second] = halves(groups(settings)?);
    let halves = [measured(&first)?, measured(&second)?];
    let mut points = Vec::new();
    for (coarsest, most) in [(16, 8.0), (32, 4.8)] {
        for of_short in [None, Some(16), Some(8), Some(4)] {
            let short = of_short.map_or("as chosen".to_owned(), |n| format!("1/{n}"));
            figures.note(&format!("1/{coarsest} at most, under 500 words {short}"))?;
            let mut scores = Score::default();
            for [ours, other] in [[0, 1], [1, 0]] {
                let is_shown = of_short.is_none();
                let chosen = setting(&halves[ours].measured, coarsest, of_short);
                let score = tell(&halves[other], &chosen, is_shown.then_some(&mut *figures))?;
                scores.add(&score);
            }
            scores.show(figures, most)?;
            points.push((scores.at_paper() / 2.0, scores.recall()));
        }
    }
    figures.note("to reach: precision 0.8 and recall 0.98 at threshold 0.6, at most 8 % kept at the paper's sizes, 4.8 % with 1/32")?;
    let line = Series {
        name: "settings".to_owned(),
        points: sorted(points),
    };
    let axes = (
        "shingles kept at the paper's sizes, %",
        "recall at the paper's mix",
    );
    super::draw(
        settings,
        "ye-recall",
        "Adaptive sampling, other documents",
        axes,
        vec![line],
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
            .map(|s: &simdex_signature::laboratory::Signature| s.len() as f64)
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

/// How a group is sampled, and what comes of it.
#[derive(Clone, Copy)]
struct Choice {
    n: u64,
    /// Which of [`CUTS`].
    cut: usize,
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
fn lowest(n: u64, by_cut: &[PairCounts]) -> Option<Choice> {
    let cuts = by_cut.iter().enumerate().rev();
    let mut precise = cuts.filter(|(_, found)| found.meets(PRECISION, 0.0));
    precise.next().map(|(cut, found)| Choice {
        n,
        cut,
        found: *found,
    })
}

/// For each group the coarsest ratio that is precise, and complete, at some cut, and of its cuts the lowest that is
/// precise; documents under 500 words by a ratio that is given, at the threshold where no cut is precise.
fn setting(measured: &Measured, coarsest: u64, of_short: Option<u64>) -> BTreeMap<usize, Choice> {
    let groups = measured.iter().filter_map(|(group, by_ratio)| {
        let chosen = match of_short.filter(|_| *group == 0) {
            Some(n) => {
                let by_cut = by_ratio.get(&n)?;
                lowest(n, by_cut).or(by_cut.first().map(|found| Choice {
                    n,
                    cut: 0,
                    found: *found,
                }))
            }
            None => {
                let ratios = RATIOS.iter().filter(|n| **n <= coarsest);
                let mut choices = ratios.filter_map(|n| lowest(*n, by_ratio.get(n)?));
                choices.find(|choice| choice.found.meets(PRECISION, RECALL))
            }
        };
        Some((*group, chosen?))
    });
    groups.collect()
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

    /// The figures for the paper's mix of documents.
    fn recall(&self) -> f64 {
        DOCUMENTS_SHORT * self.short.recall() + (1.0 - DOCUMENTS_SHORT) * self.long.recall()
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
        let precision = DOCUMENTS_SHORT * self.short.precision()
            + (1.0 - DOCUMENTS_SHORT) * self.long.precision();
        let columns = [
            ("precision", precision, ""),
            ("recall", self.recall(), ""),
            ("shingles kept", self.at_paper() / self.halves, "%"),
            ("to reach", most, "%"),
        ];
        Ok(figures.row("at the paper's mix", &columns)?)
    }
}

/// Scores a setting on a half, and shows its groups where they are asked for.
fn tell(
    half: &Half,
    chosen: &BTreeMap<usize, Choice>,
    mut figures: Option<&mut Figures<'_>>,
) -> Result<Score> {
    let mut score = Score::default();
    let total: f64 = half.sizes.values().sum();
    let of_long = total - half.sizes.get(&0).copied().unwrap_or_default();
    for (group, shingles) in &half.sizes {
        let (n, cut) = chosen
            .get(group)
            .map_or((1, 0), |choice| (choice.n, choice.cut));
        let Some(found) = half.measured[group].get(&n).and_then(|cuts| cuts.get(cut)) else {
            continue;
        };
        score.kept += shingles / n as f64 / total;
        if *group == 0 {
            score.short.add(*found);
            score.of_short = 1.0 / n as f64;
        } else {
            score.long.add(*found);
            score.of_long += shingles / n as f64 / of_long;
        }
        if let Some(figures) = figures.as_deref_mut() {
            let columns = [
                ("1 in", n as f64, ""),
                ("cut", CUTS[cut], ""),
                ("precision", found.precision(), ""),
                ("recall", found.recall(), ""),
            ];
            figures.row(&name(*group), &columns)?;
        }
    }
    Ok(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_cut_that_is_precise_misses_least() {
        let truth = [0.9, 0.62, 0.61, 0.6, 0.6, 0.5, 0.2];
        let by_cut = |sample: [f64; 7]| CUTS.map(|cut| counted(&truth, &sample, cut));
        let blurred = [0.9, 0.66, 0.57, 0.61, 0.6, 0.45, 0.1];
        let chosen = lowest(4, &by_cut(blurred)).unwrap();
        assert!(
            (CUTS[chosen.cut] - 0.4).abs() < 1e-12,
            "five of six are similar"
        );
        assert_eq!((chosen.n, chosen.found.recall()), (4, 1.0));
        let drowned = [0.9, 0.5, 0.5, 0.5, 0.5, 0.9, 0.9];
        assert!(lowest(4, &by_cut(drowned)).is_none());
    }

    #[test]
    fn versions_of_one_document_are_in_one_half_and_what_is_chosen_on_the_other_is_scored() {
        let text = |name: &str| Text {
            name: name.to_owned(),
            text: String::new(),
        };
        let versions = (0..9)
            .map(|at| text(&format!("versions/a/{at}.md")))
            .collect();
        let [first, second] = halves(Groups::from([(0, versions)]));
        assert!(first.is_empty() || second.is_empty());
        let notes = (0..99)
            .map(|at| text(&format!("short/a/{at}.md")))
            .collect();
        let [first, second] = halves(Groups::from([(0, notes)]));
        assert!(first[&0].len() > 30 && second[&0].len() > 30);

        let mut counts = PairCounts::default();
        counts.add_pair(true, true);
        let mut poor = counts;
        poor.add_pair(true, false);
        let measured = |at_16| {
            let of_16 = (16, vec![at_16; CUTS.len()]);
            Measured::from([(0, BTreeMap::from([of_16, (1, vec![counts; CUTS.len()])]))])
        };
        let chosen = setting(&measured(counts), 16, None);
        assert_eq!(chosen[&0].n, 16);
        assert_eq!(
            setting(&measured(poor), 16, None)[&0].n,
            1,
            "half is not complete"
        );
        let other = Half {
            measured: measured(poor),
            sizes: BTreeMap::from([(0, 160.0)]),
        };
        let given = setting(&measured(poor), 16, Some(16));
        assert_eq!(given[&0].n, 16, "as given");
        let score = tell(&other, &chosen, None).unwrap();
        assert_eq!((score.short.recall(), score.kept), (0.5, 1.0 / 16.0));
    }
}
