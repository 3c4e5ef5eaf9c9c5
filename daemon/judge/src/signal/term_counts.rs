//! How often each term of a text occurs.
//!
//! The words of a text are sorted; once they are counted, memory is linear in the number of distinct terms.

use std::cmp::Ordering;

use super::idf;
use super::term_slots::TermSlots;
use super::terms::{Term, ascii_terms, words};

/// Minimum number of bits of the buckets in which terms are sorted: sorting few terms in buckets is not worth it, and
/// more buckets would not fit in the cache.
const MIN_BUCKET_BITS: u32 = 6;
const MAX_BUCKET_BITS: u32 = 14;
/// Bytes of a usual word with what follows it.
const WORD: usize = 6;

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
        let (mut all, mut numbers) = (Vec::with_capacity(canonical.len() / WORD), Vec::new());
        each_term(canonical, |term, has_digit| {
            all.push(term);
            if has_digit {
                numbers.push(term);
            }
        });
        // Sorting all of them takes less time than counting them in a map and sorting that.
        let counts = counted(all);
        Self {
            idf: counts.iter().map(|(term, _)| idf::of(*term)).collect(),
            counts,
            numbers: each_once(numbers),
        }
    }

    /// The terms of a canonical text that shares most of them with another text, whose terms and their slots these are:
    /// the same as those of [`TermCounts::of`], in less time.
    pub(crate) fn beside(canonical: &str, known: &Self, slots: &TermSlots) -> Self {
        let mut shared = vec![0_u32; known.counts.len()];
        let (mut others, mut numbers) = (Vec::new(), Vec::new());
        each_term(canonical, |term, has_digit| {
            match slots.find(term, |place| known.counts[place].0) {
                Some(place) => shared[place] = shared[place].saturating_add(1),
                None => others.push(term),
            }
            if has_digit {
                numbers.push(term);
            }
        });
        let others = counted(others);
        let distinct = shared.iter().filter(|count| **count > 0).count() + others.len();
        let mut merged = Self {
            counts: Vec::with_capacity(distinct),
            idf: Vec::with_capacity(distinct),
            numbers: each_once(numbers),
        };
        let mut others = others.into_iter().peekable();
        let known = known.with_idf().zip(shared);
        for ((term, _, idf), count) in known.filter(|(_, count)| *count > 0) {
            while let Some(other) = others.next_if(|(other, _)| other.cmp(&term) == Ordering::Less)
            {
                merged.push(other, idf::of(other.0));
            }
            merged.push((term, count), idf);
        }
        others.for_each(|other| merged.push(other, idf::of(other.0)));
        merged
    }

    /// The slots of its terms.
    pub(crate) fn slots(&self) -> TermSlots {
        TermSlots::of(self.counts.iter().map(|(term, _)| *term))
    }

    fn push(&mut self, counted: (Term, u32), idf: f64) {
        self.counts.push(counted);
        self.idf.push(idf);
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

/// Each of these terms once, with its count, in the order of [`Term`].
fn counted(terms: Vec<Term>) -> Vec<(Term, u32)> {
    let terms = sorted(terms);
    let runs = terms.chunk_by(|a, b| a == b);
    let counted = |run: &[Term]| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX));
    runs.map(counted).collect()
}

fn each_once(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Passes each term of a canonical text to `add`, with whether its word has a digit.
///
/// No word contains a space, so a text can be parted at spaces: into long ASCII parts, whose words are found and hashed in
/// one pass, and what is between two spaces and not ASCII.
pub(crate) fn each_term(canonical: &str, mut add: impl FnMut(Term, bool)) {
    let mut rest = canonical;
    while !rest.is_empty() {
        let ascii = ascii_bytes(rest);
        // A word that goes on beyond ASCII is not of the ASCII part.
        let ends = match ascii < rest.len() {
            true => rest[..ascii].rfind(' ').map_or(0, |space| space + 1),
            false => ascii,
        };
        let (part, other) = rest.split_at(ends);
        ascii_terms(part.as_bytes(), &mut add);
        let ends = other.find(' ').map_or(other.len(), |space| space + 1);
        let (part, after) = other.split_at(ends);
        words(part).for_each(|word| add(Term::of(word), has_digit(word)));
        rest = after;
    }
}

/// The number of ASCII bytes that a text begins with; whether it is all ASCII is found many bytes at a time.
fn ascii_bytes(text: &str) -> usize {
    let first = || text.bytes().position(|byte| !byte.is_ascii());
    let other = if text.is_ascii() { None } else { first() };
    other.unwrap_or(text.len())
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

    proptest! {
        #[test]
        fn terms_beside_those_of_another_text_are_the_same(
            [text, other] in prop::array::uniform2("([a-c1]{0,3} ){0,9}([a-c1]{0,70}|[a-c1 .é契½_—]{0,40}){0,4}"),
        ) {
            let known = TermCounts::of(&other);
            let beside = TermCounts::beside(&text, &known, &known.slots());
            prop_assert_eq!(beside, TermCounts::of(&text));
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
