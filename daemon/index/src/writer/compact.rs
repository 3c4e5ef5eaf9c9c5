//! Reclaims the space of texts that no document carries any more, and of replaced records.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocId, DocumentRecord, key};

use crate::batch::{Batch, LONG_BATCH};
use crate::document_text::text_reference;
use crate::text::{SegmentUsage, TextRef};
use crate::{Cancel, IndexError, IndexWriter};

/// A segment is rewritten once less than this share of its text is live.
const MIN_LIVE_SHARE: f64 = 0.5;
/// Segments are rewritten once they hold this many bytes of dead text for each document: the records of all documents
/// are read to find what is live in them.
const MIN_DEAD_BYTES_PER_DOCUMENT: u64 = 64;

impl IndexWriter {
    /// Rewrites text segments that are mostly dead; returns how many were removed. Does nothing if that would cost more
    /// than it reclaims, or if it is cancelled. Readers do not wait; writers wait for some thousand texts at a time.
    /// Call it now and then: it is cheap if no text died since.
    ///
    /// # Errors
    /// If it could not be done; the fault is transient if nothing was lost.
    pub fn compact_texts(&self, cancel: &Cancel) -> Result<usize, IndexError> {
        if !self.shared.texts.take_died() {
            return Ok(0);
        }
        let mut removed = 0;
        let done = self.compact_stale(cancel, &mut removed);
        if done.is_err() {
            self.shared.texts.note_died();
        }
        match done {
            Err(IndexError::Cancelled) => Ok(removed),
            done => done.map(|()| removed),
        }
    }

    fn compact_stale(&self, cancel: &Cancel, removed: &mut usize) -> Result<(), IndexError> {
        let stale = self.stale_segments()?;
        if stale.is_empty() {
            return Ok(());
        }
        {
            // A batch appends texts before its records: once none is being applied, nothing more will point there.
            let _no_batch = self.lock();
            self.shared.texts.leave(&stale)?;
        }
        let mut texts: BTreeMap<u32, Vec<(TextRef, DocId)>> = BTreeMap::new();
        for (text, id) in self.texts_in(&stale, cancel)? {
            texts.entry(text.segment).or_default().push((text, id));
        }
        for segment in stale {
            let texts = texts.remove(&segment).unwrap_or_default();
            *removed += usize::from(self.compact_segment(segment, &texts, cancel)?);
        }
        Ok(())
    }

    /// Segments that are mostly dead; none if too little is.
    fn stale_segments(&self) -> Result<BTreeSet<u32>, IndexError> {
        let mostly_dead = |usage: &SegmentUsage| {
            usage.text_bytes > 0
                && (usage.live_bytes as f64) < MIN_LIVE_SHARE * usage.text_bytes as f64
        };
        let mut segments = self.shared.texts.segments()?;
        let mostly_dead = |usage: &SegmentUsage| {
            mostly_dead(usage)
                && !self
                    .shared
                    .texts
                    .is_unaccounted(usage.segment, usage.live_bytes)
        };
        segments.retain(mostly_dead);
        let dead = |usage: &SegmentUsage| usage.text_bytes.saturating_sub(usage.live_bytes);
        let dead: u64 = segments.iter().map(dead).sum();
        let documents = self.shared.state().table.known().len();
        if dead <= documents * MIN_DEAD_BYTES_PER_DOCUMENT {
            segments.clear();
        }
        Ok(segments.iter().map(|usage| usage.segment).collect())
    }

    /// Rewrites the records if they take more disk than [`Options::records_bytes`](crate::Options) and more than twice
    /// their live bytes; returns whether that was done. Readers do not wait, writers hardly. Call it now and then: the
    /// decision depends only on sizes, and is cheap if little was written since.
    ///
    /// # Errors
    /// If it could not be done; the fault is transient if nothing was changed.
    pub fn compact_records(&self, cancel: &Cancel) -> Result<bool, IndexError> {
        Ok(self
            .shared
            .store
            .compact_records(self.shared.options.records_bytes, cancel)?)
    }

    /// Copies the live texts of a segment elsewhere and removes it; returns whether it is gone. If one of them is
    /// damaged, the segment stays until its document was released.
    fn compact_segment(
        &self,
        segment: u32,
        texts: &[(TextRef, DocId)],
        cancel: &Cancel,
    ) -> Result<bool, IndexError> {
        let mut left = Vec::new();
        for some in texts.chunks(LONG_BATCH) {
            cancel.check()?;
            left.extend(self.move_texts(segment, some)?);
        }
        self.commit()?;
        self.shared.damaged.note_missing(&left);
        if left.is_empty() {
            self.shared.texts.remove_segment(segment)?;
        }
        Ok(left.is_empty())
    }

    /// Copies those texts of a segment elsewhere that are still live; returns the documents whose texts could not be
    /// copied.
    fn move_texts(
        &self,
        segment: u32,
        texts: &[(TextRef, DocId)],
    ) -> Result<Vec<DocId>, IndexError> {
        let checked = self.texts_with_right_names(texts)?;
        let mut writer = self.lock();
        let mut live = Vec::new();
        for (at, id) in texts {
            if let Some(record) = self.registry.document(*id)?
                && text_reference(&record)? == Some(*at)
            {
                live.push((*at, *id, record));
            }
        }
        // A checksum was compared already.
        let is_right = |at: &TextRef, _: &str| at.checksum.is_some() || checked.contains(at);
        // Two empty texts may be at one position.
        let places: BTreeSet<TextRef> = live.iter().map(|(at, ..)| *at).collect();
        let places: Vec<TextRef> = places.into_iter().collect();
        let compacted = self.shared.texts.compact(segment, &places, &is_right)?;
        let moved: BTreeMap<TextRef, TextRef> = compacted.moved.into_iter().collect();
        writer.meta.next_segment = self.shared.texts.next_segment();
        let mut batch = Batch::new(self.shared.store.records());
        let mut left = Vec::new();
        for (old, id, record) in live {
            let Some(new) = moved.get(&old) else {
                left.push(id);
                continue;
            };
            let text = Some(new.to_bytes());
            let record = DocumentRecord { text, ..record };
            batch.put(key::document(id), record.encode());
        }
        batch.put(key::meta(), writer.meta.encode());
        batch.write()?;
        Ok(left)
    }

    /// The texts that have no checksum and are verified as their documents': their copies will be trusted by their
    /// checksums. Runs before any lock is taken, since a holder of memory may wait for that lock.
    fn texts_with_right_names(
        &self,
        texts: &[(TextRef, DocId)],
    ) -> Result<BTreeSet<TextRef>, IndexError> {
        let mut right = BTreeSet::new();
        for (at, id) in texts {
            if at.checksum.is_none() && self.reader.texts().is_sound(*id)? {
                right.insert(*at);
            }
        }
        Ok(right)
    }
}
