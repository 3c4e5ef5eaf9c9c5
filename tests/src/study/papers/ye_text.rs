//! Figures that stand in the text of Ye, Wen and Ma 2008: precision at one ratio (§1), and what earlier work saved,
//! whose price nobody had measured (§2.1, §4.5, §5.1).
//!
//! Broder et al. 1997 keep one shingle of 25, 400 a document at most, and drop those of more than 1,000 documents (100
//! here); Heintze 1996 keeps the smallest N and drops frequent ones; super-shingles (Fetterly et al. 2003) only name
//! candidates, which are told as they are and as verified on all shingles, and they "do not work well for small documents". Pairs within groups of sizes,
//! against exact resemblance, as in the other studies of this paper; a ratio is measured by all its samples, one a
//! remainder.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use simdex_signature::laboratory::{
    Method, Recipe, RecipeSignature, ShingleUnit, Shingling, Signer, is_candidate,
};

use super::pair_counts::PairCounts;
use super::ye::{groups, name, pairs_by_group, signed_by};
use super::{Text, draw, series};
use crate::figure::Figures;
use crate::study::Settings;

const THRESHOLDS: [f64; 2] = [0.6, 0.85];
/// A common shingle stands in more documents: 1,000 of 30 million there, fewer of some 5,000 here.
const COMMON: u32 = 100;

/// The fingerprints of the shingles of each document, ascending, by group.
type Kept = BTreeMap<usize, Vec<Vec<u64>>>;

/// What is kept of a document.
struct Economy {
    name: &'static str,
    /// The modulus: one shingle in this many is kept.
    ratio: u64,
    /// The smallest of them, at most.
    most: usize,
    /// Shingles of many documents are dropped.
    drops_common: bool,
}

const fn economy(name: &'static str, ratio: u64, most: usize, drops_common: bool) -> Economy {
    Economy {
        name,
        ratio,
        most,
        drops_common,
    }
}

const ECONOMIES: [Economy; 7] = [
    economy("1 of 16", 16, usize::MAX, false),
    economy("1 of 25", 25, usize::MAX, false),
    economy("common dropped", 1, usize::MAX, true),
    economy("Broder: 1 of 25, 400", 25, 400, false),
    economy("and common dropped", 25, 400, true),
    economy("Heintze: 100 smallest", 1, 100, false),
    economy("and common dropped", 1, 100, true),
];

/// A row for each economy and threshold, then super-shingles by group.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let groups = groups(settings)?;
    let exact = signed_by(&groups, 1, 0)?;
    let truth = pairs_by_group(&exact)?;
    let all: Kept = exact
        .iter()
        .map(|(group, signed)| (*group, signed.iter().map(numbers).collect()))
        .collect();
    let documents = documents(&all);
    for economy in &ECONOMIES {
        let counts = counted(&all, economy, &documents, &truth);
        for (threshold, [short, whole]) in THRESHOLDS.into_iter().zip(counts) {
            let columns = [
                ("precision under 500 words", short.precision(), ""),
                ("overall", whole.precision(), ""),
                ("recall under 500 words", short.recall(), ""),
                ("overall", whole.recall(), ""),
            ];
            figures.row(&format!("{}, at {threshold}", economy.name), &columns)?;
        }
    }
    figures.note("the paper: 1 of 16 at 0.85 has precision 0.57 under 500 words and 0.70 overall; 1 of 25 at most 0.55 under 500 words")?;
    super_shingles(settings, &groups, &truth, figures)
}

fn numbers(signed: &RecipeSignature) -> Vec<u64> {
    signed.units().into_iter().map(|unit| unit.0).collect()
}

/// How many documents hold each shingle.
fn documents(all: &Kept) -> HashMap<u64, u32> {
    let mut documents = HashMap::new();
    for shingle in all.values().flatten().flatten() {
        *documents.entry(*shingle).or_default() += 1;
    }
    documents
}

/// The pairs under 500 words and all pairs, over all samples, for each threshold.
fn counted(
    all: &Kept,
    economy: &Economy,
    documents: &HashMap<u64, u32>,
    truth: &BTreeMap<usize, Vec<f64>>,
) -> [[PairCounts; 2]; 2] {
    let mut counted = [[PairCounts::default(); 2]; 2];
    for remainder in 0..economy.ratio {
        for (group, of_group) in &kept(all, economy, remainder, documents) {
            let seeming = resemblances(of_group, economy.most);
            for (truth, seeming) in truth[group].iter().zip(seeming) {
                for (threshold, [short, whole]) in THRESHOLDS.iter().zip(&mut counted) {
                    let (is_similar, is_found) = (truth >= threshold, seeming >= *threshold);
                    whole.add_pair(is_similar, is_found);
                    if *group == 0 {
                        short.add_pair(is_similar, is_found);
                    }
                }
            }
        }
    }
    counted
}

fn kept(all: &Kept, economy: &Economy, remainder: u64, documents: &HashMap<u64, u32>) -> Kept {
    let is_kept = |shingle: &u64| {
        let is_common = economy.drops_common && documents[shingle] > COMMON;
        shingle % economy.ratio == remainder && !is_common
    };
    let of_text = |text: &Vec<u64>| -> Vec<u64> {
        let kept = text.iter().copied().filter(is_kept);
        kept.take(economy.most).collect()
    };
    all.iter()
        .map(|(group, texts)| (*group, texts.iter().map(of_text).collect()))
        .collect()
}

/// The resemblance that all pairs seem to have, in the order of [`ye::pairs`](super::ye::pairs).
fn resemblances(texts: &[Vec<u64>], most: usize) -> impl Iterator<Item = f64> + '_ {
    let all = (0..texts.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    all.map(move |(a, b)| resemblance(&texts[a], &texts[b], most))
}

/// The share of the smallest of both together that is in both.
fn resemblance(a: &[u64], b: &[u64], most: usize) -> f64 {
    let (mut at_a, mut at_b, mut union, mut shared) = (0, 0, 0, 0);
    while union < most && at_a < a.len() && at_b < b.len() {
        let (of_a, of_b) = (a[at_a], b[at_b]);
        at_a += usize::from(of_a <= of_b);
        at_b += usize::from(of_b <= of_a);
        shared += usize::from(of_a == of_b);
        union += 1;
    }
    let rest = (a.len() - at_a) + (b.len() - at_b);
    union += rest.min(most - union);
    match union {
        0 => 0.0,
        union => shared as f64 / union as f64,
    }
}

/// Which pairs super-shingles make candidates of, by group.
fn super_shingles(
    settings: &Settings,
    groups: &BTreeMap<usize, Vec<Text>>,
    truth: &BTreeMap<usize, Vec<f64>>,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let signer = Signer::new(Recipe {
        method: Method::SuperShingles,
        shingling: Shingling::new(ShingleUnit::Words, 5, 1)?,
    })?;
    let mut lines = [
        ("recall at 0.85", Vec::new()),
        ("recall at 0.95", Vec::new()),
        ("precision at 0.85, not verified", Vec::new()),
    ];
    for (at, (group, texts)) in (0..).zip(groups) {
        let signed: Vec<RecipeSignature> =
            texts.iter().map(|text| signer.sign(&text.text)).collect();
        let mut counts = [PairCounts::default(); 2];
        let all = (0..signed.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        for ((a, b), truth) in all.zip(&truth[group]) {
            let is_found = is_candidate(&signed[a], &signed[b])?;
            for (counts, threshold) in counts.iter_mut().zip([0.85, 0.95]) {
                counts.add_pair(*truth >= threshold, is_found);
            }
        }
        let columns = [
            ("candidates", counts[0].found(), ""),
            ("recall at 0.85", counts[0].recall(), ""),
            ("at 0.95", counts[1].recall(), ""),
            ("precision at 0.85", counts[0].precision(), ""),
            ("pairs after verification", counts[0].right(), ""),
        ];
        for (column, (_, points)) in columns[1..].iter().zip(&mut lines) {
            points.push((f64::from(at), column.1));
        }
        figures.row(&format!("super-shingles, {}", name(*group)), &columns)?;
    }
    let lines = lines.into_iter().map(|(name, points)| series(name, points));
    draw(
        settings,
        "ye-text",
        "Super-shingles by size of the documents",
        (
            "group of sizes: under 500 words, 500 to 1,000, by thousands",
            "share",
        ),
        lines.collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn economies_keep_the_smallest_multiples_that_are_not_common() {
        let texts: Vec<Vec<u64>> = (0..=u64::from(COMMON))
            .map(|text| vec![50, 75 + text % 2, 1_000 + 25 * text])
            .collect();
        let all = Kept::from([(0, texts)]);
        let documents = documents(&all);
        let of = |drops_common| {
            kept(&all, &economy("", 25, 2, drops_common), 0, &documents)[&0][2].clone()
        };
        assert_eq!((of(false), of(true)), (vec![50, 75], vec![75, 1_050]));
    }

    #[test]
    fn of_the_smallest_of_both_those_in_both_are_counted() {
        let (a, b) = (vec![1, 2, 3, 9], vec![2, 3, 4]);
        assert!((resemblance(&a, &b, usize::MAX) - 0.4).abs() < 1e-12);
        // 1, 2, 3: two of them in both.
        assert!((resemblance(&a, &b, 3) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(resemblance(&[], &[], 3), 0.0);
        assert_eq!(resemblance(&a, &[], 3), 0.0);
    }
}
