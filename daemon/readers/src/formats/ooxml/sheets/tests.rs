//! Workbooks made here: cells and their types, order, bounds, text outside cells.

use simdex_extract::{Budgets, Fact, Facts, Reason};

use super::super::tests::{read_parts, relations};
use super::*;

/// A workbook of one sheet with shared strings, styles and other parts.
fn book(sheet: &str, others: &[(&str, &str)], budgets: Budgets) -> (Reading, String, Facts) {
    let package = relations(&[("r1", "officeDocument", "xl/workbook.xml")]);
    let main = relations(&[
        ("r1", "worksheet", "worksheets/sheet1.xml"),
        ("r2", "worksheet", "worksheets/sheet2.xml"),
        ("r3", "sharedStrings", "sharedStrings.xml"),
        ("r4", "styles", "styles.xml"),
    ]);
    let mut parts = vec![
        ("_rels/.rels", &*package),
        ("xl/_rels/workbook.xml.rels", &main),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    parts.extend(others);
    let usual = [
        (
            "xl/workbook.xml",
            "<sheets><sheet name='One' sheetId='1' r:id='r1'/></sheets>",
        ),
        ("xl/sharedStrings.xml", "<sst/>"),
        ("xl/styles.xml", "<styleSheet/>"),
    ];
    let lacks = |name| !others.iter().any(|(other, _)| *other == name);
    parts.extend(usual.iter().filter(|(name, _)| lacks(*name)));
    let (reading, text, facts, _) = read_parts(read, &parts, budgets);
    (reading, text, facts)
}

/// The text of a workbook of this sheet and these styles, for other tests.
pub(in crate::formats) fn one_sheet(sheet: &str, styles: &str) -> String {
    let styles = ("xl/styles.xml", styles);
    let (reading, text, _) = book(sheet, &[styles], Budgets::default());
    assert_eq!(reading, Ok(None));
    text
}

const STRINGS: (&str, &str) = (
    "xl/sharedStrings.xml",
    "<sst uniqueCount='4000000000'><si><t>zero</t></si><si/>\
     <si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>reading</t></rPh></si><si><t>a_x0041_b &amp; _x</t></si></sst>",
);
const STYLES: (&str, &str) = (
    "xl/styles.xml",
    "<numFmts><numFmt numFmtId='170' formatCode='yyyy\\-mm'/></numFmts><cellStyleXfs><xf numFmtId='14'/></cellStyleXfs>\
     <cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='170'/><xf numFmtId='9'/></cellXfs>\
     <dxfs><xf numFmtId='14'/></dxfs>",
);

#[test]
fn a_sheet_that_breaks_off_between_tags_is_damaged() {
    let cut = "<worksheet><sheetData><row><c><v>1</v></c></row>";
    let whole = format!("{cut}</sheetData></worksheet>");
    assert_eq!(book(&whole, &[], Budgets::default()).0, Ok(None));
    let (reading, text, _) = book(cut, &[], Budgets::default());
    assert_eq!((reading, &*text), (Ok(Some(Reason::Damaged)), "1\n"));
}

#[test]
fn cells_of_every_type() {
    let sheet = "<sheetData><row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' s='1'/><c r='C1' t='s'><v> 2 </v></c>\
                 <c t='s'><v>3</v></c><c t='s'><v>99</v></c></row>\
                 <row><c><v>1.0</v></c><c s='1'><v>36526</v></c><c s='2'><v>36526.5</v></c><c s='3'><v>0.25</v></c></row>\
                 <row/><row><c t='b'><v>1</v></c><c t='e'><v>#N/A</v></c><c t='str'><f>A1</f><v>sum</v></c>\
                 <c t='inlineStr'><is><t>in&lt;</t><rPh><t>no</t></rPh></is></c><c t='d'><v>2020-01-01</v></c></row></sheetData>";
    let (reading, text, facts) = book(sheet, &[STRINGS, STYLES], Budgets::default());
    let expected = "zero\trich\taAb & _x\n1\t2000-01-01\t2000-01-01 12:00:00\t25%\nTRUE\t#N/A\tsum\tin<\t2020-01-01\n";
    assert_eq!((reading, &*text), (Ok(None), expected));
    assert_eq!(facts.number(Fact::Cells), 12);
}

#[test]
fn sheets_come_in_their_order_and_hidden_ones_are_counted() {
    let main = "<workbookPr date1904='1'/><sheets><sheet name='B' r:id='r2' state='veryHidden'/>\
                <sheet name='A' r:id='r1' state='visible'/></sheets>";
    let second = "<row><c s='1'><v>0</v></c></row>";
    let others = [
        ("xl/workbook.xml", main),
        ("xl/worksheets/sheet2.xml", second),
        STYLES,
    ];
    let (reading, text, facts) = book("<row><c><v>7</v></c></row>", &others, Budgets::default());
    assert_eq!((reading, &*text), (Ok(None), "1904-01-01\n7\n"));
    assert_eq!(
        (facts.number(Fact::Sheets), facts.number(Fact::HiddenSheets)),
        (2, 1)
    );
}

#[test]
fn one_cell_in_the_last_corner_is_one_cell() {
    let sheet =
        "<dimension ref='A1:XFD1048576'/><row r='1048576'><c r='XFD1048576'><v>1</v></c></row>";
    let (reading, text, facts) = book(sheet, &[], Budgets::default());
    assert_eq!(
        (reading, &*text, facts.number(Fact::Cells)),
        (Ok(None), "1\n", 1)
    );
}

#[test]
fn cells_are_limited_empty_ones_too() {
    let sheet = format!(
        "<row><c><v>1</v></c>{}<c><v>2</v></c></row>",
        "<c/>".repeat(20)
    );
    let budgets = |cells| Budgets {
        cells,
        ..Budgets::default()
    };
    let (reading, text, _) = book(&sheet, &[], budgets(10));
    assert_eq!((reading, &*text), (Ok(Some(Reason::CellsLimit)), "1\n"));
    let (reading, text, _) = book(&sheet, &[], budgets(30));
    assert_eq!((reading, &*text), (Ok(None), "1\t2\n"));
}

#[test]
fn headers_shapes_and_comments_follow_the_cells() {
    let sheet = "<row><c><v>5</v></c></row><headerFooter><oddHeader>&amp;C&amp;\"Arial\"Top</oddHeader>\
                 <oddFooter>&amp;P</oddFooter></headerFooter>";
    let to = relations(&[
        ("r1", "drawing", "../drawings/d.xml"),
        ("r2", "comments", "../comments1.xml"),
        ("r3", "threadedComment", "../threadedComments/t.xml"),
        ("r4", "table", "../tables/table1.xml"),
    ]);
    let drawn = relations(&[("c1", "chart", "../charts/c.xml")]);
    let comments = "<authors><author>Ada</author><author>tc={1}</author></authors><commentList>\
        <comment authorId='0'><text><r><t>old </t></r><r><t>remark</t></r></text></comment>\
        <comment authorId='1'><text><t>Your version of Excel</t></text></comment></commentList>";
    let (reading, text, facts) = book(
        sheet,
        &[
            ("xl/worksheets/_rels/sheet1.xml.rels", &to),
            (
                "xl/drawings/d.xml",
                "<xdr:sp><a:p><a:t>box</a:t></a:p></xdr:sp><c:chart r:id='c1'/>",
            ),
            ("xl/drawings/_rels/d.xml.rels", &drawn),
            ("xl/charts/c.xml", "<a:p><a:t>chart</a:t></a:p>"),
            ("xl/comments1.xml", comments),
            (
                "xl/threadedComments/t.xml",
                "<threadedComment><text>thread</text></threadedComment>",
            ),
            ("xl/tables/table1.xml", "<t>never</t>"),
        ],
        Budgets::default(),
    );
    assert_eq!(
        (reading, &*text),
        (Ok(None), "5\nTop\nbox\nchart\nold remark\nthread\n")
    );
    assert_eq!(facts.number(Fact::Comments), 2);
}

#[test]
fn connections_are_counted() {
    let to = relations(&[("r1", "connections", "../connections.xml")]);
    let others = [
        ("xl/worksheets/_rels/sheet1.xml.rels", &*to),
        (
            "xl/connections.xml",
            "<connections><connection id='1'/><connection id='2'/></connections>",
        ),
    ];
    let (reading, text, facts) = book("<row><c><v>1</v></c></row>", &others, Budgets::default());
    assert_eq!((reading, &*text), (Ok(None), "1\n"));
    assert_eq!(facts.number(Fact::External), 2);
}

#[test]
fn characters_that_xml_cannot_hold() {
    for (text, expected) in [
        ("_x000A_x", "\nx"),
        ("a_x0041__x0042_c_", "aABc_"),
        ("_x00", "_x00"),
        ("_xD800_", "_xD800_"),
        ("_xé000_", "_xé000_"),
    ] {
        assert_eq!(unescaped(text), expected);
    }
}

#[test]
fn cells_have_the_signs_of_their_formats() {
    let styles = "<numFmts><numFmt numFmtId='170' formatCode='0.00&quot; EUR&quot;'/>\
                  <numFmt numFmtId='171' formatCode='0.00&quot; USD&quot;'/></numFmts>\
                  <cellXfs><xf numFmtId='0'/><xf numFmtId='170'/><xf numFmtId='171'/><xf numFmtId='9'/></cellXfs>";
    let cells = [(5.0, 1), (5.0, 2), (0.05, 3), (0.05, 0)]
        .map(|(value, style)| format!("<c s='{style}'><v>{value}</v></c>"));
    let sheet = format!("<sheetData><row>{}</row></sheetData>", cells.concat());
    assert_eq!(one_sheet(&sheet, styles), "5 EUR\t5 USD\t5%\t0.05\n");
}

#[test]
fn raised_digits_of_a_string_stay_so() {
    let strings = "<sst><si><r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>3</t></r>\
                   <r><t>4</t></r></si></sst>";
    let others = [("xl/sharedStrings.xml", strings)];
    let within = "<is><r><t>x</t></r><r><rPr><vertAlign val='subscript'/></rPr><t>1</t></r><r><t>2</t></r></is>";
    let sheet = format!("<row><c t='s'><v>0</v></c><c t='inlineStr'>{within}</c></row>");
    let (_, text, _) = book(&sheet, &others, Budgets::default());
    assert_eq!(text, "10³4\tx₁2\n");
}

/// A cell with the style of this number.
fn cell(style: u8, kind: &str, value: &str) -> String {
    format!("<c s='{style}' t='{kind}'><v>{value}</v></c>")
}

#[test]
fn struck_cells_and_runs_are_marked() {
    let styles = "<fonts><font/><font><strike/></font><font><vertAlign val='superscript'/></font></fonts>\
                  <cellXfs><xf fontId='0'/><xf fontId='1'/><xf fontId='2'/></cellXfs>\
                  <dxfs><dxf><font><strike/></font></dxf></dxfs>";
    let strings = "<sst><si><t>a</t></si><si><r><t>b </t></r><r><rPr><strike/></rPr><t>c &amp;</t></r>\
                   <r><rPr><strike val='0'/></rPr><t>d</t></r></si></sst>";
    let within = "<is><r><t>e</t></r><r><rPr><strike/></rPr><t>f</t></r></is>";
    let sheet = [
        cell(0, "s", "0"),
        cell(1, "s", "0"),
        cell(0, "s", "1"),
        cell(1, "s", "1"),
        cell(1, "n", "-5"),
        cell(1, "b", "1"),
        cell(2, "n", "3"),
        format!("<c t='inlineStr'>{within}</c>"),
    ];
    let others = [("xl/sharedStrings.xml", strings), ("xl/styles.xml", styles)];
    let (_, text, _) = book(
        &format!("<row>{}</row>", sheet.concat()),
        &others,
        Budgets::default(),
    );
    let expected = "a\t~~a~~\tb ~~c &~~d\t~~b c &~~d\t~~-5~~\t~~TRUE~~\t³\te~~f~~\n";
    assert_eq!(text, expected);
}

#[test]
fn letters_are_signs_of_the_font_of_their_cell_or_run() {
    let styles = "<fonts><font><name val='Arial'/></font><font><b/><name val='Wingdings'/></font></fonts>\
                  <cellXfs><xf fontId='0'/><xf fontId='1'/></cellXfs>";
    let strings = "<sst><si><t>ü</t></si><si><r><rPr><rFont val='Wingdings 2'/></rPr><t>P</t></r><r><rPr>\
                   <rFont val='Arial'/></rPr><t> P</t></r></si></sst>";
    let sheet = [
        cell(0, "s", "0"),
        cell(1, "s", "0"),
        cell(1, "s", "1"),
        cell(1, "str", "\u{f0fc}ü"),
        // What a cell computes with stays what it is.
        cell(1, "n", "5"),
        cell(1, "b", "1"),
        cell(1, "e", "#l"),
    ];
    let sheet = format!("<row>{}</row>", sheet.concat());
    let others = [("xl/sharedStrings.xml", strings), ("xl/styles.xml", styles)];
    let (_, text, _) = book(&sheet, &others, Budgets::default());
    assert_eq!(text, "ü\t✓\t✓ P\t✓✓\t5\tTRUE\t#l\n");
}
