//! The words of a text, and the terms that identify them.
//!
//! A term is a run of letters and digits of the canonical text, at most [`LONGEST`] bytes of it. In scripts that do not
//! separate words by spaces (Han, kana, Hangul, Thai) each character is a term, so that a sentence is not one term.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use simdex_signature::Fingerprint;

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
pub(crate) fn ascii_terms(part: &[u8], mut add: impl FnMut(Term, bool)) {
    let (mut hash, mut length, mut has_digit) = (FNV_OFFSET, 0, false);
    for &byte in part {
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
    if length > 0 {
        add(Term::of_hash(hash), has_digit);
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
}
