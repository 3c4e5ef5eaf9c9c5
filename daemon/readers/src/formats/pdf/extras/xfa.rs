//! Forms in XML (XFA, ISO 32000-2, 12.7.8). Most are drawn on the pages as well. If not, the pages say that another
//! program is needed, and the text of the form is only in the XML.
//!
//! The template has the drawn text and the captions, the data sets have the filled-in values (XFA 3.3, parts "Template"
//! and "Data"). No script is run, no entity is resolved.

use std::io::Read;

use pdf_extract::{Dictionary, Document, Object, Stream};
use quick_xml::events::{BytesStart, Event};

use super::opened;
use crate::formats::lenient_xml;

/// Longest form that is read.
const MAX_BYTES: u64 = 32 << 20;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 1000;
/// Elements of the template with text that is not shown, or not as a caption.
const UNSEEN: &[&str] = &[
    "assist",
    "bind",
    "calculate",
    "desc",
    "event",
    "extras",
    "format",
    "items",
    "proto",
    "validate",
    "variables",
];
/// Elements of a value with a text.
const TEXTS: &[&str] = &[
    "text", "exData", "date", "dateTime", "time", "decimal", "float", "integer",
];
/// Elements of rich text (XHTML) that begin a line.
const LINES: &[&str] = &["p", "br", "div", "li", "tr"];

/// A text of a form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text drawn by the template, or the name of a field.
    Caption(String),
    /// A filled-in value.
    Value(String),
}

/// The joined parts of the form, each unpacked to at most its `limit`.
pub(super) fn xml(
    document: &Document,
    form: &Dictionary,
    limit: impl Fn(&Stream) -> u64,
) -> String {
    let parts = form.get_deref(b"XFA", document).ok();
    let parts = match parts {
        Some(Object::Array(parts)) => parts.iter().collect(),
        part => Vec::from_iter(part),
    };
    let mut xml = Vec::new();
    for part in parts {
        if let Ok((_, Object::Stream(stream))) = document.dereference(part) {
            let left = MAX_BYTES.saturating_sub(xml.len() as u64);
            let limit = limit(stream).min(left);
            // Damaged parts are read as far as possible.
            let _ = opened(stream).map(|bytes| bytes.take(limit).read_to_end(&mut xml));
        }
    }
    String::from_utf8_lossy(&xml).into_owned()
}

/// Number of entities that lead out of the file.
pub(super) fn ways_out(xml: &str) -> u64 {
    let entities = xml.split("<!ENTITY").skip(1).filter(|entity| {
        let head = entity.split('>').next().unwrap_or_default();
        head.contains("SYSTEM") || head.contains("PUBLIC")
    });
    entities.count() as u64
}

/// The texts of the form, in its order.
pub(super) fn pieces(xml: &str) -> Vec<Piece> {
    let mut reader = lenient_xml::reader(xml);
    let mut tree = Tree::default();
    while tree.open.len() <= MAX_DEPTH {
        match reader.read_event() {
            Ok(Event::Start(tag)) => tree.enter(&tag),
            Ok(Event::Empty(tag)) => {
                tree.enter(&tag);
                tree.leave();
            }
            Ok(Event::End(_)) => tree.leave(),
            Ok(Event::Text(text)) => tree.text += &text.xml10_content(),
            Ok(Event::CData(text)) => tree.text += &text.xml10_content(),
            Ok(Event::GeneralRef(name)) => {
                let character = name.resolve_char_ref().ok().flatten();
                let known = || quick_xml::escape::resolve_predefined_entity(&name.xml10_content());
                match character {
                    Some(character) => tree.text.push(character),
                    None => tree.text += known().unwrap_or_default(),
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    tree.pieces
}

/// What an element belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Nothing that is read.
    Unread,
    Template,
    /// A value of the template.
    Value,
    Text,
    DataSets,
    Data,
}

#[derive(Default)]
struct Tree {
    /// The open elements: what they are, and how many pieces there were when they began.
    open: Vec<(Part, usize)>,
    text: String,
    pieces: Vec<Piece>,
}

impl Tree {
    fn part(&self) -> Option<Part> {
        self.open.last().map(|(part, _)| *part)
    }

    fn enter(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name().into_inner();
        let (above, is_line) = (self.part(), LINES.contains(&name));
        if above != Some(Part::Text) {
            self.end_piece();
        } else if is_line && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        if above == Some(Part::Template) && name == "occur" && value(tag, "min") == "0" {
            self.drop_open();
        }
        let part = match above {
            _ if is_hidden(tag) => Part::Unread,
            None | Some(Part::Unread) => match name {
                "template" if self.open.len() < 2 => Part::Template,
                "datasets" if self.open.len() < 2 => Part::DataSets,
                _ => Part::Unread,
            },
            Some(Part::Template) if UNSEEN.contains(&name) => Part::Unread,
            Some(Part::Template) if name == "value" => Part::Value,
            Some(Part::Value) if TEXTS.contains(&name) => Part::Text,
            Some(Part::Value) => Part::Unread,
            Some(Part::DataSets) if name != "data" => Part::Unread,
            Some(Part::DataSets) => Part::Data,
            Some(part) => part,
        };
        self.open.push((part, self.pieces.len()));
    }

    fn leave(&mut self) {
        let below = self.open.len().checked_sub(2).map(|at| self.open[at].0);
        if self.part() != Some(Part::Text) || below != Some(Part::Text) {
            self.end_piece();
        }
        self.open.pop();
    }

    /// Leaves out the content of the open element: it is not shown until somebody adds it.
    fn drop_open(&mut self) {
        if let Some((part, pieces)) = self.open.last_mut() {
            *part = Part::Unread;
            self.pieces.truncate(*pieces);
        }
    }

    fn end_piece(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim().to_owned();
        match self.part() {
            _ if text.is_empty() => {}
            Some(Part::Text) => self.pieces.push(Piece::Caption(text)),
            Some(Part::Data) => self.pieces.push(Piece::Value(text)),
            _ => {}
        }
    }
}

fn is_hidden(tag: &BytesStart<'_>) -> bool {
    ["hidden", "inactive", "invisible"].contains(&value(tag, "presence").as_str())
}

fn value(tag: &BytesStart<'_>, name: &str) -> String {
    let attribute = tag.try_get_attribute(name).ok().flatten();
    attribute.map_or_else(String::new, |attribute| attribute.value.to_string())
}
