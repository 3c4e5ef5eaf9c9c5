//! One run of a program: its input, its exit and its output.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::jsonl;

/// Longer than any run takes; one that hangs fails its test instead of holding up the suite.
const LIMIT: Duration = Duration::from_secs(600);

/// A program about to be run.
pub struct Run {
    pub(super) command: Command,
    stdin: Option<Vec<u8>>,
}

impl Run {
    /// Of the program at this path, without variables that would lead it to another daemon or bound its lines.
    pub fn of(program: impl AsRef<Path>) -> Self {
        let mut command = Command::new(program.as_ref());
        command.env_remove("SIMDEX_SOCKET").env_remove("COLUMNS");
        Self {
            command,
            stdin: None,
        }
    }

    /// Adds arguments after those that are there.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// What it reads from standard input; nothing where this is not called.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Runs it to its end, however it ends.
    pub fn wait(mut self) -> Result<Answer> {
        let input = if self.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        self.command
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self
            .command
            .spawn()
            .with_context(|| format!("{:?}", self.command))?;
        if let (Some(bytes), Some(mut pipe)) = (self.stdin, child.stdin.take()) {
            // A program that does not read to the end says so by its exit code.
            thread::spawn(move || pipe.write_all(&bytes));
        }
        let command = format!("{:?}", self.command);
        let output = ended(child, &command)?;
        Ok(Answer {
            command,
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

/// Waits for the end of a program; kills one that hangs.
pub(super) fn ended(child: Child, command: &str) -> Result<Output> {
    let id = rustix::process::Pid::from_child(&child);
    let (done, ended) = mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(LIMIT) else {
        rustix::process::kill_process(id, rustix::process::Signal::KILL)?;
        bail!("{command} did not end within {LIMIT:?}");
    };
    Ok(output?)
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The command line, for messages.
    pub command: String,
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it said.
    pub stderr: String,
}

impl Answer {
    /// The exit code; an error where a signal ended it.
    pub fn code(&self) -> Result<i32> {
        self.status
            .code()
            .with_context(|| format!("{} ended by {}", self.command, self.status))
    }

    /// Itself where the exit code is 0.
    pub fn success(self) -> Result<Self> {
        self.ended_with(&[0])
    }

    /// Itself where the exit code is one of these: 1 says that nothing was found.
    pub fn ended_with(self, codes: &[i32]) -> Result<Self> {
        let code = self.code()?;
        ensure!(
            codes.contains(&code),
            "{} ended with {code}: {}",
            self.command,
            self.stderr
        );
        Ok(self)
    }

    /// The lines printed, each a JSON object.
    pub fn lines(&self) -> Result<Vec<Value>> {
        jsonl::parse(&self.stdout).with_context(|| self.command.clone())
    }

    /// The lines of one `type`.
    pub fn lines_of(&self, kind: &str) -> Result<Vec<Value>> {
        Ok(jsonl::of_type(self.lines()?, kind))
    }
}
