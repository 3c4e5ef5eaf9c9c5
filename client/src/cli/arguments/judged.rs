//! The flag `--judge` of questions, lists and reports: whether the files of a pair are judged.
//!
//! Judging is on by default and never turns an answer into an error. Of a list only the first pairs are judged by
//! default, whose texts are read in a moment; only what a flag asks for reads the texts of a whole repository.

use std::num::NonZeroU64;

use clap::{Args, ValueEnum};
use simdex_client::JudgedItems;

/// Pairs of different texts that are judged of a list by default, in some half a second; long ones count more.
const JUDGED_FIRST: NonZeroU64 = NonZeroU64::new(1_000).unwrap();

const JUDGE: &str = "Judge from many signals whether the files of each pair are the same document, versions, or only \
    share a template";

/// What people should know of judgements, below the meaning of the flag.
const WORTH: &str = "It changes nothing of what is found. The number beside a judgement is how often it was right of \
    the pairs under its rule that the model was trained on, where a version counts as right if the two were the same. On \
    documents of other makers it was right less often, and it knows the common words of English only.";

/// Whether the pairs of an answer about one document are judged.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    #[arg(
        long, value_enum, value_name = "WHETHER", default_value_t = Switch::On,
        help = JUDGE, long_help = format!("{JUDGE}\n\n{WORTH}"),
    )]
    judge: Switch,
}

impl JudgeArgs {
    /// Whether judgements are requested.
    pub(crate) fn is_on(&self) -> bool {
        self.judge == Switch::On
    }
}

/// Which pairs of a list are judged.
#[derive(Debug, Args)]
pub(crate) struct JudgeListArgs {
    #[arg(
        long, value_enum, value_name = "WHICH",
        help = format!("{JUDGE} [default: first]"),
        long_help = format!("{JUDGE} [default: first]\n\n{WORTH}"),
    )]
    judge: Option<Which>,
}

impl JudgeListArgs {
    /// Whether a flag, and not the default, asks for judgements.
    pub(crate) fn is_requested(&self) -> bool {
        self.judge.is_some_and(|which| which != Which::Off)
    }

    /// What is judged of a list.
    pub(crate) fn items(&self) -> JudgedItems {
        match self.judge.unwrap_or(Which::First) {
            Which::First => JudgedItems::First(JUDGED_FIRST),
            Which::On => JudgedItems::All,
            Which::Off => JudgedItems::None,
        }
    }
}

/// Whether the files of groups in a report are judged.
#[derive(Debug, Args)]
pub(crate) struct JudgeReportArgs {
    #[arg(
        long, value_enum, value_name = "WHETHER",
        help = format!("{JUDGE} [default: on with --kind groups]"),
        long_help = format!("{JUDGE} [default: on with --kind groups]\n\n{WORTH}"),
    )]
    judge: Option<Switch>,
}

impl JudgeReportArgs {
    /// Whether judgements are requested for a report of groups, or of another kind, which has none by default.
    pub(crate) fn is_on(&self, of_groups: bool) -> bool {
        match self.judge {
            Some(switch) => switch == Switch::On,
            None => of_groups,
        }
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// Show a judgement beside the numbers of each pair
    On,
    /// Show only the numbers
    Off,
}

/// Which pairs of a list are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Show a judgement beside the numbers of the first 1,000 pairs of different texts, fewer if these are long
    First,
    /// Show a judgement beside the numbers of each pair, however long that takes
    On,
    /// Show only the numbers
    Off,
}
