//! Trains a decision tree from labelled pairs.
//!
//! C4.5-like (Quinlan 1993): binary tests on numbers, chosen by information gain. A branch is pruned if the pessimistic
//! estimate of its errors is no better than that of a leaf in its place (ibid., §4.2: the upper limit of a binomial
//! confidence interval at 25 %). smartcore grows the trees; its nodes are private but can be serialised, and that is
//! how they are read here.
//!
//! Unlike in C4.5 the tree is grown in stages, cheapest signals first ([`Cost`]): a leaf that one stage leaves impure
//! is grown further by the next, which adds dearer signals. Each stage except the last keeps only tests that lead to a
//! settled leaf: what cheap signals can decide then costs nothing, and what they cannot decide is not split beforehand
//! to no purpose.
//!
//! Finally a leaf keeps a duplicate class only if the expected precision of that class is high enough
//! ([`Growth::claim`]): a false duplicate does more harm than a missed one, and the majority in a small leaf need not
//! be the majority of all such pairs. What is not the same with that precision may be a version with it: one that is
//! not told to be the same.
//!
//! Time: O(pairs · signals) for each node, after one sort for each tree and signal.

mod claim;
mod grow;
mod prune;

use thiserror::Error;

use crate::class::{BORNE_OUT, Class, Counts};
use crate::measure::Values;
use crate::model::{Model, Node};
use crate::signal::{Cost, Signal};

/// A class with fewer pairs than this cannot be learned.
pub const MIN_PAIRS_OF_CLASS: u32 = 10;
/// Number of folds of a cross-validation ([`crate::evaluation`]), and minimum number of sources of its pairs.
pub const FOLDS: u64 = 10;
/// Maximum number of pairs in a training.
pub const MAX_PAIRS: usize = 200_000;

/// A pair with its measured signals and its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledSignals {
    /// The measured values of all signals.
    pub values: Values,
    /// The class of the pair.
    pub class: Class,
}

/// The limits of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// The signals it may ask for.
    pub signals: Vec<Signal>,
    /// Whether it grows in stages by cost, or with all signals at once.
    pub staged: bool,
    /// Maximum number of levels.
    pub depth: u16,
    /// Minimum number of pairs in a leaf.
    pub leaf: usize,
    /// Minimum share, by the pessimistic estimate, of pairs of `Same` in a leaf that calls its pairs so, and of
    /// duplicates in one that calls them versions. Leaves below both take the most frequent other class. Use 0 to
    /// compare single signals: a weak one would never claim a duplicate otherwise.
    pub claim: f64,
}

impl Default for Growth {
    /// The parameters of a model for judging: all signals of the texts, in stages.
    fn default() -> Self {
        let of_text = Signal::ALL
            .into_iter()
            .filter(|signal| !signal.is_of_place());
        Self {
            claim: BORNE_OUT,
            ..Self::of(of_text.collect())
        }
    }
}

impl Growth {
    /// Whether models are grown to judge, and not to compare signals: what answers withhold is then withheld.
    pub fn is_for_judging(&self) -> bool {
        self.claim > 0.0
    }

    /// The parameters to compare these signals, in stages: every leaf takes the class of most of its pairs.
    pub fn of(signals: Vec<Signal>) -> Self {
        Self {
            signals,
            staged: true,
            depth: 7,
            leaf: 5,
            claim: 0.0,
        }
    }

    /// The parameters of a model for judging that also uses the signals of places: for pairs in folders chosen by
    /// people.
    pub fn with_places() -> Self {
        Self {
            claim: BORNE_OUT,
            ..Self::of(Signal::ALL.to_vec())
        }
    }
}

/// A refused training.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TrainingError {
    /// A class is labelled, and has too few pairs.
    #[error(
        "pairs labelled {class}: {found}, and at least {MIN_PAIRS_OF_CLASS} are needed of each class that is labelled"
    )]
    TooFew {
        /// Name of the class.
        class: &'static str,
        /// Pairs labelled with it, fewer than [`MIN_PAIRS_OF_CLASS`].
        found: u32,
    },
    /// There is no pair.
    #[error("no labelled pair is left to judge")]
    NoPairs,
    /// All pairs are of one class.
    #[error(
        "all labelled pairs are labelled {0}, and at least {MIN_PAIRS_OF_CLASS} of another class are needed"
    )]
    OneClass(&'static str),
    /// More pairs than a training takes.
    #[error("there are {0} labelled pairs, and at most {MAX_PAIRS} are taken")]
    TooMany(usize),
    /// The pairs come from too few sources to be divided into folds.
    #[error(
        "the labelled pairs come of {0} groups of documents, and at least {FOLDS} are needed: \
         judgements are tested on groups that were not learned from"
    )]
    TooFewSources(usize),
    /// The caller cancelled it.
    #[error("the training was cancelled")]
    Cancelled,
    /// The learner failed.
    #[error("the tree could not be grown: {0}")]
    Learner(String),
}

/// Checks that there is enough to learn from: at least two classes, whichever they are, and none with too few pairs.
pub(crate) fn check(counts: &Counts) -> Result<(), TrainingError> {
    let total = counts.total() as usize;
    if total > MAX_PAIRS {
        return Err(TrainingError::TooMany(total));
    }
    let present = Class::ALL
        .into_iter()
        .filter(|class| counts.0[class.index()] > 0);
    let present: Vec<Class> = present.collect();
    let too_few = |class: Class| TrainingError::TooFew {
        class: class.name(),
        found: counts.0[class.index()],
    };
    let few = |class: &&Class| counts.0[class.index()] < MIN_PAIRS_OF_CLASS;
    if let Some(class) = present.iter().find(few) {
        return Err(too_few(*class));
    }
    match present[..] {
        [] => Err(TrainingError::NoPairs),
        [class] => Err(TrainingError::OneClass(class.name())),
        _ => Ok(()),
    }
}

/// Trains a model.
///
/// # Errors
/// Too few pairs of a class, or too many in total; see [`TrainingError`].
pub fn train(
    pairs: &[LabelledSignals],
    growth: &Growth,
    name: &str,
    note: &str,
) -> Result<Model, TrainingError> {
    check(&counts(pairs))?;
    let root = grown(pairs, growth)?;
    Ok(Model::new(name, note, root))
}

/// The pruned tree of these pairs, even if a class has few.
pub(crate) fn grown(pairs: &[LabelledSignals], growth: &Growth) -> Result<Node, TrainingError> {
    let all: Vec<usize> = (0..pairs.len()).collect();
    let costs: &[Cost] = match growth.staged {
        true => &Cost::ALL,
        false => &[Cost::Compression],
    };
    let root = stage(pairs, all, growth, costs, growth.depth)?;
    Ok(claim::borne_out(prune::pruned(root), growth.claim))
}

/// The tree of these pairs with the signals of the first cost, its leaves grown further with the next.
fn stage(
    pairs: &[LabelledSignals],
    members: Vec<usize>,
    growth: &Growth,
    costs: &[Cost],
    depth: u16,
) -> Result<Node, TrainingError> {
    let whole = leaf(pairs, &members);
    let present = whole.counts().0.iter().filter(|count| **count > 0).count();
    let Some((cost, dearer)) = costs.split_first() else {
        return Ok(whole);
    };
    if present < 2 || members.len() < 2 * growth.leaf || depth == 0 {
        return Ok(whole);
    }
    let signals = growth.signals.iter().copied();
    let signals: Vec<Signal> = signals.filter(|signal| signal.cost() <= *cost).collect();
    if signals.is_empty() {
        return stage(pairs, members, growth, dearer, depth);
    }
    let shape = grow::tree(pairs, &members, &signals, growth, depth)?;
    let mut counted = |members: Vec<usize>, _| Ok(leaf(pairs, &members));
    let grown = grow::fill(&shape, pairs, members.clone(), 0, &mut counted)?;
    let grown = prune::pruned(grown);
    if dearer.is_empty() {
        return Ok(grown);
    }
    let settled = prune::settled(grown);
    let mut further = |members, level| {
        let left = depth.saturating_sub(level);
        stage(pairs, members, growth, dearer, left)
    };
    grow::fill(&settled, pairs, members, 0, &mut further)
}

fn leaf(pairs: &[LabelledSignals], members: &[usize]) -> Node {
    let mut counts = Counts::default();
    members.iter().for_each(|at| counts.add(pairs[*at].class));
    Node::leaf(counts)
}

fn counts(pairs: &[LabelledSignals]) -> Counts {
    let mut counts = Counts::default();
    pairs.iter().for_each(|pair| counts.add(pair.class));
    counts
}

#[cfg(test)]
mod tests;
