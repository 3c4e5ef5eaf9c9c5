//! Cherkasova et al. 2009, Figs. 5 and 6: averages over documents hide how uncertain the similarity
//! of each is. Sketch_10 and Sketch_100, BSW_1000 and BSW_100.

use anyhow::Result;
use simdex_signature::laboratory::Method;

use super::{
    Edit, draw, edited, mean, resemblances, root_mean_square, series, signed, signer, texts,
};
use crate::figure::Figures;
use crate::near_duplicates::Spread;
use crate::study::Settings;

/// Both figures, and the error against exact resemblance.
#[expect(clippy::too_many_lines, reason = "one figure, step by step")]
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    let copies = edited(&texts, Edit::Insert, 50, Spread::Random);
    let exact = signer(Method::mod_n(1), 20)?;
    let exact = resemblances(&exact, &signed(&exact, &texts), &copies)?;
    let methods = [
        ("sketch", Method::sketch_n(10)),
        ("sketch", Method::sketch_n(100)),
        ("bsw", Method::BswN { n: 1000 }),
        ("bsw", Method::BswN { n: 100 }),
    ];
    let mut panels = [("sketch", Vec::new()), ("bsw", Vec::new())];
    for (family, method) in methods {
        let signer = signer(method, 20)?;
        let found = resemblances(&signer, &signed(&signer, &texts), &copies)?;
        let errors = || found.iter().zip(&exact).map(|(found, exact)| found - exact);
        let half = texts.len() / 2;
        let columns = [
            ("average", 100.0 * mean(&found), "%"),
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
            (
                "at 100 %",
                found.iter().filter(|&&f| f == 1.0).count() as f64,
                "documents",
            ),
        ];
        figures.row(&method.to_string(), &columns)?;
        let points = (1..).zip(&found).map(|(id, f)| (f64::from(id), 100.0 * f));
        let panel = panels.iter_mut().find(|(name, _)| *name == family);
        panel.into_iter().for_each(|(_, lines)| {
            lines.push(series(method.to_string(), points.clone().collect()))
        });
    }
    figures.put("exact average", 100.0 * mean(&exact), "%")?;
    for (family, mut lines) in panels {
        let points = (1..).zip(&exact).map(|(id, f)| (f64::from(id), 100.0 * f));
        lines.push(series("exact", points.collect()));
        let axes = (
            "document, the shortest first",
            "similarity after 50 insertions, %",
        );
        draw(
            settings,
            &format!("cherkasova-fig6-{family}"),
            "What averages hide",
            axes,
            lines,
        )?;
    }
    Ok(())
}
