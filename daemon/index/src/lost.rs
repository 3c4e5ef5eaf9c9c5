//! Extracted texts that are damaged on disk: noticed when read, never shown, extracted again.

use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, DocId, FileKey, FileRecord, Reason, State, key};

use crate::IndexError;
use crate::batch::Batch;
use crate::index::Index;
use crate::purge::forget_name;
use crate::text::TextError;

/// Whether an error says that a text is damaged, rather than that it could not be read now.
pub(crate) fn is_loss(error: &IndexError) -> bool {
    matches!(
        error,
        IndexError::Text(TextError::Corrupt { .. } | TextError::NoSegment { .. })
    )
}

impl Index {
    fn lost(&self) -> MutexGuard<'_, BTreeSet<DocId>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a document whose text an error says is damaged.
    pub(crate) fn note_lost(&self, id: DocId, error: &IndexError) {
        if is_loss(error) && self.lost().insert(id) {
            tracing::error!(document = id.0, %error, "a text is damaged: its files will be read again");
        }
    }

    /// An error while documents are known whose text is damaged: an answer that needs every text
    /// would silently lack theirs.
    pub(crate) fn all_texts_read(&self) -> Result<(), IndexError> {
        let lost: Vec<DocId> = self.lost().iter().copied().collect();
        // Those let go already may be met again until they are purged.
        let shared = self.read();
        match lost.iter().filter(|id| shared.table.is_live(**id)).count() {
            0 => Ok(()),
            lost => Err(IndexError::LostTexts(lost)),
        }
    }

    /// Lets documents with damaged text go: their files are unread again, so that the rescan that
    /// calls this extracts them anew. Returns those files, of all roots.
    pub fn release_lost(&self) -> Result<Vec<FileKey>, IndexError> {
        let lost = self.lost().clone();
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        let _writer = self.writer();
        let mut batch = Batch::new(self.store.records());
        let mut released = Vec::new();
        for id in &lost {
            let files = self.release(&mut batch, *id)?;
            released.extend(files.into_iter().map(|file| (file, *id)));
        }
        batch.apply()?;
        let mut shared = self.write();
        for (file, id) in &released {
            shared.table.count_file(file.root, *id, false);
        }
        shared.restless.extend(&lost);
        drop(shared);
        // Only now: a failure above must not forget what is lost.
        self.lost().retain(|id| !lost.contains(id));
        Ok(released.into_iter().map(|(file, _)| file).collect())
    }

    /// Unreads the files of one document and forgets its contents and its name; the next purge
    /// forgets the document.
    fn release(&self, batch: &mut Batch<'_>, id: DocId) -> Result<Vec<FileKey>, IndexError> {
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
                    let outcome =
                        FileOutcome::Unread(State::Unstable, Reason::code("text-damaged"));
                    batch.put(key::file(&file), FileRecord { outcome, ..record }.encode());
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
