//! Charikar's similarity hash, 64 bit (STOC 2002; Huffman et al. 2007, §3.2.1).
//!
//! There are 64 random hyperplanes; each bit says on which side of one the term vector of a text is. Two bits differ
//! with the probability θ/π, θ being the angle between both vectors. (Huffman et al. say that the share of equal bits
//! is the cosine in expectation. By Charikar's own theorem it is 1 − θ/π.) The coordinates of the hyperplanes are ±1,
//! one bit of the term's hash each, in place of Gaussian ones. The weight of a term is its frequency times its [inverse
//! document frequency](super::idf), so that common terms do not decide.
//!
//! Cost: 64 additions for each distinct term, eight at a time in registers; 8 bytes are kept for a text.

use super::term_counts::TermCounts;

/// For each byte of a hash, the sign bits of its eight coordinates; the sign bit is set for a bit that is not.
static SIGNS: [[u64; 8]; 256] = signs();

const fn signs() -> [[u64; 8]; 256] {
    let mut signs = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        let (byte, bit) = (at / 8, at % 8);
        if byte >> bit & 1 == 0 {
            signs[byte][bit] = 1 << 63;
        }
        at += 1;
    }
    signs
}

/// The sides of the eight hyperplanes whose coordinates are this byte of each hash. One function, which is not inlined,
/// so that the sums stay in registers whatever surrounds it.
#[inline(never)]
fn sides(vector: &[(u64, u64)], byte: u32) -> [f64; 8] {
    let mut sides = [0.0_f64; 8];
    for (hash, weight) in vector {
        let signs = &SIGNS[(hash >> byte & 0xff) as usize];
        for (side, sign) in sides.iter_mut().zip(signs) {
            *side += f64::from_bits(weight ^ sign);
        }
    }
    sides
}

/// The hash of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simhash(pub u64);

impl Simhash {
    /// The hash of the text with these terms.
    pub fn of(terms: &TermCounts) -> Self {
        Self::of_weights(terms.weighted().map(|(term, weight)| (term.0, weight)))
    }

    /// The hash of a vector whose coordinates are identified by uniform hashes.
    pub fn of_weights(vector: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let vector: Vec<(u64, u64)> = vector
            .into_iter()
            .map(|(hash, weight)| (hash, weight.to_bits()))
            .collect();
        let bytes = (0..u64::BITS).step_by(8).map(|byte| {
            let sides = sides(&vector, byte);
            let bits = sides.iter().enumerate();
            let above = bits.fold(0, |above, (bit, side)| {
                above | u64::from(*side > 0.0) << bit
            });
            above << byte
        });
        Self(bytes.fold(0, |hash, byte| hash | byte))
    }

    /// The share of bits that differ, from 0 to 1.
    pub fn distance(self, other: Self) -> f64 {
        f64::from((self.0 ^ other.0).count_ones()) / 64.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_signature::Fingerprint;

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Fingerprint(*state).mixed()
    }

    /// The slow reference: the side of each hyperplane by its own inner product.
    fn by_definition(vector: &[(u64, f64)]) -> u64 {
        (0..64).fold(0, |hash, bit| {
            let sign = |hash: u64| if hash & (1 << bit) == 0 { -1.0 } else { 1.0 };
            let product: f64 = vector
                .iter()
                .map(|(term, weight)| sign(*term) * weight)
                .sum();
            hash | (u64::from(product > 0.0) << bit)
        })
    }

    #[test]
    fn each_bit_is_the_side_of_its_hyperplane() {
        let mut state = 7;
        for terms in 1..40 {
            let vector: Vec<_> = (0..terms)
                .map(|at| (random(&mut state), f64::from(at % 5) + 0.25))
                .collect();
            let fast = Simhash::of_weights(vector.iter().copied());
            assert_eq!(fast.0, by_definition(&vector));
        }
    }

    /// Over many pairs of vectors at one angle the share of differing bits is θ/π.
    #[test]
    fn the_expected_distance_is_the_angle() {
        let mut state = 1;
        for shared in [0_usize, 50, 100, 150, 180] {
            // Unit weights: the cosine is the share of common terms of 200.
            let angle = (shared as f64 / 200.0).acos();
            let trials = 300;
            let mean: f64 = (0..trials)
                .map(|_| {
                    let mut vector = |count| -> Vec<_> {
                        (0..count).map(|_| (random(&mut state), 1.0)).collect()
                    };
                    let common = vector(shared);
                    let [a, b] = [vector(200 - shared), vector(200 - shared)];
                    let whole =
                        |own: &[(u64, f64)]| Simhash::of_weights(common.iter().chain(own).copied());
                    whole(&a).distance(whole(&b)) / f64::from(trials)
                })
                .sum();
            let expected = angle / std::f64::consts::PI;
            assert!(
                (mean - expected).abs() < 0.02,
                "{shared}: {mean}, not {expected}"
            );
        }
    }

    #[test]
    fn equal_texts_have_no_distance() {
        let terms = TermCounts::of("a lease of the premises for a term of years");
        assert_eq!(Simhash::of(&terms).distance(Simhash::of(&terms)), 0.0);
        assert_eq!(Simhash(0).distance(Simhash(u64::MAX)), 1.0);
    }
}
