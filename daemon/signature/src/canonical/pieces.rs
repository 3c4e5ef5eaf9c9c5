//! The slow path in pieces: a run of combining marks without end must not be held whole.
//!
//! Normalisation sorts and composes the non-starters behind a starter, and buffers them all to do so. UAX #15, D4
//! (Stream-Safe Text Format) bounds such runs at 30, which is more than any language needs, by putting U+034F between.
//! Here the run is split at the same places, and nothing is inserted, since rule 2 would drop it again. Texts without
//! such runs are one piece.

use std::iter::Peekable;

use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};

use super::seen;

/// Non-starters of one run that are normalised together.
const MAX_NON_STARTERS: usize = 30;

/// The characters of a text, canonically decomposed, in pieces to be normalised apart.
pub(super) struct Pieces<I: Iterator<Item = char>> {
    chars: Peekable<I>,
    /// Non-starters, in NFKD, since the last starter or the beginning of the piece.
    run: usize,
}

/// The pieces of a text, without what is ignorable.
pub(super) fn pieces(text: &str) -> Pieces<impl Iterator<Item = char>> {
    let chars = seen(text).flat_map(decomposed);
    Pieces {
        chars: IotasLast::of(chars).peekable(),
        run: 0,
    }
}

/// U+0345 sorts behind all other non-starters of its run and folds to a letter, the only one to do so.
/// It is moved and folded before the run is parted: a letter that turned up at the end of a piece would
/// compose with the next one when the canonical text is made canonical again.
struct IotasLast<I> {
    chars: I,
    held: usize,
    /// What ended the run.
    next: Option<char>,
}

const YPOGEGRAMMENI: char = '\u{345}';
const IOTA: char = '\u{3b9}';

impl<I: Iterator<Item = char>> IotasLast<I> {
    fn of(chars: I) -> Self {
        Self {
            chars,
            held: 0,
            next: None,
        }
    }
}

impl<I: Iterator<Item = char>> Iterator for IotasLast<I> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        while self.next.is_none() {
            match self.chars.next() {
                Some(YPOGEGRAMMENI) => self.held += 1,
                Some(c) if self.held == 0 || canonical_combining_class(c) != 0 => return Some(c),
                Some(c) => self.next = Some(c),
                None => break,
            }
        }
        if self.held > 0 {
            self.held -= 1;
            return Some(IOTA);
        }
        self.next.take()
    }
}

impl<I: Iterator<Item = char>> Pieces<I> {
    /// The next piece, to be read to its end; none after the last.
    pub(super) fn next_piece(&mut self) -> Option<impl Iterator<Item = char>> {
        let Self { chars, run } = self;
        chars.peek()?;
        *run = 0;
        Some(std::iter::from_fn(move || {
            let next = *chars.peek()?;
            let after = match trailing_non_starters(next) {
                Some(trailing) => trailing,
                None => *run + 1,
            };
            if after > MAX_NON_STARTERS {
                return None;
            }
            *run = after;
            chars.next()
        }))
    }
}

/// The canonical decomposition of one character, in no canonical order yet.
fn decomposed(c: char) -> impl Iterator<Item = char> {
    // The longest have four characters; a test asks all of Unicode.
    let (mut parts, mut count) = (['\0'; 4], 0);
    decompose_canonical(c, |part| {
        if let Some(free) = parts.get_mut(count) {
            *free = part;
            count += 1;
        }
    });
    parts.into_iter().take(count)
}

/// Non-starters that a character ends with in NFKD; none where it begins with one. Of characters that
/// are canonically decomposed, those that do are one non-starter.
fn trailing_non_starters(c: char) -> Option<usize> {
    if c.is_ascii() {
        return Some(0);
    }
    let (mut begins, mut trailing) = (None, 0);
    decompose_compatible(c, |part| {
        let starts = canonical_combining_class(part) == 0;
        begins = begins.or(Some(starts));
        trailing = if starts { 0 } else { trailing + 1 };
    });
    begins.unwrap_or(true).then_some(trailing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_every_character_the_decomposition_fits_and_begins_with_at_most_one_non_starter() {
        for c in '\0'..=char::MAX {
            let mut canonical = Vec::new();
            decompose_canonical(c, |part| canonical.push(part));
            assert!(decomposed(c).eq(canonical.iter().copied()), "{c:?}");
            for part in canonical {
                if trailing_non_starters(part).is_none() {
                    let mut whole = 0;
                    decompose_compatible(part, |_| whole += 1);
                    assert_eq!(whole, 1, "{part:?} of {c:?}");
                }
            }
        }
    }

    #[test]
    fn a_run_is_parted_after_thirty_and_each_starter_begins_anew() {
        let count = |text: &str| {
            let mut pieces = pieces(text);
            let mut counts = Vec::new();
            while let Some(piece) = pieces.next_piece() {
                counts.push(piece.count());
            }
            counts
        };
        let marks = |many| "\u{301}".repeat(many);
        assert_eq!(count(""), [0; 0]);
        assert_eq!(count(&format!("a{}b{}", marks(30), marks(30))), [62]);
        assert_eq!(count(&format!("a{}", marks(95))), [31, 30, 30, 5]);
        // The accent of é counts, and so does that which U+00B4 has in NFKD.
        assert_eq!(count(&format!("é{}", marks(30))), [31, 1]);
        assert_eq!(count(&format!("\u{b4}{}", marks(30))), [30, 1]);
        // U+0344 is two marks.
        assert_eq!(count(&format!("a{}\u{344}", marks(29))), [31, 1]);
    }
}
