//! Which results of a list are judged.

use std::num::NonZeroU64;

/// Which pairs of a list, or files of groups beside their principals, are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgedItems {
    /// None is judged.
    #[default]
    None,
    /// The first of those with different texts, this many and fewer long ones: the daemon then reads little text for a
    /// list.
    First(NonZeroU64),
    /// All are judged, in half of the time until the deadline.
    All,
}

impl JudgedItems {
    /// Whether judgements are requested, and of how many results at most, 0 if of all.
    pub(crate) fn wire(self) -> (bool, u64) {
        match self {
            Self::None => (false, 0),
            Self::First(count) => (true, count.get()),
            Self::All => (true, 0),
        }
    }
}
