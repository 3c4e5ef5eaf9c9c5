//! The documents whose texts are damaged: missing on disk, unreadable there, or another document's. They are
//! noted here when a read finds them, and the next rescan has their files extracted again.

use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, DocId, DocumentRecord, FileKey, FileRecord, Reason, State, key};

use crate::IndexError;
use crate::batch::Batch;
use crate::counts::{CountChange, CountedFile};
use crate::document_text::text_reference;
use crate::error::decode_error;
use crate::index::Index;
use crate::open::visit;
use crate::purge::forget_name;
use crate::text::{TextError, TextRef};

impl Index {
    pub(crate) fn damaged(&self) -> MutexGuard<'_, BTreeSet<DocId>> {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn suspects(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a document whose text an error says is damaged.
    pub(crate) fn note_damaged_text(&self, id: DocId, error: &IndexError) {
        if let IndexError::Text(TextError::Corrupt { segment, .. }) = error {
            self.suspects().insert(*segment);
        }
        if error.is_damaged_text() && self.damaged().insert(id) {
            tracing::error!(document = id.0, %error, "a text is damaged: its files will be read again");
        }
    }

    /// Remembers documents whose texts cannot be there.
    pub(crate) fn note_missing_texts(&self, ids: &[DocId]) {
        let mut damaged = self.damaged();
        let before = damaged.len();
        damaged.extend(ids);
        let more = damaged.len() - before;
        if more > 0 {
            tracing::error!(
                documents = more,
                "text segments are missing or cut short: the files of their texts will be read again"
            );
        }
    }

    /// Remembers the documents whose texts lay in segments that are gone.
    pub(crate) fn note_vanished(&self) -> Result<(), IndexError> {
        let gone = self.texts.vanished()?;
        if gone.is_empty() {
            return Ok(());
        }
        let missing: Vec<DocId> = self
            .texts_in(&gone)?
            .into_iter()
            .map(|(_, id)| id)
            .collect();
        self.note_missing_texts(&missing);
        // Nothing will ever point there again.
        self.texts.forget(&gone);
        Ok(())
    }

    /// Reads all texts of segments in which one was found damaged: where a segment was restored or
    /// exchanged, one read of its files heals all of it.
    fn sweep_suspects(&self) -> Result<(), IndexError> {
        let suspects = self.suspects().clone();
        if suspects.is_empty() {
            return Ok(());
        }
        let mut texts = self.texts_in(&suspects)?;
        texts.sort_unstable();
        // What was read before they were damaged says nothing.
        self.texts.forget_kept();
        for (_, id) in texts {
            self.is_text_sound(id)?;
        }
        self.suspects()
            .retain(|segment| !suspects.contains(segment));
        Ok(())
    }

    /// Every text of some segments with its document.
    pub(crate) fn texts_in(
        &self,
        segments: &BTreeSet<u32>,
    ) -> Result<Vec<(TextRef, DocId)>, IndexError> {
        let mut texts = Vec::new();
        visit(&*self.store, key::prefix::DOCUMENT, |bytes, value| {
            let record = DocumentRecord::decode(value);
            let record = record.map_err(|source| decode_error("of a document", source))?;
            let here = text_reference(&record)?.filter(|text| segments.contains(&text.segment));
            texts.extend(here.zip(key::parse_document(bytes, 1)));
            Ok(())
        })?;
        Ok(texts)
    }

    /// Documents whose text is known to be damaged: an answer that needs every text lacks theirs.
    pub fn damaged_texts(&self) -> u64 {
        let damaged: Vec<DocId> = self.damaged().iter().copied().collect();
        if damaged.is_empty() {
            return 0;
        }
        // Those let go already may be met again until they are purged.
        let state = self.state();
        let live = damaged.iter().filter(|id| state.table.is_live(**id));
        live.count() as u64
    }

    /// Lets documents with damaged text go: their files are unread again, so that the rescan that
    /// calls this extracts them anew. Returns those files, of all roots.
    pub fn release_damaged_texts(&self) -> Result<Vec<FileKey>, IndexError> {
        self.note_vanished()?;
        self.sweep_suspects()?;
        let damaged = self.damaged().clone();
        if damaged.is_empty() {
            return Ok(Vec::new());
        }
        let _writer = self.lock_writer();
        let mut batch = Batch::new(self.store.records());
        let (mut released, mut counted) = (Vec::new(), Vec::new());
        for id in &damaged {
            released.extend(self.release(&mut batch, *id, &mut counted)?);
        }
        let counted = self.count_changes(counted)?;
        batch.apply()?;
        let (mut counts, mut state) = (self.kept_counts(), self.state_mut());
        state.count(&mut counts, &counted);
        state.queue_changed_documents(&counted);
        damaged
            .iter()
            .for_each(|id| state.unsettled.queue_file_check(*id));
        drop((counts, state));
        // Only now: a failure above must not forget what is damaged.
        self.damaged().retain(|id| !damaged.contains(id));
        Ok(released)
    }

    /// Unreads the files of one document and forgets its contents and its name; the next purge
    /// forgets the document.
    fn release(
        &self,
        batch: &mut Batch<'_>,
        id: DocId,
        counted: &mut Vec<CountChange>,
    ) -> Result<Vec<FileKey>, IndexError> {
        let mut files = Vec::new();
        for carried in batch.keys(&key::contents_of_document(id))? {
            let Some(hash) = carried.get(9..).and_then(ContentHash::from_slice) else {
                continue;
            };
            for link in batch.keys(&key::files_of_content(hash))? {
                let Some(file) = key::parse_file(&link, 33) else {
                    continue;
                };
                if let Some(record) = self.file(&file)? {
                    let outcome = FileOutcome::Unread(State::Unstable, Reason::TextDamaged.into());
                    let unread = FileRecord {
                        outcome,
                        ..record.clone()
                    };
                    batch.put(key::file(&file), unread.encode());
                    for (record, more) in [(&record, false), (&unread, true)] {
                        let file = CountedFile::new(&file, record, |hash| self.found(hash))?;
                        counted.push(CountChange { file, more });
                    }
                }
                batch.delete(link);
                files.push(file);
            }
            batch.delete(key::content(hash));
            batch.delete(carried);
        }
        if let Some(record) = self.document(id)? {
            forget_name(batch, id, record.hash)?;
        }
        Ok(files)
    }
}
