//! Finds versions that were made from two others, and have text of each that the other lacks.
//!
//! [`arrange()`](super::arrange()) places each version below the one that it resembles most. A second parent is sought
//! on other branches only: text that an ancestor has and the parent lacks was restored, and text of a later version of
//! the parent only shows that this later version was the parent. Both parents must be earlier by a date, since a
//! version from which two others were cut shares as much with each of them.
//!
//! Costs one row of counts for each version with a dated version on another branch, and one comparison of dates for
//! each of those; nothing for a version whose parent is on the trunk, as in a history without branches.

use std::cmp::Reverse;

use super::times::times;
use super::{Direction, PlacedVersion, Version};

/// Least shingles of a version that one parent has and the other lacks: a passage of some 80 bytes.
pub const MIN_APART: u64 = 64;

/// How many shingles a version shares with its parent and with another version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingleOverlap {
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
    fn apart(&self, of: usize, parent: usize) -> Vec<ShingleOverlap>;

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
    let min_apart = origins.sampled(MIN_APART);
    let (mut found, mut trunk) = (Vec::new(), Trunk::of(placed.len()));
    for (at, placed_version) in placed.iter().enumerate() {
        let version = placed_version.version;
        let is_dated = |(parent, direction): &(usize, Direction)| {
            !matches!(direction, Direction::Text | Direction::Unknown) && !trunk.holds(*parent)
        };
        let parent = placed_version.parent.filter(is_dated);
        trunk.add(placed_version);
        let Some((parent, _)) = parent else {
            continue;
        };
        let earlier = placed[..at].iter().map(|placed| placed.version);
        let on_others = earlier.filter(|other| !branches.are_in_line(parent, *other));
        let dated = on_others.filter_map(|other| {
            let direction = dated_direction(versions, &times, other, version)?;
            Some((other, direction))
        });
        let dated: Vec<_> = dated.collect();
        if dated.is_empty() {
            continue;
        }
        go_on()?;
        let apart = origins.apart(version, parent);
        let holds = dated.into_iter().filter(|(other, _)| {
            apart[*other].other_alone >= min_apart && apart[*other].parent_alone >= min_apart
        });
        let best = holds.max_by_key(|(other, _)| {
            let ShingleOverlap {
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
        (Some(a), Some(b)) if a < b => {
            let (earlier, later) = (from.date?, to.date?);
            let direction = earlier.kind.max(later.kind).direction();
            earlier.is_before(later).then_some(direction)
        }
        (a, b) if a == b && from.written? < to.written? => Some(Direction::InnerDate),
        _ => None,
    }
}

/// The line that all versions so far descend from, or are on: no version on it has another branch beside it.
struct Trunk {
    /// The place of each version on the trunk, if it ever was on it.
    places: Vec<Option<usize>>,
    /// The first versions are on it still.
    length: usize,
    /// All versions so far are on it.
    is_all: bool,
}

impl Trunk {
    /// The trunk of this many versions, none of which was added yet.
    fn of(versions: usize) -> Self {
        Self {
            places: vec![None; versions],
            length: 0,
            is_all: true,
        }
    }

    fn place(&self, version: usize) -> Option<usize> {
        self.places[version].filter(|place| *place < self.length)
    }

    fn holds(&self, version: usize) -> bool {
        self.place(version).is_some()
    }

    /// Adds the next version in order.
    fn add(&mut self, placed: &PlacedVersion) {
        let below = match placed.parent {
            // A version that is on a branch changes nothing.
            Some((parent, _)) if !self.holds(parent) => return,
            Some((parent, _)) => self.place(parent).map_or(0, |place| place + 1),
            None => 0,
        };
        if self.is_all && below == self.length {
            self.places[placed.version] = Some(below);
            self.length += 1;
        } else {
            self.length = below;
            self.is_all = false;
        }
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::super::{DateKind, VersionDate};
    use super::*;

    /// Sets of numbers stand for texts.
    struct Texts {
        all: Vec<BTreeSet<u32>>,
        /// Rows that were asked for.
        rows: Cell<usize>,
    }

    impl Origins for Texts {
        fn apart(&self, of: usize, parent: usize) -> Vec<ShingleOverlap> {
            self.rows.set(self.rows.get() + 1);
            let (own, parent) = (&self.all[of], &self.all[parent]);
            let apart = |other: &BTreeSet<u32>| {
                let shared = own.intersection(other);
                let both = shared.clone().filter(|x| parent.contains(x)).count() as u64;
                let (shared, with_parent) = (
                    shared.count() as u64,
                    own.intersection(parent).count() as u64,
                );
                ShingleOverlap {
                    other_alone: shared - both,
                    parent_alone: with_parent - both,
                    shared,
                }
            };
            self.all.iter().map(apart).collect()
        }

        fn sampled(&self, shingles: u64) -> u64 {
            shingles
        }
    }

    /// A text in which each of these hundreds has other numbers.
    fn text(replaced: &[u32]) -> BTreeSet<u32> {
        let hundred = |at: u32| match replaced.contains(&at) {
            true => at * 100 + 5_000..at * 100 + 5_100,
            false => at * 100..at * 100 + 100,
        };
        (0..10).flat_map(hundred).collect()
    }

    fn version(date: Option<i64>) -> Version {
        Version {
            name: [0; 32],
            shingles: 1_000,
            date: date.map(|seconds| VersionDate {
                kind: DateKind::Stated,
                seconds,
            }),
            written: None,
        }
    }

    /// Each version below its parent, by dates that are told by what the documents state.
    fn placed(parents: &[Option<usize>]) -> Vec<PlacedVersion> {
        let placed = parents.iter().enumerate().map(|(version, parent)| {
            let parent = parent.map(|parent| (parent, Direction::InnerDate));
            PlacedVersion { version, parent }
        });
        placed.collect()
    }

    /// The second parents, and how many rows were counted for them.
    fn found(
        versions: &[Version],
        placed: &[PlacedVersion],
        all: Vec<BTreeSet<u32>>,
    ) -> (Vec<SecondParent>, usize) {
        let texts = Texts {
            all,
            rows: Cell::new(0),
        };
        let go_on = &mut || Ok::<_, Infallible>(());
        let Ok(found) = second_parents(versions, placed, &texts, go_on);
        (found, texts.rows.get())
    }

    /// A base, two branches of it, and a version that was made from both; in the order of their dates.
    fn merged() -> (Vec<Version>, Vec<PlacedVersion>, Vec<BTreeSet<u32>>) {
        let versions = (0..4).map(|at| version(Some(at * 1_000))).collect();
        let texts = [&[][..], &[1, 2], &[7], &[1, 2, 7]].map(text).to_vec();
        (versions, placed(&[None, Some(0), Some(0), Some(1)]), texts)
    }

    #[test]
    fn a_version_with_text_of_two_branches_has_both_as_parents() {
        let (versions, placed, texts) = merged();
        let second = SecondParent {
            version: 3,
            parent: 2,
            direction: Direction::InnerDate,
        };
        assert_eq!(found(&versions, &placed, texts).0, [second]);
    }

    #[test]
    fn a_second_parent_is_on_another_branch_earlier_by_a_date_and_has_a_passage_of_its_own() {
        let (versions, tree, texts) = merged();
        // Nothing tells that the other branch was there before, or that the parent was.
        for at in [2, 3] {
            let mut undated = versions.clone();
            undated[at].date = None;
            assert_eq!(found(&undated, &tree, texts.clone()).0, [], "{at}");
        }
        let mut by_text = tree.clone();
        by_text[3].parent = Some((1, Direction::Text));
        assert_eq!(found(&versions, &by_text, texts.clone()).0, []);
        // What was replaced in the parent and is back was restored from the base.
        let restored = vec![text(&[]), text(&[1, 2]), text(&[1])];
        assert_eq!(
            found(&versions[..3], &placed(&[None, Some(0), Some(1)]), restored),
            (vec![], 0)
        );
        // Too little of either parent alone: chance, or a heading.
        for (branch, taken) in [(1, 140), (2, 37)] {
            let mut little = texts.clone();
            let other = if branch == 1 { &texts[2] } else { &texts[1] };
            let own = little[3]
                .iter()
                .filter(|x| **x >= 5_000 && !other.contains(x))
                .copied();
            let own: Vec<u32> = own.take(taken).collect();
            little[3].retain(|x| !own.contains(x));
            assert_eq!(found(&versions, &tree, little).0, [], "{branch}");
        }
    }

    #[test]
    fn versions_in_one_line_are_compared_with_no_other() {
        let many = 2_000;
        let versions: Vec<_> = (0..many).map(|at| version(Some(at))).collect();
        let parents: Vec<_> = (0..many as usize).map(|at| at.checked_sub(1)).collect();
        let texts = vec![text(&[]); many as usize];
        assert_eq!(found(&versions, &placed(&parents), texts), (vec![], 0));
    }

    proptest! {
        #[test]
        fn the_trunk_is_what_all_versions_so_far_are_in_line_with(
            picks in prop::collection::vec(prop::option::weighted(0.9, 0_usize..40), 1..40),
        ) {
            let parent = |(at, pick): (usize, &Option<usize>)| pick.filter(|_| at > 0).map(|pick| {
                // Most continue the last version.
                if pick < 20 { at - 1 } else { pick % at }
            });
            let placed = placed(&picks.iter().enumerate().map(parent).collect::<Vec<_>>());
            let branches = Branches::of(&placed);
            let mut trunk = Trunk::of(placed.len());
            for (at, version) in placed.iter().enumerate() {
                for other in 0..at {
                    let is_alone = (0..at).all(|before| branches.are_in_line(other, before));
                    prop_assert_eq!(trunk.holds(other), is_alone, "{} of {}", other, at);
                }
                trunk.add(version);
            }
        }
    }
}
