//! The world of a hostile hour: folders, a daemon, a small disk, clients.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::acts::{self, ACTS};
use super::greedy::Greedy;
use super::mapped::Mapped;
use crate::corpus::Random;
use crate::fault::answers::{Answers, agree};
use crate::fault::disk::Disk;
use crate::fault::tree::Tree;
use crate::figure::Figures;
use crate::sandbox::{Daemon, Sandbox, Serve};

/// Quick about everything, so that a round sees much.
const CONFIG: &str = "[watch]\ndebounce_ms = 50\nmax_delay_seconds = 1\npoll_seconds = 2\nrecheck_mib_per_second = 64\nrecheck_rest_seconds = 1\n\
     [store]\nbuffer_postings = 20000\ncache_mib = 64\n[extract]\nworkers = 2\nmemory_mib = 512\n";
/// Files before the first round.
const FILES: usize = 150;
/// Room of the data directory, where it has a disk of its own.
const DISK_MIB: u64 = 512;
/// In step by then, or never.
const MAX_WAIT: Duration = Duration::from_secs(240);
/// Acts told of with a finding.
const TOLD: usize = 25;

/// What may happen between two rounds.
const OLDER: &str = "an older text directory";
const KILLED: &str = "kill at the end";

/// What a daemon is short of, as options of `ulimit`.
const SHORTAGES: &[&str] = &["", "", "-n 256", "-v 4194304"];

/// Everything that a round plays with.
pub(super) struct World {
    // Ended before its disk is unmounted: fields are dropped in this order.
    pub(super) daemon: Option<Daemon>,
    pub(super) greedy: Greedy,
    pub(super) mapped: Mapped,
    pub(super) sandbox: Sandbox,
    /// Roots, as they are configured; a round may move them away and puts them back.
    pub(super) roots: Vec<PathBuf>,
    /// Trees with a model of their own, one below each root.
    pub(super) trees: Vec<Tree>,
    /// The data directory's own disk, where there can be one.
    pub(super) disk: Option<Disk>,
    without: Vec<String>,
    serve: Serve,
    /// An older `text/`.
    older: Option<PathBuf>,
    told: Vec<&'static str>,
    counted: BTreeMap<&'static str, u32>,
}

/// What a round saw.
pub(super) struct Counts([usize; 4]);

impl Counts {
    pub(super) fn columns(&self) -> [(&'static str, f64, &'static str); 4] {
        let [acts, files, pairs, groups] = self.0.map(|count| count as f64);
        [
            ("acts", acts, ""),
            ("files", files, ""),
            ("pairs", pairs, ""),
            ("groups", groups, ""),
        ]
    }
}

impl World {
    pub(super) fn new(seed: u64, without: &[String], figures: &mut Figures<'_>) -> Result<Self> {
        let sandbox = Sandbox::new()?;
        let disk = match Disk::of_memory(DISK_MIB) {
            Ok(disk) => Some(disk),
            Err(reason) => {
                figures.note(&format!("skipped: full disks ({reason:#})"))?;
                None
            }
        };
        let roots = vec![sandbox.share().to_owned(), sandbox.beside("polled")];
        let mut serve = sandbox
            .serve()
            .config(CONFIG)
            .roots([(&roots[0], "native"), (&roots[1], "poll")]);
        if let Some(disk) = &disk {
            serve = serve.data_dir(disk.path().join("data"));
        }
        let mut trees = Vec::new();
        for (at, root) in roots.iter().enumerate() {
            let mut tree = Tree::new(&root.join("tree"), seed + at as u64)?;
            tree.grow(FILES)?;
            acts::furnish(root)?;
            trees.push(tree);
        }
        acts::furnish(&sandbox.beside("foreign"))?;
        Ok(Self {
            sandbox,
            roots,
            trees,
            disk,
            daemon: None,
            greedy: Greedy::default(),
            mapped: Mapped::default(),
            without: without.to_vec(),
            serve,
            older: None,
            told: Vec::new(),
            counted: BTreeMap::new(),
        })
    }

    /// The world made once more from nothing: a finding does not hide the next.
    pub(super) fn anew(self, seed: u64, figures: &mut Figures<'_>) -> Result<Self> {
        let (counted, without) = (self.counted.clone(), self.without.clone());
        // Its disk is given back first: there is one at a time.
        drop(self);
        let world = Self::new(seed, &without, figures)?;
        Ok(Self { counted, ..world })
    }

    pub(super) fn counted(&self) -> &BTreeMap<&'static str, u32> {
        &self.counted
    }

    /// The last acts, told once.
    pub(super) fn take_acts(&mut self) -> String {
        let told = std::mem::take(&mut self.told);
        told[told.len().saturating_sub(TOLD)..].join(", ")
    }

    /// Whether this act was not left out.
    fn plays(&self, act: &str) -> bool {
        !self.without.iter().any(|without| without == act)
    }

    /// Takes note of an act, or of what else comes upon the daemon.
    pub(super) fn tell(&mut self, act: &'static str) {
        self.told.push(act);
        *self.counted.entry(act).or_default() += 1;
    }

    pub(super) fn data_dir(&self) -> PathBuf {
        match &self.disk {
            Some(disk) => disk.path().join("data"),
            None => self.sandbox.data_dir(),
        }
    }

    /// One round: a start, acts, quiet, the comparison, an end.
    pub(super) fn play(&mut self, random: &mut Random, time: Duration) -> Result<Counts> {
        let shortage = SHORTAGES[random.below(SHORTAGES.len() as u64) as usize];
        let shortage = if self.plays(shortage) { shortage } else { "" };
        self.start(shortage).context("at the start of a round")?;
        let (begun, mut acts) = (Instant::now(), 0);
        while begun.elapsed() < time {
            self.act(random)?;
            acts += 1;
            self.is_alive(shortage)?;
            thread::sleep(Duration::from_millis(random.below(120)));
        }
        self.put_back()?;
        self.is_alive(shortage)?;
        let answers = self.in_step()?;
        self.end(random)?;
        let [files, pairs, groups] = ["file", "pair", "group"].map(|kind| answers.count(kind));
        Ok(Counts([acts, files, pairs, groups]))
    }

    fn start(&mut self, shortage: &'static str) -> Result<()> {
        let serve = match shortage {
            "" => self.serve.clone(),
            limit => self.serve.clone().limited(limit),
        };
        self.tell(if shortage.is_empty() {
            "started"
        } else {
            shortage
        });
        self.daemon = Some(serve.start()?);
        Ok(())
    }

    fn act(&mut self, random: &mut Random) -> Result<()> {
        let acts = ACTS.iter().filter(|act| self.plays(act.name));
        let acts: Vec<_> = acts.collect();
        let mut at = random.below(acts.iter().map(|act| act.weight).sum());
        for act in acts {
            if at < act.weight {
                self.tell(act.name);
                return (act.run)(self, random).with_context(|| format!("the act {}", act.name));
            }
            at -= act.weight;
        }
        Ok(())
    }

    /// Nothing but us ends the daemon.
    fn is_alive(&mut self, shortage: &'static str) -> Result<()> {
        let Some(daemon) = &mut self.daemon else {
            return self.start(shortage);
        };
        if let Some(status) = daemon.ended()? {
            let log = daemon.log()?;
            bail!("the daemon ended with {status}:\n{}", tail(&log));
        }
        Ok(())
    }

    /// Everything stands where it belongs, nobody wants anything.
    fn put_back(&mut self) -> Result<()> {
        self.greedy = Greedy::default();
        self.mapped = Mapped::default();
        for root in self.roots.clone() {
            acts::put_back(&root)?;
        }
        if let Some(disk) = &self.disk {
            let _ = fs::remove_file(disk.path().join("filler"));
        }
        Ok(())
    }

    /// Live equals a cold rebuild: the daemon says what a fresh scan of the same folders says, soon
    /// and without a restart.
    fn in_step(&self) -> Result<Answers> {
        let daemon = self.daemon.as_ref().context("no daemon")?;
        let roots: Vec<&Path> = self.roots.iter().map(PathBuf::as_path).collect();
        let begun = Instant::now();
        loop {
            let agreed = agree(daemon, &roots);
            match agreed {
                Ok(answers) => return Ok(answers),
                Err(error) if begun.elapsed() > MAX_WAIT => {
                    let log = daemon.log()?;
                    bail!("{error:#}\nthe log ends:\n{}", tail(&log));
                }
                Err(_) => thread::sleep(Duration::from_secs(2)),
            }
            // What is tried again with backoff, or read again at a rate, comes by and by.
            let _ = daemon.simctl(["rescan"])?;
        }
    }

    /// Stopped or killed; then its texts may be swapped for older ones.
    fn end(&mut self, random: &mut Random) -> Result<()> {
        let daemon = self.daemon.take().context("no daemon")?;
        if random.chance(0.5) && self.plays(KILLED) {
            self.tell(KILLED);
            return daemon.kill();
        }
        let status = daemon.stop()?;
        if !status.success() {
            bail!("the daemon ended with {status} when it was stopped");
        }
        let texts = self.data_dir().join("text");
        match self.older.take() {
            Some(older) if random.chance(0.7) && self.plays(OLDER) => {
                self.tell(OLDER);
                fs::remove_dir_all(&texts)?;
                acts::copy_flat(&older, &texts)?;
            }
            _ => {
                let older = self.sandbox.beside("older-text");
                let _ = fs::remove_dir_all(&older);
                acts::copy_flat(&texts, &older)?;
                self.older = Some(older);
            }
        }
        Ok(())
    }
}

/// The end of a log.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
