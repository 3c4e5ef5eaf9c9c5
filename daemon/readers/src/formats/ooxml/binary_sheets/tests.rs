//! Binary workbooks made here, record by record.

use simdex_extract::{Budgets, Fact, Facts, Reason};

use super::super::tests::relations;
use super::*;
use crate::formats::package::tests::zip_of;
use crate::input::input_of;

fn record(number: u32, fields: &[&[u8]]) -> Vec<u8> {
    let fields = fields.concat();
    let mut bytes = Vec::new();
    for (mut value, max_bytes) in [(number as usize, 2), (fields.len(), 4)] {
        for _ in 0..max_bytes {
            let more = if value > 0x7f { 0x80 } else { 0 };
            bytes.push((value & 0x7f) as u8 | more);
            value >>= 7;
            if more == 0 {
                break;
            }
        }
    }
    bytes.extend(fields);
    bytes
}

fn wide(text: &str) -> Vec<u8> {
    let units: Vec<_> = text.encode_utf16().collect();
    let length = (units.len() as u32).to_le_bytes();
    length
        .into_iter()
        .chain(units.into_iter().flat_map(u16::to_le_bytes))
        .collect()
}

/// A cell of a column and a style.
fn cell(number: u32, style: u8, value: &[u8]) -> Vec<u8> {
    record(number, &[&[3, 0, 0, 0, style, 0, 0, 1], value])
}

fn book(sheet: &[u8], comments: &[u8], budgets: Budgets) -> (Reading, String, Facts) {
    let strings = [("zero", 0), ("one ü", 1)]
        .map(|(text, flags)| record(SHARED_STRING, &[&[flags], &wide(text)]));
    let styles = [
        record(FORMAT, &[&170_u16.to_le_bytes(), &wide("yyyy")]),
        record(STYLE, &[&[0, 0, 14, 0]]),
        record(BEGIN_STYLES, &[&[2, 0, 0, 0]]),
        record(STYLE, &[&[0, 0, 0, 0]]),
        record(STYLE, &[&[0, 0], &170_u16.to_le_bytes()]),
        record(END_STYLES, &[]),
    ];
    with_parts(
        sheet,
        comments,
        &strings.concat(),
        &styles.concat(),
        budgets,
    )
}

fn with_parts(
    sheet: &[u8],
    comments: &[u8],
    strings: &[u8],
    styles: &[u8],
    budgets: Budgets,
) -> (Reading, String, Facts) {
    let package = relations(&[("r1", "officeDocument", "xl/workbook.bin")]);
    let main = relations(&[
        ("rId1", "worksheet", "worksheets/sheet1.bin"),
        ("rId2", "sharedStrings", "sharedStrings.bin"),
        ("rId3", "styles", "styles.bin"),
    ]);
    let of_sheet = relations(&[("r1", "comments", "../comments1.bin")]);
    let hidden = record(
        SHEET,
        &[&[1, 0, 0, 0, 1, 0, 0, 0], &wide("rId1"), &wide("Sheet")],
    );
    let bytes = zip_of(&[
        ("_rels/.rels", package.as_bytes()),
        (
            "xl/workbook.bin",
            &[record(WORKBOOK_PROPERTIES, &[&[0; 8]]), hidden].concat(),
        ),
        ("xl/_rels/workbook.bin.rels", main.as_bytes()),
        ("xl/sharedStrings.bin", strings),
        ("xl/styles.bin", styles),
        ("xl/worksheets/sheet1.bin", sheet),
        ("xl/worksheets/_rels/sheet1.bin.rels", of_sheet.as_bytes()),
        ("xl/comments1.bin", comments),
    ]);
    let mut sink = Sink::collecting(1 << 20, budgets).0;
    let reading = read(&input_of(&bytes), &mut sink);
    let text = sink.take_text();
    (reading, text, sink.facts().clone())
}

#[test]
fn cells_of_every_type() {
    let row = |number: u32| record(0, &[&number.to_le_bytes(), &[0; 13]]);
    let sheet = [
        row(0),
        cell(7, 0, &[0; 4]),
        cell(1, 0, &[]),
        cell(7, 0, &[1, 0, 0, 0]),
        cell(6, 0, &wide("text")),
        record(500, &[&[9; 300]]),
        row(1),
        cell(2, 0, &(7_u32 << 2 | 2).to_le_bytes()),
        cell(5, 1, &36_526_f64.to_le_bytes()),
        cell(9, 0, &2.5_f64.to_le_bytes()),
        row(2),
        cell(4, 0, &[1]),
        cell(11, 0, &[0x2a]),
        cell(8, 0, &wide("sum")),
        cell(62, 0, &[&[1][..], &wide("rich")].concat()),
        record(18, &[&[0; 4], &[0; 4]]),
        record(479, &[&[0, 0], &wide("&CTop"), &[0xff; 20]]),
    ];
    let comments = [
        record(COMMENT_AUTHOR, &[&wide("Ada")]),
        record(COMMENT_AUTHOR, &[&wide("tc={1}")]),
        record(BEGIN_COMMENT, &[&[0; 36]]),
        record(COMMENT_TEXT, &[&[0], &wide("remark")]),
        record(BEGIN_COMMENT, &[&[1, 0, 0, 0]]),
        record(COMMENT_TEXT, &[&[0], &wide("thread")]),
    ];
    let (reading, text, facts) = book(&sheet.concat(), &comments.concat(), Budgets::default());
    let expected =
        "zero\tone ü\ttext\n7\t2000-01-01\t2.5\nTRUE\t#N/A\tsum\trich\tzero\nTop\nremark\n";
    assert_eq!((reading, &*text), (Ok(None), expected));
    let counts = [
        Fact::Sheets,
        Fact::HiddenSheets,
        Fact::Cells,
        Fact::Comments,
    ];
    assert_eq!(counts.map(|fact| facts.number(fact)), [1, 1, 11, 1]);
}

#[test]
fn damage_and_limits_keep_what_was_read() {
    let whole = [cell(6, 0, &wide("kept")), cell(6, 0, &wide("lost"))].concat();
    let (reading, text, _) = book(&whole[..whole.len() - 3], &[], Budgets::default());
    assert_eq!((reading, &*text), (Ok(Some(Reason::Damaged)), "kept\n"));
    let few = Budgets {
        cells: 1,
        ..Budgets::default()
    };
    let (reading, text, _) = book(&whole, &[], few);
    assert_eq!((reading, &*text), (Ok(Some(Reason::CellsLimit)), "kept\n"));
    let (begin, end) = (record(129, &[]), record(130, &[]));
    let open = [&begin[..], &cell(6, 0, &wide("kept"))].concat();
    let (reading, text, _) = book(&open, &[], Budgets::default());
    assert_eq!((reading, &*text), (Ok(Some(Reason::Damaged)), "kept\n"));
    let (reading, ..) = book(&[open, end].concat(), &[], Budgets::default());
    assert_eq!(reading, Ok(None));
    let short = [cell(5, 0, &[1, 2]), cell(6, 0, &wide("after"))].concat();
    let (reading, text, _) = book(&short, &[], Budgets::default());
    assert_eq!((reading, &*text), (Ok(Some(Reason::Damaged)), "after\n"));
}

#[test]
fn fonts_raise_and_strike_cells_and_runs() {
    let font =
        |flags: u8, place: u8| record(FONT, &[&[200, 0, flags, 0, 144, 1, place, 0, 0, 0, 0, 0]]);
    let style = |font: u8| record(STYLE, &[&[0, 0, 0, 0, font, 0]]);
    let styles = [
        font(0, 0),
        font(8, 0),
        font(0, 1),
        record(BEGIN_STYLES, &[]),
        style(0),
        style(1),
        record(END_STYLES, &[]),
    ];
    let rich = |text: &str, runs: &[u16]| {
        let count = (runs.len() as u32 / 2).to_le_bytes();
        let runs: Vec<u8> = runs.iter().flat_map(|word| word.to_le_bytes()).collect();
        [&[1][..], &wide(text), &count, &runs].concat()
    };
    let strings = record(SHARED_STRING, &[&rich("103 c", &[2, 2, 4, 1])]);
    let sheet = [
        cell(7, 0, &[0; 4]),
        cell(7, 1, &[0; 4]),
        cell(62, 0, &rich("x5", &[1, 1])),
        cell(5, 1, &2.5_f64.to_le_bytes()),
    ];
    let text = with_parts(
        &sheet.concat(),
        &[],
        &strings,
        &styles.concat(),
        Budgets::default(),
    )
    .1;
    assert_eq!(text, "10³ ~~c~~\t~~10~~³ ~~c~~\tx~~5~~\t~~2.5~~\n");
}

#[test]
fn letters_are_signs_of_the_font_of_their_cell_or_run() {
    let font = |name: &str| record(FONT, &[&[0; 21], &wide(name)]);
    let styles = [
        font("Arial"),
        font("Wingdings"),
        record(BEGIN_STYLES, &[]),
        record(STYLE, &[&[0, 0, 0, 0, 1, 0]]),
        record(END_STYLES, &[]),
    ];
    let runs = [1_u32.to_le_bytes(), [1, 0, 0, 0]].concat();
    let strings = record(SHARED_STRING, &[&[1], &wide("üü"), &runs]);
    let sheet = [cell(7, 0, &[0; 4]), cell(6, 0, &wide("þ"))].concat();
    let parts = [&sheet, &strings, &styles.concat()];
    let [sheet, strings, styles] = parts.map(|part| &**part);
    let text = with_parts(sheet, &[], strings, styles, Budgets::default()).1;
    assert_eq!(text, "✓ü\t☑\n");
}
