//! Packages of parts (ECMA-376, ODF 1.3, EPUB 3), each of one short document.

use super::zip::{Entry, zip};

const OOXML: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// A part of relationships.
pub fn relationships(inside: &str) -> String {
    format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{inside}</Relationships>")
}

fn relationship(id: &str, kind: &str, target: &str) -> String {
    format!("<Relationship Id=\"{id}\" Type=\"{OOXML}/{kind}\" Target=\"{target}\"/>")
}

/// A package whose main part is of this content type.
fn ooxml(main: &str, content_type: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let types = format!(
        "<?xml version=\"1.0\"?><Types xmlns=\"{PACKAGE}/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.\
         relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/{main}\" ContentType=\"application/{content_type}\"/></Types>"
    );
    let rels = relationships(&relationship("r1", "officeDocument", main));
    let mut entries = vec![
        Entry::deflated("[Content_Types].xml", types.as_bytes()),
        Entry::deflated("_rels/.rels", rels.as_bytes()),
    ];
    entries.extend(
        parts
            .iter()
            .map(|(name, bytes)| Entry::deflated(name, bytes)),
    );
    zip(&entries)
}

/// A text of one paragraph; `head` stands before the root element, `inside` is markup of a run.
pub fn docx_of(head: &str, inside: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let document = format!(
        "{head}<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
         <w:body><w:p><w:r><w:t>{inside}</w:t></w:r></w:p></w:body></w:document>"
    );
    let kind = "vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    let mut all = vec![("word/document.xml", document.as_bytes())];
    all.extend(parts);
    ooxml("word/document.xml", kind, &all)
}

/// A workbook of one sheet: its part of shared strings, its rows.
pub fn xlsx_of(shared: &str, rows: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let workbook = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OOXML}\"><sheets><sheet name=\"one\" sheetId=\"1\" \
         r:id=\"r1\"/></sheets></workbook>"
    );
    let sheet = format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
    let rels = relationships(
        &[
            relationship("r1", "worksheet", "worksheets/sheet1.xml"),
            relationship("r2", "sharedStrings", "sharedStrings.xml"),
        ]
        .concat(),
    );
    let kind = "vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
    let parts = [
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", rels.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", shared.as_bytes()),
    ];
    ooxml("xl/workbook.xml", kind, &parts)
}

/// A workbook in BIFF12: one sheet, one cell with this string.
pub fn xlsb_of(text: &str) -> Vec<u8> {
    let wide = |text: &str| {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [&(units.len() as u32 / 2).to_le_bytes()[..], &units].concat()
    };
    let sheet = [&[0; 4], &1_u32.to_le_bytes()[..], &wide("r1"), &wide("one")].concat();
    let workbook = [
        record(131, &[]),
        record(143, &[]),
        record(156, &sheet),
        record(144, &[]),
        record(132, &[]),
    ];
    let cell = [&[0; 8], &wide(text)[..]].concat();
    let rows = [
        record(129, &[]),
        record(145, &[]),
        record(0, &[0; 17]),
        record(6, &cell),
        record(146, &[]),
        record(130, &[]),
    ];
    let rels = relationships(&relationship("r1", "worksheet", "worksheets/sheet1.bin"));
    let parts = [
        ("xl/workbook.bin", &workbook.concat()[..]),
        ("xl/_rels/workbook.bin.rels", rels.as_bytes()),
        ("xl/worksheets/sheet1.bin", &rows.concat()),
    ];
    ooxml(
        "xl/workbook.bin",
        "vnd.ms-excel.sheet.binary.macroEnabled.main",
        &parts,
    )
}

/// A record of BIFF12: number and length in seven bits a byte.
fn record(number: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    if number < 128 {
        bytes.push(number as u8);
    } else {
        bytes.extend([number as u8 | 0x80, (number >> 7) as u8]);
    }
    let mut length = body.len();
    while length > 127 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(body);
    bytes
}

/// A presentation of one slide.
pub fn pptx_of(text: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
    const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
    let presentation = format!(
        "<p:presentation xmlns:p=\"{MAIN}\" xmlns:r=\"{OOXML}\"><p:sldIdLst><p:sldId id=\"256\" \
         r:id=\"r1\"/></p:sldIdLst></p:presentation>"
    );
    let slide = format!(
        "<p:sld xmlns:p=\"{MAIN}\" xmlns:a=\"{DRAWING}\"><p:cSld><p:spTree><p:sp><p:txBody><a:p>\
         <a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    let rels = relationships(&relationship("r1", "slide", "slides/slide1.xml"));
    let kind = "vnd.openxmlformats-officedocument.presentationml.presentation.main+xml";
    let parts = [
        ("ppt/presentation.xml", presentation.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", rels.as_bytes()),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
    ];
    ooxml("ppt/presentation.xml", kind, &parts)
}

fn odf(kind: &str, body: &str) -> Vec<u8> {
    const NAMES: &str = "urn:oasis:names:tc:opendocument:xmlns";
    let media = format!("application/vnd.oasis.opendocument.{kind}");
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"{NAMES}:office:1.0\" \
         xmlns:text=\"{NAMES}:text:1.0\" xmlns:table=\"{NAMES}:table:1.0\" \
         office:version=\"1.3\"><office:body>{body}</office:body></office:document-content>"
    );
    zip(&[
        Entry::stored("mimetype", media.as_bytes()),
        Entry::deflated("content.xml", content.as_bytes()),
    ])
}

/// A text of these paragraphs' markup.
pub fn odt_of(paragraphs: &str) -> Vec<u8> {
    odf("text", &format!("<office:text>{paragraphs}</office:text>"))
}

/// A sheet of these rows' markup.
pub fn ods_of(rows: &str) -> Vec<u8> {
    let table = format!("<table:table table:name=\"one\">{rows}</table:table>");
    odf(
        "spreadsheet",
        &format!("<office:spreadsheet>{table}</office:spreadsheet>"),
    )
}

/// A book of one chapter.
pub fn epub_of(text: &str) -> Vec<u8> {
    let container = "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\" \
         version=\"1.0\"><rootfiles><rootfile full-path=\"book.opf\" \
         media-type=\"application/oebps-package+xml\"/></rootfiles></container>";
    let package = "<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\"><manifest><item \
         id=\"c\" href=\"c.xhtml\" media-type=\"application/xhtml+xml\"/></manifest><spine><itemref \
         idref=\"c\"/></spine></package>";
    let chapter = format!(
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>c</title></head><body><p>{text}\
         </p></body></html>"
    );
    zip(&[
        Entry::stored("mimetype", b"application/epub+zip"),
        Entry::deflated("META-INF/container.xml", container.as_bytes()),
        Entry::deflated("book.opf", package.as_bytes()),
        Entry::deflated("c.xhtml", chapter.as_bytes()),
    ])
}
