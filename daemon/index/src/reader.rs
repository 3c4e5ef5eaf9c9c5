//! What questions read of an index.

pub(crate) mod candidates;
pub(crate) mod document_text;
mod documents;
pub(crate) mod files;
mod groups;
mod pairs;
mod postings;
mod shingles;

use std::sync::Arc;

use simdex_schema::meta::Parameters;
use simdex_schema::{DocId, DocumentHash, DocumentRecord};
use simdex_signature::{Ladder, Window};

use crate::shared::Shared;
use crate::{DocumentStats, IndexError, Memory, Registry};

pub use candidates::{
    Candidate, CandidateKind, Candidates, CountBasis, Coverage, FingerprintSink, Fingerprints,
    QueryFingerprints, SignAtRung, SoughtRatio,
};
pub use document_text::{HeldText, ReadText};
pub use files::FileView;
pub use groups::{GroupDocument, GroupLookup, GroupView, Groups, TextsByGroup};
pub use pairs::{IsWanted, NextDocuments, PairSearch};
pub use shingles::HeldSet;

/// Reads an index to answer questions; every query is passed one.
///
/// It has no method that writes, and what names files takes a [`View`](crate::View): an answer made through
/// it changes nothing and shows nobody else's files. Copies are cheap, and read the same index.
///
/// **Consistency.** A call sees everything that was applied before it, committed or not. It is no snapshot:
/// what is applied during a call may be part of what it returns or not, and two calls may see two states. A
/// document, a text or a file may go between them, and is missing in the second.
///
/// **Locks.** One, of the state in memory, for moments; it is not held while the store or a text is read, nor
/// while `visit` and other closures of the caller run. So no read waits for a write or a merge, and a closure
/// may read the index again. Counts of files have a lock of their own, which a first count of a view holds
/// while it adds up what is in memory.
///
/// **Memory.** What grows with a text takes a permit of the [`MemoryAccount`](crate::MemoryAccount) passed,
/// and waits for it.
///
/// What it reads, by the file that has the methods:
///
/// * here: settings, budgets, figures and records of documents; `signing`: [`signer`](Self::signer), which signs
///   texts as the index does;
/// * `candidates` (looked up by `postings`): [`candidates`](Self::candidates) and
///   [`candidates_by_either`](Self::candidates_by_either) and
///   [`candidates_of_fixed_size`](Self::candidates_of_fixed_size), the documents that share fingerprints with a query;
/// * `document_text`: [`held_text`](Self::held_text) and [`check_text_hash`](Self::check_text_hash), of texts that are
///   checked as they are read;
/// * `shingles`: [`shingles`](Self::shingles), [`shingles_with_text`](Self::shingles_with_text),
///   [`shingles_if_readable`](Self::shingles_if_readable), [`shingles_of`](Self::shingles_of) and [`signed_if_readable`](Self::signed_if_readable);
/// * `pairs`: [`pair_search`](Self::pair_search); `groups`: [`texts`](Self::texts), [`groups`](Self::groups),
///   [`group_of`](Self::group_of), [`group_by_id`](Self::group_by_id) and
///   [`kept_group_count`](Self::kept_group_count);
/// * `files`: [`files`](Self::files), [`file_view`](Self::file_view),
///   [`visit_files_of`](Self::visit_files_of), [`visit_holders`](Self::visit_holders),
///   [`files_in`](Self::files_in), [`owner_of`](Self::owner_of) and [`roots`](Self::roots), of a view;
/// * `counts`: [`count_files`](Self::count_files) and [`watch_moves`](Self::watch_moves), of a view.
#[derive(Clone)]
pub struct IndexReader {
    pub(crate) shared: Arc<Shared>,
    pub(crate) registry: Registry,
}

impl IndexReader {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            registry: Registry::new(shared),
        }
    }

    /// The budgets of what is held at once for documents under way.
    pub fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// Windows of every text signature.
    pub fn window(&self) -> Window {
        self.shared.window()
    }

    /// How many fingerprints a document keeps: the one ladder that all signatures follow.
    pub fn ladder(&self) -> Ladder {
        self.shared.ladder()
    }

    /// What the signatures and edges were made with.
    pub fn parameters(&self) -> &Parameters {
        &self.shared.parameters
    }

    /// The figures of a document that is known.
    pub fn stats(&self, id: DocId) -> Option<DocumentStats> {
        self.shared.state().table.get(id).copied()
    }

    /// What a document's record says.
    pub fn document(&self, id: DocId) -> Result<Option<DocumentRecord>, IndexError> {
        self.registry.document(id)
    }

    /// The document with this canonical text, if any.
    pub fn document_by_hash(&self, hash: DocumentHash) -> Result<Option<DocId>, IndexError> {
        self.registry.document_by_hash(hash)
    }

    /// Documents whose text is known to be damaged: an answer that needs every text lacks theirs.
    pub fn damaged_texts(&self) -> u64 {
        let damaged: Vec<DocId> = self.shared.damaged.documents().iter().copied().collect();
        if damaged.is_empty() {
            return 0;
        }
        // Those let go already may be met again until they are purged.
        let state = self.shared.state();
        let live = damaged.iter().filter(|id| state.table.is_live(**id));
        live.count() as u64
    }

    /// How many texts were ever found damaged, those included that were let go since: what came to it while an answer
    /// was made, the answer may lack.
    pub fn texts_found_damaged(&self) -> u64 {
        self.shared.damaged.found()
    }
}
