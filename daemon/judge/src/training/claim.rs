//! Requires a minimum precision of the leaves of a tree that claim a duplicate.

use super::prune::pessimistic;
use crate::class::{Class, Counts};
use crate::model::Node;

/// The tree whose leaves call a pair the same only if at least the share `least` of such pairs is expected to be the same,
/// and a version only if that share is expected to be duplicates.
pub(super) fn borne_out(node: Node, least: f64) -> Node {
    match node {
        Node::Test(mut test) => {
            test.low = borne_out(test.low, least);
            test.high = borne_out(test.high, least);
            Node::Test(test)
        }
        Node::Leaf(mut leaf) => {
            leaf.class = claim(leaf.class, &leaf.counts, least);
            Node::Leaf(leaf)
        }
    }
}

/// The strongest claim that these pairs bear out: `Same` claims more than `Version`, and that more than the others.
fn claim(most: Class, counts: &Counts, least: f64) -> Class {
    let total = counts.total();
    let is_borne_out = |right: u32| pessimistic(total, right) <= (1.0 - least) * f64::from(total);
    match most {
        Class::Same if is_borne_out(counts.0[Class::Same.index()]) => Class::Same,
        Class::Same | Class::Version if is_borne_out(counts.duplicates()) => Class::Version,
        Class::Same | Class::Version => counts.most_of_others(),
        most => most,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(counts: [u32; 4], least: f64) -> Class {
        let Node::Leaf(leaf) = borne_out(Node::leaf(Counts(counts)), least) else {
            panic!("a leaf became a test");
        };
        assert_eq!(leaf.counts, Counts(counts));
        leaf.class
    }

    #[test]
    fn a_leaf_of_divided_evidence_claims_no_duplicate() {
        assert_eq!(claimed([19, 27, 24, 0], 0.9), Class::TemplateOnly);
        assert_eq!(claimed([19, 27, 24, 0], 0.0), Class::Version);
        assert_eq!(claimed([0, 20, 0, 9], 0.9), Class::Unrelated);
        assert_eq!(claimed([40, 300, 8, 0], 0.9), Class::Version);
        // Which of both duplicate classes it is may be open: then the weaker claim is made.
        assert_eq!(claimed([50, 49, 1, 0], 0.9), Class::Version);
        assert_eq!(claimed([805, 172, 0, 0], 0.85), Class::Version);
        assert_eq!(claimed([805, 40, 0, 0], 0.85), Class::Same);
        assert_eq!(claimed([50, 49, 1, 0], 0.0), Class::Same);
    }

    #[test]
    fn few_pairs_bear_out_less_than_many() {
        assert_eq!(claimed([3, 0, 0, 0], 0.9), Class::TemplateOnly);
        assert_eq!(claimed([30, 0, 0, 0], 0.9), Class::Same);
        assert_eq!(claimed([0, 0, 3, 9], 0.9), Class::Unrelated);
    }
}
