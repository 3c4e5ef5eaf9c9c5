//! What an answer promises: the probability that it lacks a document that reaches the threshold.
//!
//! Such a document is missed if it is no candidate ([`Coverage`]), or if its bound lies below the threshold
//! ([`MISS_PROBABILITY`]). Both happen to a document that shares too few of the compared fingerprints: of two lower
//! tails of one count the greater contains the other, so that the probability of either is the greater one.

use simdex_index::{Coverage, SoughtRatio};
use simdex_proto::promise::{NoPromise, Promise};
use simdex_signature::{Ratio, SchemeKind};

use super::bound::MISS_PROBABILITY;
use super::{ComparedBy, FindKind, QueryParams};

/// The promise of an answer that left this many candidates unverified.
pub(super) fn promise(
    params: &QueryParams,
    compared_by: ComparedBy,
    coverage: &Coverage,
    unverified: u64,
) -> Promise {
    let none = match compared_by {
        ComparedBy::Nothing | ComparedBy::WholeText | ComparedBy::WholeBytes => {
            Some(NoPromise::NothingCompared)
        }
        ComparedBy::RawBytes | ComparedBy::Signature => Some(NoPromise::Estimates),
        ComparedBy::Text if unverified > 0 => Some(NoPromise::Unverified),
        ComparedBy::Text => None,
    };
    let scheme = match compared_by {
        ComparedBy::RawBytes => SchemeKind::Chunks.name(),
        // Found by a hash: no signature was looked up.
        ComparedBy::Nothing | ComparedBy::WholeText | ComparedBy::WholeBytes => "",
        ComparedBy::Text | ComparedBy::Signature => params.scheme.name(),
    };
    match none {
        Some(why) => Promise::nothing(scheme, params.threshold, why),
        None => Promise::new(scheme, params.threshold, missed_at_most(params, coverage)),
    }
}

fn missed_at_most(params: &QueryParams, coverage: &Coverage) -> f64 {
    let Some(threshold) = Ratio::new(params.threshold) else {
        return 1.0;
    };
    let sought = match params.kind {
        FindKind::Similar => &[SoughtRatio::Resemblance][..],
        FindKind::Containing => &[SoughtRatio::ContainmentOfQuery],
        FindKind::Contained => &[SoughtRatio::ContainmentInQuery],
        FindKind::Related => &[
            SoughtRatio::Resemblance,
            SoughtRatio::ContainmentOfQuery,
            SoughtRatio::ContainmentInQuery,
        ],
    };
    let missed = sought.iter();
    let missed = missed.map(|sought| coverage.missed_at_most(*sought, threshold));
    missed.fold(MISS_PROBABILITY, f64::max)
}

#[cfg(test)]
mod tests {
    use simdex_index::{Cancel, IndexReader};
    use simdex_schema::Schemes;
    use simdex_schema::meta::Parameters;
    use simdex_signature::{CanonicalText, ShingleSet};

    use super::*;
    use crate::config::Config;
    use crate::read_side::query::tests::{index_of, opened_with, similar, words};
    use crate::read_side::query::{Answer, Subject, find};

    fn containing(threshold: f64) -> QueryParams {
        QueryParams {
            kind: FindKind::Containing,
            ..similar(SchemeKind::ModN, threshold)
        }
    }

    fn answer(index: &IndexReader, text: &str, params: &QueryParams) -> Answer {
        let never = Cancel::never();
        let account = index.memory().requests.account(&never);
        let subject = Subject::from_text(index, text.to_owned(), &account).unwrap();
        find(index, &subject, params, &never).unwrap()
    }

    /// The worst case: a long document that keeps few fingerprints of the query, and whose containment of the
    /// query equals the threshold.
    #[test]
    fn a_document_at_the_threshold_is_missed_as_seldom_as_is_promised() {
        let mut seed = 23;
        let long: Vec<_> = (0..8).map(|_| words(&mut seed, 4_000)).collect();
        let texts: Vec<_> = long.iter().map(|text| text.join(" ")).collect();
        let (index, _dir) = index_of(&texts);
        let set =
            |text: &str| ShingleSet::new(&CanonicalText::from_extracted(text), index.window());
        let (mut missed, mut promised, mut promises) = (0.0, 0.0, 0);
        for (at, text) in (0..240).map(|at| (at, &long[at % long.len()])) {
            let from = at * 16;
            let mut query = text[from..][..40].to_vec();
            query.extend(words(&mut seed, 20));
            let (query, whole) = (query.join(" "), set(&texts[at % long.len()]));
            let threshold = set(&query).containment_in(&whole).unwrap().get();
            let answer = answer(&index, &query, &containing(threshold));
            missed += f64::from(answer.hits.is_empty());
            promised += answer.summary.promise.missed_at_most.unwrap_or(1.0);
            promises += usize::from(answer.summary.promise.missed_at_most.is_some());
        }
        assert!(
            missed >= 1.0 && promises > 200,
            "{missed} missed, {promises} promises"
        );
        // No more than chance allows.
        assert!(
            missed <= promised + 2.0 * promised.sqrt(),
            "{missed} missed, {promised} promised"
        );
    }

    /// Of few shingles nearly all are entries, in both texts.
    #[test]
    fn short_texts_are_found_by_sketches_as_surely_as_long_ones() {
        let mut seed = 31;
        let texts = [6, 4, 40, 3_000].map(|length| words(&mut seed, length).join(" "));
        let parameters = Parameters {
            schemes: Schemes::of(&[SchemeKind::MinN, SchemeKind::SketchN]),
            ..Config::default().parameters()
        };
        let (opened, _dir) = opened_with(&texts, parameters);
        for scheme in [SchemeKind::MinN, SchemeKind::SketchN] {
            for (text, threshold) in texts.iter().zip([0.1, 0.6, 0.8, 0.9]) {
                let answer = answer(opened.index.reader(), text, &similar(scheme, threshold));
                let usual = Promise::new(scheme.name(), threshold, MISS_PROBABILITY);
                assert_eq!((answer.hits.len(), answer.summary.promise), (1, usual));
            }
        }
    }

    #[test]
    fn an_answer_promises_as_much_as_was_compared() {
        let mut seed = 29;
        let texts: Vec<_> = (0..3).map(|_| words(&mut seed, 3_000).join(" ")).collect();
        let (index, _dir) = index_of(&texts);
        let of = |threshold| {
            let params = similar(SchemeKind::BswN, threshold);
            answer(&index, &texts[0], &params).summary.promise
        };
        let usual = Promise::new("bsw_n", 0.1, MISS_PROBABILITY);
        assert_eq!(of(0.1), usual);
        assert!(of(0.01).missed_at_most.is_some_and(|missed| missed > 0.01));
        assert_eq!(of(0.0).none, Some(NoPromise::NoneShared));
        // A long document may keep nothing of a word or two.
        let short = answer(&index, "one short text of a line", &containing(0.5))
            .summary
            .promise;
        assert_eq!(short, Promise::nothing("mod_n", 0.5, NoPromise::NoneShared));
    }

    #[test]
    fn estimates_and_answers_that_were_cut_short_promise_nothing() {
        let params = similar(SchemeKind::ModN, 0.5);
        let of =
            |compared, unverified| promise(&params, compared, &Coverage::default(), unverified);
        for (compared, unverified, scheme, why) in [
            (ComparedBy::RawBytes, 0, "chunks", NoPromise::Estimates),
            (ComparedBy::Signature, 0, "mod_n", NoPromise::Estimates),
            (ComparedBy::Text, 1, "mod_n", NoPromise::Unverified),
            (ComparedBy::Nothing, 0, "", NoPromise::NothingCompared),
            (ComparedBy::WholeText, 0, "", NoPromise::NothingCompared),
            (ComparedBy::WholeBytes, 0, "", NoPromise::NothingCompared),
        ] {
            let nothing = Promise::nothing(scheme, 0.5, why);
            assert_eq!(of(compared, unverified), nothing);
        }
        assert_eq!(
            of(ComparedBy::Text, 0).missed_at_most,
            Some(MISS_PROBABILITY)
        );
    }
}
