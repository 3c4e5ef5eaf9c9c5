//! What is known of documents: their records, their figures, and which of them are damaged.

use simdex_schema::{DocId, DocumentHash, DocumentRecord};

use crate::shared::IndexShared;
use crate::{DocumentStats, IndexError, Registry, VisibleRoots};

/// What is known of documents, by id or hash, without their texts.
///
/// Figures are in memory: a call locks the state and copies them. A record is one read of the store.
#[derive(Clone, Copy)]
pub struct Documents<'a> {
    shared: &'a IndexShared,
    registry: &'a Registry,
}

impl<'a> Documents<'a> {
    pub(crate) fn of(shared: &'a IndexShared, registry: &'a Registry) -> Self {
        Self { shared, registry }
    }

    /// The figures of a known document.
    pub fn stats(self, id: DocId) -> Option<DocumentStats> {
        self.shared.state().table.get(id).copied()
    }

    /// The record of a document.
    pub fn record(self, id: DocId) -> Result<Option<DocumentRecord>, IndexError> {
        self.registry.document(id)
    }

    /// The document with this canonical text, if any.
    pub fn with_hash(self, hash: DocumentHash) -> Result<Option<DocId>, IndexError> {
        self.registry.document_by_hash(hash)
    }

    /// Documents with text that a view shows, by id.
    pub fn with_text(self, view: &VisibleRoots) -> Vec<DocId> {
        let texts = self.shared.state().table.visible_texts(view);
        texts.iter().map(DocId).collect()
    }

    /// Documents whose text is known to be damaged: an answer that needs every text lacks theirs.
    pub fn damaged(self) -> Vec<DocId> {
        let mut damaged: Vec<DocId> = self.shared.damaged.documents().iter().copied().collect();
        if !damaged.is_empty() {
            // Released ones may be found again until they are purged.
            let state = self.shared.state();
            damaged.retain(|id| state.table.is_live(*id));
        }
        damaged
    }

    /// How many documents were ever found damaged, including those released since. If the number rises while an answer
    /// is made, the answer may lack their texts.
    pub fn ever_damaged(self) -> u64 {
        self.shared.damaged.found()
    }
}
