//! Composite fonts (ISO 32000-2, 9.7): codes of two bytes mostly, glyphs by number.

use std::collections::BTreeMap;

use hayro_interpret::hayro_cmap::{CMap, CMapName, CidFamily};
use pdf_extract::{Dictionary, Document, Object};
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;

use super::super::bounds::dictionary;
use super::super::quality::is_odd;
use super::program::{Program, text_of_name};
use super::table::{Table, UNKNOWN, parse, predefined, string};
use super::{entry, name};

/// Longest code that is looked up, in bytes: longer ones belong to rare characters.
const MAX_WIDTH: u8 = 2;

/// Families of Windows whose first glyphs are in Apple's standard order (OpenType, `post`, format 1). Writers that
/// embed none of them still use glyph numbers as codes.
const FAMILIES: &[&str] = &[
    "arial",
    "comicsans",
    "couriernew",
    "georgia",
    "impact",
    "tahoma",
    "timesnewroman",
    "trebuchet",
    "verdana",
];
/// Number of the first glyph at which they differ from that order: Arial has no `Lslash` there.
const FAMILY_GLYPHS: u32 = 226;
/// Maximum number of glyphs of such a font.
const MAX_FAMILY_GLYPHS: u32 = 4096;

/// The table of a composite font by its character collection, and by its font program.
pub(super) fn table(document: &Document, font: &Dictionary) -> Option<Table> {
    let descendants = entry(document, font, b"DescendantFonts")?.as_array().ok()?;
    let (_, descendant) = document.dereference(descendants.first()?).ok()?;
    let glyphs = Glyphs::of(document, font, descendant.as_dict().ok()?)?;
    let mut texts = BTreeMap::new();
    for width in 1..=MAX_WIDTH {
        for code in 0..1 << (8 * width) {
            let cid = glyphs.codes.lookup_cid_code(code, width);
            if let Some(text) = cid.and_then(|cid| glyphs.text(code, cid)) {
                texts.entry(code).or_insert(text);
            }
        }
    }
    Table::of(texts, usize::from(MAX_WIDTH))
}

/// Whether a font writes vertically, or includes a map from its codes to glyphs that is not the identity.
pub(super) fn is_misread(document: &Document, font: &Dictionary) -> bool {
    let stream = match entry(document, font, b"Encoding") {
        Some(Object::Name(name)) => return name.ends_with(b"-V"),
        Some(Object::Stream(stream)) => stream,
        _ => return false,
    };
    let is_down = |mode: &Object| mode.as_i64().is_ok_and(|mode| mode == 1);
    if entry(document, &stream.dict, b"WMode").is_some_and(is_down) {
        return true;
    }
    let moved = |codes: CMap| {
        (0..=0xffff).any(|code| {
            codes
                .lookup_cid_code(code, 2)
                .is_some_and(|cid| cid != code)
        }) || (0..=0xff).any(|code| codes.lookup_cid_code(code, 1).is_some())
    };
    parse(stream).is_some_and(moved)
}

/// What is known of the glyphs of a composite font.
struct Glyphs {
    /// Code → CID.
    codes: CMap,
    /// CID → Unicode, for character collections that Adobe has published.
    collection: Option<CMap>,
    program: Option<Program>,
    /// CID → glyph, two bytes each; otherwise they are the same.
    numbers: Option<Vec<u8>>,
    /// Whether the font says that codes are Unicode.
    codes_are_unicode: bool,
    /// Whether glyphs are numbered as in the [`FAMILIES`].
    is_of_family: bool,
}

impl Glyphs {
    /// `None` if the parsers know as much.
    fn of(document: &Document, font: &Dictionary, descendant: &Dictionary) -> Option<Self> {
        let encoding = entry(document, font, b"Encoding")?;
        let codes = match encoding {
            Object::Name(name) => predefined(CMapName::from_bytes(name))?,
            Object::Stream(stream) => parse(stream)?,
            _ => return None,
        };
        let descriptor = dictionary(document, descendant, b"FontDescriptor");
        let program = descriptor.and_then(|descriptor| Program::of(document, descriptor));
        let is_identity = codes.metadata().name.as_deref() == Some(b"Identity-H");
        if program.is_none() && encoding.as_name().is_ok() && !is_identity {
            return None;
        }
        let collection = family(document, &codes, descendant);
        let collection = collection.ucs2_cmap().and_then(predefined);
        let numbers = match entry(document, descendant, b"CIDToGIDMap") {
            Some(Object::Stream(stream)) => stream.get_plain_content().ok(),
            _ => None,
        };
        let to_unicode = entry(document, font, b"ToUnicode").and_then(|entry| entry.as_name().ok());
        let is_of_family = is_identity && program.is_none() && is_of_family(descendant);
        Some(Self {
            is_of_family,
            codes,
            collection,
            program,
            numbers,
            codes_are_unicode: to_unicode.is_some_and(|name| name.starts_with(b"Identity")),
        })
    }

    /// The text of a code, whose CID is `cid`.
    fn text(&self, code: u32, cid: u32) -> Option<String> {
        let published = self.collection.as_ref();
        let published = published
            .and_then(|map| map.lookup_bf_string(cid))
            .map(string);
        let by_code = || {
            let character = self.codes_are_unicode.then(|| char::from_u32(code));
            character
                .flatten()
                .filter(|c| !is_odd(*c))
                .map(String::from)
        };
        let Some(program) = &self.program else {
            let text = published.or_else(by_code);
            return text.or_else(|| self.is_of_family.then(|| of_family(cid)).flatten());
        };
        let glyph = self.glyph(program, cid)?;
        if glyph == 0 || !program.holds(glyph) {
            return None;
        }
        let text = published.or_else(|| program.text(glyph).map(str::to_owned));
        text.or_else(|| match self.numbers {
            // The codes were chosen by the writer.
            Some(_) => by_code(),
            None => Some(UNKNOWN.to_owned()),
        })
    }

    fn glyph(&self, program: &Program, cid: u32) -> Option<u32> {
        let Some(numbers) = &self.numbers else {
            return program.glyph_of_cid(cid);
        };
        let at = 2 * usize::try_from(cid).ok()?;
        let number = numbers.get(at..at + 2)?;
        Some(u32::from(u16::from_be_bytes([number[0], number[1]])))
    }
}

/// Whether a font that is not embedded belongs to one of the [`FAMILIES`], under any of their names.
fn is_of_family(descendant: &Dictionary) -> bool {
    let base = name(descendant, b"BaseFont").unwrap_or_default();
    let base = String::from_utf8_lossy(base).to_lowercase();
    let base: String = base.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_known = FAMILIES.iter().any(|family| base.starts_with(family));
    name(descendant, b"Subtype") == Some(b"CIDFontType2")
        && is_known
        && !base.starts_with("arialunicode")
}

/// The text of a glyph of such a font.
fn of_family(glyph: u32) -> Option<String> {
    if glyph >= FAMILY_GLYPHS {
        return (glyph < MAX_FAMILY_GLYPHS).then(|| UNKNOWN.to_owned());
    }
    text_of_name(DEFAULT_GLYPH_NAMES.get(usize::try_from(glyph).ok()?)?)
}

/// The character collection of the codes, or if they have none that of the font.
fn family(document: &Document, codes: &CMap, descendant: &Dictionary) -> CidFamily {
    let of_codes = codes.metadata().character_collection.as_ref();
    let of_codes = of_codes.map(|collection| collection.family.clone());
    let info = dictionary(document, descendant, b"CIDSystemInfo");
    let of_font = || {
        let text = |key| entry(document, info?, key)?.as_str().ok();
        CidFamily::from_registry_ordering(
            text(b"Registry").unwrap_or_default(),
            text(b"Ordering").unwrap_or_default(),
        )
    };
    of_codes
        .filter(|family| family.ucs2_cmap().is_some())
        .unwrap_or_else(of_font)
}
