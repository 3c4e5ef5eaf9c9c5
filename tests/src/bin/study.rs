//! Runs one study and prints its figures; makes and evaluates collections of near-duplicates.
//!
//! `-- collection --originals DIR --out DIR [--chains FILE] [--seed N]` and `-- evaluate --list FILE --found FILE
//! --documents DIR` work on files ([`simdex_tests::collections`]).
//!
//! `cargo run --release -p simdex-tests --bin study -- --list | NAME [--corpus DIR] [--texts N]
//! [--keep FILE] [--figures DIR] [--json]`. Called with `extract-worker` it is a worker of its own pool.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use simdex_tests::collections::{self, Command};
use simdex_tests::figure::Figures;
use simdex_tests::study::{STUDIES, Settings, find, worker};

/// Holds what Simdex reads against what independent readers read, and runs the papers' experiments.
#[derive(Parser)]
#[command(subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Which study
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// List the studies
    #[arg(long)]
    list: bool,
    /// The folder of real documents [default: $SIMDEX_CORPORA, else ../shared/corpora]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Texts to convert, where the study converts any
    #[arg(long, value_name = "N")]
    texts: Option<usize>,
    /// Keeps the answers of independent readers in this file, and takes them from it
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Draws figures, as SVG, into this folder
    #[arg(long, value_name = "DIR", default_value = "target/study")]
    figures: PathBuf,
    /// Print one JSON object per figure
    #[arg(long, global = true)]
    json: bool,
}

fn main() -> ExitCode {
    if let Some(ended) = worker() {
        return ended;
    }
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "study: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if let Some(command) = &arguments.command {
        return collections::run(command, &mut Figures::new(&mut out, arguments.json));
    }
    let Some(name) = arguments.name.as_deref().filter(|_| !arguments.list) else {
        for study in STUDIES {
            writeln!(out, "{:<17} {}", study.name, study.about)?;
        }
        return Ok(());
    };
    let study = find(name)
        .ok_or_else(|| anyhow::anyhow!("no study is called {name}; --list names them"))?;
    let settings = Settings {
        corpus: arguments.corpus,
        texts: arguments.texts,
        keep: arguments.keep,
        figures: arguments.figures,
    };
    (study.run)(&settings, &mut Figures::new(&mut out, arguments.json))
}
