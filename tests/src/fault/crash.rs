//! A daemon that is killed at random moments, again and again, while files change and syncs
//! are acknowledged; and what it must still know afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::answers::{Listed, agree};
use super::ledger::Ledger;
use super::tree::Tree;
use crate::corpus::Random;
use crate::sandbox::{Daemon, Sandbox, Serve};

/// Files before the first strike.
const FILES: usize = 150;
/// A strike falls within this time, ms; most syncs take less than a tenth of it.
const WITHIN: u64 = 2_500;
/// By then a change is applied and its record on its way to the disk: a second for the store's own
/// thread, twice over.
const APPLIED: Duration = Duration::from_millis(2_500);
/// A small buffer, so that merges are always under way; commits by the clock so rare that what is
/// acknowledged stands on the commit of its own sync.
const MERGING: &str =
    "[store]\nbuffer_postings = 3000\ncommit_ms = 5000\n[watch]\ndebounce_ms = 20\n";
/// No merge and no commit but those of a sync.
const STILL: &str = "[store]\ncommit_ms = 600000\n[watch]\ndebounce_ms = 20\n";

/// Merges as [`MERGING`] does, and records rewritten whenever that gives room back.
const REWRITING: &str =
    "[store]\nbuffer_postings = 3000\nrecords_mib = 1\n[watch]\ndebounce_ms = 20\n";
/// Far above what it takes until records are rewritten.
const UNTIL_REWRITTEN: Duration = Duration::from_secs(600);
/// A strike falls within this time after a rewriting has begun, ms: about as long as it takes.
const WHILE_REWRITTEN: u64 = 80;

/// One share, one data directory, one strike after another.
pub struct Crash {
    sandbox: Sandbox,
    serve: Serve,
    data_dir: PathBuf,
    daemon: Option<Daemon>,
    tree: Tree,
    ledger: Ledger,
    random: Random,
    /// What has happened.
    pub figures: Figures,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Strikes on a daemon that was running.
    pub strikes: u32,
    /// Further strikes on a daemon that was still starting.
    pub at_start: u32,
    /// Syncs that the daemon acknowledged.
    pub acknowledged: u32,
    /// Files that had to be known after a strike, over all strikes.
    pub checked: usize,
}

impl Crash {
    /// A share under churn whose index is kept in `data_dir`, or beside it.
    pub fn new(seed: u64, data_dir: Option<PathBuf>) -> Result<Self> {
        Self::with(seed, data_dir, MERGING)
    }

    /// A daemon for which nothing is made to last before somebody asks for it.
    pub fn still(seed: u64, data_dir: Option<PathBuf>) -> Result<Self> {
        Self::with(seed, data_dir, STILL)
    }

    /// A daemon whose records are rewritten again and again.
    pub fn rewriting(seed: u64, data_dir: Option<PathBuf>) -> Result<Self> {
        Self::with(seed, data_dir, REWRITING)
    }

    fn with(seed: u64, data_dir: Option<PathBuf>, config: &str) -> Result<Self> {
        let sandbox = Sandbox::new()?;
        let data_dir = data_dir.unwrap_or_else(|| sandbox.data_dir());
        let serve = sandbox.serve().config(config).data_dir(&data_dir);
        let mut tree = Tree::new(sandbox.share(), seed)?;
        tree.grow(FILES)?;
        let (ledger, random) = (Ledger::default(), Random::new(seed, 1));
        let figures = Figures::default();
        Ok(Self {
            sandbox,
            serve,
            data_dir,
            daemon: None,
            tree,
            ledger,
            random,
            figures,
        })
    }

    /// Changes and syncs until `strike` has come over the daemon at a random moment; the daemon is
    /// dead then.
    pub fn strike(&mut self, strike: impl FnOnce() -> Result<()> + Send) -> Result<()> {
        let daemon = match self.daemon.take() {
            Some(daemon) => daemon,
            None => self.serve.start()?,
        };
        let moment = Duration::from_millis(self.random.below(WITHIN));
        let (begun, over) = (AtomicBool::new(false), AtomicBool::new(false));
        thread::scope(|scope| {
            let striker = scope.spawn(|| {
                thread::sleep(moment);
                begun.store(true, Ordering::SeqCst);
                let struck = strike();
                over.store(true, Ordering::SeqCst);
                struck
            });
            let changed = self.change_until(&daemon, &begun, &over);
            striker
                .join()
                .map_err(|_| anyhow::anyhow!("the striker panicked"))??;
            changed
        })?;
        self.figures.strikes += 1;
        daemon.kill()
    }

    /// Strikes by kill -9.
    pub fn kill(&mut self) -> Result<()> {
        let id = self.running()?;
        self.strike(move || Ok(kill_process(id, Signal::KILL)?))
    }

    /// Strikes by kill -9 while records are rewritten.
    pub fn kill_while_rewriting(&mut self) -> Result<()> {
        let id = self.running()?;
        self.strike_while_rewriting(move || Ok(kill_process(id, Signal::KILL)?))
    }

    /// Strikes as [`Crash::strike`] does, while records are rewritten.
    pub fn strike_while_rewriting(
        &mut self,
        strike: impl FnOnce() -> Result<()> + Send,
    ) -> Result<()> {
        let records = self.data_dir.join("store/records");
        let moment = Duration::from_millis(self.random.below(WHILE_REWRITTEN));
        self.strike(move || {
            await_rewriting(&records)?;
            thread::sleep(moment);
            strike()
        })
    }

    /// Strikes by kill -9 as soon as records were rewritten.
    pub fn kill_once_rewritten(&mut self) -> Result<()> {
        let id = self.running()?;
        let records = self.data_dir.join("store/records");
        let before = rewritten(&records);
        self.strike(move || {
            until(|| rewritten(&records) > before)?;
            Ok(kill_process(id, Signal::KILL)?)
        })
    }

    /// The process of the daemon, which is started where there is none.
    fn running(&mut self) -> Result<Pid> {
        if self.daemon.is_none() {
            self.daemon = Some(self.serve.start()?);
        }
        let id = self
            .daemon
            .as_ref()
            .and_then(|daemon| Pid::from_raw(daemon.id() as i32));
        id.context("a daemon without an id")
    }

    /// Kills a daemon that is still starting: recovery must bear that as well.
    pub fn kill_at_start(&mut self) -> Result<()> {
        let daemon = self.serve.spawn()?;
        thread::sleep(Duration::from_millis(self.random.below(400)));
        self.figures.at_start += 1;
        daemon.kill()
    }

    /// Kills the daemon while changes are applied and not yet synced, starts it again, and strikes as
    /// soon as it has acknowledged them: what the dead process wrote is the new one's to make last.
    pub fn strike_after_kill(&mut self, strike: impl FnOnce() -> Result<()>) -> Result<()> {
        if let Some(daemon) = self.daemon.take() {
            daemon.stop()?;
        }
        let daemon = self.serve.start()?;
        // From here on what changes is heard of, and applied without being asked for.
        daemon.sync()?;
        for _ in 0..12 {
            self.tree.step()?;
        }
        thread::sleep(APPLIED);
        daemon.kill()?;
        let daemon = self.serve.start()?;
        self.ledger.ask(&mut self.tree);
        daemon.sync()?;
        self.ledger.acknowledge(&self.tree);
        self.figures.acknowledged += 1;
        strike()?;
        self.figures.strikes += 1;
        daemon.kill()
    }

    fn change_until(
        &mut self,
        daemon: &Daemon,
        begun: &AtomicBool,
        over: &AtomicBool,
    ) -> Result<()> {
        loop {
            for _ in 0..=self.random.below(12) {
                self.tree.step()?;
            }
            self.ledger.ask(&mut self.tree);
            let asked_too_late = over.load(Ordering::SeqCst);
            match daemon.sync() {
                Ok(()) if asked_too_late => bail!("a sync after the strike was acknowledged"),
                Ok(()) => {
                    self.ledger.acknowledge(&self.tree);
                    self.figures.acknowledged += 1;
                }
                Err(_) if begun.load(Ordering::SeqCst) => return Ok(()),
                Err(error) => return Err(error.context("before any strike")),
            }
        }
    }

    /// Starts the daemon again. While its root is away, so that nothing can be repaired from there,
    /// it must know all that was acknowledged; when the root is back, what a fresh scan says.
    pub fn recover(&mut self) -> Result<()> {
        let (share, away) = (self.sandbox.share().to_owned(), self.sandbox.beside("away"));
        fs::rename(&share, &away)?;
        let daemon = self.serve.start()?;
        let faults = self.ledger.faults(&share, &Listed::by_daemon(&daemon)?);
        ensure!(
            faults.is_empty(),
            "after a strike: {}\n{}",
            faults.join("\n"),
            daemon.log()?
        );
        self.figures.checked += self.ledger.len();
        let refused = daemon.simctl(["sync"])?.ended_with(&[2])?;
        let named = refused.stderr.contains(&*share.to_string_lossy());
        ensure!(
            named,
            "sync does not name the root that is away: {}",
            refused.stderr
        );
        // Joined again below the daemon's threshold: this reads the stored texts.
        daemon
            .simctl(["pairs", "--threshold", "0.5"])?
            .ended_with(&[0, 1])?;
        fs::rename(&away, &share)?;
        agree(&daemon, &[&share])?;
        self.ledger.ask(&mut self.tree);
        self.ledger.acknowledge(&self.tree);
        let log = daemon.log()?;
        // As the runtime reports it. A panic of the engine that became an error, as it does on a disk
        // that fails, reads differently.
        ensure!(!log.contains("panicked at"), "a thread panicked:\n{log}");
        ensure!(
            !log.contains("set aside"),
            "the store was taken for damaged:\n{log}"
        );
        self.daemon = Some(daemon);
        Ok(())
    }

    /// Stops the daemon; returns what has happened.
    pub fn finish(mut self) -> Result<Figures> {
        if let Some(daemon) = self.daemon.take() {
            let status = daemon.stop()?;
            ensure!(status.success(), "the daemon ended with {status}");
        }
        Ok(self.figures)
    }
}

/// Names of generations of records and of marks.
fn generations(records: &Path) -> Vec<String> {
    let entries = fs::read_dir(records).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect()
}

/// How often records were rewritten.
fn rewritten(records: &Path) -> u32 {
    let names = generations(records);
    let is_finished = |name: &&String| !names.contains(&format!("{name}.new"));
    let finished = names.iter().filter(is_finished);
    finished
        .filter_map(|name| name.parse().ok())
        .max()
        .unwrap_or(0)
}

/// Returns once records are rewritten, as far as a mark tells.
fn await_rewriting(records: &Path) -> Result<()> {
    until(|| {
        generations(records)
            .iter()
            .any(|name| name.ends_with(".new"))
    })
}

fn until(is_so: impl Fn() -> bool) -> Result<()> {
    let deadline = Instant::now() + UNTIL_REWRITTEN;
    while !is_so() {
        ensure!(
            Instant::now() < deadline,
            "no records were rewritten within {UNTIL_REWRITTEN:?}"
        );
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
