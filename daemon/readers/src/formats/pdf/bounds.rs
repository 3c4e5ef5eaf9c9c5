//! Makes harmless what may cost too much, before the main parser sees it.

use std::collections::HashSet;
use std::io::Read;

use flate2::read::ZlibDecoder;
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

/// No deflated stream unpacks to more than this many times its length.
const MAX_DEFLATE_RATIO: u64 = 1032;
/// Bytes kept of a stream that unpacks to too much.
const KEPT_BYTES: u64 = 4 << 20;
/// Maximum number of chained filters of one stream.
const MAX_FILTERS: usize = 8;
/// Maximum number of a page's fonts and drawn objects that are checked.
const MAX_DRAWN: usize = 1000;
/// Maximum nesting of forms.
const MAX_FORM_DEPTH: usize = 24;

/// Empties pictures, whose bytes the parser would mistake for drawing operators, and cuts streams that unpack to more
/// than `limit`. Returns true if anything was cut.
pub(super) fn limit_streams(document: &mut Document, limit: u64) -> bool {
    let mut cut = false;
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else {
            continue;
        };
        if stream.dict.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Image") {
            replace(stream, Vec::new());
        } else if let Some(kept) = beginning_of_bomb(stream, limit) {
            replace(stream, kept);
            cut = true;
        }
    }
    cut
}

fn replace(stream: &mut Stream, content: Vec<u8>) {
    stream.dict.remove(b"Filter");
    stream.dict.remove(b"DecodeParms");
    stream.set_content(content);
}

/// The beginning of what `stream` unpacks to, if all of it is too much.
fn beginning_of_bomb(stream: &Stream, limit: u64) -> Option<Vec<u8>> {
    let filters = stream.filters().ok()?;
    if filters.len() > MAX_FILTERS {
        return Some(Vec::new());
    }
    let deflated = filters
        .iter()
        .filter(|name| **name == b"FlateDecode")
        .count();
    let ratio = MAX_DEFLATE_RATIO.saturating_pow(u32::try_from(deflated).ok()?);
    let max_unpacked = (stream.content.len() as u64).saturating_mul(ratio);
    if deflated == 0 || max_unpacked <= limit {
        return None;
    }
    // Deflated once: counted. Deflated repeatedly: never legitimate.
    if deflated > 1 || filters[0] != b"FlateDecode" {
        return Some(Vec::new());
    }
    let inflate = || ZlibDecoder::new(stream.content.as_slice());
    let all = std::io::copy(&mut inflate().take(limit + 1), &mut std::io::sink());
    // A damaged stream ends where it is damaged.
    if all.is_ok_and(|bytes| bytes > limit) {
        let mut kept = Vec::new();
        let _ = inflate().take(KEPT_BYTES).read_to_end(&mut kept);
        return Some(kept);
    }
    None
}

/// Numbers of the pages that the main parser misreads: those that draw forms, all of which it draws at the origin, or
/// write in one of `fonts`.
pub(super) fn pages_misread(document: &Document, fonts: &HashSet<ObjectId>) -> HashSet<u32> {
    let is_misread = |page: ObjectId| {
        let Ok((own, inherited)) = document.get_page_resources(page) else {
            return false;
        };
        let inherited = inherited.into_iter();
        let inherited = inherited.filter_map(|id| document.get_dictionary(id).ok());
        own.into_iter().chain(inherited).any(|resources| {
            let is_form = |object: &Object| {
                let object = document.dereference(object);
                object.is_ok_and(|(_, object)| is_form(object))
            };
            let is_font = |font: &Object| font.as_reference().is_ok_and(|id| fonts.contains(&id));
            uses(document, resources, b"XObject", is_form)
                || uses(document, resources, b"Font", is_font)
        })
    };
    let pages = document.get_pages().into_iter();
    pages
        .filter(|(_, page)| is_misread(*page))
        .map(|(number, _)| number)
        .collect()
}

/// Whether some resource of a kind matches.
fn uses(
    document: &Document,
    resources: &Dictionary,
    kind: &[u8],
    predicate: impl Fn(&Object) -> bool,
) -> bool {
    let named = dictionary(document, resources, kind);
    let named = named.into_iter().flat_map(|named| named.iter());
    named.take(MAX_DRAWN).any(|(_, object)| predicate(object))
}

/// Whether forms (ISO 32000-2, 8.10) may draw themselves, or are nested too deep: the parser follows them recursively.
pub(super) fn may_recurse(document: &Document) -> bool {
    let mut harmless = HashSet::new();
    let forms = document
        .objects
        .iter()
        .filter(|(_, object)| is_form(object));
    forms.into_iter().any(|(&id, _)| {
        let mut path = Vec::new();
        recurses(document, id, &mut path, &mut harmless)
    })
}

fn is_form(object: &Object) -> bool {
    let Object::Stream(stream) = object else {
        return false;
    };
    stream.dict.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Form")
}

/// Follows what a form draws; `harmless` remembers the forms that end.
fn recurses(
    document: &Document,
    id: ObjectId,
    path: &mut Vec<ObjectId>,
    harmless: &mut HashSet<ObjectId>,
) -> bool {
    if harmless.contains(&id) {
        return false;
    }
    if path.contains(&id) || path.len() > MAX_FORM_DEPTH {
        return true;
    }
    let Some(Object::Stream(form)) = document.objects.get(&id).filter(|form| is_form(form)) else {
        return false;
    };
    // Without resources of its own a form uses those of whatever draws it, which may include itself.
    let Some(resources) = dictionary(document, &form.dict, b"Resources") else {
        return may_draw(form);
    };
    path.push(id);
    let drawn = dictionary(document, resources, b"XObject");
    let mut drawn = drawn.into_iter().flat_map(|drawn| drawn.iter());
    let found = drawn.any(|(_, object)| {
        let id = object.as_reference();
        id.is_ok_and(|id| recurses(document, id, path, harmless))
    });
    path.pop();
    if !found {
        harmless.insert(id);
    }
    found
}

/// Whether `Do` may occur in a form's content.
fn may_draw(form: &Stream) -> bool {
    let content = form.decompressed_content().unwrap_or_default();
    content
        .windows(3)
        .any(|window| window == b"Do\n" || window == b"Do " || window == b"Do\r")
        || content.ends_with(b"Do")
}

/// The dictionary under `key`, or that is referred to there.
pub(super) fn dictionary<'a>(
    document: &'a Document,
    of: &'a Dictionary,
    key: &[u8],
) -> Option<&'a Dictionary> {
    let (_, object) = document.dereference(of.get(key).ok()?).ok()?;
    object.as_dict().ok()
}
