//! The length of a description of rules and of their exceptions, in bits (Cohen 1995, §3.1.2; Quinlan 1995).

use super::{Example, Rule, RuleList};

/// What lengths are reckoned with.
pub(super) struct Description {
    /// Tests that could stand in a rule.
    conditions: f64,
    /// Logarithms, base 2, of the factorials.
    factorials: Vec<f64>,
}

impl Description {
    pub(super) fn of(examples: &[Example]) -> Self {
        let columns = examples.first().map_or(0, |example| example.values.len());
        let distinct = |column: usize| {
            let mut values: Vec<f64> = examples.iter().map(|of| of.values[column]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values.len()
        };
        let distinct: usize = (0..columns).map(distinct).sum();
        let mut factorials = vec![0.0];
        for n in 1..=examples.len() {
            factorials.push(factorials[n - 1] + (n as f64).log2());
        }
        Self {
            conditions: (2 * distinct.max(1)) as f64,
            factorials,
        }
    }

    /// The bits of all rules, and of which examples they take for what they are not.
    pub(super) fn bits(&self, rules: &RuleList, examples: &[Example]) -> f64 {
        let theory: f64 = rules.0.iter().map(|rule| self.of_rule(rule)).sum();
        let (mut covered, mut false_hits, mut missed) = (0, 0, 0);
        for example in examples {
            let is_covered = rules.is_target(&example.values);
            covered += usize::from(is_covered);
            false_hits += usize::from(is_covered && !example.is_target);
            missed += usize::from(!is_covered && example.is_target);
        }
        let count = (examples.len() as f64 + 1.0).log2();
        let chosen = self.choose(covered, false_hits);
        theory + count + chosen + self.choose(examples.len() - covered, missed)
    }

    /// Which k of n possible tests stand in a rule, half of it since their order says nothing.
    fn of_rule(&self, rule: &Rule) -> f64 {
        let (k, n) = (rule.0.len() as f64, self.conditions);
        if k == 0.0 {
            return 0.0;
        }
        let share = (k / n).min(1.0);
        let rest = match n > k {
            true => (n - k) * -(1.0 - share).log2(),
            false => 0.0,
        };
        0.5 * (k.log2() + k * -share.log2() + rest)
    }

    /// Bits that say which `k` of `n`.
    fn choose(&self, n: usize, k: usize) -> f64 {
        self.factorials[n] - self.factorials[k] - self.factorials[n - k]
    }
}
