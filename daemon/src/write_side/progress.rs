//! Which changes are in progress: tickets that barriers wait for.
//!
//! A ticket is issued when a file is enqueued and returned when the index shows the result. A file is
//! ingested by one thread at a time; a hint that arrives meanwhile causes it to be ingested once more,
//! so that an old reading never overwrites a newer one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::collections::{btree_map, hash_map};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use simdex_schema::{FileKey, RootId};

use crate::base::rate::{Pace, RateWindow};

/// One file to ingest, for all tickets that wait for it.
#[derive(Debug)]
pub struct IngestJob {
    /// The file to ingest.
    pub key: FileKey,
    tickets: Vec<u64>,
    /// Whether a transient fault kept it from being read.
    pub to_retry: bool,
}

/// Tickets and the jobs they wait for.
#[derive(Default)]
pub struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    next: u64,
    outstanding: BTreeSet<u64>,
    /// Files enqueued or being ingested.
    busy: HashMap<FileKey, FileProgress>,
    /// How many of those are not retries, by root.
    pending: BTreeMap<RootId, u64>,
    finished: u64,
    rate: RateWindow,
}

impl Default for State {
    fn default() -> Self {
        Self {
            next: 0,
            outstanding: BTreeSet::new(),
            busy: HashMap::new(),
            pending: BTreeMap::new(),
            finished: 0,
            rate: RateWindow::over(READING_WINDOW),
        }
    }
}

/// The state of a file that is enqueued or being ingested.
#[derive(Default)]
struct FileProgress {
    /// The tickets issued since its job was.
    tickets: Vec<u64>,
    /// Whether it is a retry after a transient fault, with no hint since.
    is_retry: bool,
}

/// The window of the pace of reading: a single file may take many seconds.
const READING_WINDOW: Duration = Duration::from_secs(60);
/// How often a blocked barrier checks its cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How much is in progress, and how much has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressCounts {
    /// Files enqueued or being ingested, not counting retries.
    pub pending: u64,
    /// Jobs finished since the start.
    pub finished: u64,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Issues a ticket for a file. Returns a job unless the file has one already.
    pub fn submit(&self, key: FileKey) -> Option<IngestJob> {
        let mut state = self.lock();
        let job = state.submit(key.clone());
        if let Some(busy) = state.busy.get_mut(&key)
            && std::mem::take(&mut busy.is_retry)
        {
            state.count(key.root);
        }
        job
    }

    /// Submits a file that is retried after a transient fault: it is not counted as pending, unless a
    /// hint of it arrives before it is done.
    pub fn retry(&self, key: FileKey) -> Option<IngestJob> {
        let mut state = self.lock();
        let job = state.submit(key.clone())?;
        if let Some(busy) = state.busy.get_mut(&key) {
            busy.is_retry = true;
            state.uncount(key.root);
        }
        Some(job)
    }

    /// Files at or below this path that are enqueued and not yet applied.
    pub fn under_way(&self, at: &FileKey) -> Vec<FileKey> {
        let is_below = |key: &&FileKey| {
            let rest = key.path.strip_prefix(&at.path[..]);
            let is_at = |rest: &[u8]| at.path.is_empty() || rest.is_empty() || rest[0] == b'/';
            key.root == at.root && rest.is_some_and(is_at)
        };
        self.lock().busy.keys().filter(is_below).cloned().collect()
    }

    /// Returns a job's tickets. Returns another job if hints arrived since it was issued.
    pub fn return_tickets(&self, job: IngestJob) -> Option<IngestJob> {
        let mut state = self.lock();
        for ticket in &job.tickets {
            state.outstanding.remove(ticket);
        }
        state.finished += 1;
        state.rate.done(Instant::now(), 1);
        self.changed.notify_all();
        let busy = state.busy.remove(&job.key)?;
        if !busy.is_retry {
            state.uncount(job.key.root);
        }
        if busy.tickets.is_empty() {
            return None;
        }
        state.busy.insert(job.key.clone(), FileProgress::default());
        state.count(job.key.root);
        Some(IngestJob::new(job.key, busy.tickets))
    }

    /// Returns once every ticket taken before the call has been returned, or with the error of `keep_going`, which is
    /// called periodically. A ticket whose change was not applied is never returned.
    pub fn wait<E>(&self, keep_going: impl Fn() -> Result<(), E>) -> Result<(), E> {
        let mut state = self.lock();
        let before = state.next;
        let waits = |state: &State| {
            state
                .outstanding
                .first()
                .is_some_and(|first| *first < before)
        };
        while waits(&state) {
            drop(state);
            keep_going()?;
            state = self.lock();
            // The result may have arrived while the lock was released.
            if waits(&state) {
                let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        Ok(())
    }

    /// Lets all waiters check once more whether to continue.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// How much is in progress, and how much has been done.
    pub fn counts(&self) -> ProgressCounts {
        let state = self.lock();
        ProgressCounts {
            pending: state.pending.values().sum(),
            finished: state.finished,
        }
    }

    /// How fast the files in progress are being done, not counting retries; `None` if there are none, or they have
    /// hardly begun.
    pub fn pace(&self, now: Instant) -> Option<Pace> {
        let state = self.lock();
        state.rate.pace(now, state.pending.values().sum())
    }

    /// Files of these roots that are enqueued or being ingested, not counting retries.
    pub fn pending(&self, is_counted: impl Fn(RootId) -> bool) -> u64 {
        let state = self.lock();
        let counted = state.pending.iter().filter(|(root, _)| is_counted(**root));
        counted.map(|(_, files)| files).sum()
    }
}

impl IngestJob {
    fn new(key: FileKey, tickets: Vec<u64>) -> Self {
        Self {
            key,
            tickets,
            to_retry: false,
        }
    }
}

impl State {
    fn submit(&mut self, key: FileKey) -> Option<IngestJob> {
        let ticket = self.next;
        self.next += 1;
        self.outstanding.insert(ticket);
        match self.busy.entry(key.clone()) {
            hash_map::Entry::Occupied(mut busy) => {
                busy.get_mut().tickets.push(ticket);
                None
            }
            hash_map::Entry::Vacant(idle) => {
                idle.insert(FileProgress::default());
                self.count(key.root);
                Some(IngestJob::new(key, vec![ticket]))
            }
        }
    }

    fn count(&mut self, root: RootId) {
        if self.pending.is_empty() {
            self.rate.begin(Instant::now());
        }
        *self.pending.entry(root).or_default() += 1;
    }

    fn uncount(&mut self, root: RootId) {
        if let btree_map::Entry::Occupied(mut pending) = self.pending.entry(root) {
            *pending.get_mut() -= 1;
            if *pending.get() == 0 {
                pending.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str) -> FileKey {
        FileKey {
            root: RootId(1),
            path: path.as_bytes().to_vec(),
        }
    }

    #[test]
    fn one_ingest_at_a_time_and_another_for_hints_that_came_during_it() {
        let progress = Progress::default();
        let first = progress.submit(key("a")).unwrap();
        assert!(progress.submit(key("a")).is_none());
        assert!(progress.submit(key("b")).is_some());
        let counts = |pending, finished| ProgressCounts { pending, finished };
        assert_eq!(progress.counts(), counts(2, 0), "files, and not hints");
        let again = progress.return_tickets(first).unwrap();
        assert!(progress.return_tickets(again).is_none());
        assert_eq!(progress.counts(), counts(1, 2));
    }

    #[test]
    fn a_retry_is_pending_only_once_something_is_seen_of_its_file() {
        let progress = Progress::default();
        let pending = || progress.counts().pending;
        let retry = progress.retry(key("a")).unwrap();
        let other = progress.submit(key("b")).unwrap();
        assert_eq!(pending(), 1);
        assert!(progress.retry(key("b")).is_none());
        assert!(progress.submit(key("a")).is_none());
        assert_eq!(pending(), 2);
        let again = progress.return_tickets(retry).unwrap();
        assert_eq!(pending(), 2, "what was seen is to be ingested");
        assert!(progress.return_tickets(again).is_none());
        let again = progress.return_tickets(other).unwrap();
        assert!(progress.return_tickets(again).is_none());
        let retry = progress.retry(key("a")).unwrap();
        assert_eq!(pending(), 0);
        assert!(progress.return_tickets(retry).is_none());
        assert_eq!(pending(), 0);
    }

    #[test]
    fn files_are_pending_by_root() {
        let progress = Progress::default();
        let of = |root, path: &str| FileKey {
            root: RootId(root),
            ..key(path)
        };
        let first = progress.submit(of(1, "a")).unwrap();
        let _second = progress.submit(of(2, "a")).unwrap();
        let _retry = progress.retry(of(2, "b")).unwrap();
        let pending = |root| progress.pending(|counted| counted == RootId(root));
        assert_eq!([pending(1), pending(2), pending(3)], [1, 1, 0]);
        assert!(progress.return_tickets(first).is_none());
        assert_eq!([pending(1), pending(2)], [0, 1]);
    }

    #[test]
    fn files_under_way_are_found_by_the_directory_they_lie_in() {
        let progress = Progress::default();
        let _jobs = ["a", "a!", "a/x", "b"].map(|path| progress.submit(key(path)));
        let under_way = |path: &str| {
            let mut keys = progress.under_way(&key(path));
            keys.sort();
            keys
        };
        assert_eq!(under_way("a"), [key("a"), key("a/x")]);
        assert_eq!(under_way("").len(), 4);
    }

    #[test]
    fn a_barrier_waits_for_earlier_tickets_only() {
        let progress = Progress::default();
        let early = progress.submit(key("a")).unwrap();
        let (called, was_called) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                // Called only while it waits.
                progress.wait(|| called.send(()))
            });
            was_called.recv().unwrap();
            assert!(!waiter.is_finished());
            let _later = progress.submit(key("b")).unwrap();
            progress.return_tickets(early);
            waiter.join().unwrap().unwrap();
        });
    }

    #[test]
    fn there_is_a_pace_while_files_wait_and_none_once_all_are_done() {
        let progress = Progress::default();
        let job = progress.submit(key("a")).unwrap();
        let other = progress.submit(key("b")).unwrap();
        progress.return_tickets(job);
        let later = || Instant::now() + Duration::from_secs(5);
        let pace = progress.pace(later()).unwrap();
        assert!(pace.per_second > 0.0 && pace.left.is_some(), "{pace:?}");
        // What was read counts for as long as one file may take.
        let after = |seconds| progress.pace(Instant::now() + Duration::from_secs(seconds));
        assert!(after(50).unwrap().per_second > 0.0);
        assert!(after(61).is_some_and(|pace| pace.per_second == 0.0 && pace.left.is_none()));
        progress.return_tickets(other);
        assert_eq!(progress.pace(later()), None);
    }

    #[test]
    fn a_cancelled_barrier_gives_up() {
        let progress = Progress::default();
        let _job = progress.submit(key("a"));
        assert_eq!(progress.wait(|| Err("given up")), Err("given up"));
    }
}
