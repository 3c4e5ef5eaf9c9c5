//! The studies, by name: how well real documents are read, held against independent readers. They
//! print figures beside their goals and judge nothing: what a goal is missed by is read by people.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::figure::Figures;
use crate::sandbox::corpora;

mod agreement;
pub mod baselines;
mod conversions;
mod convert;
mod crossformat;
mod extracted;
mod furniture;
mod measure;
mod pdf_recall;
mod readers;
mod reference;
mod throughput;

pub use extracted::worker;

/// What the command line may change.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder of real documents.
    pub corpus: Option<PathBuf>,
    /// Texts to convert, where the study converts any.
    pub texts: Option<usize>,
    /// Where the answers of independent readers are kept from one run to the next.
    pub keep: Option<PathBuf>,
}

impl Settings {
    /// A folder of the corpora; an error where there are none.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let found = self.corpus.clone().or_else(corpora);
        let folder = found.context("no corpora; name them with --corpus")?;
        folder
            .join(name)
            .canonicalize()
            .with_context(|| format!("{} in {}", name, folder.display()))
    }
}

/// One study.
pub struct Study {
    /// As given on the command line.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// Runs it; an error where it cannot be run at all.
    pub run: fn(&Settings, &mut Figures<'_>) -> Result<()>,
}

/// All studies.
pub const STUDIES: &[Study] = &[
    Study {
        name: "readers",
        about: "files that independent readers open: where they end here",
        run: readers::run,
    },
    Study {
        name: "agreement",
        about: "word 5-shingles shared with independent readers, by format",
        run: agreement::run,
    },
    Study {
        name: "pdf-recall",
        about: "PDFs in which pdftotext finds 50 words: how much of the vocabulary is found here",
        run: pdf_recall::run,
    },
    Study {
        name: "crossformat",
        about: "txt, html, pdf and xml of one RFC: exact resemblance of every pair of kinds",
        run: crossformat::run,
    },
    Study {
        name: "conversions",
        about: "one text saved in eight kinds by LibreOffice and pandoc: exact resemblance",
        run: conversions::run,
    },
    Study {
        name: "throughput",
        about: "what the pool costs beside the parsers: CPU shares and use of two cores",
        run: throughput::run,
    },
];

/// The study of this name.
pub fn find(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|study| study.name == name)
}

/// A path as figures name it: below the folder studied.
fn shown(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.display().to_string()
}

/// A goal, and whether a value reaches it.
fn goal(value: f64, least: f64) -> String {
    let verdict = if value >= least { "reached" } else { "MISSED" };
    format!("goal: at least {least}, {verdict}")
}
