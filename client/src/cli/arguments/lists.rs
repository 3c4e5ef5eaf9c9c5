//! Arguments of lists: groups, pairs, folders, templates, files.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use simdex_client::wire::GroupKind;
use simdex_client::{JudgedItems, STATES};

use super::judged::JudgeListArgs;
use super::{CompletenessArgs, Roots, Threshold};
use crate::cli::numbers::{count, ratio, share};

/// What all lists have: how many are listed, of which roots, and how complete they must be.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List only the first COUNT [default: all]; the rest are counted, except by `pairs`, which searches for no more
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) completeness: CompletenessArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GroupsArgs {
    /// Show only the group of this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "threshold", "limit", "paths", "kind"])]
    pub(crate) of: Option<PathBuf>,
    /// Show only the group with this id
    #[arg(long, value_name = "ID", conflicts_with_all = ["threshold", "limit", "paths", "kind"])]
    pub(crate) id: Option<u64>,
    /// List groups of this kind. Containment joins nothing, so there is no threshold for it: see `pairs`
    #[arg(long, value_enum, default_value_t = GroupsKind::Stars)]
    pub(crate) kind: GroupsKind,
    /// With --kind cores: least number of fingerprints that all documents share, of 100 kept of each [default: 85]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) common: Option<u32>,
    /// With --kind cores: stop the search after this time, and report what may be missing [default: 60]
    #[arg(long = "deadline", value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) mining_seconds: Option<u32>,
    /// Resume a list: begin after the group whose first file is this one, the last one that was listed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["of", "id"])]
    pub(crate) after: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judge: JudgeListArgs,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

/// A list of pairs.
#[derive(Debug, Args)]
pub(crate) struct PairsArgs {
    /// Resume a list: begin after the pair of these files, the last one that was listed
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) after: Option<Vec<PathBuf>>,
    #[command(flatten)]
    pub(crate) judge: JudgeListArgs,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    /// Also list pairs that resemble each other less than --threshold, but of which one contains the other from this
    /// share on, from 0 to 1; the first pair is then listed only after all have been searched for
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) containment_threshold: Option<f64>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

impl GroupsArgs {
    /// What is judged; components and cores have no principal to judge by.
    pub(crate) fn judged(&self) -> JudgedItems {
        match self.kind {
            GroupsKind::Stars => self.judge.items(),
            GroupsKind::Components | GroupsKind::Cores => JudgedItems::None,
        }
    }

    /// Returns the error for flags that belong to another kind of group.
    pub(in crate::cli) fn misplaced_flag(&self) -> Option<&'static str> {
        let is_cores = self.kind == GroupsKind::Cores;
        if !is_cores && (self.common.is_some() || self.mining_seconds.is_some()) {
            return Some("--common and --deadline apply only to --kind cores");
        }
        if self.judge.is_requested() && self.kind != GroupsKind::Stars {
            return Some("--judge applies only to --kind stars");
        }
        if self.after.is_some() && self.kind != GroupsKind::Stars {
            return Some("--after applies only to --kind stars");
        }
        if is_cores && self.threshold.value.is_some() {
            return Some("--threshold does not apply to --kind cores; use --common");
        }
        None
    }
}

/// Kinds of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupsKind {
    /// A principal document and those that resemble it
    Stars,
    /// Documents linked by chains of near-duplicates; the ends of a chain may differ
    Components,
    /// Maximal sets of documents that all share the same fingerprints; sets may overlap
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
pub(crate) struct FoldersArgs {
    /// Least share of the files of both folders that have a counterpart in the other, from 0.1 to 1
    /// [default: 0.5]
    #[arg(long, value_name = "RATIO", value_parser = share)]
    pub(crate) share: Option<f64>,
    /// Least number of files that each folder has in common with the other [default: 2]
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) files: Option<u64>,
    /// Name the files of each folder that have no counterpart in the other, 100 of each at most
    #[arg(long)]
    pub(crate) exceptions: bool,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TemplatesArgs {
    /// List text that occurs in at least this many documents of a root [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) min_documents: Option<u32>,
    /// List at most this many templates of each root, up to 10,000 [default: 1000]; the rest are counted
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: Option<u32>,
    /// Print their lines whole, as a list to edit for `template_lines` in the daemon's configuration, which leaves
    /// those lines out of what is compared
    #[arg(long)]
    pub(crate) lines: bool,
    /// Roots to search [default: all]
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) completeness: CompletenessArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// List only files in this state (repeatable)
    #[arg(long = "state", value_name = "STATE", action = ArgAction::Append, value_parser = STATES)]
    pub(crate) states: Vec<String>,
    /// Resume a list: begin after this file, the last one that was listed
    #[arg(long, value_name = "FILE")]
    pub(crate) after: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}
