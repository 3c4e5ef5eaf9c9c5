//! What characters mean, if a font does not say so in a way that the parsers understand.
//!
//! A font should carry a table from its codes to Unicode (`ToUnicode`, ISO 32000-2, 9.10.3). If there is none, or a
//! useless one, it is made here from other information: names of glyphs, the character map of the embedded font
//! program, the character collection. Both parsers then read it.
//!
//! | fonts | module |
//! |---|---|
//! | of one byte a code: Type 1, TrueType, Type 3 | [`simple`] |
//! | of bitmaps, as TeX makes them | [`tex`] |
//! | of two bytes a code that say they are of one | [`chinese`] |
//! | composite: Chinese, Japanese, Korean, and any other since PDF 1.2 | [`composite`] |
//!
//! [`program`] reads embedded font programs, [`table`] judges and writes tables.

mod chinese;
mod composite;
mod program;
mod simple;
mod table;
mod tex;

use std::collections::HashSet;

use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

use self::table::Table;
use crate::formats::symbol_font::SymbolFont;

/// Maximum number of fonts.
const MAX_FONTS: usize = 1000;
/// Limit of codes of a font times pages: the main parser reads its table for each page.
const MAX_TABLE_STEPS: usize = 4_000_000;

/// Gives every font that lacks one a table from codes to Unicode, and makes composite fonts of those that really are.
/// Returns true if there were any.
pub(super) fn repair_fonts(document: &mut Document) -> bool {
    let composed = chinese::compose(document);
    let pages = document.get_pages().len();
    let fonts = document.objects.iter().filter_map(|(id, object)| {
        let font = object.as_dict().ok()?;
        is_font(font).then_some((*id, font))
    });
    let tables: Vec<(ObjectId, Table)> = fonts
        .take(MAX_FONTS)
        .filter_map(|(id, font)| super::catch_panic(|| Some((id, table_for(document, font)?))))
        .filter(|(_, table)| table.len() * pages <= MAX_TABLE_STEPS)
        .collect();
    for (id, table) in &tables {
        let stream = document.add_object(Stream::new(Dictionary::new(), table.write()));
        if let Some(Object::Dictionary(font)) = document.objects.get_mut(id) {
            font.set("ToUnicode", Object::Reference(stream));
        }
    }
    composed || !tables.is_empty()
}

/// Fonts that the main parser misreads: symbols, composite fonts with a map of their own from codes to glyphs, which
/// it assumes to begin with 0, and those that write vertically.
pub(super) fn misread(document: &Document) -> HashSet<ObjectId> {
    let fonts = document.objects.iter();
    fonts
        .filter_map(|(id, object)| {
            let font = object.as_dict().ok()?;
            is_font(font).then_some((*id, font))
        })
        .take(MAX_FONTS)
        .filter(|(_, font)| {
            let misread = || match is_composite(font) {
                true => composite::is_misread(document, font),
                false => simple::is_symbols(document, font),
            };
            super::catch_panic(|| Some(misread())) == Some(true)
        })
        .map(|(id, _)| id)
        .collect()
}

fn is_font(dictionary: &Dictionary) -> bool {
    let kinds: &[&[u8]] = &[b"Type0", b"Type1", b"MMType1", b"TrueType", b"Type3"];
    name(dictionary, b"Subtype").is_some_and(|kind| kinds.contains(&kind))
}

fn is_composite(font: &Dictionary) -> bool {
    name(font, b"Subtype") == Some(b"Type0")
}

/// The table that a font should have, if that is more than it has.
fn table_for(document: &Document, font: &Dictionary) -> Option<Table> {
    let embedded = Table::embedded(document, font);
    let signs = embedded.as_ref().zip(symbols(font));
    match signs.and_then(|(table, font)| table.in_font(font)) {
        Some(signs) => completed(document, font, Some(signs.clone())).or(Some(signs)),
        None => completed(document, font, embedded),
    }
}

/// The table that a font has, with more that is known of its codes; `None` if no more is.
fn completed(document: &Document, font: &Dictionary, embedded: Option<Table>) -> Option<Table> {
    let embedded = match embedded {
        Some(embedded) if embedded.is_sound() && is_composite(font) => return None,
        Some(embedded) if embedded.is_sound() => {
            return embedded.completed_by(simple::blanks(document, font)?);
        }
        embedded => embedded,
    };
    let known = match is_composite(font) {
        true => composite::table(document, font),
        false => simple::table(document, font),
    }?;
    match embedded {
        Some(embedded) => embedded.mended_by(known),
        None => Some(known),
    }
}

/// Which symbol font this is, if it is one. The name of a part of a font begins with six letters and `+` (9.9.2), and
/// may end with a style.
fn symbols(font: &Dictionary) -> Option<SymbolFont> {
    let name = std::str::from_utf8(name(font, b"BaseFont")?).ok()?;
    let name = name.split_once('+').map_or(name, |(_, name)| name);
    SymbolFont::named(name.split(',').next()?)
}

/// The name under `key`.
fn name<'a>(dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    dictionary.get(key).and_then(Object::as_name).ok()
}

/// The object under `key`, or that is referred to there.
fn entry<'a>(document: &'a Document, of: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    of.get_deref(key, document).ok()
}

#[cfg(test)]
mod tests;
