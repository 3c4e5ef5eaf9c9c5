//! Mail (RFC 5322, MIME RFC 2045 to 2049): subject, people and date, then the author's text.
//!
//! Attachments and attached messages are members; so is what the message quotes (`quote`). Of
//! several renderings of one text (`multipart/alternative`) one is read.

use mail_parser::{Address, HeaderName, HeaderValue, Message, PartType};
use simdex_extract::{Fact, Outcome, Reason, Role};

use super::{Reading, markup, quote};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

mod cms;
mod content;
mod nested;
mod parse;
mod parts;
mod repair;

pub(super) use content::{bytes_of, message_name};
pub(super) use parse::{parse, parse_head};
use parts::Parts;
pub(super) use repair::repaired;

pub(super) const PARSER: &str = "mail-parser 0.11.4";

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let bytes = repaired(bytes);
    let (message, bare) = parse(&bytes)?;
    let reading = read_message(&message, sink);
    drop_iteratively(message);
    Ok(reading?.or(bare).or(partial))
}

/// Drops a message. Messages may be nested thousands deep, and dropping them recursively would need as much stack.
pub(super) fn drop_iteratively(message: Message<'_>) {
    let mut left = vec![message];
    while let Some(message) = left.pop() {
        left.extend(
            message
                .parts
                .into_iter()
                .filter_map(|part| match part.body {
                    PartType::Message(nested) => Some(nested),
                    _ => None,
                }),
        );
    }
}

fn read_message(message: &Message<'_>, sink: &mut Sink) -> Reading {
    write_head(message, sink);
    let mut parts = Parts::new(sink);
    parts.read(message);
    let Parts {
        body,
        locked,
        partial,
        ..
    } = parts;
    if (!locked.is_empty() && body.trim().is_empty()) || is_armoured(&body) {
        return Err(Outcome::Encrypted(Reason::PasswordNeeded));
    }
    for name in &locked {
        sink.member_unread(name, Role::Attachment, None, Reason::PasswordNeeded);
    }
    sink.newline();
    Ok(quote::write_body(&body, sink).or(partial))
}

/// PGP without MIME: nothing but an encrypted block (RFC 9580 §6.2).
fn is_armoured(body: &str) -> bool {
    let body = body.trim();
    body.starts_with("-----BEGIN PGP MESSAGE-----") && body.ends_with("-----END PGP MESSAGE-----")
}

/// States who wrote what to whom, and writes the part of it that people read.
fn write_head(message: &Message<'_>, sink: &mut Sink) {
    let date = message.date().map(ToString::to_string).unwrap_or_default();
    if message.date().is_some_and(mail_parser::DateTime::is_valid) {
        sink.state(Fact::Sent, &date);
    }
    let subject = subject(message, sink);
    let lines = [
        ("Subject", Fact::Subject, subject),
        ("From", Fact::From, people(message, HeaderName::From, sink)),
        ("To", Fact::To, people(message, HeaderName::To, sink)),
        ("Cc", Fact::Cc, people(message, HeaderName::Cc, sink)),
    ];
    for (label, fact, value) in &lines {
        sink.state(*fact, value);
        write_line(label, value, sink);
    }
    write_line("Date", &date, sink);
    let hidden = people(message, HeaderName::Bcc, sink);
    sink.state(Fact::Bcc, &hidden);
    sink.state(Fact::MessageId, message.message_id().unwrap_or_default());
    let answered = message.in_reply_to();
    let answered = answered
        .as_text()
        .or_else(|| answered.as_text_list()?.first().map(AsRef::as_ref));
    sink.state(Fact::InReplyTo, answered.unwrap_or_default());
}

fn write_line(label: &str, value: &str, sink: &mut Sink) {
    if !value.is_empty() {
        sink.push(&format!("{label}: {value}\n"));
    }
}

/// The subject line, decoded.
pub(super) fn subject(message: &Message<'_>, sink: &mut Sink) -> String {
    let subject = message.subject().unwrap_or_default().to_owned();
    recoded(message, HeaderName::Subject, subject, sink)
}

/// `Name <address>, …`
fn people(message: &Message<'_>, name: HeaderName<'static>, sink: &mut Sink) -> String {
    let people = message
        .header(name.clone())
        .and_then(HeaderValue::as_address);
    recoded(message, name, people.map(names).unwrap_or_default(), sink)
}

fn names(people: &Address<'_>) -> String {
    let one = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.or(address).unwrap_or_default().to_owned(),
    };
    people.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `value`, or the field's bytes in the character set they seem to have: some programs write fields in the undeclared
/// character set of their country.
fn recoded(
    message: &Message<'_>,
    name: HeaderName<'static>,
    value: String,
    sink: &mut Sink,
) -> String {
    if !value.contains('\u{fffd}') {
        return value;
    }
    let header = message
        .headers()
        .iter()
        .rev()
        .find(|header| header.name == name);
    let raw = header.and_then(|header| {
        message
            .raw_message
            .get(header.offset_start as usize..header.offset_end as usize)
    });
    raw.map_or(value, |raw| charset::decode(raw.trim_ascii(), None, sink))
}

#[cfg(test)]
mod tests;
