//! A message as mail (RFC 5322, MIME), for messages inside others: the same message gives the same
//! bytes wherever it is stored, and the daemon reads it like any mail.
//!
//! It is produced while it is read: texts are in memory, attachments are encoded on the fly. Everything except nested
//! messages is in base64, so that no line of it can look like a boundary.

use std::collections::VecDeque;
use std::fmt::Write;
use std::io::{self, Cursor, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use simdex_extract::{Fact, Reason};

use super::body::Body;
use super::message::{Attachment, Content, Message};
use super::people::{Person, Receiver};
use crate::sink::Sink;

/// Bytes in a line of base64, before encoding.
const LINE_BYTES: usize = 57;
/// Lines encoded at once.
const LINES: usize = 512;
/// Bytes of an encoded word of a header field, before encoding (RFC 2047 §2).
const WORD_BYTES: usize = 42;

/// The message as mail, and why it is incomplete.
pub(super) fn as_mail<'a>(message: Message<'a>, sink: &mut Sink) -> (Mail<'a>, Option<Reason>) {
    let mut writer = Writer {
        pieces: VecDeque::new(),
        text: String::new(),
        partial: None,
        sink,
    };
    writer.message(message, 0);
    writer.end_text();
    (Mail(writer.pieces), writer.partial)
}

/// Reads the pieces one after the other.
pub(super) struct Mail<'a>(VecDeque<Box<dyn Read + 'a>>);

impl Read for Mail<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(piece) = self.0.front_mut() {
            match piece.read(buffer)? {
                0 if !buffer.is_empty() => self.0.pop_front(),
                count => return Ok(count),
            };
        }
        Ok(0)
    }
}

struct Writer<'a, 's> {
    pieces: VecDeque<Box<dyn Read + 'a>>,
    /// Text after the last piece.
    text: String,
    partial: Option<Reason>,
    sink: &'s mut Sink,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, message: Message<'a>, depth: u32) {
        self.partial = self.partial.or(message.partial);
        self.head(&message);
        let (body, cut) = message.body(self.sink);
        self.partial = self.partial.or(cut);
        let body = with_fields(body, &message.fields());
        if message.attachments.is_empty() {
            self.body(&body);
            return;
        }
        // Each level has its own boundary; `=_` never occurs in base64.
        let boundary = format!("=_{depth}");
        self.line(&format!(
            "Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n"
        ));
        self.line(&format!("--{boundary}"));
        self.body(&body);
        for (number, attachment) in message.attachments.into_iter().enumerate() {
            self.attachment(attachment, number + 1, &boundary, depth);
        }
        self.line(&format!("--{boundary}--"));
    }

    fn head(&mut self, message: &Message<'_>) {
        self.field("Subject", &words(&message.subject()));
        self.people("From", &message.sender().into_iter().collect::<Vec<_>>());
        self.people("To", &message.receivers(Receiver::To));
        self.people("Cc", &message.receivers(Receiver::Cc));
        self.people("Bcc", &message.receivers(Receiver::Bcc));
        let date = message.sent().map(|sent| sent.to_rfc822());
        self.field("Date", &date.unwrap_or_default());
        for (name, id) in [
            ("Message-ID", message.message_id()),
            ("In-Reply-To", message.in_reply_to()),
        ] {
            let id = id.map(|id| graphic(&id)).filter(|id| !id.is_empty());
            self.field(name, &id.map(|id| format!("<{id}>")).unwrap_or_default());
        }
        self.line("MIME-Version: 1.0");
    }

    fn people(&mut self, name: &str, people: &[Person]) {
        let people: Vec<_> = people.iter().map(mailbox).collect();
        self.field(name, &people.join(",\r\n "));
    }

    fn field(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.line(&format!("{name}: {value}"));
        }
    }

    fn body(&mut self, body: &Body) {
        let (kind, text) = match body {
            Body::Plain(text) => ("plain", text),
            Body::Html(page) => ("html", page),
        };
        self.line(&format!("Content-Type: text/{kind}; charset=utf-8"));
        self.base64(Box::new(Cursor::new(text.clone().into_bytes())));
    }

    fn attachment(&mut self, part: Attachment<'a>, number: usize, boundary: &str, depth: u32) {
        let name = part.name(number);
        let kind = match &part.content {
            Content::Message(_) => "message/rfc822",
            Content::Bytes(_) => "application/octet-stream",
            Content::Elsewhere => {
                self.sink.count(Fact::External, 1);
                return;
            }
            Content::Unread(_) => {
                self.partial = self.partial.or(Some(Reason::PartsFailed));
                return;
            }
        };
        self.line(&format!("--{boundary}\r\nContent-Type: {kind}"));
        let name = percent_encoded(&name);
        self.line(&format!(
            "Content-Disposition: attachment; filename*=utf-8''{name}"
        ));
        match part.content {
            Content::Bytes(bytes) => self.base64(bytes),
            Content::Message(message) => {
                self.line("");
                self.message(*message, depth + 1);
            }
            Content::Elsewhere | Content::Unread(_) => {}
        }
    }

    /// Ends the head of a part and writes its content.
    fn base64(&mut self, bytes: Box<dyn Read + 'a>) {
        self.line("Content-Transfer-Encoding: base64\r\n");
        self.end_text();
        self.pieces.push_back(Box::new(Base64::new(bytes)));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str("\r\n");
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text).into_bytes();
        self.pieces.push_back(Box::new(Cursor::new(text)));
    }
}

/// The body followed by the fields of a contact.
fn with_fields(body: Option<Body>, fields: &str) -> Body {
    match body {
        Some(Body::Plain(text)) if !fields.is_empty() => Body::Plain(format!("{text}\r\n{fields}")),
        Some(body) => body,
        None => Body::Plain(fields.to_owned()),
    }
}

/// Base64 lines of another reader's bytes.
struct Base64<R> {
    inner: R,
    encoded: Cursor<Vec<u8>>,
}

impl<R: Read> Base64<R> {
    fn new(inner: R) -> Self {
        Self {
            inner,
            encoded: Cursor::default(),
        }
    }

    fn encode_more(&mut self) -> io::Result<()> {
        let mut raw = Vec::new();
        let max_bytes = (LINE_BYTES * LINES) as u64;
        self.inner.by_ref().take(max_bytes).read_to_end(&mut raw)?;
        let mut lines = String::new();
        for line in raw.chunks(LINE_BYTES) {
            STANDARD.encode_string(line, &mut lines);
            lines.push_str("\r\n");
        }
        self.encoded = Cursor::new(lines.into_bytes());
        Ok(())
    }
}

impl<R: Read> Read for Base64<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.encoded.position() == self.encoded.get_ref().len() as u64 {
            self.encode_more()?;
        }
        self.encoded.read(buffer)
    }
}

/// A value of a header field: unchanged if that is safe, otherwise in encoded words (RFC 2047).
fn words(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain && value.len() < 900 && !value.contains("=?") {
        return value.to_owned();
    }
    let mut words = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let cut = rest.floor_char_boundary(WORD_BYTES);
        words.push(format!("=?utf-8?B?{}?=", STANDARD.encode(&rest[..cut])));
        rest = &rest[cut..];
    }
    words.join("\r\n ")
}

/// A person in an address field: the name quoted or in encoded words, the address in angle brackets.
fn mailbox(person: &Person) -> String {
    let encoded = words(&person.name);
    let name = if encoded == person.name && !encoded.is_empty() {
        format!("\"{}\"", encoded.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        encoded
    };
    let address = graphic(&person.address);
    match (name.is_empty(), address.is_empty()) {
        (_, true) => name,
        (true, false) => format!("<{address}>"),
        (false, false) => format!("{name} <{address}>"),
    }
}

/// Only characters that cannot end an address or a line.
fn graphic(value: &str) -> String {
    let is_safe = |c: &char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"');
    value.chars().filter(is_safe).collect()
}

/// A value of a parameter (RFC 2231 §4).
fn percent_encoded(value: &str) -> String {
    let mut encoded = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
