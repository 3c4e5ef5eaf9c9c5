//! The documents whose texts are damaged: missing on disk, unreadable, or replaced by another document's. Reads that
//! find them note them here, and the next rescan has their files extracted again (see
//! [`crate::IndexWriter::release_damaged_texts`]).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use simdex_schema::DocId;

use crate::IndexError;
use crate::text::TextError;

/// What reads found damaged; kept in memory only.
#[derive(Default)]
pub(crate) struct DamagedTexts {
    /// Documents whose extracted text was found damaged: released at the next rescan.
    documents: Mutex<BTreeSet<DocId>>,
    /// Text segments in which a text was found damaged: the next rescan reads all texts in them.
    segments: Mutex<BTreeSet<u32>>,
    /// Number of documents ever found damaged, including those released since.
    found: AtomicU64,
}

impl DamagedTexts {
    pub(crate) fn documents(&self) -> MutexGuard<'_, BTreeSet<DocId>> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn segments(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many documents were ever found damaged; never decreases.
    pub(crate) fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// Notes a document whose text is damaged according to an error.
    pub(crate) fn note(&self, id: DocId, error: &IndexError) {
        if let IndexError::Text(TextError::Corrupt { segment, .. }) = error {
            self.segments().insert(*segment);
        }
        if error.is_damaged_text() && self.documents().insert(id) {
            self.found.fetch_add(1, Ordering::Relaxed);
            tracing::error!(document = id.0, %error, "a text is damaged: its files will be read again");
        }
    }

    /// Notes documents whose texts cannot be present.
    pub(crate) fn note_missing(&self, ids: &[DocId]) {
        let mut documents = self.documents();
        let before = documents.len();
        documents.extend(ids);
        let more = documents.len() - before;
        if more > 0 {
            self.found.fetch_add(more as u64, Ordering::Relaxed);
            tracing::error!(
                documents = more,
                "text segments are missing or cut short: the files of their texts will be read again"
            );
        }
    }
}
