//! Cards and calendars of several programs.

use simdex_extract::Budgets;

use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;

fn card(text: &str) -> (String, Vec<Collected>, Sink) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    assert_eq!(
        read(&input_of(text.replace('\n', "\r\n").as_bytes()), &mut sink),
        Ok(None)
    );
    (sink.take_text(), members.take(), sink)
}

#[test]
fn a_card_is_read_value_by_value() {
    let (text, members, sink) = card(
        "BEGIN:VCARD\nVERSION:3.0\nUID:urn:uuid:4-2\nPRODID:-//Hand//EN\nFN:Jo Doe\nN:Doe;Jo;;Dr.;\nORG:Acme\\, Inc.;Sales\n\
         item1.ADR;TYPE=\"work;x:y\":;;1 Main St;Town;;12345;Land\nTEL;TYPE=cell:+49 1\nNOTE:first\\nsec\n ond; and \\; more\n\
         PHOTO;ENCODING=b;TYPE=JPEG:SkZ\n JRg==\nLOGO;VALUE=uri:https://x.example/l.png\nREV:2026\nEND:VCARD\n",
    );
    assert_eq!(
        text,
        "Jo Doe\nDoe Jo Dr.\nAcme, Inc. Sales\n1 Main St Town 12345 Land\n+49 1\nfirst\nsecond; and ; more\n"
    );
    assert_eq!(
        (members[0].name.as_str(), members[0].bytes.as_slice()),
        ("photo.jpeg", b"JFIF".as_slice())
    );
    assert_eq!(sink.facts().get(Fact::Identifier), Some("4-2"));
    assert_eq!(
        (
            sink.facts().get(Fact::Producer),
            sink.facts().number(Fact::External)
        ),
        (Some("-//Hand//EN"), 1)
    );
}

#[test]
fn old_cards_are_quoted_printable() {
    let (text, ..) = card(
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=\n=F6rg\n\
         NOTE;QUOTED-PRINTABLE;CHARSET=UTF-8:a=0D=0Ab=C3=A4\nEND:VCARD\n",
    );
    assert_eq!(text.replace('\r', ""), "Müller Jörg\na\nbä\n");
}

#[test]
fn a_calendar_is_read_without_its_zones() {
    let (text, members, sink) = card(
        "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:X\nBEGIN:STANDARD\nDTSTART:19701025T030000\nEND:STANDARD\nEND:VTIMEZONE\n\
         BEGIN:VEVENT\nUID:1@x\nDTSTART;TZID=X:20261121T090000\nSUMMARY:Plan\\; talk\nLOCATION:Room 1\n\
         ORGANIZER;CN=\"Doe: Jo\":mailto:j@x.example\nATTENDEE:MAILTO:a@x.example\n\
         ATTACH;ENCODING=BASE64;VALUE=BINARY;X-FILENAME=a.txt:aGk=\n\
         END:VEVENT\nEND:VCALENDAR\n",
    );
    assert_eq!(
        text,
        "20261121T090000\nPlan; talk\nRoom 1\nDoe: Jo j@x.example\na@x.example\n"
    );
    assert_eq!(
        (members[0].name.as_str(), members[0].bytes.as_slice()),
        ("a.txt", b"hi".as_slice())
    );
    assert_eq!(sink.facts().get(Fact::Identifier), Some("1@x"));
}

#[test]
fn pictures_of_new_cards_are_addresses() {
    let (_, members, sink) =
        card("BEGIN:VCARD\nPHOTO:data:image/png;base64,UE5H\nLOGO:\nEND:VCARD\n");
    assert_eq!(
        (members[0].name.as_str(), members[0].bytes.as_slice()),
        ("photo.png", b"PNG".as_slice())
    );
    assert_eq!(sink.facts().number(Fact::External), 0);
}

#[test]
fn a_file_that_cannot_be_decoded_is_told_of() {
    let (mut sink, members) = Sink::collecting(100, Budgets::default());
    let calendar = b"BEGIN:VEVENT\nSUMMARY:x\nATTACH;FMTTYPE=text/plain;ENCODING=BASE64:!!\n";
    assert_eq!(
        read(&input_of(calendar), &mut sink),
        Ok(Some(Reason::PartsFailed))
    );
    let member = members.take().remove(0);
    assert_eq!(
        (member.name.as_str(), member.unread),
        ("attach.plain", Some(Reason::Damaged))
    );
}

#[test]
fn folding_without_end_costs_no_more_than_the_file() {
    let (text, ..) = card(&format!(
        "BEGIN:VCARD\nNOTE:a\n{}END:VCARD\n",
        " b\n".repeat(200_000)
    ));
    assert_eq!(text.len(), 200_002);
}
