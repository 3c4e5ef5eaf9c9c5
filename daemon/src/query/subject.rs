//! What is asked about: a file or document of the index, a text, uploaded bytes, or a signature.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use simdex_extract::{Extraction, Hint, Pool, Urgency};
use simdex_index::{FileView, Index, View};
use simdex_schema::{ContentHash, DocId, DocumentHash, DocumentKind, Reason, State};
use simdex_signature::{CanonicalText, Fingerprint, Rung, SchemeKind, ShingleSet, Signature};

use super::QueryError;
use crate::ingest::{ReadContent, raw_document};

/// The subject of a question.
pub struct Subject {
    side: Side,
    /// The document in the index, where it is one.
    pub id: Option<DocId>,
    /// Names its bytes, where they are known: tells identical-bytes from identical-text.
    pub content: Option<ContentHash>,
    /// Left out of the answer.
    pub path: Option<PathBuf>,
    state: State,
    reason: Reason,
}

enum Side {
    Text(Box<Text>),
    /// Chunk or Mod_n fingerprints without a text.
    Signature {
        signature: Signature,
        document: Option<DocumentHash>,
    },
    Nothing,
}

/// A text with all its shingles.
pub struct Text {
    /// As extracted.
    pub extracted: String,
    /// As compared.
    pub canonical: CanonicalText,
    /// All of them.
    pub shingles: Arc<ShingleSet>,
}

impl Text {
    /// Canonicalises and shingles an extracted text.
    pub fn of(index: &Index, extracted: String) -> Self {
        let canonical = CanonicalText::from_extracted(&extracted);
        let shingles = Arc::new(ShingleSet::new(&canonical, index.window()));
        Self {
            extracted,
            canonical,
            shingles,
        }
    }
}

impl Subject {
    /// A file of the view.
    pub fn file(index: &Index, file: &FileView) -> Result<Self, QueryError> {
        let id = file.content.as_ref().and_then(|content| content.document);
        let side = match id {
            Some(id) => document_side(index, id)?,
            None => Side::Nothing,
        };
        Ok(Self {
            side,
            id,
            content: file.record.content(),
            path: Some(file.path.clone()),
            state: file.state,
            reason: file.reason.clone(),
        })
    }

    /// A document of the view, by its hash.
    pub fn document_of(index: &Index, hash: DocumentHash, view: &View) -> Result<Self, QueryError> {
        let unknown = || QueryError::UnknownDocument(hash);
        let id = index.document_by_hash(hash)?.ok_or_else(unknown)?;
        if index.files_of(id, view)?.is_empty() {
            return Err(unknown());
        }
        let side = document_side(index, id)?;
        let (state, reason) = (State::Indexed, Reason::none());
        Ok(Self {
            side,
            id: Some(id),
            content: None,
            path: None,
            state,
            reason,
        })
    }

    /// A text that need not be in the index.
    pub fn of_text(index: &Index, extracted: String) -> Self {
        let text = Text::of(index, extracted);
        let short = text.shingles.is_empty();
        Self {
            side: if short {
                Side::Nothing
            } else {
                Side::Text(Box::new(text))
            },
            id: None,
            content: None,
            path: None,
            state: if short {
                State::TooShort
            } else {
                State::Indexed
            },
            reason: Reason::none(),
        }
    }

    /// Bytes that need not be in the index: extracted, not indexed.
    pub fn upload(index: &Index, pool: &Pool, file: std::fs::File, name: &Path) -> Self {
        let mut file = file;
        let content = crate::ingest::hash_of(&mut file).ok().map(|(hash, _)| hash);
        let hint = Hint {
            name: name.file_name().map(|n| n.to_string_lossy().into_owned()),
            urgency: Urgency::Question,
            ..Hint::default()
        };
        use std::io::{Read, Seek, SeekFrom};
        let rewound = file.seek(SeekFrom::Start(0)).is_ok();
        let extraction: Option<Extraction> = rewound.then(|| pool.extract(&file, &hint));
        let Some(read) = extraction.map(ReadContent::of) else {
            return Self {
                state: State::Unreadable,
                ..Self::of_text(index, String::new())
            };
        };
        let mut subject = match read.text {
            Some(text) => Self::of_text(index, text),
            None => {
                let mut raw = Vec::new();
                let whole = file
                    .seek(SeekFrom::Start(0))
                    .and_then(|_| file.read_to_end(&mut raw));
                Self::of_raw(&raw[..whole.unwrap_or(0)])
            }
        };
        if subject.state != State::TooShort {
            subject.state = read.state;
        }
        subject.reason = read.reason;
        subject.content = content;
        subject.path = Some(name.to_owned());
        subject
    }

    fn of_raw(raw: &[u8]) -> Self {
        let document = raw_document(raw);
        let signature = document
            .signatures
            .into_iter()
            .next()
            .filter(|_| !raw.is_empty());
        let side = match signature {
            Some(signature) => Side::Signature {
                signature,
                document: Some(document.hash),
            },
            None => Side::Nothing,
        };
        let (state, reason) = (State::NoText, Reason::none());
        Self {
            side,
            id: None,
            content: None,
            path: None,
            state,
            reason,
        }
    }

    /// Fingerprints of a Mod_n signature made elsewhere; its answers stay estimates.
    pub fn signature(signature: Signature) -> Result<Self, QueryError> {
        if signature.scheme().kind != SchemeKind::ModN {
            return Err(QueryError::Invalid(
                "a query by signature takes mod_n".to_owned(),
            ));
        }
        let side = Side::Signature {
            signature,
            document: None,
        };
        let (state, reason) = (State::Indexed, Reason::none());
        Ok(Self {
            side,
            id: None,
            content: None,
            path: None,
            state,
            reason,
        })
    }

    /// The text, where there is one.
    pub fn text(&self) -> Option<&Text> {
        match &self.side {
            Side::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Fingerprints to look up, with their scheme and rung.
    pub(super) fn fingerprints(&self) -> Option<(SchemeKind, &[Fingerprint], Rung)> {
        match &self.side {
            Side::Text(text) => Some((SchemeKind::ModN, text.shingles.fingerprints(), Rung::ZERO)),
            Side::Signature { signature, .. } => Some((
                signature.scheme().kind,
                signature.fingerprints(),
                signature.rung(),
            )),
            Side::Nothing => None,
        }
    }

    /// Names the document.
    pub fn document(&self) -> Option<DocumentHash> {
        match &self.side {
            Side::Text(text) => Some(DocumentHash(text.canonical.hash())),
            Side::Signature { document, .. } => *document,
            Side::Nothing => None,
        }
    }

    /// Where its text ended.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why.
    pub fn reason(&self) -> Reason {
        self.reason.clone()
    }

    /// Contents that carry the subject's own document, so that copies are told from kin.
    pub(super) fn is_document(&self, hash: DocumentHash) -> bool {
        self.document() == Some(hash)
    }
}

fn document_side(index: &Index, id: DocId) -> Result<Side, QueryError> {
    let record = index.document(id)?;
    let Some(record) = record else {
        return Ok(Side::Nothing);
    };
    match record.kind {
        DocumentKind::Text => match index.text(id)? {
            Some(text) => {
                let text = Text::of(index, text);
                index.check_name(id, &record, DocumentHash(text.canonical.hash()))?;
                Ok(Side::Text(Box::new(text)))
            }
            None => Ok(Side::Nothing),
        },
        DocumentKind::Raw => {
            let fingerprints = record.forward.iter().map(|f| Fingerprint(*f)).collect();
            let scheme = simdex_signature::Chunks::SCHEME;
            let signature = Signature::new(scheme, record.rung, fingerprints);
            Ok(Side::Signature {
                signature,
                document: Some(record.hash),
            })
        }
    }
}
