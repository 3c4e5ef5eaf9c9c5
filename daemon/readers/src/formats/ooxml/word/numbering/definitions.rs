//! Reads the definitions of lists and the numbers of styles.

use std::rc::Rc;

use quick_xml::events::{BytesStart, Event};

use super::super::super::super::list_label::{LEVELS, Level, Numeral, Piece};
use super::super::super::parts::{attribute, is_true};
use super::{Definition, Instance, Numbering, Paragraph};
use crate::formats::symbol_font::{SymbolFont, is_bullet};

/// Maximum number each of definitions, instances and styles that are kept.
const MAX_KEPT: usize = 20_000;
/// Maximum characters of a label's text.
const MAX_LABEL: usize = 200;

/// Processes the events of the part with the lists.
pub(super) fn of_lists(numbering: &mut Numbering) -> impl FnMut(&Event<'_>) -> bool {
    let mut reader = Lists {
        numbering,
        definition: None,
        instance: None,
        level: None,
        is_bullet: false,
        font: None,
        at: 0,
    };
    move |event| {
        each_tag(event, |name, tag| match tag {
            Some(tag) => reader.start(name, tag),
            None => reader.end(name),
        });
        reader.numbering.definitions.len() < MAX_KEPT && reader.numbering.instances.len() < MAX_KEPT
    }
}

/// Processes the events of the part with the styles.
pub(super) fn of_styles(numbering: &mut Numbering) -> impl FnMut(&Event<'_>) -> bool {
    let mut current: Option<(String, Paragraph)> = None;
    move |event| {
        each_tag(event, |name, tag| match (name, tag) {
            ("style", Some(tag)) => {
                current = attribute(tag, "styleId").map(|id| (id, Paragraph::default()));
            }
            ("style", None) => numbering.styles.extend(current.take()),
            (_, Some(tag)) => {
                if let Some((_, style)) = &mut current {
                    said_of_style(style, name, tag);
                }
            }
            _ => {}
        });
        numbering.styles.len() < MAX_KEPT
    }
}

fn said_of_style(style: &mut Paragraph, name: &str, tag: &BytesStart<'_>) {
    match name {
        "basedOn" => style.style = value(tag),
        "numId" => style.instance = value(tag),
        "ilvl" => style.level = number(tag),
        _ => {}
    }
}

/// Reports starts with their tag, and ends.
fn each_tag(event: &Event<'_>, mut visit: impl FnMut(&str, Option<&BytesStart<'_>>)) {
    match event {
        Event::Start(tag) => visit(tag.local_name().into_inner(), Some(tag)),
        Event::End(tag) => visit(tag.local_name().into_inner(), None),
        Event::Empty(tag) => {
            let name = tag.local_name().into_inner();
            visit(name, Some(tag));
            visit(name, None);
        }
        _ => {}
    }
}

struct Lists<'a> {
    numbering: &'a mut Numbering,
    /// The open definition, with its id.
    definition: Option<(String, Definition)>,
    instance: Option<(String, Instance)>,
    level: Option<Level>,
    is_bullet: bool,
    /// The symbol font of this level's label.
    font: Option<SymbolFont>,
    /// The level that is open, or overridden.
    at: usize,
}

impl Lists<'_> {
    fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            "abstractNum" => {
                self.definition =
                    attribute(tag, "abstractNumId").map(|id| (id, Definition::default()));
            }
            "num" => self.instance = attribute(tag, "numId").map(|id| (id, Instance::default())),
            "lvl" | "lvlOverride" => {
                self.at = attribute(tag, "ilvl")
                    .and_then(|at| at.parse().ok())
                    .unwrap_or(0);
                self.level = (name == "lvl").then(unsaid);
                self.font = None;
            }
            "numStyleLink" => {
                if let Some((_, definition)) = &mut self.definition {
                    definition.link = value(tag);
                }
            }
            "rFonts" if self.level.is_some() => {
                let font = attribute(tag, "ascii").or_else(|| attribute(tag, "hAnsi"));
                self.font = font.and_then(|font| SymbolFont::named(&font));
            }
            "pStyle" => {
                if let (Some((_, definition)), Some(style)) = (&mut self.definition, value(tag)) {
                    definition.of_styles.insert(style, self.at);
                }
            }
            "abstractNumId" => {
                if let (Some((_, instance)), Some(id)) = (&mut self.instance, value(tag)) {
                    instance.definition = id;
                }
            }
            "startOverride" => {
                if let (Some((_, instance)), Some(start)) = (&mut self.instance, number(tag)) {
                    instance.starts.insert(self.at, start);
                }
            }
            _ => {
                if let Some(level) = &mut self.level {
                    said_of_level(level, name, tag);
                    if name == "numFmt" {
                        self.is_bullet = value(tag).as_deref() == Some("bullet");
                    }
                }
            }
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "abstractNum" => self.numbering.definitions.extend(self.definition.take()),
            "num" => self.numbering.instances.extend(self.instance.take()),
            "lvl" => self.end_level(),
            _ => {}
        }
    }

    fn end_level(&mut self) {
        let Some(mut level) = self.level.take().filter(|_| self.at < LEVELS) else {
            return;
        };
        if std::mem::take(&mut self.is_bullet) {
            level.label = bullet(&level.label, self.font.take());
            level.is_sign = !level.label.is_empty();
        }
        if let Some((_, instance)) = &mut self.instance {
            instance.overrides.insert(self.at, level);
        } else if let Some((_, definition)) = &mut self.definition {
            if definition.levels.len() <= self.at {
                definition.levels.resize_with(self.at + 1, Level::default);
            }
            definition.levels[self.at] = level;
        }
    }
}

/// The label of an item that is not numbered: empty for a mere bullet. A dash or a ticked box is text.
fn bullet(label: &[Piece], font: Option<SymbolFont>) -> Rc<[Piece]> {
    let text = label.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Numbers(_) => None,
    });
    let text: String = text.collect();
    let text = match font {
        Some(font) => font.signs(&text),
        None => text,
    };
    match is_bullet(&text) {
        true => Rc::default(),
        false => [Piece::Text(text)].into(),
    }
}

/// A level as it is where nothing is said of it: it begins with zero (§17.9.25), in digits (§17.9.17).
fn unsaid() -> Level {
    Level {
        start: 0,
        numeral: Some(Numeral::Decimal),
        ..Level::default()
    }
}

fn said_of_level(level: &mut Level, name: &str, tag: &BytesStart<'_>) {
    match name {
        "start" => level.start = number(tag).unwrap_or(0),
        "lvlRestart" => level.restarted_by = number(tag),
        "isLgl" => level.is_legal = value(tag).is_none_or(|value| is_true(&value)),
        "lvlText" => level.label = pieces(&value(tag).unwrap_or_default()).into(),
        "numFmt" => level.numeral = value(tag).as_deref().and_then(numeral),
        "suff" if value(tag).as_deref() == Some("nothing") => level.gap = "",
        _ => {}
    }
}

/// The text of a label: `%2` is the number of the second level.
fn pieces(text: &str) -> Vec<Piece> {
    let text: String = text.chars().take(MAX_LABEL).collect();
    let mut parts = text.split('%');
    let mut pieces: Vec<Piece> = parts
        .next()
        .map(|text| Piece::Text(text.to_owned()))
        .into_iter()
        .collect();
    for part in parts {
        let digit = part.chars().next().and_then(|digit| digit.to_digit(10));
        match digit.and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1)) {
            Some(at) => pieces.extend([
                Piece::Numbers(at..at + 1),
                Piece::Text(part[1..].to_owned()),
            ]),
            None => pieces.push(Piece::Text(format!("%{part}"))),
        }
    }
    pieces
}

/// The numeral of a number format (§17.18.59); those of other scripts become digits.
fn numeral(format: &str) -> Option<Numeral> {
    Some(match format {
        "bullet" | "none" => return None,
        "decimalZero" => Numeral::DecimalZero,
        "lowerLetter" => Numeral::LowerRepeated,
        "upperLetter" => Numeral::UpperRepeated,
        "lowerRoman" => Numeral::LowerRoman,
        "upperRoman" => Numeral::UpperRoman,
        "ordinal" => Numeral::Ordinal,
        _ => Numeral::Decimal,
    })
}

fn value(tag: &BytesStart<'_>) -> Option<String> {
    attribute(tag, "val")
}

fn number<T: std::str::FromStr>(tag: &BytesStart<'_>) -> Option<T> {
    value(tag)?.trim().parse().ok()
}
