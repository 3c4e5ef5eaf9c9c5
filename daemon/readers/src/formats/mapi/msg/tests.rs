//! Messages written as compound files.

use simdex_extract::{Budgets, Role};

use super::*;
use crate::compound::write::{Item, compound_file};
use crate::input::input_of;
use crate::sink::collected::Collected;

/// A file of storages (no bytes) and streams by path.
fn file(entries: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut items = vec![Item::default()];
    let mut paths = vec![String::new()];
    for (path, bytes) in entries {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        items.push(Item {
            name: name.into(),
            parent: paths.iter().position(|path| path == parent).unwrap(),
            bytes: bytes.map(<[u8]>::to_vec),
            ..Item::default()
        });
        paths.push((*path).into());
    }
    compound_file(&items)
}

/// Properties of fixed size behind a header.
fn fixed(header: usize, values: &[(u16, u16, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; header];
    for (id, kind, value) in values {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(id.to_le_bytes());
        bytes.extend([6, 0, 0, 0]);
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn text_and_members(bytes: &[u8]) -> (String, Option<Reason>, Vec<Collected>) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    let partial = read(&input_of(bytes), &mut sink).unwrap();
    (sink.take_text(), partial, members.take())
}

#[test]
fn strings_of_either_kind_recipients_and_dates_are_read() {
    let time = (1_795_251_600 + 11_644_473_600_u64) * 10_000_000;
    let head = fixed(32, &[(0x0039, 0x0040, time), (0x3ffd, 0x0003, 1251)]);
    let to = fixed(8, &[(0x0c15, 0x0003, 1)]);
    let bytes = file(&[
        ("__properties_version1.0", Some(&head)),
        ("__substg1.0_0037001F", Some(&wide("Größe"))),
        (
            "__substg1.0_1000001E",
            Some(b"\xcf\xf0\xe8\xe2\xe5\xf2\r\n"),
        ),
        ("__substg1.0_8000101F-00000000", Some(&wide("one of many"))),
        ("__recip_version1.0_#00000000", None),
        (
            "__recip_version1.0_#00000000/__properties_version1.0",
            Some(&to),
        ),
        (
            "__recip_version1.0_#00000000/__substg1.0_3001001F",
            Some(&wide("Ann")),
        ),
        (
            "__recip_version1.0_#00000000/__substg1.0_39FE001E",
            Some(b"a@b.org"),
        ),
    ]);
    let (text, partial, members) = text_and_members(&bytes);
    let want = "Subject: Größe\nTo: Ann <a@b.org>\nDate: 2026-11-21T09:00:00Z\nПривет\r\n";
    assert_eq!((text.as_str(), partial, members.len()), (want, None, 0));
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one sample message, property by property"
)]
fn attachments_and_messages_within_are_members_in_their_order() {
    let part = |number: u32, name: &str| format!("__attach_version1.0_#{number:08X}{name}");
    let large = b"attached ".repeat(1000);
    let fixed_part = fixed(8, &[]);
    let reference = fixed(8, &[(0x3705, 0x0003, 2)]);
    let inner = fixed(24, &[]);
    let names: Vec<String> = [
        (0, ""),
        (0, "/__properties_version1.0"),
        (0, "/__substg1.0_3707001F"),
        (0, "/__substg1.0_37010102"),
        (1, ""),
        (1, "/__properties_version1.0"),
        (1, "/__substg1.0_3701000D"),
        (1, "/__substg1.0_3701000D/__properties_version1.0"),
        (1, "/__substg1.0_3701000D/__substg1.0_0037001F"),
        (1, "/__substg1.0_3701000D/__substg1.0_1000001F"),
        (2, ""),
        (2, "/__properties_version1.0"),
        (3, ""),
        (3, "/__substg1.0_3701000D"),
        (3, "/__substg1.0_3701000D/WordDocument"),
    ]
    .iter()
    .map(|(number, name)| part(*number, name))
    .collect();
    let (file_name, subject, body) = (wide("long name.txt"), wide("Inner"), wide("inner body"));
    let contents: [Option<&[u8]>; 15] = [
        None,
        Some(&fixed_part),
        Some(&file_name),
        Some(&large),
        None,
        Some(&fixed_part),
        None,
        Some(&inner),
        Some(&subject),
        Some(&body),
        None,
        Some(&reference),
        None,
        None,
        Some(b"a document"),
    ];
    let head = fixed(32, &[]);
    let outer = wide("outer body");
    let mut entries: Vec<(&str, Option<&[u8]>)> = vec![
        ("__properties_version1.0", Some(&head)),
        ("__substg1.0_1000001F", Some(&outer)),
    ];
    entries.extend(names.iter().map(String::as_str).zip(contents));
    let (text, partial, members) = text_and_members(&file(&entries));
    assert_eq!((text.as_str(), partial), ("outer body\n", None));
    let heads: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.role)).collect();
    assert_eq!(
        heads,
        [
            ("long name.txt", Role::Attachment),
            ("Inner.eml", Role::Attachment),
            ("attachment 4", Role::Attachment)
        ]
    );
    assert_eq!(members[0].bytes, large);
    assert!(members[1].bytes.starts_with(b"Subject: Inner\r\n"));
    // An object of another program is a compound file of its own.
    assert!(members[2].bytes.starts_with(compound::MAGIC));
}

#[test]
fn messages_within_messages_end_at_the_limit() {
    let (mut entries, mut path) = (Vec::new(), String::new());
    for _ in 0..30 {
        entries.push(format!("{path}__properties_version1.0"));
        entries.push(format!("{path}__attach_version1.0_#00000000"));
        entries.push(format!(
            "{path}__attach_version1.0_#00000000/__substg1.0_3701000D"
        ));
        path = format!("{path}__attach_version1.0_#00000000/__substg1.0_3701000D/");
    }
    let entries: Vec<(&str, Option<&[u8]>)> = entries
        .iter()
        .map(|path| (path.as_str(), path.ends_with("1.0").then_some(&[0; 32][..])))
        .collect();
    let (_, partial, members) = text_and_members(&file(&entries));
    assert_eq!(members.len(), 1);
    assert_eq!(partial, Some(Reason::PartsFailed));
}

#[test]
fn a_compound_file_without_a_message_is_malformed() {
    let bytes = file(&[("WordDocument", Some(b"x"))]);
    let reading = read(&input_of(&bytes), &mut Sink::of(100));
    assert_eq!(reading, Err(Outcome::Failed(Reason::Malformed)));
}
