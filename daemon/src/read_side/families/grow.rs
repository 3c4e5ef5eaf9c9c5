//! Grows trees of versions, nearest first (Prim 1957), in memory that is linear in the versions: each
//! version is counted against all others when it joins.

use std::cmp::Ordering;

use super::{Likeness, Version};

/// Counts and times that determine how near versions are to one another.
pub(super) struct Distances<'a, A> {
    pub(super) alike: &'a A,
    /// The time of each version, as used by the order.
    pub(super) times: Vec<Option<i64>>,
    /// The latest date written in each.
    written: Vec<Option<i64>>,
    /// Ranks in the order of names, so that the result does not depend on the order of the input.
    ranks: Vec<usize>,
}

/// The nearest version that a tree offers to one outside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestVersion {
    pub(super) parent: usize,
    resemblance: f64,
    /// Seconds between the two, then between the dates written in them; the maximum if a date is missing.
    gap: [u64; 2],
    /// The ranks of both, the smaller first: no two pairs are equally near.
    pair: (usize, usize),
}

impl NearestVersion {
    /// `Less` where this one is nearer.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_resemblance = other.resemblance.total_cmp(&self.resemblance);
        by_resemblance
            .then(self.gap.cmp(&other.gap))
            .then(self.pair.cmp(&other.pair))
    }
}

/// The versions outside a tree, each with the nearest version in it.
pub(super) struct Frontier {
    nearest: Vec<Option<NearestVersion>>,
    joined: Vec<bool>,
}

impl<'a, A: Likeness> Distances<'a, A> {
    pub(super) fn new(versions: &[Version], alike: &'a A, times: Vec<Option<i64>>) -> Self {
        let mut by_name: Vec<usize> = (0..versions.len()).collect();
        by_name.sort_unstable_by_key(|at| versions[*at].name);
        let mut ranks = vec![0; versions.len()];
        by_name
            .into_iter()
            .enumerate()
            .for_each(|(rank, at)| ranks[at] = rank);
        Self {
            alike,
            times,
            written: versions.iter().map(|version| version.written).collect(),
            ranks,
        }
    }

    pub(super) fn rank(&self, of: usize) -> usize {
        self.ranks[of]
    }

    /// An empty tree.
    pub(super) fn frontier(&self) -> Frontier {
        Frontier {
            nearest: vec![None; self.ranks.len()],
            joined: vec![false; self.ranks.len()],
        }
    }

    /// Adds a version to a tree, and offers it to all outside.
    pub(super) fn join(&self, frontier: &mut Frontier, version: usize) {
        frontier.joined[version] = true;
        for (other, resemblance) in self.alike.row(version).into_iter().enumerate() {
            let Some(resemblance) = resemblance.filter(|_| !frontier.joined[other]) else {
                continue;
            };
            let offered = self.nearest(version, other, resemblance);
            let known = &mut frontier.nearest[other];
            if known.is_none_or(|known| offered.order(&known).is_lt()) {
                *known = Some(offered);
            }
        }
    }

    fn nearest(&self, parent: usize, other: usize, resemblance: f64) -> NearestVersion {
        let (a, b) = (self.ranks[parent], self.ranks[other]);
        let gap = |dates: &[Option<i64>]| match (dates[parent], dates[other]) {
            (Some(a), Some(b)) => a.abs_diff(b),
            _ => u64::MAX,
        };
        NearestVersion {
            parent,
            resemblance,
            gap: [gap(&self.times), gap(&self.written)],
            pair: (a.min(b), a.max(b)),
        }
    }
}

impl Frontier {
    /// Of these versions, the one nearest to the tree, if any is linked to it.
    pub(super) fn next_of(&self, open: &[usize]) -> Option<(usize, NearestVersion)> {
        let linked = open.iter().filter(|at| !self.joined[**at]);
        let linked = linked.filter_map(|at| Some((*at, self.nearest[*at]?)));
        linked.min_by(|a, b| a.1.order(&b.1))
    }
}
