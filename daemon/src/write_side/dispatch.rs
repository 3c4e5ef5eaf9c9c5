//! Connects each root's watcher to the pipeline and the walk queue.
//!
//! Each root has two threads. `hints-N` takes the hints of its watcher one after another: it submits a path to the
//! [`pipeline`](super::pipeline), puts a directory or the whole root into the [`walk_queue`](super::walk_queue), and
//! enqueues the known files below a path that was removed. `walks-N` does the walks that the queue hands out, using
//! [`root_walker`](super::root_walker).

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::Duration;

use simdex_extract::Pool;
use simdex_index::Fault;

use super::ingest::{ChangeDetector, OwnReports};
use super::pipeline::Pipeline;
use super::root_walker::{RootWalker, WalkOutcome};
use super::roots::Root;
use super::walk_queue::{WalkQueue, WalkRequest};
use super::watch::Hint;
use crate::base::causes::causes;
use crate::error::{EngineError, Failure};
use crate::host::Host;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::Lifecycle;

/// Time beyond the debounce that an event may take to arrive.
const EVENT_MARGIN: Duration = Duration::from_secs(1);

/// Acts on hints and walks roots.
pub struct Dispatcher {
    /// Holds the config and the alarms that walks raise.
    pub host: Arc<Host>,
    /// Ends the threads, and work that waits.
    pub lifecycle: Arc<Lifecycle>,
    /// Receives the files that must be read.
    pub pipeline: Arc<Pipeline>,
    /// The workers, which determine the available readers.
    pub pool: Arc<Pool>,
    /// Recognises files that belong to reports of this daemon.
    pub own_reports: Arc<OwnReports>,
}

impl Dispatcher {
    /// Starts the two threads of a root. They end once the hints end, the queue ends, or the dispatcher is dropped.
    pub fn spawn_root_threads(
        self: &Arc<Self>,
        root: &Arc<Root>,
        hints: Receiver<Hint>,
        walks: &Arc<WalkQueue>,
    ) -> std::io::Result<[JoinHandle<()>; 2]> {
        let number = root.id.0;
        let (dispatcher, of_hints, walk_queue) =
            (Arc::downgrade(self), Arc::clone(root), Arc::clone(walks));
        let acting = self.lifecycle.spawn(format!("hints-{number}"), move || {
            for hint in hints {
                let Some(dispatcher) = dispatcher.upgrade() else {
                    return;
                };
                dispatcher.act_on_hint(&of_hints, hint, &walk_queue);
            }
        })?;
        let (dispatcher, root, walks) = (Arc::downgrade(self), Arc::clone(root), Arc::clone(walks));
        let walking = self.lifecycle.spawn(format!("walks-{number}"), move || {
            while let Some(walk) = walks.next() {
                let Some(dispatcher) = dispatcher.upgrade() else {
                    return;
                };
                dispatcher.walk(&root, &walk, &walks);
            }
        })?;
        Ok([acting, walking])
    }

    /// Acts on one hint of a watcher.
    pub fn act_on_hint(&self, root: &Root, hint: Hint, walks: &WalkQueue) {
        match hint {
            Hint::Path(path) => {
                let key = root.key(&path);
                key.into_iter().for_each(|key| self.pipeline.submit(key));
            }
            Hint::Subtree(path) => walks.request_below(path),
            Hint::WalkRoot(cause) => walks.request_root(cause.into()),
            Hint::Flushed(number) => walks.note_flushed(number),
            Hint::Removed(path) => {
                let source = AlarmSource::Removals(root.id);
                self.until_done(source, |walker| walker.enqueue_removed(root, &path));
            }
        }
    }

    /// Does one walk that hints asked for; it may request another.
    pub fn walk(&self, root: &Root, walk: &WalkRequest, walks: &WalkQueue) {
        let walked = self.until_done(AlarmSource::Walks(root.id), |walker| match walk {
            WalkRequest::Root => walker.walk_on_request(root).map(|_| WalkOutcome::Complete),
            WalkRequest::Routine => walker.walk_routinely(root).map(|()| WalkOutcome::Complete),
            WalkRequest::Below(directory) => walker.walk_directory(root, directory),
        });
        if walked == Some(WalkOutcome::NeedsRootWalk) {
            walks.request_root_instead();
        }
    }

    /// Retries background work until it succeeds; returns `None` if the engine shuts down.
    fn until_done<T>(
        &self,
        source: AlarmSource,
        work: impl Fn(&RootWalker<'_>) -> Result<T, EngineError>,
    ) -> Option<T> {
        let keep_going = || Ok(self.lifecycle.cancel().check()?);
        self.walk_until_done(source, work, &keep_going).ok()
    }

    /// Retries work while the machine lacks something and `keep_going` allows it. Success ends the alarm of
    /// its source, whoever raised it: a caller that gave up does not come back to end it.
    pub fn walk_until_done<T>(
        &self,
        source: AlarmSource,
        work: impl Fn(&RootWalker<'_>) -> Result<T, EngineError>,
        keep_going: &dyn Fn() -> Result<(), EngineError>,
    ) -> Result<T, EngineError> {
        let work = || self.with_root_walker(&work, keep_going);
        let done = self.lifecycle.until_done(source, work, keep_going)?;
        self.host.alarms.clear(source);
        Ok(done)
    }

    /// Runs work with a [`RootWalker`]; a failure of the index fails the engine.
    pub fn with_root_walker<T>(
        &self,
        work: impl FnOnce(&RootWalker<'_>) -> Result<T, EngineError>,
        keep_going: &dyn Fn() -> Result<(), EngineError>,
    ) -> Result<T, EngineError> {
        let (writer, config) = (self.pipeline.writer(), &self.host.config);
        let registry = writer.registry();
        let (pool, own) = (&self.pool, &self.own_reports);
        let detector = ChangeDetector::new(registry, pool, own, &config.extract);
        let worked = work(&RootWalker {
            registry,
            writer,
            pipeline: &self.pipeline,
            detector: &detector,
            event_delay: Duration::from_millis(config.watch.debounce_ms) + EVENT_MARGIN,
            keep_going,
        });
        worked.inspect_err(|error| match error {
            EngineError::Index(error) if error.fault() == Fault::Index => {
                self.lifecycle.fail(Failure::Index(causes(error)));
            }
            _ => {}
        })
    }
}
