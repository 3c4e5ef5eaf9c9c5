//! Single messages as Outlook saves them [MS-OXMSG].
//!
//! A compound file: a storage for the message, with one for each recipient and each attachment in it. Values of fixed
//! size are together in one stream of their storage; each of the others is a stream named by its number and type.

use std::io;

use simdex_extract::{Outcome, Reason};

use super::super::Reading;
use super::message::{Attachment, Content, Message};
use super::properties::{Properties, id, is_used, kind};
use crate::compound::{self, Compound};
use crate::input::Input;
use crate::sink::Sink;

/// Values of fixed size.
const PROPERTIES: &str = "__properties_version1.0";
/// Bytes before the first of them: in a message, in a nested message, anywhere else [§2.4.1].
const HEADERS: [usize; 3] = [32, 24, 8];
/// A value; its number and type follow in hexadecimal digits.
const VALUE: &str = "__substg1.0_";
const RECIPIENT: &str = "__recip_version1.0_";
const ATTACHMENT: &str = "__attach_version1.0_";
/// The storage of an attachment that is an object.
const OBJECT: &str = "__substg1.0_3701000D";
/// Streams of other programs' objects that contain their file unchanged.
const FILES: [&str; 2] = ["Package", "CONTENTS"];

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let file = Compound::open(input)?;
    if file.child(compound::ROOT, PROPERTIES).is_none() {
        return Err(Outcome::Failed(Reason::Malformed));
    }
    let mut reader = Messages { file: &file, sink };
    let message = reader.message(compound::ROOT, None, 0);
    Ok(message.read(sink))
}

struct Messages<'a, 's> {
    file: &'a Compound<'a>,
    sink: &'s mut Sink,
}

impl<'a> Messages<'a, '_> {
    fn message(&mut self, storage: usize, inherited: Option<i32>, depth: u32) -> Message<'a> {
        let header = HEADERS[usize::from(depth > 0)];
        let (properties, mut partial) = self.properties(storage, header, inherited);
        let page = properties.code_page().or(inherited);
        let mut recipients = Vec::new();
        for storage in self.parts(storage, RECIPIENT) {
            let (recipient, cut) = self.properties(storage, HEADERS[2], page);
            partial = partial.or(cut);
            recipients.push(recipient);
        }
        let attachments = self.parts(storage, ATTACHMENT);
        let attachments = attachments.into_iter();
        Message {
            attachments: attachments
                .map(|part| self.attachment(part, page, depth))
                .collect(),
            properties,
            recipients,
            partial,
        }
    }

    /// Storages whose names have this prefix, by their number.
    fn parts(&self, storage: usize, prefix: &str) -> Vec<usize> {
        let name = |number: usize| self.file.entry(number).name.as_str();
        let children = self.file.children(storage).iter().copied();
        let mut parts: Vec<_> = children
            .filter(|&part| name(part).starts_with(prefix))
            .collect();
        parts.sort_by(|a, b| name(*a).cmp(name(*b)));
        parts.truncate(self.sink.budgets().entries as usize);
        parts
    }

    /// The properties of a storage, and why they are incomplete.
    fn properties(
        &mut self,
        storage: usize,
        header: usize,
        inherited: Option<i32>,
    ) -> (Properties, Option<Reason>) {
        let mut properties = Properties::default();
        let mut partial = None;
        for &child in self.file.children(storage) {
            let name = &self.file.entry(child).name;
            let tag = tag(name).filter(|(id, kind)| is_used(*id, *kind));
            if tag.is_none() && !name.eq_ignore_ascii_case(PROPERTIES) {
                continue;
            }
            let (bytes, cut) = self.file.read(child, self.sink.budgets().entry_bytes);
            partial = partial.or(cut);
            match tag {
                Some((id, kind)) => properties.parse(id, kind, &bytes),
                None => fixed(&mut properties, bytes.get(header..).unwrap_or_default()),
            }
        }
        properties.settle(inherited, self.sink);
        (properties, partial)
    }

    fn attachment(&mut self, storage: usize, page: Option<i32>, depth: u32) -> Attachment<'a> {
        let (properties, cut) = self.properties(storage, HEADERS[2], page);
        let data = format!("{VALUE}{:04X}{:04X}", id::ATTACH_DATA, kind::BINARY);
        let content = if let Some(object) = self.file.child(storage, OBJECT) {
            self.object(object, page, depth)
        } else if let Some(data) = self.file.child(storage, &data) {
            Content::Bytes(Box::new(self.file.stream(data)))
        } else if Attachment::is_reference(&properties) {
            Content::Elsewhere
        } else {
            Content::Unread(cut.unwrap_or(Reason::Damaged))
        };
        Attachment {
            properties,
            content,
        }
    }

    /// A nested message, or an object of another program.
    fn object(&mut self, storage: usize, page: Option<i32>, depth: u32) -> Content<'a> {
        if self.file.child(storage, PROPERTIES).is_some() {
            if depth >= self.sink.budgets().mime_depth {
                return Content::Unread(Reason::DepthLimit);
            }
            return Content::Message(Box::new(self.message(storage, page, depth + 1)));
        }
        let file = FILES.iter().find_map(|name| self.file.child(storage, name));
        if let Some(file) = file {
            return Content::Bytes(Box::new(self.file.stream(file)));
        }
        let limit = self.sink.budgets().entry_bytes;
        let (bytes, cut) = compound::write::storage(self.file, storage, limit);
        match cut {
            Some(reason) => Content::Unread(reason),
            None => Content::Bytes(Box::new(io::Cursor::new(bytes))),
        }
    }
}

/// Number and type of a value, from the name of its stream. Those of many values have longer names.
fn tag(name: &str) -> Option<(u16, u16)> {
    let (id, kind) = name.strip_prefix(VALUE)?.split_at_checked(4)?;
    let number = |digits| u16::from_str_radix(digits, 16).ok();
    (kind.len() == 4).then_some((number(id)?, number(kind)?))
}

/// Values of fixed size: tag, flags, eight bytes [§2.4.2.1].
fn fixed(properties: &mut Properties, bytes: &[u8]) {
    for entry in bytes.as_chunks::<16>().0 {
        let [kind_low, kind_high, id_low, id_high, ..] = *entry;
        let kind = u16::from_le_bytes([kind_low, kind_high]);
        let is_fixed = !matches!(
            kind,
            kind::NARROW | kind::WIDE | kind::BINARY | kind::OBJECT
        );
        if is_fixed {
            properties.parse(u16::from_le_bytes([id_low, id_high]), kind, &entry[8..]);
        }
    }
}

#[cfg(test)]
mod tests;
