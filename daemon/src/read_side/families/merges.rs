//! Finds versions that were made from two others, and have text of each that the other lacks.
//!
//! [`arrange()`](super::arrange()) places each version below the one that it resembles most. A second parent is sought
//! on other branches only: text that an ancestor has and the parent lacks was restored, and text of a later version of
//! the parent says no more than that one was the parent. Both parents must be earlier by a date, since a version from
//! which two others were cut shares the same with them.
//!
//! Costs one row of counts for each version whose parent is not the only branch before it.

use std::cmp::Reverse;

use super::times::times;
use super::{Direction, PlacedVersion, Version};

/// Least shingles of a version that one parent has and the other lacks: a passage of some 80 bytes.
pub const LEAST_APART: u64 = 64;

/// What a version shares with its parent and another version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedApart {
    /// Shared with the other version and not with the parent.
    pub other_alone: u64,
    /// Shared with the parent and not with the other version.
    pub parent_alone: u64,
    /// Shared with the other version.
    pub shared: u64,
}

/// Where the text of a version stands besides.
pub trait Origins {
    /// What a version shares with its parent and each other version, in shingles of the sample.
    fn apart(&self, of: usize, parent: usize) -> Vec<SharedApart>;

    /// How many shingles of the sample stand for this many of a text.
    fn sampled(&self, shingles: u64) -> u64;
}

/// The second parent of a version, and the evidence that it is the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondParent {
    /// The index of the version in the input of the order.
    pub version: usize,
    /// The index of its second parent.
    pub parent: usize,
    /// The date that tells.
    pub direction: Direction,
}

/// The second parents of versions in their order.
///
/// # Errors
/// That of `go_on`, which is called periodically.
pub fn second_parents<E>(
    versions: &[Version],
    placed: &[PlacedVersion],
    origins: &impl Origins,
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Vec<SecondParent>, E> {
    let (branches, times) = (Branches::of(placed), times(versions));
    let least = origins.sampled(LEAST_APART);
    let mut found = Vec::new();
    for (at, placed_version) in placed.iter().enumerate() {
        let version = placed_version.version;
        let Some((parent, direction)) = placed_version.parent else {
            continue;
        };
        let is_dated = !matches!(direction, Direction::Text | Direction::Unknown);
        let earlier = placed[..at].iter().map(|placed| placed.version);
        let on_others = earlier.filter(|other| !branches.are_in_line(parent, *other));
        let dated = on_others.filter_map(|other| {
            let direction = dated_direction(versions, &times, other, version)?;
            Some((other, direction))
        });
        let dated: Vec<_> = dated.filter(|_| is_dated).collect();
        if dated.is_empty() {
            continue;
        }
        go_on()?;
        let apart = origins.apart(version, parent);
        let holds = dated.into_iter().filter(|(other, _)| {
            apart[*other].other_alone >= least && apart[*other].parent_alone >= least
        });
        let best = holds.max_by_key(|(other, _)| {
            let SharedApart {
                other_alone,
                shared,
                ..
            } = apart[*other];
            (other_alone, shared, Reverse(versions[*other].shingles))
        });
        found.extend(best.map(|(parent, direction)| SecondParent {
            version,
            parent,
            direction,
        }));
    }
    Ok(found)
}

/// The date by which one version is earlier than another, if any.
fn dated_direction(
    versions: &[Version],
    times: &[Option<i64>],
    earlier: usize,
    later: usize,
) -> Option<Direction> {
    let (from, to) = (&versions[earlier], &versions[later]);
    match (times[earlier], times[later]) {
        (Some(a), Some(b)) if a < b => Some(from.date?.kind.max(to.date?.kind).direction()),
        (a, b) if a == b && from.written? < to.written? => Some(Direction::InnerDate),
        _ => None,
    }
}

/// Which versions descend from which, by their first parents.
struct Branches {
    /// The place of each version in an order in which its descendants follow it, and how many there are with itself.
    spans: Vec<(usize, usize)>,
}

impl Branches {
    fn of(placed: &[PlacedVersion]) -> Self {
        let mut sizes = vec![1; placed.len()];
        for placed in placed.iter().rev() {
            if let Some((parent, _)) = placed.parent {
                sizes[parent] += sizes[placed.version];
            }
        }
        let (mut spans, mut next, mut roots) =
            (vec![(0, 0); placed.len()], vec![0; placed.len()], 0);
        for placed in placed {
            let from = match placed.parent {
                Some((parent, _)) => &mut next[parent],
                None => &mut roots,
            };
            let (at, size) = (*from, sizes[placed.version]);
            *from += size;
            spans[placed.version] = (at, size);
            next[placed.version] = at + 1;
        }
        Self { spans }
    }

    /// Whether one of two versions descends from the other, or they are the same.
    fn are_in_line(&self, a: usize, b: usize) -> bool {
        let holds = |(at, size): (usize, usize), (other, _)| (at..at + size).contains(&other);
        holds(self.spans[a], self.spans[b]) || holds(self.spans[b], self.spans[a])
    }
}
