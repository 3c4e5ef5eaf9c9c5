//! Ingests many files at once: threads that ingest, one writer that applies, one committer, one thread that
//! retries files after transient faults, one settler that maintains the groups, one compactor that frees room.
//!
//! [`Progress`] issues tickets and keeps one job for each file; [`IngestQueue`] schedules the ingester threads
//! fairly, and the pool's own queue schedules worker processes. A producer blocks while its queue is full; only
//! retries, repeats and callers that gave up exceed the bound, by one job for each waiting file.

mod committer;
mod compactor;
mod ingest_queue;
mod ingester;
mod retry;
mod settler;
mod writer;

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simdex_extract::Pool;
use simdex_index::{Cancel, FileChange, IndexWriter, VisibleRoots};
use simdex_schema::FileKey;

use self::ingest_queue::IngestQueue;
use self::retry::RetryQueue;
use crate::base::lock::lock;
use crate::base::rate::{Pace, RateWindow};
use crate::base::wakeup::Wakeup;
use crate::config::Config;
use crate::error::EngineError;
use crate::host::Host;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::{Backoff, Lifecycle, SHARE_THREAD_TIMEOUT, join_until};
use crate::write_side::ingest::OwnReports;
use crate::write_side::progress::{IngestJob, Progress, ProgressCounts};
use crate::write_side::roots::Roots;

/// Ingester threads per worker, in addition to one for each root: while one waits for a slow document the
/// others find work for it, and small documents in line for a worker can be distinguished from huge ones.
const INGESTERS_PER_WORKER: usize = 4;
/// Channel capacity between ingesters and writer: the greatest number of ingested changes that wait for the writer.
const MAX_WAITING_CHANGES: usize = 16;
/// Added to the niceness of ingesters, compactor and settler, so that threads that answer and apply come first.
const NICE_INCREMENT: i32 = 5;
/// How long a barrier tolerates a standing alarm before it fails with the alarm's reason.
const BARRIER_ALARM_GRACE: Duration = Duration::from_secs(10);
/// First and longest pause while polling whether something is still in progress.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));
/// How often an idle ingester checks whether it should end.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The window of the pace of settling. The cost of a document varies with how many it is compared with: older figures
/// tell little of what is left.
const SETTLING_WINDOW: Duration = Duration::from_secs(10);

/// The threads between hints and index.
pub struct Pipeline {
    shared: Arc<PipelineState>,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct Threads {
    /// These read the shares, which may hang.
    ingesters: Vec<JoinHandle<()>>,
    others: Vec<JoinHandle<()>>,
}

struct PipelineState {
    host: Arc<Host>,
    lifecycle: Arc<Lifecycle>,
    /// The only index writer.
    writer: IndexWriter,
    pool: Arc<Pool>,
    own_reports: Arc<OwnReports>,
    roots: Arc<Roots>,
    queue: IngestQueue,
    progress: Progress,
    /// How fast documents get their places in groups.
    settling_rate: Mutex<RateWindow>,
    /// Woken when documents may wait to be settled.
    to_settle: Wakeup,
    /// Files that a transient fault kept from being read.
    retries: RetryQueue,
    /// Whether changes of files were applied since the last commit. What the settler wrote is not counted: if it is
    /// lost, the documents are marked as unsettled again, and the work is repeated.
    uncommitted: AtomicBool,
    /// Held from before changes are applied until their events are published, and while other events are.
    publishing: Mutex<()>,
}

/// A job whose file was ingested.
struct IngestedJob {
    job: IngestJob,
    /// The change that the index must apply, if any.
    change: Option<FileChange>,
}

impl Pipeline {
    /// Starts the threads.
    pub fn start(
        host: &Arc<Host>,
        lifecycle: &Arc<Lifecycle>,
        own_reports: Arc<OwnReports>,
        writer: IndexWriter,
        pool: Arc<Pool>,
        roots: Arc<Roots>,
    ) -> Result<Self, std::io::Error> {
        let ingesters = Self::ingesters(&host.config);
        let shared = Arc::new(PipelineState {
            host: Arc::clone(host),
            lifecycle: Arc::clone(lifecycle),
            writer,
            pool,
            own_reports,
            roots,
            queue: IngestQueue::new(Self::shared_ingesters(&host.config)),
            progress: Progress::default(),
            settling_rate: Mutex::new(RateWindow::over(SETTLING_WINDOW)),
            to_settle: Wakeup::default(),
            retries: RetryQueue::default(),
            uncommitted: AtomicBool::default(),
            publishing: Mutex::default(),
        });
        let ended = Arc::downgrade(&shared);
        lifecycle.at_end(move || ended.upgrade().iter().for_each(|shared| shared.wake()));
        let pipeline = Self {
            shared,
            threads: Mutex::default(),
        };
        match pipeline.spawn(ingesters) {
            Ok(()) => Ok(pipeline),
            Err(error) => {
                lifecycle.end();
                pipeline.join(Instant::now() + SHARE_THREAD_TIMEOUT);
                Err(error)
            }
        }
    }

    /// The number of ingester threads: one more for each root, because the shares of all others may hang.
    pub fn ingesters(config: &Config) -> usize {
        Self::shared_ingesters(config) + config.roots.len()
    }

    fn shared_ingesters(config: &Config) -> usize {
        config.workers() * INGESTERS_PER_WORKER
    }

    fn spawn(&self, ingesters: usize) -> std::io::Result<()> {
        let (sender, results) = sync_channel::<IngestedJob>(MAX_WAITING_CHANGES);
        for number in 0..ingesters {
            let sender = sender.clone();
            let shared = Arc::clone(&self.shared);
            let ingester = move || {
                lower_priority();
                shared.ingest_jobs(number, &sender);
            };
            let lifecycle = &self.shared.lifecycle;
            let ingester = lifecycle.spawn(format!("ingester-{number}"), ingester)?;
            self.lock().ingesters.push(ingester);
        }
        drop(sender);
        self.thread("writer".to_owned(), move |shared| {
            shared.apply_results(&results)
        })?;
        self.thread("committer".to_owned(), PipelineState::commit_periodically)?;
        self.thread("retries".to_owned(), |shared| {
            shared.retries.run(&shared.progress, &shared.queue);
        })?;
        self.thread("compactor".to_owned(), |shared| {
            lower_priority();
            shared.compact_periodically();
        })?;
        self.thread("settler".to_owned(), |shared| {
            lower_priority();
            shared.settle_when_needed();
        })
    }

    fn thread(
        &self,
        name: String,
        work: impl FnOnce(&PipelineState) + Send + 'static,
    ) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = self.shared.lifecycle.spawn(name, move || work(&shared))?;
        self.lock().others.push(thread);
        Ok(())
    }

    /// Enqueues a file that may have changed; blocks while the queue is full.
    pub fn submit(&self, key: FileKey) {
        let Ok(()) = self.submit_while(key, || Ok::<(), Infallible>(()));
    }

    /// Enqueues a file for a caller that may stop waiting: `keep_going` is called periodically, and its error ends
    /// the wait. The file is enqueued anyway.
    pub fn submit_while<E>(
        &self,
        key: FileKey,
        keep_going: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        // A member is read with the file that contains it.
        self.shared.submit(key.on_disk(), keep_going)
    }

    /// Returns once everything enqueued before is applied, settled and power-safe, whatever arrives during the wait.
    pub fn barrier(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.wait_until_settled(cancel)?;
        let shared = &self.shared;
        let keep_going = || shared.check_may_wait(cancel);
        let commit = || Ok(shared.commit()?);
        let committed = shared
            .lifecycle
            .until_done(AlarmSource::Commits, commit, keep_going);
        if committed.is_err() {
            // The caller gives up: the committer tries again, and ends the alarm.
            shared.uncommitted.store(true, Ordering::Release);
        }
        committed?;
        shared.host.alarms.clear(AlarmSource::Commits);
        // What failed during the wait may have been part of it.
        shared.ended()
    }

    /// Returns once everything enqueued before is applied and settled, whatever arrives during the wait.
    pub fn wait_until_settled(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let shared = &self.shared;
        shared.progress.wait(|| shared.check_may_wait(cancel))?;
        let applied = shared.writer.end_epoch();
        self.wait_while(|| !shared.writer.is_settled_through(applied), cancel)
    }

    /// Polls until `is_under_way` is false.
    pub fn wait_while(
        &self,
        is_under_way: impl Fn() -> bool,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        let mut pauses = Backoff::between(PAUSES.0, PAUSES.1);
        while is_under_way() {
            self.shared.check_may_wait(cancel)?;
            self.shared.to_settle.wake();
            std::thread::sleep(pauses.pause());
        }
        Ok(())
    }

    /// Fails if a caller should stop waiting: it is cancelled, the engine ends, or an alarm has kept
    /// changes from being applied for too long.
    pub fn check_may_wait(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.shared.check_may_wait(cancel)
    }

    /// Files at or below this path that are enqueued and not yet applied.
    pub fn under_way(&self, at: &FileKey) -> Vec<FileKey> {
        self.shared.progress.under_way(at)
    }

    /// How much is enqueued, and how much has been done.
    pub fn counts(&self) -> ProgressCounts {
        self.shared.progress.counts()
    }

    /// How fast waiting files are read and applied; `None` if none waits.
    pub fn reading_pace(&self) -> Option<Pace> {
        self.shared.progress.pace(Instant::now())
    }

    /// How fast documents get their places in groups; `None` if none waits for one.
    pub fn settling_pace(&self) -> Option<Pace> {
        let waiting = self.shared.writer.unsettled();
        let settled = self.shared.settling_rate.lock();
        let settled = settled.unwrap_or_else(PoisonError::into_inner);
        let waiting = waiting.awaited + waiting.crowded;
        let pace = settled.pace(Instant::now(), waiting)?;
        Some(pace.with_deferred(self.shared.writer.deferred(), waiting))
    }

    /// Files of the roots of a view that are enqueued or being ingested, not counting retries.
    pub fn pending(&self, view: &VisibleRoots) -> u64 {
        self.shared.progress.pending(|root| view.shows(root))
    }

    /// How many files of the roots of a view failed by a transient fault and are to be tried again.
    pub fn retrying(&self, view: &VisibleRoots) -> u64 {
        self.shared.retries.count(|root| view.shows(root))
    }

    /// Waits for the threads to end, after shutdown was signalled: queued files are dropped, and found again by the
    /// next rescan. Returns false if a thread that reads the shares has not ended by `until`: it is left behind,
    /// with those that wait for it.
    pub fn join(&self, until: Instant) -> bool {
        let Threads { ingesters, others } = std::mem::take(&mut *self.lock());
        if !join_until(ingesters, until) {
            return false;
        }
        for thread in others {
            // A panic was logged by the thread itself.
            let _ = thread.join();
        }
        true
    }

    /// The only index writer.
    pub fn writer(&self) -> &IndexWriter {
        &self.shared.writer
    }

    /// Returns the writer once all threads have ended, for closing the index; `None` if something still holds it.
    pub fn into_writer(self) -> Option<IndexWriter> {
        self.join(Instant::now() + SHARE_THREAD_TIMEOUT);
        let Self { shared, .. } = self;
        Some(Arc::into_inner(shared)?.writer)
    }

    fn lock(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lowers the priority of this thread alone: on Linux, niceness is per thread.
fn lower_priority() {
    // If it fails, the thread runs at normal priority.
    let _ = rustix::process::nice(NICE_INCREMENT);
}

impl PipelineState {
    /// Wakes all waiting threads, at shutdown.
    fn wake(&self) {
        self.queue.close();
        self.retries.close();
        self.progress.wake();
        self.to_settle.wake();
    }

    /// Enqueues a file; one that is being ingested is ingested once more.
    fn submit<E>(&self, key: FileKey, keep_going: impl Fn() -> Result<(), E>) -> Result<(), E> {
        match self.progress.submit(key) {
            Some(job) => self.queue.push(job, keep_going),
            None => Ok(()),
        }
    }

    /// Does the check of [`Pipeline::check_may_wait`].
    fn check_may_wait(&self, cancel: &Cancel) -> Result<(), EngineError> {
        cancel.check()?;
        self.ended()?;
        let alarm = self.host.alarms.gravest();
        match alarm.filter(|alarm| alarm.lasts() > BARRIER_ALARM_GRACE) {
            Some(alarm) => Err(EngineError::NotApplied(alarm.reason)),
            None => Ok(()),
        }
    }

    fn publishing(&self) -> MutexGuard<'_, ()> {
        lock(&self.publishing)
    }

    /// Fails once the engine ends: nothing may be acknowledged then.
    fn ended(&self) -> Result<(), EngineError> {
        if let Some(failure) = self.lifecycle.failure() {
            return Err(EngineError::Failed(failure));
        }
        Ok(self.lifecycle.cancel().check()?)
    }

    /// Schedules or clears the retry of a job's file, then returns the job's tickets. Returns another job if hints of
    /// the file arrived meanwhile.
    ///
    /// The retry comes first, so that a barrier that waits for the tickets finds it counted.
    fn finish_job(&self, job: IngestJob) -> Option<IngestJob> {
        match job.to_retry {
            true => self.retries.schedule(&job.key),
            false => self.retries.clear(&job.key),
        }
        self.progress.return_tickets(job)
    }
}
