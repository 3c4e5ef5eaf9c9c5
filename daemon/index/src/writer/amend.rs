//! Changing one field of a file's record after the file was read again.

use simdex_schema::{FileKey, FileRecord, key};

use crate::batch::Batch;
use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// Records the time of a reading that found a file as recorded; nothing else in the record changes. Does nothing if
    /// the record is another by now. May wait for a merge.
    pub fn record_reading(&self, file: &FileKey, found: &FileRecord) -> Result<(), IndexError> {
        self.amend(file, found, |record| record.last_read = found.last_read)
    }

    /// Marks a file that was found to hold other bytes than recorded, with the same metadata: its record proves nothing
    /// from here on, so the next ingest reads it. Does nothing if the record is another by now. May wait for a merge.
    pub fn mark_for_reread(&self, file: &FileKey, recorded: &FileRecord) -> Result<(), IndexError> {
        self.amend(file, recorded, |record| record.racy = true)
    }

    fn amend(
        &self,
        file: &FileKey,
        seen: &FileRecord,
        change: impl FnOnce(&mut FileRecord),
    ) -> Result<(), IndexError> {
        // Held throughout: the record must not change between reading and writing it.
        let _writer = self.lock();
        let Some(mut record) = self
            .registry
            .file(file)?
            .filter(|known| known.is_same_reading(seen))
        else {
            return Ok(());
        };
        change(&mut record);
        let mut batch = Batch::new(self.shared.store.records());
        batch.put(key::file(file), record.encode());
        Ok(batch.write()?)
    }
}
