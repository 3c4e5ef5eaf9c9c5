//! Starts watching: a watcher, a walk queue and two threads for each root, and the recheck.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use super::Engine;
use crate::base::lock::lock;
use crate::error::EngineError;
use crate::write_side::recheck::{Recheck, RecheckRate};
use crate::write_side::watch::{RootWatcher, WatchSettings};

/// Hints not yet acted on; while the queue is full, watchers merge theirs.
const HINTS: usize = 4096;

impl Engine {
    /// Watches every root, each with one thread that acts on its hints and one that walks
    /// ([`dispatch`](crate::write_side::dispatch)).
    pub fn watch(&self) -> Result<(), EngineError> {
        for root in self.roots.iter() {
            let (sender, hints) = sync_channel(HINTS);
            let settings = WatchSettings::of(&self.config.watch);
            let mode = root.configured.mode;
            let started = RootWatcher::start(
                &self.lifecycle,
                root.id.0,
                &root.path,
                mode,
                &settings,
                sender,
            );
            let (watcher, _) = started.map_err(|error| EngineError::Unsynced {
                reason: error.to_string(),
                advice: "remove the cause that the error names, and start simdexd again".to_owned(),
            })?;
            root.set_watcher(Some(watcher));
            let walks = root.expect_walks();
            let started = self.dispatcher.spawn_root_threads(root, hints, walks)?;
            lock(&self.threads).extend(started);
        }
        if let Some(rate) = RecheckRate::of(&self.config.watch) {
            let (pipeline, roots) = (Arc::clone(&self.pipeline), Arc::clone(&self.roots));
            let data_dir = self.data_dir.clone();
            let own = Arc::clone(&self.own_reports);
            let recheck = Recheck::spawn(&self.lifecycle, pipeline, roots, own, rate, data_dir)?;
            lock(&self.threads).push(recheck);
        }
        Ok(())
    }
}
