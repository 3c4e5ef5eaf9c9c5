//! Runs acceptance checks on real documents and prints their figures.
//!
//! `cargo run --release -p simdex-tests --bin acceptance -- --list | NAME… [--corpus DIR] [--json]`

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use simdex_tests::acceptance::{CHECKS, Check, NamedTests, Verdict, find};
use simdex_tests::figure::Figures;
use simdex_tests::sandbox::corpora;

/// Check Simdex's guarantees on real documents.
#[derive(Parser)]
struct Arguments {
    /// Which checks; `all` for every one
    #[arg(required_unless_present = "list")]
    names: Vec<String>,
    /// List the checks
    #[arg(long)]
    list: bool,
    /// The folder of real documents [default: $SIMDEX_CORPORA, else ../shared/corpora]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Check that the referenced tests exist without running them
    #[arg(long)]
    trials_only: bool,
    /// Print one JSON object per figure
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "acceptance: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether every check named holds.
fn run(arguments: &Arguments) -> Result<bool> {
    let mut out = stdout().lock();
    if arguments.list {
        for check in CHECKS {
            writeln!(out, "{:<14} {}", check.name, check.about)?;
        }
        return Ok(true);
    }
    let unknown = |name: &String| format!("no check is called {name}; --list names them");
    let named = arguments
        .names
        .iter()
        .map(|name| find(name).with_context(|| unknown(name)));
    let checks: Vec<&Check> = match &arguments.names[..] {
        [all] if all == "all" => CHECKS.iter().collect(),
        _ => named.collect::<Result<_>>()?,
    };
    let documents = match &arguments.corpus {
        Some(dir) => Some(
            dir.canonicalize()
                .with_context(|| dir.display().to_string())?,
        ),
        None => corpora(),
    };
    let tests = match arguments.trials_only {
        true => NamedTests::Exist,
        false => NamedTests::Run,
    };
    let mut hold = true;
    for check in checks {
        if !arguments.json {
            writeln!(out, "# {}: {}", check.name, check.about)?;
        }
        let verdict = check.run(
            documents.as_deref(),
            tests,
            &mut Figures::new(&mut out, arguments.json),
        );
        hold &= verdict.is_ok();
        let verdict = match verdict {
            Ok(Verdict::Holds) => "holds".to_owned(),
            Ok(Verdict::Skipped(reason)) => format!("skipped: {reason}"),
            Err(error) => format!("DOES NOT HOLD: {error:#}"),
        };
        writeln!(std::io::stderr(), "{}: {verdict}", check.name)?;
    }
    Ok(hold)
}
