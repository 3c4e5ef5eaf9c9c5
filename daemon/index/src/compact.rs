//! Getting back the space of texts that no document carries any more.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocId, DocumentRecord, key};

use crate::IndexError;
use crate::batch::{Batch, LONG_BATCH};
use crate::index::{Index, text_reference};
use crate::open::visit;
use crate::text::{SegmentUsage, TextRef};

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
        for segment in &stale {
            self.compact_segment(*segment)?;
        }
        Ok(stale.len())
    }

    fn compact_segment(&self, segment: u32) -> Result<(), IndexError> {
        let _writer = self.writer();
        let live = self.texts_in(segment)?;
        // Two empty texts may lie in one place.
        let places: BTreeSet<TextRef> = live.iter().map(|(text, _)| *text).collect();
        let places: Vec<TextRef> = places.into_iter().collect();
        let moved: BTreeMap<TextRef, TextRef> =
            self.texts.compact(segment, &places)?.into_iter().collect();
        for some in live.chunks(LONG_BATCH) {
            let mut batch = Batch::new(self.store.records());
            for (old, id) in some {
                if let (Some(new), Some(record)) = (moved.get(old), self.document(*id)?) {
                    let text = Some(new.to_bytes().to_vec());
                    let record = DocumentRecord { text, ..record };
                    batch.put(key::document(*id), record.encode());
                }
            }
            batch.apply()?;
        }
        self.commit()?;
        Ok(self.texts.remove_segment(segment)?)
    }

    /// Every live text of a segment with its document.
    fn texts_in(&self, segment: u32) -> Result<Vec<(TextRef, DocId)>, IndexError> {
        let mut texts = Vec::new();
        visit(&*self.store, key::prefix::DOCUMENT, |bytes, value| {
            let record = DocumentRecord::decode(value).map_err(|source| IndexError::Record {
                what: "of a document".to_owned(),
                source,
            })?;
            let here = text_reference(&record)?.filter(|text| text.segment == segment);
            texts.extend(here.zip(key::parse_document(bytes, 1)));
            Ok(())
        })?;
        Ok(texts)
    }
}
