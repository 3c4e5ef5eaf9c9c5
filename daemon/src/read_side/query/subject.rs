//! The subject of a query: a file or document of the index, a text, uploaded bytes, or a signature.

use std::path::PathBuf;

use simdex_index::{
    FileInfo, Fingerprints, IndexReader, MemoryAccount, MemoryPermit, VisibleRoots,
    forward_signature,
};
use simdex_schema::{ContentHash, DocId, DocumentHash, DocumentKind, Reason, State, StoredReason};
use simdex_signature::{LeftOutLines, Rung, SchemeKind, Signature};

use super::QueryError;

mod shingled_text;
mod summary;
mod upload;

pub use shingled_text::ShingledText;
pub use summary::SubjectSummary;
pub use upload::hash_whole;

/// The subject of a query, or one side of a comparison.
pub struct Subject {
    body: Body,
    /// Hash of its raw bytes, if known: distinguishes identical-bytes from identical-text.
    pub content: Option<ContentHash>,
    /// Path of the file asked about; for an upload, the name that the client sent. A file with this path is
    /// not a hit; among versions and related documents it is listed and marked.
    pub subject_path: Option<PathBuf>,
    /// The file of the index that was named, if it is one.
    pub file: Option<Box<FileInfo>>,
    /// For an upload, whether quoted lines were left out of its text.
    pub is_quoting: bool,
    state: State,
    reason: StoredReason,
    /// All permits of one query are taken from this account: a request that holds a permit must not wait in
    /// line for another.
    account: MemoryAccount,
}

/// Which part of a subject is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedBy {
    /// All shingles of its text.
    Text,
    /// Chunks of its raw bytes.
    RawBytes,
    /// Fingerprints that were made elsewhere.
    Signature,
    /// Its whole text, by its hash: without template lines, less than a shingle is left of it.
    WholeText,
    /// Its raw bytes, by their hash: there is less than a shingle of text, or too much to cut into chunks.
    WholeBytes,
    /// Nothing: it has neither text nor bytes.
    Nothing,
}

enum Body {
    Text(Box<ShingledText>),
    /// Chunk or Mod_n fingerprints without a text.
    Signature {
        signature: Signature,
        document: Option<DocumentHash>,
    },
    Nothing,
}

impl Subject {
    fn new(body: Body, state: State, reason: StoredReason, account: &MemoryAccount) -> Self {
        Self {
            body,
            content: None,
            subject_path: None,
            file: None,
            is_quoting: false,
            state,
            reason,
            account: account.clone(),
        }
    }

    /// A file of the view.
    pub fn from_file(
        index: &IndexReader,
        file: &FileInfo,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let id = file.content.as_ref().and_then(|content| content.document);
        let body = match id {
            Some(id) => document_body(index, id, account)?,
            None => Body::Nothing,
        };
        Ok(Self {
            body,
            content: file.record.content(),
            subject_path: Some(file.path.clone()),
            file: Some(Box::new(file.clone())),
            is_quoting: false,
            state: file.state,
            reason: file.reason.clone(),
            account: account.clone(),
        })
    }

    /// A document of the view, by its hash.
    pub fn from_document(
        index: &IndexReader,
        hash: DocumentHash,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let unknown = || QueryError::UnknownDocument(hash);
        let id = index.documents().with_hash(hash)?.ok_or_else(unknown)?;
        if index.files().count_of_document(id, view) == 0 {
            return Err(unknown());
        }
        let body = document_body(index, id, account)?;
        Ok(Self::new(body, State::Indexed, StoredReason::None, account))
    }

    /// Sets the state and reason of a document to those of its first file, the one called indexed.
    ///
    /// # Errors
    /// [`QueryError::Index`].
    pub fn with_state_of_first_file(
        mut self,
        index: &IndexReader,
        view: &VisibleRoots,
    ) -> Result<Self, QueryError> {
        let document = self.document_hash();
        let id = document.map_or(Ok(None), |hash| index.documents().with_hash(hash))?;
        let first = id.map_or(Ok(None), |id| index.files().first_of_document(id, view))?;
        if let Some(file) = first {
            (self.state, self.reason) = (file.state, file.reason);
        }
        Ok(self)
    }

    /// A text that need not be in the index.
    pub fn from_text(
        index: &IndexReader,
        extracted: String,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let permit = account.take_large(extracted.len() as u64)?;
        Self::from_held_text(index, extracted, permit, account)
    }

    /// Makes a subject from a text that needs no permit or has this one.
    fn from_held_text(
        index: &IndexReader,
        extracted: String,
        permit: Option<MemoryPermit>,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let text = ShingledText::of(index, extracted, permit, account)?;
        let is_too_short = text.canonical.as_bytes().len() < usize::from(index.window().width());
        let (state, reason) = if is_too_short {
            (State::TooShort, StoredReason::None)
        } else if text.canonical.is_cut() {
            (State::Partial, Reason::TooLong.into())
        } else {
            (State::Indexed, StoredReason::None)
        };
        let body = match state {
            State::TooShort => Body::Nothing,
            _ => Body::Text(Box::new(text)),
        };
        Ok(Self::new(body, state, reason, account))
    }

    /// Fingerprints of a Mod_n signature made elsewhere; answers about it remain estimates.
    pub fn from_signature(
        signature: Signature,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        if signature.scheme().kind != SchemeKind::ModN {
            return Err(QueryError::Invalid(
                "a query by signature takes mod_n".to_owned(),
            ));
        }
        let body = Body::Signature {
            signature,
            document: None,
        };
        Ok(Self::new(body, State::Indexed, StoredReason::None, account))
    }

    /// The memory account of this query.
    pub(crate) fn account(&self) -> &MemoryAccount {
        &self.account
    }

    /// The text, if there is one.
    pub fn text(&self) -> Option<&ShingledText> {
        match &self.body {
            Body::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Template lines that are left out of its text.
    pub fn left_out(&self) -> LeftOutLines {
        let signed = self.text().map(|text| text.signed.left_out());
        signed.unwrap_or_default()
    }

    /// Fingerprints to look up, with their scheme and rung.
    pub(super) fn fingerprints(&self) -> Option<(SchemeKind, Fingerprints<'_>, Rung)> {
        match &self.body {
            Body::Text(text) => Some((
                SchemeKind::ModN,
                Fingerprints::All(&text.shingles),
                Rung::ZERO,
            )),
            Body::Signature { signature, .. } => Some((
                signature.scheme().kind,
                Fingerprints::Listed(signature.fingerprints()),
                signature.rung(),
            )),
            Body::Nothing => None,
        }
    }

    /// Whether it is known to have bytes. Empty files are not copies of one another.
    fn has_bytes(&self) -> bool {
        let of_nothing = ContentHash(*blake3::hash(b"").as_bytes());
        self.content.is_some_and(|content| content != of_nothing)
    }

    /// Which part of it is compared.
    pub fn compared_by(&self) -> ComparedBy {
        match &self.body {
            Body::Text(text) if text.shingles.is_empty() => ComparedBy::WholeText,
            Body::Text(_) => ComparedBy::Text,
            Body::Signature { document: None, .. } => ComparedBy::Signature,
            Body::Signature { .. } => ComparedBy::RawBytes,
            Body::Nothing if self.has_bytes() => ComparedBy::WholeBytes,
            Body::Nothing => ComparedBy::Nothing,
        }
    }

    /// Hash of the document; `None` for a signature made elsewhere, or if there is nothing to compare.
    pub fn document_hash(&self) -> Option<DocumentHash> {
        match &self.body {
            Body::Text(text) => Some(text.hash),
            Body::Signature { document, .. } => *document,
            Body::Nothing => None,
        }
    }

    /// The state that reading its text ended in.
    pub fn state(&self) -> State {
        self.state
    }

    /// Reason code that refines the state; empty if there is none.
    pub fn reason(&self) -> StoredReason {
        self.reason.clone()
    }

    /// Whether `hash` is the subject's own document: a file that carries it has an identical text and
    /// is not a near-duplicate.
    pub(crate) fn carries(&self, hash: DocumentHash) -> bool {
        self.document_hash() == Some(hash)
    }
}

fn document_body(
    index: &IndexReader,
    id: DocId,
    account: &MemoryAccount,
) -> Result<Body, QueryError> {
    let record = index.documents().record(id)?;
    let Some(record) = record else {
        return Ok(Body::Nothing);
    };
    match record.kind {
        DocumentKind::Text => match index.texts().read(id, account)? {
            Some(held) => {
                let (text, permit) = held.into_parts();
                let text = ShingledText::of(index, text, permit, account)?;
                index.texts().check_hash(id, &record, text.hash)?;
                Ok(Body::Text(Box::new(text)))
            }
            None => Ok(Body::Nothing),
        },
        DocumentKind::Raw => Ok(Body::Signature {
            signature: forward_signature(&record),
            document: Some(record.hash),
        }),
    }
}

#[cfg(test)]
mod tests;
