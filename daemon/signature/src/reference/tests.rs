//! The oracles themselves, on cases small enough to see.

use super::*;
use crate::{MinN, SketchN, SuperShingles};
use proptest::prelude::*;

#[test]
fn irreducibility_is_told() {
    // x^64 + x^4 + x^3 + x + 1 is (CRC-64/ISO); x^64 and x^64 + 1 = (x + 1)^64 are not.
    assert!(irreducible(0x1B));
    assert!(!irreducible(0));
    assert!(!irreducible(1));
    // (x^32 + x^7 + x^3 + x^2 + 1)^2 passes the first half of the test alone.
    assert!(!irreducible(0x4051));
}

#[test]
fn primitive_is_more_than_irreducible() {
    // x^64 + x^4 + x^3 + x + 1 is primitive (Zierler and Brillhart 1968).
    assert!(primitive(0x1B));
    assert!(!primitive(0x4051));
    let irreducible: Vec<u64> = (1..4_000)
        .step_by(2)
        .filter(|&low| irreducible(low))
        .collect();
    let primitive = irreducible.iter().filter(|&&low| primitive(low)).count();
    // φ(2^64 − 1) / (2^64 − 1) is about a half.
    assert!(primitive > irreducible.len() / 3 && primitive < irreducible.len() * 2 / 3);
}

#[test]
fn division_by_hand() {
    let residue = |bytes: &[u8]| fingerprint(bytes).residue();
    assert_eq!(residue(&[1]), 1);
    assert_eq!(residue(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), POLYNOMIAL);
    assert_eq!(
        residue(&[3, 0, 0, 0, 0, 0, 0, 0, 0]),
        POLYNOMIAL ^ (POLYNOMIAL << 1)
    );
}

#[test]
fn measures_by_hand() {
    // {ab, bc, cd} and {bc, cd, de}
    assert_eq!(resemblance(b"abcd", b"bcde", 2), Some(0.5));
    assert_eq!(containment(b"bcd", b"abcd", 2), Some(1.0));
    assert_eq!(containment(b"abcd", b"bcd", 2), Some(2.0 / 3.0));
    assert_eq!(resemblance(b"a", b"a", 2), None);
    assert_eq!(containment(b"a", b"abc", 2), None);
}

proptest! {
    #[test]
    fn signatures_of_fixed_size_agree_with_their_twins(text in "[a-d ]{0,400}", w in 1u16..30, r in 0u8..9) {
        let text = CanonicalText::from_extracted(&text);
        let (window, rung) = (Window::bytes(w).unwrap(), Rung::new(r).unwrap());
        let (min_n, sketch_n) = (MinN::sign(&text, window, rung), SketchN::sign(&text, window, rung));
        prop_assert_eq!(min_n.fingerprints(), super::min_n(&text, window, rung));
        prop_assert_eq!(sketch_n.fingerprints(), super::sketch_n(&text, window, rung));
    }

    #[test]
    fn super_shingles_agree_with_their_twin(text in "[a-d ]{0,300}", w in 1u16..30, by_words: bool) {
        let text = CanonicalText::from_extracted(&text);
        let window = if by_words { Window::words(w) } else { Window::bytes(w) }.unwrap();
        let mut expected = super::super_shingles(&text, window);
        expected.sort_unstable();
        let signature = SuperShingles::sign(&text, window);
        prop_assert_eq!(signature.fingerprints(), expected);
    }
}

#[test]
fn chunks_by_hand() {
    let text = CanonicalText::from_extracted("abdab");
    let window = Window::bytes(2).unwrap();
    let even = Rung::new(1).unwrap();
    let [ab, bd, da] = ["ab", "bd", "da"].map(|w| fingerprint(w.as_bytes()));
    let ends = [ab, bd, da].map(|f| f.divisible_by(even));
    assert_eq!(
        ends,
        [false, true, false],
        "the windows were chosen for this"
    );
    assert_eq!(bsw_n_minima(&text, window, even), [ab.min(bd), da.min(ab)]);
    assert_eq!(mod_n(&text, window, even), [bd]);
}
