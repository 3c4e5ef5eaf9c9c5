//! What `judge` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::arguments::{Roots, Threshold};

/// What is done about judgements.
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeVerb {
    /// Show pairs one by one and keep what you say they are, in a file that a later run goes on with
    Label(LabelArgs),
    /// Hold judgements against labels: each signal, all of them, the model in force, raters against each other
    Evaluate(EvaluateArgs),
    /// Learn a model from labels and judge by it from then on, or return to the shipped one
    Train(TrainArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LabelArgs {
    /// File that labels are appended to, one JSON line each; made where there is none
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// Who labels [default: $USER]
    #[arg(long, value_name = "NAME")]
    pub(crate) rater: Option<String>,
    /// Label the pairs of this file, lines of `simctl pairs --json`, in place of a sample
    #[arg(long, value_name = "FILE", conflicts_with_all = ["threshold", "count", "seed", "paths"])]
    pub(crate) pairs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    /// Pairs of the sample; a greater count goes on where a smaller one ended [default: 100]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) count: Option<u32>,
    /// Another seed, another sample [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Lines of the difference that are shown at first
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    pub(crate) lines: usize,
    #[command(flatten)]
    pub(crate) roots: Roots,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// File of labels, as `simctl judge label` writes it (repeatable)
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) labels: Vec<PathBuf>,
    /// Leave out labels of texts that no file carries any more
    #[arg(long)]
    pub(crate) skip_unknown: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// File of labels, as `simctl judge label` writes it (repeatable)
    #[arg(long, value_name = "FILE", required_unless_present = "reset")]
    pub(crate) labels: Vec<PathBuf>,
    /// Leave out labels of texts that no file carries any more
    #[arg(long)]
    pub(crate) skip_unknown: bool,
    /// Train and compare only; the model in force stays
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What the model is called in answers [default: trained]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Judge by the shipped model again
    #[arg(long, conflicts_with_all = ["labels", "skip_unknown", "dry_run", "name"])]
    pub(crate) reset: bool,
}
