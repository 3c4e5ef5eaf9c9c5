//! Removes contents and documents that no file carries any more.

use simdex_schema::{ContentHash, ContentRecord, DocId, DocumentHash, key};

use super::WriterState;
use crate::batch::{Batch, LONG_BATCH};
use crate::document_text::text_reference;
use crate::known_unchanged::Holders;
use crate::text::TextRef;
use crate::{IndexError, IndexWriter};

/// Documents removed in one batch.
const STEP: usize = LONG_BATCH / 8;

impl IndexWriter {
    /// Removes the records of contents without files and of documents without contents. Their postings are dropped when
    /// a merge next includes their run.
    pub(crate) fn purge(&self, writer: &mut WriterState) -> Result<(), IndexError> {
        let orphans: Vec<ContentHash> = std::mem::take(&mut writer.orphans).into_iter().collect();
        for some in orphans.chunks(STEP) {
            let mut batch = Batch::new(self.shared.store.records());
            for hash in some {
                purge_content(&mut batch, *hash)?;
            }
            self.apply_forgetting(batch)?;
        }
        self.dead_documents().chunks(STEP).try_for_each(|gone| {
            writer.meta.dead_postings += self.postings_in_runs(gone, writer.meta.watermark);
            self.purge_documents(gone)
        })
    }

    /// How many postings of these documents are in runs.
    fn postings_in_runs(&self, documents: &[DocId], watermark: u64) -> u64 {
        let held = self.shared.parameters.schemes;
        let state = self.shared.state();
        let merged = documents.iter().filter(|id| id.serial() < watermark);
        let stats = merged.filter_map(|id| state.table.get(*id));
        stats.map(|stats| stats.postings(held)).sum()
    }

    /// Documents that no file carries. One that is still in its star, or whose group has not passed on its id, waits
    /// for the next purge.
    fn dead_documents(&self) -> Vec<DocId> {
        let state = self.shared.state();
        let dead = state.table.known() - state.table.live();
        let ids = dead.into_iter().map(DocId);
        let holds = |id: &DocId| {
            state.unsettled.needs_file_check(*id)
                || state.stars.contains(*id)
                || state.group_ids.get(*id).is_some()
        };
        ids.filter(|id| !holds(id)).collect()
    }

    /// Applies a batch that deletes contents without files.
    fn apply_forgetting(&self, batch: Batch<'_>) -> Result<(), IndexError> {
        let invalidated = self.shared.known_unchanged.invalidated_by(&batch);
        let written = batch.write();
        self.shared
            .known_unchanged
            .forget(&invalidated, Holders::Written);
        Ok(written?)
    }

    fn purge_documents(&self, gone: &[DocId]) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.shared.store.records());
        let mut texts = Vec::new();
        for id in gone {
            texts.extend(self.purge_document(&mut batch, *id)?);
        }
        self.apply_forgetting(batch)?;
        texts
            .iter()
            .for_each(|text| self.shared.texts.count_dead(text));
        let mut state = self.shared.state_mut();
        for id in gone {
            state.forget_document(*id);
            state.unsettled.clear_placement(*id);
        }
        Ok(())
    }

    /// Deletes the records of one document; returns the position of its text.
    fn purge_document(
        &self,
        batch: &mut Batch<'_>,
        id: DocId,
    ) -> Result<Option<TextRef>, IndexError> {
        let record = self.registry.document(id)?;
        for link in batch.keys(&key::contents_of_document(id))? {
            // No file carries the document, so none holds this content.
            if let Some(hash) = link.get(9..).and_then(ContentHash::from_slice) {
                purge_content(batch, hash)?;
            }
            batch.delete(link);
        }
        if let Some(record) = &record {
            forget_name(batch, id, record.hash)?;
        }
        batch.delete(key::document(id));
        batch.delete(key::unsettled(id));
        Ok(record.as_ref().map(text_reference).transpose()?.flatten())
    }
}

fn purge_content(batch: &mut Batch<'_>, hash: ContentHash) -> Result<(), IndexError> {
    if !batch.keys(&key::files_of_content(hash))?.is_empty() {
        return Ok(());
    }
    let record = batch.get(&key::content(hash))?;
    let record = record.and_then(|bytes| ContentRecord::decode(&bytes).ok());
    if let Some(id) = record.and_then(|record| record.document) {
        batch.delete(key::content_of_document(id, hash));
    }
    batch.delete(key::content(hash));
    Ok(())
}

/// Removes the hash of a document, unless the hash is another's: one released for its damaged text may have a successor
/// with the same hash.
pub(crate) fn forget_name(
    batch: &mut Batch<'_>,
    id: DocId,
    hash: DocumentHash,
) -> Result<(), IndexError> {
    let by_hash = key::document_by_hash(hash);
    let named = batch.get(&by_hash)?;
    if named.and_then(|bytes| key::parse_document(&bytes, 0)) == Some(id) {
        batch.delete(by_hash);
    }
    Ok(())
}
