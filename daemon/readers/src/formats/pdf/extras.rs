//! What a PDF contains besides its pages: metadata, form values, comments, attached files.

mod fields;
mod info;
mod written;
mod xfa;

use std::collections::HashSet;
use std::io::Read;

use flate2::read::ZlibDecoder;
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream, decode_text_string};
use simdex_extract::{Fact, Reason, Role};

use self::fields::FieldKind;
use self::written::WrittenTexts;
use super::bounds::dictionary;
use crate::sink::Sink;

/// Maximum nesting of fields, and of names.
const MAX_DEPTH: usize = 32;
/// Maximum number of fields, annotations and nodes.
const MAX_NODES: usize = 200_000;
/// Annotations (ISO 32000-2, 12.5.6) whose contents somebody wrote: not links, not form fields.
const COMMENTS: &[&[u8]] = &[
    b"Text",
    b"FreeText",
    b"Line",
    b"Square",
    b"Circle",
    b"Polygon",
    b"PolyLine",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Caret",
    b"Stamp",
    b"Ink",
    b"FileAttachment",
    b"Redact",
];
/// Actions (12.6.4) that lead out of the file; links to web pages are text.
const OUTWARD: &[&[u8]] = &[b"Launch", b"GoToR", b"ImportData", b"SubmitForm"];

/// Numbers of the pages with annotations that have an appearance (12.5.5).
pub(super) fn pages_with_appearances(document: &Document) -> Vec<u32> {
    let mut left = MAX_NODES;
    let mut looks = |page: ObjectId| {
        let Ok(page) = document.get_dictionary(page) else {
            return false;
        };
        let annotations = array(document, page, b"Annots").iter();
        let mut annotations = annotations.take_while(|_| {
            left = left.saturating_sub(1);
            left > 0
        });
        annotations.any(|annotation| {
            let annotation = document.dereference(annotation);
            annotation.is_ok_and(|(_, annotation)| {
                let entries = annotation.as_dict();
                entries.is_ok_and(|entries| entries.has(b"AP"))
            })
        })
    };
    let pages = document.get_pages().into_iter();
    pages
        .filter(|(_, page)| looks(*page))
        .map(|(number, _)| number)
        .collect()
}

/// States the facts, writes form values and comments and anything else in `shown`, the lines of annotations, and passes
/// on attached files. Returns why if that is incomplete.
pub(super) fn read(document: &Document, shown: &[String], sink: &mut Sink) -> Option<Reason> {
    info::state(document, sink);
    for object in document.objects.values() {
        count_actions(object, MAX_DEPTH, sink);
    }
    let catalog = document.catalog().ok()?;
    let mut walk = Walk {
        document,
        sink,
        nodes: 0,
        seen: HashSet::new(),
        written: WrittenTexts::default(),
        reason: None,
    };
    if let Some(form) = dictionary(document, catalog, b"AcroForm") {
        walk.xfa(catalog, form);
        walk.fields(
            array(document, form, b"Fields"),
            FieldKind::Other,
            MAX_DEPTH,
        );
    }
    for page in document.page_iter() {
        walk.annotations(page);
    }
    walk.shown(shown);
    let names = dictionary(document, catalog, b"Names");
    if let Some(tree) = names.and_then(|names| dictionary(document, names, b"EmbeddedFiles")) {
        walk.names(tree, MAX_DEPTH);
    }
    for file in array(document, catalog, b"AF") {
        walk.file(file);
    }
    walk.reason
}

/// Counts scripts and actions that lead outside, in an object and directly in it.
fn count_actions(object: &Object, depth: usize, sink: &mut Sink) {
    let entries = match object {
        _ if depth == 0 => return,
        Object::Array(items) => {
            return items
                .iter()
                .for_each(|item| count_actions(item, depth - 1, sink));
        }
        Object::Dictionary(entries) => entries,
        Object::Stream(stream) => &stream.dict,
        _ => return,
    };
    if let Ok(action) = entries.get(b"S").and_then(Object::as_name) {
        sink.count(Fact::Scripts, u64::from(action == b"JavaScript"));
        sink.count(Fact::External, u64::from(OUTWARD.contains(&action)));
    }
    for (_, value) in entries.iter() {
        count_actions(value, depth - 1, sink);
    }
}

struct Walk<'a, 's> {
    document: &'a Document,
    sink: &'s mut Sink,
    nodes: usize,
    /// Fields, names and files that were read: a tree may be cyclic.
    seen: HashSet<ObjectId>,
    written: WrittenTexts,
    reason: Option<Reason>,
}

impl<'a> Walk<'a, '_> {
    /// Counts a node; returns false if it was seen before, or there were too many.
    fn enter(&mut self, id: Option<ObjectId>) -> bool {
        id.is_none_or(|id| self.seen.insert(id)) && self.step()
    }

    fn step(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            self.reason = self.reason.or(Some(Reason::PartsLimit));
        }
        self.nodes <= MAX_NODES
    }

    /// The XML form (12.7.8): its references outside, and, if the pages do not show it, its text.
    fn xfa(&mut self, catalog: &Dictionary, form: &'a Dictionary) {
        let document = self.document;
        let limit = |stream: &Stream| self.sink.budgets().unpacked(stream.content.len() as u64);
        let xml = xfa::xml(document, form, limit);
        self.sink.count(Fact::External, xfa::ways_out(&xml));
        let fields = array(document, form, b"Fields");
        let needs = catalog.get_deref(b"NeedsRendering", document);
        let needs = needs.and_then(Object::as_bool).unwrap_or(false);
        if needs || fields.is_empty() {
            for piece in xfa::pieces(&xml) {
                match piece {
                    xfa::Piece::Caption(text) => self.push(&text),
                    xfa::Piece::Value(text) => self.write(&text, Fact::FormFields),
                }
            }
        }
    }

    fn write(&mut self, text: &str, fact: Fact) {
        if !text.trim().is_empty() {
            self.push(&text.replace("\r\n", "\n").replace('\r', "\n"));
            self.sink.count(fact, 1);
            self.written.add(text);
        }
    }

    fn push(&mut self, text: &str) {
        self.sink.newline();
        self.sink.push(text);
        self.sink.newline();
    }

    /// Writes what annotations show besides their values: captions, stamps, text that only their appearance has.
    fn shown(&mut self, lines: &[String]) {
        for piece in lines.iter().flat_map(|line| line.split('\t')) {
            if !self.written.has(piece) {
                self.push(piece.trim());
                self.written.add(piece);
            }
        }
    }

    fn annotations(&mut self, page: ObjectId) {
        let Ok(page) = self.document.get_dictionary(page) else {
            return;
        };
        for annotation in array(self.document, page, b"Annots") {
            let field = std::slice::from_ref(annotation);
            let Ok((_, Object::Dictionary(annotation))) = self.document.dereference(annotation)
            else {
                continue;
            };
            if annotation.has(b"FT") {
                // A field that no form refers to is still a field.
                self.fields(field, FieldKind::Other, 1);
            }
            if !self.step() {
                return;
            }
            let kind = annotation
                .get(b"Subtype")
                .and_then(Object::as_name)
                .unwrap_or_default();
            if !COMMENTS.contains(&kind) {
                continue;
            }
            let contents = annotation.get_deref(b"Contents", self.document);
            let contents = contents.ok().and_then(text).unwrap_or_default();
            self.write(&contents, Fact::Annotations);
            if let Ok(file) = annotation.get(b"FS") {
                self.file(file);
            }
        }
    }

    /// Files under the names of a tree (7.9.6).
    fn names(&mut self, tree: &'a Dictionary, depth: usize) {
        if depth == 0 {
            return;
        }
        for pair in array(self.document, tree, b"Names").chunks_exact(2) {
            self.file(&pair[1]);
        }
        for kid in array(self.document, tree, b"Kids") {
            if let Ok((id, Object::Dictionary(kid))) = self.document.dereference(kid)
                && self.enter(id)
            {
                self.names(kid, depth - 1);
            }
        }
    }

    /// Passes on the file in a file specification (7.11.3).
    fn file(&mut self, specification: &Object) {
        let Ok((_, Object::Dictionary(file))) = self.document.dereference(specification) else {
            return;
        };
        let Some(embedded) = dictionary(self.document, file, b"EF") else {
            return;
        };
        let reference = [&b"UF"[..], b"F"]
            .iter()
            .find_map(|key| embedded.get(key).ok());
        let Some((Some(id), Object::Stream(stream))) =
            reference.and_then(|reference| self.document.dereference(reference).ok())
        else {
            return;
        };
        if !self.enter(Some(id)) {
            return;
        }
        let name = [&b"UF"[..], b"F"].iter().find_map(|key| {
            text(file.get_deref(key, self.document).ok()?).filter(|name| !name.is_empty())
        });
        self.hand_over(&name.unwrap_or_default(), stream);
    }

    /// Passes on an embedded file stream (7.11.4) under this name.
    fn hand_over(&mut self, name: &str, stream: &Stream) {
        let parameters = dictionary(self.document, &stream.dict, b"Params");
        let modified = parameters
            .and_then(|parameters| text(parameters.get_deref(b"ModDate", self.document).ok()?))
            .and_then(|date| info::Moment::of(&date))
            .map(info::Moment::seconds);
        let limit = self.sink.budgets().unpacked(stream.content.len() as u64);
        let reason = match opened(stream) {
            // One more than the limit, so that the sink sees that there is more.
            Some(bytes) => {
                let mut bytes = bytes.take(limit);
                let reason = self
                    .sink
                    .member(name, Role::Attachment, modified, &mut bytes);
                let left =
                    bytes.limit() == 0 && bytes.into_inner().read(&mut [0]).is_ok_and(|n| n > 0);
                reason.or(left.then_some(Reason::InflateLimit))
            }
            None => {
                let unread =
                    self.sink
                        .member_unread(name, Role::Attachment, modified, Reason::Damaged);
                unread.or(Some(Reason::PartsFailed))
            }
        };
        self.reason = self.reason.or(reason);
    }
}

/// The unpacked bytes of a stream; `None` if its filters are not known.
fn opened(stream: &Stream) -> Option<Box<dyn Read + '_>> {
    let filters = stream.filters().unwrap_or_default();
    let plain = !stream.dict.has(b"DecodeParms");
    match filters.as_slice() {
        [] => Some(Box::new(stream.content.as_slice())),
        [b"FlateDecode"] if plain => Some(Box::new(ZlibDecoder::new(stream.content.as_slice()))),
        _ => {
            let content = stream.decompressed_content().ok()?;
            Some(Box::new(std::io::Cursor::new(content)))
        }
    }
}

/// The text of a string object (7.9.2) or a name.
fn text(object: &Object) -> Option<String> {
    let bytes = match object {
        Object::Name(name) => return Some(String::from_utf8_lossy(name).into_owned()),
        object => object.as_str().ok()?,
    };
    if bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"\xef\xbb\xbf") {
        return decode_text_string(object).ok();
    }
    // The library's table of characters lacks line ends.
    let lines = bytes.split(|byte| matches!(byte, b'\t' | b'\n' | b'\r'));
    let lines = lines.map(|line| decode_text_string(&Object::string_literal(line)).ok());
    Some(lines.collect::<Option<Vec<_>>>()?.join("\n"))
}

/// The array under `key`, or that is referred to there; empty if there is none.
fn array<'a>(document: &'a Document, of: &'a Dictionary, key: &[u8]) -> &'a [Object] {
    let array = of.get_deref(key, document).and_then(Object::as_array);
    array.map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
