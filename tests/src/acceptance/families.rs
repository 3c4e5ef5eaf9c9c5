//! Families: real histories, names and times withheld, as chains of the version graph. What the dates inside
//! come to is printed beside its goal.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::figure::Figures;
use crate::version_chains::measure;

pub(super) fn run(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let histories = ["site-policy", "policies"].map(|name| corpora.join("versions").join(name));
    let chains = measure(&histories)?;
    chains.print(figures)?;
    let neighbours = chains.neighbours();
    ensure!(
        neighbours >= 90.0,
        "only {neighbours} % of the links are edges"
    );
    ensure!(
        chains.right() > chains.baseline(),
        "the longer is newer is right more often"
    );
    Ok(())
}
