//! The files enqueued and not yet ingested: one queue per folder, so that a burst of slow files in one folder
//! delays only its own files. Queues are bounded: a caller waits while the queue is full.
//!
//! Ingesters go where the fewest of them are: to the root first, then to the folder in it, ties to the one that
//! has waited longest. A root never has all ingesters, nor a folder all of a root's, so that a single new file
//! finds a free one at once. One ingester is reserved for each root: however many shares hang, with all shared
//! ingesters, each other root is still read.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use simdex_extract::QueueKey;
use simdex_schema::file::folder_of;
use simdex_schema::{FileKey, RootId};

use crate::write_side::progress::IngestJob;

/// Files queued per folder, and per root, before a caller waits for room.
pub(super) const WAITING_IN_FOLDER: usize = 1024;
const WAITING_IN_ROOT: usize = 8192;

/// How often a caller that waits for room checks whether to continue.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The files to ingest, queued by root and folder.
pub(super) struct IngestQueue {
    state: Mutex<State>,
    changed: Condvar,
    limits: IngesterLimits,
}

/// Limits on the ingesters that may be at work at once.
#[derive(Clone, Copy)]
struct IngesterLimits {
    /// Ingesters for all roots together, in addition to one for each.
    shared: usize,
    of_root: usize,
    of_folder: usize,
}

#[derive(Default)]
struct State {
    roots: BTreeMap<RootId, RootQueue>,
    /// Files handed out so far.
    served: u64,
    closed: bool,
}

#[derive(Default)]
struct RootQueue {
    folders: BTreeMap<Vec<u8>, FolderQueue>,
    waiting: usize,
    /// Ingesters at work for it.
    ingesters: usize,
    /// When it was last served, as a count of files handed out.
    served: u64,
}

#[derive(Default)]
struct FolderQueue {
    waiting: VecDeque<IngestJob>,
    ingesters: usize,
    served: u64,
}

/// The next step of an ingester.
pub(super) enum NextStep {
    /// Ingest this file, then call [`IngestQueue::release_ingester`].
    Job(IngestJob),
    /// Nothing arrived in time: call again.
    Idle,
    /// The queues are closed.
    Ended,
}

impl IngestQueue {
    /// Queues for this many ingesters, in addition to one for each root.
    pub(super) fn new(shared: usize) -> Self {
        let limits = IngesterLimits {
            shared,
            of_root: (shared * 3 / 4).max(1),
            of_folder: (shared / 2).max(1),
        };
        let (state, changed) = Default::default();
        Self {
            state,
            changed,
            limits,
        }
    }

    /// Queues a file; waits while the queue of its folder or root is full. `keep_going` is called
    /// periodically: its error ends the wait, and the file is queued anyway, since its ticket is issued.
    pub(super) fn push<E>(
        &self,
        job: IngestJob,
        keep_going: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let full = |state: &mut State| {
            let root = state.roots.get(&job.key.root);
            !state.closed && root.is_some_and(|root| root.is_full(folder_of(&job.key.path)))
        };
        let mut went_on = Ok(());
        let mut state = self.lock();
        while went_on.is_ok() && full(&mut state) {
            let waited = self.changed.wait_timeout_while(state, POLL_INTERVAL, full);
            drop(waited);
            went_on = keep_going();
            state = self.lock();
        }
        self.add(state, job);
        went_on
    }

    /// Queues a file once more, even if the queue is full: neither an ingester nor the retry thread may wait for room.
    pub(super) fn requeue(&self, job: IngestJob) {
        self.add(self.lock(), job);
    }

    fn add(&self, mut state: MutexGuard<'_, State>, job: IngestJob) {
        // What is enqueued after shutdown is dropped: its barriers end with an error.
        if !state.closed {
            let root = state.roots.entry(job.key.root).or_default();
            root.waiting += 1;
            let folder = root.folders.entry(folder_of(&job.key.path).to_vec());
            folder.or_default().waiting.push_back(job);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// The next file; waits at most `timeout` for it.
    pub(super) fn next(&self, timeout: Duration) -> NextStep {
        let none = |state: &mut State| !state.closed && state.turn(self.limits).is_none();
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, none);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.closed {
            return NextStep::Ended;
        }
        let Some(job) = state.take(self.limits) else {
            return NextStep::Idle;
        };
        drop(state);
        self.changed.notify_all();
        NextStep::Job(job)
    }

    /// Call when a file that was handed out has been ingested: its ingester is free again.
    pub(super) fn release_ingester(&self, key: &FileKey) {
        let mut state = self.lock();
        if let Some(root) = state.roots.get_mut(&key.root) {
            root.release_ingester(folder_of(&key.path));
            if root.folders.is_empty() {
                state.roots.remove(&key.root);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Drops what is waiting, and whatever arrives later.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.roots.clear();
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whose turn it is: a root and a folder in it.
    fn turn(&self, limits: IngesterLimits) -> Option<(RootId, Vec<u8>)> {
        let beyond_own = |root: &RootQueue| root.ingesters.saturating_sub(1);
        let shared: usize = self.roots.values().map(beyond_own).sum();
        let may_have_more = |root: &RootQueue| match root.ingesters {
            0 => true,
            ingesters => ingesters < limits.of_root && shared < limits.shared,
        };
        let roots = self.roots.iter();
        let roots = roots.filter(|(_, root)| may_have_more(root));
        let turns = roots.filter_map(|(id, root)| {
            let folder = root.turn(limits.of_folder)?;
            Some((root.ingesters, root.served, *id, folder))
        });
        let (.., id, folder) = turns.min()?;
        Some((id, folder.to_vec()))
    }

    fn take(&mut self, limits: IngesterLimits) -> Option<IngestJob> {
        let (id, name) = self.turn(limits)?;
        self.served += 1;
        let root = self.roots.get_mut(&id)?;
        let folder = root.folders.get_mut(&name)?;
        let job = folder.waiting.pop_front()?;
        root.waiting -= 1;
        root.ingesters += 1;
        folder.ingesters += 1;
        (root.served, folder.served) = (self.served, self.served);
        Some(job)
    }
}

impl RootQueue {
    fn is_full(&self, folder: &[u8]) -> bool {
        let of_folder = self.folders.get(folder).map_or(0, |own| own.waiting.len());
        of_folder >= WAITING_IN_FOLDER || self.waiting >= WAITING_IN_ROOT
    }

    fn turn(&self, max_ingesters: usize) -> Option<&[u8]> {
        let open =
            |folder: &FolderQueue| folder.ingesters < max_ingesters && !folder.waiting.is_empty();
        let folders = self.folders.iter().filter(|(_, folder)| open(folder));
        let next = folders.min_by_key(|(_, folder)| (folder.ingesters, folder.served));
        next.map(|(name, _)| name.as_slice())
    }

    fn release_ingester(&mut self, name: &[u8]) {
        self.ingesters = self.ingesters.saturating_sub(1);
        if let Some(folder) = self.folders.get_mut(name) {
            folder.ingesters = folder.ingesters.saturating_sub(1);
            if folder.ingesters == 0 && folder.waiting.is_empty() {
                self.folders.remove(name);
            }
        }
    }
}

/// The key under which a file queues for workers.
pub(super) fn queue_key(key: &FileKey) -> QueueKey {
    let mut folder = DefaultHasher::new();
    folder_of(&key.path).hash(&mut folder);
    QueueKey::Folder {
        root: u64::from(key.root.0),
        folder: folder.finish(),
    }
}

#[cfg(test)]
mod tests;
