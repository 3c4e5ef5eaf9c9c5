//! What a shape says of all its text: the levels of its list style (ECMA-376 Part 1 §21.1.2.4.12), which runs of its
//! paragraphs have until they say otherwise. Of runs and levels the same properties are read.

use quick_xml::events::BytesStart;

use super::parts::attribute;
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::{StatedStyle, TextStyle};

/// Elements of a list style: that of all levels, then those of each.
const LEVELS: [&str; 10] = [
    "defPPr", "lvl1pPr", "lvl2pPr", "lvl3pPr", "lvl4pPr", "lvl5pPr", "lvl6pPr", "lvl7pPr",
    "lvl8pPr", "lvl9pPr",
];

/// The list style of the text being read.
#[derive(Debug, Default)]
pub(super) struct ListStyle {
    levels: [StatedStyle; LEVELS.len()],
    /// Whether the style itself is being read, and which of its levels.
    is_open: bool,
    at: Option<usize>,
    /// Whether properties of the text of that level are being read.
    in_properties: bool,
}

impl ListStyle {
    /// Processes the start of an element that may be, or be in, a list style.
    pub(super) fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            // Text of another shape.
            "txBody" | "txPr" | "rich" => *self = Self::default(),
            // One within another begins again, too.
            "lstStyle" => {
                *self = Self {
                    is_open: true,
                    ..Self::default()
                };
            }
            _ if !self.is_open => {}
            "defRPr" => {
                self.in_properties = true;
                self.state(stated(tag));
            }
            "latin" | "sym" if self.in_properties => self.state(font(name, tag)),
            name => self.at = LEVELS.iter().position(|level| *level == name).or(self.at),
        }
    }

    /// Processes the end of an element.
    pub(super) fn end(&mut self, name: &str) {
        match name {
            "lstStyle" => (self.is_open, self.at) = (false, None),
            "defRPr" => self.in_properties = false,
            _ => {}
        }
    }

    fn state(&mut self, stated: StatedStyle) {
        if let Some(level) = self.at.and_then(|at| self.levels.get_mut(at)) {
            *level = stated.or(*level);
        }
    }

    /// The style of text of a level, from 0.
    pub(super) fn of_level(&self, level: usize) -> TextStyle {
        let stated = self.levels.iter().skip(1).nth(level).copied();
        stated
            .unwrap_or_default()
            .or(self.levels[0])
            .within(TextStyle::default())
    }
}

/// What properties of text say (§21.1.2.3.9).
pub(super) fn stated(tag: &BytesStart<'_>) -> StatedStyle {
    StatedStyle {
        script: attribute(tag, "baseline").map(|baseline| script(&baseline)),
        is_struck: attribute(tag, "strike").map(|strike| strike != "noStrike"),
        symbols: None,
    }
}

/// What a font within properties of text says; the second is that of symbols in the text, and follows the first.
pub(super) fn font(name: &str, tag: &BytesStart<'_>) -> StatedStyle {
    let font = attribute(tag, "typeface").map(|font| SymbolFont::named(&font));
    StatedStyle {
        symbols: font.filter(|font| name == "latin" || font.is_some()),
        ..StatedStyle::default()
    }
}

/// Text states by how many thousandths of a percent it stands above or below the line.
fn script(baseline: &str) -> Option<Script> {
    match baseline.trim_end_matches('%').parse::<f64>().ok()? {
        raised if raised > 0.0 => Some(Script::Raised),
        lowered if lowered < 0.0 => Some(Script::Lowered),
        _ => None,
    }
}
