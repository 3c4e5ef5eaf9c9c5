//! How good a candidate can still be: upper bounds of estimates, and when no more need be verified.

use simdex_index::Candidate;

use super::{FindKind, QueryParams};
use crate::read_side::families::LinkRule;

/// A true ratio lies above its bound with at most this probability.
const MISS_PROBABILITY: f64 = 0.001;

/// Candidates with the upper bound of what is asked, highest first; those that cannot reach the
/// threshold are left out.
pub(super) fn by_upper_bound(found: Vec<Candidate>, params: &QueryParams) -> Vec<(Candidate, f64)> {
    let bounded = found
        .into_iter()
        .map(|candidate| (candidate, upper(&candidate, params)));
    let mut ranked: Vec<_> = bounded
        .filter(|(_, upper)| *upper >= params.threshold)
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.document.cmp(&b.0.document)));
    ranked
}

/// Whether a candidate may be linked to what it shares fingerprints with.
pub(super) fn may_link(candidate: &Candidate, rule: &LinkRule) -> bool {
    let Candidate {
        shared,
        query_fingerprints,
        document_fingerprints,
        ..
    } = *candidate;
    let reaches = |trials: u64, least: f64| bound(shared, trials, candidate) >= least;
    reaches(
        query_fingerprints + document_fingerprints - shared,
        rule.resemblance,
    ) || reaches(
        query_fingerprints.min(document_fingerprints),
        rule.containment,
    )
}

fn upper(candidate: &Candidate, params: &QueryParams) -> f64 {
    let Candidate {
        shared,
        query_fingerprints,
        document_fingerprints,
        ..
    } = *candidate;
    let resemblance = || {
        bound(
            shared,
            query_fingerprints + document_fingerprints - shared,
            candidate,
        )
    };
    let of_query = || bound(shared, query_fingerprints, candidate);
    let in_query = || bound(shared, document_fingerprints, candidate);
    match params.kind {
        FindKind::Similar => resemblance(),
        FindKind::Containing => of_query(),
        FindKind::Contained => in_query(),
        FindKind::Related => resemblance().max(of_query()).max(in_query()),
    }
}

/// Upper Chernoff bound of a ratio of which `trials` samples hold `successes`: the largest t with
/// exp(-trials · KL(successes/trials ‖ t)) ≥ [`MISS_PROBABILITY`]. At rung 0 nothing was sampled.
fn bound(successes: u64, trials: u64, candidate: &Candidate) -> f64 {
    if trials == 0 {
        return 1.0;
    }
    let share = successes as f64 / trials as f64;
    if candidate.rung == simdex_signature::Rung::ZERO {
        return share;
    }
    let slack = -MISS_PROBABILITY.ln() / trials as f64;
    let (mut low, mut high) = (share, 1.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if divergence(share, middle) <= slack {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

/// Kullback-Leibler divergence of two Bernoulli distributions, in nats.
fn divergence(p: f64, q: f64) -> f64 {
    let part = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    part(p, q) + part(1.0 - p, 1.0 - q)
}

/// Tells when no further candidate can be shown: keeps the best values found so far, one more than are shown.
pub(super) struct StopRule {
    values: Vec<f64>,
    limit: usize,
}

impl StopRule {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            values: Vec::new(),
            limit: limit.max(1),
        }
    }

    pub(super) fn add(&mut self, value: f64) {
        let at = self.values.partition_point(|other| *other >= value);
        self.values.insert(at, value);
        // One more than is shown, so that an answer can say that it is cut.
        self.values.truncate(self.limit + 1);
    }

    /// Whether nothing bounded by `upper` can be shown any more.
    pub(super) fn excludes(&self, upper: f64) -> bool {
        self.values.len() > self.limit && self.values.last().is_some_and(|last| upper < *last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_index::View;
    use simdex_schema::DocId;
    use simdex_signature::{Rung, SchemeKind};

    fn candidate(document: u64, rung: u8, shared: u64) -> Candidate {
        let rung = Rung::new(rung).unwrap();
        Candidate {
            document: DocId(document),
            rung,
            shared,
            query_fingerprints: 128,
            document_fingerprints: 128,
        }
    }

    fn params(threshold: f64) -> QueryParams {
        QueryParams {
            kind: FindKind::Similar,
            scheme: SchemeKind::ModN,
            threshold,
            relation_threshold: 0.8,
            limit: 2,
            view: View::All,
        }
    }

    #[test]
    fn a_sampled_candidate_may_be_better_than_it_looks_and_an_exact_one_not() {
        let ranked = by_upper_bound(vec![candidate(1, 0, 64), candidate(2, 3, 64)], &params(0.1));
        assert_eq!(
            ranked.iter().map(|r| r.0.document.0).collect::<Vec<_>>(),
            [2, 1]
        );
        assert!((ranked[1].1 - 64.0 / 192.0).abs() < 1e-12);
        assert!(ranked[0].1 > 0.40 && ranked[0].1 < 0.55, "{}", ranked[0].1);
    }

    #[test]
    fn what_cannot_reach_the_threshold_is_left_out() {
        assert!(by_upper_bound(vec![candidate(1, 2, 20)], &params(0.9)).is_empty());
        assert_eq!(
            by_upper_bound(vec![candidate(1, 2, 120)], &params(0.9)).len(),
            1
        );
    }

    #[test]
    fn the_search_ends_once_nothing_can_displace_what_is_shown() {
        let mut stop = StopRule::new(2);
        [0.9, 0.5, 0.7]
            .into_iter()
            .for_each(|value| stop.add(value));
        assert!(stop.excludes(0.49));
        assert!(!stop.excludes(0.5));
    }
}
