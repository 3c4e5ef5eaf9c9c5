//! Families: real histories, names and times withheld, as chains of the version graph, directed by the dates
//! inside and by the texts alone.

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
    let by_date = chains.by_date();
    ensure!(
        by_date >= 95.0,
        "only {by_date} % of the edges whose dates inside differ are directed right"
    );
    ensure!(
        chains.right() > chains.baseline(),
        "the longer is newer is right more often"
    );
    Ok(())
}
