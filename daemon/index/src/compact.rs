//! Getting back the space of texts that no document carries any more, and of records that were replaced.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocId, DocumentRecord, key};

use crate::batch::{Batch, LONG_BATCH};
use crate::index::Index;
use crate::text::{SegmentUsage, TextRef};
use crate::{Cancel, IndexError};

/// A segment is rewritten once less than this share of its text is live.
const LEAST_LIVE_SHARE: f64 = 0.5;

impl Index {
    /// Rewrites text segments that are mostly dead; returns how many were removed.
    pub fn compact_texts(&self) -> Result<usize, IndexError> {
        let mostly_dead = |usage: &SegmentUsage| {
            usage.text_bytes > 0
                && (usage.live_bytes as f64) < LEAST_LIVE_SHARE * usage.text_bytes as f64
        };
        let segments = self.texts.segments()?;
        let stale: Vec<u32> = segments
            .iter()
            .filter(|usage| mostly_dead(usage))
            .map(|usage| usage.segment)
            .collect();
        let mut removed = 0;
        for segment in stale {
            removed += usize::from(self.compact_segment(segment)?);
        }
        Ok(removed)
    }

    /// Rewrites the records where they take more disk than [`Options::records_bytes`](crate::Options) and
    /// twice what lives of them; says whether that was done. Readers do not wait, writers hardly. To be asked now and then: the answer
    /// depends on sizes alone, and is cheap where little was written since.
    ///
    /// # Errors
    /// Where it could not be done, with a fault that is transient if nothing was changed.
    pub fn compact_records(&self, cancel: &Cancel) -> Result<bool, IndexError> {
        Ok(self
            .store
            .compact_records(self.options.records_bytes, cancel)?)
    }

    /// Copies the live texts of a segment elsewhere and removes it; says whether it is gone. Where
    /// one of them is damaged the segment stays until its document was let go.
    fn compact_segment(&self, segment: u32) -> Result<bool, IndexError> {
        let checked = self.texts_with_right_names(segment)?;
        let mut writer = self.lock_writer();
        let live = self.texts_in(&[segment].into())?;
        // Two empty texts may lie in one place.
        let places: BTreeMap<TextRef, DocId> = live.iter().copied().collect();
        // A checksum was compared already.
        let is_right = |at: &TextRef, _: &str| at.checksum.is_some() || checked.contains(at);
        let refs: Vec<TextRef> = places.keys().copied().collect();
        let compacted = self.texts.compact(segment, &refs, &is_right)?;
        let moved: BTreeMap<TextRef, TextRef> = compacted.moved.into_iter().collect();
        writer.meta.next_segment = self.texts.next_segment();
        for some in live.chunks(LONG_BATCH) {
            let mut batch = Batch::new(self.store.records());
            for (old, id) in some {
                if let (Some(new), Some(record)) = (moved.get(old), self.document(*id)?) {
                    let text = Some(new.to_bytes());
                    let record = DocumentRecord { text, ..record };
                    batch.put(key::document(*id), record.encode());
                }
            }
            batch.put(key::meta(), writer.meta.encode());
            batch.apply()?;
        }
        self.commit()?;
        let left: BTreeSet<TextRef> = compacted.left.into_iter().collect();
        let left: Vec<DocId> = live
            .iter()
            .filter(|(text, _)| left.contains(text))
            .map(|(_, id)| *id)
            .collect();
        self.note_missing_texts(&left);
        if left.is_empty() {
            self.texts.remove_segment(segment)?;
        }
        Ok(left.is_empty())
    }

    /// Texts of a segment that have no checksum and are their documents': a copy is believed by its own.
    /// Before any lock is taken, since whoever holds memory may wait for that lock.
    fn texts_with_right_names(&self, segment: u32) -> Result<BTreeSet<TextRef>, IndexError> {
        let mut right = BTreeSet::new();
        for (at, id) in self.texts_in(&[segment].into())? {
            if at.checksum.is_none() && self.is_text_sound(id)? {
                right.insert(at);
            }
        }
        Ok(right)
    }
}
