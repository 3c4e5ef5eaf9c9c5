//! Which posting lists of template text may make documents candidates of a query.
//!
//! Such a list makes thousands of documents candidates, each because of one shared fingerprint. It is read for them only
//! if a document that must not be missed could share nothing else with the query.

use std::collections::BTreeSet;

use simdex_signature::{Fingerprint, Ratio, Rung};

use super::coverage::{RungsInUse, Sample, SoughtRatio};
use super::{CandidateKind, Counts};
use crate::postings::Tally;

impl CandidateKind {
    /// The ratio by which documents are searched for, and its minimum; `None` if nothing may be concluded from few
    /// common fingerprints.
    fn sought(self) -> Option<(SoughtRatio, Ratio)> {
        match self {
            Self::Similar(least) => Some((SoughtRatio::Resemblance, least)),
            Self::Containing(least) => Some((SoughtRatio::ContainmentOfQuery, least)),
            Self::Contained => None,
        }
    }
}

/// Common lists may add documents if they are at least 1/`COMMON_LIST_DIVISOR` of the query's fingerprints at some rung:
/// with fewer, a document that only they hold has less than that share of the query.
pub(super) const COMMON_LIST_DIVISOR: u64 = 32;
/// Common lists add no documents either if one of the ratio sought shares nothing but them with at most this
/// probability. It is far below what answers promise, and reading them makes thousands of documents candidates.
const MAX_MISSED_BY_COMMON_LISTS: f64 = 1e-6;

/// The common lists that may add documents: those of every rung at which documents are counted, they are at least
/// 1/[`COMMON_LIST_DIVISOR`] of the fingerprints, and a document may be missed without them. For
/// [`CandidateKind::Contained`] all do, since what the query contains may be small and consist of nothing but common
/// fingerprints.
pub(super) fn significant_common_lists(
    tally: &Tally<'_>,
    kind: CandidateKind,
    in_use: &RungsInUse,
    probed: Rung,
    counts: &Counts,
) -> impl Fn(&Fingerprint) -> bool + use<> {
    let is_significant = |rung: &Rung| {
        let Some((sought, least)) = kind.sought() else {
            return true;
        };
        // What a document keeps is not known of a rung that only the query is probed at.
        let sample = Sample {
            of_document: 0,
            ..in_use.sample(tally, *rung, counts)
        };
        let common = sample.common_lists_count_only * COMMON_LIST_DIVISOR;
        common >= sample.of_query
            && sample.missed_at_most(sought, least) > MAX_MISSED_BY_COMMON_LISTS
    };
    // Documents are counted at the coarser rung of both sides.
    let counted_at: BTreeSet<Rung> = in_use.rungs().map(|own| own.max(probed)).collect();
    let rungs = counted_at.into_iter();
    let rungs = rungs.filter(|rung| tally.common_lists_unread_at(*rung) > 0);
    let rungs: Vec<Rung> = rungs.filter(is_significant).collect();
    move |fingerprint| rungs.iter().any(|rung| fingerprint.divisible_by(*rung))
}
