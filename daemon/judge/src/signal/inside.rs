//! How much two texts differ inside what frames them.
//!
//! A letter under a letterhead, a release on two sites and an extract of minutes have little in common with the other text
//! by its length, and within the common part they are one text. Two letters of one form have a frame in common, and differ
//! throughout.
//!
//! A run is [`RUN`] words in a row; one is shared where it stands in both texts. A word is covered where it is in a shared
//! run. With I(X) the words of X from the first shared run to the last, these included, and U(X) those of them that no
//! shared run covers:
//!
//! ```text
//! inside(A, B) = (U(A) + U(B)) / (I(A) + I(B))
//! ```
//!
//! It has no value where no run is shared. Where a passage alone is shared, as a quotation is, it is 0 whatever stands
//! around it: it says something beside a containment only. It is no signal of the tree: trained on it, the tree judged
//! documents of other makers no better (`tests/study/results`). A judgement that calls documents of one template is held
//! against it ([`crate::Doubt`]).
//!
//! Cost: two passes over the words of both texts; 28 bytes are kept for each word.

use simdex_signature::Fingerprint;

use super::term_counts::each_term;
use super::term_slots::TermSlots;
use super::terms::Term;

/// Words of a run.
const RUN: usize = 8;
/// Two texts are one inside, if at most this share of the words there differs.
pub(crate) const ONE_TEXT: f64 = 0.05;
/// The base of the polynomial that identifies a run: odd, so that no power of it is 0.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The runs of a text.
#[derive(Clone, Debug, Default)]
pub struct WordRuns {
    /// What identifies the run that begins with each word.
    runs: Vec<Term>,
    /// Each run once.
    distinct: Vec<Term>,
    slots: TermSlots,
}

impl WordRuns {
    /// The runs of a canonical text.
    pub fn of(canonical: &str) -> Self {
        let mut terms = Vec::new();
        each_term(canonical, |term, _| terms.push(term));
        let runs = runs(&terms, RUN);
        let mut distinct = runs.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let slots = TermSlots::of(distinct.iter().copied());
        Self {
            runs,
            distinct,
            slots,
        }
    }

    /// Whether the text is shorter than a run.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The share of words that no shared run covers, between the first and the last one; `None` if none is shared.
    pub fn inside_difference(&self, other: &Self) -> Option<f64> {
        let mut is_shared = vec![false; self.distinct.len()];
        let find = |run: &Term| self.slots.find(*run, |place| self.distinct[place]);
        let mut of_other = Inside::default();
        for (at, run) in other.runs.iter().enumerate() {
            if let Some(place) = find(run) {
                is_shared[place] = true;
                of_other.cover(at);
            }
        }
        let mut own = Inside::default();
        for (at, run) in self.runs.iter().enumerate() {
            if find(run).is_some_and(|place| is_shared[place]) {
                own.cover(at);
            }
        }
        let inside = own.words() + of_other.words();
        (inside > 0).then(|| (own.uncovered + of_other.uncovered) as f64 / inside as f64)
    }
}

/// The part of a text that shared runs enclose.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    first: Option<usize>,
    end: usize,
    uncovered: usize,
}

impl Inside {
    /// Adds the next shared run, which begins with this word.
    fn cover(&mut self, at: usize) {
        match self.first {
            None => self.first = Some(at),
            Some(_) => self.uncovered += at.saturating_sub(self.end),
        }
        self.end = at + RUN;
    }

    fn words(&self) -> usize {
        self.end - self.first.unwrap_or(self.end)
    }
}

/// What identifies each run of this many terms, from the first on: a polynomial of them, rolled on from one run to the next.
fn runs(terms: &[Term], length: usize) -> Vec<Term> {
    let Some(count) = (terms.len() + 1).checked_sub(length) else {
        return Vec::new();
    };
    let power = (0..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let on = |hash: u64, term: &Term| hash.wrapping_mul(BASE).wrapping_add(term.0);
    let mut hash = terms.iter().take(length - 1).fold(0, on);
    let mut runs = Vec::with_capacity(count);
    for (at, last) in terms.iter().enumerate().skip(length - 1) {
        hash = on(hash, last);
        if let Some(before) = at.checked_sub(length) {
            hash = hash.wrapping_sub(terms[before].0.wrapping_mul(power));
        }
        runs.push(Term(Fingerprint(hash).mixed()));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::terms::words;
    use super::*;
    use proptest::prelude::*;

    fn inside(a: &str, b: &str) -> Option<f64> {
        let [a, b] = [a, b].map(WordRuns::of);
        let inside = a.inside_difference(&b);
        assert_eq!(inside, b.inside_difference(&a));
        inside
    }

    /// The slow reference: every word by every run that it is in.
    fn by_definition(a: &str, b: &str) -> Option<f64> {
        let [a, b] = [a, b].map(|text| words(text).collect::<Vec<_>>());
        let covered = |of: &[&str], other: &[&str]| -> Vec<bool> {
            let is_in = |run: &[&str]| other.windows(RUN).any(|of_other| of_other == run);
            let is_covered = |at: usize| {
                let mut holding = (0..of.len()).filter(|from| (*from..from + RUN).contains(&at));
                holding.any(|from| of.get(from..from + RUN).is_some_and(is_in))
            };
            (0..of.len()).map(is_covered).collect()
        };
        let (mut uncovered, mut inside) = (0, 0);
        for covered in [covered(&a, &b), covered(&b, &a)] {
            let first = covered.iter().position(|is| *is)?;
            let last = covered.iter().rposition(|is| *is)?;
            inside += last + 1 - first;
            uncovered += covered[first..=last].iter().filter(|is| !**is).count();
        }
        Some(f64::from(uncovered as u32) / f64::from(inside as u32))
    }

    proptest! {
        #[test]
        fn it_is_that_of_the_definition(
            parts in prop::collection::vec("[a-c ]{0,6}|one two three four five six seven eight |é契 ", 1..9),
            takes in prop::collection::vec((0_usize..9, any::<bool>()), 0..14),
        ) {
            let taken = |second: bool| -> String {
                let taken = takes.iter().filter(|(_, both)| !second || *both);
                taken.map(|(at, _)| format!("{} ", parts[at % parts.len()])).collect()
            };
            let [a, b] = [taken(false), taken(true)];
            prop_assert_eq!(inside(&a, &b), by_definition(&a, &b));
        }
    }

    #[test]
    fn by_hand() {
        let [run, other] = ["a b c d e f g h", "i j k l m n o p"];
        assert_eq!(inside(run, other), None);
        assert_eq!(inside("a b c", "a b c"), None);
        assert_eq!(inside(run, run), Some(0.0));
        // What stands around does not count, what stands between does: x, and y z, of 17 and 18 words.
        let [a, b] = [
            format!("before {run} x {other}"),
            format!("{run} y z {other} and after"),
        ];
        assert_eq!(inside(&a, &b), Some(3.0 / 35.0));
    }

    /// The purpose of this measure.
    #[test]
    fn one_letter_in_two_frames_differs_less_inside_than_two_letters_in_one() {
        let sentence =
            |at: u32| format!("we write about matter{at} and ask for an answer by the end of it ");
        let letter: String = (0..20).map(sentence).collect();
        let framed = format!(
            "letterhead of a firm, its street and its telephone {letter} all rights reserved"
        );
        let form = |name: &str, sum: u32| -> String {
            let clause = |at: u32| {
                format!(
                    "item {at} of {name}, {}, is due within the time that the law sets for it ",
                    sum + at
                )
            };
            (0..20).map(clause).collect()
        };
        assert_eq!(inside(&letter, &framed), Some(0.0));
        assert!(inside(&form("ada", 100), &form("bert", 300)) > Some(0.1));
    }
}
