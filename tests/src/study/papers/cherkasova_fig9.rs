//! Cherkasova et al. 2009, Fig. 9 and Table 2: pairs of short support notes that each scheme finds
//! similar, by threshold; how many all schemes find, and how many are right.
//!
//! The paper judges pairs by hand. Here a pair is right if the exact resemblance of its word
//! 5-shingles reaches the same threshold, which shares no window and no sampling with the schemes.

use std::collections::BTreeSet;

use anyhow::Result;
use simdex_signature::laboratory::{Method, Recipe, ShingleUnit, Shingling, Signature, Signer};

use super::{draw, mean, series, signed, signer, similar, texts};
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
            let found = signed(&signer(method, 20)?, &texts);
            let entries: Vec<f64> = found.iter().map(|s| s.len() as f64).collect();
            let found = by_threshold(&found)?;
            let counts = THRESHOLDS
                .iter()
                .zip(&found)
                .map(|(t, pairs)| (100.0 * t, pairs.len() as f64));
            lines.push(series(method.to_string(), counts.collect()));
            let [_, _, _, above, ..] = &found;
            let right = above.intersection(&truth[3]).count() as f64;
            let counts = found.each_ref().map(|pairs| pairs.len() as f64);
            let columns = [
                ("entries", mean(&entries), ""),
                ("pairs above 40", counts[0], ""),
                ("50", counts[1], ""),
                ("60", counts[2], ""),
                ("70", counts[3], ""),
                ("80", counts[4], ""),
                ("90", counts[5], ""),
                ("right above 70", right, ""),
            ];
            figures.row(&method.to_string(), &columns)?;
            table.push(above.clone());
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

/// The pairs that reach each threshold.
fn by_threshold(signed: &[Signature]) -> Result<[BTreeSet<Pair>; 6]> {
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
