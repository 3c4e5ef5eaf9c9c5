//! Permutations of the 64-bit fingerprints: by random binary matrices, and by scrambling.
//!
//! Source: Ignatov, Jánosi-Rancz and Kuznetsov 2009, §2.1: the number of a hash code in a random
//! permutation is the product of the code, as a vector of bits, and a random binary matrix. Cost:
//! eight look-ups in 16 KB of tables; the product bit by bit is its twin.
//!
//! Departure: a random binary matrix is a permutation only if it is invertible, which 29 of 100
//! are; matrices are drawn until one is. Every linear map leaves zero at zero, so the fingerprint
//! 0 would be first under every matrix: one text in 2⁶⁴ windows.

use crate::fingerprint::{Fingerprint, mix};

/// A fixed order of all fingerprints.
#[derive(Clone, Debug)]
pub(crate) enum Permutation {
    /// The SplitMix64 finaliser of the fingerprint plus a key: cheap, and not linear.
    Scramble(u64),
    /// The product with an invertible binary matrix.
    Matrix(Box<Matrix>),
}

impl Permutation {
    /// The scramble of this number in a family.
    pub(crate) fn scramble(seed: u64, number: u64) -> Self {
        Self::Scramble(mix(seed ^ mix(number.wrapping_add(1))))
    }

    /// The matrix of this number in a family.
    pub(crate) fn matrix(seed: u64, number: u64) -> Self {
        Self::Matrix(Box::new(Matrix::drawn(mix(seed ^ mix(number)))))
    }

    /// The place of a fingerprint in this order.
    #[inline]
    pub(crate) fn apply(&self, fingerprint: Fingerprint) -> u64 {
        match self {
            Self::Scramble(key) => mix(fingerprint.0.wrapping_add(*key)),
            Self::Matrix(matrix) => matrix.times(fingerprint.0),
        }
    }
}

/// An invertible 64 × 64 matrix over GF(2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    /// For each byte of a vector and its value, the sum of the columns it selects.
    tables: [[u64; 256]; 8],
}

impl Matrix {
    /// Drawn from a seed.
    fn drawn(seed: u64) -> Self {
        Self::of(&columns(seed))
    }

    fn of(columns: &[u64; 64]) -> Self {
        let mut tables = [[0; 256]; 8];
        for (table, columns) in tables.iter_mut().zip(columns.as_chunks::<8>().0) {
            for (value, sum) in table.iter_mut().enumerate() {
                *sum = product(columns, value as u64);
            }
        }
        Self { tables }
    }

    #[inline]
    fn times(&self, vector: u64) -> u64 {
        let bytes = vector.to_le_bytes();
        let parts = self.tables.iter().zip(bytes);
        parts.fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)])
    }
}

/// The first invertible matrix of a sequence, by its columns.
pub(crate) fn columns(seed: u64) -> [u64; 64] {
    let mut state = seed;
    loop {
        let drawn = std::array::from_fn(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            mix(state)
        });
        if rank(drawn) == 64 {
            return drawn;
        }
    }
}

/// The sum of the columns that the bits of a vector select: twin of [`Permutation::apply`].
pub(crate) fn product(columns: &[u64], vector: u64) -> u64 {
    let chosen = columns.iter().enumerate();
    let chosen = chosen.filter(|(bit, _)| vector >> bit & 1 == 1);
    chosen.fold(0, |sum, (_, column)| sum ^ column)
}

/// The rank of a matrix over GF(2), by Gaussian elimination.
fn rank(mut columns: [u64; 64]) -> usize {
    let mut rank = 0;
    for bit in 0..64 {
        let Some(at) = (rank..64).find(|&at| columns[at] >> bit & 1 == 1) else {
            continue;
        };
        columns.swap(rank, at);
        let pivot = columns[rank];
        for column in &mut columns[rank + 1..] {
            *column ^= pivot * (*column >> bit & 1);
        }
        rank += 1;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_by_hand() {
        assert_eq!(rank(std::array::from_fn(|bit| 1 << bit)), 64);
        assert_eq!(rank([7; 64]), 1);
        assert_eq!(rank([0; 64]), 0);
        // Sums of two neighbours: all of them add up to nothing.
        assert_eq!(
            rank(std::array::from_fn(|bit| 1 << bit ^ 1 << ((bit + 1) % 64))),
            63
        );
    }

    proptest! {
        #[test]
        fn tables_agree_with_the_product_bit_by_bit(seed: u64, vector: u64) {
            let columns = columns(seed);
            prop_assert_eq!(Matrix::drawn(seed).times(vector), product(&columns, vector));
        }

        #[test]
        fn no_two_fingerprints_have_one_place(seed: u64, a: u64, b: u64) {
            prop_assume!(a != b);
            for permutation in [Permutation::scramble(seed, 3), Permutation::matrix(seed, 3)] {
                prop_assert_ne!(permutation.apply(Fingerprint(a)), permutation.apply(Fingerprint(b)));
            }
        }
    }
}
