//! How often each term of a text occurs.
//!
//! The words of a text are sorted; once they are counted, memory is linear in the number of distinct terms.

use super::idf;
use super::terms::{Term, ascii_terms, words};

/// Minimum number of bits of the buckets in which terms are sorted: sorting few terms in buckets is not worth it, and
/// more buckets would not fit in the cache.
const MIN_BUCKET_BITS: u32 = 6;
const MAX_BUCKET_BITS: u32 = 14;

/// The terms of a text, each once and in the order of [`Term`]. All signals based on words use them, so that a text is
/// split into words once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermCounts {
    counts: Vec<(Term, u32)>,
    /// The inverse document frequency of each term, looked up once for all signals.
    idf: Vec<f64>,
    /// The terms of words with a digit.
    numbers: Vec<Term>,
}

impl TermCounts {
    /// The terms of a canonical text.
    pub fn of(canonical: &str) -> Self {
        let (mut all, mut numbers) = (Vec::new(), Vec::new());
        // No word contains a space, so words can be searched for between spaces, where most text is ASCII.
        for part in canonical.split_inclusive(' ') {
            let mut add = |term, has_digit| {
                all.push(term);
                if has_digit {
                    numbers.push(term);
                }
            };
            match part.is_ascii() {
                true => ascii_terms(part.as_bytes(), add),
                false => words(part).for_each(|word| add(Term::of(word), has_digit(word))),
            }
        }
        // Sorting all of them takes less time than counting them in a map and sorting that.
        let all = sorted(all);
        numbers.sort_unstable();
        numbers.dedup();
        let runs = all.chunk_by(|a, b| a == b);
        let counted = |run: &[Term]| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX));
        let counts: Vec<(Term, u32)> = runs.map(counted).collect();
        Self {
            idf: counts.iter().map(|(term, _)| idf::of(*term)).collect(),
            counts,
            numbers,
        }
    }

    /// Each term once, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Term, u32)> + '_ {
        self.counts.iter().copied()
    }

    /// Each term once, with its count and its inverse document frequency.
    pub(crate) fn with_idf(&self) -> impl Iterator<Item = (Term, u32, f64)> + '_ {
        let counted = self.counts.iter().zip(&self.idf);
        counted.map(|((term, count), idf)| (*term, *count, *idf))
    }

    /// Each term once, with its count times its inverse document frequency.
    pub(crate) fn weighted(&self) -> impl Iterator<Item = (Term, f64)> + '_ {
        let counted = self.counts.iter().zip(&self.idf);
        counted.map(|((term, count), idf)| (*term, f64::from(*count) * idf))
    }

    /// The terms that the table of common words does not hold.
    pub(crate) fn own(&self) -> impl Iterator<Item = (Term, u32)> + '_ {
        let counted = self.counts.iter().zip(&self.idf);
        counted.filter_map(|(counted, idf)| idf::is_rarest(*idf).then_some(*counted))
    }

    /// Whether a term belongs to a word with a digit.
    pub(crate) fn is_number(&self, term: Term) -> bool {
        self.numbers.binary_search(&term).is_ok()
    }
}

/// Sorts terms: into buckets by their first bits, which uniform hashes fill with hardly ever more than a few terms
/// each.
fn sorted(mut terms: Vec<Term>) -> Vec<Term> {
    let bits = terms
        .len()
        .checked_ilog2()
        .unwrap_or(0)
        .min(MAX_BUCKET_BITS);
    if bits < MIN_BUCKET_BITS {
        terms.sort_unstable();
        return terms;
    }
    let bucket = |term: &Term| (term.0 >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0_usize; 1 << bits];
    terms.iter().for_each(|term| ends[bucket(term)] += 1);
    let mut end = 0;
    for count in &mut ends {
        // Where the bucket begins; each term put into it moves this on to its end.
        end += std::mem::replace(count, end);
    }
    let mut sorted = vec![Term(0); terms.len()];
    for term in &terms {
        let place = &mut ends[bucket(term)];
        sorted[*place] = *term;
        *place += 1;
    }
    let mut begin = 0;
    for end in ends {
        sorted[begin..end].sort_unstable();
        begin = end;
    }
    sorted
}

fn has_digit(word: &str) -> bool {
    match word.is_ascii() {
        true => word.bytes().any(|byte| byte.is_ascii_digit()),
        false => word.chars().any(char::is_numeric),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_sort_as_sorting_does(
            terms in prop::collection::vec(prop_oneof![any::<u64>(), 0_u64..9, Just(u64::MAX)], 0..700),
        ) {
            let terms: Vec<Term> = terms.into_iter().map(Term).collect();
            let mut plain = terms.clone();
            plain.sort_unstable();
            prop_assert_eq!(sorted(terms), plain);
        }
    }

    proptest! {
        #[test]
        fn terms_are_those_of_the_words(text in "([a-c1]{0,70}|[a-c1 .é契½_—]{0,40}){0,4}") {
            let mut numbers = Vec::new();
            let mut plain = std::collections::BTreeMap::new();
            for word in words(&text) {
                *plain.entry(Term::of(word)).or_insert(0_u32) += 1;
                numbers.extend(has_digit(word).then_some(Term::of(word)));
            }
            let counted = TermCounts::of(&text);
            prop_assert_eq!(counted.iter().collect::<Vec<_>>(), plain.into_iter().collect::<Vec<_>>());
            prop_assert!(numbers.iter().all(|term| counted.is_number(*term)));
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(&counted.numbers, &numbers);
        }
    }

    #[test]
    fn counts_are_those_of_a_plain_map() {
        let text = "to be or not to be, that is the question: to be";
        let mut plain = std::collections::BTreeMap::new();
        for word in text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
        {
            *plain.entry(Term::of(word)).or_insert(0u32) += 1;
        }
        let counted: Vec<_> = TermCounts::of(text).iter().collect();
        assert_eq!(counted, plain.into_iter().collect::<Vec<_>>());
        let numbered = TermCounts::of("17 of the 4th or ½ of b");
        let is_number = |word| numbered.is_number(Term::of(word));
        assert!(["17", "4th", "½"].into_iter().all(is_number) && !is_number("of"));
    }
}
