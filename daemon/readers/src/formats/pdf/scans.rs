//! Scanned pages: they draw a large picture and have no text.

use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::bounds::dictionary;

/// Pixels of the smallest picture that counts as a scanned page or a part of one. An A4 page at 72 dots per inch has
/// twice as many; logos and signatures have fewer.
const MIN_PIXELS: i64 = 250_000;
/// Maximum number of drawn objects examined in one set of resources.
const MAX_DRAWN: usize = 1000;
/// Maximum depth of nested forms that are followed.
const MAX_DEPTH: usize = 4;

/// Counts those of the pages numbered `without_text` that draw a large picture.
pub(super) fn count(document: &Document, without_text: &[u32]) -> u64 {
    let pages = document.get_pages();
    let ids = without_text.iter().filter_map(|number| pages.get(number));
    ids.filter(|id| is_scanned(document, **id)).count() as u64
}

fn is_scanned(document: &Document, page: ObjectId) -> bool {
    // Pages may share resources, so a page that draws nothing may still list pictures.
    let content = document.get_page_content(page).unwrap_or_default();
    if !draws(&content) {
        return false;
    }
    let Ok((own, inherited)) = document.get_page_resources(page) else {
        return false;
    };
    let inherited = inherited
        .iter()
        .filter_map(|id| document.get_dictionary(*id).ok());
    own.into_iter()
        .chain(inherited)
        .any(|resources| has_large_picture(document, resources, MAX_DEPTH))
}

/// Whether the content contains the operator `Do`.
fn draws(content: &[u8]) -> bool {
    let mut words = content.split(u8::is_ascii_whitespace);
    words.any(|word| word == b"Do")
}

fn has_large_picture(document: &Document, resources: &Dictionary, depth: usize) -> bool {
    let drawn = dictionary(document, resources, b"XObject");
    let drawn = drawn.into_iter().flat_map(|drawn| drawn.iter());
    drawn.take(MAX_DRAWN).any(|(_, object)| {
        let Ok((_, Object::Stream(stream))) = document.dereference(object) else {
            return false;
        };
        let subtype = stream.dict.get(b"Subtype").and_then(Object::as_name).ok();
        match subtype {
            Some(b"Image") => pixels(document, &stream.dict) >= MIN_PIXELS,
            Some(b"Form") if depth > 0 => dictionary(document, &stream.dict, b"Resources")
                .is_some_and(|inner| has_large_picture(document, inner, depth - 1)),
            _ => false,
        }
    })
}

fn pixels(document: &Document, picture: &Dictionary) -> i64 {
    let side = |key: &[u8]| {
        let (_, value) = document.dereference(picture.get(key).ok()?).ok()?;
        value.as_i64().ok()
    };
    let sides = side(b"Width").zip(side(b"Height"));
    sides.map_or(0, |(width, height)| width.saturating_mul(height))
}
