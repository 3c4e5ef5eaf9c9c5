//! Mending of PDFs that readers forgive and the library does not.

use std::collections::BTreeMap;
use std::io::Write;

use pdf_extract::{Document, Object};

/// Longest file whose cross references are rebuilt: it is copied once.
const MAX_REBUILD_BYTES: usize = 128 << 20;
/// Most objects a rebuilt table holds.
const MAX_OBJECTS: usize = 1 << 20;

/// The file with a new cross reference table at its end, made from the objects that stand in it;
/// `None` where there is no header, no object or no catalog. The last definition of an object
/// counts, as after an update.
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

/// The decimal number that `bytes` ends with, and where it begins.
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

/// The file identifier, which unlocking needs: the last `/ID [ … ]`.
fn file_id(file: &[u8]) -> Option<&[u8]> {
    let at = file.windows(3).rposition(|window| window == b"/ID")?;
    let rest = &file[at..file.len().min(at + 400)];
    rest[3..]
        .trim_ascii_start()
        .starts_with(b"[")
        .then_some(())?;
    Some(&rest[..=find(rest, b"]")?])
}

/// The last object that calls itself the catalog near its beginning.
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

/// Character widths that are given by reference: the library takes direct numbers only.
pub(super) fn resolve_widths(document: &mut Document) {
    let arrays: Vec<_> = document
        .objects
        .iter()
        .filter_map(|(&id, object)| Some((id, direct_widths(document, object)?)))
        .collect();
    for (id, widths) in arrays {
        if let Some(Object::Dictionary(font)) = document.objects.get_mut(&id) {
            font.set("Widths", widths);
        }
    }
}

/// The widths of a font as numbers, if they are not so already; 0 for what is no number.
fn direct_widths(document: &Document, font: &Object) -> Option<Vec<Object>> {
    let widths = font.as_dict().ok()?.get(b"Widths").ok()?;
    let widths = document.dereference(widths).ok()?.1.as_array().ok()?;
    let is_number = |o: &Object| matches!(o, Object::Integer(_) | Object::Real(_));
    let number = |o: &Object| {
        let direct = document.dereference(o).ok().map(|(_, object)| object);
        direct
            .filter(|o| is_number(o))
            .cloned()
            .unwrap_or(Object::Integer(0))
    };
    (!widths.iter().all(is_number)).then(|| widths.iter().map(number).collect())
}
