//! Mod_n: keep the fingerprints F with F mod n = 0.
//!
//! Source: Broder 1997; Cherkasova et al. 2009, §2 "Algorithm Mod_n". Cost: one rolling pass
//! (two look-ups a byte) and a sort of the n-th part that was kept. Departures: n = 2^r only, for
//! the nesting described in [`crate::Rung`]; and F is a fixed bijective image of Rabin's residue, without
//! which "F mod n = 0" is no random sample ([`Fingerprint`]).
//!
//! The selection depends on the shingle alone, so the sample of A ∩ B is the intersection of the
//! samples: both resemblance and containment are estimated without bias.

use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::rung::Rung;
use crate::shingle::select_shingles;
use crate::signature::{Scheme, SchemeKind, Signature};
use crate::window::Window;

/// Signs texts by Mod_n, which keeps the fingerprints divisible by n.
pub struct ModN;

impl ModN {
    /// The Mod_n signature of a text at n = 2^rung.
    pub fn sign(text: &CanonicalText, window: Window, rung: Rung) -> Signature {
        let mut selected = Vec::new();
        select(text, window, rung, &mut selected);
        Signature::new(Scheme::of_text(SchemeKind::ModN, window), rung, selected)
    }
}

/// Fingerprints that memory is reserved for.
const MAX_EXPECTED: usize = 1 << 20;

/// Adds the fingerprints divisible by n = 2^rung, unsorted and with some repeats.
pub fn select(text: &CanonicalText, window: Window, rung: Rung, selected: &mut Vec<Fingerprint>) {
    // Of a long text that repeats itself far fewer may come.
    let expected = (text.as_bytes().len() >> rung.get()).min(MAX_EXPECTED);
    selected.reserve(expected + expected / 8);
    select_shingles(text, window, rung, selected);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use proptest::prelude::*;

    fn window() -> impl Strategy<Value = Window> {
        prop_oneof![
            (1u16..40).prop_map(|w| Window::bytes(w).unwrap()),
            (1u16..5).prop_map(|w| Window::words(w).unwrap()),
        ]
    }

    proptest! {
        #[test]
        fn mod_n_agrees_with_its_twin(text in "[ab ]{0,300}", window in window(), r in 0u8..5) {
            let text = CanonicalText::from_extracted(&text);
            let rung = Rung::new(r).unwrap();
            let signature = ModN::sign(&text, window, rung);
            prop_assert_eq!(signature.fingerprints(), reference::mod_n(&text, window, rung));
        }

        #[test]
        fn signatures_nest(text in "[a-d ]{0,400}", fine in 0u8..4, more in 0u8..4) {
            let text = CanonicalText::from_extracted(&text);
            let (fine, coarse) = (Rung::new(fine).unwrap(), Rung::new(fine + more).unwrap());
            let sign = |rung| ModN::sign(&text, Window::DEFAULT, rung);
            prop_assert_eq!(sign(fine).coarsened(coarse), Ok(sign(coarse)));
        }
    }

    #[test]
    fn long_texts_agree_with_the_twin_too() {
        let words: String = (0..1200u32).map(|i| format!("{} ", i * i % 7919)).collect();
        let text = CanonicalText::from_extracted(&words);
        for rung in Rung::all() {
            let signature = ModN::sign(&text, Window::DEFAULT, rung);
            let expected = reference::mod_n(&text, Window::DEFAULT, rung);
            assert_eq!(signature.fingerprints(), expected, "{rung:?}");
        }
    }

    #[test]
    fn about_one_in_n_distinct_shingles_is_selected() {
        let words: String = (0..40_000u64)
            .map(|i| format!("{} ", i * i % 99_991))
            .collect();
        let text = CanonicalText::from_extracted(&words);
        let all = ModN::sign(&text, Window::DEFAULT, Rung::ZERO).len() as f64;
        for rung in Rung::all().take(8) {
            let expected = all / rung.modulus() as f64;
            let selected = ModN::sign(&text, Window::DEFAULT, rung).len() as f64;
            // Five standard deviations of a binomial.
            assert!(
                (selected - expected).abs() <= 5.0 * expected.sqrt(),
                "{rung:?}: {selected}"
            );
        }
    }
}
