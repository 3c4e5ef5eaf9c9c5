//! All shingles of a text in the order of the ladder, so that two texts are compared on a sample first
//! and on all of it only where the sample leaves a doubt.
//!
//! A level holds the shingles that are divisible by 2^r and by no higher power; those of the top rung and above
//! share the first. Counts at a rung are the sums over the levels down to it.

use std::ops::Range;

use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::shingle::for_each_run;
use crate::shingle_set::ShingleSet;
use crate::sort::{Place, sort_beside};
use crate::sorted::shared;
use crate::window::Window;

mod sample;
mod together;

pub use sample::LevelSample;
pub use together::LevelsTogether;

/// Levels: one for each rung.
const LEVELS: usize = Rung::TOP.get() as usize + 1;

/// The distinct shingles of one text by level.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The coarsest level first, each ascending.
    all: Vec<Fingerprint>,
    /// Where each level ends.
    ends: [usize; LEVELS],
}

/// What two texts share at a rung, and what they hold there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedAt {
    /// The rung at which both texts were sampled.
    pub rung: Rung,
    /// Distinct shingles of this rung that are in both texts.
    pub shared: u64,
    /// Distinct shingles of this rung that are in at least one of the texts.
    pub union: u64,
}

impl Levels {
    /// The shingles of a set; none where it is too large to be listed.
    pub fn of(set: &ShingleSet) -> Option<Self> {
        let mut all = set.as_list()?.to_vec();
        all.sort_unstable_by_key(|shingle| (level(shingle), *shingle));
        let ends = std::array::from_fn(|last| all.partition_point(|f| level(f) <= last));
        Some(Self { all, ends })
    }

    /// The shingles of a text, at 16 bytes a window while they are sorted: as of its set, in less time, since levels are
    /// parted first and sorted then, and most of them fit a cache that all together do not.
    pub fn of_text(text: &CanonicalText, window: Window) -> Self {
        let mut windows = Vec::with_capacity(text.as_bytes().len());
        for_each_run(text, window, |run| windows.extend_from_slice(run));
        let (mut all, mut ends) = parted(&mut windows);
        let (mut start, mut kept) = (0, 0);
        for end in &mut ends {
            let of_level = start..*end;
            let (values, other) = (&mut all[of_level.clone()], &mut windows[of_level.clone()]);
            if let Place::Other = sort_beside(values, other) {
                values.copy_from_slice(other);
            }
            kept = keep_distinct(&mut all, of_level, kept);
            (start, *end) = (*end, kept);
        }
        all.truncate(kept);
        if kept < all.capacity() / 2 {
            all.shrink_to_fit();
        }
        Self { all, ends }
    }

    /// The shingles of these levels, by value.
    pub fn to_set(&self) -> ShingleSet {
        let mut all = self.sampled(Rung::ZERO).to_vec();
        all.sort_unstable();
        ShingleSet::listed(all)
    }

    /// How many shingles there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the text was shorter than one window.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Bytes of memory that its shingles take.
    pub fn held_bytes(&self) -> u64 {
        size_of_val(self.all.as_slice()) as u64
    }

    /// The shingles divisible by 2^rung; each level ascends, coarsest first.
    pub fn sampled(&self, rung: Rung) -> &[Fingerprint] {
        &self.all[..self.ends[level_of(rung)]]
    }

    /// Compares two texts at `rung`, then at each finer rung down to all shingles, as long as `go_on` wants
    /// to know more. Returns what was compared last.
    pub fn compare(
        &self,
        other: &Self,
        rung: Rung,
        mut go_on: impl FnMut(SharedAt) -> bool,
    ) -> SharedAt {
        let (first, mut from, mut counted) = (level_of(rung), 0, 0);
        for level in 0..LEVELS {
            counted += shared(self.level(level), other.level(level));
            if level < first {
                continue;
            }
            from = level;
            if level + 1 == LEVELS || !go_on(self.shared_at(other, level, counted)) {
                break;
            }
        }
        self.shared_at(other, from, counted)
    }

    fn shared_at(&self, other: &Self, level: usize, shared: u64) -> SharedAt {
        shared_at(level, self.ends[level] + other.ends[level], shared)
    }

    fn level(&self, level: usize) -> &[Fingerprint] {
        let start = level.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[level]]
    }
}

/// The level of a shingle.
fn level(fingerprint: &Fingerprint) -> usize {
    LEVELS - 1 - (fingerprint.0.trailing_zeros() as usize).min(LEVELS - 1)
}

/// Shingles by level, unsorted; and where each level ends. The list is overwritten.
///
/// Levels are taken off one by one, the finest first. Each has half of the list on average, so that all take two passes in
/// sum; where the next shingle goes is known in registers, and no branch depends on its value.
fn parted(list: &mut [Fingerprint]) -> (Vec<Fingerprint>, [usize; LEVELS]) {
    let mut all = vec![Fingerprint(0); list.len()];
    let mut ends = [list.len(); LEVELS];
    for level in (1..LEVELS).rev() {
        let bit = LEVELS - 1 - level;
        let (end, mut left) = (ends[level], 0);
        let mut start = end;
        for at in 0..end {
            // Written to both, and written over where it does not belong: as many places are free before `start` as
            // shingles are left.
            let shingle = list[at];
            let is_of_level = (shingle.0 >> bit) as usize & 1;
            all[start - 1] = shingle;
            list[left] = shingle;
            start -= is_of_level;
            left += 1 - is_of_level;
        }
        ends[level - 1] = left;
    }
    all[..ends[0]].copy_from_slice(&list[..ends[0]]);
    (all, ends)
}

/// Moves the distinct ones of a sorted part of a list to `end` of it, which is not behind the part. Returns where they
/// end then.
fn keep_distinct(all: &mut [Fingerprint], part: Range<usize>, mut end: usize) -> usize {
    let mut last = None;
    for at in part {
        // Written over by the next one if it is a repeat: a branch would be guessed wrong too often.
        let value = all[at];
        let is_new = last != Some(value);
        all[end] = value;
        end += usize::from(is_new);
        last = Some(value);
    }
    end
}

/// What two texts share that hold this many shingles together down to a level, those that both hold counted twice.
fn shared_at(level: usize, shingles: usize, shared: u64) -> SharedAt {
    SharedAt {
        rung: Rung::new((LEVELS - 1 - level) as u8).unwrap_or(Rung::ZERO),
        shared,
        union: shingles as u64 - shared,
    }
}

/// The last level that a rung takes in.
fn level_of(rung: Rung) -> usize {
    LEVELS - 1 - usize::from(rung.get()).min(LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::CanonicalText;
    use crate::window::Window;

    fn set(text: &str) -> ShingleSet {
        ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT)
    }

    fn words(from: u64, to: u64) -> String {
        (from..to).map(|n| format!("{:x} ", n * 7_919)).collect()
    }

    #[test]
    fn counts_at_every_rung_are_those_of_the_sets() {
        let (a, b) = (set(&words(0, 3_000)), set(&words(400, 3_300)));
        let (of_a, of_b) = (Levels::of(&a).unwrap(), Levels::of(&b).unwrap());
        assert_eq!(of_a.len(), a.len());
        assert_eq!(of_a.to_set().as_list(), a.as_list());
        for rung in Rung::all() {
            let mut sample = of_a.sampled(rung).to_vec();
            sample.sort_unstable();
            assert_eq!(sample, a.sampled(rung));
            let at = of_a.compare(&of_b, rung, |_| false);
            let shared = shared(&a.sampled(rung), &b.sampled(rung));
            let union = (a.sampled(rung).len() + b.sampled(rung).len()) as u64 - shared;
            assert_eq!(
                at,
                SharedAt {
                    rung,
                    shared,
                    union
                }
            );
        }
        let mut rungs = Vec::new();
        let last = of_a.compare(&of_b, Rung::TOP, |at| {
            rungs.push(at.rung.get());
            true
        });
        assert!(rungs.into_iter().eq((1..=15).rev()));
        assert_eq!((last.rung, last.shared), (Rung::ZERO, a.shared_with(&b)));
    }

    #[test]
    fn levels_of_a_text_are_those_of_its_set() {
        let long = words(0, 20_000);
        for text in [
            "short",
            &words(0, 90),
            &words(0, 90).repeat(40),
            &"a".repeat(999),
            &long,
        ] {
            let text = CanonicalText::from_extracted(text);
            for window in [
                Window::DEFAULT,
                Window::words(3).unwrap(),
                Window::bytes(2).unwrap(),
            ] {
                let of_set = Levels::of(&ShingleSet::new(&text, window)).unwrap();
                let of_text = Levels::of_text(&text, window);
                assert_eq!((of_text.all, of_text.ends), (of_set.all, of_set.ends));
            }
        }
    }

    #[test]
    fn an_empty_text_and_one_that_is_counted_in_parts() {
        let empty = Levels::of(&set("short")).unwrap();
        assert!(empty.is_empty() && empty.sampled(Rung::ZERO).is_empty());
        let text = CanonicalText::from_extracted(&words(0, 500));
        assert!(Levels::of(&ShingleSet::listing(&text, Window::DEFAULT, 100)).is_none());
    }
}
