//! Cherkasova et al. 2009, Figs. 3 and 4: how alike distinct documents seem, by window and by scheme.
//!
//! Documents that are versions of each other are no distinct ones: pairs with an exact resemblance
//! of a half or more are left out, and counted.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use simdex_signature::Fingerprint;
use simdex_signature::laboratory::{Method, RecipeSignature};

use super::{Text, distribution, draw, mean, series, signed, signer, similar, texts};
use crate::figure::Figures;
use crate::plot::Series;
use crate::study::Settings;

/// Windows of 5 to 100 bytes, two schemes.
pub(crate) fn fig3(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    let distinct = distinct(&texts, figures)?;
    for (method, name) in [
        (Method::mod_n(100), "mod_100"),
        (Method::BswN { n: 400 }, "bsw_400"),
    ] {
        let mut lines = Vec::new();
        for window in [5, 10, 20, 40, 100] {
            let label = format!("{name}, w = {window}");
            lines.push(line(&texts, &distinct, method, window, (&label, figures))?);
        }
        let title = format!("Similarity of distinct documents, {name}");
        let axes = ("similarity, %", "share of pairs above 0");
        draw(
            settings,
            &format!("cherkasova-fig3-{name}"),
            &title,
            axes,
            lines,
        )?;
    }
    Ok(figures.note("the paper, Mod_100, w = 5: more than 5 % of pairs above 20 %")?)
}

/// Four schemes at w = 20.
pub(crate) fn fig4(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    let distinct = distinct(&texts, figures)?;
    let mut lines = Vec::new();
    let schemes = [
        Method::mod_n(100),
        Method::BswN { n: 100 },
        Method::min_n(100),
        Method::sketch_n(100),
    ];
    for method in schemes {
        let label = format!("{method}");
        lines.push(line(&texts, &distinct, method, 20, (&label, figures))?);
        cost(&signed(&signer(method, 20)?, &texts), &label, figures)?;
    }
    let axes = ("similarity, %", "share of pairs above 0");
    draw(
        settings,
        "cherkasova-fig4",
        "Similarity of distinct documents, w = 20",
        axes,
        lines,
    )?;
    Ok(figures
        .note("the paper: 28 % of pairs under 4 % (but above 0) by Mod_100, 10 % by BSW_100")?)
}

/// The pairs of documents that are no versions of each other.
fn distinct(texts: &[Text], figures: &mut Figures<'_>) -> Result<Vec<(usize, usize)>> {
    let exact = signer(Method::mod_n(1), 20)?;
    let signed = signed(&exact, texts);
    let (mut distinct, mut versions) = (Vec::new(), 0);
    for b in 0..signed.len() {
        for a in 0..b {
            match similar(&signed[a], &signed[b])? < 0.5 {
                true => distinct.push((a, b)),
                false => versions += 1,
            }
        }
    }
    figures.put("distinct pairs", distinct.len() as f64, "")?;
    figures.put("pairs of versions left out", f64::from(versions), "")?;
    Ok(distinct)
}

/// What faint similarity costs: documents that share an entry with one that is asked for, all of which are candidates,
/// and the entries of postings that are read to find them.
fn cost(signed: &[RecipeSignature], label: &str, figures: &mut Figures<'_>) -> Result<()> {
    let mut postings: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    for (document, signed) in signed.iter().enumerate() {
        for unit in signed.units() {
            postings.entry(unit).or_default().push(document);
        }
    }
    let (mut candidates, mut read) = (Vec::new(), Vec::new());
    for signed in signed {
        let units = signed.units();
        let lists = || units.iter().filter_map(|unit| postings.get(unit));
        read.push(lists().map(|list| list.len() as f64).sum());
        let found: HashSet<usize> = lists().flatten().copied().collect();
        // One of them is the document itself.
        candidates.push(found.len().saturating_sub(1) as f64);
    }
    let columns = [
        ("candidates", mean(&candidates), "a query"),
        ("postings read", mean(&read), "a query"),
    ];
    Ok(figures.row(&format!("  {label}"), &columns)?)
}

fn line(
    texts: &[Text],
    pairs: &[(usize, usize)],
    method: Method,
    window: u16,
    (label, figures): (&str, &mut Figures<'_>),
) -> Result<Series> {
    let signer = signer(method, window)?;
    let signed = signed(&signer, texts);
    let found: Result<Vec<f64>> = pairs
        .iter()
        .map(|&(a, b)| similar(&signed[a], &signed[b]))
        .collect();
    let mut found = found?;
    let all = found.len() as f64;
    let share = |is: &dyn Fn(f64) -> bool| {
        100.0 * found.iter().filter(|&&value| is(value)).count() as f64 / all
    };
    let columns = [
        ("above 0", share(&|v| v > 0.0), "%"),
        ("above 0, under 4", share(&|v| v > 0.0 && v < 0.04), "%"),
        ("above 20", share(&|v| v > 0.2), "%"),
        (
            "most",
            100.0 * found.iter().copied().fold(0.0, f64::max),
            "%",
        ),
    ];
    figures.row(label, &columns)?;
    found.retain(|&value| value > 0.0);
    let points = distribution(found).into_iter().map(|(x, y)| (100.0 * x, y));
    Ok(series(label, points.collect()))
}
