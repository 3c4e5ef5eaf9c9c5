//! The terms of a text and how often each occurs.
//!
//! A term is a run of letters and digits of the canonical text, at most [`LONGEST`] bytes of it. In scripts that do not
//! separate words by spaces (Han, kana, Hangul, Thai) each character is a term, so that a sentence is not one term. The
//! words of a text are sorted; once they are counted, memory is linear in the number of distinct terms.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use simdex_signature::Fingerprint;

use super::idf;

/// Minimum number of bits of the buckets in which terms are sorted: sorting few terms in buckets is not worth it, and
/// more buckets would not fit in the cache.
const LEAST_BUCKET_BITS: u32 = 6;
const MOST_BUCKET_BITS: u32 = 14;

/// Bytes of a term that distinguish it from others.
const LONGEST: usize = 64;

/// Identifies a term: a 64-bit hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub u64);

impl Term {
    /// The term of a word of canonical text: FNV-1a, then a finaliser, so that all bits are equally good.
    pub fn of(word: &str) -> Self {
        let bytes = word.bytes().take(LONGEST);
        Self::of_hash(bytes.fold(FNV_OFFSET, fnv))
    }

    fn of_hash(hash: u64) -> Self {
        Self(Fingerprint(hash).mixed())
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a.
fn fnv(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Passes each term of an ASCII part to `add`, with whether its word has a digit. Words are found and hashed in one
/// pass.
fn ascii_terms(part: &[u8], mut add: impl FnMut(Term, bool)) {
    let (mut hash, mut length, mut has_digit) = (FNV_OFFSET, 0, false);
    for &byte in part.iter().chain(b" ") {
        if byte.is_ascii_alphanumeric() {
            if length < LONGEST {
                hash = fnv(hash, byte);
            }
            length += 1;
            has_digit |= byte.is_ascii_digit();
        } else if length > 0 {
            add(Term::of_hash(hash), has_digit);
            (hash, length, has_digit) = (FNV_OFFSET, 0, false);
        }
    }
}

/// A term is a hash already.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermHasher(u64);

impl Hasher for TermHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A map by terms.
pub(crate) type TermMap<V> = HashMap<Term, V, BuildHasherDefault<TermHasher>>;

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
        .min(MOST_BUCKET_BITS);
    if bits < LEAST_BUCKET_BITS {
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

/// The words of a canonical text, in order.
pub fn words(canonical: &str) -> Words<'_> {
    Words {
        rest: canonical,
        apart: "",
    }
}

/// Iterates over words.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    rest: &'a str,
    /// The rest of a run in a script that does not separate words; each character of it is a word.
    apart: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.apart.is_empty() {
            let start = run_end(self.rest, false).0;
            let (end, is_ascii) = run_end(&self.rest[start..], true);
            let (run, rest) = self.rest[start..].split_at(end);
            self.rest = rest;
            if is_ascii || !run.chars().any(stands_alone) {
                return (!run.is_empty()).then_some(run);
            }
            self.apart = run;
        }
        let length = self.apart.chars().next().map_or(0, char::len_utf8);
        let (first, after) = self.apart.split_at(length);
        self.apart = after;
        Some(first)
    }
}

/// Where the run of letters and digits, or of other characters, at the beginning of a text ends; and whether it is all
/// ASCII, which is decided by its bytes.
fn run_end(text: &str, is_of_words: bool) -> (usize, bool) {
    let (bytes, mut at, mut is_ascii) = (text.as_bytes(), 0, true);
    while let Some(byte) = bytes.get(at) {
        let (is_of_word, length) = match byte.is_ascii() {
            true => (byte.is_ascii_alphanumeric(), 1),
            false => {
                let next = text[at..].chars().next();
                let is_of_word = next.is_some_and(char::is_alphanumeric);
                is_ascii &= is_of_word != is_of_words;
                (is_of_word, next.map_or(1, char::len_utf8))
            }
        };
        if is_of_word != is_of_words {
            break;
        }
        at += length;
    }
    (at, is_ascii)
}

/// Whether a character belongs to a script that does not separate words by spaces.
fn stands_alone(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1100}'..='\u{11ff}' // Hangul jamo
        | '\u{3040}'..='\u{30ff}' // kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7af}' // Hangul
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_runs_of_letters_and_digits_and_ideographs_stand_alone() {
        let found: Vec<_> = words("§ 4.2 the lessee's café — 契約書 a_b").collect();
        assert_eq!(
            found,
            [
                "4", "2", "the", "lessee", "s", "café", "契", "約", "書", "a", "b"
            ]
        );
    }

    /// The slow reference: every character is checked whether it belongs to a word.
    fn by_definition(text: &str) -> Vec<&str> {
        let runs = text.split(|letter: char| !letter.is_alphanumeric());
        let runs = runs.filter(|run| !run.is_empty());
        runs.flat_map(|run| match run.chars().any(stands_alone) {
            true => run.split_inclusive(|_: char| true).collect(),
            false => vec![run],
        })
        .collect()
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_definition(text in "[a-c1 .é\u{301}契ก½_—\u{10400}]{0,40}") {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), by_definition(&text));
        }
    }

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
