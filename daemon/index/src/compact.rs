//! Getting back the space of texts that no document carries any more.

use std::collections::BTreeMap;

use simdex_schema::{DocId, DocumentRecord, key};

use crate::IndexError;
use crate::batch::Batch;
use crate::index::{Index, text_reference};
use crate::open::visit;
use crate::text::{SegmentUsage, TextRef};

/// A segment is rewritten once less than this share of its text is live.
const LEAST_LIVE_SHARE: f64 = 0.5;

impl Index {
    /// Counts the live texts of every segment, once after opening.
    pub(crate) fn count_texts(&self) -> Result<(), IndexError> {
        visit(&*self.store, key::prefix::DOCUMENT, |_, value| {
            let record = DocumentRecord::decode(value);
            let text = record.ok().as_ref().map(text_reference).transpose()?.flatten();
            text.iter().for_each(|text| self.texts.count_live(text));
            Ok(())
        })
    }

    /// Rewrites text segments that are mostly dead; returns how many were removed.
    pub fn compact_texts(&self) -> Result<usize, IndexError> {
        let mostly_dead = |usage: &SegmentUsage| {
            usage.text_bytes > 0
                && (usage.live_bytes as f64) < LEAST_LIVE_SHARE * usage.text_bytes as f64
        };
        let segments = self.texts.segments()?;
        let stale: Vec<u32> =
            segments.iter().filter(|usage| mostly_dead(usage)).map(|usage| usage.segment).collect();
        for segment in &stale {
            self.compact_segment(*segment)?;
        }
        Ok(stale.len())
    }

    fn compact_segment(&self, segment: u32) -> Result<(), IndexError> {
        let _writer = self.writer();
        let live = self.texts_in(segment)?;
        let references: Vec<TextRef> = live.keys().copied().collect();
        let moved = self.texts.compact(segment, &references)?;
        let mut batch = Batch::new(self.store.records());
        for (old, new) in moved {
            let Some(id) = live.get(&old) else { continue };
            if let Some(record) = self.document(*id)? {
                let text = Some(new.to_bytes().to_vec());
                batch.put(key::document(*id), DocumentRecord { text, ..record }.encode());
            }
        }
        batch.apply()?;
        self.commit()?;
        Ok(self.texts.remove_segment(segment)?)
    }

    /// Every live text of a segment with its one document.
    fn texts_in(&self, segment: u32) -> Result<BTreeMap<TextRef, DocId>, IndexError> {
        let mut texts = BTreeMap::new();
        visit(&*self.store, key::prefix::DOCUMENT, |bytes, value| {
            let text = match DocumentRecord::decode(value) {
                Ok(record) => text_reference(&record)?,
                Err(_) => None,
            };
            let here = text.filter(|text| text.segment == segment);
            texts.extend(here.zip(key::parse_document(bytes, 1)));
            Ok(())
        })?;
        Ok(texts)
    }
}
