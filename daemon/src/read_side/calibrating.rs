//! Calibration: how coarsely this index's own documents of each size may be sampled.
//!
//! Documents are sampled by their hash, so that the sample is the same whatever order files came in. Sampling ends
//! once both halves have [`enough_pairs`] for the required precision, and several size groups: where families are small, that takes more documents. For
//! each, its pairs with the index's candidates are counted on all shingles of both texts. One bit of the
//! hash divides all documents into two halves: the setting is chosen on pairs within one half and checked
//! on pairs within the other, so that no document of the check was used in the choice. What is measured and
//! how a setting is chosen is described in [`simdex_signature::calibration`].
//!
//! If a document has more candidates than [`PARTNERS`], some of them are taken, each weighted for those that were left
//! out; candidates that may be similar and the others are handled separately. Candidates are those of a query: a pair
//! that shares less than a twentieth is seldom among them, and texts too long to be listed are not compared.

use std::collections::BTreeMap;

use simdex_index::{
    Candidate, CandidateKind, DocumentStats, Fingerprints, HeldShingles, IndexError, IndexReader,
    MemoryAccount, QueryFingerprints, VisibleRoots,
};
use simdex_proto::completeness::{Completeness, Pending};
use simdex_proto::text::counted;
use simdex_schema::{DocId, DocumentHash};
use simdex_signature::calibration::{
    Calibration, MIN_PAIRS, Measurements, PairTrials, Quality, Sizes, TooFewPairs, enough_pairs,
};
use simdex_signature::{Ratio, Rung, SchemeKind};
use thiserror::Error;

mod effects;
mod widths;

pub use effects::{GroupEffects, SizeEffect, false_match_rate, shortest_excerpt};
pub use widths::{EstimateWidth, estimate_widths};

use self::effects::{FingerprintForecast, HeldPostings};
use crate::engine::{CompletenessCheck, Engine, Incomplete};

/// Documents that are sampled at least, if there are so many, in both halves together.
const SAMPLED: usize = 1_024;
/// Documents that are sampled at most.
const SAMPLED_AT_MOST: usize = 8_192;
/// Partners of a document that are counted, separately for those that may be similar and for the others.
const PARTNERS: usize = 64;

/// The least threshold of a calibration: a pair that shares less is seldom among the candidates.
pub const MIN_THRESHOLD: Ratio = Ratio::TWENTIETH;

/// Parameters of a calibration.
#[derive(Clone, Debug)]
pub struct CalibrationRequest {
    /// The share of pairs found by sampling that must be similar, without verification.
    pub precision: Ratio,
    /// The resemblance from which a pair is similar.
    pub threshold: Ratio,
    /// The roots whose documents are considered.
    pub view: VisibleRoots,
    /// Refuse a calibration on an index that is not complete.
    pub strict: bool,
}

/// A setting with the evidence for it.
pub struct Calibrated {
    /// The setting, by size.
    pub calibration: Calibration,
    /// Its quality on the pairs it was chosen on.
    pub predicted: Quality,
    /// Its quality on pairs of other documents.
    pub checked: Quality,
    /// The number of similar pairs it was chosen on, and of those it was checked on.
    pub pairs: [u64; 2],
    /// Documents that were sampled.
    pub sampled: u64,
    /// Mod_n fingerprints that the index would keep of all these documents, approximately.
    pub kept_then: u64,
    /// Those that it keeps now.
    pub kept_now: u64,
    /// The precision that was asked for.
    pub required_precision: Ratio,
    /// The resemblance from which a pair is similar.
    pub threshold: Ratio,
    /// The effect of the setting on the size of the index.
    pub size: SizeEffect,
    /// The effect on each group, in their order.
    pub groups: Vec<GroupEffects>,
    /// Upper bound of the probability that a fingerprint that no document holds is found in the index.
    pub false_match_rate: f64,
    /// Completeness of the index at the time of the request.
    pub completeness: Completeness,
}

/// A calibration that cannot be made.
#[derive(Debug, Error)]
pub enum CalibrationError {
    /// The collection is too small.
    #[error("too few similar pairs among {} ({sampled} sampled) to calibrate on: {few}{}", counted(*.documents, "document"), Incomplete::clause(.pending.as_deref()))]
    TooFew {
        /// Documents with text.
        documents: u64,
        /// Documents whose pairs were measured.
        sampled: u64,
        /// What is missing.
        few: TooFewPairs,
        /// What keeps the index from being complete, if anything does: more documents are to come.
        pending: Option<Box<Pending>>,
    },
    /// The index is being changed in a way that allows no answer.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl CalibrationError {
    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::TooFew { .. } => Some(
                "name more roots, a lower threshold or a lower precision; otherwise the index's n stays in force",
            ),
            Self::Incomplete(_) => None,
            Self::Index(error) => error.advice(),
        }
    }
}

/// Chooses a setting for the documents of a view and checks it.
pub fn calibrate(
    engine: &Engine,
    request: &CalibrationRequest,
    account: &MemoryAccount,
) -> Result<Calibrated, CalibrationError> {
    let check = CompletenessCheck::begin(engine, &request.view, request.strict)?;
    let index = engine.index.reader();
    let collection = Collection::of(index, request, account)?;
    let (sampled, [learned, others]) = measure(index, &collection.sampled, request, account)?;
    let too_few = |few| CalibrationError::TooFew {
        documents: collection.documents,
        sampled,
        few,
        pending: check.completeness().pending.map(Box::new),
    };
    let calibration =
        Calibration::new(request.precision, &collection.sizes, &learned).map_err(too_few)?;
    if others.pairs() < MIN_PAIRS {
        let pairs = others.pairs();
        let least = MIN_PAIRS;
        return Err(too_few(TooFewPairs { pairs, least }));
    }
    let would_keep = would_keep(index, &calibration, request, account)?;
    let kept_then = would_keep.mod_n();
    Ok(Calibrated {
        size: collection
            .held
            .size(&engine.index, kept_then, account.cancel())?,
        groups: would_keep.effects(&calibration.groups, index.window(), request.threshold),
        false_match_rate: false_match_rate(&engine.index),
        predicted: calibration.quality(index.ladder(), &learned),
        checked: calibration.quality(index.ladder(), &others),
        pairs: [learned.pairs(), others.pairs()],
        sampled,
        kept_then,
        kept_now: collection.held.mod_n(),
        required_precision: request.precision,
        threshold: request.threshold,
        calibration,
        completeness: check.verdict()?,
    })
}

/// The documents of a view.
struct Collection {
    sizes: Sizes,
    documents: u64,
    held: HeldPostings,
    /// Documents that may be sampled, by the number that orders samples.
    sampled: BTreeMap<u64, DocId>,
}

impl Collection {
    fn of(
        index: &IndexReader,
        request: &CalibrationRequest,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let mut collection = Self {
            sizes: Sizes::default(),
            documents: 0,
            held: HeldPostings::default(),
            sampled: BTreeMap::new(),
        };
        visit_documents(index, request, account, &mut |id, stats| {
            collection.documents += 1;
            collection.sizes.add(stats.length);
            collection.held.add(stats);
            collection.sampled.insert(order(stats.hash), id);
            if collection.sampled.len() > SAMPLED_AT_MOST {
                collection.sampled.pop_last();
            }
        })?;
        Ok(collection)
    }
}

/// What the documents of a view would keep under a recommended setting.
fn would_keep(
    index: &IndexReader,
    calibration: &Calibration,
    request: &CalibrationRequest,
    account: &MemoryAccount,
) -> Result<FingerprintForecast, IndexError> {
    let mut would_keep = FingerprintForecast::new(index, calibration);
    visit_documents(index, request, account, &mut |_, stats| {
        would_keep.add(stats);
    })?;
    Ok(would_keep)
}

/// Visits the documents of a view that have text.
fn visit_documents(
    index: &IndexReader,
    request: &CalibrationRequest,
    account: &MemoryAccount,
    each: &mut dyn FnMut(DocId, &DocumentStats),
) -> Result<(), IndexError> {
    let search = index.pairs().search(&request.view, request.threshold);
    for id in search.documents() {
        account.cancel().check()?;
        if let Some(stats) = index.documents().stats(id) {
            each(id, &stats);
        }
    }
    Ok(())
}

/// The number by which documents are sampled; its last bit decides their half.
fn order(hash: DocumentHash) -> u64 {
    let first = hash.0.first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(first)
}

fn half(order: u64) -> usize {
    (order & 1) as usize
}

/// Measures the pairs of as many documents as necessary, separately in each half; returns how many these are, too.
fn measure(
    index: &IndexReader,
    sampled: &BTreeMap<u64, DocId>,
    request: &CalibrationRequest,
    account: &MemoryAccount,
) -> Result<(u64, [Measurements; 2]), IndexError> {
    let mut halves = [Measurements::default(), Measurements::default()];
    let mut measured = 0;
    for (&own, &id) in sampled {
        account.cancel().check()?;
        if is_enough(measured, &halves, request.precision) {
            break;
        }
        measured += 1;
        let Some(set) = index.shingles().if_readable(id, account)? else {
            continue;
        };
        let query = QueryFingerprints {
            scheme: SchemeKind::ModN,
            fingerprints: Fingerprints::All(&set),
            rung: Rung::ZERO,
        };
        // Pairs below the threshold count too: those that only seem similar.
        let kind = CandidateKind::Similar(Ratio::ZERO);
        let candidates = index
            .candidates()
            .by_samples(query, kind, &request.view, account)?;
        let strata = strata(index, &candidates.found, own, request.threshold);
        for stratum in strata {
            let weight = stratum.weight();
            for partner in stratum.taken.into_values() {
                account.cancel().check()?;
                let pair = trials(index, id, &set, partner, request.threshold, account)?;
                let half = &mut halves[half(own)];
                pair.iter().for_each(|pair| half.add(pair, weight));
            }
        }
    }
    Ok((measured, halves))
}

/// Whether no more documents need to be sampled.
fn is_enough(sampled: u64, halves: &[Measurements; 2], precision: Ratio) -> bool {
    let enough = enough_pairs(precision);
    sampled >= SAMPLED as u64 && halves.iter().all(|half| half.pairs() >= enough)
}

/// Candidates of one kind.
#[derive(Default)]
struct Stratum {
    /// The number of all of them.
    count: u64,
    /// Those that are compared, in the order of samples.
    taken: BTreeMap<u64, DocId>,
}

impl Stratum {
    fn add(&mut self, order: u64, id: DocId) {
        self.count += 1;
        self.taken.insert(order, id);
        if self.taken.len() > PARTNERS {
            self.taken.pop_last();
        }
    }

    /// How many of all candidates each compared one stands for.
    fn weight(&self) -> f64 {
        self.count as f64 / self.taken.len().max(1) as f64
    }
}

/// The candidates within a document's own half: those that may be similar, and the others. A pair is counted for the
/// first of its documents only, which is sampled if the other one is.
fn strata(index: &IndexReader, found: &[Candidate], own: u64, threshold: Ratio) -> [Stratum; 2] {
    let mut strata = [Stratum::default(), Stratum::default()];
    for candidate in found {
        let Some(stats) = index.documents().stats(candidate.document) else {
            continue;
        };
        let order = order(stats.hash);
        if order > own && half(order) == half(own) {
            let union =
                candidate.query_fingerprints + candidate.document_fingerprints - candidate.shared;
            let is_far = (candidate.shared as f64) < union as f64 * threshold.get() / 2.0;
            strata[usize::from(is_far)].add(order, candidate.document);
        }
    }
    strata
}

/// The trials from the samples of two documents; `None` if one is gone, damaged or too long to be listed.
fn trials(
    index: &IndexReader,
    id: DocId,
    set: &HeldShingles,
    partner: DocId,
    threshold: Ratio,
    account: &MemoryAccount,
) -> Result<Option<PairTrials>, IndexError> {
    let Some(other) = index.shingles().if_readable(partner, account)? else {
        return Ok(None);
    };
    let length = |id| index.documents().stats(id).map_or(0, |stats| stats.length);
    let longer = length(id).max(length(partner));
    let lists = set.as_list().zip(other.as_list());
    Ok(lists.map(|(a, b)| PairTrials::of(a, b, longer, threshold)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group takes four times the least number of pairs, which is 736 for 0.995.
    #[test]
    fn documents_are_sampled_until_several_groups_have_their_pairs() {
        let pair = PairTrials {
            longer: 1_000,
            is_similar: true,
            found: [1.0; simdex_signature::calibration::STEPS],
        };
        let sampled = SAMPLED as u64;
        for (precision, groups) in [(0.8, 16 * 30), (0.95, 16 * 72), (0.995, 16 * 736)] {
            let precision = Ratio::new(precision).unwrap();
            let mut halves = [Measurements::default(), Measurements::default()];
            for _ in 1..groups {
                halves.iter_mut().for_each(|half| half.add(&pair, 1.0));
            }
            assert!(!is_enough(sampled, &halves, precision), "{groups}");
            halves[0].add(&pair, 1.0);
            assert!(!is_enough(sampled, &halves, precision), "{groups}");
            halves[1].add(&pair, 1.0);
            assert!(is_enough(sampled, &halves, precision), "{groups}");
            assert!(!is_enough(sampled - 1, &halves, precision), "{groups}");
        }
    }

    #[test]
    fn of_many_candidates_the_first_are_taken_and_stand_for_all() {
        let mut stratum = Stratum::default();
        assert_eq!(stratum.weight(), 0.0);
        for at in (0..10 * PARTNERS as u64).rev() {
            stratum.add(at, DocId(at));
        }
        assert!(stratum.taken.keys().copied().eq(0..PARTNERS as u64));
        assert_eq!(stratum.weight(), 10.0);
    }
}
