//! Malicious PDFs: each ends in an outcome within its limits.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use simdex_extract::Budgets;

use super::*;

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// The page's content is a stream with this dictionary and these bytes.
fn with_content(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut document = Document::load_mem(&pdf_of(&objects(&[(MEDIA_BOX, "")]))).unwrap();
    let filters: Vec<_> = entries
        .split(' ')
        .map(|name| pdf_extract::Object::Name(name.into()))
        .collect();
    let Some(pdf_extract::Object::Stream(stream)) = document.objects.get_mut(&(5, 0)) else {
        panic!("no stream")
    };
    stream.set_content(content.to_vec());
    stream.dict.set("Filter", filters);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_page_that_unpacks_to_too_much_is_read_as_far_as_allowed() {
    let mut content = b"BT /F1 12 Tf 72 700 Td (Before) Tj ET\n".to_vec();
    content.resize(8 << 20, b' ');
    let budgets = Budgets {
        entry_bytes: 1 << 20,
        ..Budgets::default()
    };
    let mut sink = Sink::collecting(1 << 20, budgets).0;
    let bomb = with_content("FlateDecode", &deflated(&content));
    assert_eq!(
        read(&input_of(&bomb), &mut sink),
        Ok(Some(Reason::InflateLimit))
    );
    assert_eq!(sink.text().trim(), "Before");
}

#[test]
fn filters_upon_filters_are_not_unpacked() {
    let mut content = b"BT /F1 12 Tf 72 700 Td (never) Tj ET".to_vec();
    for _ in 0..20 {
        content = deflated(&content);
    }
    let reading = text(&with_content(&["FlateDecode"; 20].join(" "), &content)).0;
    assert_eq!(reading, Ok(Some(Reason::InflateLimit)));
}

#[test]
fn a_form_that_draws_itself_ends() {
    let mut objects = objects(&[(MEDIA_BOX, "Page")]);
    objects[3] = objects[3].replace("/Font", "/XObject << /X 6 0 R >> /Font");
    objects[4] = stream("BT /F1 12 Tf 72 700 Td (Page) Tj ET /X Do");
    for resources in ["/Resources << /XObject << /X 6 0 R >> >>", ""] {
        let mut objects = objects.clone();
        objects.push(format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] {resources} /Length 5 >>\nstream\n/X Do\nendstream"
        ));
        let (reading, text, _) = text(&pdf_of(&objects));
        assert_eq!((reading, text.trim()), (Ok(None), "Page"));
    }
}

#[test]
fn an_inline_picture_without_a_colour_space_costs_nothing_else() {
    let mut objects = objects(&[(MEDIA_BOX, "")]);
    objects[4] = stream(
        "BT /F1 12 Tf 72 700 Td (Before) Tj ET BI /W 9 /H 9 /BPC 8 ID xyz EI \
                         BT /F1 12 Tf 72 600 Td (After) Tj ET",
    );
    let (reading, text, _) = text(&pdf_of(&objects));
    assert_eq!((reading, text.contains("Before")), (Ok(None), true));
}

#[test]
fn tables_of_objects_that_loop_or_lie_are_malformed_or_rebuilt() {
    let whole = String::from_utf8_lossy(&pdf(&["Still here"])).replace('\u{fffd}', "x");
    let start = whole.find("xref\n0").unwrap();
    let lies = [
        whole.replace("/Size", &format!("/Prev {start} /Size")),
        whole.replace("/Size", "/Prev 18446744073709551615 /Size"),
        whole.replace("/Size 6", "/Size 4294967295"),
        whole.replace("xref\n0 6", "xref\n0 4294967295"),
        whole.replace("/Count 1", "/Count 4294967295"),
    ];
    for lie in lies {
        let (reading, text, _) = text(lie.as_bytes());
        assert_eq!((reading, text.trim()), (Ok(None), "Still here"));
    }
}

#[test]
fn a_stream_of_cross_references_with_absurd_widths_is_harmless() {
    for widths in [
        "[9999999999 9999999999 9999999999]",
        "[-1 -1 -1]",
        "[1 2 1]",
    ] {
        let mut objects = objects(&[(MEDIA_BOX, "Words")]);
        objects.push(format!(
            "<< /Type /XRef /W {widths} /Size 4294967295 /Index [0 4294967295] /Root 1 0 R /Length 4 >>\nstream\nabcd\nendstream"
        ));
        let file = String::from_utf8_lossy(&pdf_of(&objects)).replace('\u{fffd}', "x");
        let at = file.find("6 0 obj").unwrap();
        let end = file.find("xref\n0").unwrap();
        let file = format!("{}startxref\n{at}\n%%EOF\n", &file[..end]);
        let (reading, text, _) = text(file.as_bytes());
        assert_eq!((reading, text.trim()), (Ok(None), "Words"), "{widths}");
    }
}

#[test]
fn a_file_cut_anywhere_is_read_as_far_as_it_goes_or_malformed() {
    let whole = pdf(&["The first page", "The second page", "The third page"]);
    let mut read_in_part = 0;
    for part in 1..64 {
        let (reading, text, _) = text(&whole[..whole.len() * part / 64]);
        let typed = matches!(
            reading,
            Ok(_) | Err(Outcome::Failed(Reason::Malformed) | Outcome::NoText(Reason::NeedsOcr))
        );
        assert!(typed, "{part}: {reading:?}");
        read_in_part += usize::from(text.contains("first"));
    }
    assert!(read_in_part > 10, "{read_in_part}");
}

#[test]
fn nested_arrays_are_harmless() {
    for depth in [10_380, 200_000] {
        let mut objects = objects(&[(MEDIA_BOX, "Words")]);
        objects.push(format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        assert_eq!(text(&pdf_of(&objects)).1.trim(), "Words");
    }
}

#[test]
fn a_page_whose_contents_were_cut_off_is_a_page_lost() {
    let whole = pdf(&["the first page", "the second page"]);
    let cut = whole
        .windows(10)
        .position(|at| at == b"the second")
        .unwrap();
    let (reading, read, _) = text(&whole[..cut]);
    assert_eq!(reading, Ok(Some(Reason::PagesFailed)));
    assert_eq!(read.trim(), "the first page");
    let cut = whole.windows(7).position(|at| at == b"6 0 obj").unwrap();
    assert_eq!(text(&whole[..cut]).0, Ok(Some(Reason::PagesFailed)));
    // With no page left, nothing says that there are only pictures.
    let cut = whole.windows(9).position(|at| at == b"the first").unwrap();
    assert_eq!(text(&whole[..cut]).0, Ok(Some(Reason::PagesFailed)));
}

#[test]
fn a_file_that_nobody_can_open_and_that_names_encryption_is_locked() {
    let trailer = |word: &str| format!("%PDF-1.4\n1 0 obj\ntrailer\n<< /{word} 3 0 R >>");
    let locked = text(trailer("Encrypt").as_bytes()).0;
    assert_eq!(locked, Err(Outcome::Encrypted(Reason::PasswordNeeded)));
    let open = text(trailer("EncryptMetadata").as_bytes()).0;
    assert_eq!(open, Err(Outcome::Failed(Reason::Malformed)));
}
