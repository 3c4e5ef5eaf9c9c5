//! Cherkasova et al. 2009, Fig. 9 and Table 2: pairs of short support notes that each scheme finds
//! similar, by threshold; how many all schemes find, and how many are right.
//!
//! The paper judges pairs by hand. Here a pair is right if the exact resemblance of its word
//! 5-shingles reaches the same threshold, which shares no window and no sampling with the schemes.
//!
//! Beside it stands the edit distance by words, which the paper looks at in doubt (§5: compact for similar documents,
//! large for different ones): words removed and added, of all words of both, for pairs that are right and others; and by
//! it the pairs that are right by their content, whatever shingles say: at most a tenth of their words differ.

use std::collections::BTreeSet;

use anyhow::Result;
use simdex_signature::align::word_count;
use simdex_signature::laboratory::{
    Method, Recipe, RecipeSignature, ShingleUnit, Shingling, Signer,
};

use simdexd::read_side::difference::words::WordDifference;

use super::{Text, draw, mean, series, signed, signer, similar, texts};
use crate::figure::Figures;
use crate::study::Settings;

const THRESHOLDS: [f64; 6] = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const SCHEMES: [Method; 4] = [
    Method::mod_n(100),
    Method::min_n(100),
    Method::sketch_n(100),
    Method::BswN { n: 100 },
];

type Pair = (usize, usize);

/// A number of pairs by threshold, percent.
type Points = Vec<(f64, f64)>;

/// Runs the experiment on both collections.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    for collection in ["cpp-docs", "rustsec"] {
        let texts = texts(settings, &format!("short/{collection}"), "md")?;
        figures.note(&format!("{collection}: {} documents", texts.len()))?;
        let shingling = Shingling::new(ShingleUnit::Words, 5, 1)?;
        let truth = Signer::new(Recipe {
            method: Method::mod_n(1),
            shingling,
        })?;
        let truth = by_threshold(&signed(&truth, &texts))?;
        let (mut lines, mut table) = (Vec::new(), Vec::new());
        for method in SCHEMES {
            let (above, counts) = found_by(method, &texts, &truth[3], figures)?;
            lines.push(series(method.to_string(), counts));
            table.push(above);
        }
        summary(&table, &truth[3], figures)?;
        let axes = ("threshold, %", "pairs");
        draw(
            settings,
            &format!("cherkasova-fig9-{collection}"),
            collection,
            axes,
            lines,
        )?;
    }
    Ok(figures.note("the paper above 70 %: Mod 61, Min 25, Sketch 17, BSW 20 of 65, 12 by all; 75, 65, 49, 55 of 81, 45 by all")?)
}

/// The pairs above 70 % that a scheme finds, and how many it finds above each threshold; `truth` are those that are right.
fn found_by(
    method: Method,
    texts: &[Text],
    truth: &BTreeSet<Pair>,
    figures: &mut Figures<'_>,
) -> Result<(BTreeSet<Pair>, Points)> {
    let found = signed(&signer(method, 20)?, texts);
    let entries: Vec<f64> = found.iter().map(|s| s.len() as f64).collect();
    let found = by_threshold(&found)?;
    let counts = found.each_ref().map(|pairs| pairs.len() as f64);
    let points = THRESHOLDS.iter().zip(counts);
    let points = points.map(|(t, count)| (100.0 * t, count)).collect();
    let edited = |pairs: Vec<&Pair>| {
        let shares = pairs.iter().map(|(a, b)| edited(&texts[*a], &texts[*b]));
        100.0 * mean(&shares.collect::<Vec<_>>())
    };
    let [_, _, _, above, ..] = found;
    let right: Vec<&Pair> = above.intersection(truth).collect();
    let is_same = |(a, b): &&Pair| self::edited(&texts[*a], &texts[*b]) <= 0.1;
    let same = above.iter().filter(is_same).count();
    let columns = [
        ("entries", mean(&entries), ""),
        ("pairs above 40", counts[0], ""),
        ("50", counts[1], ""),
        ("60", counts[2], ""),
        ("70", counts[3], ""),
        ("80", counts[4], ""),
        ("90", counts[5], ""),
        ("right above 70", right.len() as f64, ""),
        ("of one text but for 1 word in 10", same as f64, ""),
        ("words edited", edited(right), "%"),
        (
            "of the others",
            edited(above.difference(truth).collect()),
            "%",
        ),
    ];
    figures.row(&method.to_string(), &columns)?;
    Ok((above, points))
}

/// The share of the words of two texts that one of them lacks in that place.
fn edited(a: &Text, b: &Text) -> f64 {
    let extent = WordDifference::between(&a.text, &b.text).extent;
    let words = word_count(&a.text) + word_count(&b.text);
    (extent.removed + extent.added) as f64 / words.max(1) as f64
}

/// The pairs that reach each threshold.
fn by_threshold(signed: &[RecipeSignature]) -> Result<[BTreeSet<Pair>; 6]> {
    let mut found: [BTreeSet<Pair>; 6] = Default::default();
    for b in 0..signed.len() {
        for a in 0..b {
            let similar = similar(&signed[a], &signed[b])?;
            let reached = THRESHOLDS
                .iter()
                .zip(&mut found)
                .filter(|(t, _)| similar >= **t);
            reached.for_each(|(_, pairs)| {
                pairs.insert((a, b));
            });
        }
    }
    Ok(found)
}

fn summary(
    table: &[BTreeSet<Pair>],
    truth: &BTreeSet<Pair>,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let any: BTreeSet<Pair> = table.iter().flatten().copied().collect();
    let by_all = any
        .iter()
        .filter(|pair| table.iter().all(|found| found.contains(pair)));
    let columns = [
        ("by any", any.len() as f64, ""),
        ("by all", by_all.count() as f64, ""),
        ("right", any.intersection(truth).count() as f64, ""),
        ("exact in words", truth.len() as f64, ""),
    ];
    Ok(figures.row("pairs above 70 %", &columns)?)
}
