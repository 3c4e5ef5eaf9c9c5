//! Watching: for each root a thread that acts on hints and one that walks.

use super::*;

impl Engine {
    /// Watches every root, each with a thread that acts on its hints and one that walks.
    pub fn watch(self: &Arc<Self>) -> Result<(), EngineError> {
        for root in self.roots.iter() {
            let (sender, hints) = sync_channel(HINTS);
            let settings = self.config.watch_settings();
            let mode = root.configured.mode.into();
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
            root.watch(Some(watcher));
            let walks = Arc::<WalkQueue>::default();
            lock(&self.walks).push((root.id, Arc::clone(&walks)));
            self.follow(Arc::clone(root), hints, walks)?;
        }
        if let Some(pace) = Pace::of(&self.config.watch) {
            let (pipeline, roots) = (Arc::clone(&self.pipeline), Arc::clone(&self.roots));
            let data_dir = self.data_dir.clone();
            let own = Arc::clone(&self.own_reports);
            let recheck = Recheck::start(&self.lifecycle, pipeline, roots, own, pace, data_dir)?;
            *lock(&self.recheck) = Some(recheck);
        }
        Ok(())
    }

    /// Starts the two threads of a root.
    fn follow(
        self: &Arc<Self>,
        root: Arc<Root>,
        hints: Receiver<(u32, Hint)>,
        walks: Arc<WalkQueue>,
    ) -> Result<(), EngineError> {
        let number = root.id.0;
        let (engine, same, wanted) = (Arc::downgrade(self), Arc::clone(&root), Arc::clone(&walks));
        let acting = self.lifecycle.spawn(format!("hints-{number}"), move || {
            for (_, hint) in hints {
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                engine.act_on_hint(&same, hint, &wanted);
            }
        })?;
        let engine = Arc::downgrade(self);
        let walking = self.lifecycle.spawn(format!("walks-{number}"), move || {
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
    pub fn act_on_hint(&self, root: &Root, hint: Hint, walks: &WalkQueue) {
        match hint {
            Hint::Path(path) => {
                let key = root.key(&path);
                key.into_iter().for_each(|key| self.pipeline.submit(key));
            }
            Hint::Subtree(path) => walks.want_below(path),
            Hint::Rescan(cause) => walks.want_root(cause.into()),
            Hint::Removed(path) => {
                let source = AlarmSource::Removals(root.id);
                self.until_done(source, |rescan| rescan.removed(root, &path));
            }
        }
    }

    /// Does one walk that hints asked for; it may want another.
    pub fn walk(&self, root: &Root, walk: &WalkRequest, walks: &WalkQueue) {
        let walked = self.until_done(AlarmSource::Walks(root.id), |rescan| match walk {
            WalkRequest::Root => rescan.root(root).map(|_| WalkOutcome::Complete),
            WalkRequest::Routine => rescan.routine(root).map(|()| WalkOutcome::Complete),
            WalkRequest::Below(directory) => rescan.subtree(root, directory),
        });
        if walked == Some(WalkOutcome::NeedsRootWalk) {
            walks.want_root_instead();
        }
    }
}
