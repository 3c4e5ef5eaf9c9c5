//! Candidates that are looked at once more at the end of the search for a family, and versions that were not joined to it.

use std::collections::HashMap;

use simdex_index::Candidate;
use simdex_schema::{DocId, DocumentHash};

use crate::read_side::families::{GapReason, LinkRule};

/// Candidates that are kept to be looked at once more.
const MAX_KEPT: usize = 4_096;
/// Least resemblance of these to the version that was asked about, of what a link demands.
const NEAR: f64 = 0.5;

/// Candidates that resemble a version that was asked about, each by its greatest estimate.
#[derive(Clone, Debug, Default)]
pub(super) struct NearCandidates {
    kept: HashMap<DocId, f64>,
    /// Documents of pieces that were left out, likewise.
    left_out: HashMap<DocId, f64>,
}

impl NearCandidates {
    /// Keeps those of some candidates that are near enough.
    pub(super) fn add<'c>(&mut self, some: impl Iterator<Item = &'c Candidate>, rule: &LinkRule) {
        for candidate in some.filter(|candidate| estimated(candidate) >= NEAR * rule.resemblance) {
            let is_full = self.is_full();
            let left_out = self.left_out.get_mut(&candidate.document);
            match left_out.or(self.kept.get_mut(&candidate.document)) {
                Some(greatest) => *greatest = greatest.max(estimated(candidate)),
                None if is_full => {}
                None => {
                    self.kept.insert(candidate.document, estimated(candidate));
                }
            }
        }
    }

    /// Leaves a document out until it is put back.
    pub(super) fn leave_out(&mut self, document: DocId) {
        let alike = self.kept.remove(&document).unwrap_or(0.0);
        let known = self.left_out.entry(document).or_default();
        *known = known.max(alike);
    }

    /// Leaves out a document that was taken out, with its estimate.
    pub(super) fn add_left_out(&mut self, (document, alike): (DocId, f64)) {
        self.left_out.insert(document, alike);
    }

    /// Puts back what was left out and is near enough; false if nothing is.
    pub(super) fn put_back(&mut self, rule: &LinkRule) -> bool {
        let left_out = self.left_out.drain();
        let before = self.kept.len();
        self.kept
            .extend(left_out.filter(|(_, alike)| *alike >= NEAR * rule.resemblance));
        self.kept.len() > before
    }

    /// Whether no more can be kept.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MAX_KEPT
    }

    /// Keeps only documents of which this is true.
    pub(super) fn retain(&mut self, is_kept: impl Fn(DocId) -> bool) {
        self.kept.retain(|document, _| is_kept(*document));
    }

    /// Whether any document is left out.
    pub(super) fn leaves_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Estimates of these documents that are kept.
    pub(super) fn kept(&self) -> &HashMap<DocId, f64> {
        &self.kept
    }

    /// Takes out the most alike one, with its estimate.
    pub(super) fn next(&mut self) -> Option<(DocId, f64)> {
        let kept = self
            .kept
            .iter()
            .map(|(document, alike)| (*document, *alike));
        let most = kept.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        self.kept.remove(&most.0);
        Some(most)
    }
}

/// Versions that resemble the family and were not joined to it.
#[derive(Clone, Copy, Debug)]
pub struct NearMiss {
    /// The version of the family that is most alike one of them.
    pub version: usize,
    /// That one of them.
    pub document: DocId,
    /// The hash of its document.
    pub hash: DocumentHash,
    /// How much the two resemble each other, counted on samples of both texts.
    pub resemblance: f64,
    /// Why they were not joined.
    pub reason: GapReason,
}

/// The resemblance of a candidate, estimated by the fingerprints looked up.
pub(super) fn estimated(candidate: &Candidate) -> f64 {
    let Candidate {
        shared,
        query_fingerprints,
        document_fingerprints,
        ..
    } = candidate;
    *shared as f64 / (query_fingerprints + document_fingerprints - shared).max(1) as f64
}
