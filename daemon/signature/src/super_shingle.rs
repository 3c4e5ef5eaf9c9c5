//! Super-shingles: two documents are candidates if two of six hashes of their minima agree.
//!
//! Source: Fetterly, Manasse and Najork 2003, "On the evolution of clusters of near-duplicate web
//! pages", §2 (after Broder et al. 1997): word 5-shingles, 84 minima, six groups of 14 adjacent
//! ones, each group hashed; two equal groups make a candidate. Cost: 84 scrambles a window.
//!
//! With resemblance p a group agrees with probability p¹⁴, independently of the others, and at least two of six with
//! 1 − (1−p¹⁴)⁶ − 6p¹⁴(1−p¹⁴)⁵: 0.88 at p = 0.95, 0.03 at 0.8. It is a filter and estimates nothing.
//!
//! Departure: the 84 functions are scrambles of one fingerprint, not 84 Rabin polynomials; and the
//! bins of [`crate::sketch_n`] do not serve, for they leave minima empty on short texts, where two
//! empty groups would agree. The hash of a group covers its number, so that the hashes of a text are a set, which an
//! index holds as it does other fingerprints; so of a text with few shingles, too, whose groups hold the same minima.

use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::permutation::Permutation;
use crate::ratio::Ratio;
use crate::rung::Rung;
use crate::shingle::for_each_run;
use crate::signature::{SUPER_SHINGLES, Scheme, SchemeKind, Signature};
use crate::sketch_n::{Entry, LeastUnder};
use crate::window::Window;

/// Number of groups that the minima of a text are divided into.
pub(crate) const GROUPS: usize = SUPER_SHINGLES;
/// Number of minima in each group.
pub(crate) const MINIMA: usize = 14;
/// Number of groups in which a candidate equals the text at least.
pub(crate) const NEEDED: usize = 2;

/// The seed of the family of functions; any will do.
pub(crate) const SEED: u64 = 0x53_5550_4552;

/// The scheme of super-shingles, which tells candidates.
pub struct SuperShingles;

impl SuperShingles {
    /// Number of fingerprints of a text that has a shingle.
    pub const GROUPS: u64 = GROUPS as u64;
    /// Number of fingerprints that a candidate shares with the text at least.
    pub const NEEDED: u64 = NEEDED as u64;

    /// The fingerprints of the six groups of a text; none of a text without shingles. They are the same at every rung,
    /// so that the signature has the finest.
    pub fn sign(text: &CanonicalText, window: Window) -> Signature {
        let functions = functions();
        let mut least = LeastUnder::new(&functions);
        for_each_run(text, window, |run| least.add(run));
        let kept = groups(&least.finish()).into_iter().flatten().collect();
        let scheme = Scheme::of_text(SchemeKind::SuperShingles, window);
        Signature::new(scheme, Rung::ZERO, kept)
    }

    /// The probability that a text of exactly this resemblance is no candidate, the greater the less it is.
    pub fn missed(resemblance: Ratio) -> f64 {
        let group = Self::agreeing(resemblance);
        let other = 1.0 - group;
        other.powi(6) + 6.0 * group * other.powi(5)
    }

    /// The probability that a group agrees in two texts of this resemblance.
    pub fn agreeing(resemblance: Ratio) -> f64 {
        resemblance.get().powi(MINIMA as i32)
    }

    /// The resemblance of two texts in which a group agrees with this probability.
    pub fn resemblance(agreeing: Ratio) -> f64 {
        agreeing.get().powf(1.0 / MINIMA as f64)
    }
}

/// The functions under which minima are taken, one for each of the 84 minima.
pub(crate) fn functions() -> Vec<Permutation> {
    let numbers = 0..(GROUPS * MINIMA) as u64;
    numbers
        .map(|number| Permutation::scramble(SEED, number))
        .collect()
}

/// The hash of each group of minima; none of a text without shingles.
pub(crate) fn groups(minima: &[Entry]) -> Vec<Entry> {
    let groups = minima.as_chunks::<MINIMA>().0.iter().zip(0..);
    groups.map(|(group, number)| hash(group, number)).collect()
}

fn hash(group: &[Entry], number: u8) -> Entry {
    let minima: Option<Vec<Fingerprint>> = group.iter().copied().collect();
    let bytes = minima?.into_iter().flat_map(|f| f.0.to_be_bytes());
    Some(Fingerprint::of(&bytes.chain([number]).collect::<Vec<u8>>()))
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
            .map(|group| hash(&minima[14 * group..14 * (group + 1)], group as u8))
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
            let p = Ratio::of(200 - differ, 200 + differ).unwrap();
            let expected = 1.0 - SuperShingles::missed(p);
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
                "{p:?}: {found} {expected}"
            );
        }
    }

    #[test]
    fn the_formula_is_the_papers() {
        let missed = |p| SuperShingles::missed(Ratio::new(p).unwrap());
        assert_eq!((missed(0.0), missed(1.0)), (1.0, 0.0));
        assert!((missed(0.95) - 0.12136).abs() < 1e-5 && (missed(0.8) - 0.97422).abs() < 1e-5);
        for p in [0.0, 0.3, 0.95, 1.0] {
            let group = SuperShingles::agreeing(Ratio::new(p).unwrap());
            let back = SuperShingles::resemblance(Ratio::new(group).unwrap());
            assert!((back - p).abs() < 1e-12);
        }
    }

    /// Groups of a text of one shingle hold the same 14 minima each.
    #[test]
    fn keys_of_a_text_are_as_many_as_its_groups_however_short_it_is() {
        for (words, keys) in [(1, 0), (5, 6), (6, 6), (500, 6)] {
            let text = (0..words).map(|word| format!("word{word:04} "));
            let text = CanonicalText::from_extracted(&text.collect::<String>());
            let signature = SuperShingles::sign(&text, Window::words(5).unwrap());
            assert_eq!(signature.len(), keys, "{words} words");
        }
    }
}
