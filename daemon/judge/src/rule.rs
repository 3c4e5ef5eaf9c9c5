//! The rule that fired: the conjunction of the tests on the way to a leaf.

use std::fmt;

use crate::class::{Class, Counts};
use crate::doubt::Doubt;
use crate::signal::Signal;

/// The bounds of the signals on the way to a leaf, and the number of that leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The number of the leaf in its model, from 1; of several, that which counts most.
    pub number: u32,
    /// Bounds in the order in which signals were first asked for.
    bounds: Vec<Bounds>,
    /// The numbers of the leaves that were reached: several where a signal has no value.
    leaves: Vec<u32>,
    /// It says that documents are the same, and a word differs inside what frames them.
    is_overruled: bool,
}

/// A rule of a model, with the training pairs that it was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedRule {
    /// The conditions on signals, with the number of their leaf.
    pub rule: Rule,
    /// The class that it leads to.
    pub class: Class,
    /// The training pairs under it, by class.
    pub counts: Counts,
    /// Why it judges no pair, whatever the pair is; `None` if it judges pairs.
    pub doubt: Option<Doubt>,
}

/// A signal is above `above` and at most `most`, or is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    signal: Signal,
    is_known: bool,
    above: Option<f64>,
    most: Option<f64>,
}

impl Rule {
    /// Adds the outcome of one test: the signal is at most the threshold, or above it. Another test of the same signal,
    /// on the same branch or on another, can only narrow the bounds.
    pub(crate) fn add(&mut self, signal: Signal, threshold: f64, is_at_most: bool) {
        let bounds = self.bounds_of(signal);
        match is_at_most {
            true => bounds.most = Some(bounds.most.map_or(threshold, |most| most.min(threshold))),
            false => {
                bounds.above = Some(bounds.above.map_or(threshold, |above| above.max(threshold)))
            }
        }
    }

    /// Adds a test of a signal that has no value for the pair. Both of its branches are followed, so that no bound is
    /// shown.
    pub(crate) fn add_unknown(&mut self, signal: Signal) {
        self.bounds_of(signal).is_known = false;
    }

    /// Adds a leaf that was reached.
    pub(crate) fn add_leaf(&mut self, number: u32) {
        self.leaves.push(number);
    }

    /// The rule where it says that documents are the same, and they are judged versions since a word differs.
    pub(crate) fn overruled(self) -> Self {
        Self {
            is_overruled: true,
            ..self
        }
    }

    fn bounds_of(&mut self, signal: Signal) -> &mut Bounds {
        let mut known = self.bounds.iter();
        let at = known.position(|bounds| bounds.signal == signal);
        let at = at.unwrap_or_else(|| {
            self.bounds.push(Bounds {
                signal,
                is_known: true,
                above: None,
                most: None,
            });
            self.bounds.len() - 1
        });
        &mut self.bounds[at]
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bounds.is_empty() {
            return f.write_str("always");
        }
        for (at, bounds) in self.bounds.iter().enumerate() {
            if at > 0 {
                f.write_str(" and ")?;
            }
            bounds.fmt(f)?;
        }
        if let [first, .., last] = self.leaves[..] {
            let count = self.leaves.len();
            write!(
                f,
                "; {count} rules apply ({first} to {last}), each with the weight of its training pairs"
            )?;
        }
        match self.is_overruled {
            true => f.write_str("; the same by this rule, and a version since a word differs"),
            false => Ok(()),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.signal.name();
        match (self.is_known, self.above, self.most) {
            (false, ..) => write!(f, "{name} not known"),
            (true, Some(above), Some(most)) => write!(f, "{above} < {name} <= {most}"),
            (true, Some(above), None) => write!(f, "{name} > {above}"),
            (true, None, most) => write!(f, "{name} <= {}", most.unwrap_or(f64::INFINITY)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_one_signal_become_one_interval() {
        let mut rule = Rule::default();
        assert_eq!(rule.to_string(), "always");
        rule.add(Signal::Resemblance, 0.4, false);
        rule.add(Signal::Mcd, 0.125, true);
        rule.add(Signal::Resemblance, 0.9, true);
        rule.add(Signal::Resemblance, 0.5, false);
        assert_eq!(
            rule.to_string(),
            "0.5 < resemblance <= 0.9 and mcd <= 0.125"
        );
    }

    #[test]
    fn a_signal_without_a_value_has_no_bounds() {
        let mut rule = Rule::default();
        rule.add_unknown(Signal::FirstOwnWords);
        rule.add(Signal::Resemblance, 0.4, false);
        rule.add_unknown(Signal::FirstOwnWords);
        assert_eq!(
            rule.to_string(),
            "first-own-words not known and resemblance > 0.4"
        );
    }

    #[test]
    fn several_leaves_are_counted_and_bounds_of_one_branch_do_not_widen_those_of_another() {
        let mut rule = Rule::default();
        rule.add_unknown(Signal::OwnWords);
        rule.add(Signal::Mcd, 0.25, true);
        rule.add(Signal::Mcd, 0.1, false);
        rule.add_leaf(3);
        assert_eq!(
            rule.to_string(),
            "own-words not known and 0.1 < mcd <= 0.25"
        );
        rule.add(Signal::Mcd, 0.5, true);
        rule.add(Signal::Mcd, 0.0, false);
        rule.add_leaf(7);
        assert_eq!(
            rule.to_string(),
            "own-words not known and 0.1 < mcd <= 0.25; 2 rules apply (3 to 7), each with the weight of its training pairs"
        );
    }

    #[test]
    fn a_rule_that_is_overruled_says_so() {
        let mut rule = Rule::default();
        rule.add(Signal::Mcd, 0.25, true);
        assert_eq!(
            rule.overruled().to_string(),
            "mcd <= 0.25; the same by this rule, and a version since a word differs"
        );
    }
}
