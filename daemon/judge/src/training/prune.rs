//! Pruning by pessimistic errors (Quinlan 1993, §4.2).
//!
//! For a leaf with e errors among n training pairs, more errors are expected elsewhere: n times the upper limit of the
//! binomial confidence interval at 25 %, here by Wilson's formula. A branch whose leaves together expect no fewer
//! errors than one leaf in its place becomes that leaf.

use crate::class::Counts;
use crate::model::Node;

/// The normal deviate with a tail probability of 25 %.
const DEVIATE: f64 = 0.6745;
/// A branch must save a tenth of an error, as in C4.5.
const SAVED: f64 = 0.1;
/// Expected errors of a settled leaf, as a share of its pairs.
const SETTLED: f64 = 0.02;

/// The tree without the branches that are not expected to reduce errors.
pub(super) fn pruned(node: Node) -> Node {
    let Node::Test(mut test) = node else {
        return node;
    };
    test.low = pruned(test.low);
    test.high = pruned(test.high);
    let branch = Node::Test(test);
    let leaf = Node::leaf(branch.counts());
    match expected(&leaf) <= expected(&branch) + SAVED {
        true => leaf,
        false => branch,
    }
}

/// The tree without the branches that lead to no settled leaf.
pub(super) fn settled(node: Node) -> Node {
    let Node::Test(mut test) = node else {
        return node;
    };
    test.low = settled(test.low);
    test.high = settled(test.high);
    match is_open(&test.low) && is_open(&test.high) {
        true => Node::leaf(Node::Test(test).counts()),
        false => Node::Test(test),
    }
}

/// Whether it is a leaf with too many expected errors.
fn is_open(node: &Node) -> bool {
    let Node::Leaf(leaf) = node else {
        return false;
    };
    of_most(&leaf.counts) > SETTLED * f64::from(leaf.counts.total())
}

/// Expected errors of a tree.
fn expected(node: &Node) -> f64 {
    match node {
        Node::Leaf(leaf) => of_most(&leaf.counts),
        Node::Test(test) => expected(&test.low) + expected(&test.high),
    }
}

/// Expected errors of a leaf with the class of most of its pairs.
fn of_most(counts: &Counts) -> f64 {
    let right = counts.0.iter().copied().max().unwrap_or(0);
    pessimistic(counts.total(), right)
}

/// The pairs of a leaf times Wilson's upper limit of its error rate.
pub(super) fn pessimistic(total: u32, right: u32) -> f64 {
    let (total, right) = (f64::from(total), f64::from(right));
    if total == 0.0 {
        return 0.0;
    }
    let rate = (total - right) / total;
    let square = DEVIATE * DEVIATE;
    let spread = (rate * (1.0 - rate) / total + square / (4.0 * total * total)).sqrt();
    total * (rate + square / (2.0 * total) + DEVIATE * spread) / (1.0 + square / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Test;
    use crate::signal::Signal;

    fn test(low: Node, high: Node) -> Node {
        Node::Test(Box::new(Test {
            signal: Signal::Mcd,
            threshold: 0.5,
            low,
            high,
        }))
    }

    fn leaf(same: u32, version: u32) -> Node {
        Node::leaf(Counts([same, version, 0, 0]))
    }

    #[test]
    fn a_test_that_mends_nothing_goes_and_one_that_parts_classes_stays() {
        assert_eq!(pruned(test(leaf(40, 1), leaf(39, 1))), leaf(79, 2));
        let parts = test(leaf(40, 1), leaf(1, 40));
        assert_eq!(pruned(parts.clone()), parts);
    }

    #[test]
    fn only_what_leads_to_a_settled_leaf_stays() {
        assert_eq!(settled(test(leaf(6, 4), leaf(3, 7))), leaf(9, 11));
        let kept = test(leaf(400, 1), leaf(3, 7));
        assert_eq!(settled(kept.clone()), kept);
        let nested = test(leaf(400, 1), test(leaf(6, 4), leaf(3, 7)));
        assert_eq!(settled(nested), test(leaf(400, 1), leaf(9, 11)));
    }

    #[test]
    fn more_errors_are_expected_than_were_seen_and_the_fewer_the_pairs_the_more() {
        let share = |same, version| {
            let counts = Counts([same, version, 0, 0]);
            of_most(&counts) / f64::from(counts.total())
        };
        assert!(share(5, 0) > share(50, 0) && share(50, 0) > 0.0);
        assert!(share(90, 10) > 0.1 && share(90, 10) < 0.13);
        assert_eq!(of_most(&Counts::default()), 0.0);
    }
}
