//! Tables from character codes to Unicode.

use std::collections::BTreeMap;
use std::fmt::Write;

use hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, load_embedded};
use pdf_extract::{Dictionary, Document, Object, Stream};

use super::super::quality::is_odd;
use super::{entry, is_composite};
use crate::formats::symbol_font::SymbolFont;

/// Replaces a character whose meaning is unknown.
pub(super) const UNKNOWN: &str = "\u{fffd}";
/// Entries in one block of a table.
const BLOCK: usize = 100;

/// Code → text, for codes of one length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    texts: BTreeMap<u32, String>,
    /// Bytes of a code.
    width: usize,
}

impl Table {
    /// `None` if it is empty.
    pub(super) fn of(texts: BTreeMap<u32, String>, width: usize) -> Option<Self> {
        (!texts.is_empty()).then_some(Self { texts, width })
    }

    /// The table that a font includes, or the part of it that is sound; `None` if it has none, or it cannot be read.
    pub(super) fn embedded(document: &Document, font: &Dictionary) -> Option<Self> {
        let Object::Stream(stream) = entry(document, font, b"ToUnicode")? else {
            return None;
        };
        let content = stream.get_plain_content().ok()?;
        let map = CMap::parse(&content, load_embedded)?;
        let (last, width) = match is_composite(font) {
            true => (0xffff, 2),
            false => (0xff, 1),
        };
        let text = |code| Some((code, string(map.lookup_bf_string(code)?)));
        // Ranges are sound if their ends are.
        let ends = named_codes(&content).filter_map(text).collect();
        let ends = Self::of(ends, width).filter(|ends| width > 1 && ends.is_sound());
        ends.or_else(|| Self::of((0..=last).filter_map(text).collect(), width))
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether every code has a meaning other than itself.
    pub(super) fn is_sound(&self) -> bool {
        self.is_readable() && !self.is_identity()
    }

    fn is_readable(&self) -> bool {
        self.texts.values().all(|text| is_text(text))
    }

    /// Whether every code means itself. Programs write that for all codes when they know nothing, and for some when the
    /// codes are Unicode.
    fn is_identity(&self) -> bool {
        self.width > 1 && self.texts.iter().all(|(code, text)| is_char(*code, text))
    }

    /// This table with the texts of `known` for codes that have no meaning here, or only themselves; `None` if there
    /// are none.
    pub(super) fn mended_by(mut self, known: Self) -> Option<Self> {
        let is_identity = self.is_identity();
        if is_identity && !self.is_readable() {
            return Some(known);
        }
        let mut mended = false;
        for (code, text) in known.texts.into_iter().filter(|(_, text)| is_text(text)) {
            let own = self.texts.get_mut(&code);
            if let Some(own) = own.filter(|own| is_identity || !is_text(own)) {
                mended |= *own != text;
                *own = text;
            }
        }
        mended.then_some(self)
    }

    /// This table with the signs of a symbol font for private use characters, which Word writes; `None` if there are none.
    pub(super) fn in_font(&self, font: SymbolFont) -> Option<Self> {
        let texts = self.texts.iter();
        let texts = texts.map(|(code, text)| (*code, font.signs(text)));
        let signs = Self {
            texts: texts.collect(),
            width: self.width,
        };
        (signs != *self).then_some(signs)
    }

    /// This table with `blanks` for codes that it lacks; `None` if there are none.
    pub(super) fn completed_by(mut self, blanks: Self) -> Option<Self> {
        let before = self.texts.len();
        for (code, blank) in blanks.texts {
            self.texts.entry(code).or_insert(blank);
        }
        (self.texts.len() > before).then_some(self)
    }

    /// The table as a `ToUnicode` stream (ISO 32000-2, 9.10.3).
    pub(super) fn write(&self) -> Vec<u8> {
        let digits = 2 * self.width;
        let last = "F".repeat(digits);
        let mut cmap = format!(
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n\
             1 begincodespacerange <{:0digits$}> <{last}> endcodespacerange\n",
            0
        );
        let entries: Vec<_> = self.texts.iter().collect();
        for block in entries.chunks(BLOCK) {
            // Writing into a string does not fail.
            let _ = writeln!(cmap, "{} beginbfchar", block.len());
            for (code, text) in block {
                let units: String = text
                    .encode_utf16()
                    .map(|unit| format!("{unit:04X}"))
                    .collect();
                let _ = writeln!(cmap, "<{code:0digits$X}> <{units}>");
            }
            cmap += "endbfchar\n";
        }
        cmap += "endcmap CMapName currentdict /CMap defineresource pop end end\n";
        cmap.into_bytes()
    }
}

/// Whether every character of a text has a meaning.
fn is_text(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(is_odd)
}

fn is_char(code: u32, text: &str) -> bool {
    char::from_u32(code).is_some_and(|c| text.chars().eq([c]))
}

/// The codes in a map, and more numbers that occur in it.
fn named_codes(content: &[u8]) -> impl Iterator<Item = u32> {
    let strings = content.split(|byte| *byte == b'<');
    strings.filter_map(|string| {
        let digits = string.split(|byte| *byte == b'>').next()?;
        let digits = std::str::from_utf8(digits).ok()?.trim();
        let is_code = (1..=4).contains(&digits.len());
        is_code.then(|| u32::from_str_radix(digits, 16).ok())?
    })
}

/// The map that a stream holds.
pub(super) fn parse(stream: &Stream) -> Option<CMap> {
    CMap::parse(&stream.get_plain_content().ok()?, load_embedded)
}

/// A map that every reader has (ISO 32000-2, 9.7.5.2).
pub(super) fn predefined(name: CMapName<'_>) -> Option<CMap> {
    match name {
        CMapName::IdentityH => Some(CMap::identity_h()),
        CMapName::IdentityV => Some(CMap::identity_v()),
        name => CMap::parse(load_embedded(name)?, load_embedded),
    }
}

pub(super) fn string(text: BfString) -> String {
    match text {
        BfString::Char(c) => c.to_string(),
        BfString::String(text) => text,
    }
}
