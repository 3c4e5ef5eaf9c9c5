//! The command line: verbs and flags, validated as far as possible without a daemon.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use simdex_client::defaults;

mod arguments;
mod judge;
mod numbers;
mod report;
mod sampling;

pub(crate) use arguments::{
    CompareArgs, CompletenessArgs, Drawing, FilesArgs, FindArgs, Fold, FoldersArgs, GroupsArgs,
    GroupsKind, JudgeReportArgs, PairsArgs, RootsVerb, Scheme, SearchArgs, TemplatesArgs,
    VersionsArgs, WatchArgs,
};
pub(crate) use judge::{EvaluateArgs, JudgeVerb, LabelArgs, TrainArgs};
#[cfg(test)]
use numbers::ratio;
pub(crate) use report::{ReportArgs, ReportTarget};
pub(crate) use sampling::{CalibrateArgs, SamplingArgs};

/// Ask the Simdex daemon which documents are versions, copies, excerpts or containers of others.
///
/// In tables, names with control characters or with bytes that are not UTF-8 are escaped.
/// With --json each line is one object; a field NAME_bytes holds a name that is not UTF-8, in base64.
///
/// Exit status: 0 success, 1 nothing found, 2 error.
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
    /// Print one JSON object per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise
    /// 80 columns wide, or as many as $COLUMNS says
    #[arg(long, global = true)]
    pub(crate) wide: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(flatten)]
    Request(RequestVerb),
    /// Print a completion script for a shell
    Completions {
        /// Shell that the script is for
        shell: Shell,
    },
}

/// What the columns of a list of folders count.
const FOLDERS_COLUMNS: &str = "REVISED counts the files of both that are alike as revisions only. COPIES counts the folders \
    that hold exactly the same files, A and B among them; the others stand below, beside `also`. Files without a \
    counterpart stand beside `alone`.";

/// The verbs that send requests to the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum RequestVerb {
    /// List the files that resemble FILE, most alike first
    FindSimilar(SearchArgs),
    /// List the files that contain FILE, those that contain most of it first
    Containing(SearchArgs),
    /// List the files contained in FILE, most fully contained first
    ContainedIn(SearchArgs),
    /// Show the versions of FILE from earliest to latest, and how each derives from another
    Versions(VersionsArgs),
    /// Show how two files are related, and their difference
    Compare(CompareArgs),
    /// Measure how coarsely documents of each size may be sampled; changes nothing without --apply
    Calibrate(CalibrateArgs),
    /// Show how coarsely documents of each size are sampled, or return to sampling by length
    Sampling(SamplingArgs),
    /// Label pairs, evaluate judgements against labels, or train the model on them
    Judge {
        #[command(subcommand)]
        verb: JudgeVerb,
    },
    /// List the pairs of near-duplicates, and each copy with the first file of its text
    Pairs(PairsArgs),
    /// List the groups of near-duplicates, or one of them
    Groups(GroupsArgs),
    /// List folders, archives and roots that are copies of each other as a whole, largest first
    #[command(after_help = FOLDERS_COLUMNS)]
    Folders(FoldersArgs),
    /// List text that recurs in many documents of a root: letterheads, footers, disclaimers
    Templates(TemplatesArgs),
    /// Show the state of the daemon, its index and its roots
    Status,
    /// List every file seen, with its state
    Files(FilesArgs),
    /// Show everything recorded about FILE: its reader, its own metadata, its members
    Show {
        /// A file, or a member of a container as it is listed, such as mail.eml!/offer.docx
        file: PathBuf,
        #[command(flatten)]
        completeness: CompletenessArgs,
    },
    /// List the watched roots, or confirm the loss of files
    Roots {
        #[command(subcommand)]
        verb: Option<RootsVerb>,
    },
    /// Scan roots again
    Rescan {
        /// Roots to scan [default: all]
        #[arg(value_name = "ROOT")]
        roots: Vec<PathBuf>,
    },
    /// Wait until every change made so far is applied
    Sync,
    /// Print changes as they become visible to queries, until interrupted
    Watch(WatchArgs),
    /// Write a report directory, or have the daemon keep one
    Report(Box<ReportArgs>),
}

/// The verbs that query one document, with the default of their least ratio.
const FIND_VERBS: [(&str, f64); 4] = [
    ("find-similar", defaults::SIMILAR),
    ("containing", defaults::CONTAINMENT),
    ("contained-in", defaults::CONTAINMENT),
    ("versions", defaults::FAMILY),
];

/// The command line, with each verb's defaults in its help.
pub(crate) fn command() -> Command {
    Cli::command().mut_subcommands(|verb| {
        let find_verb = FIND_VERBS.iter().find(|(name, _)| *name == verb.get_name());
        match (find_verb, verb.get_name()) {
            (Some((_, default_threshold)), _) => with_defaults(verb, *default_threshold),
            (None, "report") => {
                verb.mut_arg("threshold", |ratio| ratio.help(report_threshold_help()))
            }
            (None, _) => verb,
        }
    })
}

/// Meaning of the threshold of containment for `versions`, which follows resemblance and shows containment.
const CONTAINED_VERSIONS: &str = "Also show files that resemble a version less than --threshold, but contain it or are \
    contained in it by at least this share, from 0 to 1; the search does not continue from them. It is not below \
    --threshold [default: --relation-threshold]";

fn with_defaults(verb: Command, default_threshold: f64) -> Command {
    let (limit, threshold) = match verb.get_name() {
        "versions" => (
            format!(
                "Find at most this many versions, up to 10,000 [default: {}]",
                defaults::VERSIONS
            ),
            format!(
                "Least resemblance of a version and the one that it derives from, from 0 to 1 \
                 [default: {default_threshold}]"
            ),
        ),
        _ => (
            format!(
                "List at most this many files, up to 10,000 [default: {}]",
                defaults::LIMIT
            ),
            format!(
                "{} [default: {default_threshold}]; how relations are named does not depend on it",
                least_ratio(verb.get_name())
            ),
        ),
    };
    let verb = match verb.get_name() {
        "find-similar" => verb,
        _ => verb.mut_arg("scheme", |scheme| {
            scheme.value_parser(Scheme::for_containment())
        }),
    };
    let verb = match verb.get_name() {
        "versions" => verb.mut_arg("containment_threshold", |ratio| {
            ratio.help(CONTAINED_VERSIONS)
        }),
        _ => verb,
    };
    verb.mut_arg("limit", |count| count.help(limit))
        .mut_arg("threshold", |ratio| ratio.help(threshold))
}

/// The ratio that a verb's threshold bounds.
fn least_ratio(verb: &str) -> &'static str {
    match verb {
        "containing" => "Least share of FILE that is in a listed file, from 0 to 1",
        "contained-in" => "Least share of a listed file that is in FILE, from 0 to 1",
        _ => {
            "Least resemblance, from 0 to 1; that of a short FILE and a long one that contains it is low: use `containing`"
        }
    }
}

fn report_threshold_help() -> String {
    format!(
        "Least resemblance (with --kind stale-versions, of a version and the one that it derives from) or, with \
         --kind leak, least share of either text, from 0 to 1 [default: the daemon's, or {} with --kind leak or \
         stale-versions]",
        defaults::CONTAINMENT
    )
}

/// Parses the command line; ends the process if it is invalid.
pub(crate) fn parse() -> Cli {
    let matches = command().get_matches();
    check_flags(&matches).unwrap_or_else(|error| error.exit())
}

fn check_flags(matches: &ArgMatches) -> Result<Cli, clap::Error> {
    let cli = Cli::from_arg_matches(matches)?;
    let (verb, misplaced) = match &cli.verb {
        Verb::Request(RequestVerb::Groups(args)) => ("groups", args.misplaced_flag()),
        Verb::Request(RequestVerb::Calibrate(args)) => ("calibrate", args.misplaced_flag()),
        _ => return Ok(cli),
    };
    let Some(misplaced) = misplaced else {
        return Ok(cli);
    };
    // Built, so that the usage shown is that of the verb.
    let mut command = command();
    command.build();
    let verb = command.find_subcommand_mut(verb);
    let refused = verb.map(|verb| verb.error(ErrorKind::ArgumentConflict, misplaced));
    Err(refused.unwrap_or_else(|| clap::Error::raw(ErrorKind::ArgumentConflict, misplaced)))
}

#[cfg(test)]
mod help_tests;

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::arguments::ComparedScheme;
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_flag_of_another_kind_of_group_is_refused_by_its_name() {
        let said = |typed: &[&str]| {
            let typed = [&["simctl", "groups"], typed].concat();
            let matches = command().try_get_matches_from(typed).expect("flags");
            check_flags(&matches).err().map(|error| error.to_string())
        };
        let cores_only = "--common and --deadline apply only to --kind cores";
        for typed in [
            &["--common", "90"][..],
            &["--kind", "components", "--deadline", "5"],
        ] {
            assert!(said(typed).is_some_and(|said| said.contains(cores_only)));
        }
        let judged = said(&["--kind", "components", "--judge", "on"]);
        assert!(judged.is_some_and(|said| said.contains("--judge applies only to --kind stars")));
        let never = "--threshold does not apply to --kind cores; use --common";
        let refused = said(&["--kind", "cores", "--threshold", "0.8"]);
        assert!(refused.is_some_and(|said| said.contains(never)));
        for typed in [
            &["--threshold", "0.8"][..],
            &["--kind", "cores", "--common", "90", "--deadline", "5"],
        ] {
            assert_eq!(said(typed), None);
        }
    }

    #[test]
    fn a_setting_is_not_applied_to_all_that_was_measured_on_some() {
        let parsed = |typed: &[&str]| {
            let typed = [&["simctl"], typed].concat();
            let matches = command().try_get_matches_from(typed)?;
            check_flags(&matches).map(drop)
        };
        let said = |typed: &[&str]| parsed(typed).err().map(|error| error.to_string());
        let partial = said(&["calibrate", "--apply", "/share"]);
        assert!(partial.is_some_and(|said| said.contains("leave out one of them")));
        for wrong in [&["calibrate", "--yes"][..], &["sampling", "--yes"]] {
            assert!(said(wrong).is_some(), "{wrong:?}");
        }
        for right in [
            &["calibrate", "/share"][..],
            &["calibrate", "--apply", "--yes"],
            &["sampling", "--reset", "--yes"],
        ] {
            assert_eq!(said(right), None);
        }
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
    fn schemes_that_know_no_containment_are_offered_for_resemblance_alone_and_refused_by_the_daemon()
     {
        for (verb, _) in FIND_VERBS {
            for scheme in Scheme::value_variants() {
                let scheme = scheme.to_possible_value().expect("a name");
                let typed = ["simctl", verb, "a.txt", "--scheme", scheme.get_name()];
                assert!(command().try_get_matches_from(typed).is_ok(), "{typed:?}");
            }
            let command = command();
            let verb_command = command.find_subcommand(verb).expect("a verb");
            let mut arguments = verb_command.get_arguments();
            let argument = arguments.find(|argument| argument.get_id() == "scheme");
            let values = argument.expect("--scheme").get_possible_values();
            let listed = values.iter().filter(|value| !value.is_hide_set()).count();
            assert_eq!(listed, if verb == "find-similar" { 5 } else { 2 }, "{verb}");
        }
    }

    #[test]
    fn schemes_bear_their_names_on_the_wire() {
        fn names<T: ValueEnum>() -> Vec<String> {
            let values = T::value_variants().iter();
            let names = values.filter_map(|scheme| scheme.to_possible_value());
            names.map(|value| value.get_name().to_owned()).collect()
        }
        let all = ["mod_n", "bsw_n", "min_n", "sketch_n", "super_shingles"];
        assert_eq!(names::<Scheme>(), all);
        assert_eq!(names::<ComparedScheme>(), all);
    }
}
