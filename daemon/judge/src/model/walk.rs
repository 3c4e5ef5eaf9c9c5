//! Walks through a tree.
//!
//! A signal that has no value for a pair says nothing about it, so the pair follows both branches, as in C4.5: each has a
//! weight, the share of the training pairs of the test that went there. Several leaves are reached then, and their
//! probabilities count by their weights. They call a pair what all of them call it; where they do not agree, what their
//! evidence together bears out ([`Probabilities::borne_out`]).

use super::{Leaf, Model, Node, Test};
use crate::class::{Class, Probabilities};
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

    /// The rule that led here; its number is that of the leaf with the greatest weight.
    pub(super) fn into_rule(self) -> Rule {
        let mut rule = self.rule;
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
    /// Walks from the root to a leaf, or to several of them where signals have no value.
    pub(super) fn walk<E>(
        &self,
        mut value: impl FnMut(Signal) -> Result<Option<f64>, E>,
    ) -> Result<Walked, E> {
        let mut walked = Walked::default();
        descend(&self.root, 1.0, 0, &mut value, &mut walked)?;
        Ok(walked)
    }
}

/// Descends from a node that this share of the pair reaches, and that has this many leaves before it.
fn descend<E>(
    node: &Node,
    weight: f64,
    before: u32,
    value: &mut dyn FnMut(Signal) -> Result<Option<f64>, E>,
    walked: &mut Walked,
) -> Result<(), E> {
    let test = match node {
        Node::Leaf(leaf) => {
            walked.leaves.push((weight, before + 1, *leaf));
            return Ok(());
        }
        Node::Test(test) => test,
    };
    let of_value = value(test.signal)?;
    let weights = match of_value {
        Some(value) => {
            let is_low = value <= test.threshold;
            walked.rule.add(test.signal, test.threshold, is_low);
            [f64::from(u8::from(is_low)), f64::from(u8::from(!is_low))]
        }
        None => {
            walked.rule.add_unknown(test.signal);
            shares(test)
        }
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
