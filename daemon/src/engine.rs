//! The life of the daemon's inside: build (index, workers, roots) → spawn (pipeline, watchers) →
//! drain (stop watching, finish, close). An engine that fails ends; the [`crate::engine::supervisor`] starts
//! another on the same [`Host`].

mod completeness;
mod hints;
pub mod slot;
pub mod supervisor;
mod synced;
mod workers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simdex_extract::Pool;
use simdex_index::store::{Hooks, StoreError};
use simdex_index::{Cancel, Fault, Index, IndexWriter, OpenReport, Opened};
use simdex_schema::RootId;
use simdex_signature::Ratio;

use self::synced::{not_as_shown, require_synced};
use crate::base::causes::causes;
use crate::base::report_key::ReportKey;
use crate::base::shared_run::SharedRun;
use crate::config::Config;
use crate::error::EngineError;
use crate::host::Host;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::{AT_A_SHARE, Failure, Lifecycle, join_until};
use crate::host::storage::{self, Opening};
use crate::read_side::clusters::KeptClusters;
use crate::read_side::judging::Models;
use crate::write_side::events::Events;
use crate::write_side::ingest::{ChangeDetector, OwnReports};
use crate::write_side::pipeline::Pipeline;
use crate::write_side::progress::Counts;
use crate::write_side::recheck::{Pace, Recheck};
use crate::write_side::rescan::{Rescan, WalkOutcome};
use crate::write_side::roots::{LossToken, Root, RootState, RootStatus, Roots};
use crate::write_side::walk_queue::{RootWish, WalkQueue, WalkRequest};
use crate::write_side::watch::{Hint, RootWatcher};

pub use completeness::{CompletenessCheck, Incomplete};

/// Hints not yet acted on; watchers merge theirs while it is full.
const HINTS: usize = 4096;

/// Index, workers, roots and the threads between them.
pub struct Engine {
    /// What is known. Questions are passed its reader.
    pub index: Index,
    /// Who reads documents.
    pub pool: Arc<Pool>,
    /// The watched trees.
    pub roots: Arc<Roots>,
    /// Who is told of changes.
    pub events: Arc<Events>,
    /// Components and cores that were asked for lately.
    pub clusters: KeptClusters,
    /// The model that pairs are judged by.
    pub models: Arc<Models>,
    /// Which reports are its own.
    pub own_reports: Arc<OwnReports>,
    /// How it was set up.
    pub config: Config,
    /// Where the index lives.
    pub data_dir: PathBuf,
    /// What opening the index took.
    pub opened: OpenReport,
    /// When it was started.
    pub started: Instant,
    pipeline: Arc<Pipeline>,
    host: Arc<Host>,
    lifecycle: Arc<Lifecycle>,
    /// What is still to be walked, by root.
    walks: Mutex<Vec<(RootId, Arc<WalkQueue>)>>,
    /// Walks of all roots for `sync`.
    synced: SharedRun<Vec<RootStatus>>,
    /// Threads that act on hints and walk roots.
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Reads files again of which nothing tells that they changed.
    recheck: Mutex<Option<Recheck>>,
    /// A thread was left behind at the stop.
    hangs: AtomicBool,
}

impl Engine {
    /// Opens index and workers and starts the pipeline; watches nothing yet.
    pub fn start(config: Config, program: &Path) -> Result<Self, EngineError> {
        Self::on(&Arc::new(Host::new(config, program)?))
    }

    /// As [`Engine::start`], on a host that may have had an engine before.
    pub fn on(host: &Arc<Host>) -> Result<Self, EngineError> {
        let config = &host.config;
        let lifecycle = Lifecycle::new(Arc::clone(&host.alarms), Arc::clone(&host.failed));
        let Opened {
            index,
            writer,
            report,
        } = open_index(host, &lifecycle)?;
        let pool = Arc::new(workers::pool(host)?);
        let events = Arc::clone(&host.events);
        let roots = Arc::new(Roots::open(&writer, &config.roots, &events)?);
        writer.set_grouped_view(roots.view());
        let key = ReportKey::open(&host.data_dir).map_err(|source| EngineError::DataDir {
            path: host.data_dir.clone(),
            source,
        })?;
        let models = Arc::new(Models::open(&host.data_dir)?);
        let own_reports = Arc::new(OwnReports::marked_by(key));
        let pipeline = Pipeline::start(
            host,
            &lifecycle,
            Arc::clone(&own_reports),
            writer,
            Arc::clone(&pool),
            Arc::clone(&roots),
        )?;
        Ok(Self {
            index,
            pool,
            roots,
            events,
            clusters: KeptClusters::default(),
            models,
            own_reports,
            config: config.clone(),
            data_dir: host.data_dir.clone(),
            opened: report,
            started: Instant::now(),
            pipeline: Arc::new(pipeline),
            host: Arc::clone(host),
            lifecycle,
            walks: Mutex::default(),
            synced: SharedRun::default(),
            threads: Mutex::new(Vec::new()),
            recheck: Mutex::default(),
            hangs: AtomicBool::default(),
        })
    }

    /// Does what no client waits for, however often it takes; none where the engine ends.
    fn until_done<T>(
        &self,
        source: AlarmSource,
        work: impl Fn(&Rescan<'_>) -> Result<T, EngineError>,
    ) -> Option<T> {
        let go_on = || Ok(self.lifecycle.cancel().check()?);
        self.rescan_until_done(source, work, &go_on).ok()
    }

    /// Work that succeeds ends the alarm of its part, whoever raised it: a caller that gave up does
    /// not come back to do so.
    fn rescan_until_done<T>(
        &self,
        source: AlarmSource,
        work: impl Fn(&Rescan<'_>) -> Result<T, EngineError>,
        go_on: &dyn Fn() -> Result<(), EngineError>,
    ) -> Result<T, EngineError> {
        let work = || self.with_rescan(&work, go_on);
        let done = self.lifecycle.until_done(source, work, go_on)?;
        self.host.alarms.clear(source);
        Ok(done)
    }

    fn with_rescan<T>(
        &self,
        work: impl FnOnce(&Rescan<'_>) -> Result<T, EngineError>,
        go_on: &dyn Fn() -> Result<(), EngineError>,
    ) -> Result<T, EngineError> {
        let (registry, pool, own) = (self.index.registry(), &self.pool, &self.own_reports);
        let detector = ChangeDetector::new(registry, pool, own, &self.config.extract);
        let event_delay = Duration::from_millis(self.config.watch.debounce_ms + 1_000);
        let worked = work(&Rescan {
            registry,
            writer: self.writer(),
            pipeline: &self.pipeline,
            detector: &detector,
            event_delay,
            go_on,
        });
        worked.inspect_err(|error| match error {
            EngineError::Index(error) if error.fault() == Fault::Index => {
                self.lifecycle.fail(Failure::Index(causes(error)));
            }
            _ => {}
        })
    }

    /// Walks a root and enqueues what may have changed; returns the root's status after that. A shortage is waited
    /// out as a barrier waits. Where the caller gives up before it is over, the root's own thread walks
    /// it: what was half walked would be pending otherwise, with the alarm that ended it, until the next
    /// timed rescan.
    pub fn rescan(&self, root: &Root, cancel: &Cancel) -> Result<RootStatus, EngineError> {
        let source = AlarmSource::Walks(root.id);
        let go_on = || self.pipeline.check_may_wait(cancel);
        self.rescan_until_done(source, |rescan| rescan.root(root), &go_on)
            .inspect_err(|_| self.want_rescan(root, RootWish::Pressing))
    }

    /// Has the root's own thread walk it. Several wishes are one walk.
    pub fn want_rescan(&self, root: &Root, wish: RootWish) {
        let walks = lock(&self.walks);
        let own = walks.iter().filter(|(of, _)| *of == root.id);
        own.for_each(|(_, walks)| walks.want_root(wish));
    }

    /// Resemblance from which documents are near-duplicates; groups at it are kept.
    pub fn threshold(&self) -> Ratio {
        // The range of the config lies within that of a ratio.
        Ratio::new(self.index.reader().parameters().threshold).unwrap_or(Ratio::ONE)
    }

    /// Returns when every change made before the call is applied. Calls that come at the same time share
    /// one walk.
    pub fn sync(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let go_on = || self.pipeline.check_may_wait(cancel);
        let walked = self.synced.run(|| self.walk_all(cancel), go_on)?;
        self.barrier(cancel)?;
        let mut walked = self.roots.iter().zip(&walked);
        walked.try_for_each(|(root, status)| require_synced(root, status))
    }

    /// Returns once everything enqueued so far is applied, settled and power-safe.
    pub fn barrier(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.pipeline.barrier(cancel)
    }

    /// Takes a held loss as real as it was shown; returns the files removed. Where the root is not as it was shown,
    /// nothing is removed, and what stands there now is to be confirmed.
    pub fn confirm_loss(
        &self,
        root: &Root,
        shown: LossToken,
        cancel: &Cancel,
    ) -> Result<u64, EngineError> {
        if !matches!(root.state(), RootState::LossHeld | RootState::Replaced) {
            return Err(EngineError::NothingHeld(root.path.clone()));
        }
        tracing::info!(root = root.id.0, %shown, "a held loss is confirmed");
        let go_on = || self.pipeline.check_may_wait(cancel);
        let removed = self
            .with_rescan(|rescan| rescan.confirm_loss(root, shown), &go_on)
            .and_then(|removed| removed.ok_or_else(|| not_as_shown(root)))
            .inspect_err(|_| self.want_rescan(root, RootWish::Pressing))?;
        // A rescan that met the files on record once more would hold the same loss again.
        self.pipeline.barrier(cancel)?;
        Ok(removed)
    }

    /// Files enqueued and not yet applied, and jobs finished.
    pub fn counts(&self) -> Counts {
        self.pipeline.counts()
    }

    /// Cancelled when the engine ends, for work that must not outlive it.
    pub fn ending(&self) -> &Cancel {
        self.lifecycle.cancel()
    }

    /// What it runs on.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Who writes to the index: the pipeline holds it. No question is passed it.
    pub fn writer(&self) -> &IndexWriter {
        self.pipeline.writer()
    }

    /// It cannot go on: what was done for nobody who waits panicked.
    pub fn panicked(&self, what: &str) {
        self.lifecycle.fail(Failure::Panic(what.to_owned()));
    }

    /// Why it failed, if it did: it must be closed, and another opened.
    pub fn failure(&self) -> Option<Failure> {
        self.lifecycle.failure()
    }

    /// Stops watching, ends all threads and workers. False where one of them hangs in a share: it is left behind,
    /// and what it holds with it.
    pub fn stop(&self) -> bool {
        self.pool.stopping();
        lock(&self.recheck).iter().for_each(Recheck::end);
        for root in self.roots.iter() {
            root.watch(None);
        }
        lock(&self.walks).iter().for_each(|(_, walks)| walks.end());
        self.lifecycle.end();
        // Readers wait for workers: what comes of those that are killed is dropped.
        self.pool.shutdown();
        let until = Instant::now() + AT_A_SHARE;
        let mut all = self.pipeline.join(until);
        let mut threads = std::mem::take(&mut *lock(&self.threads));
        let recheck = lock(&self.recheck).take();
        threads.extend(recheck.and_then(Recheck::into_thread));
        all &= join_until(threads, until);
        if !all {
            tracing::error!("a thread hangs in a share and is abandoned");
            self.hangs.store(true, Ordering::Release);
        }
        !self.hangs.load(Ordering::Acquire)
    }

    /// Stops and closes the index, so that the next start need not suspect a crash. One that failed is
    /// left as it is: the next start examines it.
    pub fn close(self) -> Result<(), EngineError> {
        let ended = self.stop();
        if let Some(failure) = self.failure() {
            self.abandon();
            return Err(EngineError::Failed(failure));
        }
        if !ended {
            // It cannot be closed while the thread holds it: it is made safe.
            return Ok(self.writer().commit()?);
        }
        let Self {
            index,
            pipeline,
            host,
            ..
        } = self;
        let writer = Arc::into_inner(pipeline).and_then(Pipeline::into_writer);
        let Some(writer) = writer.filter(|_| !host.is_temporary()) else {
            // A temporary index is thrown away: nothing in it is worth a merge.
            return Ok(());
        };
        if !host.disk.is_low() {
            return Ok(host.spare.lend(|| index.close(writer))?);
        }
        // What the reserve gives is for a commit, not for a merge.
        host.disk.release();
        Ok(host.spare.lend(|| index.close_unmerged(writer))?)
    }

    /// Stops and lets go of an index that failed.
    pub fn abandon(self) {
        self.stop();
        // The storage engine may panic once more when it is dropped.
        if catch_unwind(AssertUnwindSafe(move || drop(self))).is_err() {
            tracing::error!("the storage engine panicked when it was dropped");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the index of a host, unless it is to stop.
fn open_index(host: &Host, lifecycle: &Arc<Lifecycle>) -> Result<Opened, EngineError> {
    let hooks = hooks(host, lifecycle);
    let (data_dir, program, stop) = (&host.data_dir, &host.program, &host.stop);
    stop.check()?;
    let opening = Opening::Serve(&host.store);
    let opened = storage::open_index(&host.config, data_dir, program, opening, hooks, stop)?;
    if let Err(stopped) = stop.check() {
        opened.index.close(opened.writer)?;
        return Err(stopped.into());
    }
    Ok(opened)
}

/// Whoever meets a failure of the storage engine, the engine ends: a question may be the first. What
/// a checksum shows to be damaged is refused to who asks, and ends the engine where a change needs it.
fn hooks(host: &Host, lifecycle: &Arc<Lifecycle>) -> Hooks {
    let (lifecycle, store) = (Arc::clone(lifecycle), Arc::clone(&host.store));
    let failed = move |error: &StoreError| {
        if error.is_replaced() {
            store.mark_exchanged();
        }
        let damaged = matches!(error, StoreError::Corrupt { .. });
        if error.fault() == Fault::Index && !damaged {
            lifecycle.fail(Failure::Index(causes(error)));
        }
    };
    Hooks {
        before: host.before.clone(),
        failed: Some(Arc::new(failed)),
    }
}
