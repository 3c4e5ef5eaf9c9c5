//! The documents whose texts are damaged: missing on disk, unreadable there, or another document's. They are
//! noted here when a read finds them, and the next rescan has their files extracted again (see
//! [`crate::IndexWriter::release_damaged_texts`]).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use simdex_schema::DocId;

use crate::IndexError;
use crate::text::TextError;

/// What reads found damaged, in memory alone.
#[derive(Default)]
pub(crate) struct DamagedTexts {
    /// Documents whose extracted text was found damaged: let go at the next rescan.
    documents: Mutex<BTreeSet<DocId>>,
    /// Text segments in which a text was found damaged: the next rescan reads all of theirs.
    segments: Mutex<BTreeSet<u32>>,
    /// Documents that were ever found damaged; those let go stay counted.
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

    /// How many documents were ever found damaged: it never falls.
    pub(crate) fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// Remembers a document whose text an error says is damaged.
    pub(crate) fn note(&self, id: DocId, error: &IndexError) {
        if let IndexError::Text(TextError::Corrupt { segment, .. }) = error {
            self.segments().insert(*segment);
        }
        if error.is_damaged_text() && self.documents().insert(id) {
            self.found.fetch_add(1, Ordering::Relaxed);
            tracing::error!(document = id.0, %error, "a text is damaged: its files will be read again");
        }
    }

    /// Remembers documents whose texts cannot be there.
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
