//! Ratios from 0 to 1, and intervals of them.

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

    /// The ratio 0.05, below which candidates are seldom found.
    pub const TWENTIETH: Self = Self(0.05);
    /// The ratio of four fifths.
    pub const FOUR_FIFTHS: Self = Self(0.8);

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
