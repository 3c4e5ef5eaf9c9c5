//! Replacement text in pages made here.

use super::super::tests::{pdf_of, stream, text};

/// A page with this content stream and property lists.
fn page(content: &str, properties: &str) -> Vec<u8> {
    pdf_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources \
             << /Font << /F1 3 0 R >> /Properties << {properties} >> >> >>"
        ),
        stream(&format!("BT /F1 12 Tf 14 TL 72 700 Td {content} ET")),
    ])
}

fn read(content: &str) -> String {
    let (reading, text, _) = text(&page(content, ""));
    assert_eq!(reading, Ok(None));
    text
}

/// Characters that stand for this.
fn replaced(actual: &str, drawn: &str) -> String {
    format!("/Span <</ActualText {actual}>> BDC {drawn} EMC")
}

#[test]
fn what_characters_stand_for_is_read_in_their_place() {
    let half = replaced("<FEFF00BD>", "(1/2) Tj");
    let content = format!("(a) Tj {half} (b) Tj");
    assert_eq!(read(&content), "a½b\n");
    let content = format!(
        "(The o) Tj {} (ce is closed.) Tj",
        replaced("(ffi)", "(?) Tj")
    );
    assert_eq!(read(&content), "The office is closed.\n");
    let content = format!(
        "(The old) Tj {} (new) Tj",
        replaced("<FEFF0009>", "(.....) Tj")
    );
    assert_eq!(read(&content), "The old new\n");
    let utf8 = replaced("<EFBBBFC3BC>", "(u) Tj");
    assert_eq!(read(&format!("(m) Tj {utf8} (de) Tj")), "müde\n");
    let language = replaced("<FEFF001B0064006500 1B0041>", "(x) Tj");
    assert_eq!(read(&language), "A\n");
    assert_eq!(
        read(&format!("(kept) Tj {}", replaced("()", "( gone) Tj"))),
        "kept\n"
    );
}

#[test]
fn a_property_list_is_found_by_its_name() {
    for (list, name) in [("/P1 << /ActualText (right) >>", "P1"), ("/P1 6 0 R", "P1")] {
        let content = format!("/Span /{name} BDC (wrong) Tj EMC ( here) Tj");
        let mut bytes = page(&content, list);
        if list.contains("6 0 R") {
            let list = "6 0 obj\n<< /ActualText (right) >>\nendobj\n";
            let at = bytes
                .windows(5)
                .position(|window| window == b"xref\n")
                .unwrap();
            bytes.splice(at..at, list.bytes());
        }
        assert_eq!(text(&bytes).1, "right here\n", "{list}");
    }
}

#[test]
fn what_is_nested_is_replaced_with_the_outer_and_marks_without_text_replace_nothing() {
    let inner = replaced("(inner)", "(b) Tj");
    let content = replaced(
        "(outer)",
        &format!("(a) Tj /P BMC (-) Tj EMC {inner} (c) Tj"),
    );
    assert_eq!(read(&format!("{content} ( end) Tj")), "outer end\n");
    let marked = format!("/P <</MCID 0>> BDC (one ) Tj {inner} EMC ( two) Tj");
    assert_eq!(read(&marked), "one inner two\n");
    let open = "/Span <</ActualText (right)>> BDC (wrong) Tj";
    assert_eq!(read(open), "right\n");
    let ended = format!("EMC EMC {inner}");
    assert_eq!(read(&ended), "inner\n");
}

#[test]
fn a_hyphen_that_only_breaks_a_line_breaks_no_word() {
    let soft = replaced("<FEFF00AD>", "(-) Tj");
    let content = format!("(the pre) Tj {soft} T* (war years) Tj");
    assert_eq!(read(&content), "the prewar years\n");
    let word = replaced("(Drucker)", "(Druk-) Tj T* (ker) Tj");
    assert_eq!(
        read(&format!("(der ) Tj {word} ( steht) Tj")),
        "der Drucker\nsteht\n"
    );
}

#[test]
fn a_text_that_is_named_over_and_over_is_bounded() {
    let long = "x".repeat(300_000);
    let content = "/Span /P1 BDC (y ) Tj EMC ".repeat(40);
    let bytes = page(&content, &format!("/P1 << /ActualText ({long}) >>"));
    let text = text(&bytes).1;
    assert_eq!(text.matches('x').count(), 900_000);
    assert_eq!(text.matches('y').count(), 37);
}

#[test]
fn text_that_runs_to_the_left_is_read_as_it_is_drawn() {
    let hebrew = replaced("<FEFF05D005D1>", "(ab) Tj");
    assert_eq!(read(&hebrew), "ab\n");
}
