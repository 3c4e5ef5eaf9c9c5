//! `simctl`: asks the Simdex daemon from the command line.
//!
//! Parse → one function per verb (`commands/`) → printer (`output/`) → exit code.

mod cli;
mod commands;
mod exit_code;
mod failure;
mod output;
mod progress;

use std::process::ExitCode;

use crate::exit_code::Outcome;
use crate::failure::Failure;

fn main() -> ExitCode {
    let outcome = run(cli::parse());
    exit_code::to_exit_code(outcome.inspect_err(|failure| {
        if !failure.is_broken_pipe() {
            output::eprint_line(failure);
        }
    }))
}

fn run(cli: cli::Cli) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?;
    let outcome = runtime.block_on(commands::run(cli));
    // A read of standard input may still block; exiting does not wait for it.
    runtime.shutdown_background();
    outcome
}
