//! Files that a transient fault kept from being read: ingested again after a wait, which grows with each try.
//! No ingester thread waits for them; files that do not fit into the queue are found by the next rescan, and
//! are still counted until then.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use simdex_schema::{FileKey, RootId};

use super::ingest_queue::IngestQueue;
use crate::write_side::progress::Progress;

/// Most files in the queue.
const FILES: usize = 4096;
/// Most files of one root.
const OF_ROOT: usize = FILES / 4;
/// Most files that are counted, queued or not: 9 to 18 bytes each.
const COUNTED: usize = 4 << 20;
/// The first wait, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// Files to be ingested again.
#[derive(Default)]
pub(super) struct RetryQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The queue: each file with its next try.
    files: BTreeMap<FileKey, NextTry>,
    /// The queue and what did not fit into it.
    failing: CountedFiles,
    closed: bool,
}

struct NextTry {
    /// `None` while it is being ingested.
    due: Option<Instant>,
    tries: u32,
}

impl RetryQueue {
    /// Schedules a file after a transient fault.
    pub(super) fn schedule(&self, key: &FileKey) {
        self.lock().schedule(key, Instant::now());
        self.changed.notify_all();
    }

    /// Clears the retries of a file that has been ingested.
    pub(super) fn clear(&self, key: &FileKey) {
        let mut state = self.lock();
        state.files.remove(key);
        state.failing.remove(key);
    }

    /// How many files of these roots failed when they were last read, in the queue or not; at most [`COUNTED`].
    pub(super) fn count(&self, is_counted: impl Fn(RootId) -> bool) -> u64 {
        let state = self.lock();
        let roots = state.failing.roots.iter();
        let counted = roots.filter(|(root, _)| is_counted(**root));
        counted.map(|(_, keys)| keys.len() as u64).sum()
    }

    /// Enqueues each file when it is due, until this is closed. It does not wait for room among the jobs: if the queue
    /// of one folder is full, the files of all others are still tried. The bound on retries is here.
    pub(super) fn run(&self, progress: &Progress, jobs_queue: &IngestQueue) {
        while let Some(key) = self.next() {
            if let Some(job) = progress.retry(key) {
                jobs_queue.requeue(job);
            }
        }
    }

    /// The next file, once it is due; `None` once this is closed.
    fn next(&self) -> Option<FileKey> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            let now = Instant::now();
            if let Some(key) = state.take(now) {
                return Some(key);
            }
            let dues = state.files.values().filter_map(|waits| waits.due);
            let timeout = dues.min().map_or(LONGEST, |due| due - now);
            let waited = self.changed.wait_timeout(state, timeout);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes the waiting thread, at shutdown.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn schedule(&mut self, key: &FileKey, now: Instant) {
        self.failing.insert(key);
        if !self.files.contains_key(key) && !self.has_room(key.root) {
            return;
        }
        let first = NextTry {
            due: None,
            tries: 0,
        };
        let file = self.files.entry(key.clone()).or_insert(first);
        let wait = FIRST.saturating_mul(1 << file.tries.min(16)).min(LONGEST);
        (file.due, file.tries) = (Some(now + wait), file.tries.saturating_add(1));
    }

    /// Whether one more file of this root may be queued: no root takes the room of all others.
    fn has_room(&self, root: RootId) -> bool {
        let first = |root| FileKey {
            root,
            path: Vec::new(),
        };
        let of_root = self
            .files
            .range(first(root)..first(RootId(root.0.saturating_add(1))));
        self.files.len() < FILES && of_root.count() < OF_ROOT
    }

    /// Takes a file that is due.
    fn take(&mut self, now: Instant) -> Option<FileKey> {
        let is_due = |file: &&mut NextTry| file.due.is_some_and(|due| due <= now);
        let mut files = self.files.iter_mut();
        let (key, file) = files.find(|(_, file)| is_due(file))?;
        file.due = None;
        Some(key.clone())
    }
}

/// Counted files, each once, by root. Each is represented by a hash: two of four million collide with a probability
/// of 10^-6, and outsiders cannot construct collisions.
#[derive(Default)]
struct CountedFiles {
    roots: BTreeMap<RootId, HashSet<u64>>,
    hasher: RandomState,
}

impl CountedFiles {
    fn insert(&mut self, key: &FileKey) {
        if self.roots.values().map(HashSet::len).sum::<usize>() < COUNTED {
            let hash = self.hasher.hash_one(key);
            self.roots.entry(key.root).or_default().insert(hash);
        }
    }

    fn remove(&mut self, key: &FileKey) {
        let Some(keys) = self.roots.get_mut(&key.root) else {
            return;
        };
        keys.remove(&self.hasher.hash_one(key));
        if keys.is_empty() {
            self.roots.remove(&key.root);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::ingest_queue::WAITING_IN_FOLDER;
    use super::*;

    fn key(name: &str) -> FileKey {
        FileKey {
            root: RootId(1),
            path: name.into(),
        }
    }

    #[test]
    fn waits_grow_up_to_a_bound_and_begin_anew_after_a_success() {
        let (queue, now) = (RetryQueue::default(), Instant::now());
        let mut waits = Vec::new();
        for _ in 0..12 {
            let mut state = queue.lock();
            state.schedule(&key("a"), now);
            let due = state.files[&key("a")].due.unwrap();
            waits.push((due - now).as_secs());
            assert_eq!(state.take(due - FIRST / 2), None, "too early");
            assert_eq!(state.take(due), Some(key("a")));
            assert_eq!(state.take(due + LONGEST), None, "it is looked at");
        }
        assert_eq!(waits[..4], [1, 2, 4, 8]);
        assert_eq!(waits[11], LONGEST.as_secs());
        queue.clear(&key("a"));
        queue.lock().schedule(&key("a"), now);
        assert_eq!(queue.lock().files[&key("a")].due, Some(now + FIRST));
    }

    #[test]
    fn a_full_folder_keeps_no_other_file_from_being_tried_again() {
        let (queue, progress, jobs) = (
            RetryQueue::default(),
            Progress::default(),
            IngestQueue::new(8),
        );
        let full = |at: usize| key(&format!("full/{at}"));
        for at in 0..WAITING_IN_FOLDER {
            let Ok(()) = jobs.push(progress.submit(full(at)).unwrap(), || {
                Ok::<(), Infallible>(())
            });
        }
        // Ordered by path, the file of the full folder comes first.
        for key in [full(WAITING_IN_FOLDER), key("other/1")] {
            queue.schedule(&key);
        }
        queue
            .lock()
            .files
            .values_mut()
            .for_each(|file| file.due = Some(Instant::now()));
        std::thread::scope(|scope| {
            scope.spawn(|| queue.run(&progress, &jobs));
            let begun = Instant::now();
            let is_tried = || !progress.under_way(&key("other/1")).is_empty();
            while !is_tried() && begun.elapsed() < Duration::from_secs(20) {
                std::thread::yield_now();
            }
            let tried = is_tried();
            queue.close();
            jobs.close();
            assert!(tried);
        });
    }

    #[test]
    fn files_that_do_not_fit_into_the_queue_are_counted_until_they_are_read() {
        let (queue, many) = (RetryQueue::default(), 3 * OF_ROOT);
        let name = |at: usize| key(&at.to_string());
        for _ in 0..2 {
            (0..many).for_each(|at| queue.schedule(&name(at)));
            assert_eq!(queue.count(|_| true), many as u64);
        }
        (0..many)
            .rev()
            .take(OF_ROOT)
            .for_each(|at| queue.clear(&name(at)));
        queue.clear(&key("never failed"));
        assert_eq!(queue.count(|_| true), (many - OF_ROOT) as u64);
        (0..many).for_each(|at| queue.clear(&name(at)));
        assert_eq!(queue.count(|_| true), 0);
    }

    #[test]
    fn files_are_counted_by_root() {
        let queue = RetryQueue::default();
        let key = |root| FileKey {
            root: RootId(root),
            path: b"a".to_vec(),
        };
        [1, 1, 2]
            .iter()
            .for_each(|root| queue.schedule(&key(*root)));
        let of = |root| queue.count(|counted| counted == RootId(root));
        assert_eq!([of(1), of(2), of(3)], [1, 1, 0]);
        queue.clear(&key(1));
        assert_eq!([of(1), of(2)], [0, 1]);
    }

    #[test]
    fn it_is_bounded_and_ends() {
        let queue = RetryQueue::default();
        let queued = || queue.lock().files.len();
        (0..FILES + 9).for_each(|at| queue.schedule(&key(&at.to_string())));
        assert_eq!(queued(), OF_ROOT, "a root has its share");
        for root in 2..9 {
            for at in 0..OF_ROOT {
                queue.schedule(&FileKey {
                    root: RootId(root),
                    path: at.to_string().into(),
                });
            }
        }
        assert_eq!(queued(), FILES);
        queue.close();
        assert_eq!(queue.next(), None);
    }
}
