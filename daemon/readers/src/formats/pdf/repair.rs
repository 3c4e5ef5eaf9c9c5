//! Repairs PDFs that readers tolerate and the library does not.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use pdf_extract::{Dictionary, Document, Object};

use super::{next_line, unchecked};

/// Longest file whose cross references are rebuilt: it is copied once.
const MAX_REBUILD_BYTES: usize = 128 << 20;
/// Character codes a font can have.
const MAX_CODES: usize = 1 << 16;
/// Most objects a rebuilt table holds.
const MAX_OBJECTS: usize = 1 << 20;

/// The file with a new cross reference table at its end, made from the objects found in it; `None` if there is no
/// header, no object or no catalog. The last definition of an object counts, as after an update.
pub(super) fn rebuild(bytes: &[u8]) -> Option<Vec<u8>> {
    let header = find(&bytes[..bytes.len().min(1024)], b"%PDF-")?;
    let file = &bytes[header..];
    if file.len() > MAX_REBUILD_BYTES {
        return None;
    }
    let objects = objects(file);
    let last = *objects.keys().next_back()?;
    let root = value_of(file, b"/Root").or_else(|| catalog(file, &objects))?;
    let mut table = b"\nxref\n0 1\n0000000000 65535 f \n".to_vec();
    for (number, (generation, at)) in &objects {
        write!(table, "{number} 1\n{at:010} {generation:05} n \n").ok()?;
    }
    write!(
        table,
        "trailer\n<< /Size {} /Root {root}",
        u64::from(last) + 1
    )
    .ok()?;
    if let Some(encrypt) = value_of(file, b"/Encrypt") {
        write!(table, " /Encrypt {encrypt}").ok()?;
    }
    if let Some(id) = file_id(file) {
        table.extend_from_slice(id);
    }
    write!(table, " >>\nstartxref\n{}\n%%EOF\n", file.len() + 1).ok()?;
    Some([file, &table].concat())
}

/// Number → generation and offset of every `number generation obj`.
fn objects(file: &[u8]) -> BTreeMap<u32, (u16, usize)> {
    let mut objects = BTreeMap::new();
    let mut from = 0;
    while let Some(found) = find(&file[from..], b" obj") {
        let end = from + found;
        from = end + 4;
        let Some((before, generation)) = number_before(&file[..end]) else {
            continue;
        };
        let Some(before) = file[..before].strip_suffix(b" ") else {
            continue;
        };
        let Some((at, number)) = number_before(before) else {
            continue;
        };
        if let (Ok(number), Ok(generation)) = (u32::try_from(number), u16::try_from(generation)) {
            objects.insert(number, (generation, at));
        }
        if objects.len() >= MAX_OBJECTS {
            break;
        }
    }
    objects
}

/// The decimal number at the end of `bytes`, and where it begins.
fn number_before(bytes: &[u8]) -> Option<(usize, u64)> {
    let digits = bytes
        .iter()
        .rev()
        .take(10)
        .take_while(|b| b.is_ascii_digit())
        .count();
    let start = bytes.len() - digits;
    let number = std::str::from_utf8(&bytes[start..]).ok()?.parse().ok()?;
    Some((start, number))
}

/// The reference (`12 0 R`) after the last `key` of the file.
fn value_of(file: &[u8], key: &[u8]) -> Option<String> {
    let at = file.windows(key.len()).rposition(|window| window == key)? + key.len();
    let rest = &file[at..file.len().min(at + 32)];
    let text = String::from_utf8_lossy(rest);
    let mut words = text.split_ascii_whitespace();
    let (number, generation) = (words.next()?.parse::<u32>().ok()?, words.next()?);
    let generation: u16 = generation.parse().ok()?;
    words
        .next()?
        .starts_with('R')
        .then(|| format!("{number} {generation} R"))
}

/// The file identifier, which decryption needs: the last `/ID [ … ]`.
fn file_id(file: &[u8]) -> Option<&[u8]> {
    let at = file.windows(3).rposition(|window| window == b"/ID")?;
    let rest = &file[at..file.len().min(at + 400)];
    rest[3..]
        .trim_ascii_start()
        .starts_with(b"[")
        .then_some(())?;
    Some(&rest[..=find(rest, b"]")?])
}

/// The last object that states to be the catalog near its beginning.
fn catalog(file: &[u8], objects: &BTreeMap<u32, (u16, usize)>) -> Option<String> {
    let is_catalog = |at: usize| {
        let start = &file[at..file.len().min(at + 200)];
        let body = &start[..find(start, b"endobj").unwrap_or(start.len())];
        find(body, b"/Type /Catalog")
            .or_else(|| find(body, b"/Type/Catalog"))
            .is_some()
    };
    let found = objects.iter().rev().find(|(_, (_, at))| is_catalog(*at));
    found.map(|(number, (generation, _))| format!("{number} {generation} R"))
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes
        .windows(needle.len())
        .position(|window| window == needle)
}

/// Repairs the contents of pages, as far as the main parser would lose text of them.
pub(super) fn mend_contents(document: &mut Document) {
    let pages = document.get_pages().into_values();
    let contents: HashSet<_> = pages
        .flat_map(|page| document.get_page_contents(page))
        .collect();
    for id in contents {
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id) {
            unchecked::unpack(stream);
            next_line::spell_out(stream);
        }
    }
}

/// The document as a file again, after its repair.
pub(super) fn saved(document: &mut Document) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).ok()?;
    Some(bytes)
}

/// Pages whose contents the file refers to and does not contain: it is truncated before them.
pub(super) fn pages_broken_off(document: &Document) -> HashSet<u32> {
    // A stream without its end is mistaken for a dictionary.
    let holds = |id| {
        matches!(
            document.get_object(id),
            Ok(Object::Stream(_) | Object::Array(_))
        )
    };
    let is_missing = |object: &Object| object.as_reference().is_ok_and(|id| !holds(id));
    let lacks_contents = |page: &Dictionary| match page.get(b"Contents") {
        Ok(Object::Array(parts)) => parts.iter().any(is_missing),
        Ok(contents) => is_missing(contents),
        Err(_) => false,
    };
    let pages = document.get_pages().into_iter();
    pages
        .filter(|(_, id)| document.get_dictionary(*id).is_ok_and(lacks_contents))
        .map(|(number, _)| number)
        .collect()
}

/// Pages, or whole branches of them, that the page tree refers to and the file does not contain.
pub(super) fn pages_missing(document: &Document) -> u64 {
    let is_tree = |object: &&Dictionary| object.has_type(b"Pages");
    let trees = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok());
    let kids = trees
        .filter(is_tree)
        .filter_map(|tree| tree.get(b"Kids").ok()?.as_array().ok());
    let named = kids.flatten().filter_map(|kid| kid.as_reference().ok());
    named.filter(|id| !document.has_object(*id)).count() as u64
}

/// Whether a file that cannot be opened says that it is encrypted.
pub(super) fn is_locked(file: &[u8]) -> bool {
    find(file, b"/Encrypt").is_some_and(|at| !file[at + 8..].starts_with(b"M"))
}

/// Repairs character widths in forms that the library ignores or panics at: without widths it sees gaps within words.
/// Simple fonts give numbers by reference, composite ones give ranges, Type 3 fonts have their own units.
pub(super) fn mend_widths(document: &mut Document) {
    let mut mended = Vec::new();
    for (&id, object) in &document.objects {
        let Ok(font) = object.as_dict() else { continue };
        mended.extend(simple_widths(document, font).map(|widths| (id, "Widths", widths)));
        mended.extend(composite_widths(document, font).map(|widths| (id, "W", widths)));
        if let Some(widths) = scaled_widths(document, font) {
            mended.extend([(id, "Widths", widths), (id, "FontMatrix", thousandth())]);
        }
    }
    for (id, key, widths) in mended {
        if let Some(Object::Dictionary(font)) = document.objects.get_mut(&id) {
            font.set(key, widths);
        }
    }
}

/// The widths of a simple font as numbers, if they are not already.
fn simple_widths(document: &Document, font: &Dictionary) -> Option<Vec<Object>> {
    let widths = array(document, font.get(b"Widths").ok()?)?;
    let odd = !widths.iter().all(is_number);
    odd.then(|| widths.iter().map(|width| number(document, width)).collect())
}

/// The widths of a Type 3 font (ISO 32000-2, 9.6.4) in thousandths, if its matrix has other units: the library ignores
/// it.
fn scaled_widths(document: &Document, font: &Dictionary) -> Option<Vec<Object>> {
    let matrix = array(document, font.get(b"FontMatrix").ok()?)?;
    let scale = number(document, matrix.first()?).as_float().ok()? * 1000.0;
    let widths = array(document, font.get(b"Widths").ok()?)?;
    let is_odd = scale.is_normal() && (scale - 1.0).abs() > f32::EPSILON;
    let scaled = |width| number(document, width).as_float().unwrap_or(0.0) * scale;
    is_odd.then(|| {
        widths
            .iter()
            .map(|width| Object::Real(scaled(width)))
            .collect()
    })
}

/// The matrix of a font with units of a thousandth.
fn thousandth() -> Vec<Object> {
    [0.001, 0.0, 0.0, 0.001, 0.0, 0.0]
        .map(Object::Real)
        .to_vec()
}

/// The widths of a composite font with every range `first last width` written as
/// `first [width …]` (ISO 32000-2, 9.7.4.3), up to the first entry that is neither.
fn composite_widths(document: &Document, font: &Dictionary) -> Option<Vec<Object>> {
    let mut entries = array(document, font.get(b"W").ok()?)?;
    let (mut widths, mut codes) = (Vec::new(), 0);
    while let Some((first, list, rest)) = next_widths(document, entries) {
        codes += list.len();
        if codes > MAX_CODES {
            break;
        }
        widths.extend([Object::Integer(first), Object::Array(list)]);
        entries = rest;
    }
    Some(widths)
}

/// The first code of the next entry, the widths from there on, and what follows.
fn next_widths<'a>(
    document: &Document,
    entries: &'a [Object],
) -> Option<(i64, Vec<Object>, &'a [Object])> {
    let (first, entries) = entries.split_first()?;
    let (next, rest) = entries.split_first()?;
    let first = first.as_i64().ok()?;
    if let Some(list) = array(document, next) {
        return Some((
            first,
            list.iter().map(|width| number(document, width)).collect(),
            rest,
        ));
    }
    let last = next.as_i64().ok()?;
    let count = usize::try_from(last.checked_sub(first)?)
        .ok()?
        .checked_add(1)?;
    let (width, rest) = rest.split_first()?;
    (count <= MAX_CODES).then(|| (first, vec![number(document, width); count], rest))
}

fn array<'a>(document: &'a Document, object: &'a Object) -> Option<&'a [Object]> {
    Some(document.dereference(object).ok()?.1.as_array().ok()?)
}

fn is_number(object: &Object) -> bool {
    matches!(object, Object::Integer(_) | Object::Real(_))
}

/// The number that `object` is or refers to; otherwise 0.
fn number(document: &Document, object: &Object) -> Object {
    let direct = document.dereference(object).ok().map(|(_, object)| object);
    direct
        .filter(|object| is_number(object))
        .cloned()
        .unwrap_or(Object::Integer(0))
}
