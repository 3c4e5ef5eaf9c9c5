//! Candidates that are somewhat alike to a version that was asked about, and versions that were not joined to a family.

use std::collections::{HashMap, HashSet};

use simdex_index::Candidate;
use simdex_schema::{DocId, DocumentHash};

use crate::read_side::families::{GapReason, LinkRule};

/// Candidates that are kept to be looked at once more.
pub(super) const MOST_KEPT: usize = 4_096;
/// Least resemblance of these to the version that was asked about, of what a link demands.
const NEAR: f64 = 0.5;

/// Candidates that resemble a version that was asked about, each by its greatest estimate.
#[derive(Clone, Debug, Default)]
pub(super) struct NearCandidates {
    pub(super) kept: HashMap<DocId, f64>,
    /// Documents of pieces that were left out.
    pub(super) left_out: HashSet<DocId>,
}

impl NearCandidates {
    /// Keeps those of some candidates that are near enough.
    pub(super) fn add<'c>(&mut self, some: impl Iterator<Item = &'c Candidate>, rule: &LinkRule) {
        for candidate in some.filter(|candidate| estimated(candidate) >= NEAR * rule.resemblance) {
            let is_full = self.kept.len() >= MOST_KEPT;
            match self.kept.get_mut(&candidate.document) {
                Some(greatest) => *greatest = greatest.max(estimated(candidate)),
                None if is_full => {}
                None => {
                    self.kept.insert(candidate.document, estimated(candidate));
                }
            }
        }
    }

    /// Takes out the most alike one.
    pub(super) fn next(&mut self) -> Option<DocId> {
        let kept = self
            .kept
            .iter()
            .map(|(document, alike)| (*document, *alike));
        let most = kept.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        self.kept.remove(&most.0);
        Some(most.0)
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
