//! Texts and shingles of documents, with permits for what they take.

use std::sync::Arc;

use simdex_schema::{DocId, DocumentRecord};
use simdex_signature::{CanonicalText, ShingleSet};

use crate::index::Index;
use crate::text::{TextError, TextRef};
use crate::{Cancel, DocumentStats, HeldSet, IndexError, MemoryAccount, MemoryPermit};

impl Index {
    /// The figures of a document that is known.
    pub fn stats(&self, id: DocId) -> Option<DocumentStats> {
        self.state().table.get(id).copied()
    }

    /// Extracted text of a document, without a permit; none for raw bytes. For work of the backlog that holds
    /// no permit yet: whoever answers takes [`Index::held_text`].
    pub fn text(&self, id: DocId) -> Result<Option<String>, IndexError> {
        self.text_with(id, &self.memory().backlog.account(&Cancel::never()))
    }

    fn text_with(&self, id: DocId, account: &MemoryAccount) -> Result<Option<String>, IndexError> {
        self.read_text(id, |record| self.text_of(id, record, account))
    }

    /// Reads what a document's record points to; notes the document where that is damaged.
    fn read_text<T>(
        &self,
        id: DocId,
        read: impl Fn(&DocumentRecord) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let text = || {
            let record = self.document(id)?.ok_or(IndexError::UnknownDocument(id))?;
            read(&record)
        };
        let read = match text() {
            // A compaction moved it between the two reads; the record now says where to.
            Err(IndexError::Text(TextError::NoSegment { .. })) => text(),
            read => read,
        };
        read.inspect_err(|error| self.note_lost(id, error))
    }

    /// Length of a document's extracted text, in bytes; none for raw bytes.
    fn text_length(&self, id: DocId) -> Result<Option<u64>, IndexError> {
        let record = self.document(id)?.ok_or(IndexError::UnknownDocument(id))?;
        Ok(text_reference(&record)?.map(|reference| u64::from(reference.len)))
    }

    /// Extracted text of a document, with a permit for it; none for raw bytes.
    pub fn held_text(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<(String, Option<MemoryPermit>)>, IndexError> {
        let Some(length) = self.text_length(id)? else {
            return Ok(None);
        };
        // The block it lies in, and the text itself.
        let mut permit = account.take_large(2 * length)?;
        let text = self.text_with(id, account)?;
        if let Some(permit) = &mut permit {
            permit.shrink_to(length);
        }
        Ok(text.map(|text| (text, permit)))
    }

    /// All shingles of a document's text, for exact counts; none for raw bytes.
    pub fn shingles(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSet>, IndexError> {
        if let Some(set) = self.sets.get(&id) {
            let permit = account.take_large(set.counting_bytes())?;
            return Ok(Some(HeldSet { set, permit }));
        }
        let held = self.read_shingles(id, account)?;
        if let Some(held) = &held {
            let bytes = held.set.held_bytes();
            self.sets.insert(id, Arc::clone(&held.set), bytes);
        }
        Ok(held)
    }

    /// The same, read from the text whether they are kept or not.
    pub(crate) fn read_shingles(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSet>, IndexError> {
        let read = self.read_text(id, |record| self.canonical_of(id, record, account))?;
        let Some((canonical, _of_canonical)) = read else {
            return Ok(None);
        };
        self.work.text_read();
        self.shingles_of(&canonical, account).map(Some)
    }

    /// All shingles of a text that need not be in the index.
    pub fn shingles_of(
        &self,
        canonical: &CanonicalText,
        account: &MemoryAccount,
    ) -> Result<HeldSet, IndexError> {
        let length = canonical.as_bytes().len() as u64;
        let mut permit = account.take_large(ShingleSet::peak_bytes(length))?;
        let most = self.options.listed_shingles;
        let set = Arc::new(ShingleSet::listing(canonical, self.window(), most));
        if let Some(permit) = &mut permit {
            permit.shrink_to(set.counting_bytes());
        }
        Ok(HeldSet { set, permit })
    }
}

/// Where a document's extracted text lies; none for raw bytes.
pub(crate) fn text_reference(record: &DocumentRecord) -> Result<Option<TextRef>, IndexError> {
    let damaged = || IndexError::Damaged(format!("text reference of document {}", record.hash));
    let Some(bytes) = &record.text else {
        return Ok(None);
    };
    Ok(Some(TextRef::from_bytes(bytes).ok_or_else(damaged)?))
}
