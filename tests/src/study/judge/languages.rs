//! Huffman et al. 2007, Table 5: what a model trained on one language loses on another.
//!
//! The model is trained on all labelled pairs, which are English, and then on pairs in those languages as well. The
//! test pairs are generated from texts in no training pair, in English and in two [languages derived from it](Tongue).

use anyhow::Result;
use simdex_judge::Signal;
use simdex_judge::evaluation::{Quality, Validated};
use simdex_judge::training::{Growth, LabelledSignals, train};

use super::{labelled, sourced, tenth};
use crate::figure::Figures;
use crate::labelled::{Body, Tongue, generated};
use crate::study::Settings;

/// The test texts.
const SEED: u64 = 2107;
/// Texts that are tested on.
const TEXTS: u64 = 80;

/// Precision, recall and F1 by language.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let english = labelled(settings, figures)?;
    let mut all = english.clone();
    for (seed, tongue) in (SEED + 1..).zip([Tongue::Unlisted, Tongue::Ideographs]) {
        all.extend(generated::pairs(seed, TEXTS, tongue));
    }
    let [english, all] = [english, all].map(|pairs| sourced(&pairs, Body::Shown));
    let as_shipped = Growth::default;
    let hash = || Growth::of(vec![Signal::SimhashDistance]);
    for (name, learned, growth) in [
        ("as shipped", &english, as_shipped()),
        ("learned from all", &all, as_shipped()),
        ("hash", &english, hash()),
    ] {
        let learned: Vec<LabelledSignals> = learned.iter().map(|pair| pair.pair).collect();
        let model = train(&learned, &growth, "", "")?;
        let mut own = None;
        for (tongue, language) in [
            (Tongue::English, "English"),
            (Tongue::Unlisted, "no word listed"),
            (Tongue::Ideographs, "ideographs"),
        ] {
            let pairs = sourced(&generated::pairs(SEED, TEXTS, tongue), Body::Shown);
            let quality = Validated::of(&model, &pairs).quality;
            let lost = 100.0 * (own.get_or_insert(quality).f1() - quality.f1());
            put(figures, &format!("{name}: {language}"), &quality, lost)?;
        }
    }
    Ok(figures
        .note("The languages are made; the paper: 84.0 in English, 83.8 British, 67.6 Chinese.")?)
}

fn put(figures: &mut Figures<'_>, name: &str, quality: &Quality, lost: f64) -> Result<()> {
    let columns = [
        ("P", tenth(100.0 * quality.precision()), ""),
        ("R", tenth(100.0 * quality.recall()), ""),
        ("F", tenth(100.0 * quality.f1()), ""),
        ("lost", tenth(lost), ""),
        ("pairs", f64::from(quality.pairs()), ""),
    ];
    Ok(figures.row(name, &columns)?)
}
