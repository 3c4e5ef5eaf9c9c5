//! The part of a subject that an answer needs: without text and permits, so that nothing large is held
//! while a slow client receives the answer.

use std::path::PathBuf;

use simdex_schema::{ContentHash, DocumentHash, State, StoredReason};
use simdex_signature::LeftOutLines;

use super::{ComparedBy, Subject};

/// What an answer reports of its subject.
#[derive(Clone, Debug)]
pub struct SubjectSummary {
    /// Hash of the document; `None` if there is nothing to compare.
    pub document: Option<DocumentHash>,
    /// Hash of its raw bytes, if known.
    pub content: Option<ContentHash>,
    /// Path of the file asked about; for an upload, the name that the client sent.
    pub subject_path: Option<PathBuf>,
    /// The state that reading its text ended in.
    pub state: State,
    /// Reason code that refines the state; empty if there is none.
    pub reason: StoredReason,
    /// Which part of it was compared.
    pub compared_by: ComparedBy,
    /// Template lines that were left out of its text.
    pub left_out: LeftOutLines,
}

impl SubjectSummary {
    /// Whether `hash` is the subject's own document.
    pub(in crate::read_side::query) fn carries(&self, hash: DocumentHash) -> bool {
        self.document == Some(hash)
    }
}

impl Subject {
    /// What an answer reports of it.
    pub fn summary(&self) -> SubjectSummary {
        SubjectSummary {
            document: self.document_hash(),
            content: self.content,
            subject_path: self.subject_path.clone(),
            state: self.state,
            reason: self.reason.clone(),
            compared_by: self.compared_by(),
            left_out: self.left_out(),
        }
    }
}
