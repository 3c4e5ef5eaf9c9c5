//! PDFs made here: whole, damaged, locked, without text.

use pdf_extract::{EncryptionState, EncryptionVersion, Permissions};

mod hostile;

use super::*;
use crate::input::input_of;

const MEDIA_BOX: &str = "/MediaBox [0 0 612 792]";

/// Objects with their numbers from 1 on, a cross reference table, a trailer.
pub(crate) fn pdf_of(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let start = file.len();
    let size = objects.len() + 1;
    let id = "/ID [<0123456789abcdef0123456789abcdef> <0123456789abcdef0123456789abcdef>]";
    table += &format!("trailer\n<< /Size {size} /Root 1 0 R {id} >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(table.bytes());
    file
}

pub(crate) fn stream(content: &str) -> String {
    format!(
        "<< /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// Catalog, page tree, font; then page and content for each of `pages` (its own entries, text).
fn objects(pages: &[(&str, &str)]) -> Vec<String> {
    let kids: String = (0..pages.len())
        .map(|i| format!("{} 0 R ", 4 + 2 * i))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (index, (entries, text)) in pages.iter().enumerate() {
        let content = 5 + 2 * index;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R {entries} /Contents {content} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        let draw = if text.is_empty() {
            String::new()
        } else {
            format!("({text}) Tj")
        };
        objects.push(stream(&format!("BT /F1 12 Tf 72 700 Td {draw} ET")));
    }
    objects
}

pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let pages: Vec<_> = pages.iter().map(|text| (MEDIA_BOX, *text)).collect();
    pdf_of(&objects(&pages))
}

pub(super) fn text(bytes: &[u8]) -> (Reading, String, Vec<String>) {
    let mut sink = Sink::of(1 << 20);
    let reading = read(&input_of(bytes), &mut sink);
    (reading, sink.take_text(), sink.into_remarks().0)
}

/// The main parser passes over them without a word.
#[test]
fn operators_that_begin_a_line_show_their_text() {
    let lines = "it's one) Tj 14 TL (two) ' 0 0 (three 'x) \" <34> ' 7 ' (five";
    let (reading, text, _) = text(&pdf(&[lines]));
    assert_eq!(
        (reading, &*text),
        (Ok(None), "it’s one\ntwo\nthree ’x\n4five\n")
    );
}

#[test]
fn pages_are_read_in_order_each_on_its_own_line() {
    let (reading, text, warnings) = text(&pdf(&["First page", "Second page"]));
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        (reading, lines),
        (Ok(None), vec!["First page", "Second page"])
    );
    assert!(warnings.is_empty());
}

#[test]
fn a_page_that_the_first_engine_cannot_read_is_read_by_the_second() {
    // The main parser panics if there is no media box.
    let pages = [
        (MEDIA_BOX, "one"),
        ("", "two"),
        (MEDIA_BOX, "three"),
        ("", "four"),
    ];
    let mut sink = Sink::of(1000);
    assert_eq!(
        read(&input_of(&pdf_of(&objects(&pages))), &mut sink),
        Ok(None)
    );
    assert_eq!(sink.text(), "one\ntwo\nthree\nfour\n");
    assert_eq!(sink.parser(), Some(BOTH_PARSERS));
    assert_eq!(sink.facts().number(Fact::Pages), 4);
    assert_eq!(sink.facts().number(Fact::PagesBySecondEngine), 2);
    assert_eq!(sink.facts().number(Fact::PagesFailed), 0);
}

#[test]
fn widths_of_fonts_that_are_not_embedded_count_once() {
    let mut objects = objects(&[("", "il) Tj 15 0 Td (il")]);
    let widths = "500 ".repeat(256);
    objects[2] = format!(
        "<< /Type /Font /Subtype /TrueType /BaseFont /Verdana /Encoding /WinAnsiEncoding \
         /FirstChar 0 /LastChar 255 /Widths [{widths}] >>"
    );
    let (_, text, _) = text(&pdf_of(&objects));
    assert_eq!(text.trim(), "il il");
}

#[test]
fn pages_tell_of_their_running_lines_and_blanks() {
    let pages = pdf(&["7", "8", "9", ""]);
    let mut sink = Sink::of(1000);
    assert_eq!(read(&input_of(&pages), &mut sink), Ok(None));
    assert_eq!(sink.facts().number(Fact::PagesWithoutText), 1);
    assert_eq!(sink.facts().get(Fact::Quality), Some("100"));
}

#[test]
fn a_scanned_page_among_others_makes_the_document_partial() {
    let with_picture = |(width, height): (u32, u32), draw: &str| {
        let mut objects = objects(&[(MEDIA_BOX, "Clause 1"), (MEDIA_BOX, "")]);
        objects[5] = objects[5].replace("/Font", "/XObject << /X 8 0 R >> /Font");
        objects[6] = stream(draw);
        objects.push(format!(
            "<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray \
             /BitsPerComponent 8 /Length 1 >>\nstream\n0\nendstream"
        ));
        text(&pdf_of(&objects))
    };
    let draw = "q 612 0 0 792 0 0 cm /X Do Q";
    let (reading, text, _) = with_picture((1_240, 1_754), draw);
    assert_eq!(reading, Ok(Some(Reason::PagesNeedOcr)));
    assert_eq!(text.trim(), "Clause 1");
    // A logo, and a picture that the page lists and does not draw.
    assert_eq!(with_picture((200, 100), draw).0, Ok(None));
    assert_eq!(with_picture((1_240, 1_754), "q Q").0, Ok(None));
}

#[test]
fn what_annotations_show_is_read_once() {
    let mut objects = objects(&[(MEDIA_BOX, "Page")]);
    objects[0] = objects[0].replace("/Pages", "/AcroForm << /Fields [8 0 R] >> /Pages");
    objects[3] = objects[3].replace("/Contents", "/Annots [6 0 R 8 0 R 10 0 R] /Contents");
    let annotation = |entries: &str, look: usize| {
        let bottom = 100 * look;
        let top = bottom + 90;
        format!("<< /Type /Annot /Rect [9 {bottom} 90 {top}] /AP << /N {look} 0 R >> {entries} >>")
    };
    let look = |text: &str| {
        let content = format!("BT /F1 10 Tf 0 0 Td ({text}) Tj ET");
        let form = "/Type /XObject /Subtype /Form /BBox [0 0 99 99]";
        let fonts = "/Resources << /Font << /F1 3 0 R >> >>";
        stream(&content).replacen("<<", &format!("<< {form} {fonts}"), 1)
    };
    objects.extend([
        annotation("/Subtype /Stamp", 7),
        look("Approved in full"),
        annotation("/Subtype /Widget /FT /Tx /V (Jane Doe)", 9),
        look("J a n e D o e"),
        annotation("/Subtype /Stamp /F 2", 7),
    ]);
    let (reading, text, _) = text(&pdf_of(&objects));
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        (reading, lines),
        (Ok(None), vec!["Page", "Jane Doe", "Approved in full"])
    );
}

#[test]
fn forms_stand_where_they_are_drawn() {
    let mut objects = objects(&[(MEDIA_BOX, "")]);
    objects[3] = objects[3].replace("/Font", "/XObject << /X 6 0 R >> /Font");
    objects[4] = stream(
        "BT /F1 10 Tf 72 700 Td (Above) Tj ET q 1 0 0 1 72 600 cm /X Do Q \
                         BT /F1 10 Tf 72 500 Td (below) Tj ET",
    );
    let form = "BT /F1 10 Tf 0 0 Td (between) Tj ET";
    objects.push(format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] /Length {} \
         /Resources << /Font << /F1 3 0 R >> >> >>\nstream\n{form}\nendstream",
        form.len()
    ));
    assert_eq!(
        text(&pdf_of(&objects))
            .1
            .split_whitespace()
            .collect::<Vec<_>>(),
        ["Above", "between", "below"]
    );
}

#[test]
fn pages_without_text_are_told_from_no_pages() {
    assert_eq!(
        text(&pdf(&["", ""])).0,
        Err(Outcome::NoText(Reason::NeedsOcr))
    );
    assert_eq!(text(&pdf(&[])).0, Err(Outcome::Failed(Reason::Malformed)));
}

#[test]
fn a_page_tree_that_contains_itself_is_malformed() {
    let mut objects = objects(&[]);
    objects[1] = "<< /Type /Pages /Kids [2 0 R] /Count 1 >>".to_owned();
    assert_eq!(
        text(&pdf_of(&objects)).0,
        Err(Outcome::Failed(Reason::Malformed))
    );
}

#[test]
fn a_wrong_or_missing_table_of_objects_is_rebuilt() {
    let whole = String::from_utf8_lossy(&pdf(&["Still here"])).replace('\u{fffd}', "x");
    let wrong = whole.replace("startxref\n", "startxref\n9");
    let cut = &whole[..whole.find("xref\n0").unwrap()];
    for damaged in [wrong.as_str(), cut] {
        let (reading, text, warnings) = text(damaged.as_bytes());
        assert_eq!((reading, text.trim()), (Ok(None), "Still here"));
        assert_eq!(warnings.len(), 1);
    }
}

#[test]
fn widths_by_reference_are_resolved() {
    let mut objects = objects(&[(MEDIA_BOX, "AAA")]);
    objects.push("500".to_owned());
    let number = objects.len();
    objects[2] = format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /X /FirstChar 65 /LastChar 65 \
         /Encoding /WinAnsiEncoding /Widths [{number} 0 R] >>"
    );
    assert_eq!(text(&pdf_of(&objects)).1.trim(), "AAA");
}

/// One page in a composite font of the widths `w`; each character is placed by its own `Td`.
fn composite(w: &str) -> Vec<u8> {
    let mut objects = objects(&[(MEDIA_BOX, "")]);
    let map = "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange \
               1 beginbfrange <0000> <00ff> <0000> endbfrange endcmap";
    let draw = "BT /F1 10 Tf 72 700 Td <0061> Tj 5 0 Td <0062> Tj 5 0 Td <0063> Tj ET";
    objects[4] = stream(draw);
    objects[2] = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H \
                  /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>"
        .to_owned();
    objects.push(format!(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 0 /W {w} \
         /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> \
         /FontDescriptor << /Type /FontDescriptor /FontName /X >> >>"
    ));
    objects.push(stream(map));
    pdf_of(&objects)
}

#[test]
fn widths_in_ranges_keep_words_together() {
    assert_eq!(text(&composite("[97 [500 500 500]]")).1.trim(), "abc");
    assert_eq!(text(&composite("[97 99 500]")).1.trim(), "abc");
    // No widths at all: the gaps are seen as spaces, so the lines above test something.
    assert_eq!(text(&composite("[]")).1.trim(), "a b c");
}

#[test]
fn odd_widths_are_dropped() {
    for odd in [
        "[97]",
        "[97 98]",
        "[(x) 99 500]",
        "[97 -5 500]",
        "[0 999999999 500]",
    ] {
        assert_eq!(text(&composite(odd)).0, Ok(None), "{odd}");
    }
}

fn locked(user_password: &str) -> Vec<u8> {
    let mut document = Document::load_mem(&pdf(&["Locked words"])).unwrap();
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password,
        key_length: 128,
        permissions: Permissions::all(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn only_the_empty_password_is_tried() {
    assert_eq!(
        text(&locked("secret")).0,
        Err(Outcome::Encrypted(Reason::PasswordNeeded))
    );
    let (reading, text, _) = text(&locked(""));
    assert_eq!((reading, text.trim()), (Ok(None), "Locked words"));
}

#[test]
fn text_beyond_the_limit_stops_the_reading() {
    let mut sink = Sink::of(10);
    let long = ["0123456789abcdef", "never read"];
    assert_eq!(
        read(&input_of(&pdf(&long)), &mut sink),
        Ok(Some(Reason::OutputLimit))
    );
    assert!(sink.is_full() && sink.text().contains("0123"));
    assert!(!sink.text().contains("never"));
}

#[test]
fn cells_between_the_lines_that_a_page_draws_are_read_whole() {
    let grid = "0 1 1 RG 70 720 m 372 720 l S 70 680 m 372 680 l S 70 680 .5 40 re f* 170 680 .5 40 re f* \
                q 2 0 0 2 72 0 cm 150 340 m 150 360 l S Q";
    let word = |x: u32, y: u32, word: &str| format!("BT /F1 12 Tf {x} {y} Td ({word}) Tj ET ");
    let words = [
        word(72, 704, "Name of"),
        word(175, 704, "A descrip-"),
        word(72, 690, "the thing"),
        word(175, 690, "tion of it"),
    ];
    let mut objects = objects(&[(MEDIA_BOX, "")]);
    objects[4] = stream(&format!("{grid} {}", words.concat()));
    let whole = text(&pdf_of(&objects)).1;
    assert_eq!(whole, "Name of the thing\tA description of it\n");
    // The fallback parser reads a page without a media box.
    objects[3] = objects[3].replace(MEDIA_BOX, "");
    assert_eq!(text(&pdf_of(&objects)).1, whole);
}
