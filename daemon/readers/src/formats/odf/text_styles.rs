//! Styles that change the reading of text: above or below the line, struck through, in a symbol font (ISO/IEC 26300-3
//! §20.384, §20.366, §20.276); and of numbers: shown divided (§19.356).
//!
//! A paragraph has its style, in a cell within that of the cell; a stretch of text has its own within that.

use std::collections::BTreeMap;

use quick_xml::events::BytesStart;

use super::super::package::attribute;
use super::super::script::Script;
use super::symbol_fonts::SymbolFonts;
use crate::formats::text_style::{StatedStyle, TextStyle};

/// Maximum number of style names that are remembered, and of columns of a table.
const MAX_KEPT: usize = 20_000;
/// Depth to which parents of styles are followed.
const MAX_DEEP: usize = 20;
/// Families of styles that text has, and the cells around it.
const TEXT: &str = "text";
const PARAGRAPH: &str = "paragraph";
const CELL: &str = "table-cell";

/// What a style says; `None` is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Stated {
    text: StatedStyle,
    divisor: Option<f64>,
}

/// The style of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CellStyle {
    pub(super) text: TextStyle,
    /// What numbers are divided by before they are shown.
    pub(super) divisor: f64,
}

impl Default for CellStyle {
    fn default() -> Self {
        Self {
            text: TextStyle::default(),
            divisor: 1.0,
        }
    }
}

impl Stated {
    /// Whether this says nothing but that the font is no symbol font, as most styles do.
    fn is_of_letters(self) -> bool {
        let text = StatedStyle {
            symbols: Some(None),
            ..StatedStyle::default()
        };
        let divisor = None;
        self == Self { text, divisor }
    }

    /// What this style says, and what another says of the rest.
    fn or(self, other: Self) -> Self {
        Self {
            text: self.text.or(other.text),
            divisor: self.divisor.or(other.divisor),
        }
    }

    fn of_cell(self) -> CellStyle {
        CellStyle {
            text: self.text.within(TextStyle::default()),
            divisor: self.divisor.unwrap_or(1.0),
        }
    }
}

/// A family and a name.
type Name = (&'static str, String);

/// What styles say; of those alone that say anything.
#[derive(Debug, Default)]
pub(super) struct TextStyles {
    by_name: BTreeMap<Name, Stated>,
    /// How many of these say nothing but that the font is no symbol font: half of `MAX_KEPT` at most.
    of_letters: usize,
    /// The parents of styles, which may be declared behind them.
    parents: BTreeMap<Name, Name>,
    /// The style whose properties are being read.
    current: Option<Name>,
    /// The style of numbers that is being read, and what those that divide them divide by.
    number: String,
    divisors: BTreeMap<String, f64>,
    /// The end of each group of columns, and the style of its cells.
    columns: Vec<(u64, CellStyle)>,
    /// The column of the next cell, and the style of the row's cells.
    column: u64,
    row: CellStyle,
}

impl TextStyles {
    /// Processes an element that is, or is in, a style. Styles of lists and numbers have properties of text as well.
    pub(super) fn style(&mut self, name: &str, tag: &BytesStart<'_>, fonts: &SymbolFonts) {
        match name {
            "style:style" => self.begin(tag),
            "style:text-properties" => {
                if let Some(style) = self.current.take() {
                    let before = self.by_name.get(&style).copied().unwrap_or_default();
                    let position = attribute(tag, "style:text-position");
                    let text = StatedStyle {
                        script: position.map(|position| script(&position)),
                        is_struck: line(tag),
                        symbols: fonts.stated(tag),
                    };
                    let divisor = None;
                    self.keep(style, Stated { text, divisor }.or(before));
                }
            }
            "number:number" => self.divisor(tag),
            "number:number-style" | "number:currency-style" | "number:percentage-style" => {
                self.number = attribute(tag, "style:name").unwrap_or_default();
                self.divisors.remove(&self.number);
            }
            _ => {}
        }
    }

    /// Ends the style whose properties were still to be read: it has none.
    pub(super) fn end_style(&mut self) {
        self.current = None;
    }

    /// Begins a style, which has what its parent has where it says nothing.
    fn begin(&mut self, tag: &BytesStart<'_>) {
        let family = match attribute(tag, "style:family").as_deref() {
            Some("text") => TEXT,
            Some("paragraph") => PARAGRAPH,
            Some("table-cell") => CELL,
            _ => return,
        };
        let Some(style) = attribute(tag, "style:name").map(|name| (family, name)) else {
            return;
        };
        let mut stated = Stated::default();
        if let Some(number) = attribute(tag, "style:data-style-name") {
            stated.divisor = Some(self.divisors.get(&number).copied().unwrap_or(1.0));
        }
        let parent = attribute(tag, "style:parent-style-name").map(|name| (family, name));
        let inherited = parent.as_ref().map(|parent| self.found(parent));
        // Another part may have another style of this name, which its own parent may be based on.
        self.parents.remove(&style);
        match parent {
            Some(parent) if parent != style && self.parents.len() < MAX_KEPT => {
                self.parents.insert(style.clone(), parent);
            }
            _ => stated = stated.or(inherited.unwrap_or_default()),
        }
        self.keep(style.clone(), stated);
        self.current = Some(style);
    }

    /// Notes what the numbers of a style are divided by.
    fn divisor(&mut self, tag: &BytesStart<'_>) {
        let factor = attribute(tag, "number:display-factor");
        let factor = factor.and_then(|factor| factor.parse::<f64>().ok());
        let divides = |factor: &f64| factor.is_finite() && *factor > 1.0;
        if let Some(factor) = factor.filter(divides)
            && self.divisors.len() < MAX_KEPT
        {
            self.divisors.insert(self.number.clone(), factor);
        }
    }

    fn keep(&mut self, style: Name, stated: Stated) {
        let before = self.by_name.remove(&style).unwrap_or_default();
        self.of_letters -= usize::from(before.is_of_letters());
        let is_kept = match stated.is_of_letters() {
            true => self.of_letters < MAX_KEPT / 2,
            false => stated != Stated::default(),
        };
        if is_kept && self.by_name.len() < MAX_KEPT {
            self.of_letters += usize::from(stated.is_of_letters());
            self.by_name.insert(style, stated);
        }
    }

    fn stated(&self, family: &'static str, name: Option<String>) -> Stated {
        name.map(|name| self.found(&(family, name)))
            .unwrap_or_default()
    }

    /// What a style says, or those that it is derived from.
    fn found(&self, name: &Name) -> Stated {
        std::iter::successors(Some(name), |name| self.parents.get(*name))
            .take(MAX_DEEP)
            .filter_map(|name| self.by_name.get(name).copied())
            .fold(Stated::default(), Stated::or)
    }

    /// The style of a stretch of text within text of another style.
    pub(super) fn of_span(&self, tag: &BytesStart<'_>, outer: TextStyle) -> TextStyle {
        let stated = self.stated(TEXT, attribute(tag, "text:style-name"));
        stated.text.within(outer)
    }

    /// The style of a paragraph in a cell of a style.
    pub(super) fn of_paragraph(&self, tag: &BytesStart<'_>, cell: TextStyle) -> TextStyle {
        let stated = self.stated(PARAGRAPH, attribute(tag, "text:style-name"));
        stated.text.within(cell)
    }

    /// Processes the start of a table, of a group of columns, or of a row.
    pub(super) fn table(&mut self, local: &str, tag: &BytesStart<'_>, repeated: u64) {
        let style = attribute(tag, "table:default-cell-style-name");
        let style = self.stated(CELL, style).of_cell();
        match local {
            "table" => self.columns.clear(),
            "table-column" if self.columns.len() < MAX_KEPT => {
                let before = self.columns.last().map_or(0, |(end, _)| *end);
                self.columns.push((before.saturating_add(repeated), style));
            }
            "table-row" => (self.column, self.row) = (0, style),
            _ => {}
        }
    }

    /// The style of the next cell, which is repeated: its own, or that of its row or column.
    pub(super) fn of_cell(&mut self, tag: &BytesStart<'_>, repeated: u64) -> CellStyle {
        let at = self.columns.partition_point(|(end, _)| *end <= self.column);
        self.column = self.column.saturating_add(repeated);
        match attribute(tag, "table:style-name") {
            Some(name) => self.stated(CELL, Some(name)).of_cell(),
            None if self.row != CellStyle::default() => self.row,
            None => self
                .columns
                .get(at)
                .map(|(_, style)| *style)
                .unwrap_or_default(),
        }
    }
}

/// A position: `super`, `sub`, or a share of the height of the line; then the size of the letters.
fn script(position: &str) -> Option<Script> {
    match position.split_whitespace().next()? {
        "super" => Some(Script::Raised),
        "sub" => Some(Script::Lowered),
        share => match share.trim_end_matches('%').parse::<f64>().ok()? {
            raised if raised > 0.0 => Some(Script::Raised),
            lowered if lowered < 0.0 => Some(Script::Lowered),
            _ => None,
        },
    }
}

/// Whether properties draw a line through the text.
fn line(tag: &BytesStart<'_>) -> Option<bool> {
    let names = [
        "style:text-line-through-style",
        "style:text-line-through-type",
    ];
    let stated = names.iter().find_map(|name| attribute(tag, name))?;
    Some(stated != "none")
}
