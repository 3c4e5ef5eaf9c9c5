//! What divides a gap: items in a row that occur once on each side, as many as stand in one order in both.

use super::{Gap, Run, Search, equal_prefix, equal_suffix};

/// Some items in a row, by hash: which side of the gap they are of, and where they begin there.
type Gram = (u64, bool, u32);

impl<E> Search<'_, '_, E> {
    /// Runs that grow from `length` items in a row which occur once on both sides; none where there are none.
    pub(super) fn anchored(&mut self, gap: &Gap, length: usize) -> Result<Vec<Run>, E> {
        let (a, b) = (&self.a[gap.a.clone()], &self.b[gap.b.clone()]);
        if a.len().min(b.len()) < length {
            return Ok(Vec::new());
        }
        self.work.done((a.len() + b.len()) * length)?;
        let mut grams: Vec<Gram> = of_side(a, length, false).collect();
        grams.extend(of_side(b, length, true));
        grams.sort_unstable();
        let same = grams.chunk_by(|x, y| x.0 == y.0);
        let once = same.filter_map(|same| match same {
            [(_, false, a), (_, true, b)] => Some((*a, *b)),
            _ => None,
        });
        let mut once: Vec<(u32, u32)> = once.collect();
        once.sort_unstable();
        self.grown(gap, &longest_ascending(&once), length)
    }

    /// Runs as long as they can be, through anchors that ascend on both sides.
    fn grown(&mut self, gap: &Gap, anchors: &[(u32, u32)], length: usize) -> Result<Vec<Run>, E> {
        let mut runs = Vec::new();
        let (mut end_a, mut end_b) = (gap.a.start, gap.b.start);
        for (x, y) in anchors {
            let (x, y) = (gap.a.start + *x as usize, gap.b.start + *y as usize);
            if x < end_a || y < end_b {
                continue;
            }
            let forward = equal_prefix(&self.a[x..gap.a.end], &self.b[y..gap.b.end]);
            self.work.done(forward + 1)?;
            if forward < length {
                // Two hashes alike.
                continue;
            }
            let back = equal_suffix(&self.a[end_a..x], &self.b[end_b..y]);
            self.work.done(back)?;
            runs.push(Run {
                a: x - back,
                b: y - back,
                length: back + forward,
            });
            (end_a, end_b) = (x + forward, y + forward);
        }
        Ok(runs)
    }
}

fn of_side(items: &[u32], length: usize, side: bool) -> impl Iterator<Item = Gram> {
    let grams = items.windows(length).zip(0u32..);
    grams.map(move |(gram, at)| (hash(gram), side, at))
}

/// A hash of items in a row. Equal ones are compared item by item.
pub(super) fn hash(items: &[u32]) -> u64 {
    items.iter().fold(0, |hash: u64, item| {
        let mixed = (hash ^ u64::from(*item)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    })
}

/// The longest part of a list that ascends in the second number too; the first ascends (Schensted 1961, by binary
/// search).
fn longest_ascending(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // The end of the best part of each length, and what stands before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut longest = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        longest.push(pairs[at]);
        next = before[at];
    }
    longest.reverse();
    longest
}
