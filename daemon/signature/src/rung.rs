//! The ladder of sampling moduli n = 2^r and the rung a document stands on.
//!
//! Mod_n nests along the ladder: F mod 2n = 0 implies F mod n = 0, so a signature made at a fine
//! rung is coarsened by dropping fingerprints and documents of any two lengths compare.
//!
//! # The shortest excerpt still found
//! An excerpt of L bytes copied whole has L−w+1 windows, each sampled with probability 1/n, so it
//! goes unseen with probability (1 − 1/n)^(L−w+1). At the cap n = 64 with w = 20 bytes an excerpt
//! is missed with probability at most 5 % from 210 characters of plain ASCII on, 1 % from 312 and
//! 0.1 % from 458 ([`Rung::shortest_excerpt`]); other scripts take 2 or 3 bytes a character.

/// A rung r of the ladder: the modulus n = 2^r, 0 ≤ r ≤ [`Rung::TOP`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rung(u8);

impl Rung {
    /// n = 1: every shingle is kept and every comparison is exact.
    pub const ZERO: Self = Self(0);
    /// n = 64: the coarsest rung a document is signed at by default.
    pub const MAX_DOCUMENT: Self = Self(6);
    /// n = 32768: the coarsest rung there is, and the last that counts are kept for.
    pub const TOP: Self = Self(15);

    /// The rung r; `None` above [`Rung::TOP`].
    pub const fn new(r: u8) -> Option<Self> {
        if r <= Self::TOP.0 {
            Some(Self(r))
        } else {
            None
        }
    }

    /// The number r of the rung, log₂ of its modulus n.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// n = 2^r. (For schemes whose signatures have one size, n is that size.)
    pub const fn modulus(self) -> u64 {
        1 << self.0
    }

    /// n − 1: the bits that are zero in a fingerprint divisible by n.
    pub(crate) const fn mask(self) -> u64 {
        self.modulus() - 1
    }

    /// The next finer rung; of the finest, itself.
    pub(crate) const fn finer(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The next coarser rung; of the coarsest, itself.
    pub(crate) const fn coarser(self) -> Self {
        match Self::new(self.0 + 1) {
            Some(next) => next,
            None => self,
        }
    }

    /// All rungs, finest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..=Self::TOP.0).map(Self)
    }

    /// The least length, in window units, of a copied excerpt that is missed with probability at
    /// most `miss` (clamped to [1e-300, 1]) when windows of `width` are sampled at this rung.
    pub fn shortest_excerpt(self, width: u16, miss: f64) -> u64 {
        let width = u64::from(width);
        if self == Self::ZERO {
            return width;
        }
        let unseen = (-1.0 / self.modulus() as f64).ln_1p();
        let windows = (miss.clamp(1e-300, 1.0).ln() / unseen).ceil() as u64;
        (width + windows.max(1)) - 1
    }
}
