//! What may be typed: verbs and flags, checked as far as no daemon is needed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{
    ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
};
use clap_complete::Shell;
use simdex_client::wire::SchemeChoice;
use simdex_client::{STATES, defaults};

/// Ask the Simdex daemon which documents are versions, copies, excerpts or containers of others.
///
/// Tables are for people: names with control characters or bytes that are not UTF-8 are escaped.
/// With --json each line is one object; a field NAME_bytes holds a name that is not UTF-8, in base64.
///
/// Exit status: 0 answered, 1 nothing found, 2 error.
#[derive(Debug, Parser)]
#[command(name = "simctl", version)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in
    /// $XDG_RUNTIME_DIR or /run]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(flatten)]
    Request(RequestVerb),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// The verbs that ask the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum RequestVerb {
    /// List the files that resemble FILE, most alike first
    FindSimilar(FindArgs),
    /// List the files that contain FILE, those that hold most of it first
    Containing(FindArgs),
    /// List the files contained in FILE, most fully contained first
    ContainedIn(FindArgs),
    /// Show the versions of FILE, earliest to latest, and how each came of another
    Versions(VersionsArgs),
    /// Show how two files stand to each other, and their difference
    Compare(CompareArgs),
    /// Measure how coarsely documents of each size may be sampled; changes nothing
    Calibrate {
        /// Least share of pairs found by sampling that are similar, from 0 to 1 [default: 0.95]
        #[arg(long, value_name = "RATIO", value_parser = ratio)]
        precision: Option<f64>,
        #[command(flatten)]
        threshold: Threshold,
        /// Roots whose documents are meant; all where none is named
        #[arg(value_name = "ROOT")]
        roots: Vec<PathBuf>,
    },
    /// List the pairs of near-duplicates
    Pairs(ListArgs),
    /// List the groups of near-duplicates, or one of them
    Groups(GroupsArgs),
    /// Show what the daemon holds and watches
    Status,
    /// List every file seen, with its state
    Files(FilesArgs),
    /// Show all that is on record about FILE: who read it, what it says of itself, what it holds
    Show {
        /// A file, or a member of a container as it is listed, such as mail.eml!/offer.docx
        file: PathBuf,
    },
    /// List the watched roots, or confirm a loss
    Roots {
        #[command(subcommand)]
        verb: Option<RootsVerb>,
    },
    /// Walk roots again
    Rescan {
        /// Roots to walk; all where none is named
        #[arg(value_name = "ROOT")]
        roots: Vec<PathBuf>,
    },
    /// Wait until every change made so far is applied
    Sync,
    /// Print changes as they become visible to queries, until interrupted
    Watch(WatchArgs),
    /// Write a report directory, or have the daemon keep one
    Report {
        #[command(flatten)]
        target: ReportTarget,
        #[command(flatten)]
        threshold: Threshold,
        #[command(flatten)]
        wanted: Wanted,
    },
}

/// Where a report goes.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ReportTarget {
    /// Directory to make, here and with your rights; it must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Name under which the daemon keeps the report in its own directory for reports
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Option<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RootsVerb {
    /// Take a held loss as real: remove the files that a rescan missed
    ConfirmLoss {
        /// The root that lost them
        root: PathBuf,
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
    /// Find files by this signature scheme; what is found is verified in the same way
    #[arg(long, value_enum, default_value_t = Scheme::ModN)]
    pub(crate) scheme: Scheme,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
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
pub(crate) struct Wanted {
    /// Wait until the index is complete, then ask
    #[arg(long)]
    pub(crate) wait: bool,
    /// Fail if the index is not complete
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GroupsArgs {
    /// Show the group of this file alone
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "value", "limit", "paths"])]
    pub(crate) of: Option<PathBuf>,
    /// Show the group with this id alone
    #[arg(long, value_name = "ID", conflicts_with_all = ["value", "limit", "paths"])]
    pub(crate) id: Option<u64>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
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
    pub(crate) wanted: Wanted,
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
    #[arg(long = "threshold", value_name = "RATIO", value_parser = ratio)]
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
}

impl From<Scheme> for SchemeChoice {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::ModN => Self::ModN,
            Scheme::BswN => Self::BswN,
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

/// The verbs that ask about one document, with the least ratio each lists where none is asked for.
const FIND_VERBS: [(&str, f64); 4] = [
    ("find-similar", defaults::SIMILAR),
    ("containing", defaults::CONTAINMENT),
    ("contained-in", defaults::CONTAINMENT),
    ("versions", defaults::FAMILY),
];

/// The command line, with the defaults of each verb in its help.
pub(crate) fn command() -> Command {
    Cli::command().mut_subcommands(|verb| {
        let asked = FIND_VERBS.iter().find(|(name, _)| *name == verb.get_name());
        match asked {
            Some((_, least)) => with_defaults(verb, *least),
            None => verb,
        }
    })
}

fn with_defaults(verb: Command, least: f64) -> Command {
    let (limit, threshold) = match verb.get_name() {
        "versions" => (
            format!(
                "Find at most this many versions [default: {}]",
                defaults::VERSIONS
            ),
            format!(
                "Least resemblance of two versions, one of which leads to the other, from 0 to 1 \
                 [default: {least}]"
            ),
        ),
        _ => (
            format!(
                "List at most this many files [default: {}]",
                defaults::LIMIT
            ),
            format!(
                "Least resemblance or containment, from 0 to 1 [default: {least}]; it does not \
                 change how relations are named"
            ),
        ),
    };
    verb.mut_arg("limit", |count| count.help(limit))
        .mut_arg("value", |ratio| ratio.help(threshold))
}

/// What was typed; ends the process where it makes no sense.
pub(crate) fn typed() -> Cli {
    let matches = command().get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn ratio(typed: &str) -> Result<f64, String> {
    typed
        .parse()
        .ok()
        .filter(|value| (0.0..=1.0).contains(value))
        .ok_or_else(|| "it must be a number from 0 to 1, such as 0.8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_names_the_defaults_that_hold() {
        for (name, least) in FIND_VERBS {
            let mut command = command();
            let verb = command.find_subcommand_mut(name).expect("a verb");
            let help = verb.render_long_help().to_string();
            assert!(help.contains(&format!("[default: {least}]")), "{help}");
            let limit = match name {
                "versions" => defaults::VERSIONS,
                _ => defaults::LIMIT,
            };
            assert!(help.contains(&format!("[default: {limit}]")), "{help}");
            assert!(!help.contains("the daemon's"), "{help}");
        }
        let mut command = command();
        let verb = command.find_subcommand_mut("calibrate").expect("a verb");
        let help = verb.render_long_help().to_string();
        assert!(
            help.contains(&format!("[default: {}]", defaults::PRECISION)),
            "{help}"
        );
    }

    #[test]
    fn a_ratio_lies_between_0_and_1() {
        assert_eq!(ratio("0.8"), Ok(0.8));
        assert_eq!(ratio("1"), Ok(1.0));
        for wrong in ["-0.1", "1.01", "NaN", "inf", "80%", ""] {
            assert!(ratio(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_verb_is_introduced_by_one_line_without_a_full_stop() {
        for verb in Cli::command().get_subcommands() {
            let about = verb.get_about().expect("help").to_string();
            assert!(
                about.starts_with(char::is_uppercase) && !about.ends_with('.'),
                "{about}"
            );
        }
    }

    #[test]
    fn schemes_bear_their_names_on_the_wire() {
        fn names<T: ValueEnum>() -> Vec<String> {
            let values = T::value_variants().iter();
            let names = values.filter_map(|scheme| scheme.to_possible_value());
            names.map(|value| value.get_name().to_owned()).collect()
        }
        assert_eq!(names::<Scheme>(), ["mod_n", "bsw_n"]);
        assert_eq!(
            names::<ComparedScheme>(),
            ["mod_n", "bsw_n", "min_n", "sketch_n"]
        );
    }
}
