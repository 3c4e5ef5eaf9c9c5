//! Families of hash functions of a window itself: what the authors of Sketch_n used.
//!
//! Fetterly et al. 2003 hash every window with 84 Rabin functions of distinct primitive polynomials
//! of degree 64; Cherkasova et al. 2009, §4 with Jenkins' function under n initial values, "for
//! speed and ease". Cost: n hashes a window, in Jenkins' case of all its bytes. They are the
//! baseline that [`Family::Bins`](super::Family::Bins) is measured against, in speed and in bias:
//! the least of Rabin's residues, which are linear, is not a random choice.
//!
//! Departure: the polynomials are the first 84 primitive ones from the 64 fraction bits of π on.

use std::sync::LazyLock;

use crate::fingerprint::{Fingerprint, POLYNOMIAL};
use crate::reference;
use crate::sketch_n::Entry;

/// One function of a window.
#[derive(Clone, Debug)]
pub(super) enum WindowHash {
    /// Jenkins' function with an initial value.
    Jenkins(u32),
    /// Rabin's residue modulo a polynomial.
    Rabin(Box<RollingResidue>),
}

/// Rolls residues modulo one polynomial over windows of one width.
#[derive(Clone, Debug)]
pub(super) struct RollingResidue {
    push: [u64; 256],
    pop: [u64; 256],
}

/// Number of polynomials to choose from.
pub(super) const POLYNOMIALS: usize = 84;

static PRIMITIVE: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let odd = (POLYNOMIAL..).step_by(2);
    odd.filter(|&low| reference::primitive(low))
        .take(POLYNOMIALS)
        .collect()
});

impl WindowHash {
    /// So many of Jenkins' functions.
    pub(super) fn jenkins(n: u32, seed: u32) -> Vec<Self> {
        (0..n)
            .map(|i| Self::Jenkins(seed.wrapping_add(i)))
            .collect()
    }

    /// So many of Rabin's, at most [`POLYNOMIALS`], for windows of `width` bytes.
    pub(super) fn rabin(n: usize, width: usize) -> Vec<Self> {
        let chosen = PRIMITIVE.iter().take(n);
        chosen
            .map(|&low| Self::Rabin(Box::new(RollingResidue::new(low, width))))
            .collect()
    }

    /// The least hash of all windows of the bytes, one every `step`.
    pub(super) fn least(&self, bytes: &[u8], width: usize, step: usize) -> Entry {
        let least = match self {
            Self::Jenkins(initial) => {
                let windows = bytes.windows(width).step_by(step);
                windows.map(|window| jenkins(window, *initial).into()).min()
            }
            Self::Rabin(residues) => residues.least(bytes, width, step),
        };
        least.map(Fingerprint)
    }
}

impl RollingResidue {
    fn new(low: u64, width: usize) -> Self {
        let times_x = |r: u64| (r << 1) ^ (low * (r >> 63));
        let power = (0..8 * width).fold(1, |power, _| times_x(power));
        let table = |unit: u64| {
            std::array::from_fn(|byte| {
                let bits = (0..8).scan(unit, |power, bit| {
                    let now = *power;
                    *power = times_x(now);
                    Some(now * (byte as u64 >> bit & 1))
                });
                bits.fold(0, |sum, part| sum ^ part)
            })
        };
        Self {
            push: table(low),
            pop: table(power),
        }
    }

    fn push(&self, residue: u64, byte: u8) -> u64 {
        (residue << 8) ^ self.push[(residue >> 56) as usize] ^ u64::from(byte)
    }

    fn least(&self, bytes: &[u8], width: usize, step: usize) -> Option<u64> {
        let (first, entering) = bytes.split_at_checked(width)?;
        let first = first
            .iter()
            .fold(0, |residue, &byte| self.push(residue, byte));
        let slides = entering
            .iter()
            .zip(bytes)
            .scan(first, |residue, (&entering, &leaving)| {
                *residue = self.push(*residue, entering) ^ self.pop[usize::from(leaving)];
                Some(*residue)
            });
        std::iter::once(first).chain(slides).step_by(step).min()
    }
}

/// Jenkins 1997, "Hash functions", Dr. Dobb's Journal (known as lookup2): 32 bits.
fn jenkins(key: &[u8], initial: u32) -> u32 {
    const GOLDEN: u32 = 0x9E37_79B9;
    let (mut a, mut b, mut c) = (GOLDEN, GOLDEN, initial);
    let (blocks, rest) = key.as_chunks::<12>();
    let word = |bytes: &[u8]| {
        let bytes = bytes.iter().rev();
        bytes.fold(0u32, |word, &byte| word << 8 | u32::from(byte))
    };
    for block in blocks {
        a = a.wrapping_add(word(&block[..4]));
        b = b.wrapping_add(word(&block[4..8]));
        c = c.wrapping_add(word(&block[8..]));
        (a, b, c) = mix(a, b, c);
    }
    // The first byte of c is left to the length.
    let part = |from: usize, to: usize| word(&rest[from.min(rest.len())..to.min(rest.len())]);
    a = a.wrapping_add(part(0, 4));
    b = b.wrapping_add(part(4, 8));
    c = c
        .wrapping_add(key.len() as u32)
        .wrapping_add(part(8, 11) << 8);
    mix(a, b, c).2
}

fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    for (one, two, three) in [(13, 8, 13), (12, 16, 5), (3, 10, 15)] {
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> one);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << two);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> three);
    }
    (a, b, c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_polynomials_are_distinct_and_primitive() {
        let distinct: BTreeSet<_> = PRIMITIVE.iter().collect();
        assert_eq!(distinct.len(), POLYNOMIALS);
        assert!(PRIMITIVE.iter().all(|&low| reference::irreducible(low)));
    }

    #[test]
    fn every_byte_of_a_key_counts_and_so_does_its_length() {
        let key: Vec<u8> = (0..40).collect();
        let mut hashes = BTreeSet::new();
        for length in 0..=40 {
            hashes.insert(jenkins(&key[..length], 7));
            for at in 0..length {
                let mut other = key[..length].to_vec();
                other[at] ^= 0x80;
                hashes.insert(jenkins(&other, 7));
            }
        }
        assert_eq!(hashes.len(), 41 + (1..=40).sum::<usize>());
        assert_ne!(jenkins(&key, 7), jenkins(&key, 8));
    }

    proptest! {
        #[test]
        fn rolled_residues_agree_with_long_division(
            bytes in prop::collection::vec(any::<u8>(), 0..60), width in 1usize..20, step in 1usize..5, at in 0..POLYNOMIALS,
        ) {
            let residue = |window: &[u8]| reference::residue(window, PRIMITIVE[at]);
            let expected = bytes.windows(width).step_by(step).map(residue).min();
            let found = RollingResidue::new(PRIMITIVE[at], width).least(&bytes, width, step);
            prop_assert_eq!(found, expected);
        }
    }
}
