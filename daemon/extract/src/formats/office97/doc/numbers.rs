//! Which paragraphs have numbers [MS-DOC] §2.4.6.3, §2.9.175 (PapxFkp), §2.9.271 (STSH).

use std::ops::Range;

use super::super::super::list_label::Counted;
use super::super::compound::{double_words, word};
use super::fib::{Fib, Structure};
use super::lists::Lists;
use super::modifiers::modifiers;

/// Bytes of a page of paragraph formatting, and of an entry in it.
const PAGE_BYTES: usize = 512;
const ENTRY_BYTES: usize = 13;
/// Changes of paragraph properties: the level of a list; its instance, counted from 1.
const LEVEL: u16 = 0x260a;
const INSTANCE: u16 = 0x460b;
/// Styles that rest on one another are followed so far.
const MAX_STYLES_DEEP: usize = 20;
/// The style that none is.
const NO_STYLE: usize = 0xfff;

/// What a paragraph or a style says of its number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Said {
    /// 0 is none.
    instance: Option<u16>,
    level: Option<u8>,
}

impl Said {
    fn of(list: &[u8]) -> Self {
        let mut said = Self::default();
        for (number, operand) in modifiers(list) {
            match number {
                LEVEL => said.level = operand.first().copied(),
                INSTANCE => said.instance = word(operand, 0),
                _ => {}
            }
        }
        said
    }

    /// What it says, else what another does.
    fn or(self, other: Self) -> Self {
        Self {
            instance: self.instance.or(other.instance),
            level: self.level.or(other.level),
        }
    }
}

/// The numbered paragraphs of a document, and how far they were counted.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Places in the main stream where they begin, ascending, with their instance, from 0, and level.
    starts: Vec<(usize, usize, usize)>,
    lists: Lists,
    counted: Counted<u32>,
}

impl Numbers {
    /// From the pages of paragraph formatting. Those of Word 6 are not looked at.
    pub(super) fn parse(fib: &Fib, table: &[u8], document: &[u8]) -> Self {
        let mut numbers = Self::default();
        if fib.is_old {
            return numbers;
        }
        numbers.lists = Lists::parse(fib, table);
        if numbers.lists.instances.is_empty() {
            return numbers;
        }
        let styles = styles(fib.bytes_of(Structure::STYLES, table)).unwrap_or_default();
        let list = fib.bytes_of(Structure::PARAGRAPHS, table);
        let count = list.len().saturating_sub(4) / 8;
        let pages = list.get(4 * (count + 1)..).unwrap_or_default();
        // More pages than there are would be the same ones again.
        for number in double_words(pages).take(document.len() / PAGE_BYTES) {
            let start = (number & 0x3f_ffff) as usize * PAGE_BYTES;
            if let Some(page) = document.get(start..start + PAGE_BYTES) {
                numbers.starts.extend(numbered(page, &styles));
            }
        }
        numbers.starts.sort_unstable();
        numbers
    }

    /// Where numbered paragraphs begin in a part of the main stream, by their place in the list.
    pub(super) fn within(&self, range: &Range<usize>) -> Range<usize> {
        let from = |place| self.starts.partition_point(|(start, ..)| *start < place);
        from(range.start)..from(range.end)
    }

    /// Where a paragraph begins.
    pub(super) fn place(&self, number: usize) -> usize {
        self.starts[number].0
    }

    /// Counts a paragraph; its label, if it has one.
    pub(super) fn label(&mut self, number: usize) -> Option<String> {
        let (_, instance, level) = self.starts[number];
        let own = self.lists.instances.get(instance)?;
        let levels = self.lists.levels_of(own);
        let start = own.starts.get(&level).copied();
        let instance = u32::try_from(instance).ok()?;
        self.counted
            .next((own.list, instance), &levels, level, start)
    }
}

/// The numbered paragraphs of a page: places, then half the offsets of their properties; the last
/// byte counts them.
fn numbered<'a>(
    page: &'a [u8],
    styles: &'a [Said],
) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
    let count = page.last().map_or(0, |&count| usize::from(count));
    let entries = 4 * (count + 1);
    (0..count)
        .zip(double_words(page))
        .filter_map(move |(at, place)| {
            let offset = 2 * usize::from(*page.get(entries + ENTRY_BYTES * at)?);
            let (offset, length) = match usize::from(*page.get(offset).filter(|_| offset != 0)?) {
                0 => (offset + 2, 2 * usize::from(*page.get(offset + 1)?)),
                half => (offset + 1, 2 * half - 1),
            };
            let said = page.get(offset..offset + length)?;
            let style = styles.get(usize::from(word(said, 0)?)).copied();
            let said = Said::of(said.get(2..)?).or(style.unwrap_or_default());
            let instance = said.instance.filter(|instance| *instance <= 0x7fe)?;
            let level = usize::from(said.level.unwrap_or(0));
            Some((place as usize, usize::from(instance).checked_sub(1)?, level))
        })
}

/// What each style says, with the ones it rests on.
fn styles(bytes: &[u8]) -> Option<Vec<Said>> {
    let head = usize::from(word(bytes, 0)?);
    let base_bytes = usize::from(word(bytes, 4)?);
    let mut rest = bytes.get(2 + head..)?;
    let mut own = Vec::new();
    while let Some(length) = word(rest, 0) {
        let length = usize::from(length);
        let style = rest.get(2..2 + length).unwrap_or_default();
        own.push(style_of(style, base_bytes).unwrap_or((Said::default(), NO_STYLE)));
        rest = rest
            .get(2 + length.next_multiple_of(2)..)
            .unwrap_or_default();
    }
    let resolved = own.iter().map(|&first| {
        let chain = std::iter::successors(Some(first), |(_, base)| own.get(*base).copied());
        let said = chain.take(MAX_STYLES_DEEP).map(|(said, _)| said);
        said.fold(Said::default(), Said::or)
    });
    Some(resolved.collect())
}

/// What a paragraph style says itself, and the style it rests on: behind its base and its name.
fn style_of(style: &[u8], base_bytes: usize) -> Option<(Said, usize)> {
    let kind_and_base = word(style, 2)?;
    let name = style.get(base_bytes..)?;
    let properties = name.get(2 + 2 * usize::from(word(name, 0)?) + 2..)?;
    let length = usize::from(word(properties, 0)?);
    let list = properties.get(2..2 + length)?.get(2..);
    let is_paragraph = kind_and_base & 0xf == 1;
    let said = list.filter(|_| is_paragraph).map(Said::of);
    Some((said.unwrap_or_default(), usize::from(kind_and_base >> 4)))
}

#[cfg(test)]
mod tests;
