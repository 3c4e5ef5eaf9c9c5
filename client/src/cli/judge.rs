//! Arguments of `judge`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::arguments::{Roots, Threshold};

/// Subcommands of `judge`.
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeVerb {
    /// Show pairs side by side, one by one, and save your labels to a file, which a later run continues
    Label(LabelArgs),
    /// Evaluate judgements against labels: each signal, all together, the model in force, agreement of raters
    Evaluate(EvaluateArgs),
    /// Train a model on labels and judge by it from then on, or return to the shipped one
    Train(TrainArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LabelArgs {
    /// File to append labels to, one JSON line each; created if missing. A pipe or a device is refused
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// Name of the person who labels [default: $USER]
    #[arg(long, value_name = "NAME")]
    pub(crate) rater: Option<String>,
    /// Label the pairs in this file, lines of `simctl pairs --json`, instead of a sample; a pipe is refused
    #[arg(long, value_name = "FILE", conflicts_with_all = ["threshold", "count", "seed", "paths"])]
    pub(crate) pairs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    /// Number of pairs in the sample, up to 10,000; a larger sample continues a smaller one [default: 100]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) count: Option<u32>,
    /// Seed of the random sample [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Number of lines side by side that are shown at first
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    pub(crate) lines: usize,
    #[command(flatten)]
    pub(crate) roots: Roots,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// File of labels, written by `simctl judge label`, or `-` for standard input (repeatable)
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) labels: Vec<PathBuf>,
    /// Skip labels of texts that are in no file any more
    #[arg(long)]
    pub(crate) skip_unknown: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// File of labels, written by `simctl judge label`, or `-` for standard input (repeatable)
    #[arg(long, value_name = "FILE", required_unless_present = "reset")]
    pub(crate) labels: Vec<PathBuf>,
    /// Skip labels of texts that are in no file any more
    #[arg(long)]
    pub(crate) skip_unknown: bool,
    /// Only train and compare; keep the model in force
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Name of the model in answers [default: trained]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Return to the shipped model
    #[arg(long, conflicts_with_all = ["labels", "skip_unknown", "dry_run", "name"])]
    pub(crate) reset: bool,
}
