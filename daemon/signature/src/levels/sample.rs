//! The part of the levels of a text that most other texts are told apart from it by.

use super::{Levels, SharedAt, level_of};
use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::sorted::shared;

/// The shingles of one text down to a rung, by level.
#[derive(Debug)]
pub struct LevelSample {
    /// The coarsest level first.
    levels: Levels,
    rung: Rung,
}

impl LevelSample {
    /// The shingles divisible by 2^rung.
    pub fn of(levels: &Levels, rung: Rung) -> Self {
        let all: Vec<Fingerprint> = levels.sampled(rung).to_vec();
        let ends = levels.ends.map(|end| end.min(all.len()));
        let levels = Levels { all, ends };
        Self { levels, rung }
    }

    /// The finest rung at which another text can be compared with it.
    pub fn rung(&self) -> Rung {
        self.rung
    }

    /// Bytes of memory that its shingles take.
    pub fn held_bytes(&self) -> u64 {
        self.levels.held_bytes()
    }

    /// Compares another text with this one, from the coarsest rung to that of the sample, as long as `go_on` wants to
    /// know more. Returns where it did not.
    pub fn refused_at(
        &self,
        other: &Levels,
        mut go_on: impl FnMut(SharedAt) -> bool,
    ) -> Option<SharedAt> {
        let mut counted = 0;
        let mut levels = (0..=level_of(self.rung)).map(|level| {
            counted += shared(self.levels.level(level), other.level(level));
            self.levels.shared_at(other, level, counted)
        });
        levels.find(|at| !go_on(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingle_set::ShingleSet;

    fn levels(values: std::ops::Range<u64>) -> Levels {
        let values = values.map(|value| Fingerprint(value).mixed());
        let mut values: Vec<_> = values.map(Fingerprint).collect();
        values.sort_unstable();
        Levels::of(&ShingleSet::listed(values)).unwrap()
    }

    #[test]
    fn a_sample_refuses_what_the_whole_text_refuses_at_its_rungs() {
        let (text, other) = (levels(0..9_000), levels(3_000..11_000));
        for rung in Rung::all() {
            let sample = LevelSample::of(&text, rung);
            assert!(rung == Rung::ZERO || sample.held_bytes() < text.held_bytes());
            for enough in [0, 1, 3, 40, 700] {
                let mut of_text = Vec::new();
                text.compare(&other, Rung::TOP, |at| {
                    of_text.push(at);
                    at.shared <= enough
                });
                let mut of_sample = Vec::new();
                let refused = sample.refused_at(&other, |at| {
                    of_sample.push(at);
                    at.shared <= enough
                });
                of_text.retain(|at| at.rung >= rung);
                of_sample.retain(|at| at.rung != Rung::ZERO);
                assert_eq!(of_sample, of_text);
                assert!(refused.is_none_or(|at| at.shared > enough));
                assert!(refused.is_some() || of_text.iter().all(|at| at.shared <= enough));
            }
        }
    }
}
