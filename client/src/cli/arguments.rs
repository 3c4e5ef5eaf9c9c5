//! Arguments of the verbs that ask about a document, and those that several verbs have: files, numbers, filters,
//! schemes. Those of [`lists`] and whether answers are [`judged`] are apart.

mod judged;
mod lists;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Subcommand, ValueEnum};
use simdex_client::wire::SchemeChoice;

use super::numbers::ratio;
use crate::output::DifferenceForm;

pub(crate) use judged::{JudgeArgs, JudgeReportArgs};
pub(crate) use lists::{FilesArgs, FoldersArgs, GroupsArgs, GroupsKind, PairsArgs, TemplatesArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum RootsVerb {
    /// Confirm a held loss: remove from the index the files that a rescan did not find
    ConfirmLoss {
        /// Root whose files are lost
        root: PathBuf,
        /// Token of the loss, as `simctl roots` prints it; if the loss has changed since, nothing is removed. Without
        /// it, shows what is lost and asks, on a terminal
        #[arg(long)]
        token: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Resume after the event with this number, if the daemon still keeps the events that followed
    #[arg(long, value_name = "NUMBER")]
    pub(crate) after: Option<u64>,
    #[command(flatten)]
    pub(crate) roots: Roots,
}

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// File to search for, inside or outside the roots; `-` reads standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    /// Resemblance from which a file is called a near-duplicate, and folded as one, from 0 to 1; it hides no file
    /// [default: the daemon's threshold]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) relation_threshold: Option<f64>,
    /// Containment from which a file is said to contain FILE or to be contained in it, from 0 to 1
    /// [default: --relation-threshold]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) containment_threshold: Option<f64>,
    // Its help is added by `command`: the default is the contract's.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: Option<u32>,
    /// Search by this signature scheme, one of those listed in the daemon's config; results are verified in the
    /// same way. pairs, groups, folders and report always search by mod_n: they verify every answer on all
    /// shingles, so that another scheme would find the same or fewer
    #[arg(long, value_enum, default_value_t = Scheme::ModN)]
    pub(crate) scheme: Scheme,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) completeness: CompletenessArgs,
}

/// A query about one document whose answer may be folded and judged.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) find: FindArgs,
    /// Fold near-duplicates among the results under the best of them, with their number; auto: only in tables on a
    /// terminal. With --json, `--fold always` lists all files, each with the one that it is folded under
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Fold::Auto)]
    pub(crate) fold: Fold,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
}

/// When near-duplicates in an answer are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fold {
    /// Fold in tables on a terminal
    Auto,
    /// Fold in all output
    Always,
    /// List every file
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// First file; `-` reads standard input
    pub(crate) a: PathBuf,
    /// Second file; `-` reads standard input
    pub(crate) b: PathBuf,
    /// Show only the numbers, not the difference
    #[arg(long, conflicts_with = "diff")]
    pub(crate) no_difference: bool,
    /// Show the difference in this form
    #[arg(long, value_enum, value_name = "FORM", default_value_t = DifferenceForm::Auto)]
    pub(crate) diff: DifferenceForm,
    /// Also show the estimates of this signature scheme (repeatable) [default: those of the index]
    #[arg(long = "scheme", value_name = "SCHEME", value_enum, action = ArgAction::Append)]
    pub(crate) schemes: Vec<ComparedScheme>,
    /// Sample one shingle in N (mod_n, bsw_n), or keep N of each text (min_n, sketch_n) [default: as the
    /// index does]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub(crate) n: Option<u64>,
    /// Resemblance from which the two are called near-duplicates, from 0 to 1 [default: the daemon's threshold]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) relation_threshold: Option<f64>,
    /// Containment from which one is said to contain the other, from 0 to 1 [default: --relation-threshold]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) containment_threshold: Option<f64>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) completeness: CompletenessArgs,
}

/// `versions` and how it is drawn.
#[derive(Debug, Args)]
pub(crate) struct VersionsArgs {
    #[command(flatten)]
    pub(crate) find: FindArgs,
    /// Draw the versions in this form; with --json, print lines instead
    #[arg(long, value_enum, default_value_t = Drawing::Tree)]
    pub(crate) format: Drawing,
}

/// Forms of a family of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Drawing {
    /// A tree; ◉ marks the version of FILE
    Tree,
    /// A graph for Graphviz
    Dot,
    /// An SVG image
    Svg,
}

/// How complete an answer must be.
#[derive(Debug, Args)]
pub(crate) struct CompletenessArgs {
    /// First wait until all changes seen so far are in the index
    #[arg(long)]
    pub(crate) wait: bool,
    /// Fail if the index is not complete
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Threshold {
    /// Least resemblance, from 0 to 1 [default: the daemon's]
    #[arg(id = "threshold", long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) value: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct Roots {
    /// Limit to this root (repeatable) [default: all]
    #[arg(long = "root", value_name = "PATH", action = ArgAction::Append)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Signature schemes that find files, by the names of the wire contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Scheme {
    /// By sampled fingerprints
    ModN,
    /// By sampled fingerprints, and by content-defined chunks of them
    BswN,
    /// By the smallest fingerprints; only for find-similar
    MinN,
    /// By the smallest fingerprint of each bin; only for find-similar
    SketchN,
    /// By two of six groups of minima, for what is almost equal; only for find-similar
    SuperShingles,
}

impl Scheme {
    /// Parses the schemes of verbs that also look for containment. Those that give none are neither listed nor
    /// completed; the daemon refuses them with the reason.
    pub(crate) fn for_containment() -> impl TypedValueParser<Value = Self> {
        let names = Self::value_variants().iter().filter_map(|scheme| {
            let gives_none = matches!(scheme, Self::MinN | Self::SketchN | Self::SuperShingles);
            scheme.to_possible_value().map(|name| name.hide(gives_none))
        });
        PossibleValuesParser::new(names).try_map(|name| Self::from_str(&name, false))
    }
}

impl From<Scheme> for SchemeChoice {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::ModN => Self::ModN,
            Scheme::BswN => Self::BswN,
            Scheme::MinN => Self::MinN,
            Scheme::SketchN => Self::SketchN,
            Scheme::SuperShingles => Self::SuperShingles,
        }
    }
}

/// Signature schemes by which two files are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ComparedScheme {
    /// Sampled fingerprints
    ModN,
    /// Content-defined chunks of fingerprints; its interval is measured
    BswN,
    /// The smallest fingerprints; gives no containment
    MinN,
    /// The smallest fingerprint of each bin; gives no containment
    SketchN,
    /// Only tells candidates: the daemon refuses it with the reason
    #[value(hide = true)]
    SuperShingles,
}

impl From<ComparedScheme> for SchemeChoice {
    fn from(scheme: ComparedScheme) -> Self {
        match scheme {
            ComparedScheme::ModN => Self::ModN,
            ComparedScheme::BswN => Self::BswN,
            ComparedScheme::MinN => Self::MinN,
            ComparedScheme::SketchN => Self::SketchN,
            ComparedScheme::SuperShingles => Self::SuperShingles,
        }
    }
}
