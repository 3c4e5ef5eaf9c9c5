//! Lists of property changes [MS-DOC] §2.6.1: what they say of characters.

use super::signs::Sign;
use crate::compound::{double_word, word};
use crate::formats::script::Script;

/// Changes of character properties: marked as deleted, marked as inserted; and their numbers in the short form.
const DELETED: u16 = 0x0800;
const INSERTED: u16 = 0x0801;
/// The style of the characters.
const STYLE: u16 = 0x4a30;
/// Whether characters are above (1) or below (2) the line.
const SCRIPT: u16 = 0x2a48;
/// The fonts of characters: of ASCII, and of those in no script with a font of its own.
const FONT_OF_ASCII: u16 = 0x4a4f;
const FONT: u16 = 0x4a51;
/// Whether characters are struck through by one line or by two.
const LINE: u16 = 0x0837;
const TWO_LINES: u16 = 0x2a53;
/// A sign of a font; where the data of the character are, and that these are no picture.
const SYMBOL: u16 = 0x6a09;
const LOCATION: u16 = 0x6a03;
const IS_DATA: u16 = 0x0806;
const SHORT_DELETED: u16 = 0x41;
const SHORT_INSERTED: u16 = 0x42;

/// What matters in a list of property changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) is_deleted: bool,
    pub(super) is_inserted: bool,
    pub(super) format: StatedFormat,
    symbol: Option<(u16, u16)>,
    location: Option<u32>,
    is_data: bool,
}

/// What changes say of the look of characters; `None` is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StatedFormat {
    /// The number of the style that the characters have within that of their paragraph.
    pub(super) style: Option<u16>,
    pub(super) script: Option<Option<Script>>,
    pub(super) line: Option<Toggle>,
    pub(super) two_lines: Option<Toggle>,
    font_of_ascii: Option<u16>,
    font: Option<u16>,
}

/// Whether characters have a property: by itself, or by their style (§2.9.327).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Toggle {
    Is(bool),
    AsStyle,
    NotAsStyle,
}

impl Toggle {
    fn of(operand: u8) -> Self {
        match operand {
            0x80 => Self::AsStyle,
            0x81 => Self::NotAsStyle,
            value => Self::Is(value & 1 != 0),
        }
    }

    /// Whether characters have the property, given whether their style has it.
    pub(super) fn within(self, style: bool) -> bool {
        match self {
            Self::Is(is) => is,
            Self::AsStyle => style,
            Self::NotAsStyle => !style,
        }
    }
}

impl StatedFormat {
    /// The number of the font of characters in no script with a font of its own.
    pub(super) fn font(self) -> Option<u16> {
        self.font.or(self.font_of_ascii)
    }
}

impl Changes {
    /// From a list of changes, each with an operand whose length follows from its number.
    pub(super) fn of(mut list: &[u8]) -> Self {
        let mut changes = Self::default();
        while let Some(change) = word(list, 0) {
            let operand = list.get(2..).unwrap_or_default();
            let first = operand.first().copied();
            let is_on = first.is_some_and(|value| value & 1 != 0);
            let format = &mut changes.format;
            match change {
                DELETED => changes.is_deleted = is_on,
                INSERTED => changes.is_inserted = is_on,
                STYLE => format.style = word(operand, 0),
                SCRIPT => format.script = first.map(|place| Script::of_number(place.into())),
                LINE => format.line = first.map(Toggle::of),
                TWO_LINES => format.two_lines = first.map(Toggle::of),
                FONT_OF_ASCII => format.font_of_ascii = word(operand, 0),
                FONT => format.font = word(operand, 0),
                SYMBOL => changes.symbol = word(operand, 0).zip(word(operand, 2)),
                LOCATION => changes.location = double_word(operand, 0),
                IS_DATA => changes.is_data = is_on,
                _ => {}
            }
            let length = match change >> 13 {
                0 | 1 => 1,
                2 | 4 | 5 => 2,
                3 => 4,
                7 => 3,
                _ => 1 + first.map_or(0, usize::from),
            };
            list = operand.get(length..).unwrap_or_default();
        }
        changes
    }

    /// From a change in the short form: number and operand.
    pub(super) fn of_short(modifier: u16) -> Self {
        let (number, is_on) = (modifier >> 1 & 0x7f, modifier >> 8 & 1 != 0);
        Self {
            is_deleted: number == SHORT_DELETED && is_on,
            is_inserted: number == SHORT_INSERTED && is_on,
            ..Self::default()
        }
    }

    pub(super) fn sign(self) -> Option<Sign> {
        match self.symbol {
            Some((font, code)) => Some(Sign::Symbol(font, code)),
            None => self.location.filter(|_| self.is_data).map(Sign::Form),
        }
    }
}
