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
pub(super) struct Styles {
    by_id: BTreeMap<String, Stated>,
    /// What all text has, and the style of paragraphs that name none (§17.7.4.17, §17.7.5).
    defaults: Stated,
    of_paragraphs: Option<String>,
    /// What is being read, and what it says.
    current: Option<(Place, Stated)>,
    /// Whether former properties are being read.
    in_change: bool,
}

/// Where properties of runs stand in the part with the styles.
#[derive(Debug)]
enum Place {
    Defaults,
    Style(String),
}

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
            let _ = parts.xml(&to.target, |event| styles.take(event));
        }
        styles
    }

    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) => {
                let name = tag.local_name().into_inner();
                self.in_change |= name == "rPrChange";
                self.start(name, tag);
            }
            Event::Empty(tag) => self.start(tag.local_name().into_inner(), tag),
            Event::End(tag) => match tag.local_name().into_inner() {
                "rPrChange" => self.in_change = false,
                "style" | "rPrDefault" => match self.current.take() {
                    Some((Place::Style(id), stated)) => drop(self.by_id.insert(id, stated)),
                    Some((Place::Defaults, stated)) => self.defaults = stated,
                    None => {}
                },
                _ => {}
            },
            _ => {}
        }
        self.by_id.len() < MAX_KEPT
    }

    fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            _ if self.in_change => {}
            "rPrDefault" => self.current = Some((Place::Defaults, Stated::default())),
            "style" => {
                let id = attribute(tag, "styleId");
                let is_default = attribute(tag, "default").is_some_and(|value| is_true(&value));
                let kind = attribute(tag, "type");
                if is_default && kind.as_deref() == Some("paragraph") {
                    self.of_paragraphs.clone_from(&id);
                }
                self.current = id.map(|id| (Place::Style(id), Stated::default()));
            }
            name => {
                if let Some((_, stated)) = &mut self.current {
                    stated.property(name, tag);
                }
            }
        }
    }

    /// The style of text of a paragraph of a style, or of one that names none. Lines at all text of a document would say
    /// nothing.
    pub(super) fn of_paragraph(&self, style: Option<&str>) -> RunStyle {
        let defaults = RunStyle {
            script: self.defaults.script.flatten(),
            symbols: self.defaults.symbols.flatten(),
            ..RunStyle::default()
        };
        let known = style.filter(|style| self.by_id.contains_key(*style));
        self.within(defaults, known.or(self.of_paragraphs.as_deref()))
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
        let first = style.and_then(|style| self.by_id.get(style));
        let base = |stated: &&Stated| self.by_id.get(stated.based_on.as_ref()?);
        std::iter::successors(first, base)
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
    // A font of the theme, which has letters, goes before one that is named.
    let fonts = [("hAnsiTheme", "hAnsi"), ("asciiTheme", "ascii")];
    fonts.iter().find_map(|(theme, name)| {
        let of_theme = attribute(tag, theme).map(|_| None);
        of_theme.or_else(|| attribute(tag, name).map(|font| SymbolFont::named(&font)))
    })
}

fn is_on(tag: &BytesStart<'_>) -> bool {
    attribute(tag, "val").is_none_or(|value| is_true(&value))
}
