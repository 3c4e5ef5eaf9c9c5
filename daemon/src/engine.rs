//! The life of the daemon's inside: build (index, workers, roots) → spawn (pipeline, watchers) →
//! drain (stop watching, finish, close).

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simdex_extract::{Outside, Pool, Share, WorkerCommand};
use simdex_index::{Cancel, Index, IndexError, OpenReport};
use thiserror::Error;

use crate::config::Config;
use crate::events::Events;
use crate::ingest::Ingest;
use crate::overlap::{self, OverlapError};
use crate::pipeline::Pipeline;
use crate::rescan::{Rescan, Settled};
use crate::roots::{Root, RootState, Roots};
use crate::storage;
use crate::walks::{Walk, Walks};
use crate::watch::{Hint, RootWatcher};

/// Hints not yet acted on; watchers merge theirs while it is full.
const HINTS: usize = 4096;

/// Index, workers, roots and the threads between them.
pub struct Engine {
    /// What is known.
    pub index: Arc<Index>,
    /// Who reads documents.
    pub pool: Arc<Pool>,
    /// The watched trees.
    pub roots: Arc<Roots>,
    /// Who is told of changes.
    pub events: Arc<Events>,
    /// How it was set up.
    pub config: Config,
    /// Where the index lives.
    pub data_dir: PathBuf,
    /// What opening the index took.
    pub opened: OpenReport,
    /// When it was started.
    pub started: Instant,
    pipeline: Arc<Pipeline>,
    /// What is still to be walked, by root.
    walks: Mutex<Vec<Arc<Walks>>>,
    /// Threads that act on hints and walk roots.
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Keeps a temporary data directory until the end.
    _temporary: Option<tempfile::TempDir>,
}

/// Why the engine does not start or cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// Another daemon has the data directory.
    #[error("another daemon holds {}; stop it, or name another --data-dir", .0.display())]
    Locked(PathBuf),
    /// A directory to be scanned is not there.
    #[error("{} is not a directory that can be read ({reason}); name an existing one", path.display())]
    MissingRoot {
        /// The directory.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The data directory cannot be used.
    #[error("the data directory {} cannot be used ({source}); name another with --data-dir", path.display())]
    DataDir {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The kernel does not confine the workers as it should.
    #[error(
        "extraction workers cannot be confined here (missing: {0}); run a kernel with Landlock and \
         seccomp, or accept the risk with require_sandbox = false under [extract]"
    )]
    Unconfined(String),
    /// A program that the config asks for is not there.
    #[error("{0} is not installed; install it ({1}), or switch it off under [outside]")]
    NotInstalled(&'static str, &'static str),
    /// Roots and data directory are not apart.
    #[error(transparent)]
    Overlap(#[from] OverlapError),
    /// A root stands in the way of a barrier.
    #[error("{0}")]
    Unsynced(String),
    /// A write failed earlier: nothing is acknowledged after it.
    #[error(
        "the index takes no more changes ({0}); make room or repair the disk, then restart simdexd"
    )]
    Broken(String),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A thread could not be started.
    #[error("no thread could be started ({0}); raise the limit of processes")]
    Thread(#[from] std::io::Error),
}

impl Engine {
    /// Opens index and workers and starts the pipeline; watches nothing yet.
    pub fn start(config: Config, program: &Path) -> Result<Self, EngineError> {
        overlap::check(&config)?;
        let (data_dir, temporary) = storage::data_dir(&config)?;
        let opened = storage::open_index(&config, &data_dir, program, false)?;
        let index = Arc::new(opened.index);
        let command = WorkerCommand {
            program: program.to_owned(),
            args: vec!["extract-worker".into()],
        };
        let pool = Pool::new(command, config.workers(), config.limits());
        let pool = pool
            .spooling_in(data_dir.clone())
            .with_outside(outside(&config, program)?);
        let pool = Arc::new(pool);
        let sandbox = pool.sandbox();
        if config.extract.require_sandbox && sandbox.is_degraded() {
            return Err(EngineError::Unconfined(sandbox.missing.join(", ")));
        }
        if sandbox.is_degraded() {
            tracing::warn!("the sandbox of the workers is {sandbox}");
        }
        let events = Arc::new(Events::default());
        let roots = Arc::new(Roots::open(&index, &config.roots, &events)?);
        index.serve(roots.view());
        let pipeline = Pipeline::start(
            Arc::clone(&index),
            Arc::clone(&pool),
            Arc::clone(&roots),
            &config,
        )?;
        Ok(Self {
            index,
            pool,
            roots,
            events,
            config,
            data_dir,
            opened: opened.report,
            started: Instant::now(),
            pipeline: Arc::new(pipeline),
            walks: Mutex::default(),
            threads: Mutex::new(Vec::new()),
            _temporary: temporary,
        })
    }

    /// Watches every root, each with a thread that acts on its hints and one that walks.
    pub fn watch(self: &Arc<Self>) -> Result<(), EngineError> {
        for root in self.roots.iter() {
            let (sender, hints) = sync_channel(HINTS);
            let settings = self.config.watch_settings();
            let mode = root.configured.mode.into();
            let started = RootWatcher::start(root.id.0, &root.path, mode, &settings, sender);
            let (watcher, _) = started.map_err(|error| EngineError::Unsynced(error.to_string()))?;
            root.watch(Some(watcher));
            let walks = Arc::<Walks>::default();
            lock(&self.walks).push(Arc::clone(&walks));
            self.follow(Arc::clone(root), hints, walks)?;
        }
        Ok(())
    }

    /// Starts the two threads of a root.
    fn follow(
        self: &Arc<Self>,
        root: Arc<Root>,
        hints: Receiver<(u32, Hint)>,
        walks: Arc<Walks>,
    ) -> Result<(), EngineError> {
        let number = root.id.0;
        let (engine, same, wanted) = (Arc::downgrade(self), Arc::clone(&root), Arc::clone(&walks));
        let acting = spawn(&format!("hints-{number}"), move || {
            for (_, hint) in hints {
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                engine.act(&same, hint, &wanted);
            }
        })?;
        let engine = Arc::downgrade(self);
        let walking = spawn(&format!("walks-{number}"), move || {
            while let Some(walk) = walks.next() {
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                engine.walk(&root, &walk, &walks);
            }
        })?;
        lock(&self.threads).extend([acting, walking]);
        Ok(())
    }

    /// Acts on one hint of a watcher.
    pub fn act(&self, root: &Root, hint: Hint, walks: &Walks) {
        match hint {
            Hint::Path(path) => {
                let key = root.key(&path);
                key.into_iter().for_each(|key| self.pipeline.submit(key));
            }
            Hint::Subtree(path) => walks.want_below(path),
            Hint::Rescan(_) => walks.want_root(),
            Hint::Removed(path) => {
                if let Err(error) = self.with_rescan(|rescan| rescan.removed(root, &path)) {
                    tracing::error!(%error, "a removal could not be acted on");
                }
            }
        }
    }

    /// Does one walk that hints asked for; it may want another.
    pub fn walk(&self, root: &Root, walk: &Walk, walks: &Walks) {
        let walked = self.with_rescan(|rescan| match walk {
            Walk::Root => rescan.root(root).map(|()| Settled::Yes),
            Walk::Below(directory) => rescan.subtree(root, directory),
        });
        match walked {
            Ok(Settled::Yes) => {}
            Ok(Settled::WantsRoot) => walks.want_root(),
            Err(error) => {
                tracing::error!(%error, root = %root.path.display(), "a root could not be walked");
            }
        }
    }

    fn with_rescan<T>(
        &self,
        work: impl FnOnce(&Rescan<'_>) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let ingest = Ingest::new(
            &self.index,
            &self.pool,
            &self.config.extract,
            Share::default(),
            &Cancel::never(),
        );
        let settle = Duration::from_millis(self.config.watch.debounce_ms + 1_000);
        work(&Rescan {
            index: &self.index,
            pipeline: &self.pipeline,
            ingest: &ingest,
            event_delay: settle,
        })
    }

    /// Walks a root and names what may have changed.
    pub fn rescan(&self, root: &Root) -> Result<(), EngineError> {
        Ok(self.with_rescan(|rescan| rescan.root(root))?)
    }

    /// Returns when every change made before the call is answered for.
    pub fn sync(&self, cancel: &Cancel) -> Result<(), EngineError> {
        for root in self.roots.iter() {
            cancel.check()?;
            self.rescan(root)?;
        }
        self.barrier(cancel)?;
        self.roots.iter().try_for_each(unheld)
    }

    /// Returns once everything named so far is applied, settled and power-safe.
    pub fn barrier(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.pipeline.barrier(cancel)
    }

    /// Takes a held loss as real; returns the files removed.
    pub fn confirm_loss(&self, root: &Root) -> Result<u64, EngineError> {
        let removed = self.with_rescan(|rescan| rescan.confirm_loss(root))?;
        // A rescan that met the files on record once more would hold the same loss again.
        self.pipeline.barrier(&Cancel::never())?;
        Ok(removed)
    }

    /// Files named and not yet answered for, and looks finished.
    pub fn counts(&self) -> (u64, u64) {
        self.pipeline.counts()
    }

    /// Stops watching, ends all threads and workers.
    pub fn stop(&self) {
        for root in self.roots.iter() {
            root.watch(None);
        }
        lock(&self.walks).iter().for_each(|walks| walks.end());
        self.pipeline.stop();
        for thread in lock(&self.threads).drain(..) {
            let _ = thread.join();
        }
        self.pool.shutdown();
    }

    /// Stops and closes the index, so that the next start need not suspect a crash.
    pub fn close(self) -> Result<(), EngineError> {
        self.stop();
        let Self {
            index,
            pipeline,
            _temporary,
            ..
        } = self;
        drop(pipeline);
        match Arc::try_unwrap(index) {
            // A temporary index is thrown away: nothing in it is worth a merge.
            Ok(index) if _temporary.is_none() => Ok(index.close()?),
            _ => Ok(()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
}

/// An error that names the root where a barrier cannot be kept.
fn unheld(root: &Arc<Root>) -> Result<(), EngineError> {
    let status = root.status();
    let path = root.path.display();
    match status.state {
        RootState::Watching | RootState::Scanning => Ok(()),
        RootState::Stale => Err(EngineError::Unsynced(format!(
            "the root {path} is stale ({}); mount it again or let it be read, or take it out of the \
             config",
            status.detail
        ))),
        RootState::Replaced => Err(EngineError::Unsynced(format!(
            "the root {path} is not the one on record ({}); mount the right one, or take this one for \
             it, and what is missing for deleted, with `simctl roots confirm-loss {path}`",
            status.detail
        ))),
        RootState::LossHeld => Err(EngineError::Unsynced(format!(
            "{} files of the root {path} are missing at once and kept until somebody confirms; \
             look at the share, then run `simctl roots confirm-loss {path}`",
            status.pending_loss
        ))),
    }
}

/// The programs of the machine that the config asks for.
fn outside(config: &Config, program: &Path) -> Result<Outside, EngineError> {
    let shim = WorkerCommand {
        program: program.to_owned(),
        args: vec!["outside-worker".into()],
    };
    let mut outside = Outside::none(shim, config.outside_limits());
    if config.outside.pdftotext && !outside.use_pdftotext() {
        return Err(EngineError::NotInstalled("pdftotext", "poppler-utils"));
    }
    if config.outside.ocr && !outside.use_tesseract(&config.outside.ocr_languages) {
        return Err(EngineError::NotInstalled("tesseract", "tesseract-ocr"));
    }
    Ok(outside)
}
