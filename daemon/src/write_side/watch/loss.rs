//! The guard against a mass loss that never happened: a share half mounted, a server half up.

/// A loss of fewer files than this is accepted.
pub const HELD_FROM: u64 = 1_000;
/// A loss of at most this share of the known files, in percent, is accepted.
pub const HELD_ABOVE_PERCENT: u64 = 20;

/// The decision about the files that a rescan did not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDecision {
    /// They are gone: remove them.
    Accept,
    /// Too many, and nobody was seen deleting them: keep them until a person confirms the loss.
    Hold,
}

/// Decides what to do with the losses that a rescan of one root found.
///
/// * `known`: files recorded under the root before the rescan;
/// * `missed`: those of them that the rescan did not find;
/// * `moved`: those of the missed whose content was found under another path;
/// * `deletes_seen`: those of the missed for which a delete event was seen, moves not counted twice.
///
/// Losses of at least [`HELD_FROM`] files that are also more than [`HELD_ABOVE_PERCENT`] of the known ones are held.
pub fn assess(known: u64, missed: u64, moved: u64, deletes_seen: u64) -> LossDecision {
    let unexplained = missed.saturating_sub(moved).saturating_sub(deletes_seen);
    let large = u128::from(unexplained) * 100 > u128::from(known) * u128::from(HELD_ABOVE_PERCENT);
    if unexplained >= HELD_FROM && large {
        LossDecision::Hold
    } else {
        LossDecision::Accept
    }
}

#[cfg(test)]
mod tests {
    use super::LossDecision::{Accept, Hold};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_count_is_bounded_below_at_exactly_a_thousand() {
        assert_eq!(assess(1_500, 999, 0, 0), Accept);
        assert_eq!(assess(1_500, 1_000, 0, 0), Hold);
    }

    #[test]
    fn the_share_must_exceed_twenty_percent() {
        assert_eq!(assess(10_000, 2_000, 0, 0), Accept, "exactly 20 %");
        assert_eq!(assess(10_000, 2_001, 0, 0), Hold);
    }

    #[test]
    fn moves_and_seen_deletes_explain_a_loss() {
        assert_eq!(assess(2_000, 2_000, 600, 401), Accept);
        assert_eq!(assess(2_000, 2_000, 600, 400), Hold);
        assert_eq!(
            assess(2_000, 1_000, 800, 800),
            Accept,
            "more explained than missed"
        );
    }

    #[test]
    fn a_small_root_may_vanish_and_the_largest_numbers_do_not_overflow() {
        assert_eq!(assess(999, 999, 0, 0), Accept);
        assert_eq!(assess(u64::MAX, u64::MAX, 0, 0), Hold);
        assert_eq!(assess(0, 0, 0, 0), Accept);
    }

    proptest! {
        #[test]
        fn more_explanation_never_turns_accept_into_hold(
            known in 0u64..100_000, missed in 0u64..100_000, moved in 0u64..50_000, seen in 0u64..50_000,
        ) {
            if assess(known, missed, moved, seen) == Accept {
                prop_assert_eq!(assess(known, missed, moved + 1, seen), Accept);
                prop_assert_eq!(assess(known, missed, moved, seen + 1), Accept);
                prop_assert_eq!(assess(known + 1, missed, moved, seen), Accept);
            }
        }
    }
}
