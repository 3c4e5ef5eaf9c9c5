//! Cherkasova et al. 2009, Figs. 7 and 8: the four schemes at about equal size (n = 100 entries, or
//! one in 500), words inserted and words removed.
//!
//! The paper ranks schemes by the similarity they report. Beside the averages stand bias and error
//! against the exact resemblance, which tell a ranking of accuracy from one of level.

use anyhow::Result;
use simdex_signature::laboratory::{Family, Method};

use super::{
    Edit, draw, edited, mean, resemblances, root_mean_square, series, signed, signer, texts,
};
use crate::figure::Figures;
use crate::near_duplicates::Spread;
use crate::study::Settings;

const TIMES: [usize; 6] = [1, 10, 20, 30, 40, 50];
const SCHEMES: [(&str, Method); 6] = [
    ("exact", Method::mod_n(1)),
    ("Mod_500", Method::mod_n(500)),
    ("Min_100", Method::min_n(100)),
    ("Sketch_100", Method::sketch_n(100)),
    (
        "Sketch_100, n functions",
        Method::SketchN {
            n: 100,
            family: Family::Scrambles { seed: 1 },
        },
    ),
    ("BSW_500", Method::BswN { n: 500 }),
];

/// Both panels of Fig. 7, and Fig. 8 at i = 10 and 50.
#[expect(clippy::too_many_lines, reason = "one figure, step by step")]
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    for (edit, name) in [(Edit::Insert, "inserted"), (Edit::Remove, "removed")] {
        let copies = TIMES.map(|times| edited(&texts, edit, times, Spread::Random));
        let (mut averages, mut each) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut exact: Vec<Vec<f64>> = Vec::new();
        for (scheme, method) in SCHEMES {
            let signer = signer(method, 20)?;
            let originals = signed(&signer, &texts);
            let found: Result<Vec<Vec<f64>>> = copies
                .iter()
                .map(|copies| resemblances(&signer, &originals, copies))
                .collect();
            let found = found?;
            if exact.is_empty() {
                exact.clone_from(&found);
            }
            let points = TIMES
                .iter()
                .zip(&found)
                .map(|(i, f)| (*i as f64, 100.0 * mean(f)));
            averages.push(series(scheme, points.collect()));
            let (Some(last), Some(truth)) = (found.last(), exact.last()) else {
                continue;
            };
            for (lines, found) in each.iter_mut().zip([&found[1], last]) {
                let points = (1..).zip(found).map(|(id, f)| (f64::from(id), 100.0 * f));
                lines.push(series(scheme, points.collect()));
            }
            let errors = || last.iter().zip(truth).map(|(found, truth)| found - truth);
            let half = texts.len() / 2;
            let columns = [
                ("average", 100.0 * mean(last), "%"),
                (
                    "bias",
                    100.0 * mean(&errors().collect::<Vec<_>>()),
                    "points",
                ),
                (
                    "error, short half",
                    100.0 * root_mean_square(errors().take(half)),
                    "points",
                ),
                (
                    "long half",
                    100.0 * root_mean_square(errors().skip(half)),
                    "points",
                ),
            ];
            figures.row(&format!("{scheme}, 50 words {name}"), &columns)?;
        }
        let title = format!("Average similarity, i words {name}");
        draw(
            settings,
            &format!("cherkasova-fig7-{name}"),
            &title,
            ("i", "%"),
            averages,
        )?;
        for (times, lines) in [10, 50].into_iter().zip(each) {
            let title = format!("Similarity of each document, {times} words {name}");
            let axes = ("document, the shortest first", "%");
            let name = format!("cherkasova-fig8-{name}-{times}");
            draw(settings, &name, &title, axes, lines)?;
        }
    }
    Ok(())
}
