//! The style sheet [MS-DOC] §2.9.271: what styles of paragraphs and of characters say of the look of characters.

use super::changes::{Changes, StatedFormat, Toggle};
use crate::compound::word;
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;

/// Depth to which styles based on each other are followed.
const MAX_DEEP: usize = 20;
/// Kinds of styles (§2.9.260).
const OF_PARAGRAPHS: u16 = 1;
const OF_CHARACTERS: u16 = 2;
/// The number of no style.
const NO_STYLE: u16 = 0xfff;

/// The look of characters, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Format {
    script: Option<Script>,
    /// Whether a line, or two, are drawn through them.
    has_line: bool,
    has_two_lines: bool,
    font: Option<u16>,
}

/// The formats of styles by their numbers.
#[derive(Debug, Default)]
pub(super) struct StyleSheet(Vec<StyleFormat>);

/// What a style says, with those that it is based on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct StyleFormat {
    /// Whether it says where characters stand.
    has_script: bool,
    format: Format,
}

/// A style as it is stored.
struct Style {
    base: u16,
    stated: StatedFormat,
}

impl Format {
    pub(super) fn text_style(self, fonts: &[Option<SymbolFont>]) -> TextStyle {
        let font = self.font.and_then(|font| fonts.get(usize::from(font)));
        TextStyle {
            script: self.script,
            is_struck: self.has_line || self.has_two_lines,
            symbols: font.copied().flatten(),
        }
    }

    /// This format with what is said beside it.
    fn with(self, stated: StatedFormat) -> Self {
        let line = |toggle: Option<Toggle>, style: bool| {
            toggle.map_or(style, |toggle| toggle.within(style))
        };
        Self {
            script: stated.script.unwrap_or(self.script),
            has_line: line(stated.line, self.has_line),
            has_two_lines: line(stated.two_lines, self.has_two_lines),
            font: stated.font().or(self.font),
        }
    }
}

impl StyleSheet {
    pub(super) fn parse(sheet: &[u8]) -> Self {
        let styles = styles(sheet).unwrap_or_default();
        let formats = (0..styles.len()).map(|number| format(&styles, number));
        Self(formats.collect())
    }

    /// Whether characters of every style look plain.
    pub(super) fn is_plain(&self, fonts: &[Option<SymbolFont>]) -> bool {
        let mut formats = self.0.iter().map(|style| style.format);
        formats.all(|format| format.text_style(fonts).is_plain())
    }

    /// The format of characters in a paragraph of a style that have no style of their own.
    fn of_paragraph(&self, style: Option<u16>) -> Format {
        let format = style.and_then(|style| self.0.get(usize::from(style)));
        format.map(|style| style.format).unwrap_or_default()
    }

    /// The format of characters in a paragraph of a style. Lines are toggled by the styles of both, as in DOCX.
    pub(super) fn format(&self, paragraph: Option<u16>, stated: StatedFormat) -> Format {
        let outer = self.of_paragraph(paragraph);
        let style = stated
            .style
            .and_then(|style| self.0.get(usize::from(style)));
        let StyleFormat { has_script, format } = style.copied().unwrap_or_default();
        let styled = Format {
            script: if has_script {
                format.script
            } else {
                outer.script
            },
            has_line: outer.has_line ^ format.has_line,
            has_two_lines: outer.has_two_lines ^ format.has_two_lines,
            font: format.font.or(outer.font),
        };
        styled.with(stated)
    }
}

/// What a style says, beginning with the one that all others are based on.
fn format(styles: &[Option<Style>], number: usize) -> StyleFormat {
    let find = |number: usize| styles.get(number)?.as_ref();
    let chain = std::iter::successors(find(number), |style| find(style.base.into()));
    let chain: Vec<_> = chain.take(MAX_DEEP).map(|style| style.stated).collect();
    StyleFormat {
        has_script: chain.iter().any(|stated| stated.script.is_some()),
        format: chain
            .into_iter()
            .rev()
            .fold(Format::default(), Format::with),
    }
}

/// The styles, of which some numbers have none. A header states the bytes of what all styles begin with.
fn styles(sheet: &[u8]) -> Option<Vec<Option<Style>>> {
    let header = usize::from(word(sheet, 0)?);
    let (count, begin) = (word(sheet, 2)?, word(sheet, 4)?);
    let (mut styles, mut rest) = (Vec::new(), sheet.get(2 + header..)?);
    for _ in 0..count {
        let Some(length) = word(rest, 0) else { break };
        let bytes = rest.get(2..2 + usize::from(length)).unwrap_or_default();
        styles.push(style(bytes, begin.into()));
        let next = 2 + usize::from(length).next_multiple_of(2);
        rest = rest.get(next..).unwrap_or_default();
    }
    Some(styles)
}

/// A style: its kind and base, its name, then the changes that it makes of paragraphs and of characters (§2.9.258).
fn style(bytes: &[u8], begin: usize) -> Option<Style> {
    let kind = word(bytes, 2)?;
    let name = usize::from(word(bytes, begin)?);
    let mut rest = bytes.get(begin + 2 + 2 * name + 2..)?;
    let before = match kind & 0xf {
        OF_PARAGRAPHS => 1,
        OF_CHARACTERS => 0,
        _ => return None,
    };
    for _ in 0..before {
        let length = usize::from(word(rest, 0)?);
        rest = rest.get(2 + length.next_multiple_of(2)..)?;
    }
    let length = usize::from(word(rest, 0)?);
    let list = rest.get(2..2 + length)?;
    Some(Style {
        base: match kind >> 4 {
            NO_STYLE => u16::MAX,
            base => base,
        },
        stated: Changes::of(list).format,
    })
}
