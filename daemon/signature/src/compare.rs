//! Estimates of resemblance and containment from signatures, and how far they can be trusted.
//!
//! Under Mod_n each shingle of A ∪ B is sampled independently of whether it is shared, so of u
//! sampled shingles of the union the shared ones follow Binomial(u, resemblance); of the p sampled
//! shingles of A, Binomial(p, containment of A in B). The interval is Clopper and Pearson's
//! (1934), exact at any count; Wald's fails near 0 and 1, where near-duplicates live.

use std::cmp::Ordering;

use statrs::function::beta::beta_reg;

use crate::bsw_error::{BswError, MeasuredRatio};
use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::signature::{SchemeKind, Signature, Unlike};
use crate::{min_n, sketch_n};

/// The confidence of every interval given.
pub const CONFIDENCE: f64 = 0.99;

/// A number in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// The ratio 0, the least there is.
    pub const ZERO: Self = Self(0.0);
    /// The ratio 1, the greatest there is.
    pub const ONE: Self = Self(1.0);

    /// `value` as a ratio; `None` outside [0, 1] and for NaN.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// `part` / `whole`; `None` if `whole` is 0 or smaller than `part`.
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        (whole > 0 && part <= whole).then(|| Self(part as f64 / whole as f64))
    }

    /// The ratio as a number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Bounds that hold the true value with [`CONFIDENCE`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least ratio that it holds, itself included.
    pub low: Ratio,
    /// The greatest ratio that it holds, itself included.
    pub high: Ratio,
}

/// A resemblance or a containment as two signatures show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate itself, `shared` / `trials`.
    pub value: Ratio,
    /// Where the true value lies; one point if every shingle was counted. For BSW_n, whose minima are not independent
    /// samples, where it was measured to lie ([`BswError`]), and `None` where that was not measured.
    pub interval: Option<Interval>,
    /// Fingerprints in both signatures.
    pub shared: u64,
    /// Fingerprints in either signature (resemblance) or in the part's (containment).
    pub trials: u64,
}

/// What the counts of a comparison support.
#[derive(Clone, Copy)]
pub(crate) enum Support {
    Exact,
    Sampled,
    /// BSW_n of windows of 20 bytes, at this n.
    Measured(MeasuredRatio, u64),
    NoInterval,
}

impl Estimate {
    /// The lower bound, if there is an interval.
    pub fn low(&self) -> Option<Ratio> {
        self.interval.map(|interval| interval.low)
    }

    /// The upper bound, if there is an interval.
    pub fn high(&self) -> Option<Ratio> {
        self.interval.map(|interval| interval.high)
    }

    pub(crate) fn from_counts(shared: u64, trials: u64, support: Support) -> Option<Self> {
        let value = Ratio::of(shared, trials)?;
        let sampled = |(low, high)| Interval { low, high };
        let interval = match support {
            Support::Exact => Some(sampled((value, value))),
            Support::Sampled => Some(sampled(clopper_pearson(shared, trials, CONFIDENCE))),
            Support::Measured(ratio, n) => {
                BswError::measured().interval(ratio, n, (shared, trials))
            }
            Support::NoInterval => None,
        };
        Some(Self {
            value,
            interval,
            shared,
            trials,
        })
    }
}

/// Resemblance of the documents of two signatures, at the coarser of their rungs; exact if both
/// hold every shingle. `None` if neither holds any fingerprint there.
///
/// # Errors
/// [`Unlike`] if the signatures do not compare.
pub fn resemblance(a: &Signature, b: &Signature) -> Result<Option<Estimate>, Unlike> {
    let (of_a, of_b) = (a.fingerprints(), b.fingerprints());
    let (shared, trials, support) = match a.scheme().kind {
        SchemeKind::MinN => {
            let n = a.common_rung(b)?.modulus();
            min_n::count(of_a, of_b, n as usize)
        }
        SchemeKind::SketchN => {
            let (shared, trials) = sketch_n::count_listed(of_a, of_b, a.common_rung(b)?);
            (shared, trials, Support::Sampled)
        }
        SchemeKind::ModN | SchemeKind::BswN | SchemeKind::Chunks => {
            let counts = Counts::of(a, b)?;
            (counts.shared, counts.union(), counts.support)
        }
    };
    Ok(Estimate::from_counts(shared, trials, support))
}

/// Containment of the document of `part` in that of `whole`, at the coarser of their rungs.
/// `None` if `part` holds no fingerprint there.
///
/// # Errors
/// [`Unlike`] if the signatures do not compare, or are of one size for all texts.
pub fn containment(part: &Signature, whole: &Signature) -> Result<Option<Estimate>, Unlike> {
    let kind = part.scheme().kind;
    if kind.is_of_fixed_size() {
        return Err(Unlike::NoContainment(kind));
    }
    let counts = Counts::of(part, whole)?;
    Ok(Estimate::from_counts(
        counts.shared,
        counts.a,
        counts.support,
    ))
}

/// [`resemblance`] from the counts of sampled fingerprints `shared`, of `a` and of `b` at one
/// rung; `exact` if that is rung 0. `None` if there are none, or `shared` exceeds `a` or `b`.
pub fn resemblance_from_counts(shared: u64, a: u64, b: u64, exact: bool) -> Option<Estimate> {
    if shared > a.min(b) {
        return None;
    }
    Estimate::from_counts(
        shared,
        a.checked_add(b)? - shared,
        Support::of_sample(exact),
    )
}

/// [`containment`] of a part of which `part` fingerprints are sampled and `shared` of those found
/// in the whole; `exact` at rung 0. `None` if there are none, or `shared` exceeds `part`.
pub fn containment_from_counts(shared: u64, part: u64, exact: bool) -> Option<Estimate> {
    Estimate::from_counts(shared, part, Support::of_sample(exact))
}

impl Support {
    fn of_sample(exact: bool) -> Self {
        if exact { Self::Exact } else { Self::Sampled }
    }
}

/// The counts of two signatures at their common rung.
struct Counts {
    shared: u64,
    a: u64,
    b: u64,
    support: Support,
}

impl Counts {
    fn of(a: &Signature, b: &Signature) -> Result<Self, Unlike> {
        let rung = a.common_rung(b)?;
        let support = match a.scheme().kind.nests() {
            true => Support::of_sample(rung == Rung::ZERO),
            false => Support::NoInterval,
        };
        let at_rung = |signature: &Signature| -> Vec<Fingerprint> {
            let all = signature.fingerprints().iter().copied();
            // A signature that does not nest is at its own rung already.
            all.filter(|f| signature.rung() == rung || f.divisible_by(rung))
                .collect()
        };
        let (a, b) = (at_rung(a), at_rung(b));
        Ok(Self {
            shared: crate::shingle::shared(&a, &b),
            a: a.len() as u64,
            b: b.len() as u64,
            support,
        })
    }

    fn union(&self) -> u64 {
        self.a + self.b - self.shared
    }
}

/// The Clopper-Pearson interval for the rate of a binomial of which `successes` of `trials` came
/// out; (0, 1) for no trials. Successes beyond the trials count as all of them.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> (Ratio, Ratio) {
    let successes = successes.min(trials);
    let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let (k, n) = (successes as f64, trials as f64);
    let low = match successes {
        0 => Ratio::ZERO,
        _ => beta_quantile(tail, k, n - k + 1.0),
    };
    let high = match trials - successes {
        0 => Ratio::ONE,
        _ => beta_quantile(1.0 - tail, k + 1.0, n - k),
    };
    (low, high)
}

/// The p-quantile of Beta(a, b), by bisection of the regularised incomplete beta function down to
/// the resolution of an f64 near 1.
fn beta_quantile(p: f64, a: f64, b: f64) -> Ratio {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..52 {
        let middle = (low + high) / 2.0;
        match beta_reg(a, b, middle).partial_cmp(&p) {
            Some(Ordering::Less) => low = middle,
            _ => high = middle,
        }
    }
    Ratio((low + high) / 2.0)
}

/// The most shared fingerprints that may be demanded of `trials` sampled ones so that a pair truly
/// at `threshold` is missed with probability at most `miss`.
///
/// The largest c with Pr[Binomial(trials, threshold) < c] ≤ miss by Chernoff's bound (Hoeffding
/// 1963, Theorem 1): Pr[X ≤ m] ≤ exp(−trials · KL(m/trials ‖ threshold)) for m ≤ mean, taken at
/// m = c − 1. Where every shingle was counted (rung 0) demand ⌈threshold · trials⌉ instead.
pub fn least_overlap_cut(trials: u64, threshold: Ratio, miss: f64) -> u64 {
    let (u, t) = (trials as f64, threshold.get());
    let missed = |c: u64| (-u * divergence((c - 1) as f64 / u, t)).exp();
    // Candidates 1 ..= ⌊mean⌋ + 1 keep m at or below the mean, where the bound grows with c.
    let (mut cut, mut above) = (0, ((u * t).floor() as u64 + 1).min(trials) + 1);
    while above - cut > 1 {
        let middle = cut + (above - cut) / 2;
        if missed(middle) <= miss {
            cut = middle
        } else {
            above = middle
        }
    }
    cut
}

/// The probability, at most, that of `trials` samples taken at a rate of `rate` no more than `successes` come out:
/// Chernoff's bound, for samples with and without replacement (Hoeffding 1963, Theorems 1 and 4). 1 where so few are
/// no surprise, or nothing was sampled.
pub fn lower_tail(successes: u64, trials: u64, rate: Ratio) -> f64 {
    let (n, t) = (trials as f64, rate.get());
    let share = successes as f64 / n;
    match share < t {
        true => (-n * divergence(share, t)).exp(),
        false => 1.0,
    }
}

/// KL(Bernoulli(a) ‖ Bernoulli(b)) in nats.
fn divergence(a: f64, b: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    term(a, b) + term(1.0 - a, 1.0 - b)
}

#[cfg(test)]
pub(crate) mod tests;
