//! The 64-bit Rabin fingerprint and the polynomial it is taken by.
//!
//! Source: Rabin 1981; Broder 1993, "Some applications of Rabin's fingerprinting method".
//! A string b₀ b₁ … b_{m−1} of bytes stands for the polynomial Σ bᵢ(x)·x^{8(m−1−i)} over GF(2),
//! the most significant bit of a byte being its highest power; its residue modulo P has the
//! coefficient of x^i in bit i. Two distinct strings of m bytes have equal residues with
//! probability at most about 8m/2⁶⁴ over the choice of P.
//!
//! Departure: the fingerprint F is a fixed bijective image of the residue R,
//! F = (R · 0x9E3779B97F4A7C15 mod 2⁶⁴) rotated left by 16. R is linear over GF(2), so among texts
//! made from one template, where windows differ in a few digits, "R mod n = 0" is not a random
//! sample: measured on such texts the counts had 4 to 5 times the binomial variance, and intervals
//! that promise 99 % held the truth in 79 to 84 % of cases. With the carries of one multiplication
//! and its top 16 bits brought to where F mod n looks, variance and coverage are the binomial's.
//! Being bijective it changes no collision, and nothing else in the definitions.

use crate::rung::Rung;

/// P without its leading term x⁶⁴: the smallest irreducible polynomial of degree 64 whose low
/// part is not below the first 64 fraction bits of π (0x243F6A8885A308D3), so that nobody chose it.
pub const POLYNOMIAL: u64 = 0x243F_6A88_85A3_0907;

/// An odd number near 2⁶⁴/φ, after Knuth's multiplicative hashing (TAOCP 3, §6.4).
pub(crate) const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;
/// Its inverse modulo 2⁶⁴.
const GATHER: u64 = 0xF1DE_83E1_9937_733D;

/// The fingerprint of one shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Fingerprint(pub u64);

/// Sorts fingerprints and who holds each: by fingerprint, of one by holder. It stands with them, as builds for
/// tests optimise this crate and not all that sort millions of these.
pub fn sort_holders(holders: &mut [(Fingerprint, u32)]) {
    holders.sort_unstable();
}

impl Fingerprint {
    /// The fingerprint of a whole string, by tables.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_residue(residue(bytes))
    }

    /// The fingerprint of a string whose polynomial leaves this residue modulo P.
    #[inline(always)]
    pub const fn of_residue(residue: u64) -> Self {
        Self::of_product(Self::product(residue))
    }

    /// The fingerprint before its rotation, for loops that look at few of its bits.
    #[inline(always)]
    pub(crate) const fn product(residue: u64) -> u64 {
        residue.wrapping_mul(SCATTER)
    }

    /// The fingerprint of that [`product`](Self::product).
    #[inline(always)]
    pub(crate) const fn of_product(product: u64) -> Self {
        Self(product.rotate_left(16))
    }

    /// The bits of a [`product`](Self::product) that are zero if F mod 2^r = 0.
    pub(crate) const fn product_mask(rung: Rung) -> u64 {
        rung.mask().rotate_right(16)
    }

    /// The residue this is the fingerprint of.
    pub const fn residue(self) -> u64 {
        self.0.rotate_right(16).wrapping_mul(GATHER)
    }

    /// Whether F mod 2^r = 0.
    #[inline]
    pub const fn divisible_by(self, rung: Rung) -> bool {
        self.0 & rung.mask() == 0
    }

    /// A bijective scramble of the fingerprint (the finaliser of SplitMix64, Steele et al. 2014).
    ///
    /// Selected fingerprints have low bits of zero; an index that shards by bits needs keys in
    /// which every bit is uniform.
    #[inline]
    pub const fn mixed(self) -> u64 {
        mix(self.0)
    }
}

/// The SplitMix64 finaliser; bijective.
pub(crate) const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Rabin's residue of a whole string, eight bytes a step: the look-ups of a step do not wait for each
/// other ("slicing by eight", Kounavis and Berry 2008).
pub(crate) fn residue(bytes: &[u8]) -> u64 {
    let (odd, words) = bytes.as_rchunks();
    // Fewer than eight bytes are their own residue.
    let head = odd
        .iter()
        .fold(0, |residue, &byte| (residue << 8) | u64::from(byte));
    words.iter().fold(head, |residue, word| {
        times_x64(residue) ^ u64::from_be_bytes(*word)
    })
}

/// One `u64` per byte value.
pub(crate) type Table = [u64; 256];

/// `PUSH[t]` = t(x)·x⁶⁴ mod P: what the byte shifted out at the top leaves behind.
pub(crate) static PUSH: Table = byte_multiples(POLYNOMIAL);

/// `SLICES[k][t]` = t(x)·x^{8k}·x⁶⁴ mod P.
static SLICES: [Table; 8] = slices();

const fn slices() -> [Table; 8] {
    let mut tables = [[0; 256]; 8];
    let mut unit = POLYNOMIAL;
    let mut k = 0;
    while k < 8 {
        tables[k] = byte_multiples(unit);
        let mut bit = 0;
        while bit < 8 {
            unit = times_x(unit);
            bit += 1;
        }
        k += 1;
    }
    tables
}

/// Multiplies by x⁶⁴ modulo P.
#[inline(always)]
fn times_x64(residue: u64) -> u64 {
    let bytes = residue.to_le_bytes();
    let products = SLICES.iter().zip(bytes);
    products.fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)])
}

/// x^{8·bytes} mod P, in a step for eight bytes.
pub(crate) fn power_of_bytes(bytes: usize) -> u64 {
    let power = (0..8 * (bytes % 8)).fold(1, |power, _| times_x(power));
    (0..bytes / 8).fold(power, |power, _| times_x64(power))
}

/// Multiplies by x⁸ and adds `input` (a byte, or a byte with the popped one's share already in).
#[inline(always)]
pub(crate) fn push(residue: u64, input: u64) -> u64 {
    (residue << 8) ^ PUSH[(residue >> 56) as usize] ^ input
}

/// b(x)·`unit` mod P for every byte b.
pub(crate) const fn byte_multiples(unit: u64) -> Table {
    let mut table = [0; 256];
    let mut power = unit;
    let mut bit = 1;
    while bit < 256 {
        let mut low = 0;
        while low < bit {
            table[bit + low] = table[low] ^ power;
            low += 1;
        }
        power = times_x(power);
        bit *= 2;
    }
    table
}

/// Multiplies by x modulo P.
pub(crate) const fn times_x(residue: u64) -> u64 {
    (residue << 1) ^ (POLYNOMIAL * (residue >> 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use proptest::prelude::*;

    #[test]
    fn the_polynomial_is_irreducible_and_the_first_from_pi() {
        assert!(reference::irreducible(POLYNOMIAL));
        let pi = 0x243F_6A88_85A3_08D3;
        assert!((pi..POLYNOMIAL).all(|p| !reference::irreducible(p)));
    }

    /// The fingerprint that has this mixed value: mixing is a bijection.
    fn unmixed(mixed: u64) -> Fingerprint {
        let z = (mixed ^ (mixed >> 31) ^ (mixed >> 62)).wrapping_mul(0x3196_42B2_D24D_8EC3);
        let z = (z ^ (z >> 27) ^ (z >> 54)).wrapping_mul(0x96DE_1B17_3F11_9089);
        Fingerprint(z ^ (z >> 30) ^ (z >> 60))
    }

    #[test]
    fn the_residue_of_a_short_string_is_the_string_itself() {
        assert_eq!(Fingerprint::of(b""), Fingerprint(0));
        let residue = Fingerprint::of(b"abcdefgh").residue();
        assert_eq!(residue, u64::from_be_bytes(*b"abcdefgh"));
    }

    proptest! {
        #[test]
        fn tables_agree_with_long_division(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(Fingerprint::of(&bytes), reference::fingerprint(&bytes));
        }

        #[test]
        fn powers_agree_with_one_bit_at_a_time(bytes in 0usize..300) {
            let expected = (0..8 * bytes).fold(1, |power, _| times_x(power));
            prop_assert_eq!(power_of_bytes(bytes), expected);
        }

        #[test]
        fn mixing_is_undone(value: u64) {
            prop_assert_eq!(unmixed(Fingerprint(value).mixed()), Fingerprint(value));
        }

        #[test]
        fn the_residue_can_be_had_back(residue: u64) {
            prop_assert_eq!(Fingerprint::of_residue(residue).residue(), residue);
        }

        #[test]
        fn divisible_means_remainder_zero(value: u64, log2 in 0u8..=15) {
            let rung = Rung::new(log2).unwrap();
            prop_assert_eq!(Fingerprint(value).divisible_by(rung), value % rung.modulus() == 0);
        }
    }
}
