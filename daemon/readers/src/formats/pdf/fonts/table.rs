//! Tables from character codes to Unicode.

use std::collections::BTreeMap;
use std::fmt::Write;

use hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, load_embedded};
use pdf_extract::{Dictionary, Document, Object, Stream};

use super::super::quality::is_odd;
use super::{entry, is_composite};

/// What stands for a character whose meaning nobody knows.
pub(super) const UNKNOWN: &str = "\u{fffd}";
/// Entries of one block of a table.
const BLOCK: usize = 100;

/// Code → text, for codes of one length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    texts: BTreeMap<u32, String>,
    /// Bytes of a code.
    width: usize,
}

impl Table {
    /// `None` where it is empty.
    pub(super) fn of(texts: BTreeMap<u32, String>, width: usize) -> Option<Self> {
        (!texts.is_empty()).then_some(Self { texts, width })
    }

    /// The table that a font brings along; `None` where it has none, or nobody can read it.
    pub(super) fn told(document: &Document, font: &Dictionary) -> Option<Self> {
        let Object::Stream(stream) = entry(document, font, b"ToUnicode")? else {
            return None;
        };
        let map = parse(stream)?;
        let (last, width) = match is_composite(font) {
            true => (0xffff, 2),
            false => (0xff, 1),
        };
        let texts: BTreeMap<_, _> = (0..=last)
            .filter_map(|code| Some((code, string(map.lookup_bf_string(code)?))))
            .collect();
        Self::of(texts, width)
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether every code has a meaning of its own.
    pub(super) fn is_sound(&self) -> bool {
        self.texts.values().all(|text| is_text(text)) && !self.is_identity()
    }

    /// Whether every code means itself: programs write that when they know nothing.
    fn is_identity(&self) -> bool {
        self.width > 1 && self.texts.iter().all(|(code, text)| is_char(*code, text))
    }

    /// This table with what `known` says of codes that have no meaning here; `None` where that is
    /// nothing.
    pub(super) fn mended_by(mut self, known: Self) -> Option<Self> {
        if self.is_identity() {
            return Some(known);
        }
        let mut mended = false;
        for (code, text) in known.texts.into_iter().filter(|(_, text)| is_text(text)) {
            if let Some(told) = self.texts.get_mut(&code).filter(|told| !is_text(told)) {
                *told = text;
                mended = true;
            }
        }
        mended.then_some(self)
    }

    /// As a `ToUnicode` stream (ISO 32000-2, 9.10.3).
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
