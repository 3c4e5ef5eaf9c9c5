//! Good files beside the bad ones: how long each waits, and what the workers take meanwhile.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::lively::unreadable;
use super::{CONFIG, ends};
use crate::corpus::Prose;
use crate::figure::{Figures, percentile};
use crate::handmade::{office, pdf};
use crate::sandbox::{Daemon, Sandbox};

const COUNT: u64 = 40;
/// A neighbour that is not read after this time has been starved.
const LIMIT: Duration = Duration::from_secs(240);
const PAUSE: Duration = Duration::from_millis(20);
/// A root of their own, so that asking for them does not list the bad.
const FOLDER: &str = "good";

/// Times from writing a good file until the daemon answers for it.
pub(super) struct Neighbours {
    times: Vec<Duration>,
}

impl Neighbours {
    /// With nothing beside them.
    pub(super) fn alone() -> Result<Self> {
        let sandbox = Sandbox::new()?;
        let daemon = served(&sandbox)?;
        Self::among(&sandbox, &daemon)
    }

    /// Written now, one after the other, whatever the daemon is busy with.
    pub(super) fn among(sandbox: &Sandbox, daemon: &Daemon) -> Result<Self> {
        let folder = sandbox.beside(FOLDER);
        let (started, mut times) = (Instant::now(), Vec::new());
        let (mut next, mut waiting) = (0..COUNT, HashMap::new());
        while times.len() < COUNT as usize {
            if let Some((name, bytes)) = next.next().map(good) {
                let path = folder.join(name);
                fs::write(&path, bytes)?;
                waiting.insert(path, Instant::now());
            }
            let ends = ends(daemon, Some(&folder))?;
            waiting.retain(|path, written| {
                let waits = !ends.contains_key(path);
                times.extend((!waits).then(|| written.elapsed()));
                waits
            });
            let late = started.elapsed() > LIMIT;
            ensure!(!late, "not read in {LIMIT:?}: {:?}", waiting.keys());
            thread::sleep(PAUSE);
        }
        Ok(Self { times })
    }

    /// Prints the times beside those without bad inputs.
    pub(super) fn against(&self, alone: Self, figures: &mut Figures<'_>) -> Result<()> {
        let (mut with, mut without) = (self.times.clone(), alone.times);
        for share in [0.5, 0.99] {
            let (with, without) = (
                percentile(&mut with, share),
                percentile(&mut without, share),
            );
            let name = format!("neighbours' latency, p{:.0}", share * 100.0);
            figures.against(&name, with, "ms", &format!("{without:.0} ms alone"))?;
            figures.against(
                &format!("{name}, ratio"),
                with / without.max(1.0),
                "",
                "below 2",
            )?;
        }
        Ok(())
    }

    /// Every neighbour is read whole.
    pub(super) fn all_indexed(&self, sandbox: &Sandbox, daemon: &Daemon) -> Result<()> {
        let folder = sandbox.beside(FOLDER);
        let ends = ends(daemon, Some(&folder))?;
        for at in 0..COUNT {
            let path = folder.join(good(at).0);
            let state = ends.get(&path).map(|(state, _)| state.as_str());
            ensure!(state == Some("indexed"), "{} is {state:?}", path.display());
        }
        Ok(())
    }
}

/// A daemon on the share, on the neighbours' folder, and on files that cannot be read.
pub(super) fn served(sandbox: &Sandbox) -> Result<Daemon> {
    let folder = sandbox.beside(FOLDER);
    fs::create_dir(&folder)?;
    let roots = [
        (sandbox.share().to_owned(), "auto"),
        (folder, "auto"),
        (unreadable(), "poll"),
    ];
    sandbox.serve().roots(roots).config(CONFIG).start()
}

/// A good file of one of five kinds.
fn good(at: u64) -> (String, Vec<u8>) {
    let text = Prose { seed: 90 }.text(at * Prose::FAMILY, 0);
    let (ending, bytes) = match at % 5 {
        0 => ("txt", text.into_bytes()),
        1 => (
            "html",
            format!("<html><body><p>{text}</p></body></html>").into_bytes(),
        ),
        2 => ("docx", office::docx_of("", &text, &[])),
        3 => ("odt", office::odt_of(&format!("<text:p>{text}</text:p>"))),
        _ => {
            let words: Vec<&str> = text.split(' ').collect();
            let rows: Vec<String> = words.chunks(12).map(|row| row.join(" ")).collect();
            ("pdf", pdf::pdf(&rows))
        }
    };
    (format!("{at:02}.{ending}"), bytes)
}

/// Samples the memory of a daemon's workers until it is asked.
pub(super) struct Memory {
    peak_kib: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    sampler: JoinHandle<()>,
}

impl Memory {
    pub(super) fn watch(daemon: u32) -> Self {
        let (peak_kib, over) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (peak, end) = (Arc::clone(&peak_kib), Arc::clone(&over));
        let sampler = thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                for child in children(daemon) {
                    peak.fetch_max(high_water(&child).unwrap_or(0), Ordering::Relaxed);
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
        Self {
            peak_kib,
            over,
            sampler,
        }
    }

    /// The most that one of them had resident at once.
    pub(super) fn peak_mib(self) -> f64 {
        self.over.store(true, Ordering::Relaxed);
        // It does not panic, and its figure stands either way.
        let _ = self.sampler.join();
        self.peak_kib.load(Ordering::Relaxed) as f64 / 1024.0
    }
}

/// Children of all threads of a process.
fn children(parent: u32) -> Vec<String> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let listed = tasks.flatten().map(|task| task.path().join("children"));
    let listed = listed.filter_map(|path| fs::read_to_string(path).ok());
    listed
        .flat_map(|line| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// `VmHWM` of a process, in KiB.
fn high_water(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
