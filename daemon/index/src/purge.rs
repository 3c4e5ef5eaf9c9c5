//! Forgetting contents and documents that no file carries any more.

use simdex_schema::{ContentHash, ContentRecord, DocId, key};

use crate::IndexError;
use crate::batch::Batch;
use crate::index::{Index, Writer, text_reference};

impl Index {
    /// Removes the records of contents without files and of documents without contents. Their
    /// postings go when a merge next writes their buckets.
    pub(crate) fn purge(&self, writer: &mut Writer) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.store.records());
        for hash in std::mem::take(&mut writer.orphans) {
            purge_content(&mut batch, hash)?;
        }
        let gone = self.dead_documents();
        for id in &gone {
            self.purge_document(&mut batch, *id)?;
        }
        batch.apply()?;
        let mut shared = self.write();
        for id in gone {
            shared.graph.remove(id);
            shared.table.forget(id);
            shared.unsettled.remove(&id);
        }
        Ok(())
    }

    /// Documents no file carries. One whose group has not heard of it yet waits for the next purge,
    /// so that the group's handle passes on first.
    fn dead_documents(&self) -> Vec<DocId> {
        let shared = self.read();
        let dead = shared.table.known_ids() - shared.table.live();
        dead.into_iter().map(DocId).filter(|id| !shared.restless.contains(id)).collect()
    }

    fn purge_document(&self, batch: &mut Batch<'_>, id: DocId) -> Result<(), IndexError> {
        let shared = self.read();
        if let Some(stats) = shared.table.get(id) {
            batch.delete(key::document_by_hash(stats.hash));
        }
        for (other, _) in shared.graph.neighbours(id) {
            batch.delete(key::edge(id, other));
        }
        for link in batch.keys(&key::contents_of_document(id))? {
            batch.delete(link);
        }
        let record = self.document(id)?;
        if let Some(text) = record.as_ref().map(text_reference).transpose()?.flatten() {
            self.texts.count_dead(&text);
        }
        batch.delete(key::document(id));
        batch.delete(key::unsettled(id));
        Ok(())
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
