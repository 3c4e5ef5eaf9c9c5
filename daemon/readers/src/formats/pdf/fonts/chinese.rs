//! Fonts of Chinese Windows that are written as fonts of one byte a code: their codes are those of GBK,
//! most of them of two bytes.

use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::super::bounds::dictionary;
use super::{MAX_FONTS, name};

/// How the names of their families begin, in GBK: Song, Kai, Hei, Fangsong, new Song.
const FAMILIES: [&[u8]; 5] = [
    b"\xcb\xce\xcc\xe5",
    b"\xbf\xac\xcc\xe5",
    b"\xba\xda\xcc\xe5",
    b"\xb7\xc2\xcb\xce",
    b"\xd0\xc2\xcb\xce",
];

/// Makes composite fonts of them, as which both engines read them. True if there was any.
pub(super) fn compose(document: &mut Document) -> bool {
    let fonts = document.objects.iter().filter_map(|(id, object)| {
        let font = object.as_dict().ok()?;
        is_chinese(document, font).then_some(*id)
    });
    let fonts: Vec<ObjectId> = fonts.take(MAX_FONTS).collect();
    for id in &fonts {
        if let Some(Object::Dictionary(font)) = document.objects.get_mut(id) {
            let descendant = Object::Dictionary(descendant(font));
            font.set("Subtype", name_of("Type0"));
            font.set("Encoding", name_of("GBK-EUC-H"));
            font.set("DescendantFonts", Object::Array(vec![descendant]));
        }
    }
    !fonts.is_empty()
}

fn is_chinese(document: &Document, font: &Dictionary) -> bool {
    let base = name(font, b"BaseFont").unwrap_or_default();
    let is_embedded = || {
        let descriptor = dictionary(document, font, b"FontDescriptor");
        descriptor.is_some_and(|entries| entries.has(b"FontFile2") || entries.has(b"FontFile3"))
    };
    name(font, b"Subtype") == Some(b"TrueType")
        && FAMILIES.iter().any(|family| base.starts_with(family))
        && !font.has(b"ToUnicode")
        && !is_embedded()
}

/// The font of the character collection that such a font draws from.
fn descendant(font: &Dictionary) -> Dictionary {
    let mut collection = Dictionary::new();
    collection.set("Registry", Object::string_literal("Adobe"));
    collection.set("Ordering", Object::string_literal("GB1"));
    collection.set("Supplement", Object::Integer(2));
    let mut descendant = Dictionary::new();
    descendant.set("Type", name_of("Font"));
    descendant.set("Subtype", name_of("CIDFontType2"));
    descendant.set("CIDSystemInfo", Object::Dictionary(collection));
    // Letters of ASCII are half as wide as the others.
    let narrow = [814, 939, 500].map(Object::Integer);
    descendant.set("W", Object::Array(narrow.to_vec()));
    for key in ["BaseFont", "FontDescriptor"] {
        if let Ok(value) = font.get(key.as_bytes()) {
            descendant.set(key, value.clone());
        }
    }
    descendant
}

fn name_of(name: &str) -> Object {
    Object::Name(name.as_bytes().to_vec())
}
