//! Texts of documents. Every read of a text goes through here: it finds the text through the record of its document,
//! checks that it is that document's, and notes the document if it is damaged.

use std::ops::Deref;

use simdex_schema::{DocId, DocumentHash, DocumentRecord};
use simdex_signature::{CanonicalText, SignedText, laboratory};

use crate::shared::IndexShared;
use crate::text::{TextError, TextRef};
use crate::{Cancel, IndexError, MemoryAccount, MemoryPermit, Registry, TextSigner, canonicalise};

/// Where the text of a document is stored, as its record says.
struct StoredText<'a> {
    id: DocId,
    record: &'a DocumentRecord,
    at: TextRef,
}

impl<'a> StoredText<'a> {
    /// `None` for raw bytes.
    fn of(id: DocId, record: &'a DocumentRecord) -> Result<Option<Self>, IndexError> {
        let at = text_reference(record)?;
        Ok(at.map(|at| Self { id, record, at }))
    }
}

/// What is signed of a text, with the permit for its memory.
type HeldSignedText = (SignedText, Option<MemoryPermit>);

/// A text as it was read, small enough to need no permit.
#[derive(Clone, Debug)]
pub struct ReadText {
    /// The text as it was extracted.
    pub extracted: String,
    /// Its canonical text, verified.
    pub canonical: CanonicalText,
}

/// An extracted text with the permit for its memory.
pub struct HeldText {
    text: String,
    permit: Option<MemoryPermit>,
}

impl HeldText {
    /// `permit` is `None` if the text is too small to need one.
    pub fn new(text: String, permit: Option<MemoryPermit>) -> Self {
        Self { text, permit }
    }

    /// The text and its permit, to be held separately.
    pub fn into_parts(self) -> (String, Option<MemoryPermit>) {
        (self.text, self.permit)
    }
}

impl Deref for HeldText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// Texts of documents, each read from disk and checked: one read of the store for the record, one of a segment for the
/// text.
///
/// A text takes a permit of the account that is passed, unless it is small. A damaged one is noted, and is an error.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    shared: &'a IndexShared,
    registry: &'a Registry,
}

impl<'a> Texts<'a> {
    pub(crate) fn of(shared: &'a IndexShared, registry: &'a Registry) -> Self {
        Self { shared, registry }
    }

    /// Extracted text of a document, without a permit; `None` for raw bytes. For backlog work that holds no permit yet:
    /// to answer a query, use [`Texts::read`].
    pub(crate) fn read_unaccounted(self, id: DocId) -> Result<Option<String>, IndexError> {
        let account = self.shared.memory.backlog.account(&Cancel::never());
        self.load_text(id, |stored| self.read_extracted(stored, &account))
    }

    /// Extracted text of a document, with a permit for it; `None` for raw bytes.
    pub fn read(self, id: DocId, account: &MemoryAccount) -> Result<Option<HeldText>, IndexError> {
        self.shared.work.text_read();
        self.load_text(id, |stored| {
            let read = || self.read_extracted(stored, account);
            let (text, permit) = with_permit(stored.at, account, read)?;
            Ok(HeldText::new(text, permit))
        })
    }

    /// What is signed and compared of a document's text, with a permit for it; `None` for raw bytes.
    pub(crate) fn signed(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSignedText>, IndexError> {
        let read = self.signed_and_whole(id, account)?;
        Ok(read.map(|(signed, _)| signed))
    }

    /// What is signed and compared of a document's text, with the whole text if it needs no permit.
    pub(crate) fn signed_and_whole(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<(HeldSignedText, Option<ReadText>)>, IndexError> {
        self.load_text(id, |stored| self.read_signed(stored, account))
    }

    /// What is signed and compared of a text, for a document whose record the caller has: nothing may move the text
    /// meanwhile.
    pub(crate) fn signed_of(
        self,
        id: DocId,
        record: &DocumentRecord,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSignedText>, IndexError> {
        let stored = StoredText::of(id, record)?;
        let read = stored.map(|stored| self.read_signed(&stored, account));
        let read = read.transpose().map(|read| read.map(|(signed, _)| signed));
        read.inspect_err(|error| self.shared.damaged.note(id, error))
    }

    /// The signature of a document's signed text by any recipe; `None` for raw bytes, and if the document was removed
    /// or its text is damaged, which is noted.
    pub fn signature_if_readable(
        self,
        id: DocId,
        signer: &laboratory::Signer,
        account: &MemoryAccount,
    ) -> Result<Option<laboratory::RecipeSignature>, IndexError> {
        match self.signed(id, account) {
            Err(error) if error.concerns_one_document() => Ok(None),
            text => Ok(text?.map(|(text, _permit)| signer.sign(text.as_str()))),
        }
    }

    /// Whether the stored text of a document is that document's. Notes the document if it is not; a purged one has no
    /// text.
    pub(crate) fn is_sound(self, id: DocId) -> Result<bool, IndexError> {
        match self.read_unaccounted(id) {
            Err(IndexError::UnknownDocument(_)) => Ok(false),
            Err(error) if error.is_damaged_text() => Ok(false),
            read => read.map(|_| true),
        }
    }

    /// Checks that the canonical text made from a document's stored text has the hash that identifies the document.
    /// Notes the document if not. A document identified by an older version of the canonical text is not checked.
    ///
    /// # Errors
    /// That of a damaged text if it has another hash.
    pub fn check_hash(
        self,
        id: DocId,
        record: &DocumentRecord,
        hash: DocumentHash,
    ) -> Result<(), IndexError> {
        let stored = StoredText::of(id, record)?;
        let checked = stored.map_or(Ok(()), |stored| self.verify_hash(&stored, hash));
        checked.inspect_err(|error| self.shared.damaged.note(id, error))
    }

    /// Reads a document's record, then its text with `read`; `None` for raw bytes. Notes the document if the
    /// text is damaged.
    fn load_text<T>(
        self,
        id: DocId,
        read: impl Fn(&StoredText<'_>) -> Result<T, IndexError>,
    ) -> Result<Option<T>, IndexError> {
        let mut missing_at = None;
        loop {
            let record = self
                .registry
                .document(id)?
                .ok_or(IndexError::UnknownDocument(id))?;
            let Some(stored) = StoredText::of(id, &record)? else {
                return Ok(None);
            };
            match read(&stored) {
                // A compaction may have moved it since its record was read: then the record has changed.
                Err(IndexError::Text(TextError::NoSegment { .. }))
                    if missing_at != Some(stored.at) =>
                {
                    missing_at = Some(stored.at);
                }
                read => {
                    return read
                        .inspect_err(|error| self.shared.damaged.note(id, error))
                        .map(Some);
                }
            }
        }
    }

    /// Reads the extracted text and verifies it by the checksum of its reference. A reference of an older format has
    /// none, so the text is made canonical and verified by its hash.
    fn read_extracted(
        self,
        stored: &StoredText<'_>,
        account: &MemoryAccount,
    ) -> Result<String, IndexError> {
        let text = self.shared.texts.read(&stored.at)?;
        if stored.at.checksum.is_none() {
            let (canonical, _of_canonical) = canonicalise(&text, account)?;
            self.verify_hash(stored, DocumentHash(canonical.hash()))?;
        }
        Ok(text)
    }

    /// Reads the text, makes it canonical, verifies it by its hash, and leaves out what is not signed. Returns the
    /// whole text as well if it is small.
    fn read_signed(
        self,
        stored: &StoredText<'_>,
        account: &MemoryAccount,
    ) -> Result<(HeldSignedText, Option<ReadText>), IndexError> {
        let (text, of_text) = with_permit(stored.at, account, || {
            Ok(self.shared.texts.read(&stored.at)?)
        })?;
        let (canonical, of_canonical) = canonicalise(&text, account)?;
        self.verify_hash(stored, DocumentHash(canonical.hash()))?;
        let (signed, of_rest) = TextSigner::of(self.shared).signed_text(&canonical, account)?;
        let is_small = of_text.is_none() && of_canonical.is_none();
        let whole = is_small.then_some(ReadText {
            extracted: text,
            canonical,
        });
        drop(of_text);
        // The whole text is shared if nothing is left out of it.
        let is_whole = signed.left_out().lines == 0;
        let permit = if is_whole { of_canonical } else { of_rest };
        Ok(((signed, permit), whole))
    }

    fn verify_hash(self, stored: &StoredText<'_>, hash: DocumentHash) -> Result<(), IndexError> {
        if stored.id.serial() < self.shared.named_from || hash == stored.record.hash {
            return Ok(());
        }
        Err(IndexError::Text(TextError::Corrupt {
            segment: stored.at.segment,
            offset: stored.at.offset,
            reason: "the text is not its document's",
        }))
    }
}

/// Reads a text with a permit for it and for its block; the permit returned is for the text alone.
fn with_permit(
    at: TextRef,
    account: &MemoryAccount,
    read: impl Fn() -> Result<String, IndexError>,
) -> Result<(String, Option<MemoryPermit>), IndexError> {
    let length = u64::from(at.len);
    let mut permit = account.take_large(2 * length)?;
    let text = read()?;
    if let Some(permit) = &mut permit {
        permit.shrink_to(length);
    }
    Ok((text, permit))
}

/// Where a document's extracted text is stored; `None` for raw bytes.
pub(crate) fn text_reference(record: &DocumentRecord) -> Result<Option<TextRef>, IndexError> {
    let damaged = || IndexError::Damaged(format!("text reference of document {}", record.hash));
    let Some(bytes) = &record.text else {
        return Ok(None);
    };
    Ok(Some(TextRef::from_bytes(bytes).ok_or_else(damaged)?))
}
