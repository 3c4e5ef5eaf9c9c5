//! The real binary: what it prints, what it says, how it exits.

mod calibrate;
mod collections;
mod judged;
mod labelling;
mod lists;
mod manners;
mod questions;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
    ended(command.output().expect("simctl runs"))
}

/// Runs it with this on standard input.
fn run_typing(mut command: Command, typed: &str) -> Run {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::piped()).spawn().expect("simctl runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that does not read to the end says why.
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    ended(child.wait_with_output().expect("simctl ends"))
}

fn ended(output: Output) -> Run {
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
