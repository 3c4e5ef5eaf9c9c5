//! Huffman et al. 2007, Tables 1, 3 and 4: groups of signals on fetched and on shown bodies.
//!
//! F has the signals of the fetched body, R those of the shown one; FS and RS the distance to the nearest
//! passage, in place of snippets around the words of a web query, which there are none of. "Same domain" is
//! left out: the labelled pairs lie in no place of their own ([`crate::labelled`]). All groups are measured on the
//! same pairs, those of bodies that were never fetched apart from what is shown among them; the pairs of which one
//! document is a frameset or a redirecting page are shown beside.

use anyhow::Result;
use simdex_judge::Signal;
use simdex_judge::evaluation::{Quality, Validated};

use super::columns::{Column, Measured, both, of_body, validated};
use super::{labelled, put, tenth};
use crate::figure::Figures;
use crate::labelled::Body;
use crate::study::Settings;

/// The paper's group F (and R, on the other body).
const GROUP: [Signal; 4] = [
    Signal::SameTitle,
    Signal::Mcd,
    Signal::SimhashDistance,
    Signal::TfIdfDistance,
];

/// Groups by the bodies they are computed from, with and without passages, and beside them ours.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let labelled = labelled(settings, figures)?;
    let pairs = both(&labelled);
    figures.put("pairs", pairs.len() as f64, "")?;
    let filled_in = pairs.iter().filter(|of| is_filled_in(of)).count();
    figures.put("of them shown otherwise than fetched", filled_in as f64, "")?;
    let [fetched, shown] = [Body::Fetched, Body::Shown].map(|body| of_body(body, &GROUP));
    let passage = |body| vec![(body, Signal::SnippetMcd)];
    let ours = super::of_texts();
    let join = |parts: &[&Vec<Column>]| -> Vec<Column> {
        parts.iter().flat_map(|part| part.iter().copied()).collect()
    };
    let (fs, rs) = (passage(Body::Fetched), passage(Body::Shown));
    let hash = |body| vec![(body, Signal::SimhashDistance)];
    for (name, columns) in [
        ("similarity hash, fetched", hash(Body::Fetched)),
        ("similarity hash, shown", hash(Body::Shown)),
        ("F", fetched.clone()),
        ("R", shown.clone()),
        ("F+R", join(&[&fetched, &shown])),
        ("F+FS", join(&[&fetched, &fs])),
        ("R+RS", join(&[&shown, &rs])),
        ("F+R+RS", join(&[&fetched, &shown, &rs])),
        ("F+R+FS", join(&[&fetched, &shown, &fs])),
        ("F+R+RS+FS", join(&[&fetched, &shown, &rs, &fs])),
        ("all ours, fetched", of_body(Body::Fetched, &ours)),
        ("all ours, shown", of_body(Body::Shown, &ours)),
    ] {
        let runs = validated(&pairs, &columns)?;
        put(figures, name, &runs)?;
        apart(name, &pairs, &runs, figures)?;
    }
    Ok(())
}

/// A document of it is shown otherwise than it was fetched.
fn is_filled_in(of: &Measured<'_>) -> bool {
    let documents = of.pair.documents.iter();
    let mut otherwise = documents.map(|document| {
        let [shown, fetched] = [Body::Shown, Body::Fetched].map(|body| document.text(body));
        shown.canonical() != fetched.canonical()
    });
    otherwise.any(|is_otherwise| is_otherwise)
}

/// Runs on the pairs that rendering can tell anything of.
fn apart(
    name: &str,
    pairs: &[Measured<'_>],
    runs: &[Validated],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let Some(run) = runs.first() else {
        return Ok(());
    };
    let mut quality = Quality::default();
    let judged = pairs.iter().zip(&run.judged);
    let filled_in = judged.filter(|(of, _)| is_filled_in(of));
    filled_in.for_each(|(of, judged)| quality.add(of.pair.class, *judged));
    let columns = [
        ("P", tenth(100.0 * quality.precision()), ""),
        ("R", tenth(100.0 * quality.recall()), ""),
        ("F", tenth(100.0 * quality.f1()), ""),
        ("errors", f64::from(quality.errors()), ""),
    ];
    Ok(figures.row(&format!("  {name}, of those shown otherwise"), &columns)?)
}
