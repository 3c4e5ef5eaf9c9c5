//! PDF files made to break readers (inputs 34 to 44).

use anyhow::Result;

use super::bed::{Bed, rows, text};
use crate::handmade::crypt::locked_pdf;
use crate::handmade::pdf::{lines, page, pdf_with, stream};
use crate::handmade::zlib;

pub(super) fn make(bed: &mut Bed) -> Result<()> {
    structure(bed)?;
    bombs(bed)?;
    contents(bed)?;
    bed.write(
        41,
        "PDF with a user password",
        "41-user.pdf",
        locked_pdf(&text(41), "user"),
    )?;
    bed.write(
        41,
        "PDF with an empty password",
        "41-empty.pdf",
        locked_pdf(&text(141), ""),
    )?;
    truncated(bed)?;
    forms(bed)
}

fn structure(bed: &mut Bed) -> Result<()> {
    let nested = format!("/X {}{}", "[".repeat(10_380), "]".repeat(10_380));
    let arrays = page(&nested, stream("", lines(&rows(34)).as_bytes()));
    bed.write(
        34,
        "PDF with arrays 10,380 deep",
        "34-arrays.pdf",
        pdf_with(&arrays, ""),
    )?;
    let mut cycle = page("", stream("", lines(&rows(35)).as_bytes()));
    cycle[1] = b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 /Parent 2 0 R >>".to_vec();
    bed.write(
        35,
        "PDF with a cycle in its page tree",
        "35-cycle.pdf",
        pdf_with(&cycle, ""),
    )?;
    let sound = page("", stream("", lines(&rows(36)).as_bytes()));
    let size = pdf_with(&sound, "/Size 4294967295");
    bed.write(36, "PDF with a huge /Size", "36-size.pdf", size)?;
    bed.write(36, "PDF with a huge /W", "36-w.pdf", wide_table())?;
    let other = page("", stream("", lines(&rows(38)).as_bytes()));
    let mut looped = pdf_with(&other, "/Prev 0000000000");
    let start = looped
        .windows(5)
        .position(|at| at == b"\nxref")
        .unwrap_or(0)
        + 1;
    let at = looped.windows(5).position(|at| at == b"/Prev").unwrap_or(0) + 6;
    looped[at..at + 10].copy_from_slice(format!("{start:010}").as_bytes());
    bed.write(38, "PDF whose table precedes itself", "38-prev.pdf", looped)
}

/// A cross-reference stream whose fields claim more bytes than there are.
fn wide_table() -> Vec<u8> {
    let mut bytes = b"%PDF-1.5\n1 0 obj\n<< /Type /Catalog >>\nendobj\n".to_vec();
    let start = bytes.len();
    let entries = "/Type /XRef /Root 1 0 R /Size 4294967295 /W [1 4294967295 2147483647] \
                   /Index [0 4294967295]";
    bytes.extend(b"2 0 obj\n");
    bytes.extend(stream(entries, &[1; 64]));
    bytes.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

fn bombs(bed: &mut Bed) -> Result<()> {
    let blank = b"BT /F1 9 Tf (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n";
    let bomb = zlib(&blank.repeat((256 << 20) / blank.len()));
    let objects = page("", stream("/Filter /FlateDecode", &bomb));
    bed.write(
        37,
        "PDF that inflates to 256 MiB",
        "37-flate.pdf",
        pdf_with(&objects, ""),
    )?;
    let mut chained = bomb;
    for _ in 1..20 {
        chained = zlib(&chained);
    }
    let filters = format!("/Filter [{}]", "/FlateDecode ".repeat(20));
    let objects = page("", stream(&filters, &chained));
    bed.write(
        37,
        "PDF with a chain of 20 filters",
        "37-chain.pdf",
        pdf_with(&objects, ""),
    )
}

fn contents(bed: &mut Bed) -> Result<()> {
    let image = b"q BI /W 4 /H 4 /BPC 8 ID \x00\x01\x02\x03 EI Q\n";
    let drawn = [&image[..], lines(&rows(39)).as_bytes()].concat();
    let objects = page("", stream("", &drawn));
    let name = "PDF with an inline image without colour space";
    bed.write(39, name, "39-image.pdf", pdf_with(&objects, ""))?;
    let nested = format!("1 beginbfrange\n<00> <ff> {}\n", "[".repeat(200_000));
    let cmap = format!("/CIDInit /ProcSet findresource begin\nbegincmap\n{nested}endbfrange\n");
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Odd /ToUnicode 6 0 R \
                /FontDescriptor 7 0 R >>";
    let program = format!("%!PS-AdobeFont-1.0\n{}", "{".repeat(200_000));
    let mut objects = page("", stream("", lines(&rows(40)).as_bytes()));
    objects[3] = font.as_bytes().to_vec();
    objects.push(stream("", cmap.as_bytes()));
    let descriptor = "<< /Type /FontDescriptor /FontName /Odd /Flags 4 /FontFile 8 0 R >>";
    objects.push(descriptor.as_bytes().to_vec());
    let lengths = format!("/Length1 {} /Length2 0 /Length3 0", program.len());
    objects.push(stream(&lengths, program.as_bytes()));
    bed.write(
        40,
        "PDF with a CMap and a font 200,000 deep",
        "40-cmap.pdf",
        pdf_with(&objects, ""),
    )
}

fn truncated(bed: &mut Bed) -> Result<()> {
    let whole = pages(8);
    for part in 1..64 {
        let end = whole.len() * part / 64;
        let path = format!("42/{part:02}-of-64.pdf");
        bed.write(42, "PDF cut after each 1/64", path, &whole[..end])?;
    }
    Ok(())
}

/// A file with this many pages, each followed directly by its own contents.
fn pages(count: usize) -> Vec<u8> {
    let kids: String = (0..count)
        .map(|at| format!("{} 0 R ", 2 * at + 4))
        .collect();
    let mut objects: Vec<Vec<u8>> = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ]
    .map(String::into_bytes)
    .to_vec();
    for at in 0..count {
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            2 * at + 5
        );
        objects.push(page.into_bytes());
        let shown = lines(&rows(420 + at as u64));
        objects.push(stream("", shown.as_bytes()));
    }
    pdf_with(&objects, "")
}

fn forms(bed: &mut Bed) -> Result<()> {
    let xfa = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY e SYSTEM \"{}\">]>\
         <xdp:xdp xmlns:xdp=\"http://ns.adobe.com/xdp/\"><p>&e;</p></xdp:xdp>",
        bed.secret_url()
    );
    let mut objects = page("", stream("", lines(&rows(43)).as_bytes()));
    objects[0] =
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 6 0 R /Fields [] >> >>".to_vec();
    objects.push(stream("", xfa.as_bytes()));
    bed.write(
        43,
        "PDF with an XFA form that names a file",
        "43-xfa.pdf",
        pdf_with(&objects, ""),
    )?;
    let mut scan = page("", stream("", b"q 600 0 0 700 0 0 cm /Im Do Q\n"));
    scan[2] = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R \
        /Resources << /XObject << /Im 6 0 R >> >> >>"
        .to_vec();
    let image = "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray \
                 /BitsPerComponent 8";
    scan.push(stream(image, &[200; 64 * 64]));
    bed.write(
        44,
        "PDF of a scanned page",
        "44-scan.pdf",
        pdf_with(&scan, ""),
    )
}
