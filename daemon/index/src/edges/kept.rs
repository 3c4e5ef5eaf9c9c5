//! Shingles of documents that others are compared with. They stay in memory as long as there is room; the sample of a
//! document stays longer, since it takes less, and tells most others apart from it.

use std::sync::Arc;

use simdex_schema::DocId;
use simdex_signature::{LevelSample, Rung};

use super::{EdgeFinder, LoadedDocument, PairThreshold, Shingles};
use crate::{IndexError, MemoryAccount};

impl EdgeFinder<'_> {
    /// The shingles of a document; `None` if it is raw, was purged, or its text is damaged. A damaged text is noted,
    /// and must not keep all others from their edges.
    pub(super) fn shingles(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<Shingles>, IndexError> {
        if let Some(levels) = self.shared.levels.get(&id) {
            return Shingles::of_levels(levels, account).map(Some);
        }
        let read = match self.shingles.read_levels(id, account) {
            Err(error) if error.concerns_one_document() => None,
            read => read?,
        };
        read.map(|read| Shingles::of(read, account)).transpose()
    }

    /// Caches the shingles of a document that others are compared with.
    pub(super) fn keep(&self, id: DocId, shingles: &Shingles) {
        let (Some(levels), Some(stats)) = (shingles.levels(), self.stats(id)) else {
            return;
        };
        let bytes = levels.held_bytes();
        self.shared.levels.insert(id, Arc::clone(levels), bytes);
        let samples = &self.shared.level_samples;
        let is_kept = samples.get(&id).is_some_and(|s| s.rung() == stats.rung);
        if stats.rung > Rung::ZERO && !is_kept {
            let sample = LevelSample::of(levels, stats.rung);
            let bytes = sample.held_bytes();
            samples.insert(id, Arc::new(sample), bytes);
        }
    }

    /// Caches the shingles of a loaded document that others will be compared with.
    pub(crate) fn keep_loaded(&self, document: &LoadedDocument) {
        document
            .shingles
            .iter()
            .for_each(|shingles| self.keep(document.id, shingles));
    }

    /// Whether the sample of a document tells that it is no neighbour of another one, so that not all of its shingles
    /// are needed.
    pub(super) fn is_refused_by_sample(
        &self,
        ours: &Shingles,
        other: DocId,
        pair: PairThreshold,
    ) -> bool {
        let Some(levels) = ours.levels() else {
            return false;
        };
        let sample = match self.shared.levels.get(&other) {
            Some(_) => None,
            None => self.shared.level_samples.get(&other),
        };
        // If nothing is sampled, nothing is left to chance.
        let sample = sample.filter(|sample| pair.rung >= sample.rung() && pair.rung > Rung::ZERO);
        let refused = sample
            .and_then(|sample| sample.refused_at(levels, |at| pair.may_reach(at, &self.cuts)));
        if let Some(at) = refused {
            self.shared.work.compared(1, at.union + at.shared);
        }
        refused.is_some()
    }
}
