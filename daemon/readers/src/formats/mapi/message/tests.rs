//! Messages made of properties, read as they are and as mail.

use simdex_extract::{Budgets, Fact, Role};

use super::super::super::eml;
use super::super::as_mail::as_mail;
use super::super::compressed_rtf::tests::pack;
use super::super::people::{self, Receiver};
use super::super::properties::Value;
use super::*;
use crate::input::input_of;
use crate::sink::Sink;
use crate::sink::collected::Collected;

fn bag(properties: &[(u16, &str)]) -> Properties {
    let mut bag = Properties::default();
    for (id, text) in properties {
        bag.insert(*id, Value::Text((*text).into()));
    }
    bag
}

fn person(name: &str, address: &str, kind: i64) -> Properties {
    let mut person = bag(&[
        (id::DISPLAY_NAME, name),
        (id::RECIPIENT_SMTP_ADDRESS, address),
    ]);
    person.insert(id::RECIPIENT_TYPE, Value::Integer(kind));
    person
}

fn attached<'a>(name: &str, content: Content<'a>) -> Attachment<'a> {
    Attachment {
        properties: bag(&[(id::ATTACH_LONG_FILENAME, name)]),
        content,
    }
}

/// An offer from Jörg to Ann, with copies.
fn offer(body: &[(u16, &str)]) -> Message<'static> {
    let mut properties = bag(&[
        (id::SUBJECT, "\u{1}\u{4}Re: Größe"),
        (id::SENT_REPRESENTING_NAME, "Jörg"),
        (id::SENT_REPRESENTING_SMTP_ADDRESS, "joerg@example.org"),
        (id::MESSAGE_ID, "<one@example.org>"),
    ]);
    properties.extend(bag(body));
    properties.insert(id::CLIENT_SUBMIT_TIME, Value::Time(1_795_251_600));
    Message {
        properties,
        recipients: vec![
            person("Ann", "ann@example.org", 1),
            person("'bob@example.org'", "bob@example.org", 0x1000_0002),
            person("Eve", "eve@example.org", 3),
        ],
        ..Message::default()
    }
}

const HEAD: &str = "Subject: Re: Größe\nFrom: Jörg <joerg@example.org>\nTo: Ann <ann@example.org>\n\
                    Cc: bob@example.org\nDate: 2026-11-21T09:00:00Z\n";

type FactList = Vec<(Fact, String)>;

fn read(message: Message<'_>) -> (String, Option<Reason>, Vec<Collected>, FactList) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    let partial = message.read(&mut sink);
    let facts = sink
        .facts()
        .iter()
        .map(|(fact, value)| (fact, value.to_owned()));
    let facts = facts.collect();
    (
        sink.take_text().replace('\r', ""),
        partial,
        members.take(),
        facts,
    )
}

fn mail_of(message: Message<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut mail, partial) = as_mail(message, &mut Sink::of(1 << 20));
    assert_eq!(partial, None);
    mail.read_to_end(&mut bytes).unwrap();
    bytes
}

/// The text and the members of a mail.
fn read_mail(mail: &[u8]) -> (String, Vec<Collected>) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    assert_eq!(eml::read(&input_of(mail), &mut sink), Ok(None));
    (sink.take_text().replace('\r', ""), members.take())
}

#[test]
fn head_and_body_are_text_and_the_head_is_facts_too() {
    let (text, partial, members, facts) = read(offer(&[(id::BODY, "The offer.\r\nYours")]));
    assert_eq!(text, format!("{HEAD}The offer.\nYours\n"));
    assert_eq!((partial, members), (None, vec![]));
    for (fact, value) in [
        (Fact::Subject, "Re: Größe"),
        (Fact::Author, "Jörg"),
        (Fact::Bcc, "Eve <eve@example.org>"),
        (Fact::Sent, "2026-11-21T09:00:00Z"),
        (Fact::MessageId, "one@example.org"),
    ] {
        assert!(facts.contains(&(fact, value.into())), "{fact} in {facts:?}");
    }
}

#[test]
fn plain_text_is_preferred_then_html_then_rtf() {
    let html = (id::HTML, "<p>in <b>HTML</b></p>");
    assert!(
        read(offer(&[(id::BODY, "in plain"), html]))
            .0
            .ends_with("\nin plain\n")
    );
    assert!(
        read(offer(&[(id::BODY, " \r\n"), html]))
            .0
            .ends_with("\nin HTML\n")
    );
    let mut message = offer(&[(id::HTML, "<p> </p>")]);
    let rtf = pack(b"{\\rtf1\\ansi in \\b RTF\\b0\\par}");
    message
        .properties
        .insert(id::RTF_COMPRESSED, Value::Binary(rtf));
    assert!(read(message).0.ends_with("\nin RTF\n"));
}

#[test]
fn quoted_text_is_a_member() {
    let body =
        "My own words here.\r\n\r\n-----Original Message-----\r\nFrom: Ann\r\n\r\nquoted text";
    let (text, _, members, _) = read(offer(&[(id::BODY, body)]));
    assert!(text.contains("My own words") && !text.contains("quoted text"));
    assert_eq!(members[0].role, Role::Quoted);
}

#[test]
fn as_mail_a_message_reads_the_same() {
    for body in [
        (
            id::BODY,
            "One line\r\n.\r\n--=_0\r\nFrom here on it could look like a boundary",
        ),
        (
            id::HTML,
            "<html><meta charset=iso-8859-1><body>Größe<br>and more",
        ),
    ] {
        let (text, ..) = read(offer(&[body]));
        let mail = mail_of(offer(&[body]));
        assert_eq!(read_mail(&mail).0.trim_end(), text.trim_end());
        assert_eq!(mail, mail_of(offer(&[body])));
    }
}

#[test]
fn as_mail_attachments_and_messages_within_are_kept() {
    let bytes: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[1]).collect();
    let mut inner = offer(&[(id::BODY, "The inner body")]);
    inner.attachments = vec![attached("in.bin", Content::Bytes(Box::new(&b"inside"[..])))];
    let mut outer = offer(&[(id::BODY, "The outer body")]);
    // The file follows the message, whose end must not be mistaken for the end of the whole.
    outer.attachments = vec![
        attached("", Content::Message(Box::new(inner))),
        attached(
            "Angebot/Größe.bin",
            Content::Bytes(Box::new(bytes.as_slice())),
        ),
    ];
    let mail = String::from_utf8(mail_of(outer)).unwrap();
    for end in ["\r\n--=_0--\r\n", "\r\n--=_1--\r\n"] {
        assert_eq!(mail.matches(end).count(), 1, "{mail}");
    }
    let (text, members) = read_mail(mail.as_bytes());
    assert!(text.contains("The outer body") && !text.contains("The inner body"));
    let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["Re: Größe.eml", "Angebot_Größe.bin"]);
    assert_eq!(members[1].bytes, bytes);
    let (text, members) = read_mail(&members[0].bytes);
    assert!(text.contains("The inner body"));
    assert_eq!(
        (members[0].name.as_str(), members[0].bytes.as_slice()),
        ("in.bin", &b"inside"[..])
    );
}

#[test]
fn nothing_in_a_message_can_add_a_header_field() {
    let evil = "x\r\nBcc: all@example.org\r\n\r\nbody <a@b>\"";
    let mut message = Message {
        properties: bag(&[
            (id::SUBJECT, evil),
            (id::SENDER_NAME, evil),
            (id::SENDER_SMTP_ADDRESS, "a@b>\r\nTo: c@d"),
            (id::MESSAGE_ID, "<i@d>\r\nCc: e@f"),
        ]),
        ..Message::default()
    };
    message.attachments = vec![attached(evil, Content::Bytes(Box::new(&b"x"[..])))];
    let mail = String::from_utf8(mail_of(message)).unwrap();
    for line in mail.lines() {
        let is_added = ["Bcc:", "To:", "Cc:"]
            .iter()
            .any(|name| line.starts_with(name));
        assert!(!is_added, "{line}");
    }
    assert!(mail.starts_with("Subject: =?utf-8?B?"));
}

#[test]
fn attachments_are_members_and_what_cannot_be_had_is_told() {
    let mut message = offer(&[(id::BODY, "b")]);
    message.attachments = vec![
        attached("a.txt", Content::Bytes(Box::new(&b"abc"[..]))),
        attached("far.txt", Content::Elsewhere),
        attached("", Content::Unread(Reason::Damaged)),
    ];
    let (_, partial, members, facts) = read(message);
    assert_eq!(partial, Some(Reason::PartsFailed));
    let heads: Vec<_> = members
        .iter()
        .map(|m| (m.name.as_str(), m.role, m.unread))
        .collect();
    assert_eq!(
        heads,
        [
            ("a.txt", Role::Attachment, None),
            ("attachment 3", Role::Attachment, Some(Reason::Damaged))
        ]
    );
    assert!(facts.contains(&(Fact::External, "1".into())));
}

#[test]
fn the_fields_it_came_with_tell_date_and_identifiers() {
    let headers = "Date: Sat, 21 Nov 2026 10:00:00 +0100\r\nMessage-ID: <two@example.org>\r\n\
                   In-Reply-To: <zero@example.org>\r\n\r\n";
    let message = Message {
        properties: bag(&[(id::TRANSPORT_HEADERS, headers)]),
        ..Message::default()
    };
    assert_eq!(
        message.sent().unwrap().to_rfc3339(),
        "2026-11-21T10:00:00+01:00"
    );
    assert_eq!(message.message_id().as_deref(), Some("two@example.org"));
    assert_eq!(message.in_reply_to().as_deref(), Some("zero@example.org"));
}

#[test]
fn people_without_an_address_of_the_internet_are_names() {
    let mut message = Message {
        properties: bag(&[
            (id::SENDER_NAME, "Ann"),
            (id::SENDER_ADDRESS, "/o=x/cn=ann@home"),
            (id::SENDER_ADDRESS_TYPE, "EX"),
            (id::DISPLAY_TO, "Bob; eve@example.org"),
        ]),
        ..Message::default()
    };
    assert_eq!(message.sender().unwrap().shown(), "Ann");
    assert_eq!(
        people::shown(&message.receivers(Receiver::To)),
        "Bob, eve@example.org"
    );
    message.recipients = vec![person("Cy", "", 1)];
    assert_eq!(people::shown(&message.receivers(Receiver::To)), "Cy");
}

#[test]
fn fields_of_a_contact_are_text_once() {
    let fields = [
        (id::MESSAGE_CLASS, "IPM.Contact"),
        (id::DISPLAY_NAME, "Ann Example"),
        (0x3a16, "Example Ltd"),
        (0x3a15, "1 Long Road\r\nTown"),
        (0x3a27, "Town"),
    ];
    let (text, ..) = read(Message {
        properties: bag(&fields),
        ..Message::default()
    });
    assert_eq!(text, "Ann Example\nExample Ltd\n1 Long Road\nTown\n");
    assert!(!read(offer(&fields[1..])).0.contains("Example Ltd"));
}
