//! Long revision histories, names and times withheld: how much of their order the texts tell.

use anyhow::Result;

use super::Settings;
use crate::figure::Figures;
use crate::version_chains::measure;

/// Runs it on `histories/peps` beside the corpora, or on the folder named, which has a `MANIFEST.tsv`.
pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let folder = match &settings.corpus {
        Some(named) => named.clone(),
        None => settings.folder("../histories/peps")?,
    };
    measure(&[folder])?.print(figures)
}
