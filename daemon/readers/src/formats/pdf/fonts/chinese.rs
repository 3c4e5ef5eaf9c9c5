//! Fonts of Chinese Windows that are not embedded and claim one byte per code: their codes are those of GBK, most of
//! them of two bytes.

use encoding_rs::GBK;
use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::super::bounds::dictionary;
use super::{MAX_FONTS, entry, name};

/// The name of each family contains one of these: Song, Hei, Kai, Fang, Li, round, Wei, body.
const STYLES: [char; 8] = ['宋', '黑', '楷', '仿', '隶', '圆', '魏', '体'];
/// CIDs of ASCII characters from the space on, half as wide as others (Adobe-GB1).
const FIRST_NARROW: i64 = 814;
const NARROW: i64 = 500;
const ASCII: std::ops::RangeInclusive<i64> = 0x20..=0x7e;

/// Makes composite fonts of them, which both parsers can read. Returns true if there were any.
pub(super) fn compose(document: &mut Document) -> bool {
    let fonts = document.objects.iter().filter_map(|(id, object)| {
        let font = object.as_dict().ok()?;
        is_chinese(document, font).then(|| (*id, descendant(document, font)))
    });
    let fonts: Vec<(ObjectId, Dictionary)> = fonts.take(MAX_FONTS).collect();
    let found = !fonts.is_empty();
    for (id, descendant) in fonts {
        if let Some(Object::Dictionary(font)) = document.objects.get_mut(&id) {
            font.set("Subtype", name_of("Type0"));
            font.set("Encoding", name_of("GBK-EUC-H"));
            let descendant = Object::Dictionary(descendant);
            font.set("DescendantFonts", Object::Array(vec![descendant]));
        }
    }
    found
}

fn is_chinese(document: &Document, font: &Dictionary) -> bool {
    let is_embedded = || {
        let descriptor = dictionary(document, font, b"FontDescriptor");
        descriptor.is_some_and(|entries| entries.has(b"FontFile2") || entries.has(b"FontFile3"))
    };
    name(font, b"Subtype") == Some(b"TrueType")
        && name(font, b"BaseFont").is_some_and(is_chinese_name)
        && !font.has(b"ToUnicode")
        && !is_embedded()
}

/// Whether a name is that of a Chinese family in GBK, which no UTF-8 name is.
fn is_chinese_name(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_err()
        && GBK
            .decode_without_bom_handling_and_without_replacement(name)
            .is_some_and(|name| name.contains(STYLES))
}

/// The font of the character collection that such a font draws from.
fn descendant(document: &Document, font: &Dictionary) -> Dictionary {
    let mut collection = Dictionary::new();
    collection.set("Registry", Object::string_literal("Adobe"));
    collection.set("Ordering", Object::string_literal("GB1"));
    collection.set("Supplement", Object::Integer(2));
    let mut descendant = Dictionary::new();
    descendant.set("Type", name_of("Font"));
    descendant.set("Subtype", name_of("CIDFontType2"));
    descendant.set("CIDSystemInfo", Object::Dictionary(collection));
    let narrow = vec![FIRST_NARROW.into(), Object::Array(widths(document, font))];
    descendant.set("W", Object::Array(narrow));
    for key in ["BaseFont", "FontDescriptor"] {
        if let Ok(value) = font.get(key.as_bytes()) {
            descendant.set(key, value.clone());
        }
    }
    descendant
}

/// Widths of ASCII's characters.
fn widths(document: &Document, font: &Dictionary) -> Vec<Object> {
    let first = entry(document, font, b"FirstChar").and_then(|first| first.as_i64().ok());
    let widths = entry(document, font, b"Widths").and_then(|widths| widths.as_array().ok());
    let width = |code: i64| {
        let at = usize::try_from(code - first.unwrap_or_default()).ok()?;
        let (_, width) = document.dereference(widths?.get(at)?).ok()?;
        width.as_float().is_ok().then(|| width.clone())
    };
    ASCII
        .map(|code| width(code).unwrap_or(Object::Integer(NARROW)))
        .collect()
}

fn name_of(name: &str) -> Object {
    Object::Name(name.as_bytes().to_vec())
}
