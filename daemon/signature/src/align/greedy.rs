//! Finds the shortest edit path across a gap, within a bound (Myers 1986, the greedy algorithm).
//!
//! If the path takes more than [`MAX_EDITS`] edits, the one that got farthest is taken, and a new search begins at its
//! end: each begins at least that many items later, so that the work is at most that number times the gap's length.

use super::{Gap, Run, Search, Work, equal_prefix};

/// Edits after which the path that got farthest is taken.
const MAX_EDITS: usize = 128;

impl<E> Search<'_, '_, E> {
    /// Aligns what nothing divides.
    pub(super) fn greedy(&mut self, gap: Gap) -> Result<(), E> {
        let (mut from_a, mut from_b) = (gap.a.start, gap.b.start);
        while from_a < gap.a.end && from_b < gap.b.end {
            let (a, b) = (&self.a[from_a..gap.a.end], &self.b[from_b..gap.b.end]);
            let mut ways = Diagonals {
                a,
                b,
                rounds: Vec::new(),
            };
            let farthest = ways.search(self.work)?;
            self.is_cut_short |= (farthest.x, farthest.y) != (a.len(), b.len());
            for run in ways.runs(farthest) {
                self.keep(from_a + run.a, from_b + run.b, run.length);
            }
            (from_a, from_b) = (from_a + farthest.x, from_b + farthest.y);
        }
        Ok(())
    }
}

/// A place between two sequences: `x` items of a and `y` of b lie before it.
#[derive(Clone, Copy)]
struct Place {
    x: usize,
    y: usize,
    /// The number of edits,
    edits: usize,
    /// on the diagonal x - y = 2 * index - edits.
    index: usize,
}

/// How far one gets on each diagonal, edit by edit.
struct Diagonals<'s> {
    a: &'s [u32],
    b: &'s [u32],
    /// For each number of edits and each diagonal, by index, the farthest x; `None` if the diagonal leaves the gap.
    rounds: Vec<Vec<Option<usize>>>,
}

impl Diagonals<'_> {
    /// Goes until both ends are reached or edits run out; returns the farthest place.
    fn search<E>(&mut self, work: &mut Work<'_, E>) -> Result<Place, E> {
        let mut farthest = Place {
            x: 0,
            y: 0,
            edits: 0,
            index: 0,
        };
        for edits in 0..=MAX_EDITS {
            let mut round = Vec::with_capacity(edits + 1);
            for index in 0..=edits {
                let entered = self.entered(edits, index);
                let equal = entered.map_or(0, |(place, _)| {
                    equal_prefix(&self.a[place.x..], &self.b[place.y..])
                });
                work.done(1 + equal)?;
                round.push(entered.map(|(place, _)| {
                    let (x, y) = (place.x + equal, place.y + equal);
                    if x + y > farthest.x + farthest.y {
                        farthest = Place { x, y, ..place };
                    }
                    x
                }));
            }
            self.rounds.push(round);
            if (farthest.x, farthest.y) == (self.a.len(), self.b.len()) {
                break;
            }
        }
        Ok(farthest)
    }

    /// Where a diagonal is entered by the last of so many edits, and the index of the diagonal it comes from; none
    /// outside the gap.
    fn entered(&self, edits: usize, index: usize) -> Option<(Place, usize)> {
        let place = |x: usize| {
            let y = (x + edits).checked_sub(2 * index)?;
            let is_within = x <= self.a.len() && y <= self.b.len();
            is_within.then_some(Place { x, y, edits, index })
        };
        let Some(before) = edits.checked_sub(1) else {
            return Some((place(0)?, 0));
        };
        let before = self.rounds.get(before)?;
        let added = before.get(index).copied().flatten().and_then(place);
        let removed = index.checked_sub(1).and_then(|from| before[from]);
        let removed = removed.and_then(|x| place(x + 1));
        // The one that got farther; where both did, what is removed comes first.
        match (added, removed) {
            (Some(added), Some(removed)) if added.x > removed.x => Some((added, index)),
            (Some(added), None) => Some((added, index)),
            (_, removed) => Some((removed?, index - 1)),
        }
    }

    /// The equal stretches on the way to a place, the last first.
    fn runs(&self, farthest: Place) -> Vec<Run> {
        let mut runs = Vec::new();
        let Place {
            mut x,
            mut edits,
            mut index,
            ..
        } = farthest;
        while let Some((entry, from)) = self.entered(edits, index) {
            if x > entry.x {
                runs.push(Run {
                    a: entry.x,
                    b: entry.y,
                    length: x - entry.x,
                });
            }
            let Some(before) = edits.checked_sub(1) else {
                break;
            };
            let Some(reached) = self.rounds[before][from] else {
                break;
            };
            (x, edits, index) = (reached, before, from);
        }
        runs
    }
}
