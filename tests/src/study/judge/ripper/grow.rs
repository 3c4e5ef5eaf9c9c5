//! One rule: grown by information gain, pruned on other examples.

use super::{Condition, Example, Rule};

/// Examples, with the order of each column.
pub(super) struct Sample<'a> {
    pub(super) examples: &'a [Example],
    /// For each column the examples by rising value.
    orders: Vec<Vec<u32>>,
}

impl<'a> Sample<'a> {
    pub(super) fn of(examples: &'a [Example]) -> Self {
        let columns = examples.first().map_or(0, |example| example.values.len());
        let order = |column: usize| {
            let mut order: Vec<u32> = (0..examples.len() as u32).collect();
            let value = |at: &u32| examples[*at as usize].values[column];
            order.sort_by(|a, b| value(a).total_cmp(&value(b)));
            order
        };
        Self {
            examples,
            orders: (0..columns).map(order).collect(),
        }
    }
}

/// Examples of the class and of the other.
#[derive(Clone, Copy, Default)]
struct Covered {
    target: u32,
    other: u32,
}

impl Covered {
    fn add(&mut self, is_target: bool) {
        *if is_target {
            &mut self.target
        } else {
            &mut self.other
        } += 1;
    }

    fn without(self, part: Self) -> Self {
        Self {
            target: self.target - part.target,
            other: self.other - part.other,
        }
    }

    fn bits(self) -> f64 {
        (f64::from(self.target) / f64::from(self.target + self.other)).log2()
    }

    /// FOIL's information gain of covering these examples in place of `all` (Quinlan 1990).
    fn gain(self, all: Self) -> f64 {
        match self.target {
            0 => 0.0,
            target => f64::from(target) * (self.bits() - all.bits()),
        }
    }
}

/// Adds to a rule the test of highest gain, until it covers no example of the other class or nothing is gained.
pub(super) fn grown(sample: &Sample<'_>, members: &[usize], mut rule: Rule) -> Rule {
    let mut is_covered = vec![false; sample.examples.len()];
    for at in members {
        is_covered[*at] = rule.covers(&sample.examples[*at].values);
    }
    loop {
        let mut all = Covered::default();
        let covered = sample.examples.iter().zip(&is_covered);
        covered
            .filter(|(_, is_covered)| **is_covered)
            .for_each(|(example, _)| all.add(example.is_target));
        if all.target == 0 || all.other == 0 {
            return rule;
        }
        let Some(best) = best(sample, &is_covered, all) else {
            return rule;
        };
        for (example, is_covered) in sample.examples.iter().zip(&mut is_covered) {
            *is_covered = *is_covered && best.holds(&example.values);
        }
        rule.0.push(best);
    }
}

/// The test of highest gain; none if every one gains nothing.
fn best(sample: &Sample<'_>, is_covered: &[bool], all: Covered) -> Option<Condition> {
    let mut best: Option<(f64, Condition)> = None;
    for (column, order) in sample.orders.iter().enumerate() {
        let value = |at: u32| sample.examples[at as usize].values[column];
        let mut below = Covered::default();
        let mut covered = order
            .iter()
            .filter(|at| is_covered[**at as usize])
            .peekable();
        while let Some(at) = covered.next() {
            below.add(sample.examples[*at as usize].is_target);
            let threshold = value(*at);
            if covered.peek().is_none_or(|next| value(**next) == threshold) {
                continue;
            }
            for (is_at_most, part) in [(true, below), (false, all.without(below))] {
                let gain = part.gain(all);
                if gain > best.map_or(0.0, |(highest, _)| highest) {
                    let condition = Condition {
                        column,
                        threshold,
                        is_at_most,
                    };
                    best = Some((gain, condition));
                }
            }
        }
    }
    best.map(|(_, condition)| condition)
}

/// The beginning of a rule that is best on other examples: (p − n) / (p + n) of those it covers (§3.1.1). The shortest of
/// several.
pub(super) fn pruned(sample: &Sample<'_>, members: &[usize], mut rule: Rule) -> Rule {
    let mut members = members.to_vec();
    let worth = |members: &[usize]| {
        let target = members.iter().filter(|at| sample.examples[**at].is_target);
        let target = target.count() as f64;
        match members.len() {
            0 => -1.0,
            all => (2.0 * target - all as f64) / all as f64,
        }
    };
    let (mut best, mut kept) = (worth(&members), 0);
    for (length, condition) in (1..).zip(&rule.0) {
        members.retain(|at| condition.holds(&sample.examples[*at].values));
        if worth(&members) > best {
            (best, kept) = (worth(&members), length);
        }
    }
    rule.0.truncate(kept);
    rule
}
