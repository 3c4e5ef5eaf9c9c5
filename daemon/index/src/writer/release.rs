//! Letting documents with damaged texts go, so that their files are extracted again.

use std::collections::BTreeSet;

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, DocId, DocumentRecord, FileKey, FileRecord, Reason, State, key};

use super::purge::forget_name;
use crate::batch::Batch;
use crate::counts::{CountChange, CountedFile};
use crate::error::decode_error;
use crate::index::visit;
use crate::reader::document_text::text_reference;
use crate::text::TextRef;
use crate::{Cancel, IndexError, IndexWriter};

/// Records between two looks at whether to go on.
const LOOK_EVERY: u64 = 4096;

impl IndexWriter {
    /// Remembers the documents whose texts lay in segments that are gone.
    pub(crate) fn note_vanished(&self) -> Result<(), IndexError> {
        let gone = self.shared.texts.vanished()?;
        if gone.is_empty() {
            return Ok(());
        }
        let missing: Vec<DocId> = self
            .texts_in(&gone, &Cancel::never())?
            .into_iter()
            .map(|(_, id)| id)
            .collect();
        self.shared.damaged.note_missing(&missing);
        // Nothing will ever point there again.
        self.shared.texts.forget(&gone);
        Ok(())
    }

    /// Reads all texts of segments in which one was found damaged: where a segment was restored or
    /// exchanged, one read of its files heals all of it.
    fn sweep_suspects(&self) -> Result<(), IndexError> {
        let suspects = self.shared.damaged.segments().clone();
        if suspects.is_empty() {
            return Ok(());
        }
        let mut texts = self.texts_in(&suspects, &Cancel::never())?;
        texts.sort_unstable();
        // What was read before they were damaged says nothing.
        self.shared.texts.forget_kept();
        for (_, id) in texts {
            self.reader.is_text_sound(id)?;
        }
        self.shared
            .damaged
            .segments()
            .retain(|segment| !suspects.contains(segment));
        Ok(())
    }

    /// Every text of some segments with its document.
    pub(crate) fn texts_in(
        &self,
        segments: &BTreeSet<u32>,
        cancel: &Cancel,
    ) -> Result<Vec<(TextRef, DocId)>, IndexError> {
        let (mut texts, mut read) = (Vec::new(), 0_u64);
        visit(
            &*self.shared.store,
            key::prefix::DOCUMENT,
            |bytes, value| {
                read += 1;
                if read.is_multiple_of(LOOK_EVERY) {
                    cancel.check()?;
                }
                let record = DocumentRecord::decode(value);
                let record = record.map_err(|source| decode_error("of a document", source))?;
                let here = text_reference(&record)?.filter(|text| segments.contains(&text.segment));
                texts.extend(here.zip(key::parse_document(bytes, 1)));
                Ok(())
            },
        )?;
        Ok(texts)
    }

    /// Lets documents with damaged text go: their files are unread again, so that the rescan that
    /// calls this extracts them anew. Returns those files, of all roots.
    pub fn release_damaged_texts(&self) -> Result<Vec<FileKey>, IndexError> {
        self.note_vanished()?;
        self.sweep_suspects()?;
        let damaged = self.shared.damaged.documents().clone();
        if damaged.is_empty() {
            return Ok(Vec::new());
        }
        let _writer = self.lock();
        let mut batch = Batch::new(self.shared.store.records());
        let (mut released, mut counted) = (Vec::new(), Vec::new());
        for id in &damaged {
            released.extend(self.release(&mut batch, *id, &mut counted)?);
        }
        let counted = self.count_changes(counted)?;
        batch.apply()?;
        let (mut counts, mut state) = (self.shared.kept_counts(), self.shared.state_mut());
        state.count(&mut counts, &counted);
        state.queue_changed_documents(&counted);
        damaged
            .iter()
            .for_each(|id| state.unsettled.queue_file_check(*id));
        drop((counts, state));
        // Only now: a failure above must not forget what is damaged.
        self.shared
            .damaged
            .documents()
            .retain(|id| !damaged.contains(id));
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
                if let Some(record) = self.registry.file(&file)? {
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
        if let Some(record) = self.registry.document(id)? {
            forget_name(batch, id, record.hash)?;
        }
        Ok(files)
    }
}
