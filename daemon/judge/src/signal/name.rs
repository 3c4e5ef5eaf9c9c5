//! Likeness of file names: the share of their letter pairs in common (Dice), without the extension.
//!
//! A richer signal than the same place (Huffman et al. 2007, §6, "more sophisticated URL-matching signals"). It
//! recognises `offer-v2.docx` and `offer-v3.pdf`. Digits count like letters. Cost: linear in the names.

use std::collections::BTreeMap;

/// Bytes of a name that are compared.
const LONGEST: usize = 255;

/// Likeness of two names, from 0 to 1; 1 for equal ones.
pub fn likeness(a: &[u8], b: &[u8]) -> f64 {
    let (a, b) = (stem(a), stem(b));
    if a == b {
        return 1.0;
    }
    let (of_a, of_b) = (pairs(&a), pairs(&b));
    let shared: usize = of_a
        .iter()
        .map(|(pair, count)| of_b.get(pair).map_or(0, |other| *count.min(other)))
        .sum();
    let all = of_a.values().sum::<usize>() + of_b.values().sum::<usize>();
    match all {
        0 => 0.0,
        all => 2.0 * shared as f64 / all as f64,
    }
}

/// A name in lower case without its extension.
fn stem(name: &[u8]) -> Vec<u8> {
    let name = &name[..name.len().min(LONGEST)];
    let end = name.iter().rposition(|byte| *byte == b'.');
    let end = end.filter(|at| *at > 0).unwrap_or(name.len());
    name[..end].to_ascii_lowercase()
}

fn pairs(name: &[u8]) -> BTreeMap<[u8; 2], usize> {
    let mut pairs = BTreeMap::new();
    for pair in name.windows(2) {
        *pairs.entry([pair[0], pair[1]]).or_default() += 1;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_by_hand() {
        assert_eq!(likeness(b"Offer.docx", b"offer.pdf"), 1.0);
        // of-ff-fe-er-r1 and of-ff-fe-er-r2: 4 of 5 each.
        assert_eq!(likeness(b"offer1", b"offer2"), 0.8);
        assert_eq!(likeness(b"abc", b"xyz"), 0.0);
        assert_eq!(likeness(b"a", b"b"), 0.0);
        assert_eq!(likeness(b".hidden", b".hidden"), 1.0);
        assert_eq!(likeness(b"night", b"nacht"), likeness(b"nacht", b"night"));
    }
}
