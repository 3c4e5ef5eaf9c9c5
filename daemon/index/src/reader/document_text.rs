//! Texts of documents. Every read of a text goes through here: it finds the text through the record of its document,
//! checks that it is that document's, and notes the document if it is damaged.

use std::ops::Deref;

use simdex_schema::{DocId, DocumentHash, DocumentRecord};
use simdex_signature::{CanonicalText, SignedText};

use crate::text::{TextError, TextRef};
use crate::{Cancel, IndexError, IndexReader, MemoryAccount, MemoryPermit, canonicalise};

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

impl IndexReader {
    /// Extracted text of a document, without a permit; `None` for raw bytes. For backlog work that holds no permit yet:
    /// to answer a query, use [`IndexReader::held_text`].
    pub(crate) fn text(&self, id: DocId) -> Result<Option<String>, IndexError> {
        let account = self.memory().backlog.account(&Cancel::never());
        self.load_text(id, |stored| self.read_extracted(stored, &account))
    }

    /// Extracted text of a document, with a permit for it; `None` for raw bytes.
    pub fn held_text(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldText>, IndexError> {
        self.shared.work.text_read();
        self.load_text(id, |stored| {
            let read = || self.read_extracted(stored, account);
            let (text, permit) = with_permit(stored.at, account, read)?;
            Ok(HeldText::new(text, permit))
        })
    }

    /// What is signed and compared of a document's text, with a permit for it; `None` for raw bytes.
    pub(crate) fn held_signed_text(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSignedText>, IndexError> {
        let read = self.held_signed_and_whole_text(id, account)?;
        Ok(read.map(|(signed, _)| signed))
    }

    /// What is signed and compared of a document's text, with the whole text if it needs no permit.
    pub(crate) fn held_signed_and_whole_text(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<(HeldSignedText, Option<ReadText>)>, IndexError> {
        self.load_text(id, |stored| self.read_signed(stored, account))
    }

    /// What is signed and compared of a text, for a document whose record the caller has: nothing may move the text
    /// meanwhile.
    pub(crate) fn held_signed_text_of(
        &self,
        id: DocId,
        record: &DocumentRecord,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSignedText>, IndexError> {
        let stored = StoredText::of(id, record)?;
        let read = stored.map(|stored| self.read_signed(&stored, account));
        let read = read.transpose().map(|read| read.map(|(signed, _)| signed));
        read.inspect_err(|error| self.shared.damaged.note(id, error))
    }

    /// Whether the stored text of a document is that document's. Notes the document if it is not; a purged one has no
    /// text.
    pub(crate) fn is_text_sound(&self, id: DocId) -> Result<bool, IndexError> {
        match self.text(id) {
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
    pub fn check_text_hash(
        &self,
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
        &self,
        id: DocId,
        read: impl Fn(&StoredText<'_>) -> Result<T, IndexError>,
    ) -> Result<Option<T>, IndexError> {
        let mut missing_at = None;
        loop {
            let record = self
                .documents()
                .record(id)?
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
        &self,
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
        &self,
        stored: &StoredText<'_>,
        account: &MemoryAccount,
    ) -> Result<(HeldSignedText, Option<ReadText>), IndexError> {
        let (text, of_text) = with_permit(stored.at, account, || {
            Ok(self.shared.texts.read(&stored.at)?)
        })?;
        let (canonical, of_canonical) = canonicalise(&text, account)?;
        self.verify_hash(stored, DocumentHash(canonical.hash()))?;
        let (signed, of_rest) = self.signer().signed_text(&canonical, account)?;
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

    fn verify_hash(&self, stored: &StoredText<'_>, hash: DocumentHash) -> Result<(), IndexError> {
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
