//! A signature: the fingerprints a scheme selected, and everything needed to compare them rightly.

use crate::canonical::CANONICAL_VERSION;
use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::sorted::sorted_distinct;
use crate::window::{Unit, Window};

/// Number of fingerprints in each signature by super-shingles.
pub(crate) const SUPER_SHINGLES: usize = 6;

/// How fingerprints are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemeKind {
    /// Fingerprints divisible by n.
    ModN,
    /// The smallest window of each content-defined chunk.
    BswN,
    /// Hashes of FastCDC chunks of raw bytes, those divisible by n.
    Chunks,
    /// The n smallest fingerprints, all if there are fewer.
    MinN,
    /// The smallest fingerprint of each of n bins.
    SketchN,
    /// Hashes of six groups of 14 minima.
    SuperShingles,
}

impl SchemeKind {
    /// `"mod_n"`, `"bsw_n"`, `"chunks"`, `"min_n"`, `"sketch_n"` or `"super_shingles"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModN => "mod_n",
            Self::BswN => "bsw_n",
            Self::Chunks => "chunks",
            Self::MinN => "min_n",
            Self::SketchN => "sketch_n",
            Self::SuperShingles => "super_shingles",
        }
    }

    /// Whether a signature at a fine rung holds those at all coarser ones.
    pub const fn nests(self) -> bool {
        matches!(self, Self::ModN | Self::Chunks)
    }

    /// Whether n is the size of every signature, in place of a modulus. Such signatures say nothing of how
    /// long a text is, and so give no containment.
    pub const fn is_of_fixed_size(self) -> bool {
        matches!(self, Self::MinN | Self::SketchN | Self::SuperShingles)
    }

    /// The n of its signatures at a rung: a modulus, or the most fingerprints of a text.
    pub const fn n(self, rung: Rung) -> u64 {
        match self {
            Self::SuperShingles => SUPER_SHINGLES as u64,
            Self::ModN | Self::BswN | Self::Chunks | Self::MinN | Self::SketchN => rung.modulus(),
        }
    }
}

/// A scheme with its parameters; only signatures of equal schemes compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scheme {
    /// How fingerprints are selected.
    pub kind: SchemeKind,
    /// What a shingle is; for [`SchemeKind::Chunks`] the mean chunk length in bytes.
    pub window: Window,
    /// Version of the canonical text; 0 for [`SchemeKind::Chunks`], which reads raw bytes.
    pub canonical: u32,
}

impl Scheme {
    /// A scheme over canonical text of the current version.
    pub const fn of_text(kind: SchemeKind, window: Window) -> Self {
        Self {
            kind,
            window,
            canonical: CANONICAL_VERSION,
        }
    }

    /// The scheme's name in the output contract.
    pub const fn name(self) -> &'static str {
        self.kind.name()
    }

    /// What the width of the window counts.
    pub const fn unit(self) -> Unit {
        self.window.unit()
    }
}

/// Why two signatures do not compare, or one does not coarsen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unlike {
    /// They are of two different schemes.
    #[error("signatures of different schemes, {} and {}", .0.name(), .1.name())]
    Kind(SchemeKind, SchemeKind),
    /// Their shingles have windows of different width or unit.
    #[error("signatures of different windows, {0} and {1}")]
    Window(Window, Window),
    /// The versions of the canonical text differ.
    #[error("signatures of different canonical text versions, {0} and {1}")]
    Canonical(u32, u32),
    /// The n differ in a scheme that does not nest.
    #[error("{} signatures of different n, {} and {}", .0.name(), .1.modulus(), .2.modulus())]
    Modulus(SchemeKind, Rung, Rung),
    /// The scheme says nothing of the sizes of texts.
    #[error("{} gives no containment, for its size does not follow the text's", .0.name())]
    NoContainment(SchemeKind),
    /// The scheme only tells candidates.
    #[error("{} gives candidates and no resemblance", .0.name())]
    NoResemblance(SchemeKind),
}

/// The fingerprints a scheme selected from one document at one rung.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    scheme: Scheme,
    rung: Rung,
    fingerprints: Vec<Fingerprint>,
}

impl Signature {
    /// A signature from the fingerprints a scheme selected, in any order and with repeats.
    ///
    /// For schemes that nest, fingerprints not divisible by the rung's modulus are dropped: they
    /// cannot have been selected.
    pub fn new(scheme: Scheme, rung: Rung, mut fingerprints: Vec<Fingerprint>) -> Self {
        if scheme.kind.nests() && rung > Rung::ZERO {
            fingerprints.retain(|fingerprint| fingerprint.divisible_by(rung));
        }
        Self {
            scheme,
            rung,
            fingerprints: sorted_distinct(fingerprints),
        }
    }

    /// A signature of a scheme that selects them ascending and distinct.
    pub(crate) fn ascending(scheme: Scheme, rung: Rung, fingerprints: Vec<Fingerprint>) -> Self {
        debug_assert!(fingerprints.is_sorted_by(|a, b| a < b));
        Self {
            scheme,
            rung,
            fingerprints,
        }
    }

    /// The scheme and its parameters.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The rung it was made at: log₂ of its n.
    pub fn rung(&self) -> Rung {
        self.rung
    }

    /// The fingerprints, ascending and distinct.
    pub fn fingerprints(&self) -> &[Fingerprint] {
        &self.fingerprints
    }

    /// How many fingerprints it holds.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether nothing was selected.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// How many fingerprints are divisible by 2^r, for each rung r; 0 below the signature's own.
    ///
    /// Of a scheme that does not nest, only the signature's own rung is counted.
    pub fn counts_by_rung(&self) -> [u32; Rung::TOP.get() as usize + 1] {
        let mut counts = [0; Rung::TOP.get() as usize + 1];
        for rung in Rung::all().filter(|&rung| rung >= self.rung) {
            let at_rung = match self.scheme.kind.nests() {
                true => self
                    .fingerprints
                    .iter()
                    .filter(|f| f.divisible_by(rung))
                    .count(),
                false if rung == self.rung => self.len(),
                false => 0,
            };
            counts[usize::from(rung.get())] = u32::try_from(at_rung).unwrap_or(u32::MAX);
        }
        counts
    }

    /// The rung at which two signatures compare: the coarser of the two.
    ///
    /// # Errors
    /// [`Unlike`], naming what differs.
    pub fn common_rung(&self, other: &Self) -> Result<Rung, Unlike> {
        let (a, b) = (self.scheme, other.scheme);
        if a.kind != b.kind {
            return Err(Unlike::Kind(a.kind, b.kind));
        }
        if a.window != b.window {
            return Err(Unlike::Window(a.window, b.window));
        }
        if a.canonical != b.canonical {
            return Err(Unlike::Canonical(a.canonical, b.canonical));
        }
        if !a.kind.nests() && self.rung != other.rung {
            return Err(Unlike::Modulus(a.kind, self.rung, other.rung));
        }
        Ok(self.rung.max(other.rung))
    }
}

#[cfg(test)]
mod tests;
