//! Arguments of `calibrate` and `sampling`: how coarsely documents of each size may be sampled, and are sampled.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{CompletenessArgs, Threshold};
use super::numbers::ratio;

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Least share of the pairs found by sampling that must be similar, from 0 to 1 [default: 0.95]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) precision: Option<f64>,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    /// Write the evidence, with plots, to FILE as a page (HTML); FILE must not exist yet
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Have all documents sampled as recommended; they are signed again in the background
    #[arg(long)]
    pub(crate) apply: bool,
    /// Do not ask before it is applied
    #[arg(long, requires = "apply")]
    pub(crate) yes: bool,
    /// Roots whose documents are measured [default: all]
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) completeness: CompletenessArgs,
}

impl CalibrateArgs {
    /// Returns the error for contradictory flags: a measurement of some roots does not hold for the others.
    pub(super) fn misplaced_flag(&self) -> Option<&'static str> {
        let is_partial = self.apply && !self.roots.is_empty();
        is_partial.then_some(
            "--apply has the documents of all roots sampled so, and ROOT measures those of some; leave out one of them",
        )
    }
}

#[derive(Debug, Args)]
pub(crate) struct SamplingArgs {
    /// Have all documents sampled by their length alone again; they are signed again in the background
    #[arg(long)]
    pub(crate) reset: bool,
    /// Do not ask before it is reset
    #[arg(long, requires = "reset")]
    pub(crate) yes: bool,
}
