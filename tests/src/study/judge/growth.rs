//! How deep the tree may grow, how few pairs a leaf may have, and what it must bear out to claim a duplicate.

use anyhow::Result;
use simdex_judge::evaluation::nine_seeds;
use simdex_judge::training::Growth;

use super::{labelled, put};
use crate::figure::Figures;
use crate::labelled::{Body, by_family, measured};
use crate::study::Settings;

/// F1 by source and by family, one thing changed after the other.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = labelled(settings, figures)?;
    let found = measured(&pairs, Body::Shown);
    let by_source: Vec<_> = found.iter().map(|(_, pair)| pair.clone()).collect();
    let by_family = by_family(&found);
    for (name, growth) in growths() {
        for (by, pairs) in [("source", &by_source), ("family", &by_family)] {
            let runs = nine_seeds(pairs, &growth, &|| true)?;
            put(figures, &format!("{name}, by {by}"), &runs)?;
        }
    }
    Ok(())
}

fn growths() -> Vec<(String, Growth)> {
    let usual = Growth::default;
    let mut growths = vec![("as it is".to_owned(), usual())];
    let staged = Growth {
        staged: false,
        ..usual()
    };
    growths.push(("all signals at once".to_owned(), staged));
    for claim in [0.0, 0.8, 0.85, 0.95] {
        growths.push((format!("claim {claim}"), Growth { claim, ..usual() }));
    }
    for leaf in [10, 20, 40] {
        growths.push((format!("leaf {leaf}"), Growth { leaf, ..usual() }));
    }
    for depth in [5, 9] {
        growths.push((format!("depth {depth}"), Growth { depth, ..usual() }));
    }
    growths
}
