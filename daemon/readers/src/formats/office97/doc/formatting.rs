//! Pages of formatting [MS-DOC] §2.9.33 and §2.9.175: of characters and of paragraphs, by their offsets in the main
//! stream.

use std::ops::Range;

use super::changes::Changes;
use super::fib::{Fib, Structure};
use crate::compound::{double_words, word};

/// Bytes of a page.
const PAGE_BYTES: usize = 512;
/// Bytes that a page has for each paragraph, of which the first says where its properties are.
const OF_PARAGRAPH: usize = 13;

/// The pages that a list in the table stream names.
pub(super) fn pages<'d>(
    fib: &Fib,
    list: Structure,
    table: &[u8],
    document: &'d [u8],
) -> Vec<&'d [u8]> {
    let length = fib.structure(list).1 as usize;
    let count = length.saturating_sub(4) / 8;
    let numbers = fib.bytes_of(list, table).get(4 * (count + 1)..);
    // More pages than exist would be the same ones again.
    let numbers = double_words(numbers.unwrap_or_default()).take(document.len() / PAGE_BYTES);
    let pages = numbers.filter_map(|number| {
        let start = (number & 0x3f_ffff) as usize * PAGE_BYTES;
        document.get(start..start + PAGE_BYTES)
    });
    pages.collect()
}

/// The runs of a page, each with where its properties are, or 0 if it has none; `width` is the distance between the
/// bytes that say so.
fn entries(page: &[u8], width: usize) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
    // Offsets, then half the places of properties; the last byte is the number of runs.
    let count = page.last().map_or(0, |&count| usize::from(count));
    let places: Vec<u32> = double_words(page).take(count + 1).collect();
    (0..count).filter_map(move |run| {
        let range = *places.get(run)? as usize..*places.get(run + 1)? as usize;
        let at = 2 * usize::from(*page.get(4 * (count + 1) + width * run)?);
        (!range.is_empty()).then_some((range, at))
    })
}

/// The runs of characters of a page that have properties.
pub(super) fn runs(page: &[u8]) -> impl Iterator<Item = (Range<usize>, Changes)> + '_ {
    let stated = entries(page, 1).filter(|(_, at)| *at != 0);
    stated.filter_map(|(range, at)| {
        let length = usize::from(*page.get(at)?);
        let list = page.get(at + 1..at + 1 + length)?;
        Some((range, Changes::of(list)))
    })
}

/// The paragraphs of a page, and the number of the style of each: 0 if it has no properties.
pub(super) fn paragraphs(page: &[u8]) -> impl Iterator<Item = (Range<usize>, u16)> + '_ {
    entries(page, OF_PARAGRAPH).filter_map(|(range, at)| {
        if at == 0 {
            return Some((range, 0));
        }
        // A length of 0 is followed by another.
        let begin = match *page.get(at)? {
            0 => at + 2,
            _ => at + 1,
        };
        Some((range, word(page, begin)?))
    })
}
