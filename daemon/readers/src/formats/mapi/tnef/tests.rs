//! Streams made of attributes.

use simdex_extract::{Budgets, Fact, Role};

use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;

fn attribute(level: u8, id: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![level];
    bytes.extend(id.to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    let sum = data
        .iter()
        .fold(0_u16, |sum, byte| sum.wrapping_add((*byte).into()));
    bytes.extend(sum.to_le_bytes());
    bytes
}

fn stream(attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = SIGNATURE.to_le_bytes().to_vec();
    bytes.extend([1, 0]);
    bytes.extend(attributes.concat());
    bytes
}

/// A property: type, number, and value, preceded by a count if its type requires one.
fn property(kind: u16, id: u16, value: &[u8]) -> Vec<u8> {
    let mut bytes = [kind.to_le_bytes(), id.to_le_bytes()].concat();
    if id >= 0x8000 {
        bytes.extend([0; 16]);
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(6_u32.to_le_bytes());
        bytes.extend(b"a\0b\0\0\0\0\0");
    }
    if kind != kind::LONG {
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend((value.len() as u32).to_le_bytes());
    }
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn bag(properties: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = (properties.len() as u32).to_le_bytes().to_vec();
    bytes.extend(properties.concat());
    bytes
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16()
        .chain([0])
        .flat_map(u16::to_le_bytes)
        .collect()
}

fn text_and_members(bytes: &[u8]) -> (String, Option<Reason>, Vec<Collected>, Vec<String>) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    let partial = read(&input_of(bytes), &mut sink).unwrap();
    (
        sink.take_text(),
        partial,
        members.take(),
        sink.into_remarks().0,
    )
}

#[test]
fn properties_recipients_and_attachments_are_read() {
    let message = bag(&[
        property(kind::WIDE, 0x8001, &wide("named")),
        property(kind::WIDE, id::SUBJECT, &wide("Größe")),
        property(kind::NARROW, id::BODY, b"\xcf\xf0\xe8\xe2\xe5\xf2\0"),
    ]);
    let ann = bag(&[
        property(kind::LONG, id::RECIPIENT_TYPE, &1_u32.to_le_bytes()),
        property(kind::NARROW, id::DISPLAY_NAME, b"Ann\0"),
        property(kind::NARROW, id::RECIPIENT_SMTP_ADDRESS, b"a@b.org\0"),
    ]);
    let name = bag(&[property(
        kind::WIDE,
        id::ATTACH_LONG_FILENAME,
        &wide("long name.txt"),
    )]);
    let bytes = stream(&[
        attribute(1, att::CODE_PAGE, &[0xe3, 4, 0, 0, 0, 0, 0, 0]),
        attribute(1, att::SUBJECT, b"Gr??e\0"),
        attribute(1, att::PROPERTIES, &message),
        attribute(
            1,
            att::RECIPIENTS,
            &[&1_u32.to_le_bytes()[..], &ann].concat(),
        ),
        attribute(2, att::ATTACH_BEGIN, &[0; 14]),
        attribute(2, att::ATTACH_DATA, b"first"),
        attribute(2, att::ATTACH_TITLE, b"LONGNA~1.TXT\0"),
        attribute(2, att::ATTACHMENT, &name),
        attribute(2, att::ATTACH_BEGIN, &[0; 14]),
        attribute(2, att::ATTACH_TITLE, b"two.txt\0"),
        attribute(2, att::ATTACH_DATA, b"second"),
    ]);
    let (text, partial, members, warnings) = text_and_members(&bytes);
    assert_eq!(text, "Subject: Größe\nTo: Ann <a@b.org>\nПривет\n");
    assert_eq!((partial, warnings), (None, vec![]));
    let found: Vec<_> = members
        .iter()
        .map(|m| (m.name.as_str(), m.role, m.bytes.as_slice()))
        .collect();
    assert_eq!(
        found,
        [
            ("long name.txt", Role::Attachment, &b"first"[..]),
            ("two.txt", Role::Attachment, b"second")
        ]
    );
}

#[test]
fn older_attributes_stand_for_properties() {
    let mut from = vec![4, 0, 26, 0, 4, 0, 13, 0];
    from.extend(b"Ann\0SMTP:a@b.org\0");
    let sent: Vec<u8> = [2026_u16, 11, 21, 9, 0, 0, 6]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let bytes = stream(&[
        attribute(1, att::FROM, &from),
        attribute(1, att::SUBJECT, b"Old\0"),
        attribute(1, att::DATE_SENT, &sent),
        attribute(1, att::BODY, b"old body\0"),
    ]);
    let (text, ..) = text_and_members(&bytes);
    assert_eq!(
        text,
        "Subject: Old\nFrom: Ann <a@b.org>\nDate: 2026-11-21T09:00:00Z\nold body\n"
    );
}

#[test]
fn messages_within_are_members_and_end_at_the_limit() {
    let mut inner = stream(&[
        attribute(1, att::SUBJECT, b"Inner\0"),
        attribute(1, att::BODY, b"in\0"),
    ]);
    for _ in 0..30 {
        let object = [MESSAGE_INTERFACE, &inner].concat();
        let object = bag(&[property(kind::OBJECT, id::ATTACH_DATA, &object)]);
        inner = stream(&[
            attribute(1, att::SUBJECT, b"Outer\0"),
            attribute(2, att::ATTACH_BEGIN, &[0; 14]),
            attribute(2, att::ATTACHMENT, &object),
        ]);
    }
    let (text, partial, members, _) = text_and_members(&inner);
    assert_eq!(
        (text.as_str(), partial),
        ("Subject: Outer\n", Some(Reason::PartsFailed))
    );
    assert_eq!(members[0].name, "Outer.eml");
    let mail = String::from_utf8(members[0].bytes.clone()).unwrap();
    assert_eq!(
        mail.matches("Subject: Outer").count(),
        Budgets::default().mime_depth as usize
    );
}

#[test]
fn a_wrong_checksum_is_a_remark_and_a_cut_is_partial() {
    let bytes = stream(&[
        attribute(1, att::SUBJECT, b"Kept\0"),
        attribute(1, att::BODY, b"the body\0"),
    ]);
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let (text, partial, _, warnings) = text_and_members(&wrong);
    assert!(text.contains("the body"));
    assert_eq!((partial, warnings.len()), (None, 1));
    let (_, partial, ..) = text_and_members(&[&bytes[..], b"\r\n"].concat());
    assert_eq!(partial, None, "a line end behind it is no damage");
    let (text, partial, ..) = text_and_members(&bytes[..bytes.len() - 3]);
    assert_eq!(
        (text.as_str(), partial),
        ("Subject: Kept\n", Some(Reason::Damaged))
    );
    let reading = read(&input_of(b"no stream"), &mut Sink::of(10));
    assert_eq!(reading, Err(Outcome::Failed(Reason::Malformed)));
}

#[test]
fn claimed_lengths_and_counts_are_not_believed() {
    let mut bag = u32::MAX.to_le_bytes().to_vec();
    bag.extend(property(kind::NARROW, id::SUBJECT, b"Kept\0"));
    bag.extend([
        0x1e, 0x10, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
    ]);
    let (text, partial, ..) = text_and_members(&stream(&[attribute(1, att::PROPERTIES, &bag)]));
    assert_eq!(
        (text.as_str(), partial),
        ("Subject: Kept\n", Some(Reason::Damaged))
    );
}

#[test]
fn a_reference_is_counted_as_external() {
    let by_reference = bag(&[property(
        kind::LONG,
        id::ATTACH_METHOD,
        &2_u32.to_le_bytes(),
    )]);
    let bytes = stream(&[
        attribute(2, att::ATTACH_BEGIN, &[0; 14]),
        attribute(2, att::ATTACHMENT, &by_reference),
    ]);
    let (mut sink, members) = Sink::collecting(100, Budgets::default());
    assert_eq!(read(&input_of(&bytes), &mut sink), Ok(None));
    assert_eq!(
        (sink.facts().number(Fact::External), members.take().len()),
        (1, 0)
    );
}
