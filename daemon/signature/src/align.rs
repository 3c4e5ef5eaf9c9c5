//! Aligns two texts: which lines or words of one correspond to which of the other, and which were moved.
//!
//! The input is two sequences of numbers, equal numbers for equal lines or words ([`Vocabulary`]). Items that occur
//! once in both divide the sequences, recursively (patience diff, Cohen; here runs of several items are tried first, so
//! that a set phrase divides nothing). What lies between is aligned by Myers's greedy algorithm (1986) in steps of
//! bounded length. If two texts differ too much in one place, the alignment is longer than necessary and says so; it is
//! never wrong. Apart from sorting, the work is linear in both lengths, whatever the texts are; tests count it. It asks
//! its caller periodically whether to go on ([`Work`]).
//!
//! A block of words that was removed in one place and added in another is a move ([`MOVED_WORDS`]).

mod anchors;
mod greedy;
mod moves;
#[cfg(test)]
mod tests;
mod words;
mod work;

use std::convert::Infallible;
use std::ops::Range;

use work::Work;

pub use words::{Vocabulary, Words, word_count};

/// The fewest words in a row that are a move, about a line of text. Fewer recur by chance: set phrases, headings, the
/// rows of a table.
pub const MOVED_WORDS: usize = 12;

/// Items in a row that divide lines, first to last.
const OF_LINES: &[usize] = &[3, 1];
/// Items in a row that divide words, once those are known that were moved.
const OF_WORDS: &[usize] = &[4, 1];
/// How often what lies between is divided again; then it is searched as it is.
const DEPTH: usize = 16;

/// Equal stretches of two sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Its first item in the first sequence, from 0.
    pub a: usize,
    /// Its first item in the second.
    pub b: usize,
    /// How many items; at least 1.
    pub length: usize,
}

impl Run {
    /// Its items in the first sequence.
    pub fn of_a(self) -> Range<usize> {
        self.a..self.a + self.length
    }

    /// Its items in the second.
    pub fn of_b(self) -> Range<usize> {
        self.b..self.b + self.length
    }
}

/// What two sequences have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// What stands in both in this order; ascending in both, and no run follows another at once in both.
    pub runs: Vec<Run>,
    /// What stands in both, and in another order; ascending in the second. None of lines.
    pub moves: Vec<Run>,
    /// Some gap had more differences than are searched: the runs may be fewer than possible.
    pub is_cut_short: bool,
    /// Items looked at, a measure of the work.
    pub steps: u64,
}

/// Aligns lines as long as `go_on` lets it, which is asked every some thousand items looked at.
///
/// # Errors
/// That of `go_on`.
pub fn align_lines_while<E>(
    a: &[u32],
    b: &[u32],
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Alignment, E> {
    let mut work = Work::asking(go_on);
    let mut search = Search::new(a, b, &mut work);
    let left = search.divide(vec![Gap::whole(a, b)], OF_LINES)?;
    for gap in left {
        search.greedy(gap)?;
    }
    Ok(Alignment {
        runs: joined(search.runs),
        moves: Vec::new(),
        is_cut_short: search.is_cut_short,
        steps: work.steps,
    })
}

/// Aligns words: long stretches first, then blocks that moved, then all that is left.
pub fn align_words(a: &[u32], b: &[u32]) -> Alignment {
    let aligned = align_words_while(a, b, &mut || Ok::<_, Infallible>(()));
    aligned.unwrap_or_else(|never| match never {})
}

/// Aligns words as long as `go_on` lets it, which is asked every some thousand items looked at.
///
/// # Errors
/// That of `go_on`.
pub fn align_words_while<E>(
    a: &[u32],
    b: &[u32],
    go_on: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Alignment, E> {
    let mut work = Work::asking(go_on);
    let mut coarse = Search::new(a, b, &mut work);
    let left = coarse.divide(vec![Gap::whole(a, b)], &[MOVED_WORDS])?;
    let runs = joined(coarse.runs);
    let moves = moves::moved(a, b, &runs, &mut work)?;
    let [a, b] = moves::without(a, b, &moves);
    let mut fine = Search::new(&a, &b, &mut work);
    let left = fine.divide(left, OF_WORDS)?;
    for gap in left {
        fine.greedy(gap)?;
    }
    let is_cut_short = fine.is_cut_short;
    let crumbs = joined([runs, fine.runs].concat());
    Ok(Alignment {
        runs: without_crumbs(crumbs, (a.len(), b.len())),
        moves,
        is_cut_short,
        steps: work.steps,
    })
}

/// What lies between two runs.
#[derive(Clone, Debug)]
struct Gap {
    a: Range<usize>,
    b: Range<usize>,
}

impl Gap {
    fn whole(a: &[u32], b: &[u32]) -> Self {
        Self {
            a: 0..a.len(),
            b: 0..b.len(),
        }
    }
}

/// The gaps before, between and after runs that ascend, the empty ones too.
fn gaps(runs: &[Run], gap: Gap) -> impl Iterator<Item = Gap> {
    let ends = std::iter::once((gap.a.start, gap.b.start));
    let ends = ends.chain(runs.iter().map(|run| (run.of_a().end, run.of_b().end)));
    let starts = runs.iter().map(|run| (run.a, run.b));
    let starts = starts.chain(std::iter::once((gap.a.end, gap.b.end)));
    ends.zip(starts).map(|(end, start)| Gap {
        a: end.0..start.0,
        b: end.1..start.1,
    })
}

/// A search under way.
struct Search<'s, 'w, E> {
    a: &'s [u32],
    b: &'s [u32],
    /// The runs found, unordered.
    runs: Vec<Run>,
    is_cut_short: bool,
    work: &'s mut Work<'w, E>,
}

impl<'s, 'w, E> Search<'s, 'w, E> {
    fn new(a: &'s [u32], b: &'s [u32], work: &'s mut Work<'w, E>) -> Self {
        Self {
            a,
            b,
            runs: Vec::new(),
            is_cut_short: false,
            work,
        }
    }

    /// Divides gaps by what occurs once on both sides of them, `lengths` items in a row; returns what could not be
    /// divided, where both sides have something.
    fn divide(&mut self, gaps_of: Vec<Gap>, lengths: &[usize]) -> Result<Vec<Gap>, E> {
        let mut open: Vec<(Gap, usize)> = gaps_of.into_iter().map(|gap| (gap, 0)).collect();
        let mut left = Vec::new();
        while let Some((gap, depth)) = open.pop() {
            let gap = self.trim(gap)?;
            if gap.a.is_empty() || gap.b.is_empty() {
                continue;
            }
            let mut divided = Vec::new();
            for length in lengths.iter().filter(|_| depth < DEPTH) {
                divided = self.anchored(&gap, *length)?;
                if !divided.is_empty() {
                    break;
                }
            }
            if divided.is_empty() {
                left.push(gap);
                continue;
            }
            open.extend(gaps(&divided, gap).map(|gap| (gap, depth + 1)));
            self.runs.extend(divided);
        }
        Ok(left)
    }

    /// Takes off what both sides begin and end with.
    fn trim(&mut self, gap: Gap) -> Result<Gap, E> {
        let (a, b) = (&self.a[gap.a.clone()], &self.b[gap.b.clone()]);
        let before = equal_prefix(a, b);
        let after = equal_suffix(&a[before..], &b[before..]);
        self.work.done(before + after + 2)?;
        self.keep(gap.a.start, gap.b.start, before);
        self.keep(gap.a.end - after, gap.b.end - after, after);
        Ok(Gap {
            a: gap.a.start + before..gap.a.end - after,
            b: gap.b.start + before..gap.b.end - after,
        })
    }

    fn keep(&mut self, a: usize, b: usize, length: usize) {
        if length > 0 {
            self.runs.push(Run { a, b, length });
        }
    }
}

fn equal_prefix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

fn equal_suffix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let backwards = a.iter().rev().zip(b.iter().rev());
    backwards.take_while(|(x, y)| x == y).count()
}

/// The runs in order, those that follow each other as one.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable();
    let mut joined: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.of_a().end == run.a && last.of_b().end == run.b => {
                last.length += run.length;
            }
            _ => joined.push(run),
        }
    }
    joined
}

/// Words that stand alone between changes much longer than they are: they are there by chance, and a reader sees
/// one change where they would make several of it.
const CRUMB: usize = 3;

fn without_crumbs(runs: Vec<Run>, (a, b): (usize, usize)) -> Vec<Run> {
    let mut kept: Vec<Run> = Vec::with_capacity(runs.len());
    for (at, run) in runs.iter().enumerate() {
        let (from_a, from_b) = kept
            .last()
            .map_or((0, 0), |last| (last.of_a().end, last.of_b().end));
        let (to_a, to_b) = runs.get(at + 1).map_or((a, b), |next| (next.a, next.b));
        let before = (run.a - from_a).min(run.b - from_b);
        let after = (to_a - run.of_a().end).min(to_b - run.of_b().end);
        if run.length > CRUMB || before.min(after) <= run.length {
            kept.push(*run);
        }
    }
    kept
}
