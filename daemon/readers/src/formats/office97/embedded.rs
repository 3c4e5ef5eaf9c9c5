//! Objects embedded in a document: packaged files unchanged, documents in storages written as separate files. Macros
//! are counted.

use std::io::Cursor;

use simdex_extract::{Fact, Reason, Role};

use super::codepage;
use crate::compound::{Compound, ROOT, double_word, word, write};
use crate::sink::Sink;

/// Storages of whole documents, recognised by a stream in them.
const DOCUMENTS: &[(&str, &str)] = &[
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
    ("VisioDocument", "vsd"),
    ("__properties_version1.0", "msg"),
];
/// Streams that are an unchanged file.
const FILES: &[&str] = &["Package", "CONTENTS"];
const NATIVE: &str = "\u{1}Ole10Native";
const MACROS: &str = "VBA";

/// Passes on every object embedded in a document; counts macro projects.
pub(super) fn members(file: &Compound<'_>, sink: &mut Sink) -> Option<Reason> {
    let mut reason = None;
    let mut left: Vec<usize> = storages(file, ROOT).collect();
    while let Some(storage) = left.pop() {
        if !sink.has_room_for_member() {
            return Some(Reason::PartsLimit);
        }
        let name = &file.entry(storage).name;
        match member(file, storage, name, sink) {
            Some(cut) => reason = reason.or(cut),
            None => left.extend(storages(file, storage)),
        }
    }
    reason
}

/// Passes on an object that is a compound file by itself.
pub(super) fn object(bytes: &[u8], name: &str, sink: &mut Sink) -> Option<Reason> {
    match Compound::of_bytes(bytes) {
        Ok(file) => member(&file, ROOT, name, sink).flatten(),
        Err(_) => sink.member_unread(name, Role::Embedded, None, Reason::Damaged),
    }
}

/// Storages in a storage, the last first.
fn storages<'a>(file: &'a Compound<'_>, storage: usize) -> impl Iterator<Item = usize> + 'a {
    let children = file.children(storage).iter().copied().rev();
    children.filter(|&child| file.entry(child).is_storage)
}

/// Passes on the content of a storage, if it is an object; returns why it is incomplete.
fn member(
    file: &Compound<'_>,
    storage: usize,
    name: &str,
    sink: &mut Sink,
) -> Option<Option<Reason>> {
    if file.child(storage, MACROS).is_some() {
        sink.count(Fact::Scripts, 1);
        return Some(None);
    }
    let modified = file.entry(storage).modified;
    let limit = sink.budgets().entry_bytes;
    if let Some(stream) = file.child(storage, NATIVE) {
        let (bytes, cut) = file.read(stream, limit);
        let (label, content) = native(&bytes);
        let name = if label.is_empty() { name } else { &label };
        let lost = sink.member(name, Role::Embedded, modified, &mut Cursor::new(content));
        return Some(cut.or(lost));
    }
    let mut documents = DOCUMENTS.iter();
    let document = documents.find(|(stream, _)| file.child(storage, stream).is_some());
    if let Some((_, extension)) = document {
        let (bytes, cut) = write::storage(file, storage, limit);
        let name = format!("{name}.{extension}");
        let lost = sink.member(&name, Role::Embedded, modified, &mut Cursor::new(bytes));
        return Some(cut.or(lost));
    }
    let stream = FILES.iter().find_map(|name| file.child(storage, name))?;
    Some(sink.member(name, Role::Embedded, modified, &mut file.stream(stream)))
}

/// Name and content of a packaged file: label, path, temporary path, then the bytes, each with its length.
fn native(bytes: &[u8]) -> (String, &[u8]) {
    let raw = (String::new(), bytes.get(4..).unwrap_or_default());
    if word(bytes, 4) != Some(2) {
        return raw;
    }
    packaged(&bytes[6..]).unwrap_or(raw)
}

fn packaged(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (label, rest) = split_at_zero(bytes)?;
    let (_, rest) = split_at_zero(rest)?;
    let path = double_word(rest, 4)? as usize;
    let rest = rest.get(8..)?.get(path..)?;
    let length = double_word(rest, 0)? as usize;
    let content = &rest[4..];
    let encoding = codepage::encoding(1252);
    let label = encoding.decode_without_bom_handling(label).0;
    Some((label.into_owned(), &content[..length.min(content.len())]))
}

fn split_at_zero(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}
