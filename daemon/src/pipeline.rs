//! Many files at once: readers that look and extract, one writer that applies, one committer, one
//! settler that keeps the groups.
//!
//! Every queue is bounded: a full one makes the walk wait, never the memory grow.

mod again;
mod jobs;
mod settler;
mod writer;

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use simdex_extract::Pool;
use simdex_index::{Cancel, Change, Index, IndexError};
use simdex_schema::FileKey;

use self::again::Again;
use self::jobs::{Jobs, Next, share};
use crate::alarms::Part;
use crate::config::Config;
use crate::error::EngineError;
use crate::fate::{Backoff, Fate};
use crate::host::Host;
use crate::ingest::{Ingest, Looked, OwnReports, gave_up};
use crate::progress::{Job, Progress};
use crate::roots::Roots;
use crate::wakeup::Wakeup;

/// Threads that look at files, to each worker: while one waits for a slow document the others find
/// it work, and what lines up for a worker can be told apart, small from huge.
const READERS_PER_WORKER: usize = 4;
/// Changes looked at and not yet applied.
const CHANGES: usize = 16;
/// What looks at files and settles gives way to what answers and applies: added to its niceness.
const GIVE_WAY: i32 = 5;
/// A barrier waits so long for what keeps changes from being applied to pass, then fails and says
/// what it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// First and longest pause between two looks whether something is still under way.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));
/// An idle reader asks this often whether it should end.
const IDLE: Duration = Duration::from_millis(200);

/// The threads between hints and index.
pub struct Pipeline {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    host: Arc<Host>,
    fate: Arc<Fate>,
    index: Arc<Index>,
    pool: Arc<Pool>,
    own_reports: Arc<OwnReports>,
    roots: Arc<Roots>,
    jobs: Jobs,
    progress: Progress,
    /// Woken where documents may wait to be settled.
    to_settle: Wakeup,
    /// Files that the machine did not allow to be read.
    again: Again,
    /// Something was applied since the last commit.
    uncommitted: AtomicBool,
}

type LookResult = (Job, Option<Change>);

impl Pipeline {
    /// Starts the threads.
    pub fn start(
        host: &Arc<Host>,
        fate: &Arc<Fate>,
        own_reports: Arc<OwnReports>,
        index: Arc<Index>,
        pool: Arc<Pool>,
        roots: Arc<Roots>,
    ) -> Result<Self, std::io::Error> {
        let readers = Self::readers(&host.config);
        let shared = Arc::new(Shared {
            host: Arc::clone(host),
            fate: Arc::clone(fate),
            index,
            pool,
            own_reports,
            roots,
            jobs: Jobs::new(readers),
            progress: Progress::default(),
            to_settle: Wakeup::default(),
            again: Again::default(),
            uncommitted: AtomicBool::default(),
        });
        let ended = Arc::downgrade(&shared);
        fate.at_end(move || ended.upgrade().iter().for_each(|shared| shared.wake()));
        let pipeline = Self {
            shared,
            threads: Mutex::default(),
        };
        match pipeline.spawn(readers) {
            Ok(()) => Ok(pipeline),
            Err(error) => {
                fate.end();
                pipeline.join();
                Err(error)
            }
        }
    }

    /// Threads that look at files.
    pub fn readers(config: &Config) -> usize {
        config.workers() * READERS_PER_WORKER
    }

    fn spawn(&self, readers: usize) -> std::io::Result<()> {
        let (changes, looks) = sync_channel::<LookResult>(CHANGES);
        for number in 0..readers {
            let changes = changes.clone();
            self.thread(format!("reader-{number}"), move |shared| {
                give_way();
                shared.read(number, &changes);
            })?;
        }
        drop(changes);
        self.thread("writer".to_owned(), move |shared| shared.write(&looks))?;
        self.thread("committer".to_owned(), Shared::commit_at_times)?;
        self.thread("retries".to_owned(), |shared| {
            while let Some(key) = shared.again.next() {
                // The queue closes at the end, which ends the wait.
                let Ok(()) = shared.submit(key, || Ok::<(), Infallible>(()));
            }
        })?;
        self.thread("settler".to_owned(), |shared| {
            give_way();
            shared.settle();
        })
    }

    fn thread(
        &self,
        name: String,
        work: impl FnOnce(&Shared) + Send + 'static,
    ) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = self.shared.fate.spawn(name, move || work(&shared))?;
        self.lock().push(thread);
        Ok(())
    }

    /// Names a file that may have changed; waits while the queue is full.
    pub fn submit(&self, key: FileKey) {
        let Ok(()) = self.submit_while(key, || Ok::<(), Infallible>(()));
    }

    /// The same, for a caller that may stop waiting: `go_on` is asked now and then, and its error
    /// ends the wait. The file is named all the same.
    pub fn submit_while<E>(
        &self,
        key: FileKey,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        // A member is read with the file that holds it.
        self.shared.submit(key.on_disk(), go_on)
    }

    /// Returns once everything named before is applied, settled and power-safe.
    pub fn barrier(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let shared = &self.shared;
        let go_on = || shared.go_on(cancel);
        shared.progress.wait(go_on)?;
        self.wait_while(|| !shared.index.is_settled(), cancel)?;
        let commit = || Ok(shared.commit()?);
        shared.fate.until_done(Part::Commits, commit, go_on)?;
        shared.host.alarms.clear(Part::Commits);
        // What failed meanwhile may have been part of it.
        shared.ended()
    }

    /// Waits while something is under way that ends by itself.
    pub fn wait_while(
        &self,
        is_under_way: impl Fn() -> bool,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        let mut pauses = Backoff::between(PAUSES.0, PAUSES.1);
        while is_under_way() {
            self.shared.go_on(cancel)?;
            self.shared.to_settle.wake();
            std::thread::sleep(pauses.pause());
        }
        Ok(())
    }

    /// An error where a caller need not wait any longer: it is cancelled, the engine ends, or changes
    /// have not been applied for so long that it should rather know why.
    pub fn go_on(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.shared.go_on(cancel)
    }

    /// Files at or below this path that are named and not yet applied.
    pub fn under_way(&self, at: &FileKey) -> Vec<FileKey> {
        self.shared.progress.under_way(at)
    }

    /// Files named and not yet applied, including those that are tried again later because the
    /// machine did not allow them to be read; and looks finished.
    pub fn counts(&self) -> (u64, u64) {
        let (waiting, done) = self.shared.progress.counts();
        (waiting + self.shared.again.waiting(), done)
    }

    /// Waits for the threads to end, once the end was told: what is queued is dropped and found again
    /// by the next rescan.
    pub fn join(&self) {
        let threads = std::mem::take(&mut *self.lock());
        for thread in threads {
            // A panic was told by the thread itself.
            let _ = thread.join();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lowers the priority of this thread alone, as Linux counts it.
fn give_way() {
    // Where it is refused, all are equal.
    let _ = rustix::process::nice(GIVE_WAY);
}

impl Shared {
    /// Wakes all who wait, at the end.
    fn wake(&self) {
        self.jobs.close();
        self.again.close();
        self.progress.wake();
        self.to_settle.wake();
    }

    /// Queues a file, where no look at it is under way.
    fn submit<E>(&self, key: FileKey, go_on: impl Fn() -> Result<(), E>) -> Result<(), E> {
        match self.progress.submit(key) {
            Some(job) => self.jobs.push(job, go_on),
            None => Ok(()),
        }
    }

    /// An error where a barrier is not to be waited for any more.
    fn go_on(&self, cancel: &Cancel) -> Result<(), EngineError> {
        cancel.check()?;
        self.ended()?;
        let alarm = self.host.alarms.gravest();
        match alarm.filter(|alarm| alarm.lasts() > PATIENCE) {
            Some(alarm) => Err(EngineError::NotApplied(alarm.reason)),
            None => Ok(()),
        }
    }

    /// An error once the engine ends: nothing may be acknowledged then.
    fn ended(&self) -> Result<(), EngineError> {
        if let Some(failure) = self.fate.failure() {
            return Err(EngineError::Failed(failure));
        }
        Ok(self.fate.cancel().check()?)
    }

    /// A reader: looks at files, extracts, signs.
    fn read(&self, number: usize, changes: &SyncSender<LookResult>) {
        loop {
            let job = match self.jobs.next(IDLE) {
                Next::Look(job) => job,
                Next::Idle => continue,
                Next::Ended => return,
            };
            let Some(change) = self.look_until_done(number, &job.key) else {
                return;
            };
            self.jobs.done(&job.key);
            if changes.send((job, change)).is_err() {
                return;
            }
        }
    }

    /// LookResult until the index answers; none where the engine ends, which makes workers answer that
    /// they were stopped.
    fn look_until_done(&self, reader: usize, key: &FileKey) -> Option<Option<Change>> {
        // What a panic leaves behind is dropped: a look only reads.
        let look = || match catch_unwind(AssertUnwindSafe(|| self.look(key))) {
            Ok(looked) => Ok(looked?),
            Err(_) => {
                let path = String::from_utf8_lossy(&key.path);
                tracing::error!(path = %path.escape_debug(), "looking at a file panicked");
                Ok(Some(gave_up(key)))
            }
        };
        let go_on = || Ok(self.fate.cancel().check()?);
        let change = self
            .fate
            .until_done(Part::Reader(reader), look, go_on)
            .ok()?;
        go_on().ok().map(|()| change)
    }

    fn look(&self, key: &FileKey) -> Result<Option<Change>, IndexError> {
        let Some(root) = self.roots.get(key.root) else {
            return Ok(None);
        };
        let (limits, cancel) = (&self.host.config.extract, self.fate.cancel());
        let (index, pool, own) = (&self.index, &self.pool, &self.own_reports);
        let ingest = Ingest::new(index, pool, own, limits, share(key), cancel);
        Ok(match ingest.file(&root, key.clone())? {
            Looked::Again(change) => {
                self.again.later(key);
                return Ok(change);
            }
            Looked::Unchanged => None,
            Looked::Changed(change) => Some(change),
        })
        .inspect(|_| self.again.forget(key))
    }
}
