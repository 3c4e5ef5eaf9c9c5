//! RIPPER (Cohen 1995, "Fast Effective Rule Induction"): a list of rules for the rarer of two classes, the second
//! learner of Huffman et al. 2007, §5, beside C4.5. In the evaluator only: the daemon judges by trees.
//!
//! Rules are grown and pruned one after the other (§3.1, IREP*): a rule takes the test of highest information gain until
//! it covers no example of the other class, on two thirds of the examples; its last tests are dropped as far as that is
//! best on the other third. Rules are added until the description of rules and exceptions is 64 bits longer than the
//! shortest so far (§3.1.2). Twice each rule is then held against a replacement and a revision of it (§3.2).
//!
//! It departs from the paper in this: all values are numbers, so a test is `<=` or `>` of a value that occurs; there are two
//! classes. Time: O(examples · signals) for each test of a rule, after one sort per signal.

mod description;
mod grow;
#[cfg(test)]
mod tests;

use description::Description;
use grow::{Sample, grown, pruned};

use crate::corpus::Random;

/// How often all rules are optimised (Cohen 1995, RIPPER_2).
const OPTIMISATIONS: u64 = 2;
/// A description longer than the shortest one by this ends the list of rules.
const SURPLUS_BITS: f64 = 64.0;

/// The values of one example and whether it is of the class that rules are for.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) values: Vec<f64>,
    pub(super) is_target: bool,
}

/// One test of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Condition {
    pub(super) column: usize,
    pub(super) threshold: f64,
    pub(super) is_at_most: bool,
}

impl Condition {
    fn holds(&self, values: &[f64]) -> bool {
        (values[self.column] <= self.threshold) == self.is_at_most
    }
}

/// Tests that must all hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rule(pub(super) Vec<Condition>);

impl Rule {
    fn covers(&self, values: &[f64]) -> bool {
        self.0.iter().all(|condition| condition.holds(values))
    }
}

/// Rules in order: an example that one of them covers is of the class they are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RuleList(pub(super) Vec<Rule>);

impl RuleList {
    /// Whether a rule covers these values.
    pub(super) fn is_target(&self, values: &[f64]) -> bool {
        self.0.iter().any(|rule| rule.covers(values))
    }
}

/// Learns rules; the random division into parts to grow and to prune follows from the seed.
pub(super) fn learned(examples: &[Example], seed: u64) -> RuleList {
    let mut learner = Learner {
        sample: Sample::of(examples),
        description: Description::of(examples),
        random: Random::new(seed, 1995),
    };
    let mut rules = RuleList::default();
    learner.add_rules(&mut rules);
    for _ in 0..OPTIMISATIONS {
        learner.optimise(&mut rules);
        learner.add_rules(&mut rules);
        learner.remove_costly(&mut rules);
    }
    rules
}

struct Learner<'a> {
    sample: Sample<'a>,
    description: Description,
    random: Random,
}

impl Learner<'_> {
    /// Adds rules for what none covers yet, until the description is too long or a rule errs more often than not.
    fn add_rules(&mut self, rules: &mut RuleList) {
        let mut shortest = self.bits(rules);
        loop {
            let (grow, prune) = self.parts(|values| !rules.is_target(values));
            if !grow.iter().any(|at| self.sample.examples[*at].is_target) {
                return;
            }
            let rule = grown(&self.sample, &grow, Rule::default());
            let rule = pruned(&self.sample, &prune, rule);
            if rule.0.is_empty() || self.errs_mostly(&rule, &prune) {
                return;
            }
            rules.0.push(rule);
            let bits = self.bits(rules);
            if bits > shortest + SURPLUS_BITS {
                rules.0.pop();
                return;
            }
            shortest = shortest.min(bits);
        }
    }

    fn errs_mostly(&self, rule: &Rule, members: &[usize]) -> bool {
        let covered = members.iter().map(|at| &self.sample.examples[*at]);
        let covered = covered.filter(|example| rule.covers(&example.values));
        let (mut right, mut wrong) = (0, 0);
        for example in covered {
            *if example.is_target {
                &mut right
            } else {
                &mut wrong
            } += 1;
        }
        wrong > right
    }

    /// Replaces each rule by the best of itself, one grown anew and one grown further from it, by the length of the
    /// description of the whole list.
    fn optimise(&mut self, rules: &mut RuleList) {
        for at in 0..rules.0.len() {
            let others = |values: &[f64]| {
                let others = rules.0.iter().enumerate().filter(|(of, _)| *of != at);
                others.map(|(_, rule)| rule).any(|rule| rule.covers(values))
            };
            // What another rule covers is decided whatever this one says.
            let (grow, prune) = self.parts(|values| !others(values));
            let candidates = [Rule::default(), rules.0[at].clone()].map(|start| {
                let rule = grown(&self.sample, &grow, start);
                pruned(&self.sample, &prune, rule)
            });
            for candidate in candidates {
                if candidate.0.is_empty() {
                    continue;
                }
                let mut other = rules.clone();
                other.0[at] = candidate;
                if self.bits(&other) < self.bits(rules) {
                    *rules = other;
                }
            }
        }
    }

    /// Removes, from the last on, each rule without which the description is shorter.
    fn remove_costly(&self, rules: &mut RuleList) {
        for at in (0..rules.0.len()).rev() {
            let mut fewer = rules.clone();
            fewer.0.remove(at);
            if self.bits(&fewer) < self.bits(rules) {
                *rules = fewer;
            }
        }
    }

    fn bits(&self, rules: &RuleList) -> f64 {
        self.description.bits(rules, self.sample.examples)
    }

    /// Two thirds and one third of the wanted examples, of each class alike.
    fn parts(&mut self, is_wanted: impl Fn(&[f64]) -> bool) -> (Vec<usize>, Vec<usize>) {
        let (mut grow, mut prune) = (Vec::new(), Vec::new());
        for class in [true, false] {
            let members = self.sample.examples.iter().enumerate();
            let members = members.filter(|(_, of)| of.is_target == class && is_wanted(&of.values));
            let mut members: Vec<usize> = members.map(|(at, _)| at).collect();
            for at in (1..members.len()).rev() {
                members.swap(at, self.random.below(at as u64 + 1) as usize);
            }
            let third = members
                .len()
                .div_ceil(3)
                .min(members.len().saturating_sub(1));
            prune.extend(members.drain(..third));
            grow.append(&mut members);
        }
        (grow, prune)
    }
}
