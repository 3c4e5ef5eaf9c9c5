//! How deep the tree may grow, and how few pairs a leaf may have.

use anyhow::Result;
use simdex_judge::evaluation::nine_seeds;
use simdex_judge::training::Growth;

use super::{labelled, put, sourced};
use crate::figure::Figures;
use crate::labelled::Body;
use crate::study::Settings;

/// F1 by depth and leaf, in stages and all at once.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs = labelled(settings, figures)?;
    let pairs = sourced(&pairs, Body::Shown);
    for depth in [5, 7, 9, 12] {
        for leaf in [5, 10, 20, 40] {
            for staged in [true, false] {
                let growth = Growth {
                    staged,
                    depth,
                    leaf,
                    ..Growth::default()
                };
                let stages = if staged { "in stages" } else { "at once" };
                let name = format!("depth {depth}, leaf {leaf}, {stages}");
                put(figures, &name, &nine_seeds(&pairs, &growth, &|| true)?)?;
            }
        }
    }
    Ok(())
}
