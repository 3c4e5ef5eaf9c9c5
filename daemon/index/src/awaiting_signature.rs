//! Documents that are signed with another sampling than the one in force: they wait to be signed again, one after
//! another, while queries are answered from the signatures that exist by now.
//!
//! Their figures and the sampling tell which they are, so nothing is stored: after a crash they are found again. Only
//! [`IndexWriter::sign_some_anew`](crate::IndexWriter::sign_some_anew) reads their texts.

use std::time::Instant;

use roaring::RoaringTreemap;
use simdex_schema::DocId;
use simdex_signature::Ladder;

use crate::DocumentStats;

/// The progress of signing documents again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SigningProgress {
    /// Documents that are not signed by the sampling in force.
    pub waiting: u64,
    /// Documents that were signed again since the sampling was set, or the index opened.
    pub done: u64,
    /// Documents that keep their signatures. Either their texts are damaged or missing, and the next rescan has them
    /// extracted again; or they could not be read for another reason, which is in the log, and the next opening tries
    /// again.
    pub unreadable: u64,
    /// Documents per second, since the first was signed; `None` before that, and once none waits.
    pub per_second: Option<f64>,
}

/// The documents that wait.
#[derive(Default)]
pub(crate) struct AwaitingSignature {
    /// The ladder by which every document is to be signed.
    ladder: Ladder,
    waiting: RoaringTreemap,
    done: u64,
    unreadable: u64,
    /// When the first of these was signed.
    since: Option<Instant>,
    /// Changes of signatures since the index was opened.
    changes: u32,
}

impl AwaitingSignature {
    /// Begins with a new ladder for every document; `waiting` are not signed by it yet.
    pub(crate) fn begin(&mut self, ladder: Ladder, waiting: RoaringTreemap) {
        *self = Self {
            ladder,
            waiting,
            changes: self.changes,
            ..Self::default()
        };
    }

    /// The first documents that wait, at most `limit`.
    pub(crate) fn next(&self, limit: usize) -> Vec<DocId> {
        self.waiting.iter().take(limit).map(DocId).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The number of the last change of a signature: a count that began before it may have seen the old or the new one.
    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// The number of the change that is about to become visible.
    pub(crate) fn next_change(&mut self) -> u32 {
        // More changes than this take more than a lifetime.
        self.changes = self.changes.saturating_add(1);
        self.changes
    }

    /// Notes that a document was signed again by this ladder: if that is in force, it no longer waits, whatever its
    /// figures say.
    pub(crate) fn count_done(&mut self, id: DocId, ladder: Ladder) {
        self.since.get_or_insert_with(Instant::now);
        self.done += 1;
        if ladder == self.ladder {
            self.waiting.remove(id.0);
        }
    }

    /// Forgets a document that is gone.
    pub(crate) fn forget(&mut self, id: DocId) {
        self.waiting.remove(id.0);
    }

    /// Notes that a document has no readable text.
    pub(crate) fn give_up(&mut self, id: DocId) {
        self.unreadable += u64::from(self.waiting.remove(id.0));
    }

    /// Notes whether a document is signed as it should be.
    pub(crate) fn note(&mut self, id: DocId, stats: &DocumentStats) {
        match stats.is_signed_by(self.ladder) {
            true => self.waiting.remove(id.0),
            false => self.waiting.insert(id.0),
        };
    }

    pub(crate) fn progress(&self) -> SigningProgress {
        let seconds = self.since.map(|since| since.elapsed().as_secs_f64());
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && !self.waiting.is_empty());
        SigningProgress {
            waiting: self.waiting.len(),
            done: self.done,
            unreadable: self.unreadable,
            per_second: seconds.map(|seconds| self.done as f64 / seconds),
        }
    }
}
