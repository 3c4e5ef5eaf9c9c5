//! Documents that are signed otherwise than the setting in force says: they wait to be signed anew, one after another,
//! while all that is asked is answered from what is signed by now.
//!
//! Which they are follows from their figures and the setting, so that nothing is stored of it: after a crash they
//! are found again. Their texts are read by [`IndexWriter::sign_some_anew`](crate::IndexWriter::sign_some_anew) alone.

use std::time::Instant;

use roaring::RoaringTreemap;
use simdex_schema::{DocId, DocumentKind};
use simdex_signature::Ladder;

use crate::DocumentStats;
use crate::shared::IndexState;

/// How far signing anew has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SigningAnew {
    /// Documents that are not signed as the setting says.
    pub waiting: u64,
    /// Documents that were signed anew since the setting was made, or the index opened.
    pub done: u64,
    /// Documents that stay as they are signed, since their texts are damaged or missing, and extracted again by the
    /// next rescan, or were not read for another reason, which the log has: those are tried again at the next opening.
    pub unreadable: u64,
    /// Documents a second, from the first that was signed on; none before, and once none waits.
    pub per_second: Option<f64>,
}

/// The documents that wait.
#[derive(Default)]
pub(crate) struct Resigning {
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

impl Resigning {
    /// Begins with the ladder by which every document is to be signed from now on; these are signed otherwise.
    pub(crate) fn begin(&mut self, ladder: Ladder, waiting: RoaringTreemap) {
        *self = Self {
            ladder,
            waiting,
            changes: self.changes,
            ..Self::default()
        };
    }

    /// The first documents that wait, at most so many.
    pub(crate) fn next(&self, most: usize) -> Vec<DocId> {
        self.waiting.iter().take(most).map(DocId).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The number of the last change of a signature: whoever counted before it may have counted either.
    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// The number of the change that is about to be shown.
    pub(crate) fn next_change(&mut self) -> u32 {
        // Some billions of changes need more than a lifetime.
        self.changes = self.changes.saturating_add(1);
        self.changes
    }

    /// A document was signed anew, by this ladder: where that is in force it does not wait any more, whatever its
    /// figures say.
    pub(crate) fn count_done(&mut self, id: DocId, ladder: Ladder) {
        self.since.get_or_insert_with(Instant::now);
        self.done += 1;
        if ladder == self.ladder {
            self.waiting.remove(id.0);
        }
    }

    /// A document has no text that can be read.
    pub(crate) fn give_up(&mut self, id: DocId) {
        self.unreadable += u64::from(self.waiting.remove(id.0));
    }

    /// Notes whether a document is signed as it is to be.
    fn note(&mut self, id: DocId, stats: &DocumentStats) {
        match is_signed_by(self.ladder, stats) {
            true => self.waiting.remove(id.0),
            false => self.waiting.insert(id.0),
        };
    }

    pub(crate) fn progress(&self) -> SigningAnew {
        let seconds = self.since.map(|since| since.elapsed().as_secs_f64());
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && !self.waiting.is_empty());
        SigningAnew {
            waiting: self.waiting.len(),
            done: self.done,
            unreadable: self.unreadable,
            per_second: seconds.map(|seconds| self.done as f64 / seconds),
        }
    }
}

/// Whether a document is signed as a ladder says. Signed no coarser than its length asks for, it is known how much it
/// keeps there; signed more coarsely it is not, and it is wrong in any case.
pub(crate) fn is_signed_by(ladder: Ladder, stats: &DocumentStats) -> bool {
    stats.kind == DocumentKind::Raw || stats.by_ladder(ladder).0 == stats.rung
}

impl IndexState {
    /// Takes on what is known of a document.
    pub(crate) fn insert_document(&mut self, id: DocId, stats: DocumentStats) {
        self.resigning.note(id, &stats);
        self.table.insert(id, stats);
    }

    /// Forgets a document.
    pub(crate) fn forget_document(&mut self, id: DocId) {
        self.resigning.waiting.remove(id.0);
        self.table.forget(id);
    }
}
