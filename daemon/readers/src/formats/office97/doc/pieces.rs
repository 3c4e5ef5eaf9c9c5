//! The piece table [MS-DOC] §2.8.35: where each run of characters is, and in which width.

use std::ops::Range;

use super::changes::Changes;
use super::fib::{Fib, Structure};
use crate::compound::{double_word, double_words, word};

/// Bit of a piece's offset that marks 8-bit text; the offset is then doubled.
const NARROW: u32 = 1 << 30;

/// A run of contiguous characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Number of the first character.
    pub(super) start: u32,
    pub(super) length: u32,
    /// Offset of the first character in the main stream.
    pub(super) place: u32,
    /// Whether characters have 16 bits.
    pub(super) is_wide: bool,
    /// A fast save's change of the whole piece.
    modifier: u16,
}

impl Piece {
    /// The part of the piece between two character numbers.
    pub(super) fn within(self, start: u32, end: u32) -> Self {
        let from = self.start.max(start);
        let to = self.start.saturating_add(self.length).min(end);
        let width = if self.is_wide { 2 } else { 1 };
        Self {
            start: from,
            length: to.saturating_sub(from),
            place: self
                .place
                .saturating_add((from - self.start).saturating_mul(width)),
            ..self
        }
    }

    /// Where its bytes are.
    pub(super) fn bytes(self) -> Range<usize> {
        let width = if self.is_wide { 2 } else { 1 };
        let start = self.place as usize;
        start..start + self.length as usize * width
    }

    /// Its own changes: a single short one, or the number of a list.
    pub(super) fn changes(self, lists: &[Changes]) -> Changes {
        if self.modifier & 1 == 0 {
            return Changes::of_short(self.modifier);
        }
        let list = lists.get(usize::from(self.modifier >> 1));
        list.copied().unwrap_or_default()
    }
}

/// All pieces in the order of the text, and the lists of changes they may refer to. Never more characters than the
/// stream has bytes.
pub(super) fn pieces(fib: &Fib, table: &[u8], document: &[u8]) -> (Vec<Piece>, Vec<Changes>) {
    if fib.is_old && !fib.is_complex {
        let length = fib
            .parts
            .iter()
            .fold(0, |sum: u32, part| sum.saturating_add(*part));
        let whole = Piece {
            start: 0,
            length,
            place: fib.text_start,
            is_wide: false,
            modifier: 0,
        };
        return (vec![whole], Vec::new());
    }
    let (mut lists, mut rest) = (Vec::new(), fib.bytes_of(Structure::PIECES, table));
    while let (Some(1), Some(length)) = (rest.first(), word(rest, 1)) {
        let length = usize::from(length);
        let list = rest.get(3..3 + length).unwrap_or_default();
        lists.push(Changes::of(list));
        rest = rest.get(3 + length..).unwrap_or_default();
    }
    // 2, the length, then one number more than there are pieces, then the pieces. The stated length counts, not what
    // remains of it in a cut stream.
    let length = double_word(rest, 1).unwrap_or(0) as usize;
    let count = length.saturating_sub(4) / 12;
    let rest = rest.get(5..).unwrap_or_default();
    let (numbers, places) = rest.split_at_checked(4 * (count + 1)).unwrap_or_default();
    let numbers: Vec<u32> = double_words(numbers).collect();
    let mut left = document.len();
    let mut pieces = Vec::new();
    for (bounds, place) in numbers.windows(2).zip(places.chunks_exact(8)) {
        let Some(piece) = piece(bounds[0], bounds[1], place, fib.is_old) else {
            break;
        };
        let Some(after) = left.checked_sub(piece.length as usize) else {
            break;
        };
        left = after;
        pieces.push(piece);
    }
    (pieces, lists)
}

fn piece(start: u32, end: u32, bytes: &[u8], is_old: bool) -> Option<Piece> {
    let place = double_word(bytes, 2)?;
    let is_narrow = is_old || place & NARROW != 0;
    Some(Piece {
        start,
        length: end.checked_sub(start)?,
        place: match (is_old, is_narrow) {
            (false, true) => (place & !NARROW) / 2,
            _ => place,
        },
        is_wide: !is_narrow,
        modifier: word(bytes, 6)?,
    })
}
