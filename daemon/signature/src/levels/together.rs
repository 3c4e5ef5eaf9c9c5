//! Counts what one text shares with each of up to 64 others in one merge.
//!
//! Versions of a document hold nearly the same shingles, so the union of many is little longer than one of them. It is
//! kept with a mask of its holders for each shingle. A merge with the shingles of a further text finds the masks of all
//! that it shares, and the bits of these are counted by text. A text is compared with k versions in about the time that
//! it takes to be compared with one.

use std::ops::Range;

use super::{LEVELS, Levels, SharedAt, shared_at};
use crate::fingerprint::Fingerprint;

/// The shingles of a few texts by level, so that another text can be compared with all of them at once.
#[derive(Debug)]
pub struct LevelsTogether {
    /// The coarsest level first.
    levels: [Union; LEVELS],
    /// Where each level ends, by text.
    ends: Vec<[usize; LEVELS]>,
}

/// The shingles of several texts at one level, ascending.
#[derive(Debug, Default)]
struct Union {
    shingles: Vec<Fingerprint>,
    /// For each shingle a bit for each text that holds it.
    holders: Vec<u64>,
}

impl LevelsTogether {
    /// Maximum number of texts.
    pub const TEXTS: usize = u64::BITS as usize;

    /// Joins the shingles of some texts; those after the first [`LevelsTogether::TEXTS`] are left out.
    pub fn of(texts: &[&Levels]) -> Self {
        let texts = &texts[..texts.len().min(Self::TEXTS)];
        Self {
            levels: std::array::from_fn(|level| Union::of(texts, level)),
            ends: texts.iter().map(|text| text.ends).collect(),
        }
    }

    /// Bytes that joining texts with this many shingles takes at most, while it goes on.
    pub fn peak_bytes(shingles: u64) -> u64 {
        // Those of all texts, before and after they are merged by pairs.
        2 * shingles * (size_of::<Fingerprint>() + size_of::<u64>()) as u64
    }

    /// Number of distinct shingles of all texts.
    pub fn len(&self) -> usize {
        self.levels.iter().map(|level| level.shingles.len()).sum()
    }

    /// Whether no text has a shingle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Compares a text with all of these as [`Levels::compare`] does, from the coarsest rung on. Calls `go_on` at each
    /// rung with the position of each text of which more was wanted at the rung before.
    pub fn compare(&self, other: &Levels, mut go_on: impl FnMut(usize, SharedAt) -> bool) {
        let mut open = vec![true; self.ends.len()];
        let mut tally = Tally::of(self.ends.len());
        for (level, union) in self.levels.iter().enumerate() {
            union.count_shared(other.level(level), &mut tally);
            for (at, ends) in self.ends.iter().enumerate() {
                if open[at] {
                    let sizes = ends[level] + other.ends[level];
                    open[at] = go_on(at, shared_at(level, sizes, tally.counts[at]));
                }
            }
            if !open.contains(&true) {
                break;
            }
        }
    }
}

impl Union {
    /// The union of texts at a level.
    fn of(texts: &[&Levels], level: usize) -> Self {
        let mut unions = Unions::of_each(texts, level);
        let mut merged = Unions::default();
        while unions.ends.len() > 1 {
            unions.merge_pairs_into(&mut merged);
            std::mem::swap(&mut unions, &mut merged);
        }
        let mut all = unions.all;
        all.shingles.shrink_to_fit();
        all.holders.shrink_to_fit();
        all
    }

    fn part(&self, range: Range<usize>) -> Part<'_> {
        Part {
            shingles: &self.shingles[range.clone()],
            holders: &self.holders[range],
        }
    }

    fn extend(&mut self, part: Part<'_>) {
        self.shingles.extend_from_slice(part.shingles);
        self.holders.extend_from_slice(part.holders);
    }

    /// Appends the union of two parts.
    fn merge(&mut self, a: Part<'_>, b: Part<'_>) {
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (a.shingles.get(i), b.shingles.get(j)) {
            let (is_of_a, is_of_b) = (x <= y, y <= x);
            let of_a = if is_of_a { a.holders[i] } else { 0 };
            let of_b = if is_of_b { b.holders[j] } else { 0 };
            self.shingles.push(*x.min(y));
            self.holders.push(of_a | of_b);
            i += usize::from(is_of_a);
            j += usize::from(is_of_b);
        }
        self.extend(a.after(i));
        self.extend(b.after(j));
    }

    /// Adds what another text shares with each of these.
    fn count_shared(&self, other: &[Fingerprint], tally: &mut Tally) {
        let (mut i, mut j) = (0, 0);
        while i < self.shingles.len() && j < other.len() {
            let mut met = [0; Tally::AT_ONCE];
            let mut count = 0;
            while let (Some(x), Some(y), Some(slot)) =
                (self.shingles.get(i), other.get(j), met.get_mut(count))
            {
                // Overwritten by the next one unless it is shared.
                *slot = self.holders[i];
                count += usize::from(x == y);
                i += usize::from(x <= y);
                j += usize::from(y <= x);
            }
            if count > 0 {
                tally.add(&met[..count]);
            }
        }
    }
}

/// Unions of some texts each, one after another in two vectors: with two vectors for each, the heap of a thread that
/// joins family after family falls into pieces.
#[derive(Default)]
struct Unions {
    all: Union,
    ends: Vec<usize>,
}

impl Unions {
    /// The shingles of each text at a level.
    fn of_each(texts: &[&Levels], level: usize) -> Self {
        let count = texts.iter().map(|text| text.level(level).len()).sum();
        let mut unions = Self::default();
        unions.all.shingles.reserve_exact(count);
        unions.all.holders.reserve_exact(count);
        for (at, text) in texts.iter().enumerate() {
            unions.all.shingles.extend_from_slice(text.level(level));
            let end = unions.all.shingles.len();
            unions.all.holders.resize(end, 1 << at);
            unions.ends.push(end);
        }
        unions
    }

    fn part(&self, at: usize) -> Part<'_> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.all.part(start..self.ends[at])
    }

    /// Merges each two neighbours into one, in place of what `merged` held.
    fn merge_pairs_into(&self, merged: &mut Self) {
        let Self { all, ends } = merged;
        ends.clear();
        all.shingles.clear();
        all.holders.clear();
        all.shingles.reserve_exact(self.all.shingles.len());
        all.holders.reserve_exact(self.all.holders.len());
        for at in (0..self.ends.len()).step_by(2) {
            match at + 1 < self.ends.len() {
                true => all.merge(self.part(at), self.part(at + 1)),
                false => all.extend(self.part(at)),
            }
            ends.push(all.shingles.len());
        }
    }
}

/// A part of a union.
#[derive(Clone, Copy)]
struct Part<'a> {
    shingles: &'a [Fingerprint],
    holders: &'a [u64],
}

impl Part<'_> {
    /// All but the first, so many of them.
    fn after(self, count: usize) -> Self {
        Self {
            shingles: &self.shingles[count..],
            holders: &self.holders[count..],
        }
    }
}

/// How many masks had each bit.
struct Tally {
    counts: Vec<u64>,
}

impl Tally {
    fn of(bits: usize) -> Self {
        let counts = vec![0; bits];
        Self { counts }
    }

    /// Digits of the sums of one addition.
    const DIGITS: usize = 8;
    /// Maximum number of masks added at once.
    const AT_ONCE: usize = (1 << Self::DIGITS) - 1;

    /// Adds the bits of at most [`Tally::AT_ONCE`] masks: in 64 sums side by side, of which each word holds one digit.
    fn add(&mut self, masks: &[u64]) {
        let mut digits = [0; Self::DIGITS];
        for mask in masks {
            let mut carry = *mask;
            for digit in &mut digits {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        for (bit, count) in self.counts.iter_mut().enumerate() {
            for (place, digit) in digits.iter().enumerate() {
                *count += (digit >> bit & 1) << place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rung::Rung;
    use crate::shingle_set::ShingleSet;

    fn levels(values: &[u64]) -> Levels {
        let mut values: Vec<_> = values.iter().copied().map(Fingerprint).collect();
        values.sort_unstable();
        values.dedup();
        Levels::of(&ShingleSet::listed(values)).unwrap()
    }

    proptest! {
        /// With as few values as these many texts share each; the same number is refused at any rung.
        #[test]
        fn a_text_is_compared_with_each_as_it_is_alone(
            texts in prop::collection::vec(prop::collection::vec(0u64..900, 0..600), 0..70),
            other in prop::collection::vec(0u64..900, 0..1500),
            refused in 0u64..40,
        ) {
            let texts: Vec<Levels> = texts.iter().map(|values| levels(values)).collect();
            let other = levels(&other);
            let together = LevelsTogether::of(&texts.iter().collect::<Vec<_>>());
            let mut last = [None; LevelsTogether::TEXTS];
            together.compare(&other, |at, shared| {
                last[at] = Some(shared);
                shared.shared != refused
            });
            for (at, last) in last.into_iter().enumerate() {
                let alone = texts.get(at).map(|text| {
                    text.compare(&other, Rung::TOP, |shared| shared.shared != refused)
                });
                prop_assert_eq!(last, alone);
            }
        }
    }

    #[test]
    fn more_than_fit_one_addition_are_counted() {
        let all: Vec<u64> = (0..100_000).collect();
        let texts = [levels(&all), levels(&all[50_000..]), levels(&[])];
        let together = LevelsTogether::of(&texts.iter().collect::<Vec<_>>());
        assert_eq!(together.len(), all.len());
        let mut shared = [0; 3];
        together.compare(&levels(&all[10_000..]), |at, found| {
            shared[at] = found.shared;
            true
        });
        assert_eq!(shared, [90_000, 50_000, 0]);
    }
}
