//! Shingles of any unit, length and offset.
//!
//! After Ignatov et al. 2009, §2.1: a shingle is so many units in a row, the offset is the distance between the
//! beginnings of two. Cherkasova et al. 2009 take bytes, Broder and Ye et al. words, Shivakumar and Garcia-Molina
//! sentences and lines. Offset n keeps every n-th: an image of linear size that, unlike Mod_n, insertions shift.
//!
//! Bytes are those of the text as it is given, nothing is folded or dropped. Other units are fingerprinted one by one,
//! and a shingle is the fingerprint of its units' fingerprints, as in the product's word shingles; a text's units are
//! held at once, eight bytes each.

use std::borrow::Cow;

use crate::chunk_minima::ChunkMinima;
use crate::fingerprint::Fingerprint;
use crate::rolling::{Choice, RabinTables};
use crate::shingle::{Distinct, slabs};
use crate::window::{Unit, Window};

/// What the length of a shingle counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShingleUnit {
    /// Bytes of the text in UTF-8.
    Bytes,
    /// Characters, which are Unicode scalar values.
    Characters,
    /// Runs without white space.
    Words,
    /// What ends with `.`, `!`, `?` or their ideographic forms at a space or at the end.
    Sentences,
    /// Lines with anything in them.
    Lines,
}

impl ShingleUnit {
    /// All of them, the finest first.
    pub const ALL: [Self; 5] = [
        Self::Bytes,
        Self::Characters,
        Self::Words,
        Self::Sentences,
        Self::Lines,
    ];

    /// Its name in messages, such as `"bytes"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Characters => "characters",
            Self::Words => "words",
            Self::Sentences => "sentences",
            Self::Lines => "lines",
        }
    }
}

/// What a shingle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shingling {
    unit: ShingleUnit,
    length: u16,
    offset: u16,
}

/// What was asked of a method or of shingles that they are not defined for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfDomain {
    /// Shingles of length 0, counted in this unit.
    #[error("a shingle has at least one unit; give a length of 1 or more {}", .0.name())]
    Length(ShingleUnit),
    /// Shingles that begin every 0 units, so that they never end.
    #[error("shingles every 0 {} never end; give an offset from 1 on", .0.name())]
    Offset(ShingleUnit),
    /// n beyond what the method is defined for.
    #[error("{method} of n = {n}; give n from 1 to {most}")]
    Size {
        /// The name of the method.
        method: &'static str,
        /// The value that was given.
        n: u64,
        /// The greatest there is.
        most: u64,
    },
    /// A remainder that no division leaves.
    #[error("division by {n} never leaves {remainder}; give a remainder below n")]
    Remainder {
        /// The modulus n.
        n: u64,
        /// The value that was given.
        remainder: u64,
    },
    /// Gaps in which a shared passage would go unseen.
    #[error("winnowing promises nothing of shingles every {0} units; give offset 1")]
    WinnowingOffset(u16),
    /// Chunks of something else.
    #[error("whole chunks are cut between bytes, not at {0}; give a length in bytes and offset 1")]
    ChunksOf(Shingling),
}

impl Shingling {
    /// Shingles of `length` units, one every `offset` units.
    ///
    /// # Errors
    /// [`OutOfDomain`] if either is 0.
    pub const fn new(unit: ShingleUnit, length: u16, offset: u16) -> Result<Self, OutOfDomain> {
        if length == 0 {
            return Err(OutOfDomain::Length(unit));
        }
        if offset == 0 {
            return Err(OutOfDomain::Offset(unit));
        }
        Ok(Self {
            unit,
            length,
            offset,
        })
    }

    /// What the length counts.
    pub const fn unit(self) -> ShingleUnit {
        self.unit
    }

    /// Units of a shingle; at least 1.
    pub const fn length(self) -> u16 {
        self.length
    }

    /// Units from the beginning of a shingle to that of the next; at least 1.
    pub const fn offset(self) -> u16 {
        self.offset
    }
}

impl From<Window> for Shingling {
    /// The shingles of the product: every window of that width.
    fn from(window: Window) -> Self {
        Self {
            unit: match window.unit() {
                Unit::Bytes => ShingleUnit::Bytes,
                Unit::Words => ShingleUnit::Words,
            },
            length: window.width(),
            offset: 1,
        }
    }
}

impl std::fmt::Display for Shingling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.length, self.unit.name())?;
        match self.offset {
            1 => Ok(()),
            offset => write!(f, " every {offset}"),
        }
    }
}

/// Makes shingles of texts.
#[derive(Clone, Debug)]
pub struct Shingler {
    shingling: Shingling,
    tables: RabinTables,
}

/// Bytes of a unit's fingerprint.
const PRINT: usize = 8;

impl Shingler {
    /// A shingler with the tables of these shingles.
    pub fn new(shingling: Shingling) -> Self {
        let bytes = match shingling.unit {
            ShingleUnit::Bytes => 1,
            _ => PRINT,
        };
        Self {
            shingling,
            tables: RabinTables::new(bytes * usize::from(shingling.length)),
        }
    }

    /// What its shingles are.
    pub fn shingling(&self) -> Shingling {
        self.shingling
    }

    /// Visits every shingle once, in the order of the text, in runs of some 2,000 at most.
    pub fn for_each_run(&self, text: &str, visit: impl FnMut(&[Fingerprint])) {
        let (units, step) = self.units(text);
        self.roll(&units, step, visit);
    }

    /// The shingles of a choice, in no particular order and with some repeats.
    pub(super) fn choose(&self, text: &str, choice: Choice) -> Vec<Fingerprint> {
        let (units, step) = self.units(text);
        let (mut chosen, mut distinct) = (Vec::new(), Distinct::default());
        if step == 1 {
            for slab in slabs(&units, self.tables.width()) {
                self.tables.choose(slab, choice, &mut chosen);
                distinct.keep(&mut chosen);
            }
        } else {
            self.roll(&units, step, |run| {
                chosen.extend(run.iter().filter(|shingle| choice.has(**shingle)));
                distinct.keep(&mut chosen);
            });
        }
        chosen
    }

    /// The least shingle of each chunk, in no particular order and with some repeats. A chunk ends at each shingle that
    /// `ends` selects.
    pub(super) fn minima(&self, text: &str, ends: Choice) -> Vec<Fingerprint> {
        let (units, step) = self.units(text);
        let (mut kept, mut distinct) = (Vec::new(), Distinct::default());
        let mut minima = ChunkMinima::default();
        if step == 1 {
            for slab in slabs(&units, self.tables.width()) {
                let join = |stretch, kept: &mut Vec<_>| minima.join(stretch, |f| kept.push(f));
                self.tables.minima(slab, ends, join, &mut kept);
                distinct.keep(&mut kept);
            }
        } else {
            self.roll(&units, step, |run| {
                minima.add(run, |f| ends.has(f), |least| kept.push(least));
                distinct.keep(&mut kept);
            });
        }
        kept.extend(minima.finish());
        kept
    }

    /// The bytes whose windows the shingles are, and how far apart these are.
    pub(super) fn units<'t>(&self, text: &'t str) -> (Cow<'t, [u8]>, usize) {
        let offset = usize::from(self.shingling.offset);
        let units = match self.shingling.unit {
            ShingleUnit::Bytes => return (Cow::Borrowed(text.as_bytes()), offset),
            ShingleUnit::Characters => prints(text.split_inclusive(|_| true).map(of_word)),
            ShingleUnit::Words => prints(text.split_whitespace().map(of_word)),
            ShingleUnit::Sentences => prints(sentences(text).map(of_words)),
            ShingleUnit::Lines => prints(lines(text).map(of_words)),
        };
        (Cow::Owned(units), PRINT * offset)
    }

    /// All shingles of a text, in its order and with repeats.
    pub fn shingles(&self, text: &str) -> Vec<Fingerprint> {
        let mut all = Vec::new();
        self.for_each_run(text, |run| all.extend_from_slice(run));
        all
    }

    /// The tables that shingles are rolled with.
    pub(super) fn tables(&self) -> &RabinTables {
        &self.tables
    }

    /// Every `step`-th window of the bytes.
    fn roll(&self, bytes: &[u8], step: usize, mut visit: impl FnMut(&[Fingerprint])) {
        if step == 1 {
            return self.tables.for_each_run(bytes, visit);
        }
        let mut kept = Vec::new();
        // Windows until the next one that is wanted.
        let mut ahead = 0;
        self.tables.for_each_run(bytes, |run| {
            kept.clear();
            kept.extend(run.iter().skip(ahead).step_by(step));
            ahead = (ahead + kept.len() * step).saturating_sub(run.len());
            visit(&kept);
        });
    }
}

fn prints(units: impl Iterator<Item = Fingerprint>) -> Vec<u8> {
    units.flat_map(|unit| unit.0.to_be_bytes()).collect()
}

fn of_word(word: &str) -> Fingerprint {
    Fingerprint::of(word.as_bytes())
}

/// How its words are spaced does not matter.
fn of_words(words: &str) -> Fingerprint {
    Fingerprint::of(&prints(words.split_whitespace().map(of_word)))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

/// The sentences of a text. Abbreviations end one too: what matters is that two copies of a
/// passage are cut alike.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    let ends = move |c: char| {
        let ends = match c {
            '。' | '！' | '？' => true,
            _ => c.is_whitespace() && matches!(before, '.' | '!' | '?'),
        };
        before = c;
        ends
    };
    text.split_inclusive(ends)
        .filter(|sentence| !sentence.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CanonicalText, Window, reference};
    use proptest::prelude::*;

    fn shingles(text: &str, unit: ShingleUnit, length: u16, offset: u16) -> Vec<Fingerprint> {
        Shingler::new(Shingling::new(unit, length, offset).unwrap()).shingles(text)
    }

    /// Units as strings, shingles by division.
    fn slowly(units: &[&str], length: usize, offset: usize) -> Vec<Fingerprint> {
        let units: Vec<_> = units
            .iter()
            .map(|u| reference::fingerprint(u.as_bytes()))
            .collect();
        let windows = units.windows(length).step_by(offset);
        let bytes = windows.map(|window| prints(window.iter().copied()));
        bytes.map(|bytes| reference::fingerprint(&bytes)).collect()
    }

    proptest! {
        #[test]
        fn bytes_and_words_are_those_of_the_product(text in "[a-d ]{0,300}", length in 1u16..20) {
            let text = CanonicalText::from_extracted(&text);
            let expected = reference::shingles(&text, Window::bytes(length).unwrap());
            prop_assert_eq!(shingles(text.as_str(), ShingleUnit::Bytes, length, 1), expected);
            let expected = reference::shingles(&text, Window::words(length).unwrap());
            prop_assert_eq!(shingles(text.as_str(), ShingleUnit::Words, length, 1), expected);
        }

        #[test]
        fn units_agree_with_their_twin(
            words in prop::collection::vec("[abé]{1,3}", 0..400), length in 1u16..6, offset in 1u16..50,
        ) {
            let (text, of_words): (_, Vec<&str>) = (words.join("  "), words.iter().map(String::as_str).collect());
            let (l, o) = (usize::from(length), usize::from(offset));
            prop_assert_eq!(shingles(&text, ShingleUnit::Words, length, offset), slowly(&of_words, l, o));
            let characters: Vec<String> = text.chars().map(String::from).collect();
            let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
            prop_assert_eq!(shingles(&text, ShingleUnit::Characters, length, offset), slowly(&characters, l, o));
            let all = reference::window_fingerprints(text.as_bytes(), l);
            let expected: Vec<_> = all.into_iter().step_by(o).collect();
            prop_assert_eq!(shingles(&text, ShingleUnit::Bytes, length, offset), expected);
        }
    }

    #[test]
    fn offsets_are_kept_from_run_to_run() {
        let text = "0123456789abcdefghijklmnopqrstuvwxyz".repeat(500);
        let all = shingles(&text, ShingleUnit::Bytes, 20, 1);
        for offset in [2, 7, 1000, 5000] {
            let expected: Vec<_> = all.iter().copied().step_by(offset.into()).collect();
            assert_eq!(
                shingles(&text, ShingleUnit::Bytes, 20, offset),
                expected,
                "{offset}"
            );
        }
    }

    #[test]
    fn sentences_and_lines_are_told() {
        let text = "One. Two is 2.5 long!\n\n  Three?\u{A0}four。five";
        let found: Vec<_> = sentences(text).map(str::trim).collect();
        assert_eq!(
            found,
            ["One.", "Two is 2.5 long!", "Three?", "four。", "five"]
        );
        assert_eq!(lines(text).count(), 2);
        let spaced = "Two  is 2.5\nlong! One.";
        let count = |t| shingles(t, ShingleUnit::Sentences, 1, 1);
        assert_eq!(count(spaced)[0], count(text)[1], "spacing does not matter");
        assert_eq!(shingles(text, ShingleUnit::Lines, 2, 1).len(), 1);
    }

    #[test]
    fn nothing_is_no_length() {
        assert!(Shingling::new(ShingleUnit::Words, 0, 1).is_err());
        assert!(Shingling::new(ShingleUnit::Words, 1, 0).is_err());
        let shown = Shingling::new(ShingleUnit::Words, 10, 2)
            .unwrap()
            .to_string();
        assert_eq!(shown, "10 words every 2");
    }
}
