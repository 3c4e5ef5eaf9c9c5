//! Pairs of texts: a piece of a text or a table, and a copy, changed as people change texts.

use super::tables::{self, RowOrder};
use super::words::{Words, any_word, length};
use crate::corpus::Random;

/// Words of the longest run that is moved or repeated, in bits: a paragraph.
const RUN_BITS: f64 = 6.0;
/// How often a run is repeated at most.
const TIMES: u64 = 4;

/// What is done to a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// Words are inserted one by one all over the piece.
    Insert,
    /// Words are removed.
    Remove,
    /// Words are replaced.
    Replace,
    /// A stretch is exchanged for another text.
    Exchange,
    /// The end is cut off.
    Cut,
    /// Some runs of words, as long as a word, a line or a paragraph, change places.
    Shuffle,
    /// All runs are sorted.
    Sort,
    /// Runs are repeated.
    Repeat,
    /// A character at one end is removed, or a word added there.
    Ends,
    /// A table in place of a piece, whose rows are in another order.
    Rows(RowOrder),
}

/// All changes.
pub(super) const CHANGES: [Change; 11] = [
    Change::Insert,
    Change::Remove,
    Change::Replace,
    Change::Exchange,
    Change::Cut,
    Change::Shuffle,
    Change::Sort,
    Change::Repeat,
    Change::Ends,
    Change::Rows(RowOrder::Shuffled),
    Change::Rows(RowOrder::Sorted),
];

impl Change {
    /// The name of its row in the results.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Remove => "remove",
            Self::Replace => "replace",
            Self::Exchange => "exchange",
            Self::Cut => "cut",
            Self::Shuffle => "shuffle",
            Self::Sort => "sort",
            Self::Repeat => "repeat",
            Self::Ends => "ends",
            Self::Rows(RowOrder::Shuffled) => "rows shuffled",
            Self::Rows(RowOrder::Sorted) => "rows sorted",
        }
    }

    /// A piece of these texts, or a table, and its copy.
    pub(super) fn pair<'a>(self, texts: &[Words<'a>], random: &mut Random) -> [Words<'a>; 2] {
        if let Self::Rows(order) = self {
            return tables::pair(texts, order, random);
        }
        let piece = piece(texts, random);
        let copy = self.copy_of(&piece, texts, random);
        [piece, copy]
    }

    /// A copy of a piece; how much of it is changed is drawn too, from hardly anything to nearly all.
    fn copy_of<'a>(self, piece: &[&'a str], texts: &[Words<'a>], random: &mut Random) -> Words<'a> {
        let much = random.unit();
        let block = (much * piece.len() as f64) as usize;
        match self {
            // Changing a twentieth of the words one by one leaves hardly half of the shingles.
            Self::Insert | Self::Remove | Self::Replace => {
                self.one_by_one(piece, 0.6 * much.powi(4), texts, random)
            }
            Self::Exchange => exchanged(piece, block, texts, random),
            Self::Cut => piece[..piece.len() - block].to_vec(),
            Self::Shuffle => shuffled(piece, much * much, random),
            Self::Sort => {
                let mut runs: Vec<&[&str]> = piece.chunks(run_length(random)).collect();
                runs.sort_unstable();
                runs.concat()
            }
            Self::Repeat => repeated(piece, much.powi(4), random),
            Self::Ends => at_an_end(piece, texts, random),
            Self::Rows(_) => piece.to_vec(),
        }
    }

    fn one_by_one<'a>(
        self,
        piece: &[&'a str],
        share: f64,
        texts: &[Words<'a>],
        random: &mut Random,
    ) -> Words<'a> {
        let mut copy = Vec::with_capacity(piece.len());
        for word in piece {
            let is_changed = random.chance(share);
            if is_changed && self != Self::Remove {
                copy.extend(any_word(texts, random));
            }
            if !is_changed || self == Self::Insert {
                copy.push(*word);
            }
        }
        copy
    }
}

/// Words of one text after another from a random place on, as many as make the length.
fn piece<'a>(texts: &[Words<'a>], random: &mut Random) -> Words<'a> {
    let length = length(random);
    let (mut piece, mut bytes) = (Vec::new(), 0);
    while bytes < length {
        let text = &texts[random.below(texts.len() as u64) as usize];
        let from = random.below(text.len().max(1) as u64) as usize;
        for word in text.iter().skip(from) {
            bytes += word.len() + 1;
            piece.push(*word);
            if bytes >= length {
                break;
            }
        }
    }
    piece
}

fn run_length(random: &mut Random) -> usize {
    (random.unit() * RUN_BITS).exp2() as usize
}

fn exchanged<'a>(
    piece: &[&'a str],
    block: usize,
    texts: &[Words<'a>],
    random: &mut Random,
) -> Words<'a> {
    let from = random.below((piece.len() - block) as u64 + 1) as usize;
    let other = self::piece(texts, random);
    let fresh = other.iter().cycle().take(block).copied();
    let before = piece[..from].iter().copied();
    let after = piece[from + block..].iter().copied();
    before.chain(fresh).chain(after).collect()
}

/// A share of the runs change places with others.
fn shuffled<'a>(piece: &[&'a str], share: f64, random: &mut Random) -> Words<'a> {
    let mut runs: Vec<&[&str]> = piece.chunks(run_length(random)).collect();
    for at in (1..runs.len()).rev() {
        if random.chance(share) {
            runs.swap(at, random.below(at as u64 + 1) as usize);
        }
    }
    runs.concat()
}

/// A share of the runs follow themselves a few times.
fn repeated<'a>(piece: &[&'a str], share: f64, random: &mut Random) -> Words<'a> {
    let mut copy = Vec::with_capacity(piece.len());
    for run in piece.chunks(run_length(random)) {
        let times = match random.chance(share) {
            true => 2 + random.below(TIMES - 1),
            false => 1,
        };
        (0..times).for_each(|_| copy.extend_from_slice(run));
    }
    copy
}

/// The first or the last word loses a character, or another word is added there.
fn at_an_end<'a>(piece: &[&'a str], texts: &[Words<'a>], random: &mut Random) -> Words<'a> {
    let mut copy = piece.to_vec();
    let (is_first, is_added) = (random.chance(0.5), random.chance(0.5));
    let at = if is_first { 0 } else { copy.len() };
    if is_added {
        if let Some(word) = any_word(texts, random) {
            copy.insert(at, word);
        }
    } else if is_first {
        if let Some(first) = copy.first_mut() {
            *first = &first[first.ceil_char_boundary(1)..];
        }
    } else if let Some(last) = copy.last_mut() {
        *last = &last[..last.floor_char_boundary(last.len().saturating_sub(1))];
    }
    copy
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::words::words_of;
    use super::*;

    fn changed(change: Change, number: u64) -> (String, String) {
        let texts: Vec<String> = (0..4)
            .map(|text| (0..400).map(|word| format!("w{text}-{word} ")).collect())
            .collect();
        let words = words_of(&texts);
        let piece = &words[0];
        let copy = change.copy_of(piece, &words, &mut Random::new(7, number));
        (piece.join(" "), copy.join(" "))
    }

    #[test]
    fn every_change_changes_a_text_and_keeps_what_it_says_it_keeps() {
        let of_pieces = CHANGES
            .iter()
            .filter(|change| !matches!(change, Change::Rows(_)));
        for change in of_pieces.copied() {
            let mut differ = 0;
            for number in 0..40 {
                let (text, copy) = changed(change, number);
                differ += usize::from(text != copy);
                let (words, copied) = (text.split(' '), copy.split(' '));
                match change {
                    Change::Shuffle | Change::Sort => {
                        let [mut a, mut b]: [Vec<&str>; 2] = [words.collect(), copied.collect()];
                        a.sort_unstable();
                        b.sort_unstable();
                        assert_eq!(a, b);
                    }
                    Change::Repeat => {
                        assert!(copy.len() >= text.len());
                        let [a, b]: [BTreeSet<&str>; 2] = [words.collect(), copied.collect()];
                        assert_eq!(a, b);
                    }
                    Change::Ends => {
                        assert!(text.len().abs_diff(copy.len()) <= 8);
                        assert!(copy.contains(&text[1..text.len() - 1]));
                    }
                    _ => {}
                }
            }
            assert!(differ > 20, "{change:?}: {differ}");
        }
    }
}
