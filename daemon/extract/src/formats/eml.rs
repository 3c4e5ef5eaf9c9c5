//! Mail (RFC 5322, MIME): subject, people and date, then the text as a reader would choose it.

use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::{Reading, html, markup};
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, Reason};

pub(super) const ENGINE: &str = "mail-parser 0.11.4";

/// Messages within messages.
const MAX_NESTING: usize = 20;
/// Parts of one file, nested messages included.
const MAX_PARTS: usize = 1000;

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let message = MessageParser::default().parse(&bytes);
    let message = message.ok_or(Outcome::Failed(Reason::Malformed))?;
    let mut writer = Writer {
        sink,
        parts: 0,
        unread: 0,
        partial,
    };
    writer.message(&message, 0);
    if writer.unread > 0 {
        let note = format!("{} attachments were not read", writer.unread);
        writer.sink.warn(&note);
    }
    Ok(writer.partial)
}

struct Writer<'a> {
    sink: &'a mut Sink,
    parts: usize,
    /// Attachments whose content is not in the text.
    unread: usize,
    partial: Option<Reason>,
}

impl Writer<'_> {
    fn message(&mut self, message: &Message<'_>, depth: usize) {
        // A nested part that is no message at all has none, and no headers to ask for.
        if message.parts.is_empty() {
            self.sink
                .push(&String::from_utf8_lossy(message.raw_message()));
            return;
        }
        self.headers(message);
        self.sink.newline();
        // Plain text where there is a choice; the parser lists HTML parts that have none.
        for &part in &message.text_body {
            if let Some(part) = message.part(part) {
                self.part(message, part, depth);
            }
        }
        for part in message.attachments() {
            self.attachment(message, part, depth);
        }
    }

    fn headers(&mut self, message: &Message<'_>) {
        self.line("Subject", message.subject().unwrap_or_default());
        for (name, people) in [
            ("From", message.from()),
            ("To", message.to()),
            ("Cc", message.cc()),
        ] {
            self.line(name, &people.map(names).unwrap_or_default());
        }
        self.line(
            "Date",
            &message.date().map(ToString::to_string).unwrap_or_default(),
        );
    }

    fn line(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.sink.push(&format!("{name}: {value}\n"));
        }
    }

    fn part(&mut self, message: &Message<'_>, part: &MessagePart<'_>, depth: usize) {
        if self.too_many() {
            return;
        }
        self.sink.newline();
        match &part.body {
            PartType::Text(text) => self.sink.push(text),
            PartType::Html(text) => html::write_text(text, self.sink),
            // What is called a message and is none has no parts, and no headers to ask for.
            PartType::Message(nested) if nested.parts.is_empty() => {
                let bytes = part.offset_body as usize..part.offset_end as usize;
                let raw = message.raw_message.get(bytes).unwrap_or_default();
                self.sink.push(&String::from_utf8_lossy(raw));
            }
            PartType::Message(nested) => self.nested(nested, depth),
            PartType::Binary(_) | PartType::InlineBinary(_) => self.unread += 1,
            PartType::Multipart(_) => {}
        }
    }

    fn attachment(&mut self, message: &Message<'_>, part: &MessagePart<'_>, depth: usize) {
        match &part.body {
            PartType::Message(_) => self.part(message, part, depth),
            // Text that is no file of its own belongs to the message.
            PartType::Text(_) if part.attachment_name().is_none() => {
                self.part(message, part, depth)
            }
            _ => self.unread += 1,
        }
    }

    fn nested(&mut self, message: &Message<'_>, depth: usize) {
        if depth < MAX_NESTING {
            self.message(message, depth + 1);
        } else {
            self.partial = Some(Reason::DepthLimit);
        }
    }

    fn too_many(&mut self) -> bool {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            self.partial = Some(Reason::PartsLimit);
        }
        self.parts > MAX_PARTS
    }
}

/// `Name <address>, …`
fn names(people: &Address<'_>) -> String {
    let one = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.or(address).unwrap_or_default().to_owned(),
    };
    people.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::input_of;

    fn text(mail: &str) -> (String, Option<Reason>, Vec<String>) {
        let mut sink = Sink::of(1 << 20);
        let partial = read(&input_of(mail.replace('\n', "\r\n").as_bytes()), &mut sink).unwrap();
        (
            sink.take_text().replace('\r', ""),
            partial,
            sink.into_remarks().0,
        )
    }

    const HEADERS: &str = "From: =?utf-8?q?J=C3=B6rg?= <joerg@example.org>\nTo: b@example.org\n\
                           Subject: Offer\nDate: Sat, 21 Nov 2026 09:00:00 +0100\nMIME-Version: 1.0\n";

    #[test]
    fn headers_then_body_decoded() {
        let mail = format!(
            "{HEADERS}Content-Type: text/plain; charset=iso-8859-1\n\
             Content-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n"
        );
        let (text, partial, _) = text(&mail);
        let want = "Subject: Offer\nFrom: Jörg <joerg@example.org>\nTo: b@example.org\n\
                    Date: 2026-11-21T09:00:00+01:00\nGrüße\n";
        assert_eq!((text.as_str(), partial), (want, None));
    }

    #[test]
    fn plain_text_is_preferred_and_html_is_read_where_alone() {
        let part = |kind: &str, body: &str| format!("--x\nContent-Type: text/{kind}\n\n{body}\n");
        let start = format!("{HEADERS}Content-Type: multipart/alternative; boundary=x\n\n");
        let both = format!(
            "{start}{}{}--x--\n",
            part("plain", "plain one"),
            part("html", "<p>html")
        );
        assert!(text(&both).0.contains("plain one") && !text(&both).0.contains("html"));
        let alone = format!("{start}{}--x--\n", part("html", "<p>only <b>html</b></p>"));
        assert!(text(&alone).0.contains("only html"));
    }

    #[test]
    fn nested_messages_are_read_and_files_are_noted() {
        let mail = format!(
            "{HEADERS}Content-Type: multipart/mixed; boundary=x\n\n--x\n\nouter\n\
             --x\nContent-Type: message/rfc822\n\nSubject: inner\n\ninner body\n\
             --x\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\n%PDF\n--x--\n"
        );
        let (text, partial, warnings) = text(&mail);
        for piece in ["outer", "Subject: inner", "inner body"] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
        assert_eq!(
            (partial, warnings),
            (None, vec!["1 attachments were not read".to_owned()])
        );
    }

    #[test]
    fn a_nested_part_that_is_no_message_is_read_as_it_stands() {
        let mail = "Subject: s\nFrom: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n\
                    --x\n\nhello\n--x\nContent-Type: message/rfc822\n\nno message, sorry!\n--x--\n";
        let (text, partial, _) = text(mail);
        assert!(
            text.contains("hello") && text.contains("no message, sorry!"),
            "{text}"
        );
        assert_eq!(partial, None);
    }

    #[test]
    fn messages_nested_without_end_are_partial() {
        let nested = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(500);
        let (text, partial, _) = text(&format!("{nested}Subject: last\n\nbody"));
        assert_eq!(partial, Some(Reason::DepthLimit));
        assert!(!text.contains("body"));
    }

    #[test]
    fn parts_beyond_the_limit_are_partial() {
        let parts = "--x\nContent-Type: text/plain\n\np\n".repeat(MAX_PARTS + 10);
        let start = "Content-Type: multipart/mixed; boundary=x\n\n";
        let (text, partial, _) = text(&format!("{HEADERS}{start}{parts}--x--\n"));
        assert_eq!(partial, Some(Reason::PartsLimit));
        assert!(text.matches("\np").count() <= MAX_PARTS);
    }
}
