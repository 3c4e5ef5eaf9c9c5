//! A recipe: everything that must be equal for two signatures to compare.

use crate::laboratory::{OutOfDomain, ShingleUnit, Shingling, family};

/// How shingles are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Fingerprints F with F mod n = `remainder` (the papers': 0). Ye et al. 2008, §4.4 average
    /// over all n remainders.
    ModN {
        /// The modulus n.
        n: u64,
        /// What is left, below n.
        remainder: u64,
    },
    /// The smallest window of each content-defined chunk.
    BswN {
        /// The modulus of the boundaries.
        n: u64,
    },
    /// The n smallest fingerprints.
    MinN {
        /// Number of entries that a signature has.
        n: u32,
        /// Smallest in which order.
        order: Order,
    },
    /// The smallest fingerprint under each of n functions.
    SketchN {
        /// Number of entries that a signature has.
        n: u32,
        /// The functions under which minima are taken.
        family: Family,
    },
    /// Hashes of six groups of 14 minima.
    SuperShingles,
    /// The smallest of every so many consecutive shingles.
    Winnowing {
        /// Shingles of a window.
        window: u32,
    },
    /// Hashes of whole content-defined chunks.
    WholeChunks {
        /// The modulus of the boundaries.
        n: u64,
    },
}

/// The order whose first n fingerprints Min_n keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// The order of the fingerprints.
    Numeric,
    /// One random binary matrix: "n minimal elements in a permutation" of Ignatov et al. 2009.
    Matrix {
        /// What it is drawn from.
        seed: u64,
    },
}

/// The functions of Sketch_n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// One function, n bins: fast.
    Bins,
    /// n scrambles of the fingerprint.
    Scrambles {
        /// What they are drawn from.
        seed: u64,
    },
    /// n random binary matrices: "minimal elements in n permutations" of Ignatov et al. 2009.
    Matrices {
        /// What they are drawn from.
        seed: u64,
    },
    /// n Rabin functions of distinct primitive polynomials, of the window itself: Fetterly et al.
    Rabin,
    /// Jenkins' function under n initial values, of the window itself: Cherkasova et al. 2009.
    Jenkins {
        /// The first initial value.
        seed: u32,
    },
}

/// A method with its shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipe {
    /// How shingles are selected.
    pub method: Method,
    /// What a shingle is.
    pub shingling: Shingling,
}

impl Method {
    /// The greatest modulus, and the greatest n of a signature of fixed size.
    pub const MAX_N: u64 = 1 << 20;
    /// The most matrices, of 16 KB each.
    pub const MAX_MATRICES: u64 = 1 << 11;

    /// Mod_n as the papers have it, at remainder 0.
    pub const fn mod_n(n: u64) -> Self {
        Self::ModN { n, remainder: 0 }
    }

    /// Min_n by the order of the fingerprints.
    pub const fn min_n(n: u32) -> Self {
        Self::MinN {
            n,
            order: Order::Numeric,
        }
    }

    /// Sketch_n with the smallest fingerprint of each of n bins.
    pub const fn sketch_n(n: u32) -> Self {
        Self::SketchN {
            n,
            family: Family::Bins,
        }
    }

    /// Its name in tables and figures, such as `"mod_n"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModN { .. } => "mod_n",
            Self::BswN { .. } => "bsw_n",
            Self::MinN { .. } => "min_n",
            Self::SketchN { .. } => "sketch_n",
            Self::SuperShingles => "super_shingles",
            Self::Winnowing { .. } => "winnowing",
            Self::WholeChunks { .. } => "whole_chunks",
        }
    }

    /// Its n, its window, or the number of its minima.
    pub const fn n(self) -> u64 {
        self.size().0
    }

    /// Whether its signatures tell how much of a text another one contains: their size follows the
    /// text's.
    pub const fn gives_containment(self) -> bool {
        match self {
            Self::ModN { .. }
            | Self::BswN { .. }
            | Self::Winnowing { .. }
            | Self::WholeChunks { .. } => true,
            Self::MinN { .. } | Self::SketchN { .. } | Self::SuperShingles => false,
        }
    }

    /// Whether its estimates have an interval at any n: what it keeps are trials of a known law. Those of BSW_n have
    /// one where it was measured.
    pub const fn gives_interval(self) -> bool {
        matches!(
            self,
            Self::ModN { .. } | Self::MinN { .. } | Self::SketchN { .. }
        )
    }

    /// What is its n, its window, or the number of its minima; and the greatest there is.
    const fn size(self) -> (u64, u64) {
        match self {
            Self::ModN { n, .. } | Self::BswN { n } | Self::WholeChunks { n } => (n, Self::MAX_N),
            Self::SketchN {
                n,
                family: Family::Matrices { .. },
            } => (n as u64, Self::MAX_MATRICES),
            Self::SketchN {
                n,
                family: Family::Rabin,
            } => (n as u64, family::POLYNOMIALS as u64),
            Self::MinN { n, .. } | Self::SketchN { n, .. } | Self::Winnowing { window: n } => {
                (n as u64, Self::MAX_N)
            }
            Self::SuperShingles => (84, 84),
        }
    }
}

impl Recipe {
    /// Whether there is such a signature.
    ///
    /// # Errors
    /// [`OutOfDomain`], naming what would do.
    pub fn check(self) -> Result<(), OutOfDomain> {
        let (n, most) = self.method.size();
        if !(1..=most).contains(&n) {
            let method = self.method.name();
            return Err(OutOfDomain::Size { method, n, most });
        }
        match self.method {
            Method::ModN { n, remainder } if remainder >= n => {
                Err(OutOfDomain::Remainder { n, remainder })
            }
            Method::Winnowing { .. } if self.shingling.offset() != 1 => {
                Err(OutOfDomain::WinnowingOffset(self.shingling.offset()))
            }
            Method::WholeChunks { .. }
                if self.shingling.unit() != ShingleUnit::Bytes || self.shingling.offset() != 1 =>
            {
                Err(OutOfDomain::ChunksOf(self.shingling))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.name();
        match *self {
            Self::ModN { n, remainder: 0 } | Self::BswN { n } | Self::WholeChunks { n } => {
                write!(f, "{name}, n = {n}")
            }
            Self::ModN { n, remainder } => write!(f, "{name}, n = {n}, remainder {remainder}"),
            Self::MinN { n, order } => match order {
                Order::Numeric => write!(f, "{name}, n = {n}"),
                Order::Matrix { seed } => write!(f, "{name}, n = {n}, matrix {seed}"),
            },
            Self::SketchN { n, family } => match family {
                Family::Bins => write!(f, "{name}, n = {n}"),
                Family::Scrambles { seed } => write!(f, "{name}, n = {n}, scrambles {seed}"),
                Family::Matrices { seed } => write!(f, "{name}, n = {n}, matrices {seed}"),
                Family::Rabin => write!(f, "{name}, n = {n}, Rabin functions"),
                Family::Jenkins { seed } => write!(f, "{name}, n = {n}, Jenkins functions {seed}"),
            },
            Self::SuperShingles => f.write_str(name),
            Self::Winnowing { window } => write!(f, "{name}, window {window}"),
        }
    }
}

impl std::fmt::Display for Recipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} over {}", self.method, self.shingling)
    }
}
