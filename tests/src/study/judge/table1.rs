//! Huffman et al. 2007, Tables 1, 3 and 4: groups of signals on fetched and on shown bodies.
//!
//! F has the signals of the fetched body, R those of the shown one; FS and RS the distance to the nearest
//! passage, in place of snippets around the words of a web query, which there are none of. "Same domain" is
//! left out: the labelled pairs lie in no place of their own ([`crate::labelled`]).

use anyhow::Result;
use simdex_judge::Signal;

use super::{labelled, put, sourced, validated};
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
    let pairs = labelled(settings, figures)?;
    let with_passage: Vec<Signal> = GROUP.into_iter().chain([Signal::SnippetMcd]).collect();
    let ours = super::of_texts();
    for (body, name) in [(Body::Fetched, "F"), (Body::Shown, "R")] {
        let pairs = sourced(&pairs, body);
        figures.put(&format!("{name}: pairs"), pairs.len() as f64, "")?;
        put(
            figures,
            &format!("{name}: similarity hash"),
            &validated(&pairs, &[Signal::SimhashDistance])?,
        )?;
        put(
            figures,
            &format!("{name}: group"),
            &validated(&pairs, &GROUP)?,
        )?;
        put(
            figures,
            &format!("{name}+{name}S: with passages"),
            &validated(&pairs, &with_passage)?,
        )?;
        put(
            figures,
            &format!("{name}: with resemblance"),
            &validated(&pairs, &ours)?,
        )?;
    }
    Ok(())
}
