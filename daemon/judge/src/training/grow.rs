//! One tree, grown by smartcore and read from its serialised form.

use serde::Deserialize;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_classifier::{
    DecisionTreeClassifier, DecisionTreeClassifierParameters, SplitCriterion,
};

use super::{Growth, LabelledSignals, TrainingError};
use crate::class::Counts;
use crate::model::{Node, Test};
use crate::signal::Signal;

/// The fields of smartcore's serialised tree.
#[derive(Deserialize)]
struct Fitted {
    nodes: Vec<FittedNode>,
}

#[derive(Deserialize)]
struct FittedNode {
    split_feature: usize,
    split_value: Option<f64>,
    true_child: Option<usize>,
    false_child: Option<usize>,
}

/// Grows a tree over some of the pairs. Its leaves are empty yet.
pub(super) fn tree(
    pairs: &[LabelledSignals],
    members: &[usize],
    signals: &[Signal],
    growth: &Growth,
    depth: u16,
) -> Result<Node, TrainingError> {
    let row = |at: &usize| -> Vec<f64> {
        let values = &pairs[*at].values;
        signals
            .iter()
            .map(|signal| values.number(*signal))
            .collect()
    };
    let rows: Vec<Vec<f64>> = members.iter().map(row).collect();
    let class = |at: &usize| pairs[*at].class.index() as u32;
    let classes: Vec<u32> = members.iter().map(class).collect();
    let parameters = DecisionTreeClassifierParameters {
        criterion: SplitCriterion::Entropy,
        // smartcore counts the root as the first level.
        max_depth: Some(depth + 1),
        min_samples_leaf: growth.leaf,
        min_samples_split: 2 * growth.leaf,
        // Nothing is random, since every split considers all signals.
        seed: Some(0),
    };
    let nodes = fit(&rows, &classes, parameters);
    Ok(shape(&nodes.map_err(TrainingError::Learner)?, 0, signals))
}

fn fit(
    rows: &[Vec<f64>],
    classes: &Vec<u32>,
    parameters: DecisionTreeClassifierParameters,
) -> Result<Vec<FittedNode>, String> {
    let rows = DenseMatrix::from_2d_vec(&rows.to_vec()).map_err(|error| error.to_string())?;
    let fitted = DecisionTreeClassifier::fit(&rows, classes, parameters);
    let fitted = fitted.map_err(|error| error.to_string())?;
    let fitted = serde_json::to_value(&fitted).and_then(serde_json::from_value::<Fitted>);
    Ok(fitted.map_err(|error| error.to_string())?.nodes)
}

fn shape(nodes: &[FittedNode], at: usize, signals: &[Signal]) -> Node {
    let read = || {
        let node = nodes.get(at)?;
        Some(Node::Test(Box::new(Test {
            signal: *signals.get(node.split_feature)?,
            threshold: rounded(node.split_value?),
            low: shape(nodes, node.true_child?, signals),
            high: shape(nodes, node.false_child?, signals),
        })))
    };
    read().unwrap_or(Node::leaf(Counts::default()))
}

/// Four decimals are precise enough for a threshold, and more readable.
fn rounded(threshold: f64) -> f64 {
    (threshold * 1e4).round() / 1e4
}

/// Sends pairs down the tests of a tree. `make` builds the node for the pairs that reach a leaf, given their indices
/// and the level. A test that leaves one side empty is dropped.
pub(super) fn fill(
    shape: &Node,
    pairs: &[LabelledSignals],
    members: Vec<usize>,
    level: u16,
    make: &mut dyn FnMut(Vec<usize>, u16) -> Result<Node, TrainingError>,
) -> Result<Node, TrainingError> {
    let Node::Test(test) = shape else {
        return make(members, level);
    };
    let is_low = |at: &usize| pairs[*at].values.number(test.signal) <= test.threshold;
    let (low, high): (Vec<usize>, Vec<usize>) = members.into_iter().partition(is_low);
    if high.is_empty() {
        return fill(&test.low, pairs, low, level, make);
    }
    if low.is_empty() {
        return fill(&test.high, pairs, high, level, make);
    }
    Ok(Node::Test(Box::new(Test {
        signal: test.signal,
        threshold: test.threshold,
        low: fill(&test.low, pairs, low, level + 1, make)?,
        high: fill(&test.high, pairs, high, level + 1, make)?,
    })))
}
