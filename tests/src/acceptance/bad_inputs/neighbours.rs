//! Good files beside the bad ones: how long each waits, and what resources the workers use meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use simdex_client::Client;
use tokio::runtime::{Builder, Runtime};

use super::CONFIG;
use super::lively::unreadable;
use crate::corpus::Prose;
use crate::figure::{Figures, percentile};
use crate::handmade::{office, pdf};
use crate::sandbox::{Daemon, Sandbox, children, high_water_kib};

/// Good files in each of the places.
const COUNT: u64 = 100;
/// A neighbour that is not read after this time has been starved.
const LIMIT: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(20);
/// This many of the waiting ones are requested in turn.
const ASKED: usize = 4;
/// A root of their own, and a folder beside the bad ones in the same root.
const FOLDER: &str = "good";
const PLACES: [&str; 2] = ["in another root", "in another folder"];

/// Times from writing a good file until the daemon answers for it, by place.
pub(super) struct Neighbours {
    times: [Vec<Duration>; PLACES.len()],
}

/// A good file that was written.
struct Waiting {
    place: usize,
    path: PathBuf,
    since: Instant,
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
        let states = States::of(daemon)?;
        let (started, mut times) = (Instant::now(), [const { Vec::new() }; PLACES.len()]);
        let (mut next, mut waiting) = (neighbours(sandbox), Vec::new());
        while times.iter().any(|times| times.len() < COUNT as usize) {
            if let Some((place, path, bytes)) = next.next() {
                fs::write(&path, bytes)?;
                let since = Instant::now();
                waiting.push(Waiting { place, path, since });
            }
            let asked = waiting.len().min(ASKED);
            for at in (0..asked).rev() {
                if states.state(&waiting[at].path).is_some() {
                    let read = waiting.remove(at);
                    times[read.place].push(read.since.elapsed());
                }
            }
            let late = started.elapsed() > LIMIT;
            ensure!(!late, "{} are not read in {LIMIT:?}", waiting.len());
            thread::sleep(PAUSE);
        }
        Ok(Self { times })
    }

    /// Prints the times beside those without bad inputs.
    pub(super) fn against(&self, alone: &Self, figures: &mut Figures<'_>) -> Result<()> {
        for (at, place) in PLACES.iter().enumerate() {
            let (mut with, mut without) = (self.times[at].clone(), alone.times[at].clone());
            for share in [0.5, 0.99] {
                let (with, without) = (
                    percentile(&mut with, share),
                    percentile(&mut without, share),
                );
                let name = format!("neighbours {place}, p{:.0}", share * 100.0);
                figures.against(&name, with, "ms", &format!("{without:.0} ms alone"))?;
                let ratio = with / without.max(1.0);
                figures.against(&format!("{name}, ratio"), ratio, "", "below 2")?;
            }
        }
        Ok(())
    }

    /// Every neighbour is read whole.
    pub(super) fn all_indexed(&self, sandbox: &Sandbox, daemon: &Daemon) -> Result<()> {
        let states = States::of(daemon)?;
        for (_, path, _) in neighbours(sandbox) {
            let state = states.state(&path);
            ensure!(
                state.as_deref() == Some("indexed"),
                "{} is {state:?}",
                path.display()
            );
        }
        Ok(())
    }
}

/// Asks for states over one connection: a program for each question would take longer than its answer.
struct States {
    runtime: Runtime,
    client: Client,
}

impl States {
    fn of(daemon: &Daemon) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(Client::connect(daemon.socket()))?;
        Ok(Self { runtime, client })
    }

    /// State of a file; none while the daemon does not know it.
    fn state(&self, path: &Path) -> Option<String> {
        let described = self.runtime.block_on(self.client.describe(path));
        Some(described.ok()?.file?.state)
    }
}

/// A daemon on the share, on the neighbours' folder, and on files that cannot be read.
pub(super) fn served(sandbox: &Sandbox) -> Result<Daemon> {
    let folder = sandbox.beside(FOLDER);
    fs::create_dir(&folder)?;
    fs::create_dir(sandbox.share().join(FOLDER))?;
    let roots = [
        (sandbox.share().to_owned(), "auto"),
        (folder, "auto"),
        (unreadable(), "poll"),
    ];
    sandbox.serve().roots(roots).config(CONFIG).start()
}

/// All good files, in turn one for each place.
fn neighbours(sandbox: &Sandbox) -> impl Iterator<Item = (usize, PathBuf, Vec<u8>)> {
    let folders = [sandbox.beside(FOLDER), sandbox.share().join(FOLDER)];
    (0..COUNT * PLACES.len() as u64).map(move |at| {
        let place = at as usize % PLACES.len();
        let (name, bytes) = good(at);
        (place, folders[place].join(name), bytes)
    })
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
    (format!("{at:03}.{ending}"), bytes)
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
                    peak.fetch_max(high_water_kib(child).unwrap_or(0), Ordering::Relaxed);
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
