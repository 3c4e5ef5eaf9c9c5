//! Presentations made here: outlines, drawings, notes, comments, footers, objects, several saves.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use super::*;
use crate::compound::tests::compound_of;
use crate::input::input_of;

/// A record; containers have the version 15.
fn record(kind: u16, instance: u16, version: u16, body: &[u8]) -> Vec<u8> {
    let head = instance << 4 | version;
    let length = body.len() as u32;
    [
        &head.to_le_bytes()[..],
        &kind.to_le_bytes(),
        &length.to_le_bytes(),
        body,
    ]
    .concat()
}

fn container(kind: u16, instance: u16, parts: &[Vec<u8>]) -> Vec<u8> {
    record(kind, instance, 15, &parts.concat())
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn wide(kind: u16, instance: u16, text: &str) -> Vec<u8> {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    record(kind, instance, 0, &bytes)
}

fn shape(parts: &[Vec<u8>]) -> Vec<u8> {
    container(0xf004, 0, &[container(kind::TEXT_BOX, 0, parts)])
}

/// Document 1, slide 2, notes 3; then a second save with another slide 2.
#[expect(
    clippy::too_many_lines,
    reason = "one sample document, record by record"
)]
fn sample() -> Vec<u8> {
    let outline = |text: &str| {
        [
            record(kind::TEXT_HEAD, 0, 0, &[0; 4]),
            wide(kind::TEXT_CHARS, 0, text),
        ]
        .concat()
    };
    let slides = [
        record(kind::LISTED, 0, 0, &words(&[2, 0, 0, 256, 0])),
        outline("Title"),
        outline("Body\rcontinued"),
        outline("Hidden"),
    ];
    let notes = [record(kind::LISTED, 0, 0, &words(&[3, 0, 0, 512, 0]))];
    let document = container(
        kind::DOCUMENT,
        0,
        &[
            container(kind::LIST, 0, &slides),
            container(kind::LIST, 2, &notes),
        ],
    );
    let slide = |own: &str| {
        let refers = |number| shape(&[record(kind::OUTLINE_REFERENCE, 0, 0, &words(&[number]))]);
        let running = [
            record(kind::RUNNING_ATOM, 0, 0, &[0, 0, 1 << 5, 0]),
            wide(kind::STRING, 0, "date"),
            wide(kind::STRING, 2, "Footer"),
        ];
        let comment = [
            wide(kind::STRING, 0, "author"),
            wide(kind::STRING, 1, "Comment"),
        ];
        let comment = container(kind::COMMENT, 0, &[comment.concat()]);
        let drawing = [
            refers(1),
            shape(&[record(kind::TEXT_BYTES, 0, 0, own.as_bytes())]),
            shape(&[record(kind::TEXT_BYTES, 0, 0, b"*")]),
            refers(0),
            refers(0),
        ];
        container(
            kind::SLIDE,
            0,
            &[
                record(kind::SLIDE_ATOM, 0, 2, &words(&[0, 0, 0, 0, 512])),
                container(kind::RUNNING, 0, &running),
                container(0xf002, 0, &drawing),
                record(kind::TAGS, 0, 0, &comment),
            ],
        )
    };
    let notes = container(
        kind::NOTES,
        0,
        &[shape(&[wide(kind::TEXT_CHARS, 0, "Notes")])],
    );
    let mut stream = Vec::new();
    let mut add = |bytes: Vec<u8>| {
        let place = stream.len() as u32;
        stream.extend(bytes);
        place
    };
    let places = [add(document), add(slide("old")), add(notes)];
    let list = add(record(
        kind::PLACES,
        0,
        0,
        &words(&[&[1 | 3 << 20], &places[..]].concat()),
    ));
    let first = add(record(
        kind::USER_EDIT,
        0,
        0,
        &words(&[0, 0, 0, list, 1, 0, 0]),
    ));
    let place = add(slide("new"));
    let list = add(record(kind::PLACES, 0, 0, &words(&[2 | 1 << 20, place])));
    let last = add(record(
        kind::USER_EDIT,
        0,
        0,
        &words(&[0, 0, first, list, 1, 0, 0]),
    ));
    add(object());
    show(&stream, last)
}

/// A packaged file, deflated.
fn object() -> Vec<u8> {
    let native = [
        &[0, 0, 0, 0, 2, 0][..],
        b"note.txt\0C:\\note.txt\0\0\0\x03\0\x02\0\0\0x\0\x05\0\0\0inner",
    ]
    .concat();
    let mut encoder = ZlibEncoder::new(words(&[1]), Compression::fast());
    encoder
        .write_all(&compound_of(&[("\u{1}Ole10Native", &native)]))
        .unwrap();
    record(kind::OBJECT, 1, 0, &encoder.finish().unwrap())
}

fn show(stream: &[u8], edit: u32) -> Vec<u8> {
    let user = words(&[0, 0, 20, 0xe391_c05f, edit]);
    compound_of(&[("PowerPoint Document", stream), ("Current User", &user)])
}

fn text(bytes: &[u8]) -> (String, Reading, Sink) {
    let mut sink = Sink::of(1 << 20);
    let reading = read(&input_of(bytes), &mut sink);
    (sink.text().to_owned(), reading, sink)
}

#[test]
fn each_text_of_the_last_save_is_written_once() {
    let (text, reading, sink) = text(&sample());
    assert_eq!(reading, Ok(None));
    assert_eq!(
        text,
        "Body\ncontinued\nnew\nTitle\nHidden\nFooter\nNotes\nComment\n"
    );
    let number = |fact| sink.facts().number(fact);
    assert_eq!(
        [Fact::Pages, Fact::Notes, Fact::Comments, Fact::Members].map(number),
        [1, 1, 1, 1]
    );
}

#[test]
fn packaged_files_are_members_by_their_names() {
    let (mut sink, collector) = Sink::collecting(1 << 20, simdex_extract::Budgets::default());
    assert_eq!(read(&input_of(&sample()), &mut sink), Ok(None));
    let members = collector.take();
    assert_eq!(members.len(), 1);
    assert_eq!(
        (&*members[0].name, &*members[0].bytes),
        ("note.txt", &b"inner"[..])
    );
}

#[test]
fn locked_presentations_say_so() {
    let locked = Err(Outcome::Encrypted(Reason::PasswordNeeded));
    let user = words(&[0, 0, 20, ENCRYPTED, 0]);
    let bytes = compound_of(&[("PowerPoint Document", b"x"), ("Current User", &user)]);
    assert_eq!(text(&bytes).1, locked);
    let edit = record(kind::USER_EDIT, 0, 0, &words(&[0, 0, 0, 0, 1, 0, 0, 4]));
    assert_eq!(text(&show(&edit, 0)).1, locked);
}

#[test]
fn without_a_list_of_places_the_outline_is_left() {
    let slides = [
        record(kind::LISTED, 0, 0, &words(&[2, 0, 0, 256, 0])),
        record(kind::TEXT_HEAD, 0, 0, &[0; 4]),
        wide(kind::TEXT_CHARS, 0, "Title"),
    ];
    let document = container(kind::DOCUMENT, 0, &[container(kind::LIST, 0, &slides)]);
    let (text, reading, _) = text(&show(&document, 9999));
    assert_eq!((&*text, reading), ("Title\n", Ok(Some(Reason::Damaged))));
}

proptest! {
    #[test]
    fn damaged_presentations_are_answered(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..30),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = sample();
        for (index, byte) in edits {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = text(&bytes);
        let _ = text(&bytes[..length.index(bytes.len())]);
    }
}
