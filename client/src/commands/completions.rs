//! `completions`: a completion script for a shell; needs no daemon.

use std::io::{self, Write};

use clap_complete::{Shell, generate};

use crate::cli::command;
use crate::output::Printer;

pub(super) fn run(shell: Shell, printer: &mut Printer<impl Write>) -> io::Result<()> {
    // Generated in memory first: the generator panics if a write fails.
    let mut script = Vec::new();
    generate(shell, &mut command(), "simctl", &mut script);
    printer.write_all(&script)?;
    printer.finish()
}
