//! Whether two pieces of a family are one history with a gap between them.
//!
//! A document that was rewritten at once leaves two pieces: versions that are linked within each and less alike from
//! one to the other than a link demands. Unlike documents of one template look the same. They are told apart by where
//! the pieces meet. In one history the last version of one piece is followed by the first of the other; a document that
//! began as a copy of another branches off between its versions, and continues beside them.
//!
//! * **By time**, where all versions have one: all of one piece are earlier than all of the other, and the last of the
//!   earlier resembles the first of the later by three fifths of what a link demands.
//! * **By the texts**, where no time tells: the two most alike versions resemble each other by four fifths of what a
//!   link demands, and each is an end of its piece: no two other versions of the piece are less alike than it and the
//!   farthest from it.
//!
//! A pair of single documents is never one history: by time one piece has at least [`MIN_VERSIONS`], by the texts
//! both have.

use super::times::times;
use super::{DateKind, LinkRule, Samples, Version};

/// Least resemblance across a gap that times confirm, of what a link demands.
const BY_TIME: f64 = 0.6;
/// Least resemblance across a gap where no time tells, of what a link demands.
const BY_TEXTS: f64 = 0.8;
/// Versions of a piece that show a history.
const MIN_VERSIONS: usize = 3;
/// What the distance of two ends may fall short of the greatest within a piece.
const END_SLACK: f64 = 0.05;
/// Steps of the search for the two most alike versions.
const MAX_STEPS: usize = 8;

/// Versions that are linked to one another.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// Their numbers in the samples.
    pub numbers: Vec<usize>,
    /// What is known of each.
    pub versions: Vec<Version>,
}

/// Why two pieces are not joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// Neither is earlier than the other as a whole.
    TimesOverlap,
    /// The versions at which they would meet are not their ends, or are not alike enough.
    NotSuccessive,
    /// They have too few versions to be taken for a history.
    TooFew,
    /// Other documents are as near.
    OthersAsNear,
}

/// Least resemblance of two versions across a gap.
pub fn least_across(rule: &LinkRule) -> f64 {
    BY_TIME * rule.resemblance
}

/// The two versions at which two pieces meet, one of each, if they are one history. `near` is a version of the second
/// piece that resembles the first.
///
/// # Errors
/// Why they are not.
pub fn meeting(
    samples: &Samples,
    rule: &LinkRule,
    pieces: [&Piece; 2],
    near: usize,
) -> Result<[usize; 2], GapReason> {
    let lengths = pieces.map(|piece| piece.numbers.len());
    match order_in_time(pieces) {
        TimeOrder::Overlapping => Err(GapReason::TimesOverlap),
        TimeOrder::Successive([a, b]) => {
            let is_near = samples.resemblance(a, b) >= least_across(rule);
            // Times of files may be those of a copy, by name: one document after three is no history by them.
            let enough = |length: &usize| *length >= MIN_VERSIONS;
            let is_history = match have_stated_dates(pieces) {
                true => lengths.iter().any(enough),
                false => lengths.iter().all(enough),
            };
            match is_history {
                _ if !is_near => Err(GapReason::NotSuccessive),
                true => Ok([a, b]),
                false => Err(GapReason::TooFew),
            }
        }
        TimeOrder::Unknown => {
            let [a, b] = most_alike(samples, pieces, near);
            let is_near = samples.resemblance(a, b) >= BY_TEXTS * rule.resemblance;
            let are_ends = || is_end(samples, a, pieces[0]) && is_end(samples, b, pieces[1]);
            match lengths.iter().all(|length| *length >= MIN_VERSIONS) {
                false => Err(GapReason::TooFew),
                true if is_near && are_ends() => Ok([a, b]),
                true => Err(GapReason::NotSuccessive),
            }
        }
    }
}

/// Whether every date is one that a document or its mail states, and none the modification time of a file.
fn have_stated_dates(pieces: [&Piece; 2]) -> bool {
    let versions = pieces.iter().flat_map(|piece| &piece.versions);
    let mut dates = versions.map(|version| version.date);
    dates.all(|date| date.is_some_and(|date| date.kind != DateKind::File))
}

/// How the times of two pieces lie.
enum TimeOrder {
    /// One is earlier; the last version of it and the first of the other, in the order of the pieces.
    Successive([usize; 2]),
    /// Neither of them is earlier.
    Overlapping,
    /// Some version has no time, or several share the one at which the pieces would meet.
    Unknown,
}

fn order_in_time(pieces: [&Piece; 2]) -> TimeOrder {
    let all: Vec<Version> = pieces
        .iter()
        .flat_map(|piece| &piece.versions)
        .copied()
        .collect();
    let Some(times) = times(&all).into_iter().collect::<Option<Vec<i64>>>() else {
        return TimeOrder::Unknown;
    };
    let (a, b) = times.split_at(pieces[0].versions.len());
    let least = |times: &[i64]| times.iter().min().copied().unwrap_or(i64::MAX);
    let greatest = |times: &[i64]| times.iter().max().copied().unwrap_or(i64::MIN);
    if least(&times) == greatest(&times) {
        return TimeOrder::Unknown;
    }
    let only = |times: &[i64], time: i64, piece: &Piece| {
        let mut at = times.iter().enumerate().filter(|(_, its)| **its == time);
        let (first, other) = (at.next(), at.next());
        first
            .filter(|_| other.is_none())
            .map(|(at, _)| piece.numbers[at])
    };
    let ends = if greatest(a) < least(b) {
        [
            only(a, greatest(a), pieces[0]),
            only(b, least(b), pieces[1]),
        ]
    } else if greatest(b) < least(a) {
        [
            only(a, least(a), pieces[0]),
            only(b, greatest(b), pieces[1]),
        ]
    } else {
        return TimeOrder::Overlapping;
    };
    match ends {
        [Some(a), Some(b)] => TimeOrder::Successive([a, b]),
        _ => TimeOrder::Unknown,
    }
}

/// The most alike versions of two pieces, reached from one of the second.
fn most_alike(samples: &Samples, [first, second]: [&Piece; 2], near: usize) -> [usize; 2] {
    let nearest = |piece: &Piece, to: usize| {
        let alike = |at: &usize| samples.resemblance(*at, to);
        let best = piece.numbers.iter().copied();
        best.max_by(|a, b| alike(a).total_cmp(&alike(b)))
            .unwrap_or(to)
    };
    let mut pair = [nearest(first, near), near];
    for _ in 0..MAX_STEPS {
        let b = nearest(second, pair[0]);
        let next = [nearest(first, b), b];
        if next == pair {
            break;
        }
        pair = next;
    }
    pair
}

/// Whether a version is an end of its piece: the farthest version from it has none much farther than it.
fn is_end(samples: &Samples, of: usize, piece: &Piece) -> bool {
    let least = |from: usize| {
        let alike = piece
            .numbers
            .iter()
            .map(|at| (samples.resemblance(from, *at), *at));
        alike.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let Some((alike, farthest)) = least(of) else {
        return true;
    };
    least(farthest).is_none_or(|(least, _)| alike <= least + END_SLACK)
}
