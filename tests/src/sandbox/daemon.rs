//! A running `simdexd serve`: started until it answers, asked, killed, started again.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
use simdex_client::{Client, Limits};
use tokio::runtime::Builder;

use super::run::{Answer, Run};
use super::{Sandbox, simctl, simdexd};

/// A daemon that does not answer within this time fails its test.
const START: Duration = Duration::from_secs(300);
/// A daemon told to stop that has not ended after this time fails its test.
const STOP: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(10);

/// How a daemon is started; cloned for the next start on the same data directory.
#[derive(Clone, Debug)]
pub struct Serve {
    data_dir: PathBuf,
    /// Given on the command line, beside the one in the config.
    typed_data_dir: Option<PathBuf>,
    socket: PathBuf,
    config_file: PathBuf,
    log: PathBuf,
    roots: Vec<(PathBuf, &'static str)>,
    config: String,
    template_lines: Option<PathBuf>,
    report_dir: Option<PathBuf>,
    /// Bytes of its address space, where they are limited.
    address_space: Option<u64>,
    /// Options of the shell's `ulimit`, such as `-n 256`.
    limits: Vec<String>,
}

impl Serve {
    pub(super) fn new(sandbox: &Sandbox) -> Self {
        Self {
            data_dir: sandbox.data_dir(),
            typed_data_dir: None,
            socket: sandbox.socket(),
            config_file: sandbox.beside("simdexd.toml"),
            log: sandbox.beside("simdexd.log"),
            roots: vec![(sandbox.share().to_owned(), "auto")],
            config: String::new(),
            template_lines: None,
            report_dir: None,
            address_space: None,
            limits: Vec::new(),
        }
    }

    /// Limits its address space to this many bytes, like a small machine.
    pub fn address_space(mut self, bytes: u64) -> Self {
        self.address_space = Some(bytes);
        self
    }

    /// Watches these directories instead of the share: path and mode (`auto`, `native`, `poll`).
    pub fn roots<P: Into<PathBuf>>(
        mut self,
        roots: impl IntoIterator<Item = (P, &'static str)>,
    ) -> Self {
        self.roots = roots
            .into_iter()
            .map(|(path, mode)| (path.into(), mode))
            .collect();
        self
    }

    /// Keeps the index here instead.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data_dir = path.into();
        self
    }

    /// Names this data directory on the command line, beside the one in the config.
    pub fn typed_data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.typed_data_dir = Some(path.into());
        self
    }

    /// Sections of the config beyond paths and roots, such as `[watch]\ndebounce_ms = 50\n`.
    pub fn config(mut self, sections: &str) -> Self {
        self.config.push_str(sections);
        self
    }

    /// Has it leave out the lines of this list.
    pub fn template_lines(mut self, list: impl Into<PathBuf>) -> Self {
        self.template_lines = Some(list.into());
        self
    }

    /// Has it keep reports in this directory.
    pub fn report_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.report_dir = Some(directory.into());
        self
    }

    /// Starts it under a limit of the shell's `ulimit`, such as `-n 256`.
    pub fn limited(mut self, limit: &str) -> Self {
        self.limits.push(limit.to_owned());
        self
    }

    /// The program, within the limits: the shell becomes the program, so its id stays.
    fn command(&self) -> Result<Command> {
        if self.limits.is_empty() {
            return Ok(Command::new(simdexd()?));
        }
        let limits = self.limits.iter();
        let limits: String = limits.map(|limit| format!("ulimit {limit} && ")).collect();
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("{limits}exec \"$0\" \"$@\""));
        shell.arg(simdexd()?);
        Ok(shell)
    }

    /// Starts it and waits until it answers.
    pub fn start(&self) -> Result<Daemon> {
        let mut daemon = self.spawn()?;
        let started = Instant::now();
        while UnixStream::connect(&self.socket).is_err() {
            if let Some(status) = daemon.child.try_wait()? {
                bail!(
                    "simdexd ended at its start with {status}: {}",
                    daemon.log()?
                );
            }
            ensure!(
                started.elapsed() < START,
                "simdexd does not answer: {}",
                daemon.log()?
            );
            thread::sleep(PAUSE);
        }
        daemon.simctl(["status"])?.success()?;
        Ok(daemon)
    }

    /// Starts it without waiting, to be killed at any moment.
    pub fn spawn(&self) -> Result<Daemon> {
        fs::write(&self.config_file, self.toml())?;
        // The socket of one that was killed would look like that of this one.
        let _ = fs::remove_file(&self.socket);
        let log = File::options().create(true).append(true).open(&self.log)?;
        let typed = self.typed_data_dir.iter();
        let child = self
            .command()?
            .arg("serve")
            .arg("--config")
            .arg(&self.config_file)
            .args(typed.flat_map(|dir| [OsStr::new("--data-dir"), dir.as_os_str()]))
            .env_remove("SIMDEX_SOCKET")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        if let Some(bytes) = self.address_space {
            let limit = Rlimit {
                current: Some(bytes),
                maximum: Some(bytes),
            };
            prlimit(Some(Pid::from_child(&child)), Resource::As, limit)?;
        }
        Ok(Daemon {
            child,
            serve: self.clone(),
        })
    }

    /// Runs it to its end, where the start is to be refused.
    pub fn refused(&self) -> Result<Answer> {
        // Longer than a start; one that is not refused must not go on for ever.
        self.run_with(Run::of("timeout").args(["60"]).args([simdexd()?]))
    }

    /// Runs it to its end as the argument of `program`.
    pub fn run_with(&self, program: Run) -> Result<Answer> {
        fs::write(&self.config_file, self.toml())?;
        program
            .args(["serve", "--config"])
            .args([&self.config_file])
            .wait()
    }

    /// `simdexd check-config` of its config.
    pub fn checked(&self) -> Result<Answer> {
        fs::write(&self.config_file, self.toml())?;
        Run::of(simdexd()?)
            .args(["check-config", "--config"])
            .args([&self.config_file])
            .wait()
    }

    fn toml(&self) -> String {
        // Debug quotes as TOML does, for names without control characters.
        let mut text = format!(
            "data_dir = {:?}\nsocket = {:?}\n",
            self.data_dir, self.socket
        );
        if let Some(list) = &self.template_lines {
            let _ = writeln!(text, "template_lines = {list:?}");
        }
        if let Some(directory) = &self.report_dir {
            let _ = writeln!(text, "report_dir = {directory:?}");
        }
        for (path, mode) in &self.roots {
            let _ = write!(text, "[[roots]]\npath = {path:?}\nmode = {mode:?}\n");
        }
        text + &self.config
    }
}

/// A daemon; killed when dropped.
pub struct Daemon {
    child: Child,
    serve: Serve,
}

impl Daemon {
    /// `simctl --json ARGS`, asked of this daemon.
    pub fn simctl<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Result<Answer> {
        self.ask(args).wait()
    }

    /// Runs simctl with this on standard input: the file named `-`.
    pub fn simctl_reading<A: AsRef<OsStr>>(
        &self,
        stdin: impl Into<Vec<u8>>,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Answer> {
        self.ask(args).stdin(stdin).wait()
    }

    /// `simctl ARGS`, asked of this daemon as by a person: tables, and sentences on standard error.
    pub fn simctl_in_words<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Answer> {
        self.ask_in_words().args(args).wait()
    }

    /// Runs simctl on a terminal, where this is typed.
    pub fn simctl_on_terminal<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        typed: &str,
    ) -> Result<Answer> {
        self.ask_in_words().args(args).on_terminal(typed)
    }

    fn ask<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run {
        self.ask_in_words().args(["--json"]).args(args)
    }

    fn ask_in_words(&self) -> Run {
        // A program that cannot be built is reported when it is run.
        let program = simctl().unwrap_or_default();
        Run::of(program)
            .args(["--socket"])
            .args([&self.serve.socket])
    }

    /// Confirms what `roots` shows now of the root at this path; what `simctl` printed.
    pub fn confirm_shown_loss(&self, root: &str) -> Result<Answer> {
        let shown = self.simctl(["roots"])?.success()?.lines_of("root")?;
        let of_root = shown.iter().find(|line| line["path"] == root);
        let token = of_root.and_then(|line| line["loss_token"].as_str());
        let token = token.with_context(|| format!("nothing is held of {root}: {shown:?}"))?;
        self.simctl(["roots", "confirm-loss", root, "--token", token])?
            .success()
    }

    /// Waits until every change made so far is applied, and until the first walk of each watcher is over:
    /// a sync may come before it.
    pub fn sync(&self) -> Result<()> {
        self.simctl(["sync"])?.success()?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let limits = Limits {
            work: START,
            ..Limits::default()
        };
        let waited = runtime.block_on(async {
            let client = Client::connect_with(self.socket(), limits).await?;
            client.wait().await
        });
        waited.with_context(|| self.log().unwrap_or_default())?;
        Ok(())
    }

    /// State of the first root once it is not walked any more: another walk may follow the one that was waited for,
    /// as where the watch is set again.
    pub fn state_once_walked(&self) -> Result<String> {
        let deadline = Instant::now() + STOP;
        loop {
            let roots = self.simctl(["roots"])?.success()?.lines_of("root")?;
            let state = roots[0]["state"].as_str().unwrap_or_default();
            if state != "scanning" || Instant::now() > deadline {
                return Ok(state.to_owned());
            }
            thread::sleep(PAUSE);
        }
    }

    /// Its socket, for clients other than simctl.
    pub fn socket(&self) -> &Path {
        &self.serve.socket
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, where it has.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// What it has said so far, and those before it in this sandbox.
    pub fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.serve.log)?)
    }

    /// kill -9, at once.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// SIGTERM, as systemd stops it; returns how it ended.
    pub fn stop(mut self) -> Result<ExitStatus> {
        rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(
                started.elapsed() < STOP,
                "simdexd does not stop: {}",
                self.log()?
            );
            thread::sleep(PAUSE);
        }
    }

    /// Stops it, which must end well, and starts it again on the same data directory.
    pub fn restart(self) -> Result<Self> {
        let serve = self.serve.clone();
        let status = self.stop()?;
        ensure!(status.success(), "simdexd ended with {status} when stopped");
        serve.start().context("the second start")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
