//! The tf-idf distance of the top 100 terms, biased towards the first (Huffman et al. 2007, §3.2.1).
//!
//! L_X is the list of the 100 terms of X with the greatest tf-idf, pos(w, X) the position of a term in it, from 1.
//!
//! ```text
//! weight(w) = 1 / (ln(pos(w, A) + e − 1) · ln(pos(w, B) + e − 1)),  0 where w is in one list alone
//! distance  = 1 − Σ_{w ∈ L} weight_{A,B}(w) / Σ_{w ∈ L} weight_{L,L}(w),  L being the longer list
//! ```
//!
//! tf-idf is the count of a term times its logarithmic [inverse document frequency](super::idf). Among equal ones the
//! lesser [`Term`] comes first, so that the list depends only on the text. For lists of one length only the order of
//! the summands could differ between both sides; they are added in the order of size, so the distance is symmetric.
//!
//! Cost: a pass over the distinct terms of a text, then 100 look-ups for a pair; about 800 bytes are kept.

use std::sync::OnceLock;

use super::term_counts::TermCounts;
use super::term_slots::TermSlots;
use super::terms::Term;

/// Maximum number of terms in a list.
const LONGEST: usize = 100;

/// The terms of a text with the greatest tf-idf, greatest first.
#[derive(Clone, Debug, Default)]
pub struct TopTerms {
    terms: Vec<Term>,
    /// Their positions, once a distance was asked for.
    slots: OnceLock<TermSlots>,
}

impl TopTerms {
    /// The list of the text with these terms.
    pub fn of(terms: &TermCounts) -> Self {
        // No weight is negative, and so their bits are in their order. The lesser term comes first.
        let ordered = |(term, weight): (Term, f64)| {
            u128::from(weight.to_bits()) << u64::BITS | u128::from(!term.0)
        };
        let mut all: Vec<u128> = terms.weighted().map(ordered).collect();
        if all.len() > LONGEST {
            all.select_nth_unstable_by(LONGEST, |a, b| b.cmp(a));
            all.truncate(LONGEST);
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.into_iter().map(|of| Term(!(of as u64))).collect()
    }

    /// The distance of two lists, from 0 to 1; 0 for two empty ones.
    pub fn distance(&self, other: &Self) -> f64 {
        let longest = self.terms.len().max(other.terms.len());
        if longest == 0 {
            return 0.0;
        }
        let slots = || TermSlots::of(self.terms.iter().copied());
        let slots = self.slots.get_or_init(slots);
        let weights = weights();
        let placed = other.terms.iter().zip(weights);
        let shared = placed.filter_map(|(term, weight)| {
            let own = slots.find(*term, |place| self.terms[place])?;
            Some(weight * weights[own])
        });
        // Added in the order of size, so that both sides give the same sum.
        let mut shared: Vec<f64> = shared.collect();
        shared.sort_unstable_by(f64::total_cmp);
        let weights = weights.iter().take(longest);
        let all: f64 = weights.map(|weight| weight * weight).sum();
        (1.0 - shared.iter().sum::<f64>() / all).clamp(0.0, 1.0)
    }
}

/// Terms in the order of a list, at most [`LONGEST`].
impl FromIterator<Term> for TopTerms {
    fn from_iter<I: IntoIterator<Item = Term>>(terms: I) -> Self {
        Self {
            terms: terms.into_iter().take(LONGEST).collect(),
            slots: OnceLock::new(),
        }
    }
}

/// The weight of each position: 1 / ln(position + e − 1).
fn weights() -> &'static [f64; LONGEST] {
    static WEIGHTS: OnceLock<[f64; LONGEST]> = OnceLock::new();
    WEIGHTS.get_or_init(|| {
        std::array::from_fn(|at| 1.0 / ((at + 1) as f64 + std::f64::consts::E - 1.0).ln())
    })
}

#[cfg(test)]
mod tests {
    use super::super::idf;
    use super::*;
    use proptest::prelude::*;

    /// The formula of the paper, position by position.
    fn by_definition(a: &[Term], b: &[Term]) -> f64 {
        let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        let ln = |at: usize| (at as f64 + 1.0 + std::f64::consts::E - 1.0).ln();
        let (mut shared, mut all) = (0.0, 0.0);
        for (at, term) in long.iter().enumerate() {
            all += 1.0 / (ln(at) * ln(at));
            for (other, twin) in short.iter().enumerate() {
                if term == twin {
                    shared += 1.0 / (ln(at) * ln(other));
                }
            }
        }
        if long.is_empty() {
            0.0
        } else {
            1.0 - shared / all
        }
    }

    proptest! {
        #[test]
        fn the_distance_is_the_papers_and_symmetric(
            a in prop::collection::hash_set(0u64..150, 0..100),
            b in prop::collection::hash_set(0u64..150, 0..100),
        ) {
            let list = |terms: std::collections::HashSet<u64>| {
                terms.into_iter().map(Term).collect::<TopTerms>()
            };
            let (a, b) = (list(a), list(b));
            let distance = a.distance(&b);
            prop_assert!((distance - by_definition(&a.terms, &b.terms)).abs() < 1e-9);
            prop_assert_eq!(distance, b.distance(&a));
            prop_assert!(a.distance(&a).abs() < 1e-9);
        }
    }

    #[test]
    fn a_move_at_the_top_counts_more_than_one_at_the_end() {
        let list = |terms: &[u64]| terms.iter().copied().map(Term).collect::<TopTerms>();
        let all: Vec<u64> = (0..100).collect();
        let (mut top, mut end) = (all.clone(), all.clone());
        top.swap(0, 1);
        end.swap(98, 99);
        assert!(list(&all).distance(&list(&top)) > list(&all).distance(&list(&end)));
    }

    #[test]
    fn the_list_is_that_of_a_full_sort() {
        let text: String = (0..400).map(|at| format!("w{} ", at * at % 151)).collect();
        let terms = TermCounts::of(&text);
        let mut all: Vec<_> = terms
            .iter()
            .map(|(term, count)| (f64::from(count) * idf::of(term), term))
            .collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let first: Vec<_> = all.iter().take(LONGEST).map(|(_, term)| *term).collect();
        assert_eq!(TopTerms::of(&terms).terms, first);
    }
}
