//! How coarsely texts of each size are sampled, where that was chosen and is not the ladder's own.
//!
//! Source: Ye, Wen and Ma 2008, §6: a sampling ratio for each group of sizes. Departure: a longer text is never
//! sampled more finely than a shorter one, so that a pair, which is compared at the coarser rung of both, is
//! compared at that of its longer text; so a setting is, for each rung, the size from which on texts have it.

use crate::rung::Rung;

/// Rungs above n = 1 that a document may be sampled at.
const STEPS: usize = Rung::MAX_DOCUMENT.get() as usize;
/// Stands for a rung that no text has, however long it is.
const NEVER: u64 = u64::MAX;

/// A rung for texts of each size, by bytes of canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The length from which on texts have rung 1, 2, … or a coarser one; these do not descend.
    from: [u64; STEPS],
}

/// Texts of neighbouring sizes that have one rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeStep {
    /// Bytes of the shortest text of the group, which ends where the next one begins.
    pub from: u64,
    /// The rung of all of them.
    pub rung: Rung,
}

/// Why size steps are no sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSampling {
    /// There is no size step.
    #[error("it names no group of sizes")]
    Empty,
    /// Texts shorter than those of all size steps have no rung.
    #[error("its first group begins at {0} bytes; the first one begins at 0")]
    Uncovered(u64),
    /// Size steps do not ascend.
    #[error("a group from {later} bytes comes after one from {earlier}; groups ascend")]
    Order {
        /// Where the size step before begins.
        earlier: u64,
        /// Where this one does.
        later: u64,
    },
    /// A rung that would leave excerpts unseen.
    #[error("n = {0} is too coarse; documents are sampled at n = 64 at most")]
    TooCoarse(u64),
    /// A size step is sampled more finely than one of shorter texts.
    #[error("texts from {0} bytes on are sampled more finely than shorter ones")]
    Finer(u64),
}

impl Sampling {
    /// The sampling of these size steps, shortest texts first; they need not differ in rung.
    pub fn new(groups: &[SizeStep]) -> Result<Self, BadSampling> {
        let first = groups.first().ok_or(BadSampling::Empty)?;
        if first.from != 0 {
            return Err(BadSampling::Uncovered(first.from));
        }
        let mut sampling = Self {
            from: [NEVER; STEPS],
        };
        let mut before: Option<SizeStep> = None;
        for group in groups {
            if group.rung > Rung::MAX_DOCUMENT {
                return Err(BadSampling::TooCoarse(group.rung.modulus()));
            }
            if let Some(before) = before {
                if before.from >= group.from {
                    let (earlier, later) = (before.from, group.from);
                    return Err(BadSampling::Order { earlier, later });
                }
                if before.rung > group.rung {
                    return Err(BadSampling::Finer(group.from));
                }
            }
            let reached = &mut sampling.from[..usize::from(group.rung.get())];
            reached
                .iter_mut()
                .for_each(|from| *from = group.from.min(*from));
            before = Some(*group);
        }
        Ok(sampling)
    }

    /// The rung of a text of so many bytes.
    pub fn rung_for(&self, length: u64) -> Rung {
        let reached = self.from.iter().take_while(|from| **from <= length);
        Rung::all().nth(reached.count()).unwrap_or(Rung::ZERO)
    }

    /// The size steps, shortest texts first; any two that follow each other differ in rung.
    pub fn size_steps(&self) -> Vec<SizeStep> {
        let begins = [0].into_iter().chain(self.from);
        let ends = self.from.into_iter().chain([NEVER]);
        let groups = begins.zip(ends).zip(Rung::all());
        let held = groups.filter(|((begin, end), _)| begin < end);
        held.map(|((from, _), rung)| SizeStep { from, rung })
            .collect()
    }

    /// The coarsest rung that any text has.
    pub fn coarsest(&self) -> Rung {
        let reached = self.from.iter().filter(|from| **from < NEVER);
        Rung::all().nth(reached.count()).unwrap_or(Rung::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn groups(of: &[(u64, u8)]) -> Vec<SizeStep> {
        let group = |&(from, rung): &(u64, u8)| SizeStep {
            from,
            rung: Rung::new(rung).unwrap(),
        };
        of.iter().map(group).collect()
    }

    #[test]
    fn what_is_no_sampling_is_refused_by_what_is_wrong_with_it() {
        let refused = |of: &[(u64, u8)]| Sampling::new(&groups(of)).map(|s| s.size_steps());
        let order = BadSampling::Order {
            earlier: 9,
            later: 9,
        };
        assert_eq!(refused(&[]), Err(BadSampling::Empty));
        assert_eq!(refused(&[(1, 0)]), Err(BadSampling::Uncovered(1)));
        assert_eq!(refused(&[(0, 0), (9, 1), (9, 2)]), Err(order));
        assert_eq!(refused(&[(0, 7)]), Err(BadSampling::TooCoarse(128)));
        assert_eq!(refused(&[(0, 3), (9, 2)]), Err(BadSampling::Finer(9)));
        assert_eq!(refused(&[(0, 6)]), Ok(groups(&[(0, 6)])));
    }

    proptest! {
        #[test]
        fn a_setting_has_the_rung_of_the_last_group_that_begins_no_later(
            steps in prop::collection::btree_map(0u64..5_000, 0u8..=6, 0..9), lengths in prop::collection::vec(0u64..6_000, 20),
        ) {
            let mut coarsest = 0;
            let all = std::iter::once((0, 0)).chain(steps.into_iter().filter(|(from, _)| *from > 0));
            let rising: Vec<(u64, u8)> = all
                .map(|(from, rung)| {
                    coarsest = coarsest.max(rung);
                    (from, coarsest)
                })
                .collect();
            let sampling = Sampling::new(&groups(&rising)).unwrap();
            for length in lengths {
                let twin = rising.iter().rev().find(|(from, _)| *from <= length).unwrap();
                prop_assert_eq!(sampling.rung_for(length).get(), twin.1);
            }
            prop_assert_eq!(Sampling::new(&sampling.size_steps()), Ok(sampling));
            prop_assert_eq!(sampling.coarsest().get(), coarsest);
        }
    }
}
