//! Messages as programs write them, and as attackers do.

use simdex_extract::{Budgets, Role};

use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;

struct Answer {
    reading: Reading,
    text: String,
    sink: Sink,
    members: Vec<Collected>,
}

fn answer(bytes: &[u8]) -> Answer {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    let reading = read(&input_of(bytes), &mut sink);
    Answer {
        reading,
        text: sink.take_text().replace('\r', ""),
        sink,
        members: members.take(),
    }
}

fn mail(mail: &str) -> Answer {
    answer(mail.replace('\n', "\r\n").as_bytes())
}

const HEADERS: &str = "From: =?utf-8?q?J=C3=B6rg?= <joerg@example.org>\nTo: b@example.org\n\
                       Subject: Offer\nDate: Sat, 21 Nov 2026 09:00:00 +0100\nMIME-Version: 1.0\n";

fn multipart(kind: &str, parts: &[&str]) -> String {
    let parts: String = parts.iter().map(|part| format!("--x\n{part}\n")).collect();
    format!("{HEADERS}Content-Type: multipart/{kind}; boundary=x\n\n{parts}--x--\n")
}

/// The text below the head.
fn body(text: &str) -> &str {
    text.split_once("+01:00\n")
        .map_or(text, |(_, body)| body)
        .trim_end()
}

#[test]
fn headers_then_body_decoded() {
    let answer = mail(&format!(
        "{HEADERS}Message-ID: <1@x>\nIn-Reply-To: <0@x>\nBcc: c@example.org\n\
         Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n"
    ));
    let want = "Subject: Offer\nFrom: Jörg <joerg@example.org>\nTo: b@example.org\n\
                Date: 2026-11-21T09:00:00+01:00\nGrüße\n";
    assert_eq!((answer.text.as_str(), answer.reading), (want, Ok(None)));
    for (fact, value) in [
        (Fact::Subject, "Offer"),
        (Fact::From, "Jörg <joerg@example.org>"),
        (Fact::To, "b@example.org"),
        (Fact::Bcc, "c@example.org"),
        (Fact::Sent, "2026-11-21T09:00:00+01:00"),
        (Fact::MessageId, "1@x"),
        (Fact::InReplyTo, "0@x"),
        (Fact::Charset, "iso-8859-1"),
    ] {
        assert_eq!(answer.sink.facts().get(fact), Some(value));
    }
}

#[test]
fn plain_text_is_preferred_and_html_is_read_where_alone() {
    let (plain, html) = (
        "Content-Type: text/plain\n\nplain one",
        "Content-Type: text/html\n\n<p>only <b>html</b></p>",
    );
    assert_eq!(
        body(&mail(&multipart("alternative", &[plain, html])).text),
        "plain one"
    );
    assert_eq!(
        body(&mail(&multipart("alternative", &[html])).text),
        "only html"
    );
    let empty = "Content-Type: text/plain\n\n \n";
    assert_eq!(
        body(&mail(&multipart("alternative", &[empty, html])).text),
        "only html"
    );
}

#[test]
fn a_stub_gives_way_to_the_page_and_its_pictures_are_members() {
    let stub = "Content-Type: text/plain\n\nYour program cannot show this page.";
    let page = format!(
        "Content-Type: multipart/related; boundary=y\n\n--y\nContent-Type: text/html\n\n<p>{}\n\
         --y\nContent-Type: image/png; name=a.png\nContent-ID: <i>\n\nPNG\n--y--",
        "word ".repeat(40)
    );
    let answer = mail(&multipart("alternative", &[stub, &page]));
    assert_eq!(body(&answer.text).split_whitespace().count(), 40);
    assert_eq!(
        (answer.members[0].name.as_str(), answer.members[0].role),
        ("a.png", Role::Embedded)
    );
}

#[test]
fn attachments_are_members_and_inline_text_is_not() {
    let answer = mail(&multipart(
        "mixed",
        &[
            "\nouter",
            "Content-Type: message/rfc822\n\nSubject: inner: one\nFrom: a@b.c\n\ninner body",
            "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\
             Content-Disposition: attachment; filename*=UTF-8''%C3%A4.pdf\n\nJVBERg==",
            "Content-Type: text/plain; name=\"=?utf-8?q?notes_=C3=BC?=.txt\"\n\nnotes",
            "Content-Type: text/plain\nContent-Disposition: inline\n\ntail",
            "Content-Type: text/calendar\n\nBEGIN:VCALENDAR",
            "Content-Type: application/ms-tnef; name=winmail.dat\n\nTNEF",
        ],
    ));
    assert_eq!(body(&answer.text), "outer\ntail");
    let members: Vec<_> = answer
        .members
        .iter()
        .map(|member| (member.name.as_str(), member.bytes.as_slice()))
        .collect();
    let inner: &[u8] = b"Subject: inner: one\r\nFrom: a@b.c\r\n\r\ninner body";
    let want: [(&str, &[u8]); 5] = [
        ("inner one.eml", inner),
        ("ä.pdf", b"%PDF"),
        ("notes ü.txt", b"notes"),
        ("part-7.ics", b"BEGIN:VCALENDAR"),
        ("winmail.dat", b"TNEF"),
    ];
    assert_eq!(members, want);
    assert!(
        answer
            .members
            .iter()
            .all(|member| member.role == Role::Attachment)
    );
}

#[test]
fn quotes_are_kept_apart() {
    let answer = mail(&format!("{HEADERS}\nYes, we do accept.\n\n> Do you?\n"));
    assert_eq!(body(&answer.text), "Yes, we do accept.");
    assert_eq!(
        (
            answer.members[0].role,
            answer.sink.facts().number(Fact::QuotedLines)
        ),
        (Role::Quoted, 1)
    );
}

#[test]
fn reports_are_read_as_text() {
    let answer = mail(&multipart(
        "report",
        &[
            "\nIt failed.",
            "Content-Type: message/delivery-status\n\nAction: failed",
            "Content-Type: text/rfc822-headers\n\nSubject: old",
        ],
    ));
    assert_eq!(
        body(&answer.text),
        "It failed.\nAction: failed\nSubject: old"
    );
}

#[test]
fn signed_text_is_read_and_the_signature_is_not() {
    let answer = mail(&multipart(
        "signed",
        &[
            "\nsigned text",
            "Content-Type: application/pgp-signature\n\nSIG",
        ],
    ));
    assert_eq!(
        (body(&answer.text), answer.members.len()),
        ("signed text", 0)
    );
    // ContentInfo { signedData, { 1, {}, { data, "Content-Type: text/plain\n\nsealed" } } }
    let content = "Content-Type: text/plain\n\nsealed";
    let mut der = b"\x30\x46\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x39\x30\x37\x02\x01\x01\x31\x00\x30\x30\
                    \x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x23\x04\x21"
        .to_vec();
    der.extend_from_slice(content.as_bytes());
    let mut bytes =
        format!("{HEADERS}Content-Type: application/pkcs7-mime; name=smime.p7m\n\n").into_bytes();
    bytes.extend_from_slice(&der);
    assert_eq!(body(&super::tests::answer(&bytes).text), "sealed");
}

#[test]
fn locked_mail_is_encrypted_and_its_head_is_known() {
    let pgp = multipart(
        "encrypted",
        &[
            "Content-Type: application/pgp-encrypted\n\nVersion: 1",
            "\nlocked",
        ],
    );
    let armoured =
        format!("{HEADERS}\n-----BEGIN PGP MESSAGE-----\n\nabc\n-----END PGP MESSAGE-----\n");
    for text in [pgp, armoured] {
        let answer = mail(&text);
        assert_eq!(
            answer.reading,
            Err(Outcome::Encrypted(Reason::PasswordNeeded))
        );
        assert_eq!(answer.sink.facts().get(Fact::Subject), Some("Offer"));
    }
}

#[test]
fn a_part_that_breaks_off_is_read_as_far_as_it_goes() {
    let start = format!("{HEADERS}Content-Type: multipart/mixed; boundary=x\n\n--x\n");
    let answer = mail(&format!("{start}\nsome text\n"));
    assert_eq!(body(&answer.text), "some text");
    let answer = mail(&format!(
        "{start}Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\nJVBE\nRi0x\nLj"
    ));
    assert_eq!(answer.members[0].bytes, b"%PDF-1");
    let answer = mail(&format!(
        "{start}Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>=C3=BC</p>"
    ));
    assert_eq!(body(&answer.text), "ü");
}

#[test]
fn character_sets_undeclared_or_wrong_are_guessed() {
    let german = "Die Größe der Änderung überschreitet das zulässige Maß.";
    let latin = encoding_rs::WINDOWS_1252.encode(german).0;
    for label in [
        "",
        "; charset=utf-8",
        "; charset=us-ascii",
        "; charset=nonsense",
    ] {
        let mut bytes = format!(
            "{HEADERS}Content-Type: text/plain{label}\nContent-Transfer-Encoding: 8bit\n\n"
        )
        .into_bytes();
        bytes.extend_from_slice(&latin);
        let answer = answer(&bytes);
        assert_eq!(body(&answer.text), german, "{label}");
        assert_eq!(answer.sink.facts().get(Fact::Charset), Some("windows-1252"));
    }
    let utf8 = format!("{HEADERS}Content-Type: text/plain; charset=us-ascii\n\n{german}");
    assert_eq!(body(&mail(&utf8).text), german);
    let raw = [b"Subject: ".as_slice(), &latin, b"\nFrom: a@b.c\n\nbody"].concat();
    assert_eq!(answer(&raw).sink.facts().get(Fact::Subject), Some(german));
}

#[test]
fn line_ends_of_old_programs_and_a_missing_empty_line_do_no_harm() {
    let text = answer(
        format!("{HEADERS}\none\ntwo\n")
            .replace('\n', "\r")
            .as_bytes(),
    )
    .text;
    assert_eq!(body(&text), "one\ntwo");
    let text = mail("Subject: s\nFrom: a@b.c\nThe body starts here at once\nand goes on\n").text;
    assert!(
        text.contains("Subject: s") && text.contains("goes on"),
        "{text}"
    );
}

#[test]
fn apple_puts_a_length_before_and_a_list_behind() {
    let message = format!("{HEADERS}\nbody\n");
    let file = format!(
        "{}      \n{message}<?xml version=\"1.0\"?><plist></plist>",
        message.len()
    );
    assert_eq!(body(&answer(file.as_bytes()).text), "body");
}

#[test]
fn a_nested_part_that_is_no_message_is_read_as_it_stands() {
    let answer = mail(&multipart(
        "mixed",
        &[
            "\nhello",
            "Content-Type: message/rfc822\n\nno message, sorry!",
        ],
    ));
    assert!(
        answer.text.contains("hello") && answer.text.contains("no message, sorry!"),
        "{}",
        answer.text
    );
    assert_eq!(answer.reading, Ok(None));
}

#[test]
fn messages_within_messages_without_end_are_one_member() {
    let nested = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(100_000);
    let answer = mail(&format!("{nested}Subject: last\n\nbody"));
    assert_eq!((answer.reading, answer.members.len()), (Ok(None), 1));
}

/// The parser alone loses track of the parts behind such a message, and panics in a debug build.
#[test]
fn parts_behind_a_message_that_holds_only_messages_are_read() {
    let chain = "Content-Type: message/rfc822\n\nSubject: a\nContent-Type: Message/RFC822\n\n\
                 Subject: b\nContent-Type:message/rfc822\n\nSubject: c\n\nFoo!";
    let parts = ["\nhello", chain, "Content-Type: text/html\n\n<b>behind</b>"];
    let answer = mail(&multipart("mixed", &parts));
    assert_eq!(
        (answer.reading, body(&answer.text)),
        (Ok(None), "hello\nbehind")
    );
    let (_, held) = chain.split_once("\n\n").unwrap();
    let members: Vec<_> = answer
        .members
        .iter()
        .map(|it| it.bytes.trim_ascii())
        .collect();
    assert_eq!(members, [held.replace('\n', "\r\n").as_bytes()]);
    let quoted = format!("\n--x\n{chain}\n--x\n{chain}");
    let answer = mail(&format!("{HEADERS}{quoted}"));
    assert!(!answer.text.contains("x-chain"), "{}", answer.text);
}

#[test]
fn parts_within_parts_without_end_are_partial() {
    let nested: String = (0..1000)
        .map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}.\n\n--b{n}.\n"))
        .collect();
    let answer = mail(&format!("{HEADERS}{nested}\nbody"));
    assert_eq!(answer.reading, Ok(Some(Reason::DepthLimit)));
}

#[test]
fn parts_beyond_the_limit_are_partial() {
    let limit = Budgets::default().mime_parts as usize;
    let answer = mail(&multipart(
        "mixed",
        &vec!["Content-Type: text/plain\n\np"; limit + 10],
    ));
    assert_eq!(answer.reading, Ok(Some(Reason::PartsLimit)));
    assert_eq!(body(&answer.text).lines().count(), limit - 1);
}

#[test]
fn a_million_headers_are_read() {
    let answer = mail(&format!(
        "{HEADERS}{}\nbody\n",
        "X-A: b\n".repeat(1_000_000)
    ));
    assert_eq!((body(&answer.text), answer.reading), ("body", Ok(None)));
}
