//! How much two documents share: exact, or estimated from the counts of a candidate.

use simdex_index::{Cancel, Candidate, CountBasis, IndexError};
use simdex_judge::KnownSignals;
use simdex_signature::{
    Estimate, Ratio, Rung, ShingleSet, containment_from_counts, resemblance_from_counts,
};

use super::{FindKind, Relation, RelationThresholds};
use crate::read_side::query::ShingledText;

/// A ratio with the interval it lies in; `None` values if it was not measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct RatioEstimate {
    /// The ratio, exact or estimated.
    pub value: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl From<Option<Estimate>> for RatioEstimate {
    fn from(estimate: Option<Estimate>) -> Self {
        let low = estimate.and_then(|estimate| estimate.low()).map(Ratio::get);
        let high = estimate
            .and_then(|estimate| estimate.high())
            .map(Ratio::get);
        Self {
            value: estimate.map(|estimate| estimate.value.get()),
            low,
            high,
        }
    }
}

impl RatioEstimate {
    const ONE: Self = Self {
        value: Some(1.0),
        low: Some(1.0),
        high: Some(1.0),
    };

    fn without_interval(self) -> Self {
        let value = self.value;
        Self {
            value,
            ..Self::default()
        }
    }

    fn exact(part: u64, whole: u64) -> Self {
        let value = Ratio::of(part, whole).map(Ratio::get);
        Self {
            value,
            low: value,
            high: value,
        }
    }
}

/// How much two documents share: the query and a document, or the two sides of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlap {
    /// |A∩B| / |A∪B|.
    pub resemblance: RatioEstimate,
    /// Containment of the first: its share that is found in the second.
    pub containment_of_first: RatioEstimate,
    /// Containment of the second: its share that is found in the first.
    pub containment_of_second: RatioEstimate,
    /// Shingles in both if verified, otherwise fingerprints in both.
    pub shared: u64,
    /// Whether it was counted on all shingles of both texts.
    pub verified: bool,
}

impl Overlap {
    /// The overlap of two texts with one hash.
    pub const IDENTICAL: Self = Self {
        resemblance: RatioEstimate::ONE,
        containment_of_first: RatioEstimate::ONE,
        containment_of_second: RatioEstimate::ONE,
        shared: 0,
        verified: true,
    };

    /// This overlap where the relation says more than was counted: files of the same bytes share everything.
    pub(super) fn known_from(self, relation: Relation) -> Self {
        match relation {
            Relation::IdenticalBytes if !self.verified => Self {
                shared: self.shared,
                ..Self::IDENTICAL
            },
            _ => self,
        }
    }

    /// What a judgement knows of two canonical texts of these lengths, besides where their files are.
    pub(crate) fn known_signals(&self, lengths: [u64; 2]) -> KnownSignals {
        let value = |measured: RatioEstimate| measured.value.unwrap_or(0.0);
        KnownSignals {
            lengths,
            resemblance: value(self.resemblance),
            containments: [
                value(self.containment_of_first),
                value(self.containment_of_second),
            ],
            ..KnownSignals::default()
        }
    }

    /// The overlap counted on all shingles of the compared parts of both texts. If no shingle is left of either,
    /// texts of one hash are identical, and for others nothing is measured.
    pub(crate) fn of_texts(
        first: &ShingledText,
        second: &ShingledText,
        cancel: &Cancel,
    ) -> Result<Self, IndexError> {
        match first.hash == second.hash && first.shingles.is_empty() {
            true => Ok(Self::IDENTICAL),
            false => Self::exact(&first.shingles, &second.shingles, cancel),
        }
    }

    /// The overlap of a pair that was verified before: its resemblance, then the containment of the first and of
    /// the second.
    pub fn counted([resemblance, containment_of_first, containment_of_second]: [f64; 3]) -> Self {
        let counted = |value| RatioEstimate {
            value: Some(value),
            low: Some(value),
            high: Some(value),
        };
        Self {
            resemblance: counted(resemblance),
            containment_of_first: counted(containment_of_first),
            containment_of_second: counted(containment_of_second),
            shared: 0,
            verified: true,
        }
    }

    /// The overlap counted on all shingles of both texts.
    pub fn exact(
        query: &ShingleSet,
        document: &ShingleSet,
        cancel: &Cancel,
    ) -> Result<Self, IndexError> {
        let shared = query.count_shared(document, || cancel.check())?;
        let (a, b) = (query.len() as u64, document.len() as u64);
        Ok(Self {
            resemblance: RatioEstimate::exact(shared, a + b - shared),
            containment_of_first: RatioEstimate::exact(shared, a),
            containment_of_second: RatioEstimate::exact(shared, b),
            shared,
            verified: true,
        })
    }

    /// The relation of two documents that are not identical; what was not measured counts as 0.
    pub fn relation(&self, thresholds: RelationThresholds) -> Relation {
        let value = |measured: RatioEstimate| measured.value.unwrap_or(0.0);
        let (first_in_second, second_in_first) = (
            value(self.containment_of_first),
            value(self.containment_of_second),
        );
        Relation::of(
            value(self.resemblance),
            first_in_second,
            second_in_first,
            thresholds,
        )
    }

    /// The overlap estimated from the counts of signatures.
    ///
    /// Counts by fixed-size sketches only show that there is something in common: they are counted to bound the
    /// resemblance. Nothing is estimated by super-shingles, nor for a document that was signed again while it was counted.
    pub(in crate::read_side::query) fn estimated(candidate: &Candidate) -> Self {
        match candidate.basis {
            CountBasis::ModSample => {}
            CountBasis::FixedSize { .. } => {
                let shared = candidate.shared;
                return Self {
                    shared,
                    ..Self::default()
                };
            }
            CountBasis::SuperShingles | CountBasis::Unknown => return Self::default(),
        }
        let Candidate {
            rung,
            shared,
            query_fingerprints,
            document_fingerprints,
            ..
        } = *candidate;
        // At rung 0 nothing was sampled: there is no interval for what was left out, and what was counted
        // are chunks or fingerprints, not all shingles. The number then has no interval.
        let is_sample = rung != Rung::ZERO;
        let measured = |estimate: Option<Estimate>| match is_sample {
            true => RatioEstimate::from(estimate),
            false => RatioEstimate::from(estimate).without_interval(),
        };
        Self {
            resemblance: measured(resemblance_from_counts(
                shared,
                query_fingerprints,
                document_fingerprints,
                !is_sample,
            )),
            containment_of_first: measured(containment_from_counts(
                shared,
                query_fingerprints,
                !is_sample,
            )),
            containment_of_second: measured(containment_from_counts(
                shared,
                document_fingerprints,
                !is_sample,
            )),
            shared,
            verified: false,
        }
    }

    /// The number a query is ranked by; for related documents the best of the three.
    pub(in crate::read_side::query) fn ranking_value(&self, kind: FindKind) -> Option<f64> {
        let Self {
            resemblance,
            containment_of_first,
            containment_of_second,
            ..
        } = self;
        match kind {
            FindKind::Similar => resemblance.value,
            FindKind::Containing => containment_of_first.value,
            FindKind::Contained => containment_of_second.value,
            FindKind::Related => {
                let all = [
                    resemblance.value,
                    containment_of_first.value,
                    containment_of_second.value,
                ];
                all.into_iter().flatten().reduce(f64::max)
            }
        }
    }
}
