//! Super-shingles: two documents are candidates if two of six hashes of their minima agree.
//!
//! Source: Fetterly, Manasse and Najork 2003, "On the evolution of clusters of near-duplicate web
//! pages", §2 (after Broder et al. 1997): word 5-shingles, 84 minima, six groups of 14 adjacent
//! ones, each group hashed; two equal groups make a candidate. Cost: 84 scrambles a window.
//!
//! With resemblance p a group agrees with probability p¹⁴ and at least two of six with
//! 1 − (1−p¹⁴)⁶ − 6p¹⁴(1−p¹⁴)⁵: 0.88 at p = 0.95, 0.03 at 0.8. It is a filter and estimates nothing.
//!
//! Departure: the 84 functions are scrambles of one fingerprint, not 84 Rabin polynomials; and the
//! bins of [`crate::sketch_n`] do not serve, for they leave minima empty on short texts, where two
//! empty groups would agree.

use crate::fingerprint::Fingerprint;
use crate::permutation::Permutation;
use crate::sketch_n::Entry;

/// Number of groups that the minima of a text are divided into.
pub(crate) const GROUPS: usize = 6;
/// Number of minima in each group.
pub(crate) const MINIMA: usize = 14;
/// Number of groups in which a candidate equals the text at least.
pub(crate) const NEEDED: usize = 2;

/// The seed of the family of functions; any will do.
const SEED: u64 = 0x53_5550_4552;

/// The functions under which minima are taken, one for each of the 84 minima.
pub(crate) fn functions() -> Vec<Permutation> {
    let numbers = 0..(GROUPS * MINIMA) as u64;
    numbers
        .map(|number| Permutation::scramble(SEED, number))
        .collect()
}

/// The hash of each group of minima; none of a text without shingles.
pub(crate) fn groups(minima: &[Entry]) -> Vec<Entry> {
    let groups = minima.as_chunks::<MINIMA>().0.iter();
    groups.map(|group| hash(group)).collect()
}

fn hash(group: &[Entry]) -> Entry {
    let minima: Option<Vec<Fingerprint>> = group.iter().copied().collect();
    let bytes = minima?.into_iter().flat_map(|f| f.0.to_be_bytes());
    Some(Fingerprint::of(&bytes.collect::<Vec<u8>>()))
}

/// How many groups agree.
pub(crate) fn equal(a: &[Entry], b: &[Entry]) -> usize {
    let pairs = a.iter().zip(b);
    pairs.filter(|(x, y)| x.is_some() && x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch_n::LeastUnder;

    fn signed(all: impl Iterator<Item = u64>) -> Vec<Entry> {
        let all: Vec<_> = all
            .map(|i| Fingerprint(crate::fingerprint::mix(i)))
            .collect();
        let functions = functions();
        let mut gather = LeastUnder::new(&functions);
        all.chunks(100).for_each(|run| gather.add(run));
        groups(&gather.finish())
    }

    /// Makes entries with nothing but the words of the definition.
    fn slowly(all: impl Iterator<Item = u64>) -> Vec<Entry> {
        let all: Vec<_> = all
            .map(|i| Fingerprint(crate::fingerprint::mix(i)))
            .collect();
        let least = |f: &Permutation| all.iter().copied().min_by_key(|&x| f.apply(x));
        let minima: Vec<_> = functions().iter().map(least).collect();
        (0..6)
            .map(|group| hash(&minima[14 * group..14 * (group + 1)]))
            .collect()
    }

    #[test]
    fn super_shingles_agree_with_their_twin() {
        for (from, to) in [(0, 0), (0, 1), (5, 40), (9, 700)] {
            assert_eq!(signed(from..to), slowly(from..to));
        }
        assert_eq!(equal(&signed(0..0), &signed(0..0)), 0);
        assert_eq!(equal(&signed(0..9), &signed(0..9)), 6);
    }

    #[test]
    fn candidates_are_as_frequent_as_the_formula_says() {
        // Pairs of 200 shingles of which 2d are in one set only: p = (200 − d) / (200 + d).
        for differ in [2, 5, 11, 22] {
            let p = (200.0 - differ as f64) / (200.0 + differ as f64);
            let group = f64::powi(p, 14);
            let expected = 1.0 - (1.0 - group).powi(6) - 6.0 * group * (1.0 - group).powi(5);
            let pairs = 400;
            let found = (0..pairs).filter(|pair| {
                let from = pair * 1_000;
                let (a, b) = (
                    signed(from..from + 200),
                    signed(from + differ..from + 200 + differ),
                );
                equal(&a, &b) >= NEEDED
            });
            let found = found.count() as f64 / pairs as f64;
            let error = (expected * (1.0 - expected) / pairs as f64).sqrt();
            assert!(
                (found - expected).abs() < 4.0 * error + 1e-9,
                "{p}: {found} {expected}"
            );
        }
    }
}
