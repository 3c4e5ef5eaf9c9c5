//! Parses the command line and starts the part of the daemon that it asks for.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::commands::advice::sentence;
use crate::commands::answer::answer;
use crate::commands::{exit, rebuild, scan, serve, verify};
use crate::config::{Config, ConfigError, RootConfig, RootMode};
use crate::error::EngineError;
use crate::host::overlap;
use crate::reports::schedule;

/// Finds documents that are versions, copies, excerpts or containers of others.
#[derive(Parser)]
#[command(
    name = "simdexd",
    version,
    about,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "`simdexd sample-config` prints every key of the config with its range and default."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Watch the configured roots and answer queries over gRPC (the default).
    Serve(ServeArgs),
    /// Index folders, print the groups of near-duplicates and the state of every file, and exit.
    Scan(scan::ScanArgs),
    /// Check a config file and print the roots that it sets up.
    CheckConfig {
        /// The config file.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
    /// Print a config file with every key: its meaning, its range and its default.
    SampleConfig,
    /// Rebuild the signatures, postings and groups of a data directory from its records and texts.
    ///
    /// Exit codes: 0 rebuilt, 1 the records are damaged and were left unchanged, 2 error, 75 a daemon uses the
    /// data directory.
    Rebuild {
        /// The data directory; no daemon may be using it.
        #[arg(long, value_name = "DIR")]
        data_dir: PathBuf,
        /// Take the threshold, the signature schemes and the template lines from this config file; without one an
        /// index that leaves lines out is refused.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Verify everything in a data directory or a report, without changing it.
    ///
    /// Exit codes: 0 intact, 1 damaged, 2 error, 75 a daemon uses the data directory.
    Verify(verify::VerifyArgs),
    /// Read documents for the daemon (started by it, not by people).
    #[command(hide = true)]
    ExtractWorker,
    /// Run a program of the machine confined (started by the daemon, not by people).
    #[command(hide = true, disable_help_flag = true)]
    OutsideWorker {
        /// Its limits, the program, and the program's arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Examine a store that was not closed cleanly (started by the daemon, not by people).
    #[command(hide = true)]
    ProbeStore {
        /// The directory of the store.
        dir: PathBuf,
    },
}

#[derive(Args, Clone, Default)]
struct ServeArgs {
    /// Read this config file; without one, all settings have their defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Also watch this directory (repeatable).
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Keep the index in this directory, in place of the config's.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Listen on this Unix socket, in place of the config's; so does $SIMDEX_SOCKET, also if it was set for simctl.
    #[arg(long, value_name = "PATH", env = "SIMDEX_SOCKET")]
    socket: Option<PathBuf>,
}

/// Runs the command line; returns one of the documented exit codes. `extract_worker` serves
/// documents as a worker: the program has the readers, this library has not.
pub fn main(extract_worker: fn() -> ExitCode) -> ExitCode {
    let cli = Cli::parse();
    // Document text is in the files created from here on, those of the storage engine included.
    rustix::process::umask(rustix::fs::Mode::from(0o077));
    let done = match cli.command {
        None => serve(cli.serve),
        Some(Command::Serve(args)) => serve(args),
        Some(Command::Scan(args)) => configured(args.config.clone(), Vec::new())
            .and_then(|config| scan::run(&args, config, program()?)),
        Some(Command::CheckConfig { config }) => check_config(config),
        Some(Command::SampleConfig) => sample_config(),
        Some(Command::Rebuild { data_dir, config }) => {
            let is_configured = config.is_some();
            configured(config, Vec::new())
                .and_then(|config| rebuild::run(data_dir, config, is_configured, &program()?))
        }
        Some(Command::Verify(args)) => program().and_then(|program| verify::run(&args, &program)),
        Some(Command::ExtractWorker) => return extract_worker(),
        Some(Command::OutsideWorker { arguments }) => {
            return simdex_extract::external_tool_main(arguments);
        }
        Some(Command::ProbeStore { dir }) => return simdex_index::store::probe_main(&dir),
    };
    done.unwrap_or_else(|error| {
        eprintln!("simdexd: {}", sentence(&error));
        ExitCode::from(exit_code(&error))
    })
}

fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<EngineError>() {
        Some(EngineError::Locked(_)) => exit::LOCKED,
        _ => exit::ERROR,
    }
}

/// This executable: extraction workers and store probes are started from it.
fn program() -> anyhow::Result<PathBuf> {
    use anyhow::Context;
    std::env::current_exe().context("the path of simdexd itself is not known")
}

/// The config in a file, with its schedules checked too.
fn loaded(file: &Path) -> anyhow::Result<Config> {
    let config = Config::load(file)?;
    schedule::check(&config.schedules).map_err(|reason| ConfigError::Invalid {
        path: file.to_owned(),
        reason,
    })?;
    Ok(config)
}

fn configured(file: Option<PathBuf>, roots: Vec<PathBuf>) -> anyhow::Result<Config> {
    use anyhow::Context;
    let mut config = match file {
        Some(file) => loaded(&file)?,
        None => Config::default(),
    };
    for root in roots {
        let path = std::fs::canonicalize(&root).with_context(|| {
            format!(
                "the root {} does not exist; name an existing directory",
                root.display()
            )
        })?;
        config.roots.push(RootConfig {
            path,
            mode: RootMode::Auto,
        });
    }
    config.check().map_err(anyhow::Error::msg)?;
    Ok(config)
}

fn serve(args: ServeArgs) -> anyhow::Result<ExitCode> {
    let mut config = configured(args.config, args.roots)?;
    if let Some(named) = args.data_dir {
        let of_file = config.data_dir.replace(named);
        config.data_dir_of_file = of_file.filter(|dir| Some(dir) != config.data_dir.as_ref());
    }
    config.socket = args.socket.or(config.socket);
    if config.roots.is_empty() {
        anyhow::bail!(
            "there is nothing to watch; name a directory with --root DIR, or a config with --config FILE"
        );
    }
    serve::run(config, program()?)
}

fn check_config(file: PathBuf) -> anyhow::Result<ExitCode> {
    let config = loaded(&file)?;
    overlap::check_strictly(&config)?;
    let reports = serve::reports::report_dir(&config, config.data_dir.as_deref())?;
    serve::reports::check_room(&config, reports.as_ref())?;
    let roots = simdex_proto::text::counted(config.roots.len() as u64, "root");
    answer(format_args!("{} is valid: {roots}", file.display()))?;
    for root in &config.roots {
        let there = if root.path.is_dir() {
            ""
        } else {
            "  (missing at the moment)"
        };
        let (mode, path) = (root.mode.name(), root.path.display());
        answer(format_args!("  {mode}  {path}{there}"))?;
    }
    for warning in serve::reports::warnings(&config, reports.as_ref()) {
        answer(format_args!("  warning: {warning}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn sample_config() -> anyhow::Result<ExitCode> {
    answer(crate::config::sample().trim_end_matches('\n'))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::disk::{DiskGuard, Space};
    use crate::reports::report::ReportDir;

    #[test]
    fn a_directory_for_reports_that_cannot_be_used_is_refused_by_check_config() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().canonicalize().unwrap();
        let config = place.join("config.toml");
        let checked = |reports: &std::path::Path| {
            std::fs::write(&config, format!("report_dir = {reports:?}\n")).unwrap();
            check_config(config.clone())
        };
        assert!(checked(&place).is_ok());
        let missing = place.join("missing");
        let said = format!("{:#}", checked(&missing).unwrap_err());
        assert!(said.contains("missing"), "{said}");
    }

    #[test]
    fn what_the_start_refuses_is_refused_by_check_config() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().canonicalize().unwrap();
        let config = place.join("config.toml");
        for folder in ["root/reports", "data/reports", "reports"] {
            std::fs::create_dir_all(place.join(folder)).unwrap();
        }
        let checked = |reports: &str, more: &str| {
            let [root, data, reports] = ["root", "data", reports].map(|name| place.join(name));
            let text = format!(
                "data_dir = {data:?}\nreport_dir = {reports:?}\n[[roots]]\npath = {root:?}\n{more}"
            );
            std::fs::write(&config, text).unwrap();
            check_config(config.clone()).map_err(|error| format!("{error:#}"))
        };
        assert!(checked("reports", "").is_ok());
        for within in ["root/reports", "data/reports", "root", "data"] {
            let said = checked(within, "").unwrap_err();
            assert!(said.contains("lies in"), "{said}");
        }
        let copies_of = |file: PathBuf| {
            let name = "name = \"n\"\ncron = \"0 2 * * *\"\nkind = \"copies-of\"";
            format!("[[schedules]]\n{name}\nfiles = [{file:?}]\n")
        };
        assert!(checked("reports", &copies_of(place.join("root/a.txt"))).is_ok());
        let said = checked("reports", &copies_of(place.join("rooted/a.txt"))).unwrap_err();
        assert!(said.contains("is not below any of the roots"), "{said}");
        let command =
            "[[schedules]]\nname = \"n\"\ncron = \"0 2 * * *\"\ncommand = [\"/nowhere/p\"]\n";
        assert!(checked("reports", command).is_ok());
        let schedule = "[[schedules]]\nname = \"n\"\ncron = \"0 2 * * *\"\n";
        // Nothing can be created in it, not even by root.
        let said = checked("/proc", schedule).unwrap_err();
        assert!(said.contains("in the report directory /proc"), "{said}");
        assert_eq!(std::fs::read_dir(place.join("reports")).unwrap().count(), 0);
        assert!(checked("reports", command).is_ok());
        let config = Config::load(&config).unwrap();
        let reports = serve::reports::report_dir(&config, None).unwrap();
        let warnings = serve::reports::warnings(&config, reports.as_ref());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("/nowhere/p"), "{warnings:?}");
    }

    #[test]
    fn a_directory_without_room_for_the_reports_of_a_schedule_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().canonicalize().unwrap();
        let space = Space {
            available: 0,
            total: 1 << 30,
        };
        let full = DiskGuard::measured_by(&place, 1 << 20, Box::new(move |_| Ok(space)));
        let reports = ReportDir::open(&place).unwrap().watched_by(full);
        let config = |schedules: &str| toml::from_str::<Config>(schedules).unwrap();
        let schedule = config("[[schedules]]\nname = \"n\"\ncron = \"0 2 * * *\"\n");
        let said = serve::reports::check_room(&schedule, Some(&reports)).unwrap_err();
        assert!(said.to_string().contains("has no room"), "{said}");
        // It may be given room before anybody asks for one.
        assert!(serve::reports::check_room(&config(""), Some(&reports)).is_ok());
    }

    #[test]
    fn options_before_a_subcommand_are_refused_rather_than_ignored() {
        let parsed = |line: &str| Cli::try_parse_from(line.split(' '));
        for line in ["simdexd --config f", "simdexd serve --config f", "simdexd"] {
            assert!(parsed(line).is_ok(), "{line}");
        }
        for line in ["simdexd --config f serve", "simdexd --data-dir d scan x"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    /// The defaults that the help of a command mentions, each behind its flag; those that clap adds are correct
    /// anyway.
    fn defaults_of(command: &clap::Command) -> Vec<(String, String)> {
        let stated = |flag: &clap::Arg| {
            let help = flag.get_long_help().or(flag.get_help())?.to_string();
            let (_, default) = help.split_once("[default: ")?;
            let (default, _) = default.split_once(']')?;
            let name = format!("{} --{}", command.get_name(), flag.get_long()?);
            Some((name, default.to_owned()))
        };
        let below = command.get_subcommands().flat_map(defaults_of);
        let own = command.get_arguments().filter_map(stated);
        own.chain(below).collect()
    }

    #[test]
    fn help_names_the_defaults_that_hold() {
        let threshold = Config::default().signature.threshold;
        let expected = [
            ("scan --threshold", format!("the config's, {threshold}")),
            // The directory that `std::env::temp_dir` returns.
            (
                "verify --scratch",
                "the system's directory for temporary files".to_owned(),
            ),
        ];
        let expected = expected.map(|(flag, value)| (flag.to_owned(), value));
        assert_eq!(
            defaults_of(&<Cli as clap::CommandFactory>::command()),
            expected
        );
    }
}
