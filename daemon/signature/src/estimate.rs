//! What counts of fingerprints say of a resemblance or a containment, and how far it can be trusted.

use crate::binomial::clopper_pearson;
use crate::bsw_error::{BswError, MeasuredRatio};
use crate::ratio::{CONFIDENCE, Interval, Ratio};

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

/// Resemblance from the counts of sampled fingerprints `shared`, of `a` and of `b` at one
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

/// Containment of a part of which `part` fingerprints are sampled and `shared` of those found
/// in the whole; `exact` at rung 0. `None` if there are none, or `shared` exceeds `part`.
pub fn containment_from_counts(shared: u64, part: u64, exact: bool) -> Option<Estimate> {
    Estimate::from_counts(shared, part, Support::of_sample(exact))
}

impl Support {
    pub(crate) fn of_sample(exact: bool) -> Self {
        if exact { Self::Exact } else { Self::Sampled }
    }
}
