//! Orders versions, each with the earlier one that it was derived from.
//!
//! Versions are placed by date, earliest first, each below the nearest one already placed: the one it resembles most
//! or, of several equals, the nearest in time. So a history is a chain, and versions derived from the same one are
//! branches of it. Versions of the same date are placed by the latest date written in their texts, in the same way, so
//! that no version is placed above one whose text has an earlier date. Versions that neither date distinguishes form a
//! slot and are placed nearest first. If none of them is linked to an earlier version, the slot is spanned by the tree
//! of greatest resemblance (Prim 1957), whose root is then searched for. Versions without a date come after all dated
//! ones, each below the version it resembles most; only the texts can tell whether it was derived from that one. If no
//! date distinguishes any versions, the whole order follows from the texts.
//!
//! **The root, from the text alone.** Along each edge of the tree the logarithm of the length rises towards the
//! later version, since documents grow. Choosing a root directs all edges away from it; the sum of the rises is
//! greatest if the root is the version of least height. So the growth of a whole line directs edges that could
//! not be directed by themselves. How much worse the best root on the other side of an edge is tells how
//! certain the direction of the edge is. Dates written in the texts do not count as rises: they direct edges
//! one by one, and where some rise and others fall along a line, no root could fit them all.
//!
//! Costs: one row of counts for each version, another one if some versions lack a written date that others have, and
//! another one if a slot is spanned; plus the square of the number of versions in a slot.

use std::collections::HashMap;

use super::grow::{Distances, Frontier};
use super::times::times;

/// An edge has no direction if the texts differ by less than this: half a percent of the length.
const MIN_MARGIN: f64 = 0.005;

/// What is known of a version.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// The hash of its text: no two are equal.
    pub name: [u8; 32],
    /// Distinct shingles; at least 1.
    pub shingles: u64,
    /// When it was made.
    pub date: Option<VersionDate>,
    /// The latest date written in its text, seconds since 1970.
    pub written: Option<i64>,
}

/// A date of a version; the better and earlier date is the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionDate {
    /// What kind of date it is.
    pub kind: DateKind,
    /// Seconds since 1970.
    pub seconds: i64,
}

/// The kind of a version's date, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateKind {
    /// The document states it.
    Stated,
    /// The mail that holds it states when it was sent.
    Mail,
    /// A modification time.
    File,
}

impl DateKind {
    /// The evidence of two dates of which this is the worse.
    pub(super) fn direction(self) -> Direction {
        match self {
            Self::Stated => Direction::InnerDate,
            Self::Mail => Direction::Container,
            Self::File => Direction::ModificationTime,
        }
    }
}

/// How alike versions are.
pub trait Likeness {
    /// The resemblance of one version to each other one; `None` if they are not linked. Symmetric. The
    /// entry of the version itself is ignored.
    fn row(&self, of: usize) -> Vec<Option<f64>>;
}

/// The evidence that a version is later than its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Dates stated in both.
    InnerDate,
    /// The date of the mail that holds one of them; the other has such a date too, or a stated one.
    Container,
    /// The modification time of at least one of them.
    ModificationTime,
    /// The texts alone.
    Text,
    /// No evidence: the dates contradict each other, or the texts leave it open.
    Unknown,
}

impl Direction {
    /// Whether a date is the evidence.
    pub fn is_by_date(self) -> bool {
        !matches!(self, Self::Text | Self::Unknown)
    }
}

/// A version in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedVersion {
    /// Its index in the input.
    pub version: usize,
    /// The index of the earlier version that it was derived from, and the evidence.
    pub parent: Option<(usize, Direction)>,
}

/// Orders versions, earliest first: a parent comes before its children. The order of the input does not matter.
///
/// # Errors
/// That of `go_on`, which is called periodically.
pub fn arrange<E>(
    versions: &[Version],
    alike: &impl Likeness,
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Vec<PlacedVersion>, E> {
    let distances = Distances::new(versions, alike, times(versions));
    let slots = slots(versions, &distances, go_on)?;
    let mut order = Order {
        versions,
        frontier: distances.frontier(),
        distances,
        placed: Vec::with_capacity(versions.len()),
    };
    let mut by_slot: Vec<usize> = (0..versions.len()).collect();
    by_slot.sort_unstable_by_key(|at| (slots[*at], order.distances.rank(*at)));
    for open in by_slot.chunk_by(|a, b| slots[*a] == slots[*b]) {
        order.place_all(open, go_on)?;
    }
    Ok(direct_edges(versions, &slots, &order.placed))
}

/// The key by which a version is placed: its time, then the latest date written in its text.
type Slot = (i64, i64);

/// The time of the slots of versions without a date, if others have one: after all of these.
const UNDATED: i64 = i64::MAX;

/// The slots of all versions.
fn slots<E>(
    versions: &[Version],
    distances: &Distances<'_, impl Likeness>,
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Vec<Slot>, E> {
    let mut all: Vec<usize> = (0..versions.len()).collect();
    let mut slots = vec![(0, 0); versions.len()];
    if distances.times.iter().any(Option::is_some) {
        for (slot, time) in slots.iter_mut().zip(&distances.times) {
            slot.0 = time.unwrap_or(UNDATED);
        }
    }
    all.sort_unstable_by_key(|at| slots[*at]);
    let of_one_time: Vec<&[usize]> = all.chunk_by(|a, b| slots[*a] == slots[*b]).collect();
    let written = |at: usize| versions[at].written;
    let mut spreads = Vec::with_capacity(of_one_time.len());
    for together in of_one_time {
        spreads.push(fill_missing_dates(distances, together, written, go_on)?);
    }
    for (at, written) in spreads.into_iter().flatten() {
        slots[at].1 = written;
    }
    Ok(slots)
}

/// The dates written in some versions. A version without one gets that of the version it is nearest to, or the last of
/// all if it is linked to none.
fn fill_missing_dates<E>(
    distances: &Distances<'_, impl Likeness>,
    among: &[usize],
    date: impl Fn(usize) -> Option<i64>,
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<HashMap<usize, i64>, E> {
    let (dated, open): (Vec<usize>, Vec<usize>) = among.iter().partition(|at| date(**at).is_some());
    let last = if dated.is_empty() { 0 } else { i64::MAX };
    let own = |at: &usize| (*at, date(*at).unwrap_or(last));
    let mut dates: HashMap<usize, i64> = among.iter().map(own).collect();
    if dated.is_empty() || open.is_empty() {
        return Ok(dates);
    }
    let mut frontier = distances.frontier();
    for at in dated {
        go_on()?;
        distances.join(&mut frontier, at);
    }
    while let Some((at, nearest)) = frontier.next_of(&open) {
        go_on()?;
        dates.insert(at, dates[&nearest.parent]);
        distances.join(&mut frontier, at);
    }
    Ok(dates)
}

/// The order as it is being built.
struct Order<'a, A> {
    versions: &'a [Version],
    distances: Distances<'a, A>,
    frontier: Frontier,
    /// Each with its parent.
    placed: Vec<(usize, Option<usize>)>,
}

impl<A: Likeness> Order<'_, A> {
    /// Places versions that no date distinguishes.
    fn place_all<E>(
        &mut self,
        open: &[usize],
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut open = open.to_vec();
        while !open.is_empty() {
            go_on()?;
            let (next, parent) = match self.frontier.next_of(&open) {
                Some((next, nearest)) => (next, Some(nearest.parent)),
                None => (self.root_among(&open, go_on)?, None),
            };
            self.placed.push((next, parent));
            self.distances.join(&mut self.frontier, next);
            open.retain(|at| *at != next);
        }
        Ok(())
    }

    /// The root of the tree that the first of these versions is in: the version of least height.
    fn root_among<E>(
        &self,
        open: &[usize],
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<usize, E> {
        let first = open[0];
        if open.len() == 1 {
            return Ok(first);
        }
        let mut heights = vec![0.0; self.versions.len()];
        let mut frontier = self.distances.frontier();
        self.distances.join(&mut frontier, first);
        let mut lowest = first;
        while let Some((next, nearest)) = frontier.next_of(open) {
            go_on()?;
            let rises = rise(&self.versions[nearest.parent], &self.versions[next]);
            heights[next] = heights[nearest.parent] + rises;
            let place = |at: usize| (heights[at], self.distances.rank(at));
            if place(next) < place(lowest) {
                lowest = next;
            }
            self.distances.join(&mut frontier, next);
        }
        Ok(lowest)
    }
}

/// The rise from one version to another, by their texts alone; in the other direction it is the negative.
fn rise(from: &Version, to: &Version) -> f64 {
    (to.shingles as f64 / from.shingles as f64).ln()
}

/// Determines the evidence that directs each edge.
fn direct_edges(
    versions: &[Version],
    slots: &[Slot],
    placed: &[(usize, Option<usize>)],
) -> Vec<PlacedVersion> {
    let mut trees = SlotTrees::of(versions, slots, placed);
    trees.find_lowest(placed);
    let direction = |version: usize, parent: usize| {
        let (from, to) = (&versions[parent], &versions[version]);
        let is_other_time = slots[parent].0 != slots[version].0;
        if let (Some(earlier), Some(later), true) = (from.date, to.date, is_other_time)
            && earlier.is_before(later)
        {
            return earlier.kind.max(later.kind).direction();
        }
        match (from.written, to.written) {
            (Some(earlier), Some(later)) if earlier < later => Direction::InnerDate,
            (Some(earlier), Some(later)) if earlier > later => Direction::Unknown,
            // A stated date and a modification time too close to it: the texts were not asked for the order.
            _ if is_other_time && slots[version].0 != UNDATED => Direction::Unknown,
            // That the tree is attached to a dated version does not make that version the earlier one.
            _ if slots[version].0 == UNDATED && trees.hangs(version) => {
                match rise(from, to) >= MIN_MARGIN {
                    true => Direction::Text,
                    false => Direction::Unknown,
                }
            }
            _ if trees.margin(version) >= MIN_MARGIN => Direction::Text,
            _ => Direction::Unknown,
        }
    };
    let place = |&(version, parent): &(usize, Option<usize>)| PlacedVersion {
        version,
        parent: parent.map(|parent| (parent, direction(version, parent))),
    };
    placed.iter().map(place).collect()
}

/// Trees of versions that no date distinguished, one for each slot: the height of each version above its tree's root,
/// and the least height of any version beyond it.
struct SlotTrees {
    heights: Vec<f64>,
    lowest_beyond: Vec<f64>,
    /// The version that the tree begins with, and whether that one is attached to an earlier version.
    top: Vec<(usize, bool)>,
    above: Vec<Option<usize>>,
}

impl SlotTrees {
    fn of(versions: &[Version], slots: &[Slot], placed: &[(usize, Option<usize>)]) -> Self {
        let none = vec![0.0; versions.len()];
        let mut trees = Self {
            heights: none.clone(),
            lowest_beyond: none,
            top: vec![(0, false); versions.len()],
            above: vec![None; versions.len()],
        };
        for &(version, parent) in placed {
            let above = parent.filter(|parent| slots[*parent] == slots[version]);
            trees.above[version] = above;
            trees.top[version] = match above {
                Some(above) => trees.top[above],
                None => (version, parent.is_some()),
            };
            if let Some(above) = above {
                let rises = rise(&versions[above], &versions[version]);
                trees.heights[version] = trees.heights[above] + rises;
            }
        }
        trees.lowest_beyond.clone_from(&trees.heights);
        trees
    }

    fn find_lowest(&mut self, placed: &[(usize, Option<usize>)]) {
        for (version, _) in placed.iter().rev() {
            if let Some(above) = self.above[*version] {
                let lowest = self.lowest_beyond[*version];
                self.lowest_beyond[above] = self.lowest_beyond[above].min(lowest);
            }
        }
    }

    /// Whether the tree of a version is attached to a version of an earlier slot.
    fn hangs(&self, version: usize) -> bool {
        self.top[version].1
    }

    /// How much worse the best root beyond the edge to a version is than the actual root. If the tree is attached to an
    /// earlier version, that version is certainly its root. This also holds for a version that was placed by the
    /// written date of its neighbour, since it lies beyond a dated version or has one beyond it.
    fn margin(&self, version: usize) -> f64 {
        match self.top[version] {
            (_, true) => f64::INFINITY,
            (top, false) => self.lowest_beyond[version] - self.heights[top],
        }
    }
}
