//! Plays a hostile hour with a real daemon and prints the results.
//!
//! `cargo run --release -p simdex-tests --bin hostile -- [--seconds N] [--seed S] [--without ACT]… [--json]`; exit code
//! 1 where something was found.

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use simdex_tests::figure::Figures;
use simdex_tests::hostile::Order;

/// Treats a daemon badly and shows that it still says what is so.
#[derive(Parser)]
struct Arguments {
    /// For how long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Of all random numbers: the same seed makes the same acts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leaves out an act or a shortage, by its name in the figures (repeatable)
    #[arg(long, value_name = "ACT")]
    without: Vec<String>,
    /// Print one JSON object per figure
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "hostile: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn run(arguments: &Arguments) -> Result<bool> {
    let mut out = stdout().lock();
    let mut figures = Figures::new(&mut out, arguments.json);
    let order = Order {
        time: Duration::from_secs(arguments.seconds),
        seed: arguments.seed,
        without: arguments.without.clone(),
    };
    figures.note(&format!("# hostile (seed {})", arguments.seed))?;
    Ok(order.run(&mut figures)?.is_empty())
}
