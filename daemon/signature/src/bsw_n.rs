//! BSW_n: of each content-defined chunk, the hash of its smallest window.
//!
//! Source: Cherkasova et al. 2009, §2 "Algorithm BSW_n". Cost: one rolling pass, in which each lane of the kernel keeps
//! the smallest window of its current chunk. The paper leaves choices open; these are ours:
//!
//! - Position k is a boundary if F_k mod n = 0, n = 2^r. A chunk is the windows after the previous
//!   boundary up to **and including** its own boundary window: so no chunk is empty, every window
//!   lies in exactly one chunk, and at n = 1 every window is a chunk and the signature is the
//!   whole shingle set. The windows after the last boundary are a chunk too, if there are any.
//! - F is a fixed bijective image of Rabin's residue ([`Fingerprint`]), at boundaries and where windows are
//!   compared.
//! - Including the boundary window, whose low r bits are zero, does not favour it: they decide an
//!   order of 64-bit values only between values equal above them, a matter of 2^r in 2⁶⁴.
//! - "A hash of this window" is a bijective scramble of its fingerprint, keyed by n. Hashing the
//!   fingerprint in place of the bytes adds Rabin's collision probability and nothing else. The
//!   scramble spreads the minima, which crowd near zero, over all keys; the key keeps signatures
//!   of different n, whose minima are taken over different chunks, from sharing entries.
//!
//! BSW_n does not nest: coarser chunks have other boundaries, so a coarser signature is made from
//! the text anew.

use crate::canonical::CanonicalText;
use crate::fingerprint::{Fingerprint, mix};
use crate::rolling::Choice;
use crate::rung::Rung;
use crate::shingle::{Distinct, chunk_minima};
use crate::shingle_set::{Gather, in_parts, span};
use crate::signature::{Scheme, SchemeKind, Signature};
use crate::window::Window;

/// Signs texts by BSW_n, which keeps the smallest window of each content-defined chunk.
pub struct BswN;

impl BswN {
    /// The BSW_n signature of a text at n = 2^rung.
    pub fn sign(text: &CanonicalText, window: Window, rung: Rung) -> Signature {
        let (mut kept, mut distinct) = (Vec::new(), Distinct::default());
        Self::for_each_run(text, window, rung, |run| {
            kept.extend_from_slice(run);
            distinct.keep(&mut kept);
        });
        Signature::new(Scheme::of_text(SchemeKind::BswN, window), rung, kept)
    }

    /// Shows the fingerprints of that signature part after part, ascending and distinct, at most `most`
    /// at once: for texts whose signature at a fine rung is long. The first error ends it.
    ///
    /// # Errors
    /// That of `visit`.
    pub fn visit<E>(
        text: &CanonicalText,
        window: Window,
        rung: Rung,
        most: usize,
        mut visit: impl FnMut(&[Fingerprint]) -> Result<(), E>,
    ) -> Result<(), E> {
        let expected = text.as_bytes().len() >> rung.get();
        if expected <= most {
            let signature = Self::sign(text, window, rung);
            return signature
                .fingerprints()
                .chunks(most.max(1))
                .try_for_each(visit);
        }
        let fits = most.max(1);
        let each = |gather: &mut Gather| {
            Self::for_each_run(text, window, rung, |run| gather.add(run));
        };
        in_parts(span(expected, fits), fits, each, &mut visit)
    }

    /// Visits the hash of each chunk's smallest window, in runs and in no particular order.
    fn for_each_run(
        text: &CanonicalText,
        window: Window,
        rung: Rung,
        mut visit: impl FnMut(&[Fingerprint]),
    ) {
        let ends = Choice::Divisible(rung);
        chunk_minima(text, window, ends, |kept| {
            for least in &mut *kept {
                *least = Self::hash(*least, rung);
            }
            visit(kept);
            kept.clear();
        });
    }

    /// The entry kept for a chunk's smallest fingerprint; bijective for each n.
    pub fn hash(smallest: Fingerprint, rung: Rung) -> Fingerprint {
        hash(smallest, rung.modulus())
    }
}

/// The entry kept for a chunk's smallest fingerprint at any n.
pub(crate) fn hash(smallest: Fingerprint, n: u64) -> Fingerprint {
    // Any constant does: it only has to differ from modulus to modulus.
    Fingerprint(mix(smallest.0 ^ mix(0x4253_574E ^ (n << 32))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn bsw_n_agrees_with_its_twin(text in "[a-d ]{0,400}", words: bool, w in 1u16..30, r in 0u8..6) {
            let text = CanonicalText::from_extracted(&text);
            let window = if words { Window::words(w) } else { Window::bytes(w) }.unwrap();
            let rung = Rung::new(r).unwrap();
            let expected: BTreeSet<_> = reference::bsw_n_minima(&text, window, rung)
                .into_iter()
                .map(|least| BswN::hash(least, rung))
                .collect();
            let signature = BswN::sign(&text, window, rung);
            prop_assert!(signature.fingerprints().iter().eq(&expected));
        }

        #[test]
        fn a_signature_shown_in_parts_is_the_signature(text in "[a-d ]{0,900}", r in 0u8..4, most in 1usize..80) {
            let text = CanonicalText::from_extracted(&text);
            let rung = Rung::new(r).unwrap();
            let mut all = Vec::new();
            let shown = BswN::visit(&text, Window::DEFAULT, rung, most, |part| {
                prop_assert!(part.len() <= most);
                all.extend_from_slice(part);
                Ok::<_, TestCaseError>(())
            });
            shown?;
            let whole = BswN::sign(&text, Window::DEFAULT, rung);
            prop_assert_eq!(&all[..], whole.fingerprints());
        }

        #[test]
        fn an_insertion_changes_the_chunks_around_it_only(at in 0usize..4000) {
            let words: String = (0..1500u32).map(|i| format!("{} ", i * i % 9973)).collect();
            let before = CanonicalText::from_extracted(&words);
            let mut edited = before.as_str().to_owned();
            edited.insert(at.min(edited.len()), 'x');
            let after = CanonicalText::from_extracted(&edited);
            let sign = |text| BswN::sign(text, Window::DEFAULT, Rung::new(5).unwrap());
            let (old, new) = (sign(&before), sign(&after));
            let kept = crate::sorted::shared(old.fingerprints(), new.fingerprints());
            // 20 windows change; they lie in one chunk and may make or break boundaries.
            prop_assert!(old.len() as u64 - kept <= 22, "{} of {}", kept, old.len());
        }
    }

    #[test]
    fn at_modulus_one_every_window_is_a_chunk() {
        let text = CanonicalText::from_extracted("a text that is a little longer than one window");
        let sign = BswN::sign(&text, Window::DEFAULT, Rung::ZERO);
        assert_eq!(sign.len(), text.as_bytes().len() - 19);
    }

    #[test]
    fn a_text_of_windows_has_an_entry_at_any_modulus_and_moduli_do_not_mix() {
        let text = CanonicalText::from_extracted("one window and nothing more");
        let of = |rung| {
            BswN::sign(&text, Window::DEFAULT, rung)
                .fingerprints()
                .to_vec()
        };
        let all: BTreeSet<_> = Rung::all().flat_map(of).collect();
        let separately: usize = Rung::all().map(|rung| of(rung).len()).sum();
        assert!(Rung::all().all(|rung| !of(rung).is_empty()));
        assert_eq!(all.len(), separately);
    }
}
