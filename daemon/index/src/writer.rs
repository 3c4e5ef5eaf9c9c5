//! The writer: everything that changes an index.

mod amend;
mod apply;
mod compact;
mod count_changes;
mod merge;
mod purge;

mod release;
mod roots_and_reports;
mod settle;
mod sign_anew;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use simdex_schema::{ContentHash, MetaRecord};

use crate::runs::RunChoice;
use crate::shared::IndexShared;
use crate::{IndexError, IndexReader, Registry};

pub(crate) use apply::with_signatures;
#[cfg(test)]
pub(crate) use settle::REGROUPED_AT_ONCE;
pub use sign_anew::SignStep;

/// Changes an index: the only type that writes to its store and its texts.
///
/// There is one for an open index, made by [`Index::open`](crate::Index::open) and given back to
/// [`Index::close`](crate::Index::close). It is not `Clone`: the pipeline holds it, and lends it to its own threads, to
/// walks and to the recheck.
///
/// **Consistency.** Every change of files is in the store completely or not at all, after a crash too. Readers see it
/// when the call returns; it is power-safe after the next [`commit`](Self::commit).
///
/// **Locks.** Its methods may be called from several threads at once, except for settling and signing again, which one
/// thread does. One lock serialises them: it is held for a batch of changes, a merge, some documents that are settled,
/// one that gets another signature, one record that is amended, some thousand texts that are moved; not for a commit, nor while
/// records are compacted. Roots and reports are written without it: each is one record. Readers wait for none of it.
///
/// What it changes, by the file that has the methods:
///
/// * here: [`commit`](Self::commit);
/// * `apply`: [`apply`](Self::apply), of files, contents, documents, texts and postings;
/// * `amend`: [`record_reading`](Self::record_reading) and [`mark_for_reread`](Self::mark_for_reread), of one field
///   of a file's record;
/// * `roots_and_reports`: [`add_root`](Self::add_root), [`put_root`](Self::put_root),
///   [`put_report`](Self::put_report) and [`forget_reports`](Self::forget_reports);
/// * `settle`: groups. [`settle_step`](Self::settle_step), [`settle`](Self::settle),
///   [`check_changed_files`](Self::check_changed_files), [`set_grouped_view`](Self::set_grouped_view); and for
///   callers that wait [`is_settled`](Self::is_settled), [`end_epoch`](Self::end_epoch),
///   [`is_settled_through`](Self::is_settled_through);
/// * `sign_anew`: how coarsely texts are sampled. [`set_sampling`](Self::set_sampling), and
///   [`sign_some_anew`](Self::sign_some_anew), which signs documents again that are not signed by that sampling;
/// * `merge`: [`merge`](Self::merge), of buffered postings into a run; it begins by purging (`purge`) what no file
///   carries;
/// * `compact`: [`compact_records`](Self::compact_records) and [`compact_texts`](Self::compact_texts);
/// * `release`: [`release_damaged_texts`](Self::release_damaged_texts).
pub struct IndexWriter {
    pub(crate) shared: Arc<IndexShared>,
    pub(crate) reader: IndexReader,
    pub(crate) registry: Registry,
    /// Locked for the whole of a write to the store, except of records of roots and reports.
    state: Mutex<WriterState>,
}

/// The state that only the writer uses.
pub(crate) struct WriterState {
    pub(crate) meta: MetaRecord,
    /// Contents that lost a file: purged at the next merge if they still have none.
    pub(crate) orphans: BTreeSet<ContentHash>,
}

impl IndexWriter {
    pub(crate) fn new(shared: &Arc<IndexShared>, state: WriterState) -> Self {
        Self {
            shared: Arc::clone(shared),
            reader: IndexReader::new(shared),
            registry: Registry::new(shared),
            state: Mutex::new(state),
        }
    }

    // A poisoned lock means a panic elsewhere; the data behind it is replaced as a whole, so continue.
    pub(crate) fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a write is under way.
    #[cfg(test)]
    pub(crate) fn is_locked(&self) -> bool {
        self.state.try_lock().is_err()
    }

    /// A reader of the index that this writer changes.
    pub fn reader(&self) -> &IndexReader {
        &self.reader
    }

    /// The records of the index that this writer changes.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns once everything applied before is power-safe.
    pub fn commit(&self) -> Result<(), IndexError> {
        self.shared.texts.sync()?;
        self.shared.store.commit()?;
        if self.shared.texts.has_vanished() {
            self.note_vanished()?;
        }
        Ok(())
    }

    /// Merges and commits before the store is closed.
    pub(crate) fn finish(&self) -> Result<(), IndexError> {
        // What is known only in memory must not be lost when it is closed.
        self.release_damaged_texts()?;
        self.merge_all(RunChoice::Small)?;
        self.commit()
    }

    /// Commits before the store is closed.
    pub(crate) fn finish_unmerged(&self) -> Result<(), IndexError> {
        self.release_damaged_texts()?;
        self.commit()
    }
}
