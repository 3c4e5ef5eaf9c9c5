//! Files that are read in place for questions: only a few at a time of one root. A share that hangs blocks the threads
//! that read it, past every deadline; with this limit it blocks only those few, and all other questions are answered.

use std::fs::File;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use simdex_schema::FileStat;

use super::Root;
use crate::write_side::watch::stat::Observe;

/// Most reads of one root under way at once.
const MAX_READS_PER_ROOT: usize = 2;
/// How long the next read waits for those before it, which are over by then unless they hang. An answer without the
/// read uses the text of the last reading, possibly of another file that carries the same document, and says so.
const READ_SLOT_TIMEOUT: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 10_000 });

/// How long an answer waits to learn whether its file is as it was recorded.
const STALENESS_CHECK_TIMEOUT: Duration = Duration::from_millis(250);

/// Why a question is answered from the index's text of a file, and not from the file itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReadAgain {
    /// The maximum number of reads on this share are blocked, or the machine lacked room or a worker for it.
    NotInTime,
    /// It could not be read.
    Unreadable,
    /// It has other bytes now, which are not in the index yet.
    Changed,
}

/// The reads of one root.
#[derive(Default)]
pub struct LiveReads {
    under_way: Mutex<usize>,
    ended: Condvar,
}

/// A read in progress, until it is dropped.
pub struct LiveRead<'a>(&'a LiveReads);

impl LiveReads {
    /// Begins a read; `None` if the maximum number of reads have not ended for a while.
    pub fn begin(&self) -> Option<LiveRead<'_>> {
        let full = |under_way: &mut usize| *under_way >= MAX_READS_PER_ROOT;
        let waited = self
            .ended
            .wait_timeout_while(self.lock(), READ_SLOT_TIMEOUT, full);
        self.enter(waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Begins a read if there is a free place now.
    fn try_begin(&self) -> Option<LiveRead<'_>> {
        self.enter(self.lock())
    }

    fn enter(&self, mut under_way: MutexGuard<'_, usize>) -> Option<LiveRead<'_>> {
        if *under_way >= MAX_READS_PER_ROOT {
            return None;
        }
        *under_way += 1;
        Some(LiveRead(self))
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A comparison of a file of a root with its record, made while the question about it is answered from the index.
pub struct FileCheck {
    difference: Receiver<Option<NotReadAgain>>,
    until: Instant,
}

impl FileCheck {
    /// Looks in a thread of its own whether a file below the root is as it was recorded; `None` if none can be started.
    pub fn begin(root: &Arc<Root>, below: Vec<u8>, recorded: FileStat) -> Option<Self> {
        let (sender, difference) = sync_channel(1);
        let root = Arc::clone(root);
        let look = move || {
            let read = root.live_reads.try_begin();
            let found = read.and_then(|_read| root.difference(&below, &recorded));
            // Nobody listens if this took too long.
            let _ = sender.send(found);
        };
        let until = Instant::now() + STALENESS_CHECK_TIMEOUT;
        let started = thread::Builder::new().name("look".to_owned()).spawn(look);
        started.is_ok().then_some(Self { difference, until })
    }

    /// How the file differs from what was recorded; `None` if it does not, or if that is not known
    /// [`STALENESS_CHECK_TIMEOUT`] after the beginning: an answer waits for no share that hangs.
    pub fn end(&self) -> Option<NotReadAgain> {
        let left = self.until.saturating_duration_since(Instant::now());
        self.difference.recv_timeout(left).ok().flatten()
    }
}

impl Root {
    fn difference(&self, below: &[u8], recorded: &FileStat) -> Option<NotReadAgain> {
        let Ok(file) = self.open_file(below) else {
            return Some(NotReadAgain::Unreadable);
        };
        let now = FileStat::of_open(&file).ok()?;
        // A change of the inode alone, such as new permissions, changes no bytes.
        let is_same = (now.length, now.mtime) == (recorded.length, recorded.mtime);
        (!is_same).then_some(NotReadAgain::Changed)
    }

    /// Opens a file below the root for a question, which holds the read until it has the bytes.
    pub fn open_live(&self, below: &[u8]) -> Result<(LiveRead<'_>, File), NotReadAgain> {
        let read = self.live_reads.begin().ok_or(NotReadAgain::NotInTime)?;
        let file = self.open_file(below);
        Ok((read, file.map_err(|_| NotReadAgain::Unreadable)?))
    }
}

impl Drop for LiveRead<'_> {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use simdex_index::store::MemoryStore;
    use simdex_index::{Index, Options};

    use super::*;
    use crate::base::events::Events;
    use crate::config::{Config, RootConfig, RootMode};

    #[test]
    fn a_file_of_a_root_whose_reads_hang_is_not_read_in_time_and_one_that_is_gone_not_at_all() {
        let texts = tempfile::tempdir().unwrap();
        let parameters = Config::default().parameters();
        let store = Box::new(MemoryStore::default());
        let index = Index::open(store, texts.path(), parameters, Options::default()).unwrap();
        let configured = RootConfig {
            path: texts.path().join("missing"),
            mode: RootMode::Poll,
        };
        let root = Root::open(&index.writer, configured, &Arc::new(Events::default())).unwrap();
        let why = || root.open_live(b"a.txt").map(drop).unwrap_err();
        assert_eq!(why(), NotReadAgain::Unreadable);
        let hanging: Vec<_> = (0..MAX_READS_PER_ROOT)
            .map(|_| root.live_reads.begin().unwrap())
            .collect();
        assert_eq!(why(), NotReadAgain::NotInTime);
        drop(hanging);
        assert_eq!(why(), NotReadAgain::Unreadable);
    }

    #[test]
    fn reads_that_hang_keep_no_more_than_few_who_read() {
        let reads = LiveReads::default();
        let hanging: Vec<_> = (0..MAX_READS_PER_ROOT)
            .map(|_| reads.begin().unwrap())
            .collect();
        // None of them waits for a read that hangs.
        assert!((0..MAX_READS_PER_ROOT).all(|_| reads.begin().is_none()));
        drop(hanging);
        assert!(reads.begin().is_some());
    }
}
