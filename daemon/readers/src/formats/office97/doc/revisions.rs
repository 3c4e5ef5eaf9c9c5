//! Character properties that matter [MS-DOC] §2.6.1: runs of characters marked as deleted or inserted, those above or
//! below the line, struck or in a symbol font, by themselves or by a style, and those that stand for something else.

use std::ops::Range;

use super::changes::StatedFormat;
use super::fib::{Fib, Structure};
use super::formatting::{self, pages, runs};
use super::signs::{Sign, disjoint};
use super::style_sheet::StyleSheet;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;

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
        let (mut after_insertion, mut formats) = (None, Vec::new());
        for page in pages(fib, Structure::CHARACTERS, table, document) {
            for (range, changes) in runs(page) {
                if changes.is_inserted {
                    revisions.insertions += u64::from(after_insertion != Some(range.start));
                    after_insertion = Some(range.end);
                }
                let sign = changes.sign().map(|sign| (range.clone(), sign));
                revisions.signs.extend(sign);
                if changes.format != StatedFormat::default() {
                    formats.push((range.clone(), changes.format));
                }
                if changes.is_deleted {
                    revisions.deleted.push(range);
                }
            }
        }
        revisions.deleted = joined(revisions.deleted);
        disjoint(&mut formats);
        let sheet = StyleSheet::parse(fib.bytes_of(Structure::STYLES, table));
        let mut paragraphs = Vec::new();
        if !sheet.is_plain(fonts) {
            let pages = pages(fib, Structure::PARAGRAPHS, table, document);
            paragraphs.extend(pages.into_iter().flat_map(formatting::paragraphs));
            disjoint(&mut paragraphs);
        }
        revisions.styles = styles(&paragraphs, &formats, |paragraph, run| {
            sheet.format(paragraph, run).text_style(fonts)
        });
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

/// The styles of runs of characters, where they are not plain: that of their paragraph, with what is said of the run.
fn styles(
    paragraphs: &[(Range<usize>, u16)],
    runs: &[(Range<usize>, StatedFormat)],
    style: impl Fn(Option<u16>, StatedFormat) -> TextStyle,
) -> Vec<(Range<usize>, TextStyle)> {
    let bounds = |range: &Range<usize>| [range.start, range.end];
    let mut places: Vec<usize> = paragraphs
        .iter()
        .flat_map(|(range, _)| bounds(range))
        .chain(runs.iter().flat_map(|(range, _)| bounds(range)))
        .collect();
    places.sort_unstable();
    places.dedup();
    let (mut paragraphs, mut runs) = (Ahead(paragraphs), Ahead(runs));
    let mut styles = Vec::new();
    for bounds in places.windows(2) {
        let run = runs.at(bounds[0]).unwrap_or_default();
        let style = style(paragraphs.at(bounds[0]), run);
        if !style.is_plain() {
            styles.push((bounds[0]..bounds[1], style));
        }
    }
    styles
}

/// Sorted and disjoint ranges that have not been passed yet.
struct Ahead<'a, T>(&'a [(Range<usize>, T)]);

impl<T: Copy> Ahead<'_, T> {
    /// What there is at a place, which is behind those asked for before.
    fn at(&mut self, place: usize) -> Option<T> {
        while let Some((range, of)) = self.0.first() {
            if place < range.end {
                return (range.start <= place).then_some(*of);
            }
            self.0 = &self.0[1..];
        }
        None
    }
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
