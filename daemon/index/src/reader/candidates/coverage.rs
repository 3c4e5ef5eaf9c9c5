//! An upper bound of the probability that a document that answers a query is no candidate, computed from what was
//! looked up.
//!
//! By Mod_n a document is compared with the query at one rung. The sampled fingerprints at that rung (the query's, the
//! document's, or those of the union) are the trials, and the number of them in both is binomial, with the sought ratio
//! as its mean share. The document is no candidate if none is in both, or only those in common lists that add no
//! documents. So the probability is that of a lower tail, bounded by Chernoff ([`lower_tail`]). The query's number of
//! fingerprints is known, and so is the smallest number that any document of a rung keeps; never more is assumed than a
//! quarter of the ladder's usual target.
//!
//! The other schemes bound the resemblance alone. Of Min_n the trials are the n smallest fingerprints of the union, and
//! nothing is missed where all of both are looked up. Of Sketch_n see [`SketchLookup`]. Of super-shingles the
//! probability is known, since all groups are looked up and agree independently of each other
//! ([`SuperShingles::missed`]).

use std::collections::BTreeMap;

use simdex_schema::DocumentKind;
use simdex_signature::{Ladder, Ratio, Rung, SketchLookup, SuperShingles, lower_tail};

use super::Counts;
use crate::postings::Tally;
use crate::shared::IndexState;

/// The ratio by which documents are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoughtRatio {
    /// Resemblance of both texts.
    Resemblance,
    /// The share of the query that is in the document.
    ContainmentOfQuery,
    /// The share of the document that is in the query.
    ContainmentInQuery,
}

/// What was looked up of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage(LookedUp);

#[derive(Clone, Debug, PartialEq)]
enum LookedUp {
    /// Samples, for documents of each rung in use.
    Samples(Vec<Sample>),
    MinN {
        n: u64,
        /// Entries of the query: fewer than n if they are all its fingerprints.
        of_query: u64,
        /// Entries whose lists add no documents.
        hidden: u64,
    },
    SketchN {
        lookup: SketchLookup,
        hidden: u64,
    },
    /// This many super-shingles.
    SuperShingles(u64),
}

impl Default for Coverage {
    fn default() -> Self {
        Self(LookedUp::Samples(Vec::new()))
    }
}

/// The fingerprints that are compared at one rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Nothing is left out.
    pub(super) is_whole: bool,
    /// Number of the query's fingerprints.
    pub(super) of_query: u64,
    /// Lower bound of the number of a document's fingerprints.
    pub(super) of_document: u64,
    /// Fingerprints of the query whose lists add no documents.
    pub(super) common_lists_count_only: u64,
}

impl Coverage {
    /// The coverage of a query with this many entries of its n smallest fingerprints. The lists of `hidden` of them add
    /// no documents.
    pub(super) fn of_min_n(n: u64, of_query: u64, hidden: u64) -> Self {
        Self(LookedUp::MinN {
            n,
            of_query,
            hidden,
        })
    }

    /// The coverage of a query signed by Sketch_n, where the lists of `hidden` entries add no documents.
    pub(super) fn of_sketch_n(lookup: SketchLookup, hidden: u64) -> Self {
        Self(LookedUp::SketchN { lookup, hidden })
    }

    /// The coverage of a query with this many super-shingles, all of which were looked up.
    pub(super) fn of_super_shingles(of_query: u64) -> Self {
        Self(LookedUp::SuperShingles(of_query))
    }

    /// The coverage of a query that was looked up at `probed`, for documents of the `rungs` in use.
    pub(super) fn of_rungs(rungs: &[Rung], probed: Rung, sample: impl Fn(Rung) -> Sample) -> Self {
        let at_common = rungs.iter().map(|rung| {
            let of_document = match *rung >= probed {
                true => sample(*rung).of_document,
                // The query was probed at a coarser rung than the document's own, so nothing is known of how many it
                // keeps.
                false => 0,
            };
            Sample {
                of_document,
                ..sample(probed.max(*rung))
            }
        });
        Self(LookedUp::Samples(at_common.collect()))
    }

    /// An upper bound of the probability that a document whose `sought` is exactly `ratio` is no candidate.
    pub fn missed_at_most(&self, sought: SoughtRatio, ratio: Ratio) -> f64 {
        match &self.0 {
            LookedUp::Samples(samples) => {
                let missed = samples.iter();
                let missed = missed.map(|sample| sample.missed_at_most(sought, ratio));
                missed.fold(0.0, f64::max)
            }
            // The share of one text in another bounds no resemblance.
            _ if sought != SoughtRatio::Resemblance => 1.0,
            LookedUp::MinN {
                n,
                of_query,
                hidden,
            } => missed_by_min_n(*n, *of_query, *hidden, ratio),
            LookedUp::SketchN { lookup, hidden } => lookup.missed_at_most(ratio, *hidden),
            LookedUp::SuperShingles(SuperShingles::GROUPS) => SuperShingles::missed(ratio),
            // A text without shingles has none.
            LookedUp::SuperShingles(_) => 1.0,
        }
    }
}

/// Bounds the probability that a document of this resemblance shares no more than `hidden` of the entries of a query.
fn missed_by_min_n(n: u64, of_query: u64, hidden: u64, ratio: Ratio) -> f64 {
    let (has_all, of_query) = (of_query < n, of_query as f64);
    // Of a union of at most n fingerprints all are entries, and at least this share of the query's is in both.
    if has_all && ratio.get() * of_query <= hidden as f64 {
        return 1.0;
    }
    // The union has no more than the query's, divided by the ratio.
    match has_all && of_query <= ratio.get() * n as f64 {
        true => 0.0,
        false => lower_tail(hidden, n, ratio),
    }
}

impl Sample {
    /// An upper bound of the probability that a document of exactly this ratio shares only what adds no documents.
    pub(super) fn missed_at_most(&self, sought: SoughtRatio, ratio: Ratio) -> f64 {
        let trials = match sought {
            // The union is no smaller than either side.
            SoughtRatio::Resemblance => self.of_query.max(self.of_document),
            SoughtRatio::ContainmentOfQuery => self.of_query,
            SoughtRatio::ContainmentInQuery => self.of_document,
        };
        match self.is_whole {
            true if ratio.get() * trials as f64 > self.common_lists_count_only as f64 => 0.0,
            true => 1.0,
            false => lower_tail(self.common_lists_count_only, trials, ratio),
        }
    }
}

/// The rungs of documents, with the smallest number of fingerprints that one of each keeps.
pub(super) struct RungsInUse(BTreeMap<Rung, u64>);

impl RungsInUse {
    pub(super) fn of(state: &IndexState, documents: DocumentKind) -> Self {
        let min_kept = |rung| state.table.min_kept(documents, rung).unwrap_or(0);
        let in_use = state.table.rungs(documents);
        Self(in_use.map(|rung| (rung, min_kept(rung))).collect())
    }

    /// These, together with those in use now.
    pub(super) fn united_with_now(mut self, state: &IndexState, documents: DocumentKind) -> Self {
        for (rung, min_kept) in Self::of(state, documents).0 {
            let known = self.0.entry(rung).or_insert(min_kept);
            *known = min_kept.min(*known);
        }
        self
    }

    pub(super) fn rungs(&self) -> impl Iterator<Item = Rung> + '_ {
        self.0.keys().copied()
    }

    /// What is compared at a rung; common lists have not been read yet.
    pub(super) fn sample(&self, tally: &Tally<'_>, at: Rung, counts: &Counts) -> Sample {
        let is_whole = at == Rung::ZERO;
        let promised = u64::from(Ladder::default().min_kept());
        let min_kept = self
            .0
            .get(&at)
            .map_or(promised, |min_kept| promised.min(*min_kept));
        Sample {
            is_whole,
            of_query: counts[usize::from(at.get())],
            of_document: if is_whole { 1 } else { min_kept },
            common_lists_count_only: tally.common_lists_unread_at(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use simdex_signature::{CanonicalText, ShingleSet, SketchN, Window};

    use super::*;

    fn ratio(value: f64) -> Ratio {
        Ratio::new(value).unwrap()
    }

    /// A query of 6,400 shingles, probed at n = 32.
    fn coverage(rungs: &[u8], common_lists_count_only: u64) -> Coverage {
        let rungs: Vec<Rung> = rungs.iter().map(|rung| Rung::new(*rung).unwrap()).collect();
        Coverage::of_rungs(&rungs, Rung::new(5).unwrap(), |rung| Sample {
            is_whole: rung == Rung::ZERO,
            of_query: 6_400 >> rung.get(),
            of_document: 128,
            common_lists_count_only,
        })
    }

    #[test]
    fn a_document_that_shares_nothing_of_what_was_looked_up_is_missed() {
        let missed = coverage(&[0, 5], 0).missed_at_most(SoughtRatio::Resemblance, ratio(0.1));
        assert!((missed - 0.9_f64.powi(200)).abs() < 1e-12, "{missed}");
        let nothing = coverage(&[5], 0).missed_at_most(SoughtRatio::Resemblance, Ratio::ZERO);
        assert_eq!(nothing, 1.0);
    }

    #[test]
    fn what_contains_the_query_is_held_to_what_it_keeps_of_the_query() {
        let coverage = coverage(&[0, 6], 0);
        let of = |sought| coverage.missed_at_most(sought, ratio(0.05));
        let expected = 0.95_f64.powi(100);
        assert!((of(SoughtRatio::ContainmentOfQuery) - expected).abs() < 1e-12);
        // It keeps 128 fingerprints at its own rung.
        let expected = 0.95_f64.powi(128);
        assert!((of(SoughtRatio::Resemblance) - expected).abs() < 1e-12);
    }

    #[test]
    fn common_lists_that_add_no_documents_hide_them() {
        let of = |common_lists_count_only| {
            coverage(&[5], common_lists_count_only)
                .missed_at_most(SoughtRatio::Resemblance, ratio(0.1))
        };
        assert!(of(0) < of(3) && of(3) < of(6));
        assert_eq!(of(20), 1.0);
    }

    /// A document of resemblance 0.1 with a query of ten has at most 100.
    #[test]
    fn nothing_is_missed_where_the_smallest_are_all_of_both() {
        let of = |of_query, resemblance, hidden| {
            Coverage::of_min_n(512, of_query, hidden)
                .missed_at_most(SoughtRatio::Resemblance, ratio(resemblance))
        };
        assert_eq!((of(10, 0.1, 0), of(511, 1.0, 0)), (0.0, 0.0));
        // With a longer document there are 512 trials.
        for of_query in [10, 511, 512] {
            assert!((of(of_query, 0.01, 0) - 0.99_f64.powi(512)).abs() < 1e-12);
        }
        assert_eq!((of(10, 0.1, 1), of(10, 0.0, 0)), (1.0, 1.0));
        assert!(of(100, 0.1, 3) > of(100, 0.1, 0));
    }

    #[test]
    fn sketches_bound_no_containment() {
        let text = CanonicalText::from_extracted("a short text of some words");
        let shingles = ShingleSet::new(&text, Window::DEFAULT).len() as u64;
        let signature = SketchN::sign(&text, Window::DEFAULT, Rung::new(9).unwrap());
        let of_text = Coverage::of_sketch_n(SketchLookup::new(&signature, shingles), 0);
        for coverage in [of_text, Coverage::of_min_n(512, 7, 0)] {
            let of = |sought| coverage.missed_at_most(sought, ratio(0.5));
            assert!(of(SoughtRatio::Resemblance) < 1e-9);
            assert_eq!(of(SoughtRatio::ContainmentOfQuery), 1.0);
            assert_eq!(of(SoughtRatio::ContainmentInQuery), 1.0);
        }
    }

    #[test]
    fn super_shingles_miss_as_often_as_their_formula_says_and_bound_no_containment() {
        let of = |of_query, sought, value| {
            Coverage::of_super_shingles(of_query).missed_at_most(sought, ratio(value))
        };
        for value in [0.0, 0.5, 0.95, 1.0] {
            let formula = SuperShingles::missed(ratio(value));
            assert_eq!(of(6, SoughtRatio::Resemblance, value), formula);
            assert_eq!(of(0, SoughtRatio::Resemblance, value), 1.0);
            assert_eq!(of(6, SoughtRatio::ContainmentOfQuery, value), 1.0);
        }
    }

    #[test]
    fn nothing_is_missed_where_nothing_is_sampled() {
        let whole = |common_lists_count_only| {
            Coverage::of_rungs(&[Rung::ZERO], Rung::ZERO, |_| Sample {
                is_whole: true,
                of_query: 64,
                of_document: 1,
                common_lists_count_only,
            })
        };
        let of = |common_lists_count_only| {
            whole(common_lists_count_only).missed_at_most(SoughtRatio::Resemblance, ratio(0.05))
        };
        assert_eq!((of(0), of(1), of(4)), (0.0, 0.0, 1.0));
    }
}
