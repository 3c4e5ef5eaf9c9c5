//! The real binary: what it prints, what it says, how it exits.

mod calibrate;
mod collections;
mod judged;
mod lists;
mod manners;
mod questions;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::fake::Daemon;

const BINARY: &str = env!("CARGO_BIN_EXE_simctl");

/// What came of a run: exit code, stdout, stderr.
#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    talk: String,
}

fn command(socket: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .env_remove("SIMDEX_SOCKET")
        .env_remove("COLUMNS")
        .env_remove("XDG_RUNTIME_DIR");
    command
        .arg("--socket")
        .arg(socket)
        .args(args)
        .stdin(Stdio::null());
    command
}

fn run(mut command: Command) -> Run {
    let output = command.output().expect("simctl runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run {
        code: output.status.code().expect("no signal"),
        out: text(output.stdout),
        talk: text(output.stderr),
    }
}

fn simctl(daemon: &Daemon, args: &[&str]) -> Run {
    run(command(&daemon.socket(), args))
}
