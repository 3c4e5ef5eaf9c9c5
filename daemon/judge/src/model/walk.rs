//! Walks through a tree.
//!
//! A signal may have no value for two reasons. What it measures may be missing, as a title or a number is, and then it is
//! missing of training pairs, too: there it was [`HALFWAY`], the counts of the leaves are those of such pairs, and the pair
//! goes where they went. Or it cannot be told, as what is a text's own in a language that the table does not know: then it
//! says nothing, and the pair follows both branches, as in C4.5. Each has a weight, the share of the training pairs of the
//! test that went there. Several leaves are reached then, and their probabilities count by their weights. They call a pair
//! what all of them call it; where they do not agree, what their evidence together bears out
//! ([`Probabilities::borne_out`]).

use super::{Leaf, Model, Node, Test};
use crate::class::{Class, Probabilities};
use crate::measure::HALFWAY;
use crate::rule::Rule;
use crate::signal::Signal;

/// What a walk leads to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Walked {
    /// The leaves reached, with the weight and the number of each.
    leaves: Vec<(f64, u32, Leaf)>,
    /// The tests passed.
    rule: Rule,
}

impl Walked {
    pub(super) fn likely(&self) -> Probabilities {
        let mut likely = Probabilities::default();
        for (weight, _, leaf) in &self.leaves {
            likely.add(leaf.counts.probabilities(), *weight);
        }
        likely
    }

    pub(super) fn class(&self) -> Class {
        let classes = self.leaves.iter().map(|(.., leaf)| leaf.class);
        let agreed = classes.clone().next();
        match agreed.filter(|agreed| classes.clone().all(|class| class == *agreed)) {
            Some(agreed) => agreed,
            None => self.likely().borne_out(),
        }
    }

    /// The rule that led here, and to the answer of this class; its number is that of the leaf with the greatest weight.
    pub(super) fn into_rule(self, answered: Class) -> Rule {
        let mut rule = match self.class() == answered {
            true => self.rule,
            false => self.rule.overruled(),
        };
        let mut greatest = 0.0;
        for (weight, number, _) in self.leaves {
            if weight > greatest {
                (greatest, rule.number) = (weight, number);
            }
            rule.add_leaf(number);
        }
        rule
    }
}

impl Model {
    /// Walks from the root to a leaf, or to several of them where signals cannot be told: `is_foreign` is asked after their
    /// values.
    pub(super) fn walk<E>(
        &self,
        mut value: impl FnMut(Signal) -> Result<Option<f64>, E>,
        is_foreign: impl Fn() -> bool,
    ) -> Result<Walked, E> {
        let mut walked = Walked::default();
        let mut value = |signal: Signal| {
            let value = value(signal)?;
            let is_told = !(signal.is_of_file() || signal.is_of_table() && is_foreign());
            Ok((value, value.or(is_told.then_some(HALFWAY))))
        };
        descend(&self.root, 1.0, 0, &mut value, &mut walked)?;
        Ok(walked)
    }
}

/// Descends from a node that this share of the pair reaches, and that has this many leaves before it. `value` returns the
/// value of a signal, and the one by which it is tested; both branches are followed without that.
fn descend<E>(
    node: &Node,
    weight: f64,
    before: u32,
    value: &mut dyn FnMut(Signal) -> Result<(Option<f64>, Option<f64>), E>,
    walked: &mut Walked,
) -> Result<(), E> {
    let test = match node {
        Node::Leaf(leaf) => {
            walked.leaves.push((weight, before + 1, *leaf));
            return Ok(());
        }
        Node::Test(test) => test,
    };
    let (known, taken) = value(test.signal)?;
    let is_low = |value: f64| value <= test.threshold;
    match known {
        Some(known) => walked.rule.add(test.signal, test.threshold, is_low(known)),
        None => walked.rule.add_unknown(test.signal),
    }
    let weights = match taken.map(is_low) {
        Some(true) => [1.0, 0.0],
        Some(false) => [0.0, 1.0],
        None => shares(test),
    };
    let before_high = before + test.low.leaves();
    for (branch, share, before) in [
        (&test.low, weights[0], before),
        (&test.high, weights[1], before_high),
    ] {
        if share > 0.0 {
            descend(branch, weight * share, before, value, walked)?;
        }
    }
    Ok(())
}

/// The shares of the training pairs of a test that are in both branches; half each where there are none.
fn shares(test: &Test) -> [f64; 2] {
    let [low, high] = [&test.low, &test.high].map(|branch| f64::from(branch.counts().total()));
    match low + high > 0.0 {
        true => [low, high].map(|of_branch| of_branch / (low + high)),
        false => [0.5; 2],
    }
}
