//! Workbooks made here: shared strings across records, numbers, dates, formulas, asides.

use proptest::prelude::*;
use simdex_extract::Budgets;

use super::*;
use crate::compound::tests::compound_of;
use crate::input::input_of;
use crate::struck;

fn record(kind: u16, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    [&kind.to_le_bytes()[..], &length.to_le_bytes(), bytes].concat()
}

fn bof(version: u16, kind: u16) -> Vec<u8> {
    record(kind::BOF, &words(&[version, kind, 0, 0]))
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A cell: row, column, style, and what else there is.
fn cell(kind: u16, row: u16, style: u16, rest: &[u8]) -> Vec<u8> {
    record(kind, &[&words(&[row, 0, style])[..], rest].concat())
}

fn string(text: &str) -> Vec<u8> {
    [&words(&[text.len() as u16])[..], &[0], text.as_bytes()].concat()
}

/// A workbook of one sheet; `shared` are the records of the workbook itself.
fn book(version: u16, shared: &[Vec<u8>], sheet: &[Vec<u8>]) -> Vec<u8> {
    let end = record(kind::EOF, &[]);
    let stream = [
        bof(version, 5),
        shared.concat(),
        end.clone(),
        bof(version, 0x10),
        sheet.concat(),
        end,
    ]
    .concat();
    let name = if version < 0x600 { "Book" } else { "Workbook" };
    compound_of(&[(name, &stream)])
}

#[expect(
    clippy::too_many_lines,
    reason = "one sample document, record by record"
)]
fn sample() -> Vec<u8> {
    let sst = [&[0; 8][..], &string("first"), &[5, 0, 8, 1, 0, b's', b'e']].concat();
    // The second string continues in 16 bits, and its format follows.
    let rest = [
        &[1][..],
        &words(&[99, 100, 0x444]),
        &[0; 4],
        &string("third"),
    ]
    .concat();
    let date = [&words(&[164])[..], &string("d/m/yyyy h:mm")].concat();
    let shared = [
        record(kind::SST, &sst),
        record(kind::CONTINUE, &rest),
        record(kind::FORMAT, &date),
        record(kind::XF, &words(&[0, 0])),
        record(kind::XF, &words(&[0, 164])),
        record(kind::BOUND_SHEET, &[0, 0, 0, 0, 1, 0, 1, 0, b'x']),
    ];
    let text = [0xff_u8, 0xff];
    let sheet = [
        record(kind::HEADER, &string("&L&12Head &P")),
        cell(kind::LABEL_SST, 0, 0, &0_u32.to_le_bytes()),
        cell(kind::LABEL_SST, 0, 0, &1_u32.to_le_bytes()),
        cell(kind::LABEL_SST, 0, 0, &2_u32.to_le_bytes()),
        cell(kind::NUMBER, 1, 0, &1.0_f64.to_le_bytes()),
        cell(kind::NUMBER, 1, 1, &45_351.5_f64.to_le_bytes()),
        cell(kind::RK, 2, 0, &(-5_i32 << 2 | 3).to_le_bytes()),
        record(
            kind::MUL_RK,
            &[
                &words(&[2, 1])[..],
                &[0, 0],
                &(7 << 2 | 2_u32).to_le_bytes(),
                &[2, 0],
            ]
            .concat(),
        ),
        cell(kind::BOOL_ERR, 3, 0, &[1, 0]),
        cell(kind::BOOL_ERR, 3, 0, &[7, 1]),
        cell(kind::FORMULA, 4, 0, &[&[0; 6][..], &text, &[0; 6]].concat()),
        record(kind::STRING, &string("result")),
        cell(
            kind::FORMULA,
            4,
            0,
            &[&2.5_f64.to_le_bytes()[..], &[0; 6]].concat(),
        ),
        record(kind::OBJ, &words(&[0x15, 0x12, 0x19, 1])),
        record(kind::TXO, &words(&[0, 0, 0, 0, 0, 7, 8, 0, 0])),
        record(kind::CONTINUE, b"\0comment"),
    ];
    book(0x600, &shared, &sheet)
}

fn text(bytes: &[u8]) -> (String, Reading, Sink) {
    let mut sink = Sink::of(1 << 20);
    let reading = read(&input_of(bytes), &mut sink);
    (sink.text().to_owned(), reading, sink)
}

#[test]
fn cells_of_every_kind_are_rendered() {
    let (text, reading, sink) = text(&sample());
    assert_eq!(reading, Ok(None));
    assert_eq!(
        text,
        "first\tsecфd\tthird\n1\t2024-02-29 12:00:00\n-0.05\t7\nTRUE\t#DIV/0!\nresult\t2.5\n\
         Head\ncomment\n"
            .replace("secфd", "secdф")
    );
    let number = |fact| sink.facts().number(fact);
    assert_eq!(number(Fact::Cells), 11);
    assert_eq!(number(Fact::Comments), 1);
    assert_eq!((number(Fact::Sheets), number(Fact::HiddenSheets)), (1, 1));
}

#[test]
fn old_workbooks_have_a_code_page() {
    let label = [
        &words(&[6])[..],
        &encoding_rs::WINDOWS_1251.encode("Привет").0,
    ]
    .concat();
    let shared = [record(kind::CODE_PAGE, &words(&[1251]))];
    let sheet = [
        cell(kind::LABEL, 0, 0, &label),
        record(kind::NOTE, &[&words(&[0, 0, 4])[..], b"note"].concat()),
    ];
    assert_eq!(text(&book(0x500, &shared, &sheet)).0, "Привет\nnote\n");
}

#[test]
fn a_locked_workbook_says_so() {
    let locked = text(&book(0x600, &[record(kind::FILE_PASS, &[0; 6])], &[])).1;
    assert_eq!(locked, Err(Outcome::Encrypted(Reason::PasswordNeeded)));
}

#[test]
fn numbers_of_charts_are_no_cells_and_their_titles_are_text() {
    let sheet = [
        bof(0x600, 0x20),
        cell(kind::NUMBER, 0, 0, &3.0_f64.to_le_bytes()),
        record(kind::SERIES_TEXT, b"\0\0\x05\0Title"),
        record(kind::EOF, &[]),
        cell(kind::NUMBER, 0, 0, &4.0_f64.to_le_bytes()),
    ];
    assert_eq!(text(&book(0x600, &[], &sheet)).0, "4\nTitle\n");
}

#[test]
fn too_many_cells_and_a_missing_end_are_partial() {
    let sheet: Vec<_> = (0..9)
        .map(|row| cell(kind::NUMBER, row, 0, &1.0_f64.to_le_bytes()))
        .collect();
    let bytes = book(0x600, &[], &sheet);
    let budgets = Budgets {
        cells: 3,
        ..Budgets::default()
    };
    let (mut sink, _) = Sink::collecting(100, budgets);
    let reading = read(&input_of(&bytes), &mut sink);
    assert_eq!(
        (sink.text(), reading),
        ("1\n1\n1\n", Ok(Some(Reason::CellsLimit)))
    );

    let stream = [
        bof(0x600, 5),
        record(kind::EOF, &[]),
        bof(0x600, 0x10),
        sheet.concat(),
    ]
    .concat();
    let (text, reading, _) = text(&compound_of(&[("Workbook", &stream)]));
    assert_eq!(text.lines().count(), 9);
    assert_eq!(reading, Ok(Some(Reason::Damaged)));
}

proptest! {
    #[test]
    fn damaged_workbooks_are_answered(
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

#[test]
fn fonts_raise_and_strike_cells_and_runs() {
    let font =
        |flags: u16, place: u16| record(kind::FONT, &words(&[200, flags, 0, 400, place, 0, 0]));
    // The fonts 0 to 3, and 5: none has the number 4.
    let fonts = [font(0, 0), font(0, 0), font(8, 0), font(0, 1), font(0, 2)];
    let rich = |text: &str, runs: &[u16]| {
        let head = words(&[text.len() as u16]);
        let count = words(&[runs.len() as u16 / 2]);
        [head, vec![8], count, text.as_bytes().to_vec(), words(runs)].concat()
    };
    let sst = [
        &[0; 8][..],
        &rich("a10345", &[3, 3, 4, 5, 5, 0]),
        &string("b"),
    ]
    .concat();
    let shared = [
        fonts.concat(),
        record(kind::XF, &words(&[0, 0])),
        record(kind::XF, &words(&[2, 0])),
        record(kind::SST, &sst),
    ];
    let sheet = [
        cell(kind::LABEL_SST, 0, 0, &0_u32.to_le_bytes()),
        cell(kind::LABEL_SST, 0, 1, &0_u32.to_le_bytes()),
        cell(kind::LABEL_SST, 1, 1, &1_u32.to_le_bytes()),
        cell(kind::NUMBER, 1, 1, &7.0_f64.to_le_bytes()),
    ];
    let text = struck::settle(text(&book(0x600, &shared, &sheet)).0);
    assert_eq!(text, "a10³₄5\t~~a10~~³₄5\n~~b~~\t~~7~~\n");
}

#[test]
fn letters_are_signs_of_the_font_of_their_cell() {
    for (version, flags) in [(0x600, &[0_u8][..]), (0x500, &[])] {
        let font = |name: &str| {
            let name = [&[name.len() as u8], flags, name.as_bytes()].concat();
            record(kind::FONT, &[&[0; 14][..], &name].concat())
        };
        let shared = [
            font("Arial"),
            font("Wingdings"),
            record(kind::XF, &words(&[0, 0])),
            record(kind::XF, &words(&[1, 0])),
        ];
        let label = [&[1, 0], flags, &[0xfc]].concat();
        let sheet = [0, 1].map(|style| cell(kind::LABEL, 0, style, &label));
        let text = text(&book(version, &shared, &sheet)).0;
        assert_eq!(text, "ü\t✓\n", "version {version:#x}");
    }
}
