//! What the verbs take: files, numbers, filters, schemes.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand, ValueEnum};
use simdex_client::STATES;
use simdex_client::wire::{GroupKind, SchemeChoice};

use crate::output::JUDGED;

#[derive(Debug, Subcommand)]
pub(crate) enum RootsVerb {
    /// Take a held loss as real: remove the files that a rescan missed
    ConfirmLoss {
        /// The root that lost them
        root: PathBuf,
        /// The loss that was looked at, as `simctl roots` names it: another is refused. Without it, shows what is
        /// lost and asks, on a terminal
        #[arg(long)]
        token: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Resume behind the event with this number, where the daemon still keeps what followed
    #[arg(long, value_name = "NUMBER")]
    pub(crate) after: Option<u64>,
    #[command(flatten)]
    pub(crate) roots: Roots,
}

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// File to ask about, under a root or not; `-` reads standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    // Its help is added by `command`: the default is the contract's.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: Option<u32>,
    /// Find files by this signature scheme, one of those that the daemon's config lists; what is found is
    /// verified in the same way
    #[arg(long, value_enum, default_value_t = Scheme::ModN)]
    pub(crate) scheme: Scheme,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) wanted: CompletenessArgs,
}

/// A question about one document whose answer may be folded and judged.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) find: FindArgs,
    /// Fold near-duplicates among the files listed under the best of them, and count them; auto: in tables on
    /// a terminal. With --json, always lists all files and names the one that each is folded under
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Fold::Auto)]
    pub(crate) fold: Fold,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
}

/// When near-duplicates in an answer are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fold {
    /// In tables on a terminal
    Auto,
    /// Wherever the answer goes
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
    /// Give the numbers alone
    #[arg(long)]
    pub(crate) no_difference: bool,
    /// Estimate by this signature scheme beside the exact numbers (repeatable) [default: those of the
    /// index]
    #[arg(long = "scheme", value_name = "SCHEME", value_enum, action = ArgAction::Append)]
    pub(crate) schemes: Vec<ComparedScheme>,
    /// Sample one shingle in N (mod_n, bsw_n), or keep N of each text (min_n, sketch_n) [default: as the
    /// index does]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) n: Option<u64>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
}

/// Whether pairs are judged.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// Judge by many signals whether each pair is the same document, a version, or only the same template
    #[arg(long, value_enum, value_name = "WHETHER", default_value_t = Switch::Off)]
    judge: Switch,
}

impl JudgeArgs {
    /// Whether judgements are wanted.
    pub(crate) fn is_on(&self) -> bool {
        self.judge == Switch::On
    }

    /// The columns that tables leave out, by their headers.
    pub(crate) fn hidden(&self) -> &'static [&'static str] {
        match self.is_on() {
            true => &[],
            false => &[JUDGED],
        }
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// Beside the numbers of each pair
    On,
    /// Numbers alone
    Off,
}

/// `versions` and how it is drawn.
#[derive(Debug, Args)]
pub(crate) struct VersionsArgs {
    #[command(flatten)]
    pub(crate) find: FindArgs,
    /// Draw the versions in this form; --json prints lines in place of it
    #[arg(long, value_enum, default_value_t = Drawing::Tree)]
    pub(crate) format: Drawing,
    /// Name every copy, by its whole path, however wide the lines become
    #[arg(long)]
    pub(crate) wide: bool,
}

/// Forms of a family of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Drawing {
    /// A tree for a terminal of 80 columns
    Tree,
    /// A graph for Graphviz
    Dot,
    /// A picture
    Svg,
}

/// How complete an answer must be.
#[derive(Debug, Args)]
pub(crate) struct CompletenessArgs {
    /// Wait until all that was seen so far is in the index, then ask
    #[arg(long)]
    pub(crate) wait: bool,
    /// Fail if the index is not complete
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GroupsArgs {
    /// Show the group of this file alone
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "threshold", "limit", "paths", "kind"])]
    pub(crate) of: Option<PathBuf>,
    /// Show the group with this id alone
    #[arg(long, value_name = "ID", conflicts_with_all = ["threshold", "limit", "paths", "kind"])]
    pub(crate) id: Option<u64>,
    /// List groups of this kind
    #[arg(long, value_enum, default_value_t = GroupsKind::Stars)]
    pub(crate) kind: GroupsKind,
    /// Of cores: the least fingerprints that all documents share, of the 100 kept of each [default: 85]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) common: Option<u32>,
    /// Of cores: stop seeking them after this time, and say what is not listed [default: 60]
    #[arg(long = "deadline", value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) mining_seconds: Option<u32>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

/// A list of pairs.
#[derive(Debug, Args)]
pub(crate) struct PairsArgs {
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

impl GroupsArgs {
    /// What is wrong with flags that belong to another kind of group.
    pub(super) fn misplaced_flag(&self) -> Option<&'static str> {
        let is_cores = self.kind == GroupsKind::Cores;
        if !is_cores && (self.common.is_some() || self.mining_seconds.is_some()) {
            return Some("--common and --deadline apply only to --kind cores");
        }
        if self.judge.is_on() && self.kind != GroupsKind::Stars {
            return Some("--judge applies only to --kind stars");
        }
        if is_cores && self.list.threshold.value.is_some() {
            return Some("--threshold does not apply to --kind cores; use --common");
        }
        None
    }
}

/// Kinds of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupsKind {
    /// A principal and those that resemble it
    Stars,
    /// Whoever is linked by a chain of near-duplicates; its ends may be unlike
    Components,
    /// Maximal sets of documents all of which share the same fingerprints; they may overlap
    Cores,
}

impl From<GroupsKind> for GroupKind {
    fn from(kind: GroupsKind) -> Self {
        match kind {
            GroupsKind::Stars => Self::Stars,
            GroupsKind::Components => Self::Components,
            GroupsKind::Cores => Self::Cores,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    /// List the first COUNT [default: all]; all are computed and counted
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) wanted: CompletenessArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FoldersArgs {
    /// Least share of the files of both folders that have their like in the other, from 0.1 to 1
    /// [default: 0.5]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) share: Option<f64>,
    /// Fewest files that each folder has in common with the other [default: 2]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) files: Option<u64>,
    /// List the first COUNT [default: all]; all are computed and counted
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) wanted: CompletenessArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TemplatesArgs {
    /// List what at least this many documents of a root hold [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) min_documents: Option<u32>,
    /// List at most this many of each root [default: 1000]; all are found and counted
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: Option<u32>,
    /// Roots to look in; all where none is named
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) wanted: CompletenessArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// List only files in this state (repeatable)
    #[arg(long = "state", value_name = "STATE", action = ArgAction::Append, value_parser = STATES)]
    pub(crate) states: Vec<String>,
    /// List the first COUNT [default: all]; all are computed and counted
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) roots: Roots,
}

#[derive(Debug, Args)]
pub(crate) struct Threshold {
    /// Least resemblance or containment, from 0 to 1 [default: the daemon's]
    #[arg(id = "threshold", long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) value: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct Roots {
    /// Look only under this root (repeatable) [default: all]
    #[arg(long = "root", value_name = "PATH", action = ArgAction::Append)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Signature schemes that find files, by the names of the wire contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Scheme {
    /// By sampled fingerprints
    ModN,
    /// By content-defined chunks of fingerprints as well
    BswN,
    /// By the smallest fingerprints; what is similar alone
    MinN,
    /// By the smallest fingerprint of each bin; what is similar alone
    SketchN,
}

impl From<Scheme> for SchemeChoice {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::ModN => Self::ModN,
            Scheme::BswN => Self::BswN,
            Scheme::MinN => Self::MinN,
            Scheme::SketchN => Self::SketchN,
        }
    }
}

/// Signature schemes that two files are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ComparedScheme {
    /// Sampled fingerprints
    ModN,
    /// Content-defined chunks of fingerprints; no interval
    BswN,
    /// The smallest fingerprints; no containment
    MinN,
    /// The smallest fingerprint of each bin; no containment
    SketchN,
}

impl From<ComparedScheme> for SchemeChoice {
    fn from(scheme: ComparedScheme) -> Self {
        match scheme {
            ComparedScheme::ModN => Self::ModN,
            ComparedScheme::BswN => Self::BswN,
            ComparedScheme::MinN => Self::MinN,
            ComparedScheme::SketchN => Self::SketchN,
        }
    }
}

/// A ratio as it is typed.
pub(super) fn ratio(typed: &str) -> Result<f64, String> {
    typed
        .parse()
        .ok()
        .filter(|value| (0.0..=1.0).contains(value))
        .ok_or_else(|| "it must be a number from 0 to 1, such as 0.8".to_owned())
}
