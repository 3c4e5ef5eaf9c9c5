//! Character properties that matter [MS-DOC] §2.6.1: runs of characters marked as deleted or inserted, those above or
//! below the line or in a symbol font, and those that stand for something else.

use std::ops::Range;

use super::fib::{Fib, Structure};
use super::signs::{Sign, disjoint};
use crate::compound::{double_word, double_words, word};
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;

/// Bytes of a page of character formatting.
const PAGE_BYTES: usize = 512;
/// Changes of character properties: marked as deleted, marked as inserted; and their numbers in the short form.
const DELETED: u16 = 0x0800;
const INSERTED: u16 = 0x0801;
/// Whether characters are above (1) or below (2) the line.
const SCRIPT: u16 = 0x2a48;
/// The fonts of characters: of ASCII, and of those in no script with a font of its own.
const FONT_OF_ASCII: u16 = 0x4a4f;
const FONT: u16 = 0x4a51;
/// Whether characters are struck through by one line or by two.
const LINE: u16 = 0x0837;
const TWO_LINES: u16 = 0x2a53;
/// A sign of a font; where the data of the character are, and that these are no picture.
const SYMBOL: u16 = 0x6a09;
const LOCATION: u16 = 0x6a03;
const IS_DATA: u16 = 0x0806;
const SHORT_DELETED: u16 = 0x41;
const SHORT_INSERTED: u16 = 0x42;

/// What is marked in the main stream, by offset.
#[derive(Debug, Default)]
pub(super) struct Revisions {
    /// Sorted and disjoint.
    deleted: Vec<Range<usize>>,
    pub(super) insertions: u64,
    /// Runs of characters that stand for something else.
    pub(super) signs: Vec<(Range<usize>, Sign)>,
    /// Sorted and disjoint.
    styles: Vec<(Range<usize>, TextStyle)>,
}

/// What matters in a list of property changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) is_deleted: bool,
    is_inserted: bool,
    style: TextStyle,
    font_of_ascii: Option<u16>,
    font: Option<u16>,
    symbol: Option<(u16, u16)>,
    location: Option<u32>,
    is_data: bool,
}

impl Changes {
    /// From a list of changes, each with an operand whose length follows from its number.
    pub(super) fn of(mut list: &[u8]) -> Self {
        let mut changes = Self::default();
        while let Some(change) = word(list, 0) {
            let operand = list.get(2..).unwrap_or_default();
            let is_on = operand.first().is_some_and(|&value| value & 1 != 0);
            match change {
                DELETED => changes.is_deleted = is_on,
                INSERTED => changes.is_inserted = is_on,
                SCRIPT => {
                    let place = operand.first().copied().unwrap_or(0);
                    changes.style.script = Script::of_number(place.into());
                }
                LINE | TWO_LINES if is_on => changes.style.is_struck = true,
                FONT_OF_ASCII => changes.font_of_ascii = word(operand, 0),
                FONT => changes.font = word(operand, 0),
                SYMBOL => changes.symbol = word(operand, 0).zip(word(operand, 2)),
                LOCATION => changes.location = double_word(operand, 0),
                IS_DATA => changes.is_data = is_on,
                _ => {}
            }
            let length = match change >> 13 {
                0 | 1 => 1,
                2 | 4 | 5 => 2,
                3 => 4,
                7 => 3,
                _ => 1 + operand.first().map_or(0, |&length| usize::from(length)),
            };
            list = operand.get(length..).unwrap_or_default();
        }
        changes
    }

    /// From a change in the short form: number and operand.
    pub(super) fn of_short(modifier: u16) -> Self {
        let (number, is_on) = (modifier >> 1 & 0x7f, modifier >> 8 & 1 != 0);
        Self {
            is_deleted: number == SHORT_DELETED && is_on,
            is_inserted: number == SHORT_INSERTED && is_on,
            ..Self::default()
        }
    }

    /// The style of the characters, given the fonts of the document.
    fn style(self, fonts: &[Option<SymbolFont>]) -> TextStyle {
        let font = self.font.or(self.font_of_ascii);
        let font = font.and_then(|font| fonts.get(usize::from(font)));
        TextStyle {
            symbols: font.copied().flatten(),
            ..self.style
        }
    }

    fn sign(self) -> Option<Sign> {
        match self.symbol {
            Some((font, code)) => Some(Sign::Symbol(font, code)),
            None => self.location.filter(|_| self.is_data).map(Sign::Form),
        }
    }
}

impl Revisions {
    /// From the pages of character formatting. Those of Word 6 are not read.
    pub(super) fn parse(
        fib: &Fib,
        table: &[u8],
        document: &[u8],
        fonts: &[Option<SymbolFont>],
    ) -> Self {
        let mut revisions = Self::default();
        if fib.is_old {
            return revisions;
        }
        let list = fib.bytes_of(Structure::CHARACTERS, table);
        let length = fib.structure(Structure::CHARACTERS).1 as usize;
        let count = length.saturating_sub(4) / 8;
        let pages = list.get(4 * (count + 1)..).unwrap_or_default();
        let mut after_insertion = None;
        // More pages than exist would be the same ones again.
        for number in double_words(pages).take(document.len() / PAGE_BYTES) {
            let start = (number & 0x3f_ffff) as usize * PAGE_BYTES;
            let Some(page) = document.get(start..start + PAGE_BYTES) else {
                continue;
            };
            for (range, changes) in runs(page) {
                if changes.is_inserted {
                    revisions.insertions += u64::from(after_insertion != Some(range.start));
                    after_insertion = Some(range.end);
                }
                let sign = changes.sign().map(|sign| (range.clone(), sign));
                revisions.signs.extend(sign);
                let style = changes.style(fonts);
                if !style.is_plain() {
                    revisions.styles.push((range.clone(), style));
                }
                if changes.is_deleted {
                    revisions.deleted.push(range);
                }
            }
        }
        revisions.deleted = joined(revisions.deleted);
        disjoint(&mut revisions.styles);
        revisions
    }

    /// How many runs are marked as deleted.
    pub(super) fn deletions(&self) -> u64 {
        self.deleted.len() as u64
    }

    /// A range without its deleted parts.
    pub(super) fn kept(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut kept = Vec::new();
        let mut start = range.start;
        let first = self
            .deleted
            .partition_point(|deleted| deleted.end <= range.start);
        for deleted in &self.deleted[first..] {
            if deleted.start >= range.end {
                break;
            }
            if deleted.start > start {
                kept.push(start..deleted.start);
            }
            start = deleted.end;
        }
        if start < range.end {
            kept.push(start..range.end);
        }
        kept
    }

    /// A range in pieces, each with its style.
    pub(super) fn styled(&self, range: Range<usize>) -> Vec<(Range<usize>, TextStyle)> {
        let plain = TextStyle::default();
        let mut pieces = Vec::new();
        let mut start = range.start;
        let first = self
            .styles
            .partition_point(|(run, _)| run.end <= range.start);
        for (run, style) in &self.styles[first..] {
            if run.start >= range.end {
                break;
            }
            let run = run.start.max(start)..run.end.min(range.end);
            pieces.extend([(start..run.start, plain), (run.clone(), *style)]);
            start = run.end;
        }
        pieces.push((start..range.end, plain));
        pieces.retain(|(piece, _)| !piece.is_empty());
        pieces
    }
}

/// The runs of a page: offsets, then half the offsets of their changes; the last byte is their number.
fn runs(page: &[u8]) -> impl Iterator<Item = (Range<usize>, Changes)> + '_ {
    let count = page.last().map_or(0, |&count| usize::from(count));
    let places: Vec<u32> = double_words(page).take(count + 1).collect();
    (0..count).filter_map(move |run| {
        let range = *places.get(run)? as usize..*places.get(run + 1)? as usize;
        let offset = 2 * usize::from(*page.get(4 * (count + 1) + run)?);
        let length = usize::from(*page.get(offset)?);
        let list = page.get(offset + 1..offset + 1 + length)?;
        (offset != 0 && !range.is_empty()).then(|| (range, Changes::of(list)))
    })
}

/// Sorted, and joined if one ends where the next begins.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
