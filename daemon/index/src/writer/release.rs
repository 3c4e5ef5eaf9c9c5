//! Releases documents with damaged texts, so that their files are extracted again.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, DocId, DocumentRecord, FileKey, FileRecord, Reason, State, key};

use super::purge::forget_name;
use crate::batch::{Batch, LONG_BATCH};
use crate::counts::{CountChange, CountedFile};
use crate::document_text::text_reference;
use crate::error::decode_error;
use crate::known_unchanged::Holders;
use crate::stored_records::visit;
use crate::table::CountStep;
use crate::text::TextRef;
use crate::{Cancel, IndexError, IndexWriter};

/// Records between two checks for cancellation.
const LOOK_EVERY: u64 = 4096;

impl IndexWriter {
    /// Notes the documents whose texts were in segments that are gone.
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

    /// Reads all texts of segments in which one was found damaged: if a segment was restored or exchanged, reading its
    /// files again repairs everything in it.
    fn sweep_suspects(&self) -> Result<(), IndexError> {
        let suspects = self.shared.damaged.segments().clone();
        if suspects.is_empty() {
            return Ok(());
        }
        let mut texts = self.texts_in(&suspects, &Cancel::never())?;
        texts.sort_unstable();
        // What was read before they were damaged proves nothing.
        self.shared.texts.forget_kept();
        for (_, id) in texts {
            self.reader.texts().is_sound(id)?;
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

    /// Releases documents with damaged text: their files are unread again, so that the rescan that calls this extracts
    /// them again. Returns those files, of all roots.
    pub fn release_damaged_texts(&self) -> Result<Vec<FileKey>, IndexError> {
        self.note_vanished()?;
        self.sweep_suspects()?;
        let damaged = self.shared.damaged.documents().clone();
        if damaged.is_empty() {
            return Ok(Vec::new());
        }
        let mut left: Vec<DocId> = damaged.iter().rev().copied().collect();
        let mut released = Vec::new();
        while !left.is_empty() {
            self.release_part(&mut left, &mut released)?;
        }
        // Only now: a failure above must not forget what is damaged.
        self.shared
            .damaged
            .documents()
            .retain(|id| !damaged.contains(id));
        Ok(released)
    }

    /// Releases documents whose texts could not be read when the index was opened, so that later postings may be
    /// merged, and logs how many files are read again.
    pub fn release_unread(&self) -> Result<(), IndexError> {
        let files = self.release_damaged_texts()?.len();
        tracing::error!(
            files,
            "texts are damaged or missing: their files are read again"
        );
        Ok(())
    }

    /// Releases some of these documents in one batch, and takes those out that are released completely; adds their
    /// files. Other changes may be applied between two parts.
    fn release_part(
        &self,
        left: &mut Vec<DocId>,
        released: &mut Vec<FileKey>,
    ) -> Result<(), IndexError> {
        let _writer = self.lock();
        let mut part = UnreadBatch::of(Batch::new(self.shared.store.records()));
        let mut whole = Vec::new();
        while let Some(id) = left.last()
            && self.release(&mut part, *id)?
        {
            whole.extend(left.pop());
        }
        let counted = self.count_changes(part.counted)?;
        let invalidated = self.shared.known_unchanged.invalidated_by(&part.batch);
        let written = part.batch.write();
        let holders = Holders::OnRecord(self.shared.store.records());
        self.shared.known_unchanged.forget(&invalidated, holders);
        written?;
        let (mut counts, mut state) = (self.shared.kept_counts(), self.shared.state_mut());
        state.count(&mut counts, &counted);
        state.queue_changed_documents(&counted);
        whole
            .iter()
            .for_each(|id| state.unsettled.queue_file_check(*id));
        released.extend(part.files);
        Ok(())
    }

    /// Marks the files of one document unread and removes its contents and its hash; the next purge removes the
    /// document. Returns false if the batch is full before that: the rest is for another.
    fn release(&self, part: &mut UnreadBatch<'_>, id: DocId) -> Result<bool, IndexError> {
        let carried = self.first_keys(&key::contents_of_document(id))?;
        let is_all = carried.len() < LONG_BATCH;
        for carried in carried {
            if let Some(hash) = carried.get(9..).and_then(ContentHash::from_slice) {
                if !self.release_content(part, hash)? {
                    return Ok(false);
                }
                part.batch.delete(key::content(hash));
            }
            part.batch.delete(carried);
        }
        if let (true, Some(record)) = (is_all, self.registry.document(id)?) {
            forget_name(&mut part.batch, id, record.hash)?;
        }
        Ok(is_all)
    }

    /// Marks the files that have a content unread, in the same way.
    fn release_content(
        &self,
        part: &mut UnreadBatch<'_>,
        hash: ContentHash,
    ) -> Result<bool, IndexError> {
        if part.batch.len() >= LONG_BATCH {
            return Ok(false);
        }
        let links = self.first_keys(&key::files_of_content(hash))?;
        let is_all = links.len() < LONG_BATCH;
        for link in links {
            if let Some(file) = key::file_in_link(&link) {
                self.mark_unread(part, file)?;
            }
            part.batch.delete(link);
        }
        Ok(is_all)
    }

    fn mark_unread(&self, part: &mut UnreadBatch<'_>, key: FileKey) -> Result<(), IndexError> {
        if let Some(record) = self.registry.file(&key)? {
            let outcome = FileOutcome::Unread(State::Unstable, Reason::TextDamaged.into());
            let unread = FileRecord {
                outcome,
                ..record.clone()
            };
            part.batch.put(key::file(&key), unread.encode());
            for (record, step) in [(&record, CountStep::Less), (&unread, CountStep::More)] {
                let file = CountedFile::new(&key, record, |hash| self.content_outcome(hash))?;
                part.counted.push(CountChange { file, step });
            }
        }
        part.files.push(key);
        Ok(())
    }

    /// The first keys with a prefix, as many as one batch may change.
    fn first_keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, IndexError> {
        let mut keys = Vec::new();
        let visit = &mut |key: &[u8], _: &[u8]| {
            keys.push(key.to_vec());
            match keys.len() < LONG_BATCH {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        self.shared.store.records().scan(prefix, None, visit)?;
        Ok(keys)
    }
}

/// Files that are marked unread in one batch.
struct UnreadBatch<'a> {
    batch: Batch<'a>,
    counted: Vec<CountChange>,
    files: Vec<FileKey>,
}

impl<'a> UnreadBatch<'a> {
    fn of(batch: Batch<'a>) -> Self {
        Self {
            batch,
            counted: Vec::new(),
            files: Vec::new(),
        }
    }
}
