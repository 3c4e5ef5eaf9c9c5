//! Finds moves: blocks of words that were removed in one place and added in another.
//!
//! The search covers what is outside of the long common stretches: runs of items that occur once in the removed text
//! and once in the added text, extended as far as both sides agree. For a run that occurs more often there is no single
//! place that it came from.

use std::borrow::Cow;
use std::ops::Range;

use super::anchors::hash;
use super::{Gap, MOVED_WORDS, Run, Work, equal_prefix, equal_suffix, gaps};

/// Items in a row, by hash: of which side, in which gap, and where they begin.
type Gram = (u64, bool, usize, usize);

/// The blocks that moved, by their place in `b`, disjoint on both sides.
pub(super) fn moved<E>(
    a: &[u32],
    b: &[u32],
    runs: &[Run],
    work: &mut Work<'_, E>,
) -> Result<Vec<Run>, E> {
    let between: Vec<Gap> = gaps(runs, Gap::whole(a, b)).collect();
    let mut grams: Vec<Gram> = Vec::new();
    for (number, gap) in between.iter().enumerate() {
        grams.extend(grams_of(a, gap.a.clone(), (false, number)));
        grams.extend(grams_of(b, gap.b.clone(), (true, number)));
    }
    work.done(grams.len() * MOVED_WORDS)?;
    grams.sort_unstable();
    let same = grams.chunk_by(|x, y| x.0 == y.0);
    let once = same.filter_map(|same| match same {
        [(_, false, in_a, a), (_, true, in_b, b)] => Some((*b, *in_b, *a, *in_a)),
        _ => None,
    });
    let mut once: Vec<_> = once.collect();
    once.sort_unstable();
    let mut moves: Vec<Run> = Vec::new();
    let mut taken = vec![false; if once.is_empty() { 0 } else { a.len() }];
    for (y, in_b, x, in_a) in once {
        let (of_a, of_b) = (&between[in_a].a, &between[in_b].b);
        let free_b = moves.last().map_or(0, |last| last.of_b().end);
        if y < free_b || taken[x] {
            continue;
        }
        let back = equal_suffix(&a[of_a.start..x], &b[of_b.start.max(free_b)..y]);
        work.done(back)?;
        let back = free(taken[x - back..x].iter().rev());
        let forward = equal_prefix(&a[x..of_a.end], &b[y..of_b.end]);
        work.done(forward)?;
        let forward = free(taken[x..x + forward].iter());
        if back + forward >= MOVED_WORDS {
            taken[x - back..x + forward].fill(true);
            moves.push(Run {
                a: x - back,
                b: y - back,
                length: back + forward,
            });
        }
    }
    Ok(moves)
}

/// How many are free before the first that is taken.
fn free<'t>(taken: impl Iterator<Item = &'t bool>) -> usize {
    taken.take_while(|taken| !**taken).count()
}

fn grams_of(
    items: &[u32],
    gap: Range<usize>,
    (side, number): (bool, usize),
) -> impl Iterator<Item = Gram> {
    let grams = items[gap.clone()].windows(MOVED_WORDS).zip(gap);
    grams.map(move |(gram, at)| (hash(gram), side, number, at))
}

/// Both sequences with numbers in place of what moved that stand nowhere else, so that none of it is aligned.
pub(super) fn without<'s>(a: &'s [u32], b: &'s [u32], moves: &[Run]) -> [Cow<'s, [u32]>; 2] {
    if moves.is_empty() {
        return [Cow::Borrowed(a), Cow::Borrowed(b)];
    }
    let mut unused = u32::MAX;
    let mut cover = |items: &[u32], ranges: &mut dyn Iterator<Item = Range<usize>>| {
        let mut items = items.to_vec();
        for item in ranges.flat_map(|range| range.collect::<Vec<_>>()) {
            items[item] = unused;
            unused -= 1;
        }
        Cow::Owned(items)
    };
    [
        cover(a, &mut moves.iter().map(|run| run.of_a())),
        cover(b, &mut moves.iter().map(|run| run.of_b())),
    ]
}
