//! Cherkasova et al. 2009, Figs. 5 and 6: averages over documents hide how uncertain the similarity
//! of each is. Sketch_10 and Sketch_100, BSW_1000 and BSW_100.

use anyhow::{Context, Result};
use simdex_signature::laboratory::Method;

use super::{
    Edit, draw, edited, mean, resemblances, root_mean_square, series, signed, signer, texts,
};
use crate::figure::Figures;
use crate::near_duplicates::Spread;
use crate::study::Settings;

const TIMES: [usize; 6] = [1, 10, 20, 30, 40, 50];

/// Fig. 5 by number of insertions, Fig. 6 by document after the last, and the error against exact resemblance.
#[expect(clippy::too_many_lines, reason = "one figure, step by step")]
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    let copies = TIMES.map(|times| edited(&texts, Edit::Insert, times, Spread::Random));
    let of = |method| -> Result<Vec<Vec<f64>>> {
        let signer = signer(method, 20)?;
        let originals = signed(&signer, &texts);
        let copies = copies.iter();
        copies
            .map(|copies| resemblances(&signer, &originals, copies))
            .collect()
    };
    let all_exact = of(Method::mod_n(1))?;
    let exact = all_exact.last().context("the last copies")?;
    let methods = [
        ("sketch", Method::sketch_n(10)),
        ("sketch", Method::sketch_n(100)),
        ("bsw", Method::BswN { n: 1000 }),
        ("bsw", Method::BswN { n: 100 }),
    ];
    let mut panels = [
        ("sketch", Vec::new(), Vec::new()),
        ("bsw", Vec::new(), Vec::new()),
    ];
    for (family, method) in methods {
        let by_times = of(method)?;
        averages(&method.to_string(), &by_times, figures)?;
        let found = by_times.last().context("the last copies")?;
        let errors = || found.iter().zip(exact).map(|(found, exact)| found - exact);
        let half = texts.len() / 2;
        let columns = [
            ("average", 100.0 * mean(found), "%"),
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
        let panel = panels.iter_mut().find(|(name, ..)| *name == family);
        if let Some((_, over_times, each)) = panel {
            over_times.push(series(method.to_string(), by_number(&by_times)));
            each.push(series(method.to_string(), by_document(found)));
        }
    }
    averages("exact", &all_exact, figures)?;
    figures.put("exact average", 100.0 * mean(exact), "%")?;
    for (family, mut over_times, mut each) in panels {
        over_times.push(series("exact", by_number(&all_exact)));
        each.push(series("exact", by_document(exact)));
        let axes = ("insertions", "average similarity, %");
        let name = format!("cherkasova-fig5-{family}");
        draw(
            settings,
            &name,
            "Averages over all documents",
            axes,
            over_times,
        )?;
        let axes = (
            "document, the shortest first",
            "similarity after 50 insertions, %",
        );
        let name = format!("cherkasova-fig6-{family}");
        draw(settings, &name, "What averages hide", axes, each)?;
    }
    Ok(())
}

/// A row of the averages after each number of insertions.
fn averages(name: &str, by_times: &[Vec<f64>], figures: &mut Figures<'_>) -> Result<()> {
    let columns: Vec<(String, f64)> = by_number(by_times)
        .into_iter()
        .map(|(times, average)| (format!("i = {times}"), average))
        .collect();
    let columns: Vec<_> = columns
        .iter()
        .map(|(times, average)| (times.as_str(), *average, "%"))
        .collect();
    Ok(figures.row(&format!("{name}, averages"), &columns)?)
}

/// The average after each number of insertions, in percent.
fn by_number(by_times: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let averages = TIMES.iter().zip(by_times);
    averages
        .map(|(times, found)| (*times as f64, 100.0 * mean(found)))
        .collect()
}

/// The similarity of each document, in percent.
fn by_document(found: &[f64]) -> Vec<(f64, f64)> {
    let documents = (1..).zip(found);
    documents
        .map(|(id, found)| (f64::from(id), 100.0 * found))
        .collect()
}
