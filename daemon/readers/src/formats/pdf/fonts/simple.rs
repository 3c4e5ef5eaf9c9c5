//! Simple fonts (ISO 32000-2, 9.6): codes of one byte, glyphs by name or by the program's own
//! encoding.

use std::collections::BTreeMap;

use encoding_rs::{MACINTOSH, WINDOWS_1252};
use pdf_extract::{Dictionary, Document, Object};
use skrifa::raw::ps::PredefinedEncoding;

use super::super::bounds::dictionary;
use super::program::{Program, text_of_name};
use super::table::{Table, UNKNOWN};
use super::{entry, name, tex};

/// Flags of a font descriptor (9.8.2): characters outside the standard Latin set, or none outside.
const SYMBOLIC: i64 = 1 << 2;
const NONSYMBOLIC: i64 = 1 << 5;

/// The table of a simple font by glyph names and encodings.
pub(super) fn table(document: &Document, font: &Dictionary) -> Option<Table> {
    let encoding = entry(document, font, b"Encoding");
    let known = encoding.and_then(|encoding| encoding.as_name().ok());
    // The parsers know the standard fonts.
    let is_standard = encoding.is_none() && !font.has(b"Widths");
    if known.is_some_and(is_understood) || is_standard || is_symbols(document, font) {
        return None;
    }
    let names = encoding.and_then(|encoding| encoding.as_dict().ok());
    let names = names.map_or_else(BTreeMap::new, |names| differences(document, names));
    let glyphs = Glyphs::of(document, font, encoding, &names);
    let texts = (0..=u8::MAX).filter_map(|code| {
        let text = match names.get(&code) {
            Some(name) => glyphs.text_of_name(code, name),
            None => glyphs.text_of_code(code),
        };
        Some((u32::from(code), text?))
    });
    Table::of(texts.collect(), 1)
}

/// Glyphs that draw nothing, for codes with unknown names: they are spaces.
pub(super) fn blanks(document: &Document, font: &Dictionary) -> Option<Table> {
    let encoding = entry(document, font, b"Encoding")?;
    let mut names = differences(document, encoding.as_dict().ok()?);
    names.retain(|_, name| is_made_up(name) && text_of_name(name).is_none());
    if names.is_empty() {
        return None;
    }
    let glyphs = Glyphs::of(document, font, Some(encoding), &names);
    let texts = names.into_iter().filter_map(|(code, name)| {
        let text = glyphs.text_of_name(code, &name)?;
        text.trim().is_empty().then(|| (u32::from(code), text))
    });
    Table::of(texts.collect(), 1)
}

/// Whether a font is one of the two standard ones whose codes are symbols, and not embedded. The main parser mistakes
/// them for letters if widths or names are given; the second does not.
pub(super) fn is_symbols(document: &Document, font: &Dictionary) -> bool {
    let symbols: [&[u8]; 2] = [b"Symbol", b"ZapfDingbats"];
    let is_embedded = || {
        let descriptor = dictionary(document, font, b"FontDescriptor");
        descriptor.is_some_and(|descriptor| Program::of(document, descriptor).is_some())
    };
    name(font, b"BaseFont").is_some_and(|name| symbols.contains(&name)) && !is_embedded()
}

/// Encodings that the parsers know: the first one gives up at any other.
fn is_understood(encoding: &[u8]) -> bool {
    let understood: [&[u8]; 3] = [
        b"WinAnsiEncoding",
        b"MacRomanEncoding",
        b"MacExpertEncoding",
    ];
    understood.contains(&encoding)
}

/// Glyph names by code (9.6.5, `Differences`).
fn differences(document: &Document, encoding: &Dictionary) -> BTreeMap<u8, String> {
    let mut names = BTreeMap::new();
    let list = entry(document, encoding, b"Differences").and_then(|list| list.as_array().ok());
    let mut code = 0;
    for item in list.into_iter().flatten() {
        match document.dereference(item) {
            Ok((_, Object::Integer(first))) => code = *first,
            Ok((_, Object::Name(name))) => {
                if let Ok(code) = u8::try_from(code) {
                    names.insert(code, String::from_utf8_lossy(name).into_owned());
                }
                code += 1;
            }
            _ => {}
        }
    }
    names
}

/// What is known of the glyphs of a simple font.
struct Glyphs {
    base: Option<Base>,
    program: Option<Program>,
    is_truetype: bool,
    /// Whether it has letters of the standard encoding, and neither encoding nor program says which.
    is_standard: bool,
    /// Whether every glyph has its own procedure, and a name that its writer made up.
    is_type3: bool,
    /// What codes mean if they are bitmaps.
    bitmaps: tex::Encoding,
    /// Whether glyphs belong to the font ZapfDingbats, whose names are `a1` and so on.
    is_dingbats: bool,
}

#[derive(Clone, Copy)]
enum Base {
    Standard,
    MacRoman,
    WinAnsi,
}

impl Glyphs {
    fn of(
        document: &Document,
        font: &Dictionary,
        encoding: Option<&Object>,
        names: &BTreeMap<u8, String>,
    ) -> Self {
        let descriptor = dictionary(document, font, b"FontDescriptor");
        let program = descriptor.and_then(|descriptor| Program::of(document, descriptor));
        let family = name(font, b"BaseFont").unwrap_or_default();
        let base = match encoding {
            Some(Object::Name(name)) => Some(name.as_slice()),
            Some(Object::Dictionary(names)) => name(names, b"BaseEncoding"),
            _ => None,
        };
        let is_latin = |descriptor| {
            let flags = entry(document, descriptor, b"Flags").and_then(|flags| flags.as_i64().ok());
            flags.is_some_and(|flags| flags & (SYMBOLIC | NONSYMBOLIC) == NONSYMBOLIC)
        };
        Self {
            base: base.and_then(Base::named),
            is_standard: encoding.is_none()
                && program.is_none()
                && descriptor.is_some_and(is_latin),
            program,
            is_truetype: name(font, b"Subtype") == Some(b"TrueType"),
            is_type3: name(font, b"Subtype") == Some(b"Type3"),
            bitmaps: tex::Encoding::of(names),
            is_dingbats: family.ends_with(b"Dingbats"),
        }
    }

    /// The text of a glyph with this name: unknown if its writer made it up, as the numbers in it show. The parsers may
    /// know more words, those of TeX among them.
    fn text_of_name(&self, code: u8, name: &str) -> Option<String> {
        if name == ".notdef" {
            return None;
        }
        let listed = text_of_name(name).filter(|_| self.is_dingbats || !is_number(name));
        let by_program = || {
            let program = self.program.as_ref()?;
            let glyph = program.glyph_of_name(name).or_else(|| glyph_number(name))?;
            let blank = || program.is_blank(glyph).then_some(" ");
            program.text(glyph).or_else(blank).map(str::to_owned)
        };
        // Writers of bitmap fonts name glyphs by their codes.
        let by_code = || {
            let named =
                self.is_type3 && name.trim_start_matches(char::is_alphabetic) == code.to_string();
            let text = || match (b' '..=b'~').contains(&code) {
                true => Base::Standard.text(code),
                false => self.bitmaps.text(code),
            };
            named.then(text).flatten()
        };
        let unknown = || is_made_up(name).then(|| UNKNOWN.to_owned());
        let text = listed.or_else(by_program).or_else(by_code);
        text.or_else(unknown)
    }

    /// The text of a code without a name.
    fn text_of_code(&self, code: u8) -> Option<String> {
        if let Some(base) = self.base {
            return base.text(code);
        }
        let usual = match self.is_truetype && !self.is_standard {
            true => Base::WinAnsi,
            false => Base::Standard,
        };
        let Some(program) = &self.program else {
            return (!self.is_type3).then(|| usual.text(code)).flatten();
        };
        let glyph = program.glyph_of_code(code);
        let text = glyph.and_then(|glyph| program.text(glyph));
        text.map(str::to_owned).or_else(|| match self.is_truetype {
            true => usual.text(code),
            false => glyph.map(|_| UNKNOWN.to_owned()),
        })
    }
}

impl Base {
    fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(Self::Standard),
            b"MacRomanEncoding" => Some(Self::MacRoman),
            b"WinAnsiEncoding" => Some(Self::WinAnsi),
            _ => None,
        }
    }

    fn text(self, code: u8) -> Option<String> {
        let decoded = match self {
            Self::Standard => return text_of_name(PredefinedEncoding::Standard.name(code)),
            Self::MacRoman => MACINTOSH,
            Self::WinAnsi => WINDOWS_1252,
        };
        let bytes = [code];
        let (text, _) = decoded.decode_without_bom_handling(&bytes);
        (!text.chars().any(char::is_control)).then(|| text.into_owned())
    }
}

/// Whether the writer of a font may have made up a name, as the numbers in it show.
fn is_made_up(name: &str) -> bool {
    name.contains(char::is_numeric)
}

/// Whether a name is a letter and a number, like those of ZapfDingbats.
fn is_number(name: &str) -> bool {
    let digits = name.strip_prefix('a').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The glyph that is named by its number: `g12`, `glyph12`, `gid12`, `cid12`.
fn glyph_number(name: &str) -> Option<u32> {
    let prefixes = ["glyph", "gid", "cid", "g"];
    let digits = prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))?;
    digits.trim_start_matches('_').parse().ok()
}
