//! The wrapper in which Outlook sends messages by mail, `winmail.dat` [MS-OXTNEF].
//!
//! A stream of attributes: those of the message, then those of one attachment after the other. Most hold a bag of MAPI
//! properties; some older ones are single properties.

mod stream;

use super::super::{Reading, markup};
use super::message::{Attachment, Content, Message};
use super::properties::{Properties, Value, id, kind};
use crate::input::Input;
use crate::sink::Sink;
use simdex_extract::{Outcome, Reason};
use stream::{Attribute, Bag, Cursor};

/// The first bytes of every stream.
const SIGNATURE: u32 = 0x223e_9f78;
/// Object identifier of a message: `IID_IMessage` of Microsoft, 00020307-….
const MESSAGE_INTERFACE: &[u8] = &[
    0x07, 0x03, 0x02, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46,
];

/// Attributes [MS-OXTNEF §2.1.3.3] by number.
mod att {
    pub(super) const FROM: u16 = 0x8000;
    pub(super) const SUBJECT: u16 = 0x8004;
    pub(super) const DATE_SENT: u16 = 0x8005;
    pub(super) const DATE_RECEIVED: u16 = 0x8006;
    pub(super) const MESSAGE_CLASS: u16 = 0x8008;
    pub(super) const BODY: u16 = 0x800c;
    pub(super) const ATTACH_DATA: u16 = 0x800f;
    pub(super) const ATTACH_TITLE: u16 = 0x8010;
    pub(super) const ATTACH_MODIFIED: u16 = 0x8013;
    pub(super) const ATTACH_TRANSPORT_NAME: u16 = 0x9001;
    pub(super) const ATTACH_BEGIN: u16 = 0x9002;
    pub(super) const PROPERTIES: u16 = 0x9003;
    pub(super) const RECIPIENTS: u16 = 0x9004;
    pub(super) const ATTACHMENT: u16 = 0x9005;
    pub(super) const CODE_PAGE: u16 = 0x9007;
}

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, cut) = markup(input)?;
    let message = message(&bytes, 0, sink).ok_or(Outcome::Failed(Reason::Malformed))?;
    Ok(message.read(sink).or(cut))
}

/// The message of a stream; `None` if it is no TNEF stream.
fn message<'a>(bytes: &'a [u8], depth: u32, sink: &mut Sink) -> Option<Message<'a>> {
    let mut cursor = Cursor::new(bytes);
    if cursor.u32()? != SIGNATURE {
        return None;
    }
    cursor.u16()?; // A key of no use here.
    let mut parts = TnefContents::default();
    while cursor.has_room_for_attribute() {
        let Some(attribute) = Attribute::read(&mut cursor) else {
            parts.partial = Some(Reason::Damaged);
            break;
        };
        if !attribute.is_sound {
            parts.wrong_checksums += 1;
        }
        if parts.take(&attribute, sink).is_none() {
            parts.partial = parts.partial.or(Some(Reason::Damaged));
        }
    }
    if parts.wrong_checksums > 0 {
        let note = format!("{} attributes have a wrong checksum", parts.wrong_checksums);
        sink.warn(&note);
    }
    Some(parts.into_message(depth, sink))
}

/// The message made of the attributes read so far.
#[derive(Default)]
struct TnefContents<'a> {
    message: Properties,
    /// The older attributes; the properties are more accurate.
    older: Properties,
    recipients: Vec<Properties>,
    attachments: Vec<TnefAttachment<'a>>,
    code_page: Option<i32>,
    wrong_checksums: usize,
    partial: Option<Reason>,
}

/// An attachment, assembled from its attributes.
#[derive(Default)]
struct TnefAttachment<'a> {
    properties: Properties,
    data: Option<&'a [u8]>,
    /// Object, preceded by the identifier of its kind.
    object: Option<&'a [u8]>,
}

impl<'a> TnefContents<'a> {
    /// Adds an attribute; `None` if it is damaged.
    fn take(&mut self, attribute: &Attribute<'a>, sink: &Sink) -> Option<()> {
        let data = attribute.data;
        let many = sink.budgets().entries as usize;
        match attribute.id {
            att::CODE_PAGE => self.code_page = i32::try_from(Cursor::new(data).u32()?).ok(),
            att::SUBJECT => self.text(id::SUBJECT, data),
            att::BODY => self.text(id::BODY, data),
            att::MESSAGE_CLASS => self.text(id::MESSAGE_CLASS, data),
            att::FROM => self.sender(data)?,
            att::DATE_SENT => self.time(id::CLIENT_SUBMIT_TIME, data),
            att::DATE_RECEIVED => self.time(id::DELIVERY_TIME, data),
            att::PROPERTIES => {
                let mut bag = Bag::default();
                let read = bag.read(&mut Cursor::new(data));
                self.message.extend(bag.properties);
                read?;
            }
            att::RECIPIENTS => {
                let mut cursor = Cursor::new(data);
                for _ in 0..cursor.u32()?.min(sink.budgets().entries) {
                    let mut bag = Bag::default();
                    let read = bag.read(&mut cursor);
                    self.recipients.push(bag.properties);
                    read?;
                }
            }
            // Beyond the limit the last one receives the attributes of all others, without effect.
            att::ATTACH_BEGIN if self.attachments.len() >= many => {
                self.partial = Some(Reason::PartsLimit);
            }
            att::ATTACH_BEGIN => self.attachments.push(TnefAttachment::default()),
            _ => return self.take_attachment(attribute),
        }
        Some(())
    }

    /// Adds an attribute of an attachment. Some programs leave out the one that begins it.
    fn take_attachment(&mut self, attribute: &Attribute<'a>) -> Option<()> {
        let data = attribute.data;
        let is_known = matches!(
            attribute.id,
            att::ATTACH_DATA
                | att::ATTACH_TITLE
                | att::ATTACH_TRANSPORT_NAME
                | att::ATTACH_MODIFIED
                | att::ATTACHMENT
        );
        if is_known && self.attachments.is_empty() {
            self.attachments.push(TnefAttachment::default());
        }
        let Some(part) = self.attachments.last_mut() else {
            return Some(());
        };
        let mut text = |id| part.properties.parse(id, kind::NARROW, data);
        match attribute.id {
            att::ATTACH_TITLE => text(id::ATTACH_FILENAME),
            att::ATTACH_TRANSPORT_NAME => text(id::ATTACH_TRANSPORT_NAME),
            att::ATTACH_DATA => part.data = part.data.or(Some(data)),
            att::ATTACH_MODIFIED => {
                if let Some(seconds) = stream::date(data) {
                    part.properties.insert(id::MODIFIED, Value::Time(seconds));
                }
            }
            att::ATTACHMENT => {
                let mut bag = Bag::default();
                let read = bag.read(&mut Cursor::new(data));
                part.properties.extend(bag.properties);
                part.data = part.data.or(bag.data);
                part.object = part.object.or(bag.object);
                read?;
            }
            _ => {}
        }
        Some(())
    }

    fn text(&mut self, id: u16, data: &[u8]) {
        self.older.parse(id, kind::NARROW, data);
    }

    fn time(&mut self, id: u16, data: &[u8]) {
        if let Some(seconds) = stream::date(data) {
            self.older.insert(id, Value::Time(seconds));
        }
    }

    /// Sender: a kind, a length, those of name and address, then name and `TYPE:address`.
    fn sender(&mut self, data: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(data);
        cursor.u32()?;
        let (name, address) = (cursor.u16()?, cursor.u16()?);
        let name = cursor.take(name.into())?;
        let address = cursor.take(address.into()).unwrap_or_default();
        self.text(id::SENDER_NAME, name);
        if let Some(address) = address.strip_prefix(b"SMTP:") {
            self.text(id::SENDER_ADDRESS, address);
        }
        Some(())
    }

    fn into_message(mut self, depth: u32, sink: &mut Sink) -> Message<'a> {
        self.message.extend(self.older);
        self.message.settle(self.code_page, sink);
        let page = self.message.code_page().or(self.code_page);
        for recipient in &mut self.recipients {
            recipient.settle(page, sink);
        }
        let attachments = self.attachments.into_iter();
        let attachments = attachments.map(|mut part| {
            part.properties.settle(page, sink);
            Attachment {
                content: content(&part, depth, sink),
                properties: part.properties,
            }
        });
        Message {
            attachments: attachments.collect(),
            properties: self.message,
            recipients: self.recipients,
            partial: self.partial,
        }
    }
}

fn content<'a>(part: &TnefAttachment<'a>, depth: u32, sink: &mut Sink) -> Content<'a> {
    let object = part.object.or(part.data);
    let nested = object.and_then(|object| object.strip_prefix(MESSAGE_INTERFACE));
    if let Some(nested) = nested {
        if depth >= sink.budgets().mime_depth {
            return Content::Unread(Reason::DepthLimit);
        }
        return match message(nested, depth + 1, sink) {
            Some(message) => Content::Message(Box::new(message)),
            None => Content::Unread(Reason::Malformed),
        };
    }
    let inner = part
        .object
        .and_then(|object| object.get(MESSAGE_INTERFACE.len()..));
    match part.data.or(inner) {
        Some(data) => Content::Bytes(Box::new(data)),
        None if Attachment::is_reference(&part.properties) => Content::Elsewhere,
        None => Content::Unread(Reason::Damaged),
    }
}

#[cfg(test)]
mod tests;
