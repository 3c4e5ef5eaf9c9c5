//! The subject of a question: a file or document of the index, a text, uploaded bytes, or a signature.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use simdex_extract::{MemberPolicy, Pool, QueueKey, ReadOptions, Urgency};
use simdex_index::{
    FileView, Fingerprints, IndexReader, MemoryAccount, MemoryPermit, NewDocument, View,
    forward_signature,
};
use simdex_schema::{ContentHash, DocId, DocumentHash, DocumentKind, Reason, State, StoredReason};
use simdex_signature::{LeftOutLines, Rung, SchemeKind, Signature};

use super::QueryError;
use crate::write_side::ingest::{
    WorkerAnswer, hash_all, keep_going_of, raw_document, wait_policy_of,
};

mod shingled_text;
mod summary;

pub use shingled_text::ShingledText;
pub use summary::SubjectSummary;

/// The subject of a query, or one side of a comparison.
pub struct Subject {
    body: Body,
    /// Hash of its raw bytes, if known: distinguishes identical-bytes from identical-text.
    pub content: Option<ContentHash>,
    /// Path of the file asked about; for an upload, the name that the client sent. A file with this path is
    /// not a hit; among versions and related documents it is listed and marked.
    pub query_path: Option<PathBuf>,
    /// The file of the index that was named, if it is one.
    pub file: Option<Box<FileView>>,
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
            query_path: None,
            file: None,
            state,
            reason,
            account: account.clone(),
        }
    }

    /// A file of the view.
    pub fn from_file(
        index: &IndexReader,
        file: &FileView,
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
            query_path: Some(file.path.clone()),
            file: Some(Box::new(file.clone())),
            state: file.state,
            reason: file.reason.clone(),
            account: account.clone(),
        })
    }

    /// A document of the view, by its hash.
    pub fn from_document(
        index: &IndexReader,
        hash: DocumentHash,
        view: &View,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let unknown = || QueryError::UnknownDocument(hash);
        let id = index.document_by_hash(hash)?.ok_or_else(unknown)?;
        if index.count_files_of(id, view) == 0 {
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
        view: &View,
    ) -> Result<Self, QueryError> {
        let document = self.document_hash();
        let id = document.map_or(Ok(None), |hash| index.document_by_hash(hash))?;
        let first = id.map_or(Ok(None), |id| index.first_file(id, view))?;
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

    /// Bytes that need not be in the index: extracted for this request, not indexed. They are read more than
    /// once: for a file of a share, pass a snapshot. Memory for the longest text that they may yield is taken
    /// before a worker is, so that no worker waits for memory and no text is held without a permit.
    ///
    /// # Errors
    /// [`QueryError::NotRead`] if a local failure kept them from being read: nothing is then known of them,
    /// and the result of a raw comparison would be no answer.
    pub fn from_upload(
        index: &IndexReader,
        pool: &Pool,
        asker: QueueKey,
        file: std::fs::File,
        name: &Path,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let mut file = file;
        let hashed = file.rewind().and_then(|()| hash_all(&file));
        let hashed = hashed.and_then(|hashed| file.rewind().map(|()| hashed));
        let (hash, length) = hashed.map_err(|_| QueryError::NotRead(Reason::ReadError))?;
        let options = ReadOptions {
            name: name.file_name().map(|n| n.to_string_lossy().into_owned()),
            urgency: Urgency::Question,
            queue_key: asker,
            // Nobody asks for them: they must not take the room that files are read in.
            members: MemberPolicy::Discard,
            keep_going: keep_going_of(account),
        };
        let mut permit = account.take(pool.longest_text())?;
        // The mark records the document as in progress, for recovery from a crash, until its text is
        // canonical.
        let read = pool.extract_marked(&file, hash.0, &options, wait_policy_of(account));
        let _mark = read.mark;
        let read = WorkerAnswer::of(read.extraction);
        if let Some(fault) = read.transient {
            account.cancel().check()?;
            return Err(QueryError::NotRead(fault));
        }
        permit.shrink_to(read.text.as_ref().map_or(0, |text| text.len() as u64));
        let subject = match read.text {
            Some(text) => Self::from_held_text(index, text, Some(permit), account)?,
            // The daemon crashed on these bytes: they are not processed any further.
            None if read.state == State::Quarantined => {
                let (state, reason) = (State::Quarantined, StoredReason::None);
                Self::new(Body::Nothing, state, reason, account)
            }
            None => Self::from_raw_file(index, &mut file, length, account)?,
        };
        let canonical = (subject.state, subject.reason.clone());
        let (state, reason) = outcome((read.state, read.reason), canonical);
        Ok(Self {
            state,
            reason,
            content: Some(hash),
            query_path: Some(name.to_owned()),
            ..subject
        })
    }

    fn from_raw_file(
        index: &IndexReader,
        file: &mut std::fs::File,
        length: u64,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let _held = account.take_large(length)?;
        let mut raw = Vec::new();
        let whole = file.rewind().and_then(|()| file.read_to_end(&mut raw));
        whole.map_err(|_| QueryError::NotRead(Reason::ReadError))?;
        let document = raw_document(&raw, index.ladder());
        Ok(Self::from_raw(document, account))
    }

    fn from_raw(document: NewDocument, account: &MemoryAccount) -> Self {
        let is_empty = document.length == 0;
        let first = document.signatures.into_iter().next();
        let signature = first.filter(|_| !is_empty);
        let body = match signature {
            Some(signature) => Body::Signature {
                signature,
                document: Some(document.hash),
            },
            None => Body::Nothing,
        };
        Self::new(body, State::NoText, StoredReason::None, account)
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

    /// Which part of it is compared.
    pub fn compared_by(&self) -> ComparedBy {
        match &self.body {
            Body::Text(text) if text.shingles.is_empty() => ComparedBy::WholeText,
            Body::Text(_) => ComparedBy::Text,
            Body::Signature { document: None, .. } => ComparedBy::Signature,
            Body::Signature { .. } => ComparedBy::RawBytes,
            Body::Nothing if self.content.is_some() => ComparedBy::WholeBytes,
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

/// The state and reason of bytes that were extracted and whose text was made canonical. Those of the
/// extraction have priority; but a text may be too short however well it was read, and only the canonical
/// form shows that a text read whole was cut.
fn outcome(
    extracted: (State, StoredReason),
    canonical: (State, StoredReason),
) -> (State, StoredReason) {
    match (extracted.0, canonical.0) {
        (State::Quarantined, _) => extracted,
        (_, State::TooShort) => (State::TooShort, extracted.1),
        (State::Indexed, State::Partial) => canonical,
        _ => extracted,
    }
}

fn document_body(
    index: &IndexReader,
    id: DocId,
    account: &MemoryAccount,
) -> Result<Body, QueryError> {
    let record = index.document(id)?;
    let Some(record) = record else {
        return Ok(Body::Nothing);
    };
    match record.kind {
        DocumentKind::Text => match index.held_text(id, account)? {
            Some(held) => {
                let (text, permit) = held.into_parts();
                let text = ShingledText::of(index, text, permit, account)?;
                index.check_text_hash(id, &record, text.hash)?;
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
