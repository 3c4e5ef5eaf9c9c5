//! Property sets and embedded objects, whatever the document.

use simdex_extract::{Budgets, Fact, Role};

use super::*;
use crate::compound::tests::compound_of;
use crate::input::input_of;

/// A property set of typed values.
fn set(properties: &[(u32, &[u8])]) -> Vec<u8> {
    let head = 8 + 8 * properties.len();
    let (mut list, mut values) = (Vec::new(), Vec::new());
    for (id, value) in properties {
        list.extend(id.to_le_bytes());
        list.extend(((head + values.len()) as u32).to_le_bytes());
        values.extend_from_slice(value);
    }
    let mut bytes = vec![0; 44];
    bytes.extend(48_u32.to_le_bytes());
    bytes.extend(((head + values.len()) as u32).to_le_bytes());
    bytes.extend((properties.len() as u32).to_le_bytes());
    [bytes, list, values].concat()
}

#[test]
fn properties_are_facts() {
    let filetime = (1_795_251_600_i64 + 11_644_473_600) as u64 * 10_000_000;
    let created = [&[0x40, 0, 0, 0][..], &filetime.to_le_bytes()].concat();
    let title = [
        &[0x1e, 0, 0, 0, 8, 0, 0, 0][..],
        b"\xcf\xf0\xe8\xe2\xe5\xf2\0\0",
    ]
    .concat();
    let summary = set(&[
        (1, &[2, 0, 0, 0, 0xe3, 4, 0, 0]),
        (2, &title),
        (4, &[0x1f, 0, 0, 0, 2, 0, 0, 0, b'M', 0, 0, 0]),
        (12, &created),
        (13, &[0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (14, &[3, 0, 0, 0, 7, 0, 0, 0]),
        (18, &[0x1e, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, b'W']),
    ]);
    let bytes = compound_of(&[("\u{5}SummaryInformation", &summary)]);
    let input = input_of(&bytes);
    let mut sink = Sink::of(0);
    properties::state(&Compound::open(&input).unwrap(), &mut sink);
    let facts: Vec<_> = sink.facts().iter().collect();
    assert_eq!(
        facts,
        [
            (Fact::Title, "Привет"),
            (Fact::Author, "M"),
            (Fact::Created, "2026-11-21T09:00:00Z"),
            (Fact::Producer, "W"),
            (Fact::Pages, "7"),
        ]
    );
}

#[test]
fn embedded_objects_are_members_and_macros_are_counted() {
    let native = b"\0\0\0\0\x02\0a.txt\0c:\\a.txt\0\0\0\x03\0\x02\0\0\0x\0\x02\0\0\0hi and more";
    let bytes = compound_of(&[
        ("WordDocument", b"the document itself"),
        ("Macros/VBA/dir", b"x"),
        ("ObjectPool/_1/\u{1}Ole10Native", native),
        ("ObjectPool/_2/WordDocument", b"another"),
        ("ObjectPool/_2/ObjectPool/_3/Package", b"within"),
        ("ObjectPool/_4/Package", b"PK"),
        ("ObjectPool/_5/Equation Native", b"no file"),
    ]);
    let input = input_of(&bytes);
    let (mut sink, collector) = Sink::collecting(0, Budgets::default());
    let file = Compound::open(&input).unwrap();
    assert_eq!(embedded::members(&file, &mut sink), None);
    let members = collector.take();
    let names: Vec<_> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["a.txt", "_2.doc", "_4"]);
    assert_eq!(
        (&*members[0].bytes, members[0].role),
        (&b"hi"[..], Role::Embedded)
    );
    let inner = input_of(&members[1].bytes);
    let inner = Compound::open(&inner).unwrap();
    assert!(inner.find("ObjectPool/_3/Package").is_some());
    assert_eq!(members[2].bytes, b"PK");
    assert_eq!(sink.facts().number(Fact::Scripts), 1);
}
