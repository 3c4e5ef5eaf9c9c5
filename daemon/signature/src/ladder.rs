//! How the length of a document chooses its rung.

use crate::rung::Rung;
use crate::sampling::Sampling;

/// How the length of a document chooses its rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// The signature length aimed at, in fingerprints.
    pub target: u32,
    /// The coarsest rung given to any document; bounds the shortest excerpt still found.
    pub cap: Rung,
    /// What was chosen for texts, in place of what the target asks for.
    pub sampling: Option<Sampling>,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            target: 512,
            cap: Rung::MAX_DOCUMENT,
            sampling: None,
        }
    }
}

impl Ladder {
    /// The least r ≤ cap with `length >> r` ≤ target; `length` in bytes of canonical text (or in
    /// chunks, where chunks are signed).
    pub fn rung_for(self, length: u64) -> Rung {
        self.least_rung(length, self.target)
    }

    /// Returns the rung for a text of `length` bytes, unless it repeats itself. With a chosen sampling it is the rung
    /// of the size step, made coarser while `length >> r` exceeds 32 × target, and finer while it is below 2 ×
    /// [`min_kept`](Self::min_kept).
    pub fn rung_of_text(self, length: u64) -> Rung {
        let Some(sampling) = self.sampling else {
            return self.rung_for(length);
        };
        let bounded = self.least_rung(length, self.target.saturating_mul(32));
        let mut rung = sampling.rung_for(length).max(bounded).min(self.cap);
        while rung > Rung::ZERO && length >> rung.get() < 2 * u64::from(self.min_kept()) {
            rung = rung.finer();
        }
        rung
    }

    /// Returns the rung for a text that keeps `kept` fingerprints at `by_length`: a finer one if these are fewer than
    /// [`min_kept`](Self::min_kept), as in a text that repeats itself.
    pub fn rung_of_kept(self, by_length: Rung, kept: u64) -> Rung {
        match kept < u64::from(self.min_kept()) {
            true => self.rung_of_text(kept << by_length.get()).min(by_length),
            false => by_length,
        }
    }

    /// The least number of fingerprints that a sampled document is meant to keep: one that keeps fewer by chance is
    /// signed at a finer rung.
    pub fn min_kept(self) -> u32 {
        match self.sampling {
            None => self.target / 4,
            Some(_) => (self.target / 16).max(1),
        }
    }

    fn least_rung(self, length: u64, most: u32) -> Rung {
        let mut rung = Rung::ZERO;
        while rung < self.cap && length >> rung.get() > u64::from(most) {
            rung = rung.coarser();
        }
        rung
    }

    /// log₂ of n where n is the size of every signature: the least power of two that meets the target.
    pub fn fixed_size(self) -> Rung {
        let log = self.target.next_power_of_two().trailing_zeros();
        Rung::all().nth(log as usize).unwrap_or(Rung::TOP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::SizeStep;

    #[test]
    fn the_rung_is_the_least_that_meets_the_target() {
        let ladder = Ladder::default();
        for (length, r) in [
            (0, 0),
            (512, 0),
            (513, 1),
            (1025, 1),
            (1026, 2),
            (u64::MAX, 6),
        ] {
            assert_eq!(ladder.rung_for(length).get(), r, "{length}");
        }
    }

    /// The rung of a text, as the page says it: tried from the coarsest on.
    fn twin(ladder: Ladder, length: u64) -> u8 {
        let Some(sampling) = ladder.sampling else {
            let fits = |r: &u8| length >> r <= u64::from(ladder.target);
            return (0..=6).find(fits).unwrap_or(6);
        };
        let chosen = sampling
            .size_steps()
            .into_iter()
            .rfind(|g| g.from <= length);
        let mut rung = chosen.unwrap().rung.get();
        while rung < 6 && length >> rung > 32 * u64::from(ladder.target) {
            rung += 1;
        }
        while rung > 0 && length >> rung < u64::from(ladder.target) / 8 {
            rung -= 1;
        }
        rung
    }

    #[test]
    fn a_chosen_rung_is_that_of_the_size_as_long_as_enough_and_not_too_much_is_kept() {
        let step = |from, rung| SizeStep {
            from,
            rung: Rung::new(rung).unwrap(),
        };
        let settings = [
            vec![step(0, 0)],
            vec![step(0, 6)],
            vec![step(0, 0), step(2_000, 2), step(9_000, 3)],
        ];
        for groups in settings {
            let ladder = Ladder {
                sampling: Some(Sampling::new(&groups).unwrap()),
                ..Ladder::default()
            };
            let lengths = (0..30_000).chain((15..40).map(|log| (1 << log) + 1));
            for length in lengths {
                for ladder in [ladder, Ladder::default()] {
                    let rung = ladder.rung_of_text(length);
                    assert_eq!(rung.get(), twin(ladder, length), "{length}");
                    let (least, most) = (ladder.min_kept(), ladder.rung_of_kept(rung, 1 << 20));
                    assert_eq!(most, rung);
                    for kept in [0, 1, u64::from(least) - 1] {
                        let finer = twin(ladder, kept << rung.get()).min(rung.get());
                        assert_eq!(ladder.rung_of_kept(rung, kept).get(), finer);
                        assert!(finer < rung.get() || rung == Rung::ZERO, "{length}");
                    }
                }
            }
        }
    }

    #[test]
    fn chunks_follow_the_target_whatever_is_chosen_for_texts() {
        let all = [SizeStep {
            from: 0,
            rung: Rung::new(6).unwrap(),
        }];
        let ladder = Ladder {
            sampling: Some(Sampling::new(&all).unwrap()),
            ..Ladder::default()
        };
        assert_eq!(
            (ladder.rung_for(400).get(), ladder.rung_for(600).get()),
            (0, 1)
        );
        assert_eq!(ladder.fixed_size(), Ladder::default().fixed_size());
    }

    #[test]
    fn signatures_of_fixed_size_have_a_power_of_two_of_entries() {
        for (target, n) in [(512, 512), (500, 512), (1, 1), (u32::MAX / 2, 32_768)] {
            let ladder = Ladder {
                target,
                ..Ladder::default()
            };
            assert_eq!(ladder.fixed_size().modulus(), n, "{target}");
        }
    }

    #[test]
    fn no_rung_above_the_top() {
        assert_eq!(Rung::new(15), Some(Rung::TOP));
        assert_eq!(Rung::new(16), None);
        assert_eq!(Rung::all().count(), 16);
    }

    #[test]
    fn shortest_excerpt_meets_the_bound_and_no_shorter_one_does() {
        for (miss, length) in [(0.05, 210), (0.01, 312), (0.001, 458)] {
            assert_eq!(Rung::MAX_DOCUMENT.shortest_excerpt(20, miss), length);
            let missed = |l: u64| (1.0f64 - 1.0 / 64.0).powi((l - 19) as i32);
            assert!(missed(length) <= miss && missed(length - 1) > miss);
        }
        assert_eq!(Rung::ZERO.shortest_excerpt(20, 0.001), 20);
    }
}
