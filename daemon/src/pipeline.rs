//! Many files at once: readers that look and extract, one writer that applies, one committer, one
//! settler that keeps the groups.
//!
//! Every queue is bounded: a full one makes the walk wait, never the memory grow.

mod bell;
mod jobs;
mod settler;
mod writer;

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use simdex_extract::Pool;
use simdex_index::{Cancel, Change, Index, IndexError};
use simdex_schema::FileKey;

use self::bell::Bell;
use self::jobs::{Jobs, Next, share};
use crate::causes::causes;
use crate::config::Config;
use crate::engine::EngineError;
use crate::ingest::{Ingest, Looked};
use crate::progress::{Job, Progress};
use crate::roots::Roots;

/// Threads that look at files, to each worker: while one waits for a slow document the others find
/// it work, and what lines up for a worker can be told apart, small from huge.
const READERS_PER_WORKER: usize = 4;
/// Changes looked at and not yet applied.
const CHANGES: usize = 16;
/// What looks at files and settles gives way to what answers and applies: added to its niceness.
const GIVE_WAY: i32 = 5;
/// An idle reader asks this often whether it should end.
const IDLE: Duration = Duration::from_millis(200);

/// The threads between hints and index.
pub struct Pipeline {
    jobs: Arc<Jobs>,
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    index: Arc<Index>,
    pool: Arc<Pool>,
    roots: Arc<Roots>,
    progress: Progress,
    config: Config,
    /// Rung where documents may wait to be settled.
    to_settle: Bell,
    /// Rung at the end, so that nobody sleeps through it.
    to_end: Bell,
    /// Something was applied since the last commit.
    uncommitted: AtomicBool,
    /// The first failure of index or disk: nothing is acknowledged after it.
    broken: Mutex<Option<String>>,
    cancel: Cancel,
}

type Looks = (Job, Option<Change>);

impl Pipeline {
    /// Starts the threads.
    pub fn start(
        index: Arc<Index>,
        pool: Arc<Pool>,
        roots: Arc<Roots>,
        config: &Config,
    ) -> Result<Self, std::io::Error> {
        let shared = Arc::new(Shared {
            index,
            pool,
            roots,
            progress: Progress::default(),
            config: config.clone(),
            to_settle: Bell::default(),
            to_end: Bell::default(),
            uncommitted: AtomicBool::default(),
            broken: Mutex::new(None),
            cancel: Cancel::never(),
        });
        let readers = config.workers() * READERS_PER_WORKER;
        let jobs = Arc::new(Jobs::new(readers));
        let (changes, looks) = sync_channel::<Looks>(CHANGES);
        let mut threads = Vec::new();
        for number in 0..readers {
            let (shared, jobs, changes) = (Arc::clone(&shared), Arc::clone(&jobs), changes.clone());
            threads.push(spawn(format!("reader-{number}"), move || {
                give_way();
                shared.read(&jobs, &changes);
            })?);
        }
        drop(changes);
        let writer = Arc::clone(&shared);
        let again = Arc::clone(&jobs);
        threads.push(spawn("writer".to_owned(), move || {
            writer.write(&looks, &again)
        })?);
        let committer = Arc::clone(&shared);
        threads.push(spawn("committer".to_owned(), move || {
            committer.commit_at_times();
        })?);
        let settler = Arc::clone(&shared);
        threads.push(spawn("settler".to_owned(), move || {
            give_way();
            settler.settle();
        })?);
        Ok(Self {
            jobs,
            shared,
            threads: Mutex::new(threads),
        })
    }

    /// Names a file that may have changed; waits while the queue is full.
    pub fn submit(&self, key: FileKey) {
        // A member is read with the file that holds it.
        if let Some(job) = self.shared.progress.submit(key.on_disk()) {
            self.jobs.push(job);
        }
    }

    /// Returns once everything named before is applied, settled and power-safe.
    pub fn barrier(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.shared.progress.wait(cancel)?;
        while !self.shared.index.is_settled() {
            cancel.check()?;
            self.shared.to_settle.ring();
            std::thread::sleep(Duration::from_millis(2));
            self.shared.check()?;
        }
        self.shared.commit();
        self.shared.check()
    }

    /// Files at or below this path that are named and not yet answered for.
    pub fn under_way(&self, at: &FileKey) -> Vec<FileKey> {
        self.shared.progress.under_way(at)
    }

    /// Files named and not yet answered for, and looks finished.
    pub fn counts(&self) -> (u64, u64) {
        self.shared.progress.counts()
    }

    /// Ends all threads: what is queued is dropped and found again by the next rescan.
    pub fn stop(&self) {
        self.shared.cancel.cancel();
        self.shared.progress.close();
        self.jobs.close();
        self.shared.to_settle.ring();
        self.shared.to_end.ring();
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Lowers the priority of this thread alone, as Linux counts it.
fn give_way() {
    // Where it is refused, all are equal.
    let _ = rustix::process::nice(GIVE_WAY);
}

fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name).spawn(work)
}

impl Shared {
    /// A reader: looks at files, extracts, signs.
    fn read(&self, jobs: &Jobs, changes: &SyncSender<Looks>) {
        loop {
            let next = jobs.next(IDLE);
            if self.cancel.check().is_err() {
                return;
            }
            let job = match next {
                Next::Look(job) => job,
                Next::Idle => continue,
                Next::Ended => return,
            };
            let change = self.look(&job.key).unwrap_or_else(|error| {
                self.break_off(&error);
                None
            });
            jobs.done(&job.key);
            if changes.send((job, change)).is_err() {
                return;
            }
        }
    }

    fn look(&self, key: &FileKey) -> Result<Option<Change>, IndexError> {
        let Some(root) = self.roots.get(key.root) else {
            return Ok(None);
        };
        let (limits, cancel) = (&self.config.extract, &self.cancel);
        let ingest = Ingest::new(&self.index, &self.pool, limits, share(key), cancel);
        Ok(match ingest.file(&root, key.clone())? {
            Looked::Unchanged => None,
            Looked::Changed(change) => Some(change),
        })
    }

    fn break_off(&self, error: &IndexError) {
        let reason = causes(error);
        tracing::error!(reason, "the index failed");
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.get_or_insert(reason);
    }

    /// An error once the index failed: nothing may be acknowledged then.
    fn check(&self) -> Result<(), EngineError> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken
            .clone()
            .map_or(Ok(()), |reason| Err(EngineError::Broken(reason)))
    }
}
