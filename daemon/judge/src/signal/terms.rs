//! The terms of a text and how often each stands in it.
//!
//! A term is a run of letters and digits of the canonical text, at most [`LONGEST`] bytes of it. Scripts that
//! part no words by spaces (Han, kana, Hangul, Thai) have each character as a term, so that a sentence is not
//! one term. Linear in the text; memory in the number of distinct terms.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use simdex_signature::Fingerprint;

/// Bytes of a term that tell it apart from others.
const LONGEST: usize = 64;

/// Names a term: a 64-bit hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub u64);

impl Term {
    /// The term of a word of canonical text: FNV-1a, then a finaliser, so that every bit is as good as any.
    pub fn of(word: &str) -> Self {
        let bytes = word.bytes().take(LONGEST);
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(Fingerprint(hash).mixed())
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

/// How often each term stands in a text, in the order of [`Term`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermCounts(Vec<(Term, u32)>);

impl TermCounts {
    /// The terms of a canonical text.
    pub fn of(canonical: &str) -> Self {
        let mut counts: TermMap<u32> = TermMap::default();
        for word in words(canonical) {
            let count = counts.entry(Term::of(word)).or_default();
            *count = count.saturating_add(1);
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        Self(counts)
    }

    /// Each term once, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Term, u32)> + '_ {
        self.0.iter().copied()
    }
}

/// The words of a canonical text, in order.
pub fn words(canonical: &str) -> impl Iterator<Item = &str> {
    let runs = canonical.split(|letter: char| !letter.is_alphanumeric());
    runs.filter(|run| !run.is_empty()).flat_map(parts)
}

/// A run as it is where its script parts words; else its characters.
fn parts(run: &str) -> impl Iterator<Item = &str> {
    let parted = run.is_ascii() || !run.chars().any(stands_alone);
    let whole = parted.then_some(run);
    let letters = (!parted).then(|| run.split_inclusive(|_: char| true));
    whole.into_iter().chain(letters.into_iter().flatten())
}

/// Whether a character is of a script that parts no words by spaces.
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
    }
}
