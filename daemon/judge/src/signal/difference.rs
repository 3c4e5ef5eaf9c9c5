//! What kind of words two texts differ in.
//!
//! Two contracts of one form differ in names, dates and amounts, which stand in place of each other; a revised contract
//! differs in words of any kind; a contract with an addendum only has more of them. How much two texts have in common
//! does not tell these apart: in a long form a name is as small a part as a changed clause.
//!
//! A word differs as often as one text has it more often than the other. With c the counts and w the inverse document
//! frequency as a share of that of a word that the [table](super::idf) does not hold:
//!
//! ```text
//! D(A, B) = Σ_t max(0, c(t, A) − c(t, B))
//! rarity(A, B)  = Σ_t |c(t, A) − c(t, B)| · w(t) / (D(A, B) + D(B, A))
//! balance(A, B) = min(D(A, B), D(B, A)) / max(D(A, B), D(B, A))
//! ```
//!
//! Rarity is near 1 where only names and numbers differ, and that of running text where passages do. Balance is 1 where
//! words were replaced one for one, and 0 where one text only has more. Neither has a value for two texts with the same
//! words; rarity has none in a language that the table does not know.
//!
//! Cost: one pass over the distinct terms of both texts, which other signals need as well.

use super::idf;
use super::term_counts::TermCounts;

/// The words in which two texts differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Words that the first has more often, then those that the second has.
    words: [u64; 2],
    /// Inverse document frequency of all of them.
    idf: f64,
}

impl Difference {
    /// The difference of two texts.
    pub fn of(a: &TermCounts, b: &TermCounts) -> Self {
        let mut difference = Self::default();
        let mut of_b = b.with_idf();
        let mut next = of_b.next();
        for (term, count, idf) in a.with_idf() {
            while let Some((_, other, other_idf)) = next.filter(|(other, ..)| *other < term) {
                difference.add(0, other, other_idf);
                next = of_b.next();
            }
            let other = next.filter(|(other, ..)| *other == term);
            difference.add(count, other.map_or(0, |(_, other, _)| other), idf);
            if other.is_some() {
                next = of_b.next();
            }
        }
        while let Some((_, other, idf)) = next {
            difference.add(0, other, idf);
            next = of_b.next();
        }
        difference
    }

    /// Adds a term with its counts in both texts and its inverse document frequency.
    fn add(&mut self, a: u32, b: u32, idf: f64) {
        let apart = a.abs_diff(b);
        self.words[usize::from(a < b)] += u64::from(apart);
        self.idf += f64::from(apart) * idf;
    }

    /// The mean rarity of the differing words, from 0 to 1; `None` if there are none.
    pub fn rarity(&self) -> Option<f64> {
        let all = self.words[0] + self.words[1];
        // The sum of many equal weights may be rounded up.
        (all > 0).then(|| (self.idf / (all as f64 * idf::rarest())).min(1.0))
    }

    /// How far as many words were put in as were left out, from 0 to 1; `None` if there are none.
    pub fn balance(&self) -> Option<f64> {
        let [a, b] = self.words;
        (a.max(b) > 0).then(|| a.min(b) as f64 / a.max(b) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::Term;
    use super::*;

    fn difference(a: &str, b: &str) -> Difference {
        let both = [a, b].map(TermCounts::of);
        let difference = Difference::of(&both[0], &both[1]);
        let reversed = Difference::of(&both[1], &both[0]);
        assert_eq!(difference.balance(), reversed.balance());
        assert!((difference.idf - reversed.idf).abs() < 1e-9);
        difference
    }

    #[test]
    fn the_difference_by_hand() {
        let by_hand = difference("the the zzada of 17", "the zzbonn zzcork of of 17");
        // the, zzada; zzbonn, zzcork, of.
        assert_eq!(by_hand.words, [2, 3]);
        assert_eq!(by_hand.balance(), Some(2.0 / 3.0));
        let common = ["the", "of"].map(|word| idf::of(Term::of(word)));
        let rarity = (3.0 + (common[0] + common[1]) / idf::rarest()) / 5.0;
        assert!((by_hand.rarity().unwrap() - rarity).abs() < 1e-9);
    }

    #[test]
    fn texts_with_the_same_words_have_no_difference() {
        for (a, b) in [("", ""), ("the zzada of the", "zzada the, the of")] {
            let none = difference(a, b);
            assert_eq!((none.rarity(), none.balance()), (None, None));
        }
        assert_eq!(difference("", "the zzada").balance(), Some(0.0));
    }

    #[test]
    fn the_rarest_words_are_no_rarer_than_1_however_many() {
        let words = |name: &str, count: u32| -> String {
            (0..count).map(|at| format!("zz{name}{at} ")).collect()
        };
        for count in 1..300 {
            let rarity = difference(&words("ada", count), &words("bert", count)).rarity();
            assert!(rarity.is_some_and(|rarity| (0.999..=1.0).contains(&rarity)));
        }
    }

    /// The purpose of these signals.
    #[test]
    fn other_parties_are_rare_words_in_balance_and_an_addendum_is_neither() {
        let clause =
            "The seller shall deliver the goods within the time that both have agreed upon. "
                .repeat(40);
        let contract =
            |name: &str, number: u32| format!("{name} and another, of {number}. {clause} {name}");
        let other = difference(&contract("zzada", 1715), &contract("zzbert", 2204));
        assert_eq!((other.rarity(), other.balance()), (Some(1.0), Some(1.0)));
        let longer = format!(
            "{} This has been changed, and so has that.",
            contract("zzada", 1715)
        );
        let longer = difference(&contract("zzada", 1715), &longer);
        assert!(longer.rarity().unwrap() < 0.5, "{longer:?}");
        assert_eq!(longer.balance(), Some(0.0));
    }
}
