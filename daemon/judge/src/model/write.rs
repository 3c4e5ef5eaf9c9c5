//! Writes model files.

use std::fmt::{self, Formatter};

use super::{MODEL_VERSION, Model, Node};

pub(super) fn model(model: &Model, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "simdex-judge {MODEL_VERSION}")?;
    writeln!(f, "name {}", model.id.name)?;
    writeln!(f, "note {}", model.note)?;
    node(&model.root, 0, f)
}

fn node(of: &Node, depth: usize, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth)?;
    match of {
        Node::Leaf(leaf) => {
            write!(f, "{}", leaf.class.name())?;
            for count in leaf.counts.0 {
                write!(f, " {count}")?;
            }
            writeln!(f)
        }
        Node::Test(test) => {
            writeln!(f, "{} <= {}", test.signal.name(), test.threshold)?;
            node(&test.low, depth + 1, f)?;
            node(&test.high, depth + 1, f)
        }
    }
}
