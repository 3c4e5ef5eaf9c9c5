//! Cherkasova et al. 2009, Fig. 2 and §4.3: average similarity of texts to copies with "a " inserted
//! i times, over windows of 5 to 100 bytes; and what uniform and random spread should give.
//!
//! Uniformly spread insertions into a text of S windows give (S−iw)/(S+iw); random ones p/(2−p) with
//! p = e^(−iw/S), since windows overlap.

use anyhow::Result;
use simdex_signature::laboratory::Method;

use super::{Edit, Text, draw, edited, mean, resemblances, series, signed, signer, texts};
use crate::figure::Figures;
use crate::near_duplicates::Spread;
use crate::study::Settings;

const WINDOWS: [u16; 7] = [5, 10, 20, 40, 60, 80, 100];
const TIMES: [usize; 7] = [0, 1, 10, 20, 30, 40, 50];

/// The figure's two panels.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    for (method, name) in [
        (Method::mod_n(100), "mod_100"),
        (Method::BswN { n: 400 }, "bsw_400"),
    ] {
        let mut lines = Vec::new();
        let copies = TIMES.map(|times| edited(&texts, Edit::Insert, times, Spread::Random));
        for window in WINDOWS {
            let signer = signer(method, window)?;
            let originals = signed(&signer, &texts);
            let mut points = Vec::new();
            for (times, copies) in TIMES.iter().zip(&copies) {
                let average = mean(&resemblances(&signer, &originals, copies)?);
                points.push((*times as f64, 100.0 * average));
            }
            let at = |times: usize| points.get(times).map_or(0.0, |point| point.1);
            figures.row(
                &format!("{name}, w = {window}"),
                &[
                    ("i = 10", at(2), "%"),
                    ("i = 30", at(4), "%"),
                    ("i = 50", at(6), "%"),
                ],
            )?;
            lines.push(series(format!("w = {window}"), points));
        }
        let title = format!("Average similarity after i insertions, {name}");
        let axes = ("i", "average similarity, %");
        draw(
            settings,
            &format!("cherkasova-fig2-{name}"),
            &title,
            axes,
            lines,
        )?;
    }
    figures.note("the paper at i = 50, Mod_100: 66 % (w = 100), 97 % (w = 5)")?;
    spreads(&texts, figures)
}

/// Exact resemblance beside what the two formulas say.
fn spreads(texts: &[Text], figures: &mut Figures<'_>) -> Result<()> {
    for window in [20, 100] {
        let exact = signer(Method::mod_n(1), window)?;
        let originals = signed(&exact, texts);
        for spread in [Spread::Uniform, Spread::Random] {
            let copies = edited(texts, Edit::Insert, 50, spread);
            let found = mean(&resemblances(&exact, &originals, &copies)?);
            let expected = texts.iter().map(|text| {
                let windows = text.text.len() as f64;
                let touched = 50.0 * f64::from(window) / windows;
                match spread {
                    Spread::Uniform => ((1.0 - touched) / (1.0 + touched)).max(0.0),
                    Spread::Random => (-touched).exp() / (2.0 - (-touched).exp()),
                }
            });
            let expected = mean(&expected.collect::<Vec<_>>());
            figures.row(
                &format!("{spread:?}, w = {window}, i = 50"),
                &[
                    ("exact", 100.0 * found, "%"),
                    ("formula", 100.0 * expected, "%"),
                ],
            )?;
        }
    }
    Ok(())
}
