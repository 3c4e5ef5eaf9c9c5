//! What searching for edges has cost so far, in counts that are the same on every machine.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Work done since the index was opened, for groups, pairs and requests together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Texts of documents read, to be shingled, judged or shown.
    pub texts_read: u64,
    /// Lists of fingerprints looked up.
    pub lists_read: u64,
    /// Documents in those lists.
    pub postings_read: u64,
    /// Blocks of postings fetched from runs for them, from memory or disk.
    pub blocks_read: u64,
    /// Records of contents looked up.
    pub contents_read: u64,
    /// Files looked up by their path, to be asked about or shown.
    pub files_read: u64,
    /// Pairs of documents compared.
    pub comparisons: u64,
    /// Shingles of both sides that were counted to compare them; those of documents compared together, once.
    pub shingles_counted: u64,
}

/// What merges have done since the index was opened: counts of work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Merges {
    /// Merges that were completed.
    pub merges: u64,
    /// Postings written into them.
    pub postings: u64,
    /// Number of runs now.
    pub runs: usize,
    /// How long the merge that is under way has taken so far.
    pub under_way: Option<Duration>,
}

/// The counters behind [`Work`].
#[derive(Debug, Default)]
pub(crate) struct WorkCounters {
    texts_read: AtomicU64,
    lists_read: AtomicU64,
    postings_read: AtomicU64,
    blocks_read: AtomicU64,
    contents_read: AtomicU64,
    files_read: AtomicU64,
    comparisons: AtomicU64,
    shingles_counted: AtomicU64,
    /// Documents that got a place since this was last read.
    placed: AtomicU64,
}

impl WorkCounters {
    pub(crate) fn text_read(&self) {
        self.texts_read.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn lists_read(&self, lists: u64, postings: u64) {
        self.lists_read.fetch_add(lists, Ordering::Relaxed);
        self.postings_read.fetch_add(postings, Ordering::Relaxed);
    }

    pub(crate) fn block_read(&self) {
        self.blocks_read.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn content_read(&self) {
        self.contents_read.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn file_read(&self) {
        self.files_read.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn compared(&self, pairs: u64, shingles: u64) {
        self.comparisons.fetch_add(pairs, Ordering::Relaxed);
        self.shingles_counted.fetch_add(shingles, Ordering::Relaxed);
    }

    pub(crate) fn placed(&self) {
        self.placed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn take_placed(&self) -> u64 {
        self.placed.swap(0, Ordering::Relaxed)
    }

    pub(crate) fn so_far(&self) -> Work {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Work {
            texts_read: read(&self.texts_read),
            lists_read: read(&self.lists_read),
            postings_read: read(&self.postings_read),
            blocks_read: read(&self.blocks_read),
            contents_read: read(&self.contents_read),
            files_read: read(&self.files_read),
            comparisons: read(&self.comparisons),
            shingles_counted: read(&self.shingles_counted),
        }
    }
}
