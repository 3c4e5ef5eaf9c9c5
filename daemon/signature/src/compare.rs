//! Estimates of resemblance and containment from signatures, and how far they can be trusted.
//!
//! Under Mod_n each shingle of A ∪ B is sampled independently of whether it is shared, so of u
//! sampled shingles of the union the shared ones follow Binomial(u, resemblance); of the p sampled
//! shingles of A, Binomial(p, containment of A in B). The interval is Clopper and Pearson's
//! (1934), exact at any count; Wald's fails near 0 and 1, where near-duplicates live.

use crate::estimate::{Estimate, Support};
use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::signature::{SchemeKind, Signature, Unlike};
use crate::sorted::shared;
use crate::{min_n, sketch_n};

/// Resemblance of the documents of two signatures, at the coarser of their rungs; exact if both
/// hold every shingle. `None` if neither holds any fingerprint there.
///
/// # Errors
/// [`Unlike`] if the signatures do not compare, or only tell candidates.
pub fn resemblance(a: &Signature, b: &Signature) -> Result<Option<Estimate>, Unlike> {
    let (of_a, of_b) = (a.fingerprints(), b.fingerprints());
    let (shared, trials, support) = match a.scheme().kind {
        SchemeKind::MinN => {
            let n = a.common_rung(b)?.modulus();
            min_n::count(of_a, of_b, n as usize)
        }
        SchemeKind::SketchN => {
            let (shared, trials) = sketch_n::count_listed(of_a, of_b, a.common_rung(b)?);
            (shared, trials, Support::Sampled)
        }
        SchemeKind::SuperShingles => return Err(Unlike::NoResemblance(SchemeKind::SuperShingles)),
        SchemeKind::ModN | SchemeKind::BswN | SchemeKind::Chunks => {
            let counts = Counts::of(a, b)?;
            (counts.shared, counts.union(), counts.support)
        }
    };
    Ok(Estimate::from_counts(shared, trials, support))
}

/// Containment of the document of `part` in that of `whole`, at the coarser of their rungs.
/// `None` if `part` holds no fingerprint there.
///
/// # Errors
/// [`Unlike`] if the signatures do not compare, or are of one size for all texts.
pub fn containment(part: &Signature, whole: &Signature) -> Result<Option<Estimate>, Unlike> {
    let kind = part.scheme().kind;
    if kind.is_of_fixed_size() {
        return Err(Unlike::NoContainment(kind));
    }
    let counts = Counts::of(part, whole)?;
    Ok(Estimate::from_counts(
        counts.shared,
        counts.a,
        counts.support,
    ))
}

/// The counts of two signatures at their common rung.
struct Counts {
    shared: u64,
    a: u64,
    b: u64,
    support: Support,
}

impl Counts {
    fn of(a: &Signature, b: &Signature) -> Result<Self, Unlike> {
        let rung = a.common_rung(b)?;
        let support = match a.scheme().kind.nests() {
            true => Support::of_sample(rung == Rung::ZERO),
            false => Support::NoInterval,
        };
        let at_rung = |signature: &Signature| -> Vec<Fingerprint> {
            let all = signature.fingerprints().iter().copied();
            // A signature that does not nest is at its own rung already.
            all.filter(|f| signature.rung() == rung || f.divisible_by(rung))
                .collect()
        };
        let (a, b) = (at_rung(a), at_rung(b));
        Ok(Self {
            shared: shared(&a, &b),
            a: a.len() as u64,
            b: b.len() as u64,
            support,
        })
    }

    fn union(&self) -> u64 {
        self.a + self.b - self.shared
    }
}

#[cfg(test)]
pub(crate) mod tests;
