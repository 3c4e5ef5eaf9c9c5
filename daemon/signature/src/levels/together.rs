//! Counts what one text shares with each of up to 64 others in one merge.
//!
//! Versions of a document hold nearly the same shingles, so the union of many is little longer than one of them. It is
//! kept with a mask of its holders for each shingle. A merge with the shingles of a further text finds the masks of all
//! that it shares, and the bits of these are counted by text. A text is compared with k versions in about the time that
//! it takes to be compared with one.

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
            levels: std::array::from_fn(|level| Union::of(texts, level, 0)),
            ends: texts.iter().map(|text| text.ends).collect(),
        }
    }

    /// Bytes that joining texts with this many shingles takes at most, while it goes on.
    pub fn peak_bytes(shingles: u64) -> u64 {
        // Two halves and their union.
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
    /// The union of texts at a level; the first of them has this position.
    fn of(texts: &[&Levels], level: usize, first: usize) -> Self {
        match texts {
            [] => Self::default(),
            [text] => {
                let shingles = text.level(level).to_vec();
                let holders = vec![1 << first; shingles.len()];
                Self { shingles, holders }
            }
            texts => {
                let (left, right) = texts.split_at(texts.len() / 2);
                let right_first = first + left.len();
                Self::of(left, level, first).with(&Self::of(right, level, right_first))
            }
        }
    }

    fn with(&self, other: &Self) -> Self {
        let most = self.shingles.len() + other.shingles.len();
        let (mut shingles, mut holders) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (self.shingles.get(i), other.shingles.get(j)) {
            let (is_ours, is_theirs) = (x <= y, y <= x);
            let ours = if is_ours { self.holders[i] } else { 0 };
            let theirs = if is_theirs { other.holders[j] } else { 0 };
            shingles.push(*x.min(y));
            holders.push(ours | theirs);
            i += usize::from(is_ours);
            j += usize::from(is_theirs);
        }
        for (rest, at) in [(self, i), (other, j)] {
            shingles.extend_from_slice(&rest.shingles[at..]);
            holders.extend_from_slice(&rest.holders[at..]);
        }
        shingles.shrink_to_fit();
        holders.shrink_to_fit();
        Self { shingles, holders }
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
