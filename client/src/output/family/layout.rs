//! Rows and lanes: of a version's children, the one with the largest subtree continues in the parent's lane, of equals
//! the one that led to the latest version; and each other one starts a branch one lane to the right. So there are at
//! most log2(versions) lanes.

use super::{Family, Version, place};

/// A version's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its index among the versions.
    pub(super) version: usize,
    /// Its lane, from 0.
    pub(super) lane: usize,
    /// The version is the first of a branch: its parent is one lane to the left.
    pub(super) branches: bool,
    /// A child of the version follows in its lane.
    pub(super) goes_on: bool,
}

/// The rows of a family, from top to bottom: parents above children, branches before the continuing line.
pub(super) fn rows(family: &Family) -> Vec<Row> {
    let children = children(family);
    let (sizes, latest) = (sizes(family), latest(family));
    let mut rows = Vec::with_capacity(sizes.len());
    let is_root = |at: &usize| family.versions[*at].edge.is_none();
    let roots = (0..sizes.len()).rev().filter(is_root);
    let mut waiting: Vec<_> = roots.map(|root| (root, 0, false)).collect();
    while let Some((version, lane, branches)) = waiting.pop() {
        let born = &children[version];
        // The earliest of those without a date.
        let main = born.iter().copied().rev();
        let main = main.max_by_key(|at| (sizes[*at], latest[*at]));
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

/// The size of each version's subtree, itself included. Parents come before children.
fn sizes(family: &Family) -> Vec<usize> {
    let mut sizes = vec![1; family.versions.len()];
    for (at, version) in family.versions.iter().enumerate().rev() {
        if let Some(edge) = &version.edge {
            sizes[place(edge.parent)] += sizes[at];
        }
    }
    sizes
}

/// The latest version of each version's subtree that has a date, itself included.
fn latest(family: &Family) -> Vec<Option<usize>> {
    let dated = |(at, version): (usize, &Version)| version.day.as_ref().map(|_| at);
    let mut latest: Vec<_> = family.versions.iter().enumerate().map(dated).collect();
    for (at, version) in family.versions.iter().enumerate().rev() {
        if let Some(edge) = &version.edge {
            latest[place(edge.parent)] = latest[place(edge.parent)].max(latest[at]);
        }
    }
    latest
}
