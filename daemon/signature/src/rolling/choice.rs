//! What is selected from the windows of a text.

use crate::fingerprint::Fingerprint;
use crate::modulus::Residues;
use crate::rung::Rung;

/// Which fingerprints of a text are selected.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    /// The multiples of 2^rung.
    Divisible(Rung),
    /// Those of one remainder.
    Congruent(Residues),
    /// Those that are less than this one.
    Below(Fingerprint),
}

impl Choice {
    /// Whether a fingerprint is selected.
    #[inline]
    pub(crate) fn has(self, fingerprint: Fingerprint) -> bool {
        match self {
            Self::Divisible(rung) => fingerprint.divisible_by(rung),
            Self::Congruent(class) => class.has(fingerprint),
            Self::Below(below) => fingerprint < below,
        }
    }
}
