//! Lists, numbered headings, and the styles that number them (OpenDocument 1.3 Part 3 §5.3, §16.29 to
//! §16.38, §19.880).
//!
//! An item is counted with its first paragraph: programs write a deep item as nested items without paragraphs of their
//! own, and do not count those.

use std::collections::BTreeMap;
use std::rc::Rc;

use quick_xml::events::BytesStart;

use super::super::list_label::{Counters, LEVELS, Level, Numeral, Piece};
use super::super::package::attribute;
use super::symbol_fonts::SymbolFonts;
use crate::formats::symbol_font::is_bullet;

/// Maximum number each of style names, paragraph styles and lists that are remembered.
const MAX_KEPT: usize = 20_000;
/// Maximum characters of a label's prefix, suffix or format.
const MAX_LABEL: usize = 200;

/// The open lists, and how their items are labelled.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Names of list styles, each once: a long one that every list inherits is not copied for each.
    names: BTreeMap<String, Name>,
    styles: BTreeMap<Name, Vec<Level>>,
    /// Levels of headings.
    outline: Vec<Level>,
    /// List styles by the paragraph style that names them.
    of_paragraphs: BTreeMap<String, Name>,
    /// The style whose levels are being read.
    current: Option<Current>,
    /// The sign of a level whose font is still to be read, and that level.
    sign: Option<(usize, String)>,
    open: Vec<List>,
    counters: Counters,
    headings: Counters,
    /// The counters of lists: of the last list of each style, and of each list by its id.
    by_style: BTreeMap<Name, Counters>,
    by_id: BTreeMap<String, Counters>,
}

#[derive(Debug)]
enum Current {
    Outline,
    Style(Name),
}

/// The index of a list style's name.
type Name = usize;

/// An open list.
#[derive(Debug)]
struct List {
    style: Option<Name>,
    id: Option<String>,
    item: Item,
}

/// The open item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    /// None, or one without a number.
    Plain,
    /// One that is counted with its first paragraph, perhaps as this number.
    Awaited(Option<u32>),
    Counted,
}

impl Lists {
    /// Processes an element that is, or is in, a style.
    pub(super) fn style(&mut self, name: &str, tag: &BytesStart<'_>, fonts: &SymbolFonts) {
        match name {
            "style:text-properties" => self.sign_font(tag, fonts),
            "text:list-style" => {
                self.current = self.named(tag, "style:name").map(Current::Style);
            }
            "text:outline-style" => self.current = Some(Current::Outline),
            "text:list-level-style-number" | "text:outline-level-style" => self.level(tag, true),
            "text:list-level-style-bullet" | "text:list-level-style-image" => {
                self.level(tag, false)
            }
            "style:style" if self.of_paragraphs.len() < MAX_KEPT => {
                let list = self.named(tag, "style:list-style-name");
                self.of_paragraphs
                    .extend(attribute(tag, "style:name").zip(list));
            }
            _ => {}
        }
    }

    /// Ends the level whose font was still to be read: it has none.
    pub(super) fn end_level(&mut self) {
        self.sign = None;
    }

    /// The list style in an attribute; `None` for an empty name.
    fn named(&mut self, tag: &BytesStart<'_>, attribute_name: &str) -> Option<Name> {
        let name = attribute(tag, attribute_name).filter(|name| !name.is_empty())?;
        let next = self.names.len();
        match self.names.get(&name) {
            Some(known) => Some(*known),
            None if next < MAX_KEPT => Some(*self.names.entry(name).or_insert(next)),
            None => None,
        }
    }

    fn level(&mut self, tag: &BytesStart<'_>, is_number: bool) {
        let at = number(tag, "text:level").unwrap_or(0) as usize;
        let Some(at) = at.checked_sub(1).filter(|at| *at < LEVELS) else {
            return;
        };
        if is_number {
            return self.set_level(at, level(tag, at));
        }
        let sign = cut(&attribute(tag, "text:bullet-char").unwrap_or_default());
        self.set_level(at, bullet(&sign));
        self.sign = Some((at, sign));
    }

    /// Takes the sign of a level as one of its font, if that is a symbol font.
    fn sign_font(&mut self, tag: &BytesStart<'_>, fonts: &SymbolFonts) {
        if let Some((at, sign)) = self.sign.take()
            && let Some(font) = fonts.stated(tag).flatten()
        {
            self.set_level(at, bullet(&font.signs(&sign)));
        }
    }

    fn set_level(&mut self, at: usize, level: Level) {
        let levels = match &self.current {
            Some(Current::Outline) => &mut self.outline,
            Some(Current::Style(name)) => self.styles.entry(*name).or_default(),
            None => return,
        };
        if levels.len() <= at {
            levels.resize_with(at + 1, Level::default);
        }
        levels[at] = level;
    }

    /// Begins a list.
    pub(super) fn begin(&mut self, tag: &BytesStart<'_>) {
        let style = self.named(tag, "text:style-name");
        let goes_on = attribute(tag, "text:continue-numbering").as_deref() == Some("true");
        match self.open.last() {
            Some(outer) if outer.item == Item::Counted && !goes_on => {
                self.counters.forget(self.open.len());
            }
            Some(_) => {}
            None => {
                let of_style = style.and_then(|style| self.by_style.get(&style));
                let named = attribute(tag, "text:continue-list");
                let of_list = named.and_then(|id| self.by_id.get(&id));
                self.counters = of_list
                    .or(of_style.filter(|_| goes_on))
                    .copied()
                    .unwrap_or_default();
            }
        }
        self.open.push(List {
            style: style.or_else(|| self.open.last()?.style),
            id: attribute(tag, "xml:id"),
            item: Item::Plain,
        });
    }

    pub(super) fn end(&mut self) {
        let Some(list) = self.open.pop() else { return };
        if let Some(id) = list.id.filter(|_| self.by_id.len() < MAX_KEPT) {
            self.by_id.insert(id, self.counters);
        }
        if let Some(style) = list.style.filter(|_| self.open.is_empty()) {
            self.by_style.insert(style, self.counters);
        }
    }

    /// Begins an item, or a list's heading, which has no number.
    pub(super) fn item(&mut self, tag: &BytesStart<'_>, is_numbered: bool) {
        if let Some(list) = self.open.last_mut() {
            list.item = match is_numbered {
                true => Item::Awaited(number(tag, "text:start-value")),
                false => Item::Plain,
            };
        }
    }

    /// The label of a paragraph or heading, with the separator from the text.
    pub(super) fn label(&mut self, tag: &BytesStart<'_>, is_heading: bool) -> Option<String> {
        let Some(at) = self.open.len().checked_sub(1) else {
            return self.heading(tag).filter(|_| is_heading);
        };
        let list = self.open.last_mut()?;
        let Item::Awaited(start) = std::mem::replace(&mut list.item, Item::Counted) else {
            return None;
        };
        let of_paragraph = || self.of_paragraphs.get(&attribute(tag, "text:style-name")?);
        let style = list.style.or_else(|| of_paragraph().copied())?;
        self.counters.next(self.styles.get(&style)?, at, start)
    }

    fn heading(&mut self, tag: &BytesStart<'_>) -> Option<String> {
        let at = number(tag, "text:outline-level")?.checked_sub(1)? as usize;
        let says = |name| attribute(tag, name).as_deref() == Some("true");
        if says("text:is-list-header") {
            return None;
        }
        let start = number(tag, "text:start-value").filter(|_| says("text:restart-numbering"));
        self.headings.next(&self.outline, at, start)
    }
}

/// A level whose items are not numbered. A mere bullet is not text; a dash or a ticked box is.
fn bullet(sign: &str) -> Level {
    match is_bullet(sign) {
        true => Level::default(),
        false => Level {
            label: [Piece::Text(sign.to_owned())].into(),
            is_sign: true,
            ..Level::default()
        },
    }
}

/// The level of number `at`, from 0.
fn level(tag: &BytesStart<'_>, at: usize) -> Level {
    let numeral = numeral(tag);
    let shown = number(tag, "text:display-levels").unwrap_or(1).max(1) as usize;
    let range = (at + 1).saturating_sub(shown)..at + 1;
    let label = match attribute(tag, "loext:num-list-format") {
        Some(format) => formatted(&cut(&format)),
        None => {
            let text = |name| Piece::Text(cut(&attribute(tag, name).unwrap_or_default()));
            let number = numeral.map(|_| Piece::Numbers(range));
            let pieces = [
                Some(text("style:num-prefix")),
                number,
                Some(text("style:num-suffix")),
            ];
            pieces.into_iter().flatten().collect()
        }
    };
    Level {
        start: number(tag, "text:start-value").unwrap_or(1),
        numeral,
        label,
        ..Level::default()
    }
}

/// A format as LibreOffice writes it: `%1%.%2%` are the numbers of two levels.
fn formatted(format: &str) -> Rc<[Piece]> {
    let parts = format.split('%').enumerate();
    let pieces = parts.map(|(place, part)| {
        let level = part.parse::<usize>().ok().filter(|_| place % 2 == 1);
        match level.and_then(|level| level.checked_sub(1)) {
            Some(at) if at < LEVELS => Piece::Numbers(at..at + 1),
            _ => Piece::Text(part.to_owned()),
        }
    });
    pieces.collect()
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_LABEL).collect()
}

fn numeral(tag: &BytesStart<'_>) -> Option<Numeral> {
    let repeats = attribute(tag, "style:num-letter-sync").as_deref() == Some("true");
    Some(match attribute(tag, "style:num-format")?.as_str() {
        "" => return None,
        "a" if repeats => Numeral::LowerRepeated,
        "A" if repeats => Numeral::UpperRepeated,
        "a" => Numeral::LowerLetter,
        "A" => Numeral::UpperLetter,
        "i" => Numeral::LowerRoman,
        "I" => Numeral::UpperRoman,
        _ => Numeral::Decimal,
    })
}

fn number(tag: &BytesStart<'_>, name: &str) -> Option<u32> {
    attribute(tag, name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_held_once_however_many_levels_and_lists_have_it() {
        let mut lists = Lists::default();
        let long = "L".repeat(1000);
        let tag = |name: &'static str, attributes: &[(&str, &str)]| {
            BytesStart::new(name).with_attributes(attributes.iter().copied())
        };
        let fonts = SymbolFonts::default();
        lists.style(
            "text:list-style",
            &tag("text:list-style", &[("style:name", &long)]),
            &fonts,
        );
        for _ in 0..100 {
            let level = tag(
                "text:list-level-style-number",
                &[("text:level", "1"), ("style:num-format", "1")],
            );
            lists.style("text:list-level-style-number", &level, &fonts);
        }
        lists.begin(&tag("text:list", &[("text:style-name", &long)]));
        for _ in 0..100 {
            lists.begin(&tag("text:list", &[]));
        }
        assert_eq!(lists.names.into_keys().collect::<Vec<_>>(), [long]);
        assert_eq!(lists.open.len(), 101);
        assert!(lists.open.iter().all(|list| list.style == Some(0)));
    }
}
