//! Adds what was extracted from contents, and the documents that are new.

use simdex_schema::{ContentHash, ContentRecord, DocId, DocumentRecord, FileKey, key};

use super::BatchBuilder;
use crate::IndexError;
use crate::change::{NewContent, NewDocument};
use crate::counts::{ContentOutcome, CountChange, CountedFile, content_outcome};
use crate::document_text::text_reference;
use crate::error::decode_error;
use crate::table::CountStep;
use crate::text::checksum;
use crate::writer::apply::storable::{fits, recorded};

impl<'c> BatchBuilder<'_, 'c> {
    pub(super) fn content_record(
        &self,
        hash: ContentHash,
    ) -> Result<Option<ContentRecord>, IndexError> {
        let bytes = self.batch.get(&key::content(hash))?;
        let record = bytes.map(|bytes| ContentRecord::decode(&bytes)).transpose();
        record.map_err(|source| decode_error("of a content", source))
    }

    /// Adds what was extracted from a content that a file was seen with; if it was known with another document, its files
    /// move over. Returns whether it was not known, or with another result.
    pub(super) fn stage_content(
        &mut self,
        hash: ContentHash,
        new: &'c NewContent,
        seen: &FileKey,
    ) -> Result<bool, IndexError> {
        let known = self.content_record(hash)?;
        let is_worse = |known: &ContentRecord| {
            known.extractor == new.record.extractor
                && !known.state.is_failure()
                && new.record.state.is_failure()
        };
        if known.as_ref().is_some_and(is_worse) {
            // Another read of the same bytes succeeded before this one was applied.
            return Ok(false);
        }
        let stored = new.document.as_ref().filter(|_| fits(new));
        let document = stored
            .map(|document| self.get_or_allocate_document(document))
            .transpose()?;
        let record = ContentRecord {
            document,
            ..recorded(new)
        };
        self.replaces_known_content |= known.is_some();
        let is_other = known.as_ref().is_none_or(|known| {
            content_outcome(known) != content_outcome(&record) || known.reason != record.reason
        });
        // Only a recorded content has files.
        if let Some(known) = known.filter(|_| is_other) {
            let outcomes = [&known, &record].map(content_outcome);
            self.recount_content(hash, outcomes, seen)?;
            if let Some(id) = known.document.filter(|_| known.document != document) {
                self.batch.delete(key::content_of_document(id, hash));
            }
        }
        if let Some(id) = document {
            self.batch
                .put(key::content_of_document(id, hash), Vec::new());
        }
        self.batch.put(key::content(hash), record.encode());
        Ok(is_other)
    }

    /// Notes that all files of a content are counted differently from now on, and have changed; the one that was seen
    /// is noted with its own record. There may be millions: their paths are not held, but two counts are, of some 64
    /// bytes each.
    fn recount_content(
        &mut self,
        hash: ContentHash,
        [old, new]: [ContentOutcome; 2],
        seen: &FileKey,
    ) -> Result<(), IndexError> {
        let Self {
            batch,
            counted,
            changed,
            carriers,
            ..
        } = self;
        batch.visit_keys(&key::files_of_content(hash), &mut |link| {
            let Some(key) = key::file_in_link(link) else {
                return;
            };
            if key != *seen {
                changed.note(&key, true);
            }
            for (found, step) in [(old, CountStep::Less), (new, CountStep::More)] {
                let file = CountedFile::with_content(&key, hash, found);
                counted.push(CountChange { file, step });
                carriers.note(&key, &file);
            }
        })?;
        Ok(())
    }

    /// The id of a document; a new one if its hash is not known, or identifies another text.
    fn get_or_allocate_document(&mut self, new: &'c NewDocument) -> Result<DocId, IndexError> {
        let by_hash = key::document_by_hash(new.hash);
        let known = self.batch.get(&by_hash)?;
        let known = known.and_then(|bytes| key::parse_document(&bytes, 0));
        if let Some(id) = known
            && !self.may_hold_another_text(id, new)?
        {
            return Ok(id);
        }
        let id = DocId::local(self.writer.meta.next_document);
        self.writer.meta.next_document += 1;
        self.batch.put(by_hash, id.0.to_be_bytes().to_vec());
        self.fresh.push((id, new));
        Ok(id)
    }

    /// Whether a document that an older canonical text identified has another text than the one that has its hash now:
    /// the present canonical text may distinguish two texts that were the same in the older one. Only its checksum is
    /// compared. If the same document was extracted as a different text, it is stored again, which costs only time.
    fn may_hold_another_text(&self, id: DocId, new: &NewDocument) -> Result<bool, IndexError> {
        let (Some(text), true) = (&new.text, id.serial() < self.writer.meta.named_from) else {
            return Ok(false);
        };
        let record = self.batch.get(&key::document(id))?;
        let record = record
            .map(|bytes| DocumentRecord::decode(&bytes))
            .transpose();
        let record = record.map_err(|source| decode_error("of a document", source))?;
        let at = record.as_ref().map(text_reference).transpose()?.flatten();
        let known = at.and_then(|at| at.checksum);
        Ok(known != Some(checksum(text.as_bytes())))
    }
}
