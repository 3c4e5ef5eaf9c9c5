//! Documents made here: pieces, parts, fields, tables, revisions; Word 6; broken ones.

use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::compound::tests::compound_of;
use crate::input::input_of;
use crate::struck;

mod styles;

/// Where the text of the documents begins.
const TEXT: usize = 1024;

/// A run of text of one width.
struct Run(&'static str, bool);

/// A document of these runs, with the characters of its parts and the bytes between two offsets marked as deleted. Runs
/// are stored back to front, as fast saves may do.
fn doc(runs: &[Run], parts: &[u32], deleted: Option<(usize, usize)>) -> Vec<u8> {
    let (mut main, mut table) = streams(runs, parts);
    if let Some((from, to)) = deleted {
        // Bold, to be skipped, then the mark.
        mark(
            &mut main,
            &mut table,
            from..to,
            &[0x35, 0x08, 1, 0x00, 0x08, 1],
        );
    }
    compound_of(&[("WordDocument", &main), ("1Table", &table)])
}

/// The main stream and that of the tables.
fn streams(runs: &[Run], parts: &[u32]) -> (Vec<u8>, Vec<u8>) {
    let (mut main, mut places) = (vec![0; TEXT], vec![0; runs.len()]);
    for (index, Run(text, is_wide)) in runs.iter().enumerate().rev() {
        let start = main.len() as u32;
        if *is_wide {
            main.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            places[index] = start;
        } else {
            main.extend_from_slice(&encoding_rs::WINDOWS_1252.encode(text).0);
            places[index] = (start * 2) | (1 << 30);
        }
    }
    let mut table = vec![1, 2, 0, 0, 0, 2];
    table.extend((4 + 12 * runs.len() as u32).to_le_bytes());
    let mut number = 0_u32;
    table.extend(number.to_le_bytes());
    for Run(text, _) in runs {
        number += text.encode_utf16().count() as u32;
        table.extend(number.to_le_bytes());
    }
    for place in places {
        table.extend([0, 0]);
        table.extend(place.to_le_bytes());
        table.extend([0, 0]);
    }
    put(&mut main, 0, &[0xec, 0xa5, 0xc1, 0]);
    put(&mut main, 10, &0x0200_u16.to_le_bytes());
    for (part, length) in parts.iter().enumerate() {
        put(&mut main, 76 + 4 * part, &length.to_le_bytes());
    }
    put(
        &mut main,
        154 + 8 * 33 + 4,
        &(table.len() as u32).to_le_bytes(),
    );
    (main, table)
}

fn put(bytes: &mut [u8], at: usize, piece: &[u8]) {
    bytes[at..at + piece.len()].copy_from_slice(piece);
}

/// Adds a page of formatting with properties of the characters in a range of bytes, and the list of pages.
fn mark(main: &mut Vec<u8>, table: &mut Vec<u8>, range: Range<usize>, properties: &[u8]) {
    main.resize(main.len().next_multiple_of(512), 0);
    let page = main.len() / 512;
    let places = [TEXT, range.start, range.end, main.len()].map(|place| place as u32);
    let mut bytes: Vec<u8> = places
        .iter()
        .flat_map(|place| place.to_le_bytes())
        .collect();
    bytes.extend([0, 200, 0]);
    bytes.resize(512, 0);
    bytes[400] = properties.len() as u8;
    put(&mut bytes, 401, properties);
    bytes[511] = 3;
    main.extend(bytes);
    put(main, 154 + 8 * 12, &(table.len() as u32).to_le_bytes());
    put(main, 154 + 8 * 12 + 4, &12_u32.to_le_bytes());
    for word in [TEXT as u32, main.len() as u32, page as u32] {
        table.extend(word.to_le_bytes());
    }
}

fn text(bytes: &[u8]) -> (String, Reading, Sink) {
    let mut sink = Sink::of(1 << 20);
    let reading = read(&input_of(bytes), &mut sink);
    (struck::settle(sink.text().to_owned()), reading, sink)
}

#[test]
fn pieces_of_both_widths_are_put_together_in_the_order_of_the_text() {
    let runs = [
        Run("Grüße “aus”\r", false),
        Run("Москва\r", true),
        Run("end", false),
    ];
    let (text, reading, _) = text(&doc(&runs, &[22], None));
    assert_eq!((&*text, reading), ("Grüße “aus”\nМосква\nend\n", Ok(None)));
}

#[test]
fn parts_are_lines_of_their_own_and_what_is_beyond_them_is_not_text() {
    let runs = [Run("bodynote", false), Run("headbeyond", false)];
    let (text, ..) = text(&doc(&runs, &[4, 4, 4], None));
    assert_eq!(text, "body\nnote\nhead\n");
}

#[test]
fn fields_show_their_results_and_are_counted() {
    let runs = [Run(
        "see \u{13} HYPERLINK \"x\" \u{13} PAGE \u{14}9\u{15}\u{14}the \u{13}SEQ\u{14}1\u{15}st\u{15}, \
         \u{13} FORMTEXT \u{1}\u{14}value\u{15}\u{13}INCLUDETEXT y\u{15}.",
        false,
    )];
    let (text, _, sink) = text(&doc(&runs, &[200], None));
    assert_eq!(text, "see the 1st, value.\n");
    assert_eq!(sink.facts().number(Fact::FormFields), 1);
}

#[test]
fn formulas_are_shown_and_readings_above_characters_left_out() {
    let field = "\u{13} EQ \\* jc2 \\o\\ad(\\s\\up 10(toukyou),TO) \u{15}\u{13}EQ \\f(1,2)\u{15}.";
    assert_eq!(text(&doc(&[Run(field, false)], &[100], None)).0, "TO1/2.\n");
}

#[test]
fn cells_are_apart_by_tabs_and_rows_are_lines() {
    let runs = [Run(
        "\u{7}a\u{7}b\rc\u{7}\u{7}d\u{7}\u{7}\r\r\u{1}e\u{1e}f\u{1f}g",
        false,
    )];
    let (text, ..) = text(&doc(&runs, &[100], None));
    assert_eq!(text, "a\tb\nc\nd\ne-fg\n");
}

#[test]
fn deleted_text_is_left_out_and_counted() {
    let runs = [Run("keep drop keep", false)];
    let (text, reading, sink) = text(&doc(&runs, &[14], Some((TEXT + 5, TEXT + 10))));
    assert_eq!((&*text, reading), ("keep keep\n", Ok(None)));
    assert_eq!(sink.facts().number(Fact::Deletions), 1);
    assert_eq!(sink.facts().number(Fact::Insertions), 0);
}

/// Adds the list of fonts: Arial and Wingdings.
fn put_fonts(main: &mut [u8], table: &mut Vec<u8>) {
    let start = table.len() as u32;
    table.extend([2, 0, 0, 0]);
    for name in ["Arial\0", "Wingdings\0"] {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        table.push(39 + name.len() as u8);
        table.extend([0; 39]);
        table.extend(name);
    }
    let length = table.len() as u32 - start;
    put(main, 154 + 8 * 15, &start.to_le_bytes());
    put(main, 154 + 8 * 15 + 4, &length.to_le_bytes());
}

/// A document in which bytes have properties, with forms.
fn doc_with(run: Run, range: Range<usize>, properties: &[u8], data: &[u8]) -> Vec<u8> {
    let (mut main, mut table) = streams(&[run], &[100]);
    put_fonts(&mut main, &mut table);
    let range = TEXT + range.start..TEXT + range.end;
    mark(&mut main, &mut table, range, properties);
    compound_of(&[("WordDocument", &main), ("1Table", &table), ("Data", data)])
}

#[test]
fn signs_of_symbol_fonts_are_text() {
    let read = |font: u8, code: [u8; 2]| {
        let symbol = [0x09, 0x6a, font, 0, code[0], code[1]];
        let narrow = doc_with(Run("(a) ( yes", false), 4..5, &symbol, b"");
        let wide = doc_with(Run("(a) ( yes", true), 8..10, &symbol, b"");
        assert_eq!(text(&narrow).0, text(&wide).0);
        text(&narrow).0
    };
    assert_eq!(read(1, [0xfe, 0xf0]), "(a) ☑ yes\n");
    assert_eq!(read(1, [0xa8, 0]), "(a) ☐ yes\n");
    assert_eq!(read(0, [0x12, 0x22]), "(a) − yes\n");
    assert_eq!(read(9, [0xfe, 0xf0]), "(a) \u{f0fe} yes\n");
}

#[test]
fn private_use_characters_are_signs_of_the_font_of_their_run() {
    let read = |properties: &[u8]| {
        let run = Run("\u{f0d8} \u{f0fe} yes", true);
        text(&doc_with(run, 0..6, properties, b"")).0
    };
    let unknown = "\u{f0d8} \u{f0fe} yes\n";
    assert_eq!(read(&[0x4f, 0x4a, 1, 0]), "➢ ☑ yes\n");
    assert_eq!(read(&[0x4f, 0x4a, 0, 0, 0x51, 0x4a, 1, 0]), "➢ ☑ yes\n");
    assert_eq!(read(&[0x4f, 0x4a, 1, 0, 0x51, 0x4a, 0, 0]), unknown);
    assert_eq!(read(&[0x4f, 0x4a, 9, 0]), unknown);
}

#[test]
fn the_font_of_a_run_goes_on_after_a_field() {
    let run = Run("\u{13} HYPERLINK x \u{14}\u{f0d8}\u{15} \u{f0fe}", true);
    let length = 2 * run.0.chars().count();
    let bytes = doc_with(run, 0..length, &[0x4f, 0x4a, 1, 0], b"");
    assert_eq!(text(&bytes).0, "➢ ☑\n");
}

#[test]
fn a_symbol_field_shows_its_sign_once() {
    let fields = "\u{13}SYMBOL 254 \\f Wingdings\u{15}, \u{13} SYMBOL 168 \\f \"Wingdings\" \\s 10 \u{14}\u{fe}\u{15} no\rend";
    assert_eq!(
        text(&doc(&[Run(fields, false)], &[100], None)).0,
        "☑, ☐ no\nend\n"
    );
    let open = "\u{13}SYMBOL 254 \\f Wingdings\u{14}\u{fe}\rend";
    assert_eq!(text(&doc(&[Run(open, false)], &[100], None)).0, "☑\nend\n");
}

/// The data of a form field: an offset into the stream, and the properties that lead there.
fn form_data(bits: u16, default: u16, items: &[&str]) -> (Vec<u8>, [u8; 9]) {
    let words =
        |words: &[u16]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let counted = |text: &str| {
        let units: Vec<u16> = text.encode_utf16().collect();
        [words(&[units.len() as u16]), words(&units)].concat()
    };
    let mut data = vec![0; 8];
    data.extend(words(&[0, 0, 0x44]));
    data.resize(8 + 0x44, 0);
    data.extend(words(&[0xffff, 0xffff, bits, 0, 0]));
    data.extend([counted("Name"), words(&[0, default])].concat());
    data.extend(words(&[0; 10]));
    data.extend(words(&[0xffff, items.len() as u16, 0]));
    data.extend(items.iter().flat_map(|item| counted(item)));
    (data, [0x06, 0x08, 1, 0x03, 0x6a, 8, 0, 0, 0])
}

#[test]
fn form_fields_show_their_state() {
    let read = |bits: u16, default: u16| {
        let (data, properties) = form_data(bits, default, &["no", "yes"]);
        let run = Run("\u{13} FORMCHECK \u{1}\u{14}\u{15}.", false);
        text(&doc_with(run, 12..13, &properties, &data)).0
    };
    assert_eq!(
        (read(1 | 1 << 2, 0), read(1, 1)),
        ("☒.\n".into(), "☐.\n".into())
    );
    assert_eq!(
        (read(1 | 25 << 2, 1), read(1 | 25 << 2, 0)),
        ("☒.\n".into(), "☐.\n".into())
    );
    assert_eq!(
        (read(2 | 1 << 2, 0), read(2 | 25 << 2, 0)),
        ("yes.\n".into(), "no.\n".into())
    );
    assert_eq!(read(0, 0), ".\n");
}

#[test]
fn word_6_keeps_its_text_in_one_piece_of_a_code_page() {
    let mut main = vec![0; TEXT];
    main.extend_from_slice(&encoding_rs::WINDOWS_1251.encode("Привет").0);
    put(&mut main, 0, &[0xdc, 0xa5, 0x65, 0]);
    put(&mut main, 6, &0x0419_u16.to_le_bytes());
    put(&mut main, 24, &(TEXT as u32).to_le_bytes());
    put(&mut main, 52, &6_u32.to_le_bytes());
    assert_eq!(text(&compound_of(&[("WordDocument", &main)])).0, "Привет\n");
}

#[test]
fn a_locked_document_says_so() {
    let mut main = vec![0; TEXT];
    put(&mut main, 0, &[0xec, 0xa5, 0xc1, 0]);
    put(&mut main, 10, &0x0300_u16.to_le_bytes());
    let locked = text(&compound_of(&[("WordDocument", &main), ("1Table", b"x")])).1;
    assert_eq!(locked, Err(Outcome::Encrypted(Reason::PasswordNeeded)));
}

#[test]
fn a_piece_beyond_the_stream_is_damage() {
    let runs = [Run("some words", false), Run("others", false)];
    let mut bytes = doc(&runs, &[16], None);
    let place = (((TEXT + 6) * 2) as u32 | 1 << 30).to_le_bytes();
    let at = bytes.windows(4).position(|window| window == place).unwrap();
    let beyond = (60_000_u32 * 2) | 1 << 30;
    put(&mut bytes, at, &beyond.to_le_bytes());
    let (text, reading, _) = text(&bytes);
    assert_eq!((&*text, reading), ("others\n", Ok(Some(Reason::Damaged))));
}

proptest! {
    #[test]
    fn damaged_documents_are_answered(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..30),
        length in any::<prop::sample::Index>(),
    ) {
        let runs = [Run("a\u{13}b\u{14}c\u{15}\u{7}\u{7}", false), Run("wide", true)];
        let mut bytes = doc(&runs, &[8, 3], Some((TEXT + 1, TEXT + 3)));
        for (index, byte) in edits {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = text(&bytes);
        let _ = text(&bytes[..length.index(bytes.len())]);
    }
}

#[test]
fn a_stream_that_does_not_begin_as_a_document_is_malformed() {
    let main = [0_u8; TEXT];
    let bytes = compound_of(&[("WordDocument", &main), ("0Table", b"")]);
    let reading = read(&input_of(&bytes), &mut Sink::of(1 << 10));
    assert_eq!(reading, Err(Outcome::Failed(Reason::Malformed)));
}

#[test]
fn raised_and_lowered_digits_stay_so() {
    let read = |place: u8, is_wide: bool| {
        let range = if is_wide { 4..6 } else { 2..3 };
        text(&doc_with(
            Run("1034", is_wide),
            range,
            &[0x48, 0x2a, place],
            b"",
        ))
        .0
    };
    for is_wide in [false, true] {
        let places = [0, 1, 2].map(|place| read(place, is_wide));
        assert_eq!(places, ["1034\n", "10³4\n", "10₃4\n"]);
    }
}

#[test]
fn struck_text_is_marked() {
    let read = |properties: &[u8]| text(&doc_with(Run("1034", false), 2..3, properties, b"")).0;
    assert_eq!(read(&[0x37, 0x08, 1]), "10~~3~~4\n");
    assert_eq!(read(&[0x53, 0x2a, 1]), "10~~3~~4\n");
    assert_eq!(
        read(&[0x37, 0x08, 1, 0x53, 0x2a, 0, 0x48, 0x2a, 1]),
        "10~~³~~4\n"
    );
    assert_eq!(read(&[0x37, 0x08, 0]), "1034\n");
}
