//! The state that only the writer of texts uses: the current segment, its number, and how much is live where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use simdex_schema::StoreId;

use super::segment::{Appender, PendingSync};
use super::{SEGMENT_BYTES, TextError, TextRef};
use crate::safe_fs;

#[derive(Debug)]
pub(super) struct SegmentWriter {
    pub(super) current: Option<Appender>,
    sync_failed: bool,
    pub(super) next_segment: u32,
    pub(super) segment_use: BTreeMap<u32, SegmentUse>,
    /// Segments that were removed or replaced while they were written.
    pub(super) vanished: BTreeSet<u32>,
    /// A text became unreferenced since `take_died` was called.
    pub(super) died: bool,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct SegmentUse {
    /// Bytes of text that references point to, as far as the caller has reported.
    pub(super) live: u64,
    /// Bytes of text written, once known. A finished segment never changes.
    pub(super) raw: Option<u64>,
}

impl SegmentWriter {
    /// Nothing is being written yet.
    pub(super) fn new(next_segment: u32) -> Self {
        Self {
            current: None,
            sync_failed: false,
            next_segment,
            segment_use: BTreeMap::new(),
            vanished: BTreeSet::new(),
            // Texts that died before opening are found by the first compaction check.
            died: true,
        }
    }

    pub(super) fn use_of(&mut self, segment: u32) -> &mut SegmentUse {
        self.segment_use.entry(segment).or_default()
    }

    pub(super) fn append_block(
        &mut self,
        dir: &Path,
        store: StoreId,
        texts: &[&str],
    ) -> Result<TextRef, TextError> {
        if self.sync_failed {
            return Err(TextError::SyncFailed);
        }
        self.leave_vanished();
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.offset >= SEGMENT_BYTES)
        {
            self.finish_segment()?;
        }
        if self.current.is_none() {
            self.start_segment(dir, store)?;
        }
        let current = self.current.as_mut().ok_or(TextError::Exhausted)?;
        let whole = current.append(&texts.concat().into_bytes())?;
        let raw = &mut self.use_of(whole.segment).raw;
        *raw = raw.map(|raw| raw + u64::from(whole.len));
        Ok(whole)
    }

    /// Abandons the current segment if its file was removed or replaced: the next text begins another, and those in it
    /// are lost.
    pub(super) fn leave_vanished(&mut self) {
        if let Some(gone) = self.current.take_if(|current| !current.in_place()) {
            self.vanished.insert(gone.segment);
        }
    }

    /// Syncs the current segment, which an unsynced append may still need, and closes it.
    fn finish_segment(&mut self) -> Result<(), TextError> {
        self.sync()?;
        self.leave_vanished();
        self.current = None;
        Ok(())
    }

    fn start_segment(&mut self, dir: &Path, store: StoreId) -> Result<(), TextError> {
        let number = self.next_segment;
        let next = number.checked_add(1).ok_or(TextError::Exhausted)?;
        // The number is used up even if this fails halfway.
        self.next_segment = next;
        // The directory may have been removed with everything in it.
        safe_fs::create_dir(dir).map_err(TextError::io("create", dir))?;
        self.current = Some(Appender::create(dir, store, number)?);
        self.use_of(number).raw = Some(0);
        Ok(())
    }

    /// Makes sure that `segment` is not the current one.
    pub(super) fn leave(&mut self, segment: u32) -> Result<(), TextError> {
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.segment == segment)
        {
            self.finish_segment()?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), TextError> {
        match self.unsynced()? {
            Some(sync) => {
                let made = sync.make();
                self.note(&sync, made)
            }
            None => Ok(()),
        }
    }

    pub(super) fn unsynced(&self) -> Result<Option<PendingSync>, TextError> {
        if self.sync_failed {
            return Err(TextError::SyncFailed);
        }
        Ok(self.current.as_ref().and_then(Appender::unsynced))
    }

    /// Notes the result of a sync that other syncs may have overlapped.
    ///
    /// # Errors
    /// That of the sync; [`TextError::SyncFailed`] if another failed meanwhile: the kernel reports lost pages once for
    /// each open file, so the other may have been told of pages that this one was to sync.
    pub(super) fn note(
        &mut self,
        sync: &PendingSync,
        made: Result<(), TextError>,
    ) -> Result<(), TextError> {
        let failed_before = self.sync_failed;
        self.sync_failed |= made.is_err();
        made?;
        if failed_before {
            return Err(TextError::SyncFailed);
        }
        if let Some(current) = &mut self.current {
            current.note(sync);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_counts_for_nothing_where_another_failed_meanwhile() {
        let temp = tempfile::tempdir().unwrap();
        let mut writer = SegmentWriter::new(1);
        let store = StoreId([3; 16]);
        writer
            .append_block(temp.path(), store, &["a text"])
            .unwrap();
        let of_a_commit = writer.unsynced().unwrap().unwrap();
        // A thread that appends may finish a segment while the commit waits for the disk.
        let of_an_append = writer.unsynced().unwrap().unwrap();
        let failed = TextError::io("sync", "a segment")(std::io::Error::from_raw_os_error(5));
        writer.note(&of_an_append, Err(failed)).unwrap_err();
        let noted = writer.note(&of_a_commit, of_a_commit.make());
        assert!(matches!(noted, Err(TextError::SyncFailed)), "{noted:?}");
        assert!(writer.append_block(temp.path(), store, &["b"]).is_err());
    }
}
