//! Embedded font programs: which glyph a code draws, and which character a glyph is.

use std::collections::HashMap;

use pdf_extract::{Dictionary, Document, Object};
use skrifa::font::Kind;
use skrifa::raw::TableProvider;
use skrifa::raw::model::charmap::Encoding;
use skrifa::raw::model::glyph::outline::PathElement;
use skrifa::raw::ps::agl;
use skrifa::{DrawMemory, Font, GlyphId, ScalerFont};

use super::super::quality::is_odd;
use super::entry;

/// Maximum number of entries of a character map.
const MAX_CHARACTERS: usize = 1 << 17;
/// Where symbol fonts have their codes (OpenType, `cmap`, platform 3, encoding 0).
const SYMBOLS: u32 = 0xf000;

/// A font program: TrueType, OpenType, CFF or Type 1.
pub(super) struct Program {
    font: Font,
    /// Glyph → characters.
    texts: HashMap<u32, String>,
}

impl Program {
    /// The program in a font descriptor (ISO 32000-2, 9.9).
    pub(super) fn of(document: &Document, descriptor: &Dictionary) -> Option<Self> {
        let keys: [&[u8]; 3] = [b"FontFile2", b"FontFile3", b"FontFile"];
        let stream = keys
            .iter()
            .find_map(|key| match entry(document, descriptor, key)? {
                Object::Stream(stream) => Some(stream),
                _ => None,
            })?;
        Self::new(Font::new(stream.get_plain_content().ok()?, 0)?)
    }

    pub(super) fn new(font: Font) -> Option<Self> {
        let mut texts = HashMap::new();
        let characters = encodings(&font, is_unicode);
        let characters = characters.flat_map(|encoding| font.charmap().codes(encoding));
        for (code, glyph) in characters.take(MAX_CHARACTERS) {
            if let Some(c) = char::from_u32(code).filter(|c| !is_odd(*c)) {
                texts.entry(glyph.to_u32()).or_insert_with(|| c.to_string());
            }
        }
        let names = font
            .glyph_names()
            .filter(|(_, name)| !name.is_synthesized());
        for (glyph, name) in names.take(MAX_CHARACTERS) {
            if let Some(text) = text_of_name(name.as_str()) {
                texts.entry(glyph.to_u32()).or_insert(text);
            }
        }
        Some(Self { font, texts })
    }

    pub(super) fn text(&self, glyph: u32) -> Option<&str> {
        self.texts.get(&glyph).map(String::as_str)
    }

    /// Whether the program has a glyph that draws nothing.
    pub(super) fn is_blank(&self, glyph: u32) -> bool {
        let scaler = ScalerFont::unhinted(self.font.clone(), None);
        let mut path: Vec<PathElement> = Vec::new();
        scaler.outline(GlyphId::new(glyph)).is_some_and(|outline| {
            outline.draw(DrawMemory::Scratch, &mut path).is_ok() && path.is_empty()
        })
    }

    /// The glyph of a code by the program's own encoding.
    pub(super) fn glyph_of_code(&self, code: u8) -> Option<u32> {
        let glyph = match self.font.kind() {
            Kind::Type1(font) => font.encoding()?.map(code),
            Kind::Cff(font, _) => font.encoding()?.map(code),
            Kind::Sfnt(..) => {
                let map = self.font.charmap();
                let code = u32::from(code);
                encodings(&self.font, |ids| ids == (3, 0) || ids == (1, 0)).find_map(|encoding| {
                    let own = map.map_code(encoding, SYMBOLS + code);
                    own.or_else(|| map.map_code(encoding, code))
                })
            }
        };
        glyph.map(GlyphId::to_u32).filter(|glyph| *glyph != 0)
    }

    /// The glyph of a CID if no map says otherwise.
    pub(super) fn glyph_of_cid(&self, cid: u32) -> Option<u32> {
        match self.font.is_cid_keyed() {
            true => self.font.glyph_by_cid(cid).map(GlyphId::to_u32),
            false => Some(cid),
        }
    }

    pub(super) fn glyph_of_name(&self, name: &str) -> Option<u32> {
        self.font.glyph_by_name(name).map(GlyphId::to_u32)
    }

    /// Whether the program still contains the glyph: parts of fonts keep the numbers of the whole font.
    pub(super) fn holds(&self, glyph: u32) -> bool {
        let Ok(places) = self.font.tables().loca(None) else {
            return glyph < self.font.num_glyphs();
        };
        let at = glyph as usize;
        let blank = self.text(glyph).is_some_and(|text| text.trim().is_empty());
        blank || places.get_raw(at) != places.get_raw(at + 1)
    }
}

/// The encodings of a TrueType or OpenType font whose platform and number match.
fn encodings(
    font: &Font,
    predicate: impl Fn((u16, u16)) -> bool,
) -> impl Iterator<Item = Encoding> {
    let all = font.charmap().encodings();
    all.filter(move |encoding| encoding.sfnt_ids().is_some_and(&predicate))
}

fn is_unicode(ids: (u16, u16)) -> bool {
    matches!(ids, (0, _) | (3, 1 | 10))
}

/// The characters of a glyph's name, by the Adobe Glyph List and its rules.
pub(super) fn text_of_name(name: &str) -> Option<String> {
    let text: String = agl::name_to_chars(name).collect();
    (!text.is_empty()).then_some(text)
}
