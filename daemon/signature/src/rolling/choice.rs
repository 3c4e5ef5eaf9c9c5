//! What is selected from the windows of a text.

use crate::fingerprint::Fingerprint;
use crate::modulus::RemainderTest;
use crate::rolling::Stretch;
use crate::rung::Rung;

/// Which fingerprints of a text are selected.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    /// The multiples of 2^rung.
    Divisible(Rung),
    /// Those of one remainder.
    Congruent(RemainderTest),
    /// Those that are less than this one.
    Below(Fingerprint),
}

impl Choice {
    /// Selects the multiples of n.
    pub(crate) fn multiples_of(n: u64) -> Self {
        let rung = u8::try_from(n.trailing_zeros()).ok().and_then(Rung::new);
        match rung.filter(|rung| rung.modulus() == n) {
            Some(rung) => Self::Divisible(rung),
            None => Self::Congruent(RemainderTest::new(n, 0)),
        }
    }
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

/// What to do with the windows of a text.
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "read where the processor may have AVX-512")
)]
pub(super) enum Task<'t> {
    /// Shows all fingerprints in the order of the text.
    Runs(&'t mut dyn FnMut(&[Fingerprint])),
    /// Adds the selected fingerprints in no particular order.
    Choose(Choice, &'t mut Vec<Fingerprint>),
    /// Joins the lanes' stretches, and adds the least of each chunk that lies within one; selected windows end chunks.
    Minima(
        Choice,
        &'t mut dyn FnMut(Stretch, &mut Vec<Fingerprint>),
        &'t mut Vec<Fingerprint>,
    ),
}
