//! One target for a while: documents made, given to the pool, answers judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use simdex_extract::{Budgets, Extraction, Limits, Outcome, Pool, ReadOptions, WorkerCommand};

use super::answer::{fault, is_worth_study, name_of};
use super::lying;
use super::resources::Resources;
use super::{Mutator, Target};
use crate::corpus::Random;

const WORKERS: usize = 2;
/// Documents of one outcome that are kept for study.
const KEPT: usize = 20;
/// Above the wall clock, an answer may take so long on a loaded machine.
const SLACK: Duration = Duration::from_secs(20);

/// What is to be done.
pub struct Order<'a> {
    /// What is fuzzed, and with which seeds.
    pub target: &'static Target,
    /// For how long.
    pub time: Duration,
    /// Of all random numbers.
    pub seed: u64,
    /// Files that serve as seeds beside those of the tree.
    pub corpus: Option<&'a Path>,
    /// Where documents for study go.
    pub kept_in: PathBuf,
}

/// The results of a campaign.
#[derive(Default)]
pub struct Campaign {
    /// Documents that were answered for.
    pub executions: u64,
    /// Answers by state and reason.
    pub outcomes: BTreeMap<String, u64>,
    /// What must never happen, and did.
    pub findings: BTreeSet<String>,
    kept: BTreeMap<String, usize>,
}

impl Order<'_> {
    /// Fuzzes until the time is over, and looks for leaks.
    pub fn run(&self) -> Result<Campaign> {
        fs::create_dir_all(&self.kept_in)?;
        let before = Resources::now()?;
        let limits = limits(self.is_protocol());
        let mut sum = Campaign::default();
        let warm = {
            let pool = Pool::new(self.worker()?, WORKERS, limits.clone());
            sum.add(self.stretch(&pool, &limits, self.time / 4, 0)?);
            let warm = Resources::now()?;
            sum.add(self.stretch(&pool, &limits, self.time * 3 / 4, 1)?);
            warm
        };
        // The thread that starts workers ends after its pool.
        thread::sleep(Duration::from_millis(200));
        let after = Resources::now()?;
        sum.findings.extend(after.leaks_since(&before));
        sum.findings.extend(after.growth_since(&warm));
        Ok(sum)
    }

    fn is_protocol(&self) -> bool {
        self.target.name == lying::TARGET
    }

    fn worker(&self) -> Result<WorkerCommand> {
        let args = if self.is_protocol() {
            vec![lying::ARGUMENT.into(), self.seed.to_string().into()]
        } else {
            vec!["extract-worker".into()]
        };
        Ok(WorkerCommand {
            program: std::env::current_exe()?,
            args,
        })
    }

    /// As many callers as workers, each with its own random numbers.
    fn stretch(&self, pool: &Pool, limits: &Limits, time: Duration, turn: u64) -> Result<Campaign> {
        let seeds = self.target.seeds(self.corpus)?;
        let end = Instant::now() + time;
        let caller = |number: u64| {
            let target = self.target;
            let mutator = Mutator::new(seeds.clone(), target.all_words(), target.is_package);
            let stream = turn * WORKERS as u64 + number;
            move || self.caller(pool, limits, mutator, stream, end)
        };
        let mut sum = Campaign::default();
        thread::scope(|scope| {
            let callers: Vec<_> = (0..WORKERS as u64)
                .map(|at| scope.spawn(caller(at)))
                .collect();
            for caller in callers {
                let done = caller.join().map_err(|_| anyhow!("a caller panicked"))?;
                sum.add(done?);
            }
            Ok(sum)
        })
    }

    fn caller(
        &self,
        pool: &Pool,
        limits: &Limits,
        mut mutator: Mutator,
        stream: u64,
        end: Instant,
    ) -> Result<Campaign> {
        let mut campaign = Campaign::default();
        let mut numbers = Random::new(self.seed, stream);
        while Instant::now() < end {
            let document = mutator.document(&mut numbers);
            let started = Instant::now();
            let answer = catch_unwind(AssertUnwindSafe(|| self.ask(pool, &document)));
            let is_late = started.elapsed() > limits.wall + SLACK;
            let is_new = match answer {
                Ok(answer) => campaign.judge(self, limits, &answer?, &document)?,
                Err(_) => campaign.find(self, "the daemon panicked", &document)?,
            };
            if is_late {
                campaign.find(self, "the answer came after the wall clock", &document)?;
            }
            if is_new {
                mutator.learn(document);
            }
        }
        Ok(campaign)
    }

    /// Has one document read. It is written to an unlinked file, and opened for reading only.
    fn ask(&self, pool: &Pool, document: &[u8]) -> Result<Extraction> {
        use std::os::fd::AsRawFd;
        let mut file = tempfile::tempfile()?;
        file.write_all(document)?;
        file.rewind()?;
        let read_only = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let options = ReadOptions {
            name: self
                .target
                .endings
                .first()
                .map(|ending| format!("fuzz.{ending}")),
            ..ReadOptions::default()
        };
        Ok(pool.extract(read_only, &options))
    }
}

impl Campaign {
    fn add(&mut self, other: Self) {
        self.executions += other.executions;
        self.findings.extend(other.findings);
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
    }

    /// Counts an answer; true where it is the first of its like and worth mutating further.
    fn judge(
        &mut self,
        order: &Order<'_>,
        limits: &Limits,
        extraction: &Extraction,
        document: &[u8],
    ) -> Result<bool> {
        let outcome = name_of(&extraction.outcome);
        self.executions += 1;
        let seen = self.outcomes.entry(outcome.clone()).or_default();
        *seen += 1;
        // A document that is not even taken for the format leads nowhere.
        let is_read = matches!(
            extraction.outcome,
            Outcome::Text { .. } | Outcome::Container(_)
        );
        let is_new = is_read && *seen == 1;
        if let Some(fault) = fault(extraction, limits, order.is_protocol()) {
            self.find(order, fault, document)?;
        } else if is_worth_study(&extraction.outcome) && !order.is_protocol() {
            self.keep(order, &outcome, document)?;
        }
        Ok(is_new)
    }

    fn find(&mut self, order: &Order<'_>, what: &str, document: &[u8]) -> Result<bool> {
        let path = self.keep(order, what, document)?;
        let path = path.map_or_else(String::new, |path| format!(": {}", path.display()));
        self.findings.insert(format!("{what}{path}"));
        Ok(true)
    }

    /// Writes a document for study, unless there are enough of its like.
    fn keep(&mut self, order: &Order<'_>, what: &str, document: &[u8]) -> Result<Option<PathBuf>> {
        let kept = self.kept.entry(what.to_owned()).or_default();
        if *kept >= KEPT {
            return Ok(None);
        }
        *kept += 1;
        let hash = blake3::hash(document).to_hex();
        let ending = order.target.endings.first().copied().unwrap_or("bin");
        let name = format!("{}-{}.{ending}", what.replace(' ', "-"), &hash[..12]);
        let path = order.kept_in.join(name);
        fs::write(&path, document).with_context(|| path.display().to_string())?;
        Ok(Some(path))
    }
}

/// Small enough that a document that takes much is reported soon.
fn limits(is_protocol: bool) -> Limits {
    let wall = if is_protocol { 1 } else { 20 };
    Limits {
        address_space: 1 << 30,
        cpu: Duration::from_secs(10),
        wall: Duration::from_secs(wall),
        output_bytes: 8 << 20,
        budgets: Budgets {
            entries: 500,
            entry_bytes: 8 << 20,
            total_bytes: 32 << 20,
            cells: 200_000,
            ..Budgets::default()
        },
        ..Limits::default()
    }
}
