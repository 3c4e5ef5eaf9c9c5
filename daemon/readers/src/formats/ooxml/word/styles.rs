//! The style of runs: what their properties and the styles of their paragraph and characters say of it (ECMA-376 Part 1
//! §17.7).

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};

use super::super::parts::{Parts, Relation, attribute, is_true};
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;

/// Maximum number of styles that are kept, and depth to which styles based on each other are followed.
const MAX_KEPT: usize = 20_000;
const MAX_DEEP: usize = 20;

/// The style of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RunStyle {
    script: Option<Script>,
    /// Whether one line, or two, are drawn through the text.
    has_line: bool,
    has_two_lines: bool,
    symbols: Option<SymbolFont>,
}

/// What a style says; `None` is nothing.
#[derive(Debug, Clone, Default)]
struct Stated {
    based_on: Option<String>,
    script: Option<Option<Script>>,
    has_line: Option<bool>,
    has_two_lines: Option<bool>,
    symbols: Option<Option<SymbolFont>>,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles(BTreeMap<String, Stated>);

impl RunStyle {
    pub(super) fn text(self) -> TextStyle {
        TextStyle {
            script: self.script,
            is_struck: self.has_line || self.has_two_lines,
            symbols: self.symbols,
        }
    }

    /// Processes a property of the run itself.
    pub(super) fn property(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            "vertAlign" => self.script = script(tag),
            "strike" => self.has_line = is_on(tag),
            "dstrike" => self.has_two_lines = is_on(tag),
            "rFonts" => self.symbols = symbols(tag).unwrap_or(self.symbols),
            _ => {}
        }
    }
}

impl Stated {
    fn property(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            "basedOn" => self.based_on = attribute(tag, "val"),
            "vertAlign" => self.script = Some(script(tag)),
            "strike" => self.has_line = Some(is_on(tag)),
            "dstrike" => self.has_two_lines = Some(is_on(tag)),
            "rFonts" => self.symbols = symbols(tag).or(self.symbols),
            _ => {}
        }
    }
}

impl Styles {
    /// Reads the part with the styles. Damage is no loss of text.
    pub(super) fn of(parts: &mut Parts<'_>, relations: &[Relation]) -> Self {
        let mut styles = Self::default();
        let mut inside = relations.iter().filter(|to| !to.external);
        if let Some(to) = inside.find(|to| to.kind == "styles") {
            let mut current = None;
            let _ = parts.xml(&to.target, |event| styles.take(event, &mut current));
        }
        styles
    }

    fn take(&mut self, event: &Event<'_>, current: &mut Option<(String, Stated)>) -> bool {
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().into_inner() {
                "style" => {
                    *current = attribute(tag, "styleId").map(|id| (id, Stated::default()));
                }
                name => {
                    if let Some((_, stated)) = current {
                        stated.property(name, tag);
                    }
                }
            },
            Event::End(tag) if tag.local_name().into_inner() == "style" => {
                self.0.extend(current.take());
            }
            _ => {}
        }
        self.0.len() < MAX_KEPT
    }

    /// The style of text of a style within text of another. Lines are toggled by the styles of both (§17.7.3).
    pub(super) fn within(&self, outer: RunStyle, style: Option<&str>) -> RunStyle {
        RunStyle {
            script: self
                .nearest(style, |stated| stated.script)
                .unwrap_or(outer.script),
            has_line: outer.has_line
                ^ self
                    .nearest(style, |stated| stated.has_line)
                    .is_some_and(|is| is),
            has_two_lines: outer.has_two_lines
                ^ self
                    .nearest(style, |stated| stated.has_two_lines)
                    .is_some_and(|is| is),
            symbols: self
                .nearest(style, |stated| stated.symbols)
                .unwrap_or(outer.symbols),
        }
    }

    /// What a style says, or the nearest one that it is based on.
    fn nearest<T>(&self, style: Option<&str>, said: impl Fn(&Stated) -> Option<T>) -> Option<T> {
        let first = style.and_then(|style| self.0.get(style));
        std::iter::successors(first, |stated| self.0.get(stated.based_on.as_ref()?))
            .take(MAX_DEEP)
            .find_map(said)
    }
}

fn script(tag: &BytesStart<'_>) -> Option<Script> {
    Script::of_align(&attribute(tag, "val")?)
}

/// The symbol font, if it is one, of the characters that are in none of the scripts with fonts of their own
/// (§17.3.2.26); `None` if nothing is said of it.
fn symbols(tag: &BytesStart<'_>) -> Option<Option<SymbolFont>> {
    let names = ["hAnsi", "ascii"];
    let font = names.iter().find_map(|name| attribute(tag, name))?;
    Some(SymbolFont::named(&font))
}

fn is_on(tag: &BytesStart<'_>) -> bool {
    attribute(tag, "val").is_none_or(|value| is_true(&value))
}
