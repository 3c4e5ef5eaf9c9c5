//! Feeds mutated documents to the pool, one format at a time, and prints the results.
//!
//! `cargo run --release -p simdex-tests --bin fuzz -- --list | TARGET… [--seconds N]
//! [--corpus DIR] [--seed S]`; exit code 1 where something was found. Documents that cost a worker
//! are kept in `target/fuzz/TARGET/`.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use simdex_tests::figure::Figures;
use simdex_tests::fuzz::{Order, TARGETS, Target, find, lying};

/// Breaks documents of every format and shows that only workers suffer.
#[derive(Parser)]
struct Arguments {
    /// Which targets; `all` for every one
    #[arg(required_unless_present = "list")]
    targets: Vec<String>,
    /// List the targets
    #[arg(long)]
    list: bool,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Further seeds: files whose names end as those of the format
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Of all random numbers: the same seed makes the same documents
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("extract-worker") => return simdex_readers::worker_main(),
        Some(lying::ARGUMENT) => {
            let seed = arguments.next().and_then(|seed| seed.parse().ok());
            return lying::lying_main(seed.unwrap_or(0));
        }
        _ => {}
    }
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fuzz: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn run(arguments: &Arguments) -> Result<bool> {
    let mut out = stdout().lock();
    if arguments.list {
        for target in TARGETS {
            writeln!(out, "{}", target.name)?;
        }
        return Ok(true);
    }
    let named = arguments.targets.iter().map(|name| {
        let target = find(name);
        target.with_context(|| format!("no target is called {name}; --list names them"))
    });
    let targets: Vec<&'static Target> = match &arguments.targets[..] {
        [all] if all == "all" => TARGETS.iter().collect(),
        _ => named.collect::<Result<_>>()?,
    };
    let mut clean = true;
    for target in targets {
        clean &= campaign(arguments, target, &mut out)?;
    }
    Ok(clean)
}

fn campaign(arguments: &Arguments, target: &'static Target, out: &mut impl Write) -> Result<bool> {
    let order = Order {
        target,
        time: Duration::from_secs(arguments.seconds),
        seed: arguments.seed,
        corpus: arguments.corpus.as_deref(),
        kept_in: build_directory()?.join("fuzz").join(target.name),
    };
    writeln!(out, "# {} (seed {})", target.name, arguments.seed)?;
    let started = Instant::now();
    let done = order.run()?;
    let rate = done.executions as f64 / started.elapsed().as_secs_f64();
    let mut figures = Figures::new(out, false);
    figures.put("executions", done.executions as f64, "")?;
    figures.put("executions a second", rate, "/s")?;
    for (outcome, count) in &done.outcomes {
        figures.put(outcome, *count as f64, "")?;
    }
    figures.put("findings", done.findings.len() as f64, "")?;
    for finding in &done.findings {
        writeln!(out, "FOUND: {finding}")?;
    }
    Ok(done.findings.is_empty())
}

/// The `target` folder that this program was built into.
fn build_directory() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let directory = own.ancestors().nth(2);
    Ok(directory
        .context("the program lies in no target folder")?
        .to_owned())
}
