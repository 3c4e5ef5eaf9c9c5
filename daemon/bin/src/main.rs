//! `simdexd`: the Simdex daemon and its one-shot commands, with the readers that its workers run.

use std::process::ExitCode;

fn main() -> ExitCode {
    simdexd::commands::cli::main(simdex_readers::worker_main)
}
