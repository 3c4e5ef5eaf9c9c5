//! Kinds by their bytes.

use super::*;
use crate::formats::samples::{compound_of, docx, pdf, zip_of};
use crate::input::input_of;

fn kind(bytes: &[u8], name: &str) -> Kind {
    sniff(&input_of(bytes), Some(name)).unwrap()
}

fn media(bytes: &[u8], name: &str) -> String {
    kind(bytes, name).media_type().to_owned()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of texts and kinds")]
fn texts_are_told_apart_by_content() {
    let cases: &[(&str, &str)] = &[
        ("<!DOCTYPE html>\n<p>x", "text/html"),
        ("<!-- saved --> <HTML><body>", "text/html"),
        (
            "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-'><html>",
            "text/html",
        ),
        ("<?xml version='1.0'?><html xmlns='x'>", "text/html"),
        ("\u{feff}<?xml version='1.0'?>\n<rfc>", "application/xml"),
        ("<!DOCTYPE rfc SYSTEM 'x'><rfc>", "application/xml"),
        ("<svg xmlns='x'></svg>", "application/xml"),
        ("<note a='1'>text</note>\n", "application/xml"),
        ("<note a='1'>text", "text/plain"),
        ("<alpha> is less than <beta>", "text/plain"),
        ("{\"a\": [1, 2]}", "application/json"),
        ("[section]\nkey = value\n", "text/plain"),
        ("Received: from x\nSubject: y\n\nbody", "message/rfc822"),
        ("From: a@b.c\nTo: d@e.f\n\nbody", "message/rfc822"),
        ("Date: today\nSubject: minutes\n\nbody", "text/plain"),
        (
            "From a@b.c Sat Nov 21\nFrom: a@b.c\nTo: d@e.f\n\nbody",
            "application/mbox",
        ),
        ("From time to time: a story", "text/plain"),
        ("{\\rtf1 x}", "application/rtf"),
        ("From: a@b.c\rTo: d@e.f\r\rbody", "message/rfc822"),
        (
            "123      \nReceived: from x\nSubject: y\n\nbody",
            "message/rfc822",
        ),
        (
            "From: <Saved by X>\nSubject: y\nContent-Type: multipart/related;\n boundary=x\n\n",
            "multipart/related",
        ),
        (
            "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n",
            "multipart/related",
        ),
        (
            "From: a@b.c\nTo: d@e.f\nContent-Type: multipart/related; boundary=x\n\n",
            "message/rfc822",
        ),
        (
            "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nbody",
            "message/rfc822",
        ),
        (
            "Subject: a\nMIME-Version: 1.0\n\n\0\u{1}\u{2}\u{3}\0\0\0",
            "message/rfc822",
        ),
        (
            "From a Sat Nov 21 09:00:00 2026\n\nbody",
            "application/mbox",
        ),
        ("From 9:00 on we were alone\n", "text/plain"),
        ("BEGIN:VCARD\r\nVERSION:3.0\r\n", "text/vcard"),
        ("begin:vcalendar\nVERSION:2.0\n", "text/calendar"),
        ("\u{feff}WEBVTT\n\n00:01.000 --> 00:02.000\nx", "text/vtt"),
        (
            "\u{feff}1\r\n00:00:01,000 --> 00:00:02,000\r\nx",
            "application/x-subrip",
        ),
        ("1\n2\n3\n", "text/plain"),
        ("% a comment\n\\documentclass{article}\n", "text/x-tex"),
        ("A text about %PDF-1.4 headers", "text/plain"),
    ];
    for (text, expected) in cases {
        assert_eq!(media(text.as_bytes(), "x.bin"), *expected, "{text}");
    }
}

#[test]
fn the_name_decides_among_plain_texts_only() {
    assert_eq!(media(b"a;b\n1;2\n", "T.CSV"), "text/csv");
    assert_eq!(media(b"# Title", "readme.md"), "text/markdown");
    assert_eq!(media(b"# Title", "readme"), "text/plain");
    assert_eq!(media(b"Title\n=====", "a.rst"), "text/x-rst");
    assert_eq!(media(b"a: 1\n", "a.yml"), "application/yaml");
    assert_eq!(media(b"<html><p>x", "page.txt"), "text/html");
    assert_eq!(media(b"\x89PNG\r\n\x1a\n", "text.txt"), "image/png");
}

#[test]
fn utf16_texts_are_sniffed_too() {
    let wide = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
    };
    assert_eq!(media(&wide("<html><body>wide page"), "x"), "text/html");
    assert_eq!(media(&wide("\u{feff}just some words"), "x"), "text/plain");
}

#[test]
fn containers_are_told_apart() {
    assert!(matches!(
        kind(&docx("<w:p/>", &[]), "x.zip"),
        Kind::Read(Format::Word, _)
    ));
    assert_eq!(
        media(&zip_of(&[("a.txt", b"a")]), "x.docx"),
        "application/zip"
    );
    let odt = "application/vnd.oasis.opendocument.text";
    assert_eq!(media(&zip_of(&[("mimetype", odt.as_bytes())]), "x"), odt);
    let sheet = b"<Override ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'/>";
    let media = media(&zip_of(&[("[Content_Types].xml", sheet)]), "x");
    assert!(media.ends_with("spreadsheetml.sheet"), "{media}");
    assert_eq!(
        kind(b"PK\x03\x04 and no more", "x"),
        Kind::Broken("application/zip")
    );
}

#[test]
fn a_locked_archive_is_encrypted() {
    let mut bytes = zip_of(&[("a.txt", b"a")]);
    for (header, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = bytes
            .windows(4)
            .position(|window| window == header)
            .unwrap();
        bytes[at + flags] |= 1;
    }
    assert_eq!(kind(&bytes, "x"), Kind::Encrypted("application/zip"));
}

#[test]
fn compound_files_are_told_apart_by_their_root_storage() {
    let compound = |path| kind(&compound_of(&[(path, b"x")]), "x.docx");
    assert_eq!(
        compound("WordDocument"),
        Kind::read(Format::Doc, "application/msword")
    );
    assert_eq!(
        compound("WORKBOOK"),
        Kind::read(Format::Xls, "application/vnd.ms-excel")
    );
    assert_eq!(
        compound("ObjectPool/WordDocument"),
        Kind::Known("application/x-ole-storage".into())
    );
    assert!(matches!(compound("EncryptedPackage"), Kind::Encrypted(_)));
    assert_eq!(
        kind(compound::MAGIC, "x"),
        Kind::Broken("application/x-ole-storage")
    );
}

#[test]
fn pdf_may_begin_late() {
    assert_eq!(
        kind(&pdf(&["x"]), "x.txt"),
        Kind::read(Format::Pdf, "application/pdf")
    );
    assert_eq!(
        kind(&[b"junk\n".to_vec(), pdf(&["x"])].concat(), "x"),
        Kind::read(Format::Pdf, "application/pdf")
    );
}

#[test]
fn neither_known_nor_text_is_binary() {
    assert_eq!(kind(&[0, 1, 2, 3, 200, 0, 17], "x.txt"), Kind::Binary);
}

#[test]
fn flat_open_documents_are_known_by_their_root() {
    let flat = "<?xml version='1.0'?>\n<office:document xmlns:office='x' \
                office:mimetype='application/vnd.oasis.opendocument.text'><office:body/></office:document>";
    let expected = "application/vnd.oasis.opendocument.text-flat-xml"
        .to_owned()
        .into();
    assert_eq!(
        kind(flat.as_bytes(), "x.xml"),
        Kind::Read(Format::OpenDocument, expected)
    );
    let part = "<office:document-content xmlns:office='x'></office:document-content>";
    assert!(matches!(
        kind(part.as_bytes(), "x"),
        Kind::Read(Format::OpenDocument, _)
    ));
    assert_eq!(
        media(b"<?xml version='1.0'?><office:documents>", "x"),
        "application/xml"
    );
}

#[test]
fn packages_without_their_first_entry_are_known_by_what_they_hold() {
    let odt = "application/vnd.oasis.opendocument.text";
    let manifest =
        format!("<manifest:file-entry manifest:media-type=\"{odt}\" manifest:full-path=\"/\"/>");
    let package = zip_of(&[("META-INF/manifest.xml", manifest.as_bytes())]);
    assert_eq!(media(&package, "x"), odt);
    let book = zip_of(&[("META-INF/container.xml", b"<container/>")]);
    assert_eq!(media(&book, "x"), "application/epub+zip");
    let other = zip_of(&[("META-INF/manifest.xml", b"media-type=")]);
    assert_eq!(media(&other, "x"), "application/zip");
}
