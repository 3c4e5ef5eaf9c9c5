//! Requires a minimum precision of the leaves of a tree that claim a duplicate.

use super::prune::pessimistic;
use crate::model::Node;

/// The tree whose leaves call a pair the same or a version only if at least the share `least` of such pairs is expected
/// to be duplicates.
pub(super) fn borne_out(node: Node, least: f64) -> Node {
    match node {
        Node::Test(mut test) => {
            test.low = borne_out(test.low, least);
            test.high = borne_out(test.high, least);
            Node::Test(test)
        }
        Node::Leaf(mut leaf) => {
            let (total, duplicates) = (leaf.counts.total(), leaf.counts.duplicates());
            let wrong = pessimistic(total, duplicates);
            if leaf.class.is_duplicate() && wrong > (1.0 - least) * f64::from(total) {
                leaf.class = leaf.counts.most_of_others();
            }
            Node::Leaf(leaf)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Class, Counts};

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
        // Which of both duplicate classes it is may be open.
        assert_eq!(claimed([50, 49, 1, 0], 0.9), Class::Same);
    }

    #[test]
    fn few_pairs_bear_out_less_than_many() {
        assert_eq!(claimed([3, 0, 0, 0], 0.9), Class::TemplateOnly);
        assert_eq!(claimed([30, 0, 0, 0], 0.9), Class::Same);
        assert_eq!(claimed([0, 0, 3, 9], 0.9), Class::Unrelated);
    }
}
