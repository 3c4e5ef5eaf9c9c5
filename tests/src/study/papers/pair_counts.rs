//! Precision and recall of pairs that seem similar, beside those that are.

/// Pairs, as they are and as they seem.
#[derive(Clone, Copy, Default)]
pub(super) struct PairCounts {
    similar: f64,
    found: f64,
    both: f64,
}

impl PairCounts {
    pub(super) fn add_pair(&mut self, is_similar: bool, is_found: bool) {
        self.similar += f64::from(is_similar);
        self.found += f64::from(is_found);
        self.both += f64::from(is_similar && is_found);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.similar += other.similar;
        self.found += other.found;
        self.both += other.both;
    }

    /// The average of this many.
    pub(super) fn divide(&mut self, by: f64) {
        self.similar /= by;
        self.found /= by;
        self.both /= by;
    }

    /// The share of pairs found that are similar; not a number where none is found.
    pub(super) fn precision(&self) -> f64 {
        self.both / self.found
    }

    /// The share of similar pairs that are found; not a number where none is similar.
    pub(super) fn recall(&self) -> f64 {
        self.both / self.similar
    }

    /// Where nothing is found, or nothing is similar, nothing is wrong.
    pub(super) fn meets(&self, precision: f64, recall: f64) -> bool {
        let is_precise = !self.finds_any() || self.precision() >= precision;
        is_precise && (!self.has_similar() || self.recall() >= recall)
    }

    /// Pairs that seem similar.
    pub(super) fn found(&self) -> f64 {
        self.found
    }

    /// Those of them that are similar: what is left once all are verified.
    pub(super) fn right(&self) -> f64 {
        self.both
    }

    pub(super) fn finds_any(&self) -> bool {
        self.found > 0.0
    }

    pub(super) fn has_similar(&self) -> bool {
        self.similar > 0.0
    }
}
