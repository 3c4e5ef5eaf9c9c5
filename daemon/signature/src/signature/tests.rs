//! Signatures: order, coarsening, and what does not compare.

use super::*;
use crate::{BswN, CanonicalText, Chunks, ModN, ShingleSet};
use proptest::prelude::*;

impl Signature {
    /// The signature of a text at a coarser rung, made of a finer one by the definition: what signing at that rung is
    /// held against.
    pub(crate) fn coarsened(&self, rung: Rung) -> Result<Self, Unlike> {
        if rung == self.rung {
            return Ok(self.clone());
        }
        if rung < self.rung || !self.scheme.kind.nests() {
            return Err(Unlike::Modulus(self.scheme.kind, self.rung, rung));
        }
        let kept = self.fingerprints.iter().copied();
        Ok(Self {
            scheme: self.scheme,
            rung,
            fingerprints: kept.filter(|f| f.divisible_by(rung)).collect(),
        })
    }
}

fn rung(r: u8) -> Rung {
    Rung::new(r).unwrap()
}

fn text() -> CanonicalText {
    let words: String = (0..900u32).map(|i| format!("{} ", i * i % 7919)).collect();
    CanonicalText::from_extracted(&words)
}

proptest! {
    #[test]
    fn counts_are_the_lengths_of_the_coarsened_signatures(
        values in prop::collection::vec(any::<u64>(), 0..200), own in 0u8..6, zeros in 0u32..16,
    ) {
        let values = values.into_iter().map(|v| Fingerprint(v << zeros)).collect();
        let scheme = Scheme::of_text(SchemeKind::ModN, Window::DEFAULT);
        let signature = Signature::new(scheme, rung(own), values);
        let counts = signature.counts_by_rung();
        for at in Rung::all() {
            let expected = signature.coarsened(at).map_or(0, |coarse| coarse.len());
            prop_assert_eq!(counts[usize::from(at.get())] as usize, expected);
        }
    }
}

#[test]
fn at_rung_zero_a_signature_is_the_shingle_set() {
    let signature = ModN::sign(&text(), Window::DEFAULT, Rung::ZERO);
    let set = ShingleSet::new(&text(), Window::DEFAULT);
    assert_eq!(signature.fingerprints(), set.sampled(Rung::ZERO));
}

#[test]
fn bsw_n_does_not_nest() {
    let bsw_n = BswN::sign(&text(), Window::DEFAULT, rung(3));
    let unlike = Unlike::Modulus(SchemeKind::BswN, rung(3), rung(4));
    assert_eq!(bsw_n.coarsened(rung(4)), Err(unlike));
    assert_eq!(bsw_n.coarsened(rung(3)), Ok(bsw_n.clone()));
    let counts = bsw_n.counts_by_rung();
    assert_eq!(counts.iter().filter(|&&count| count > 0).count(), 1);
    assert_eq!(counts[3] as usize, bsw_n.len());
}

#[test]
fn unlike_signatures_say_what_differs() {
    let sign = |window, r| ModN::sign(&text(), window, rung(r));
    let (nine, words) = (Window::bytes(9).unwrap(), Window::words(4).unwrap());
    let base = sign(nine, 1);
    let said = |other: &Signature| base.common_rung(other).unwrap_err().to_string();
    assert_eq!(
        said(&sign(words, 1)),
        "signatures of different windows, 9 bytes and 4 words"
    );
    assert_eq!(
        said(&Chunks::sign(b"raw", Rung::ZERO)),
        "signatures of different schemes, mod_n and chunks"
    );
    let older = Scheme {
        canonical: 0,
        ..base.scheme()
    };
    assert_eq!(
        said(&Signature::new(older, rung(1), Vec::new())),
        format!("signatures of different canonical text versions, {CANONICAL_VERSION} and 0")
    );
    assert_eq!(base.common_rung(&sign(nine, 4)), Ok(rung(4)));
    let bsw_n = |r| BswN::sign(&text(), nine, rung(r));
    assert_eq!(
        bsw_n(1).common_rung(&bsw_n(2)).unwrap_err().to_string(),
        "bsw_n signatures of different n, 2 and 4"
    );
}

#[test]
fn a_signature_drops_what_its_rung_cannot_have_selected() {
    let scheme = Scheme::of_text(SchemeKind::ModN, Window::DEFAULT);
    let values = [8, 3, 4, 8, 0].map(Fingerprint).to_vec();
    let signature = Signature::new(scheme, rung(2), values);
    assert_eq!(signature.fingerprints(), [0, 4, 8].map(Fingerprint));
}
