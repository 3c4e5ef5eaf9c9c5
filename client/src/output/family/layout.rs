//! Rows and lanes: of the versions that came of one, the line with the most versions goes on in the lane of
//! that one, all others are branches, a lane further right. So there are at most as many lanes as the
//! logarithm of the versions, to base 2.

use super::{Family, place};

/// A version in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its place among the versions.
    pub(super) version: usize,
    /// Its lane, from 0.
    pub(super) lane: usize,
    /// It is the first of a branch: its parent stands one lane to the left.
    pub(super) branches: bool,
    /// Another version of its lane follows that came of it.
    pub(super) goes_on: bool,
}

/// The rows of a family, from top to bottom: parents above children, branches before the line that goes on.
pub(super) fn rows(family: &Family) -> Vec<Row> {
    let children = children(family);
    let sizes = sizes(family);
    let mut rows = Vec::with_capacity(sizes.len());
    let is_root = |at: &usize| family.versions[*at].edge.is_none();
    let roots = (0..sizes.len()).rev().filter(is_root);
    let mut waiting: Vec<_> = roots.map(|root| (root, 0, false)).collect();
    while let Some((version, lane, branches)) = waiting.pop() {
        let born = &children[version];
        // Of equals the earliest.
        let main = born.iter().copied().rev().max_by_key(|at| sizes[*at]);
        rows.push(Row {
            version,
            lane,
            branches,
            goes_on: main.is_some(),
        });
        waiting.extend(main.map(|main| (main, lane, false)));
        let others = born.iter().rev().filter(|at| Some(**at) != main);
        waiting.extend(others.map(|at| (*at, lane + 1, true)));
    }
    rows
}

fn children(family: &Family) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); family.versions.len()];
    for (at, version) in family.versions.iter().enumerate() {
        if let Some(edge) = &version.edge {
            children[place(edge.parent)].push(at);
        }
    }
    children
}

/// Versions in the tree below each, itself included. Parents stand before children.
fn sizes(family: &Family) -> Vec<usize> {
    let mut sizes = vec![1; family.versions.len()];
    for (at, version) in family.versions.iter().enumerate().rev() {
        if let Some(edge) = &version.edge {
            sizes[place(edge.parent)] += sizes[at];
        }
    }
    sizes
}
