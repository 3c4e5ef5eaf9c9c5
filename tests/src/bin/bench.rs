//! Runs one benchmark and prints its figures.
//!
//! `cargo run --release -p simdex-tests --bin bench -- --list | NAME [--documents N] [--store DIR] [--small] [--json]`

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use simdex_tests::bench::{BENCHMARKS, Settings, find};
use simdex_tests::figure::Figures;

/// Measures Simdex; run it on an otherwise idle machine, built with --release.
#[derive(Parser)]
struct Arguments {
    /// Which benchmark
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// List the benchmarks
    #[arg(long)]
    list: bool,
    /// Print one JSON object per figure
    #[arg(long)]
    json: bool,
    /// Documents to index, where the benchmark indexes any
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    documents: Option<u64>,
    /// Keeps the index in this folder; one that lies there whole is asked and not filled again (index-100k)
    #[arg(long)]
    store: Option<PathBuf>,
    /// Versions in each family, in place of sizes by a power law (peers)
    #[arg(long, value_name = "VERSIONS", value_parser = clap::value_parser!(u64).range(1..))]
    families_of: Option<u64>,
    /// As little memory as can be configured, in place of the defaults (index-100k)
    #[arg(long)]
    small: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    let Some(name) = arguments.name.as_deref().filter(|_| !arguments.list) else {
        for benchmark in BENCHMARKS {
            writeln!(out, "{:<20} {}", benchmark.name, benchmark.about)?;
        }
        return Ok(());
    };
    let benchmark = find(name)
        .ok_or_else(|| anyhow::anyhow!("no benchmark is called {name}; --list names them"))?;
    let settings = Settings {
        documents: arguments.documents,
        store: arguments.store.clone(),
        families_of: arguments.families_of,
        small: arguments.small,
    };
    (benchmark.run)(settings, &mut Figures::new(&mut out, arguments.json))
}
