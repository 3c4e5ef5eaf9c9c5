//! Many files at once: readers that look and extract, one writer that applies and commits, one
//! settler that keeps the groups.
//!
//! Every queue is bounded: a full one makes the walk wait, never the memory grow.

mod jobs;

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simdex_extract::Pool;
use simdex_index::{Cancel, Change, Index, IndexError, NewContent};
use simdex_schema::{DocId, FileKey};

use self::jobs::{Jobs, Next};
use crate::causes::causes;
use crate::config::Config;
use crate::engine::EngineError;
use crate::events::EventKind;
use crate::ingest::{Ingest, Looked};
use crate::progress::{Job, Progress};
use crate::roots::Roots;

/// Threads that look at files, to each worker: while one waits for a slow document the others find
/// it work, and what lines up for a worker can be told apart, small from huge.
const READERS_PER_WORKER: usize = 4;
/// Changes looked at and not yet applied.
const CHANGES: usize = 16;
/// Changes applied at once.
const BATCH: usize = 256;
/// Extracted text a batch may hold before it is applied, bytes.
const BATCH_TEXT: u64 = 32 << 20;
/// An idle reader asks this often whether it should end.
const IDLE: Duration = Duration::from_millis(200);
/// A batch waits this long for more.
const GATHER: Duration = Duration::from_millis(30);

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
    settler: Settler,
    /// The first failure of index or disk: nothing is acknowledged after it.
    broken: Mutex<Option<String>>,
    cancel: Cancel,
}

/// Wakes the settling thread.
#[derive(Default)]
struct Settler {
    due: Mutex<bool>,
    wake: Condvar,
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
            settler: Settler::default(),
            broken: Mutex::new(None),
            cancel: Cancel::never(),
        });
        let jobs = Arc::new(Jobs::default());
        let (changes, looks) = sync_channel::<Looks>(CHANGES);
        let mut threads = Vec::new();
        for number in 0..config.workers() * READERS_PER_WORKER {
            let (shared, jobs, changes) = (Arc::clone(&shared), Arc::clone(&jobs), changes.clone());
            threads.push(spawn(format!("reader-{number}"), move || {
                shared.read(&jobs, &changes)
            })?);
        }
        drop(changes);
        let writer = Arc::clone(&shared);
        let again = Arc::clone(&jobs);
        threads.push(spawn("writer".to_owned(), move || {
            writer.write(&looks, &again)
        })?);
        let settler = Arc::clone(&shared);
        threads.push(spawn("settler".to_owned(), move || settler.settle())?);
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
            self.shared.wake_settler();
            std::thread::sleep(Duration::from_millis(2));
            self.shared.check()?;
        }
        self.shared
            .index
            .commit()
            .unwrap_or_else(|error| self.shared.break_off(&error));
        self.shared.check()
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
        self.shared.wake_settler();
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
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
            if changes.send((job, change)).is_err() {
                return;
            }
        }
    }

    fn look(&self, key: &FileKey) -> Result<Option<Change>, IndexError> {
        let Some(root) = self.roots.get(key.root) else {
            return Ok(None);
        };
        let ingest = Ingest::new(&self.index, &self.pool, &self.config.extract);
        Ok(match ingest.file(&root, key.clone())? {
            Looked::Unchanged => None,
            Looked::Changed(change) => Some(change),
        })
    }

    /// The writer: applies batches, commits at the latest after `commit_ms`.
    fn write(&self, looks: &Receiver<Looks>, again: &Jobs) {
        let commit_every = Duration::from_millis(self.config.store.commit_ms.max(1));
        let mut uncommitted: Option<Instant> = None;
        loop {
            let wait = uncommitted.map_or(commit_every, |since| {
                commit_every
                    .saturating_sub(since.elapsed())
                    .max(Duration::from_millis(1))
            });
            match looks.recv_timeout(wait) {
                Ok(first) => {
                    let batch = gather(first, looks);
                    self.apply(batch, again);
                    uncommitted.get_or_insert_with(Instant::now);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.cancel.check().is_err() {
                break;
            }
            if uncommitted.is_some_and(|since| since.elapsed() >= commit_every) {
                self.index
                    .commit()
                    .unwrap_or_else(|error| self.break_off(&error));
                uncommitted = None;
            }
        }
        self.index
            .commit()
            .unwrap_or_else(|error| self.break_off(&error));
    }

    fn apply(&self, batch: Vec<Looks>, again: &Jobs) {
        let (jobs, changes): (Vec<Job>, Vec<Option<Change>>) = batch.into_iter().unzip();
        let changes: Vec<Change> = changes.into_iter().flatten().collect();
        let mut retry = Vec::new();
        if !changes.is_empty() {
            let told = changes.iter().map(told).collect::<Vec<_>>();
            match self.index.apply(changes) {
                Ok(applied) => {
                    retry = applied.unknown_content;
                    self.tell(told);
                }
                Err(error) => self.break_off(&error),
            }
            self.wake_settler();
        }
        // A content that was purged between look and batch is looked at once more; the new ticket
        // is taken before the old one is given back, so that no barrier slips between.
        let mut jobs_again: Vec<Job> = retry
            .into_iter()
            .filter_map(|key| self.progress.submit(key))
            .collect();
        jobs_again.extend(
            jobs.into_iter()
                .filter_map(|job| self.progress.complete(job)),
        );
        jobs_again.into_iter().for_each(|job| again.push_again(job));
    }

    /// Tells of files that were applied.
    fn tell(&self, told: Vec<(EventKind, FileKey)>) {
        for (kind, key) in told {
            if let Some(root) = self.roots.get(key.root) {
                root.tell(kind, &key.path, String::new);
            }
        }
    }

    /// Tells of groups that may have changed, by the path of their principal.
    fn tell_groups(&self, principals: &[DocId]) -> Result<(), IndexError> {
        if !self.roots.iter().any(|root| root.is_heard()) {
            return Ok(());
        }
        for principal in principals {
            let files = self.index.files_of(*principal, &self.roots.view())?;
            let Some(key) = files.into_iter().next().map(|file| file.key) else {
                continue;
            };
            if let Some(root) = self.roots.get(key.root) {
                root.tell(EventKind::GroupChanged, &key.path, String::new);
            }
        }
        Ok(())
    }

    /// The settler: finds edges and keeps groups while anything waits.
    fn settle(&self) {
        while self.cancel.check().is_ok() {
            if self.index.is_settled() {
                let due = self
                    .settler
                    .due
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let wait = |due: std::sync::MutexGuard<'_, bool>| {
                    let timeout = Duration::from_millis(500);
                    drop(
                        self.settler
                            .wake
                            .wait_timeout_while(due, timeout, |due| !*due),
                    );
                };
                wait(due);
                *self
                    .settler
                    .due
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = false;
                continue;
            }
            let settled = self.index.settle_step(&self.cancel);
            match settled.and_then(|settled| self.tell_groups(&settled.regrouped)) {
                Ok(()) | Err(IndexError::Cancelled) => {}
                Err(error) => {
                    self.break_off(&error);
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
        }
    }

    fn wake_settler(&self) {
        *self
            .settler
            .due
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.settler.wake.notify_all();
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

/// A batch: what is there, and what comes within [`GATHER`].
fn gather(first: Looks, looks: &Receiver<Looks>) -> Vec<Looks> {
    let until = Instant::now() + GATHER;
    let mut text = text_bytes(&first);
    let mut batch = vec![first];
    while batch.len() < BATCH && text < BATCH_TEXT {
        match looks.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(look) => {
                text += text_bytes(&look);
                batch.push(look);
            }
            Err(_) => break,
        }
    }
    batch
}

fn told(change: &Change) -> (EventKind, FileKey) {
    match change {
        Change::File { key, .. } => (EventKind::FileIndexed, key.clone()),
        Change::Container { file, .. } => (EventKind::FileIndexed, file.key.clone()),
        Change::Remove(key) => (EventKind::FileRemoved, key.clone()),
    }
}

fn text_bytes(look: &Looks) -> u64 {
    let of = |content: &Option<Box<NewContent>>| {
        let document = content.as_ref().and_then(|new| new.document.as_ref());
        document.map_or(0, |document| document.length)
    };
    match &look.1 {
        Some(Change::File { content, .. }) => of(content),
        Some(Change::Container { file, members }) => {
            of(&file.content)
                + members
                    .iter()
                    .map(|member| of(&member.content))
                    .sum::<u64>()
        }
        Some(Change::Remove(_)) | None => 0,
    }
}
