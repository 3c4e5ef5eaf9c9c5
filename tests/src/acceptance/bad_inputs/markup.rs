//! Office packages, markup and compound files made to break readers (inputs 55 to 59 and 63).

use std::fmt::Write as _;

use anyhow::Result;

use super::bed::{Bed, text};
use crate::handmade::office::{self, docx_of, ods_of, xlsx_of};

pub(super) fn make(bed: &mut Bed) -> Result<()> {
    entities(bed)?;
    attributes(bed)?;
    sheets(bed)?;
    compound(bed)?;
    nested(bed)
}

fn entities(bed: &mut Bed) -> Result<()> {
    let mut laughs = String::from("<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY a0 \"ha ha ha\">");
    for level in 1..12 {
        let below = format!("&a{};", level - 1).repeat(10);
        let _ = write!(laughs, "<!ENTITY a{level} \"{below}\">");
    }
    laughs += "]>";
    let body = format!("{}&a11;", text(55));
    bed.write(
        55,
        "DOCX of a billion laughs",
        "55-laughs.docx",
        docx_of(&laughs, &body, &[]),
    )?;
    let external = format!(
        "<!DOCTYPE d SYSTEM \"{0}\" [<!ENTITY e SYSTEM \"{0}\">]>",
        bed.secret_url()
    );
    let body = format!("{}&e;", text(155));
    bed.write(
        55,
        "DOCX with an external DTD",
        "55-dtd.docx",
        docx_of(&external, &body, &[]),
    )?;
    let remote = office::relationships(&format!(
        "<Relationship Id=\"t\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/\
         relationships/attachedTemplate\" Target=\"{}\" TargetMode=\"External\"/>",
        bed.secret_url()
    ));
    let parts = [("word/_rels/settings.xml.rels", remote.as_bytes())];
    bed.write(
        55,
        "DOCX with a remote template",
        "55-template.docx",
        docx_of("", &text(255), &parts),
    )
}

fn attributes(bed: &mut Bed) -> Result<()> {
    for (input, name, prefix) in [
        ("XML tag of 800,000 attributes", "56-attributes.xml", "a"),
        (
            "XML tag of 800,000 namespaces",
            "56-namespaces.xml",
            "xmlns:n",
        ),
    ] {
        let mut xml = String::from("<?xml version=\"1.0\"?>\n<root><tag");
        for at in 0..800_000 {
            let _ = write!(xml, " {prefix}{at}=\"u\"");
        }
        let _ = write!(xml, ">{}</tag></root>", text(560 + prefix.len() as u64));
        bed.write(56, input, name, xml)?;
    }
    Ok(())
}

fn sheets(bed: &mut Bed) -> Result<()> {
    let strings = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
                   count=\"4000000000\" uniqueCount=\"4000000000\">";
    let shared = format!("{strings}<si><t>{}</t></si></sst>", text(57));
    let cell = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>";
    bed.write(
        57,
        "XLSX that claims 4,000,000,000 strings",
        "57-count.xlsx",
        xlsx_of(&shared, cell),
    )?;
    let shared = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"/>";
    let last = format!(
        "<row r=\"1048576\"><c r=\"XFD1048576\" t=\"inlineStr\"><is><t>{}</t></is></c></row>",
        text(157)
    );
    bed.write(
        57,
        "XLSX with one cell at XFD1048576",
        "57-last.xlsx",
        xlsx_of(shared, &last),
    )?;
    let row = format!(
        "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell \
         table:number-columns-repeated=\"16384\" office:value-type=\"string\"><text:p>{}</text:p>\
         </table:table-cell></table:table-row>",
        text(58)
    );
    bed.write(
        58,
        "ODS that repeats a cell 17,179,869,184 times",
        "58-repeated.ods",
        ods_of(&row),
    )
}

/// Compound files [MS-CFB]: a header that claims, and sectors that lead in circles.
fn compound(bed: &mut Bed) -> Result<()> {
    let mut header = vec![0_u8; 512];
    header[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    header[24..34].copy_from_slice(&[0x3e, 0, 3, 0, 0xfe, 0xff, 9, 0, 6, 0]);
    let mut put = |at: usize, value: u32| header[at..at + 4].copy_from_slice(&value.to_le_bytes());
    // One sector of the allocation table, the directory in sector 1.
    for (at, value) in [
        (44, 1),
        (48, 1),
        (56, 4096),
        (60, 0xffff_fffe),
        (68, 0xffff_fffe),
    ] {
        put(at, value);
    }
    for at in 0..109 {
        put(76 + 4 * at, if at == 0 { 0 } else { u32::MAX });
    }
    // Each sector of the table names itself as the next one.
    let table: Vec<u8> = (0..128_u32).flat_map(|at| at.to_le_bytes()).collect();
    let directory = [
        entry("Root Entry", 5, u32::MAX, 1),
        entry("WordDocument", 2, 0, u32::MAX),
    ];
    let directory = [directory.concat(), vec![0; 256]].concat();
    let cycle = [&header[..], &table, &directory].concat();
    bed.write(
        59,
        "DOC whose sectors run in a circle",
        "59-cycle.doc",
        cycle,
    )?;
    let directory = [
        entry("Root Entry", 5, u32::MAX, 1),
        entry("Workbook", 2, 0, u32::MAX),
    ];
    let directory = [directory.concat(), vec![0; 256]].concat();
    header[68..72].copy_from_slice(&1_u32.to_le_bytes());
    header[72..76].copy_from_slice(&4_000_000_000_u32.to_le_bytes());
    header[44..48].copy_from_slice(&4_000_000_000_u32.to_le_bytes());
    let claims = [&header[..], &table, &directory].concat();
    bed.write(
        59,
        "XLS that claims 4,000,000,000 tables",
        "59-difat.xls",
        claims,
    )
}

/// An entry of the directory: a storage (5) or a long stream (2) that begins in this sector.
fn entry(name: &str, kind: u8, start: u32, child: u32) -> Vec<u8> {
    let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    entry.resize(64, 0);
    entry.extend((2 * name.len() as u16 + 2).to_le_bytes());
    entry.extend([kind, 1]);
    for link in [u32::MAX, u32::MAX, child] {
        entry.extend(link.to_le_bytes());
    }
    entry.resize(116, 0);
    entry.extend(start.to_le_bytes());
    entry.extend(100_000_u64.to_le_bytes());
    entry
}

fn nested(bed: &mut Bed) -> Result<()> {
    const DEEP: usize = 100_000;
    let html = format!(
        "<html><body><p>{}</p>{}deep",
        text(63),
        "<div>".repeat(DEEP)
    );
    bed.write(63, "HTML 100,000 deep", "63-deep.html", html)?;
    let rtf = format!(
        "{{\\rtf1\\ansi {}\\par {}deep{}}}",
        text(163),
        "{".repeat(DEEP),
        "}".repeat(DEEP)
    );
    bed.write(63, "RTF 100,000 deep", "63-deep.rtf", rtf)?;
    let binary = format!("{{\\rtf1\\ansi {}\\par \\bin2147483647 abc}}", text(263));
    bed.write(63, "RTF with a huge \\bin", "63-bin.rtf", binary)
}
