//! `simdexd`: the Simdex daemon and its one-shot commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    simdexd::cli::main()
}
