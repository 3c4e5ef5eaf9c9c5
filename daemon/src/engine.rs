//! Starts and stops the daemon's inside: build (index, workers, roots) → spawn (pipeline, watchers) → drain (stop
//! watching, finish, close). An engine that fails ends; the [`crate::engine::supervisor`] starts another on the same
//! [`Host`].

mod completeness;
pub mod slot;
mod start_watching;
mod stuck_store;
pub mod supervisor;
mod sync;
mod workers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use simdex_extract::Pool;
use simdex_index::store::{Damage, Hooks, StoreError};
use simdex_index::{Cancel, Fault, Index, IndexWriter, OpenReport, Opened};
use simdex_signature::{Ratio, Sampling};

use self::sync::{not_as_shown, require_synced};
use crate::base::causes::causes;
use crate::base::events::Events;
use crate::base::lock::lock;
use crate::base::report_key::ReportKey;
use crate::base::shared_run::SharedRun;
use crate::config::Config;
use crate::error::{EngineError, Failure};
use crate::host::Host;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::{Lifecycle, SHARE_THREAD_TIMEOUT, join_until};
use crate::host::storage::{self, Opening};
use crate::read_side::clusters::KeptClusters;
use crate::read_side::judging::Models;
use crate::write_side::dispatch::Dispatcher;
use crate::write_side::ingest::OwnReports;
use crate::write_side::pipeline::Pipeline;
use crate::write_side::progress::ProgressCounts;
use crate::write_side::root_walker::RootWalker;
use crate::write_side::roots::{LossToken, Root, RootState, RootStatus, Roots};
use crate::write_side::walk_queue::RootUrgency;

pub use completeness::{CompletenessCheck, Incomplete};

/// Index, workers, roots and the threads between them.
pub struct Engine {
    /// The index that the engine answers from. Queries are passed its reader.
    pub index: Index,
    /// The workers that read documents.
    pub pool: Arc<Pool>,
    /// The watched directory trees.
    pub roots: Arc<Roots>,
    /// Publishes changes to subscribers.
    pub events: Arc<Events>,
    /// Components and cores that were requested lately.
    pub clusters: KeptClusters,
    /// The model that pairs are judged by.
    pub models: Arc<Models>,
    /// Tells the daemon's own reports from other files.
    pub own_reports: Arc<OwnReports>,
    /// The config that the engine was started with.
    pub config: Config,
    /// Where the index lives.
    pub data_dir: PathBuf,
    /// The report of opening the index.
    pub opened: OpenReport,
    /// When it was started.
    pub started: Instant,
    pipeline: Arc<Pipeline>,
    dispatcher: Arc<Dispatcher>,
    host: Arc<Host>,
    lifecycle: Arc<Lifecycle>,
    /// Walks of all roots for `sync`.
    synced: SharedRun<Vec<RootStatus>>,
    /// Threads that act on hints and walk roots, and the recheck.
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Whether a thread was left behind when the engine stopped.
    hangs: AtomicBool,
}

impl Engine {
    /// Opens index and workers and starts the pipeline; watches nothing yet.
    pub fn start(config: Config, program: &Path) -> Result<Self, EngineError> {
        Self::start_on_host(&Arc::new(Host::new(config, program)?))
    }

    /// The damaged store in whose place this index was begun, unless every root has been walked completely since.
    pub fn damage_to_mend(&self) -> Option<Damage> {
        let damage = self.host.store_identity.damage()?;
        let is_walked = |root: &Arc<Root>| {
            let status = root.status();
            status.state == RootState::Watching || status.identity.is_some()
        };
        if self.roots.iter().all(is_walked) {
            self.host.store_identity.forget_damage();
            return None;
        }
        Some(damage)
    }

    /// Starts an engine like [`Engine::start`], on a host that may have had an engine before.
    pub fn start_on_host(host: &Arc<Host>) -> Result<Self, EngineError> {
        let config = &host.config;
        let lifecycle = Lifecycle::new(Arc::clone(&host.alarms), Arc::clone(&host.engine_failed));
        let Opened {
            index,
            writer,
            report,
        } = open_index(host, &lifecycle)?;
        let pool = Arc::new(workers::pool(host)?);
        let events = Arc::clone(&host.events);
        let roots = Arc::new(Roots::open(&writer, &config.roots, &events)?);
        writer.set_grouped_view(roots.view());
        let models = Arc::new(Models::open(&host.data_dir)?);
        let own_reports = Arc::new(own_reports(host)?);
        let pipeline = Arc::new(Pipeline::start(
            host,
            &lifecycle,
            Arc::clone(&own_reports),
            writer,
            Arc::clone(&pool),
            Arc::clone(&roots),
        )?);
        let dispatcher = Arc::new(Dispatcher {
            host: Arc::clone(host),
            lifecycle: Arc::clone(&lifecycle),
            pipeline: Arc::clone(&pipeline),
            pool: Arc::clone(&pool),
            own_reports: Arc::clone(&own_reports),
        });
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
            pipeline,
            dispatcher,
            host: Arc::clone(host),
            lifecycle,
            synced: SharedRun::default(),
            threads: Mutex::new(Vec::new()),
            hangs: AtomicBool::default(),
        })
    }

    /// Walks an unwatched root in the caller's thread and enqueues what may have changed; returns the root's status
    /// after that. If resources are short, it waits as a barrier does.
    pub fn rescan(&self, root: &Root, cancel: &Cancel) -> Result<RootStatus, EngineError> {
        let source = AlarmSource::Walks(root.id);
        let keep_going = || self.pipeline.check_may_wait(cancel);
        let walk = |walker: &RootWalker<'_>| walker.walk_on_request(root);
        self.dispatcher.walk_until_done(source, walk, &keep_going)
    }

    /// The part that acts on hints and walks roots.
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Resemblance from which documents are near-duplicates; groups at this threshold are maintained.
    pub fn threshold(&self) -> Ratio {
        // The range of the config lies within that of a ratio.
        Ratio::new(self.index.reader().parameters().threshold).unwrap_or(Ratio::ONE)
    }

    /// Returns when every change made before the call is applied. Calls made at the same time share one walk.
    pub fn sync(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let keep_going = || self.pipeline.check_may_wait(cancel);
        let walked = self.synced.run(|| self.walk_all(cancel), keep_going)?;
        self.flush_hints(cancel)?;
        self.barrier(cancel)?;
        require_synced(self.roots.iter().map(|root| &**root).zip(&walked))
    }

    /// Returns once everything enqueued so far is applied, settled and power-safe.
    pub fn barrier(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.pipeline.barrier(cancel)
    }

    /// Accepts a held loss as real, provided it is as the client was shown; returns the number of files removed. If
    /// the root has changed since it was shown, nothing is removed, and the present state has to be confirmed.
    pub fn confirm_loss(
        &self,
        root: &Root,
        shown: LossToken,
        cancel: &Cancel,
    ) -> Result<u64, EngineError> {
        if !matches!(root.state(), RootState::LossHeld | RootState::Replaced) {
            return Err(EngineError::NothingHeld(root.path.clone()));
        }
        let keep_going = || self.pipeline.check_may_wait(cancel);
        let removed = self
            .dispatcher
            .with_root_walker(|walker| walker.confirm_loss(root, shown), &keep_going)
            .and_then(|removed| removed.ok_or_else(|| not_as_shown(root)))
            .inspect_err(|_| root.request_walk(RootUrgency::Pressing))?;
        tracing::info!(root = root.id.0, %shown, removed, "a held loss was confirmed");
        // A rescan that met the files still on record would hold the same loss again.
        self.pipeline.barrier(cancel)?;
        Ok(removed)
    }

    /// Sets how texts of the whole index are sampled: as chosen, or by their length alone; power-safe when it
    /// returns. Documents that are signed otherwise are signed again in the background.
    pub fn set_sampling(&self, sampling: Option<Sampling>) -> Result<(), EngineError> {
        let waiting = self.writer().set_sampling(sampling)?;
        match sampling {
            Some(sampling) => tracing::info!(?sampling, waiting, "another sampling was chosen"),
            None => tracing::info!(waiting, "documents are sampled by their length again"),
        }
        Ok(())
    }

    /// Files enqueued and not yet applied, and jobs finished.
    pub fn counts(&self) -> ProgressCounts {
        self.pipeline.counts()
    }

    /// Cancelled when the engine ends, for work that must not outlive it.
    pub fn ending(&self) -> &Cancel {
        self.lifecycle.cancel()
    }

    /// The host it runs on.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// The only index writer. Queries have no access to it.
    pub fn writer(&self) -> &IndexWriter {
        self.pipeline.writer()
    }

    /// Fails the engine because a background task panicked.
    pub fn panicked(&self, what: &str) {
        self.lifecycle.fail(Failure::Panic(what.to_owned()));
    }

    /// Why the engine failed, if it did; it must then be closed, and another opened.
    pub fn failure(&self) -> Option<Failure> {
        self.lifecycle.failure()
    }

    /// Stops watching, ends all threads and workers. Returns false if a thread hangs in a share: it is left
    /// behind, with everything it holds.
    pub fn stop(&self) -> bool {
        self.pool.stopping();
        for root in self.roots.iter() {
            root.set_watcher(None);
            root.walks().into_iter().for_each(|walks| walks.end());
        }
        self.lifecycle.end();
        // Readers wait for workers: results of those that are killed are dropped.
        self.pool.shutdown();
        let until = Instant::now() + SHARE_THREAD_TIMEOUT;
        let mut all = self.pipeline.join(until);
        let threads = std::mem::take(&mut *lock(&self.threads));
        all &= join_until(threads, until);
        if !all {
            tracing::error!("a thread hangs in a share and is abandoned");
            self.hangs.store(true, Ordering::Release);
        }
        !self.hangs.load(Ordering::Acquire)
    }

    /// Stops and closes the index, so that the next start need not suspect a crash. An index that
    /// failed is left as it is: the next start examines it.
    pub fn close(self) -> Result<(), EngineError> {
        let ended = self.stop();
        if let Some(failure) = self.failure() {
            self.abandon();
            return Err(EngineError::Failed(failure));
        }
        if !ended {
            // It cannot be closed while the thread holds it, so it is committed instead.
            return Ok(self.writer().commit()?);
        }
        let Self {
            index,
            pipeline,
            dispatcher,
            host,
            ..
        } = self;
        drop(dispatcher);
        let writer = Arc::into_inner(pipeline).and_then(Pipeline::into_writer);
        let Some(writer) = writer.filter(|_| !host.is_temporary()) else {
            // A temporary index is thrown away: nothing in it is worth a merge.
            return Ok(());
        };
        if !host.disk.is_low() {
            return Ok(host.spare.lend(|| index.close(writer))?);
        }
        // The room that the reserve frees is for a commit, not for a merge.
        host.disk.release();
        Ok(host.spare.lend(|| index.close_unmerged(writer))?)
    }

    /// Stops and releases an index that failed.
    pub fn abandon(self) {
        self.stop();
        // sled may panic once more when it is dropped.
        if catch_unwind(AssertUnwindSafe(move || drop(self))).is_err() {
            tracing::error!("the storage engine panicked when it was dropped");
        }
    }
}

/// Recognises the reports that bear the key of a host.
fn own_reports(host: &Host) -> Result<OwnReports, EngineError> {
    let key = ReportKey::open(&host.data_dir).map_err(|source| EngineError::DataDir {
        path: host.data_dir.clone(),
        source,
    })?;
    Ok(OwnReports::marked_by(key))
}

/// Opens the index of a host, unless it is to stop.
fn open_index(host: &Host, lifecycle: &Arc<Lifecycle>) -> Result<Opened, EngineError> {
    let hooks = hooks(host, lifecycle);
    let (data_dir, program, stop) = (&host.data_dir, &host.program, &host.stop);
    stop.check()?;
    let opening = Opening::Serve(&host.store_identity);
    let opened = storage::open_index(&host.config, data_dir, program, opening, hooks, stop)?;
    if let Err(stopped) = stop.check() {
        opened.index.close(opened.writer)?;
        return Err(stopped.into());
    }
    Ok(opened)
}

/// A failure of the store ends the engine, whichever thread meets it first, even a query's. Data that
/// fails its checksum is refused to callers that ask for it, and ends the engine if a change needs it.
fn hooks(host: &Host, lifecycle: &Arc<Lifecycle>) -> Hooks {
    let (lifecycle, store) = (Arc::clone(lifecycle), Arc::clone(&host.store_identity));
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
        before: host.test_hook.clone(),
        failed: Some(Arc::new(failed)),
    }
}
