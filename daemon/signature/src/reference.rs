//! Slow exact twins: the definitions written out as plainly as they can be.
//!
//! Test oracles, and baselines for benchmarks; nothing in the product calls them. Each says what
//! its fast twin must equal.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::canonical::CanonicalText;
use crate::fingerprint::{Fingerprint, POLYNOMIAL};
use crate::permutation::Permutation;
use crate::rolling::RabinTables;
use crate::rung::Rung;
use crate::super_shingle;
use crate::window::Window;

/// Whether x⁶⁴ + `low` is irreducible over GF(2), by Rabin's test: x^(2⁶⁴) = x modulo it, and
/// x^(2³²) − x is prime to it (2 being the only prime that divides 64).
pub fn irreducible(low: u64) -> bool {
    let modulus = 1 << 64 | u128::from(low);
    let mut power = 2u128;
    for squarings in 0..64 {
        if squarings == 32 && greatest_common_divisor(modulus, power ^ 2) != 1 {
            return false;
        }
        power = product(power, power, modulus);
    }
    power == 2
}

/// Whether x⁶⁴ + `low` is primitive: irreducible, and x of order 2⁶⁴ − 1, no less.
pub fn primitive(low: u64) -> bool {
    const PRIMES: [u64; 7] = [3, 5, 17, 257, 641, 65_537, 6_700_417];
    let modulus = 1 << 64 | u128::from(low);
    let power = |exponent: u64| {
        (0..64).rev().fold(1, |power, bit| {
            let square = product(power, power, modulus);
            let factor = if exponent >> bit & 1 == 1 { 2 } else { 1 };
            product(square, factor, modulus)
        })
    };
    irreducible(low) && PRIMES.iter().all(|prime| power(u64::MAX / prime) != 1)
}

/// a·b modulo a polynomial of degree 64.
fn product(a: u128, b: u128, modulus: u128) -> u128 {
    (0..64).rev().fold(0, |sum, bit| {
        let doubled = sum << 1;
        let reduced = doubled ^ (modulus * (doubled >> 64));
        reduced ^ (a * (b >> bit & 1))
    })
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, remainder(a, b))
    }
}

fn remainder(mut a: u128, b: u128) -> u128 {
    while a.leading_zeros() <= b.leading_zeros() {
        a ^= b << (b.leading_zeros() - a.leading_zeros());
    }
    a
}

/// The fixed image of the residue modulo P: twin of [`Fingerprint::of`].
pub fn fingerprint(bytes: &[u8]) -> Fingerprint {
    Fingerprint::of_residue(residue(bytes, POLYNOMIAL))
}

/// Long division of the string's polynomial by x⁶⁴ + `low`, bit by bit.
pub fn residue(bytes: &[u8], low: u64) -> u64 {
    let bits = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let modulus = 1 << 64 | u128::from(low);
    let residue = bits.fold(0, |residue: u128, bit| {
        let dividend = residue << 1 | u128::from(bit);
        dividend ^ (modulus * (dividend >> 64))
    });
    residue as u64
}

/// The fingerprint of every byte window, each divided out anew: twin of both loops of
/// [`RabinTables`].
pub fn window_fingerprints(bytes: &[u8], width: usize) -> Vec<Fingerprint> {
    bytes.windows(width.max(1)).map(fingerprint).collect()
}

/// The fingerprint of every shingle, left to right: twin of the shingle module.
pub fn shingles(text: &CanonicalText, window: Window) -> Vec<Fingerprint> {
    let width = usize::from(window.width());
    match window {
        Window::Bytes(_) => window_fingerprints(text.as_bytes(), width),
        Window::Words(_) => {
            let words: Vec<&str> = text.as_str().split_whitespace().collect();
            words.windows(width).map(word_shingle).collect()
        }
    }
}

fn word_shingle(words: &[&str]) -> Fingerprint {
    let bytes = words
        .iter()
        .flat_map(|word| fingerprint(word.as_bytes()).0.to_be_bytes());
    fingerprint(&bytes.collect::<Vec<u8>>())
}

/// Mod_n by division: twin of [`crate::ModN::sign`]. Ascending and distinct.
pub fn mod_n(text: &CanonicalText, window: Window, rung: Rung) -> Vec<Fingerprint> {
    let all: BTreeSet<_> = shingles(text, window).into_iter().collect();
    all.into_iter()
        .filter(|f| f.0 % rung.modulus() == 0)
        .collect()
}

/// BSW_n chunk by chunk, before hashing: the smallest window fingerprint of each chunk in order.
/// Twin of [`crate::BswN::sign`], which hashes, sorts and drops repeats.
pub fn bsw_n_minima(text: &CanonicalText, window: Window, rung: Rung) -> Vec<Fingerprint> {
    shingles(text, window)
        .split_inclusive(|f| f.0 % rung.modulus() == 0)
        .filter_map(|chunk| chunk.iter().copied().min())
        .collect()
}

/// The n = 2^rung smallest of all fingerprints: twin of [`crate::MinN::sign`]. Ascending and distinct.
pub fn min_n(text: &CanonicalText, window: Window, rung: Rung) -> Vec<Fingerprint> {
    let all: BTreeSet<_> = shingles(text, window).into_iter().collect();
    all.into_iter().take(rung.modulus() as usize).collect()
}

/// The smallest of each of n = 2^rung ranges of fingerprints: twin of [`crate::SketchN::sign`].
/// Ascending and distinct.
pub fn sketch_n(text: &CanonicalText, window: Window, rung: Rung) -> Vec<Fingerprint> {
    let all: BTreeSet<_> = shingles(text, window).into_iter().collect();
    let mut bins = BTreeMap::new();
    for fingerprint in all {
        let bin = u128::from(fingerprint.0) >> (64 - rung.get());
        bins.entry(bin).or_insert(fingerprint);
    }
    bins.into_values().collect()
}

/// The keys of six groups of the first fingerprints under 14 scrambles each: twin of
/// [`crate::SuperShingles::sign`], each group after the other.
pub fn super_shingles(text: &CanonicalText, window: Window) -> Vec<Fingerprint> {
    let all = shingles(text, window);
    let key = |group: u64| -> Option<Fingerprint> {
        let mut bytes = Vec::new();
        for number in 14 * group..14 * (group + 1) {
            let scramble = Permutation::scramble(super_shingle::SEED, number);
            let first = all.iter().min_by_key(|shingle| scramble.apply(**shingle))?;
            bytes.extend(first.0.to_be_bytes());
        }
        bytes.push(group as u8);
        Some(fingerprint(&bytes))
    };
    (0..6).filter_map(key).collect()
}

/// |A∩B| / |A∪B| over the byte windows themselves, no fingerprints; `None` if there are none.
pub fn resemblance(a: &[u8], b: &[u8], width: usize) -> Option<f64> {
    let (a, b) = (byte_windows(a, width), byte_windows(b, width));
    let union = a.union(&b).count();
    (union > 0).then(|| a.intersection(&b).count() as f64 / union as f64)
}

/// |A∩B| / |A| over the byte windows themselves, A being `part`; `None` if A has none.
pub fn containment(part: &[u8], whole: &[u8], width: usize) -> Option<f64> {
    let (part, whole) = (byte_windows(part, width), byte_windows(whole, width));
    (!part.is_empty()).then(|| part.intersection(&whole).count() as f64 / part.len() as f64)
}

fn byte_windows(bytes: &[u8], width: usize) -> HashSet<&[u8]> {
    bytes.windows(width.max(1)).collect()
}

/// Mod_n selection by the plain rolling loop, one chain, text order: the baseline that
/// [`crate::select`] is measured against.
pub fn select_plainly(bytes: &[u8], tables: &RabinTables, rung: Rung) -> Vec<Fingerprint> {
    let mut selected = Vec::with_capacity(bytes.len() >> rung.get());
    tables.for_each_plainly(bytes, |fingerprint| {
        if fingerprint.divisible_by(rung) {
            selected.push(fingerprint);
        }
    });
    selected
}

#[cfg(test)]
mod tests;
