//! Intervals and tails of the binomial distribution, which samples of fingerprints follow.

use std::cmp::Ordering;

use statrs::function::beta::beta_reg;

use crate::ratio::Ratio;

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
    // Both ends are ratios.
    Ratio::new((low + high) / 2.0).unwrap_or(Ratio::ONE)
}

/// The most shared fingerprints that may be demanded of `trials` sampled ones so that a pair truly
/// at `threshold` is missed with probability at most `miss`.
///
/// The largest c with Pr[Binomial(trials, threshold) < c] ≤ miss by Chernoff's bound (Hoeffding
/// 1963, Theorem 1): Pr[X ≤ m] ≤ exp(−trials · KL(m/trials ‖ threshold)) for m ≤ mean, taken at
/// m = c − 1. Where every shingle was counted (rung 0) demand ⌈threshold · trials⌉ instead.
pub fn min_overlap_cut(trials: u64, threshold: Ratio, miss: f64) -> u64 {
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
pub(crate) fn divergence(a: f64, b: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    term(a, b) + term(1.0 - a, 1.0 - b)
}
