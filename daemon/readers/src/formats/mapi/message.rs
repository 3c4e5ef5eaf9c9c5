//! A message, however it is stored: its properties, those of its recipients, and its attachments.

use std::io::Read;

use mail_parser::{DateTime, Message as Mail};
use simdex_extract::Reason;

use super::super::eml;
use super::properties::{Properties, id};

/// A message of a MSG, TNEF or PST file, before it is written as mail.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub(super) properties: Properties,
    pub(super) recipients: Vec<Properties>,
    pub(super) attachments: Vec<Attachment<'a>>,
    /// Why the fields above are incomplete.
    pub(super) partial: Option<Reason>,
}

/// An attachment of a message.
pub(super) struct Attachment<'a> {
    pub(super) properties: Properties,
    pub(super) content: Content<'a>,
}

/// The content of an attachment; bytes are read only when they are asked for.
pub(super) enum Content<'a> {
    Bytes(Box<dyn Read + 'a>),
    Message(Box<Message<'a>>),
    /// It is stored elsewhere: the message only says where.
    Elsewhere,
    Unread(Reason),
}

/// Methods of attaching [MS-OXCMSG §2.2.2.9] that are references of one kind or another.
const REFERENCES: [i32; 4] = [2, 3, 4, 7];

impl Attachment<'_> {
    /// Its name as a label: that of its file, otherwise the displayed one, otherwise its number.
    pub(super) fn name(&self, ordinal: usize) -> String {
        let names = [
            id::ATTACH_LONG_FILENAME,
            id::ATTACH_FILENAME,
            id::ATTACH_TRANSPORT_NAME,
            id::DISPLAY_NAME,
        ];
        let own = names.iter().find_map(|id| self.properties.text(*id));
        let inner = match &self.content {
            Content::Message(message) => Some(message.subject()),
            _ => None,
        };
        let name = own.map(str::to_owned).or(inner).unwrap_or_default();
        let mut name = label(&name);
        if name.is_empty() {
            name = format!("attachment {ordinal}");
        }
        if matches!(self.content, Content::Message(_)) && !name.ends_with(".eml") {
            name.push_str(".eml");
        }
        name
    }

    /// Whether it is stored elsewhere.
    pub(super) fn is_reference(properties: &Properties) -> bool {
        let method = properties.number(id::ATTACH_METHOD);
        method.is_some_and(|method| REFERENCES.contains(&method))
    }
}

/// Longest part of a name, in characters.
const MAX_LABEL_CHARS: usize = 120;

/// `name` as one part of a member's name: a line without slashes.
pub(super) fn label(name: &str) -> String {
    let clean = name.chars().filter(|c| !c.is_control());
    let clean: String = clean.take(MAX_LABEL_CHARS).collect();
    clean.trim().replace('/', "_")
}

impl Message<'_> {
    /// The subject line.
    pub(super) fn subject(&self) -> String {
        let properties = &self.properties;
        let joined = || {
            let prefix = properties.text(id::SUBJECT_PREFIX).unwrap_or_default();
            let rest = properties.text(id::NORMALIZED_SUBJECT)?;
            Some(format!("{prefix}{rest}"))
        };
        let subject = properties.text(id::SUBJECT).map(without_prefix_length);
        let subject = subject.map(str::to_owned).or_else(joined);
        subject.unwrap_or_default().trim().to_owned()
    }

    /// When it was sent: from its mail header, with the sender's time zone; otherwise from the store.
    pub(super) fn sent(&self) -> Option<DateTime> {
        self.with_mail(|mail| mail.date().cloned().filter(DateTime::is_valid))
            .or_else(|| self.properties.time(id::CLIENT_SUBMIT_TIME))
            .or_else(|| self.properties.time(id::DELIVERY_TIME))
    }

    pub(super) fn message_id(&self) -> Option<String> {
        let own = self.properties.text(id::MESSAGE_ID).map(bare_id);
        own.or_else(|| self.with_mail(|mail| mail.message_id().map(str::to_owned)))
    }

    pub(super) fn in_reply_to(&self) -> Option<String> {
        let own = self.properties.text(id::IN_REPLY_TO).map(bare_id);
        own.or_else(|| self.with_mail(|mail| Some(mail.in_reply_to().as_text()?.to_owned())))
    }

    /// Reads the header fields that the message came with, if it has them.
    fn with_mail<T>(&self, ask: impl FnOnce(&Mail<'_>) -> Option<T>) -> Option<T> {
        let headers = self.properties.text(id::TRANSPORT_HEADERS)?;
        ask(&eml::parse_head(headers.as_bytes())?)
    }
}

/// Mailboxes put two characters before a subject: U+0001 and the length of its prefix.
fn without_prefix_length(subject: &str) -> &str {
    let Some(rest) = subject.strip_prefix('\u{1}') else {
        return subject;
    };
    let mut characters = rest.chars();
    characters.next();
    characters.as_str()
}

fn bare_id(id: &str) -> String {
    id.trim()
        .trim_start_matches('<')
        .trim_end_matches('>')
        .to_owned()
}

#[cfg(test)]
mod tests;
