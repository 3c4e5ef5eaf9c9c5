//! Upper bounds of estimates: how good a candidate can still be, and when no more need be verified.

use simdex_index::{Candidate, CountBasis, FoundCandidates, IndexError};
use simdex_signature::{Ratio, SuperShingles};

use super::{FindKind, QueryParams};
use crate::read_side::families::LinkRule;

/// A true ratio lies above its bound with at most this probability. It does not cover documents that are no
/// candidates.
pub(in crate::read_side) const MISS_PROBABILITY: f64 = 0.001;

/// A candidate with the upper bound of the requested ratio.
type Ranked = (Candidate, f64);

/// Candidates that are ranked at a time, before memory is taken for those that are kept.
const AT_ONCE: usize = 4_096;

/// Candidates with the upper bound of the requested ratio, highest first, without those that cannot reach the
/// threshold. The candidates are consumed; the memory of the ranked ones is counted in their place.
pub(super) fn by_upper_bound(
    candidates: &mut FoundCandidates,
    params: &QueryParams,
) -> Result<Vec<Ranked>, IndexError> {
    let (found, mut ranked) = (std::mem::take(&mut candidates.found), Vec::new());
    // With spare capacity.
    let bytes = |ranked: usize| (2 * ranked * size_of::<Ranked>()) as u64;
    for some in found.chunks(AT_ONCE) {
        let before = ranked.len();
        let bounded = some.iter().map(|found| (*found, upper(found, params)));
        ranked.extend(bounded.filter(|(_, upper)| *upper >= params.threshold));
        if let Some(held) = &mut candidates.held {
            held.add(bytes(ranked.len() - before))?;
        }
    }
    drop(found);
    if let Some(held) = &mut candidates.held {
        held.shrink_to(bytes(ranked.len()));
    }
    ranked.sort_unstable_by(|a: &Ranked, b: &Ranked| {
        b.1.total_cmp(&a.1).then(a.0.document.cmp(&b.0.document))
    });
    Ok(ranked)
}

/// Whether a candidate may be linked to the version that it shares fingerprints with.
pub(super) fn may_link(candidate: &Candidate, rule: &LinkRule) -> bool {
    let shorter = candidate
        .query_fingerprints
        .min(candidate.document_fingerprints);
    resemblance(candidate) >= rule.resemblance
        || containment(candidate, shorter) >= rule.containment
}

fn upper(candidate: &Candidate, params: &QueryParams) -> f64 {
    let of_query = || containment(candidate, candidate.query_fingerprints);
    let in_query = || containment(candidate, candidate.document_fingerprints);
    match params.kind {
        FindKind::Similar => resemblance(candidate),
        FindKind::Containing => of_query(),
        FindKind::Contained => in_query(),
        FindKind::Related => resemblance(candidate).max(of_query()).max(in_query()),
    }
}

fn resemblance(candidate: &Candidate) -> f64 {
    let bound = bound(candidate.shared, candidate.trials(), candidate);
    match candidate.basis {
        // It is of the probability that a group agrees.
        CountBasis::SuperShingles => Ratio::new(bound).map_or(1.0, SuperShingles::resemblance),
        _ => bound,
    }
}

/// Bounds the containment of the text for which this many fingerprints were counted.
fn containment(candidate: &Candidate, fingerprints: u64) -> f64 {
    match candidate.basis {
        CountBasis::ModSample | CountBasis::Unknown => {
            bound(candidate.shared, fingerprints, candidate)
        }
        // Fixed-size sketches and super-shingles say nothing about the lengths of texts.
        CountBasis::FixedSize { .. } | CountBasis::SuperShingles => 1.0,
    }
}

/// Upper Chernoff bound of a ratio if `successes` of `trials` samples are positive: the largest t with exp(-trials
/// · KL(successes/trials ‖ t)) ≥ [`MISS_PROBABILITY`]. It holds for samples with and without replacement (Hoeffding
/// 1963, Theorems 1 and 4), and falls with the trials, so that too few are on the safe side. If every shingle was
/// counted, nothing was sampled.
fn bound(successes: u64, trials: u64, candidate: &Candidate) -> f64 {
    if trials == 0 {
        return 1.0;
    }
    let share = successes as f64 / trials as f64;
    if candidate.is_whole() {
        return share;
    }
    largest_within(-MISS_PROBABILITY.ln() / trials as f64, share)
}

/// The largest t above p with KL(p ‖ t) ≤ slack, the divergence of two Bernoulli distributions in nats.
///
/// Found by Newton's method, from a start that is no less. The divergence is convex and rises above p, so no step passes
/// the root: the result is on the safe side but for rounding. Five steps suffice where a bisection takes forty, for
/// thousands of candidates of a query.
fn largest_within(slack: f64, p: f64) -> f64 {
    let mut t = not_below_largest(slack, p);
    if t >= 1.0 {
        return 1.0;
    }
    let own = x_ln_x(p) + x_ln_x(1.0 - p);
    for _ in 0..MAX_STEPS {
        let excess = own - p * t.ln() - (1.0 - p) * (1.0 - t).ln() - slack;
        let next = t - excess / ((1.0 - p) / (1.0 - t) - p / t);
        // A step that is no number is none down.
        let is_down = next < t;
        if excess <= ROUNDING || !is_down {
            break;
        }
        t = next;
    }
    t
}

/// Steps of Newton's method, at most.
const MAX_STEPS: usize = 40;
/// What a divergence may be off by.
const ROUNDING: f64 = 1e-13;

/// An upper bound of [`largest_within`].
fn not_below_largest(slack: f64, p: f64) -> f64 {
    // KL(p ‖ t) ≥ (t - p)² / 2t, as in Chernoff's bound of the lower tail.
    let near = p + slack + (slack * slack + 2.0 * p * slack).sqrt();
    // KL(p ‖ t) ≥ (1 - p) ln((1 - p) / (1 - t)) + p ln p, since t is 1 at most.
    let far = 1.0 - (1.0 - p) * (-(slack - x_ln_x(p)) / (1.0 - p)).exp();
    // Not a number where p is 1.
    if far < near { far } else { near }
}

fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// Decides when no further candidate can be shown: keeps the best values of documents found so far, one more than files
/// are shown.
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
        // One more than is shown, so that an answer can say that it is truncated.
        self.values.truncate(self.limit + 1);
    }

    /// How many documents are at least this good; counted up to one more than files are shown.
    pub(super) fn as_good(&self, value: f64) -> usize {
        self.values.partition_point(|other| *other >= value)
    }

    /// Whether no candidate bounded by `upper` can be shown any more.
    pub(super) fn excludes(&self, upper: f64) -> bool {
        self.values.len() > self.limit && self.values.last().is_some_and(|last| upper < *last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    use simdex_index::{Cancel, GrowingPermit, MemoryBudget, VisibleRoots};
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
            basis: CountBasis::ModSample,
        }
    }

    #[test]
    fn entries_of_fixed_size_bound_the_resemblance_and_no_containment() {
        let of = |trials, is_whole| Candidate {
            basis: CountBasis::FixedSize { trials, is_whole },
            ..candidate(1, 7, 96)
        };
        assert!((resemblance(&of(160, true)) - 0.6).abs() < 1e-12);
        let sampled = resemblance(&of(128, false));
        assert!(sampled > 0.75 && sampled < 0.9, "{sampled}");
        assert!(
            resemblance(&of(100, false)) > sampled,
            "fewer trials tell less"
        );
        assert_eq!(containment(&of(128, false), 128), 1.0);
    }

    /// Draws how many groups of a pair agree.
    #[test]
    fn groups_that_agree_bound_the_resemblance_as_seldom_wrongly_as_is_promised() {
        let of = |shared| Candidate {
            basis: CountBasis::SuperShingles,
            ..candidate(1, 0, shared)
        };
        assert_eq!(resemblance(&of(6)), 1.0);
        let bounds = [2, 3, 4, 5].map(|shared| resemblance(&of(shared)));
        assert!(bounds.is_sorted() && bounds[0] > 0.99 && bounds[3] < 1.0);
        assert_eq!(containment(&of(2), 6), 1.0);
        let mut seed = 7;
        for truth in [0.95, 0.993, 0.996, 0.999] {
            let group = SuperShingles::agreeing(Ratio::new(truth).unwrap());
            let agrees = |seed: &mut u64| drawn(seed) as f64 <= group * u64::MAX as f64;
            let rounds = 20_000;
            let above = (0..rounds).filter(|_| {
                let shared = (0..6).filter(|_| agrees(&mut seed)).count();
                resemblance(&of(shared as u64)) < truth
            });
            let above = above.count();
            assert!(
                above as f64 <= f64::from(rounds) * MISS_PROBABILITY,
                "{above} of {truth}"
            );
        }
    }

    fn params(threshold: f64) -> QueryParams {
        QueryParams {
            kind: FindKind::Similar,
            scheme: SchemeKind::ModN,
            threshold,
            relation_threshold: 0.8,
            containment_threshold: 0.8,
            limit: 2,
            view: VisibleRoots::All,
            judged_by: None,
        }
    }

    /// Ranks these candidates, and checks that they are counted while they are held.
    fn ranked(found: Vec<Candidate>, params: &QueryParams) -> Vec<Ranked> {
        let account = MemoryBudget::new(1 << 20).account(&Cancel::never());
        let mut candidates = FoundCandidates {
            found,
            held: Some(GrowingPermit::of(&account)),
            ..FoundCandidates::default()
        };
        let ranked = by_upper_bound(&mut candidates, params).unwrap();
        let bytes = candidates.held.unwrap().bytes();
        assert_eq!(bytes, 2 * size_of_val(&ranked[..]) as u64);
        ranked
    }

    #[test]
    fn a_sampled_candidate_may_be_better_than_it_looks_and_an_exact_one_not() {
        let ranked = ranked(vec![candidate(1, 0, 64), candidate(2, 3, 64)], &params(0.1));
        assert_eq!(
            ranked.iter().map(|r| r.0.document.0).collect::<Vec<_>>(),
            [2, 1]
        );
        assert!((ranked[1].1 - 64.0 / 192.0).abs() < 1e-12);
        assert!(ranked[0].1 > 0.40 && ranked[0].1 < 0.55, "{}", ranked[0].1);
    }

    /// Pseudorandom numbers, identical on every machine.
    fn drawn(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// The candidate that an index would count for sets with these sizes and this many common numbers, by their n
    /// smallest or the smallest of each of n bins.
    fn counted(seed: &mut u64, own: [usize; 2], common: usize, n: u64, by_bin: bool) -> Candidate {
        let common: Vec<u64> = (0..common).map(|_| drawn(seed)).collect();
        let [a, b] = own.map(|own| {
            let all = common.iter().copied().chain((0..own).map(|_| drawn(seed)));
            let all: BTreeSet<u64> = all.collect();
            let mut bins = BTreeMap::new();
            let kept = all
                .into_iter()
                .enumerate()
                .filter(|(at, number)| match by_bin {
                    true => bins.insert(number / (u64::MAX / n), ()).is_none(),
                    false => *at < n as usize,
                });
            kept.map(|(_, number)| number).collect::<BTreeSet<u64>>()
        });
        let (of_a, of_b, shared) = (a.len(), b.len(), a.intersection(&b).count());
        let is_whole = !by_bin && of_a < n as usize && of_b < n as usize;
        let trials = match (by_bin, is_whole) {
            (true, _) => of_a.max(of_b),
            (false, true) => of_a + of_b - shared,
            (false, false) => n as usize,
        };
        Candidate {
            basis: CountBasis::FixedSize {
                trials: trials as u64,
                is_whole,
            },
            ..candidate(1, 5, shared as u64)
        }
    }

    /// The worst case: the resemblance equals the threshold.
    #[test]
    fn a_pair_lies_above_its_bound_as_seldom_as_is_promised() {
        let mut seed = 5;
        for (own, common) in [
            ([300, 300], 400),
            ([20, 30], 450),
            ([400, 0], 100),
            ([9, 9], 12),
            ([0, 200], 20),
        ] {
            let truth = common as f64 / (common + own[0] + own[1]) as f64;
            for by_bin in [false, true] {
                let rounds = 2_000;
                let above = (0..rounds).filter(|_| {
                    let counted = counted(&mut seed, own, common, 64, by_bin);
                    resemblance(&counted) < truth - 1e-12
                });
                let above = above.count();
                assert!(
                    above as f64 <= rounds as f64 * MISS_PROBABILITY,
                    "{above} of {own:?}"
                );
            }
        }
    }

    /// The twin of [`largest_within`], by bisection.
    fn bisected(slack: f64, p: f64) -> f64 {
        let part = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
        let (mut low, mut high) = (p, 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            match part(p, middle) + part(1.0 - p, 1.0 - middle) <= slack {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }

    #[test]
    fn the_bound_is_that_of_a_bisection() {
        for trials in [1, 2, 5, 40, 128, 511, 100_000] {
            let slack = -MISS_PROBABILITY.ln() / f64::from(trials);
            for at in 0..=200.min(trials) {
                let p = f64::from(at) / f64::from(200.min(trials));
                let (found, twin) = (largest_within(slack, p), bisected(slack, p));
                assert!(
                    (found - twin).abs() < 1e-9,
                    "{found} {twin}: {p} of {trials}"
                );
                assert!(found <= 1.0 && not_below_largest(slack, p) >= twin - 1e-12);
            }
        }
    }

    #[test]
    fn what_cannot_reach_the_threshold_is_left_out() {
        assert!(ranked(vec![candidate(1, 2, 20)], &params(0.9)).is_empty());
        assert_eq!(ranked(vec![candidate(1, 2, 120)], &params(0.9)).len(), 1);
    }

    #[test]
    fn the_search_ends_once_nothing_can_displace_what_is_shown() {
        let mut stop = StopRule::new(2);
        [0.9, 0.5, 0.7]
            .into_iter()
            .for_each(|value| stop.add(value));
        assert_eq!([0.9, 0.8, 0.5].map(|value| stop.as_good(value)), [1, 1, 3]);
        assert!(stop.excludes(0.49));
        assert!(!stop.excludes(0.5));
    }
}
