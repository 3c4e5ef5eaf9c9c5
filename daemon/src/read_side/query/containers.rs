//! The documents that contain a subject, each counted when the caller asks for it: some callers need them all, others
//! only the first and the last in time.

use simdex_index::{Cancel, Candidate, GrowingPermit, IndexReader, ShingleSets};
use simdex_schema::{DocId, EdgeRecord};

use super::{
    ComparedBy, MAX_VERIFIED, MISS_PROBABILITY, Overlap, QueryError, QueryParams, ShingledText,
    Subject, bound, candidates, promise,
};

/// The documents that may contain a subject.
pub(in crate::read_side) struct ContainerSearch<'a> {
    shingles: ShingleSets<'a>,
    subject: &'a Subject,
    text: &'a ShingledText,
    threshold: f64,
    cancel: &'a Cancel,
    /// Best first; a subject that is a document of the index is among them.
    candidates: Vec<Candidate>,
    /// Whether a document at the threshold may be missing with a higher probability than 0.001.
    pub(in crate::read_side) is_uncertain: bool,
    _held: Option<GrowingPermit>,
}

impl<'a> ContainerSearch<'a> {
    /// Looks up the documents that may hold the share of a subject that the parameters name; `None` if it has no text
    /// to compare.
    pub(in crate::read_side) fn of(
        index: &'a IndexReader,
        subject: &'a Subject,
        params: &QueryParams,
        cancel: &'a Cancel,
    ) -> Result<Option<Self>, QueryError> {
        let (ComparedBy::Text, Some(text)) = (subject.compared_by(), subject.text()) else {
            return Ok(None);
        };
        let mut found = candidates(index, subject, params)?;
        let ranked = bound::by_upper_bound(&mut found, params)?;
        let promise = promise::promise(params, ComparedBy::Text, &found.coverage, 0);
        let missed = promise.missed_at_most;
        Ok(Some(Self {
            shingles: index.shingles(),
            subject,
            text,
            threshold: params.threshold,
            cancel,
            candidates: ranked.into_iter().map(|(candidate, _)| candidate).collect(),
            is_uncertain: missed.is_none_or(|missed| missed > MISS_PROBABILITY),
            _held: found.held,
        }))
    }

    /// The documents that may contain the subject.
    pub(in crate::read_side) fn candidates(&self) -> impl Iterator<Item = DocId> + '_ {
        self.candidates.iter().map(|candidate| candidate.document)
    }

    /// What the subject shares with a document, the subject first, if that contains it. Reads its text.
    pub(in crate::read_side) fn count(&self, other: DocId) -> Result<Option<Overlap>, QueryError> {
        Ok(self.counted(other)?.map(|(overlap, _)| overlap))
    }

    /// Counts all of them, the best 4,096 if there are more: each with exact counts, the subject's side first.
    pub(in crate::read_side) fn count_all(
        &mut self,
    ) -> Result<Vec<(DocId, EdgeRecord)>, QueryError> {
        self.is_uncertain |= self.candidates.len() > MAX_VERIFIED;
        let mut found = Vec::new();
        for other in self.candidates().take(MAX_VERIFIED) {
            found.extend(self.counted(other)?.map(|(_, edge)| (other, edge)));
        }
        Ok(found)
    }

    /// What the subject shares with a document that contains it, as ratios and in shingles.
    fn counted(&self, other: DocId) -> Result<Option<(Overlap, EdgeRecord)>, QueryError> {
        self.cancel.check()?;
        let account = self.subject.account();
        let read = match self.shingles.with_text(other, account) {
            // Its last file disappeared meanwhile, or its text is damaged, which the index notes.
            Err(error) if error.concerns_one_document() => None,
            read => read?,
        };
        let Some((read, _)) = read else {
            return Ok(None);
        };
        let own = &self.text.shingles;
        let overlap = Overlap::exact(own, &read, self.cancel)?;
        let edge = EdgeRecord {
            shared: overlap.shared,
            shingles_a: own.len() as u64,
            shingles_b: read.len() as u64,
        };
        let contains = edge.containment_of_a() >= self.threshold;
        Ok(contains.then_some((overlap, edge)))
    }
}
