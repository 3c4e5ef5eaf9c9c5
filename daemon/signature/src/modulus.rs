//! Any modulus n, for studies: the papers sample at 1 in 25, 100, 400, 500. The index samples by
//! [`Rung`](crate::Rung), powers of two, which nest.
//!
//! Whether n divides F is told without division (Granlund and Montgomery 1994; Warren, Hacker's
//! Delight, §10-17): with n = d·2^k and d odd, F·d⁻¹ mod 2⁶⁴ rotated right by k is at most
//! ⌊(2⁶⁴−1)/n⌋ exactly if F is a multiple of n.

use crate::fingerprint::Fingerprint;

/// A modulus n ≥ 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Modulus {
    n: u64,
    /// The inverse of the odd part of n, modulo 2⁶⁴.
    inverse: u64,
    twos: u32,
    /// The greatest quotient of a 64-bit number by n.
    most: u64,
}

impl Modulus {
    /// The modulus n; 0 is taken as 1.
    pub(crate) const fn new(n: u64) -> Self {
        let n = if n == 0 { 1 } else { n };
        let twos = n.trailing_zeros();
        let odd = n >> twos;
        // Newton's iteration doubles the bits that are right: 3, 6, 12, 24, 48, 96.
        let mut inverse = odd;
        let mut step = 0;
        while step < 5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
            step += 1;
        }
        Self {
            n,
            inverse,
            twos,
            most: u64::MAX / n,
        }
    }

    /// Whether F mod n = 0.
    #[inline]
    pub(crate) const fn divides(self, fingerprint: Fingerprint) -> bool {
        let quotient = fingerprint.0.wrapping_mul(self.inverse);
        quotient.rotate_right(self.twos) <= self.most
    }
}

/// The numbers that leave one remainder modulo n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RemainderTest {
    modulus: Modulus,
    /// What a number's product with the inverse is too great by.
    offset: u64,
    /// The greatest quotient: a number below the remainder is its own remainder, another one, and what is taken
    /// from it wraps around to quotients beyond this one.
    most: u64,
}

impl RemainderTest {
    /// Those that leave `remainder` modulo n; that of the remainder, where it is not below n.
    pub(crate) const fn new(n: u64, remainder: u64) -> Self {
        let modulus = Modulus::new(n);
        let remainder = remainder % modulus.n;
        Self {
            modulus,
            offset: remainder.wrapping_mul(modulus.inverse),
            most: (u64::MAX - remainder) / modulus.n,
        }
    }

    /// The modulus n.
    pub(crate) const fn modulus(self) -> u64 {
        self.modulus.n
    }

    /// The inverse, the offset, the number of bits by which the quotient is rotated, and its maximum value.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn parts(self) -> (u64, u64, u32, u64) {
        (
            self.modulus.inverse,
            self.offset,
            self.modulus.twos,
            self.most,
        )
    }

    /// Whether F is one of them.
    #[inline(always)]
    pub(crate) const fn has(self, fingerprint: Fingerprint) -> bool {
        let product = fingerprint.0.wrapping_mul(self.modulus.inverse);
        let quotient = product.wrapping_sub(self.offset);
        quotient.rotate_right(self.modulus.twos) <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_division_agrees_with_division(
            f in prop_oneof![any::<u64>(), 0u64..1000], n in prop_oneof![1u64..600, 1u64..=u64::MAX], times: u64,
        ) {
            let modulus = Modulus::new(n);
            prop_assert_eq!(modulus.n, n);
            for f in [f, n.wrapping_mul(times), (f / n) * n] {
                prop_assert_eq!(modulus.divides(Fingerprint(f)), f % n == 0);
                prop_assert!(RemainderTest::new(n, f % n).has(Fingerprint(f)));
                prop_assert_eq!(RemainderTest::new(n, times % n).has(Fingerprint(f)), f % n == times % n);
            }
        }
    }
}
