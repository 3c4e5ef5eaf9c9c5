//! The families of functions that Sketch_n was built with: 84 Rabin functions of distinct primitive
//! polynomials (Fetterly et al. 2003), Jenkins' function (Cherkasova et al. 2009), and ours, n bins of
//! one function and n scrambles of one fingerprint. Bias and error against exact resemblance, and
//! speed, on the shorter half of the long texts.

use anyhow::Result;
use simdex_signature::laboratory::{Family, Method};

use super::{
    Edit, draw, edited, mean, resemblances, root_mean_square, series, signed, signer, texts,
};
use crate::figure::{Figures, thread_seconds};
use crate::near_duplicates::Spread;
use crate::study::Settings;

const FAMILIES: [(&str, Family); 5] = [
    ("bins", Family::Bins),
    ("scrambles", Family::Scrambles { seed: 1 }),
    ("matrices", Family::Matrices { seed: 1 }),
    ("Rabin", Family::Rabin),
    ("Jenkins", Family::Jenkins { seed: 1 }),
];

/// A row a family and window.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut texts = texts(settings, "long", "txt")?;
    texts.truncate(texts.len() / 2);
    let copies = edited(&texts, Edit::Insert, 50, Spread::Random);
    let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
    let mut lines = FAMILIES.map(|(name, _)| series(name, Vec::new()));
    for window in [5, 20] {
        let exact = signer(Method::mod_n(1), window)?;
        let exact = resemblances(&exact, &signed(&exact, &texts), &copies)?;
        for ((name, family), line) in FAMILIES.into_iter().zip(&mut lines) {
            let signer = signer(Method::SketchN { n: 84, family }, window)?;
            let begin = thread_seconds();
            let originals = signed(&signer, &texts);
            let speed = bytes as f64 / 1e6 / (thread_seconds() - begin);
            let found = resemblances(&signer, &originals, &copies)?;
            let errors = || found.iter().zip(&exact).map(|(found, exact)| found - exact);
            let bias = 100.0 * mean(&errors().collect::<Vec<_>>());
            line.points.push((f64::from(window), bias));
            let columns = [
                ("average", 100.0 * mean(&found), "%"),
                ("bias", bias, "points"),
                ("error", 100.0 * root_mean_square(errors()), "points"),
                ("speed", speed, "MB/s"),
            ];
            figures.row(&format!("{name}, w = {window}"), &columns)?;
        }
    }
    draw(
        settings,
        "sketch-families",
        "Sketch_84 after 50 insertions, by family of functions",
        ("w, bytes", "bias, points"),
        lines.to_vec(),
    )
}
