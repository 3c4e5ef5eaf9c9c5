//! Books made here.

use simdex_extract::Budgets;

use super::super::package::tests::zip_of;
use super::*;
use crate::input::input_of;

const CONTAINER: &[u8] =
    b"<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";

const BOOK: &[u8] = b"<package><metadata><dc:title>The Book</dc:title><dc:creator>A B</dc:creator>\
    <dc:identifier>urn:isbn:1</dc:identifier><dc:language>en</dc:language>\
    <dc:date>2006-05-18</dc:date><meta property='dcterms:modified'>2007-01-01T00:00:00Z</meta></metadata>\
    <manifest><item id='one' href='text/one%201.xhtml' media-type='application/xhtml+xml'/>\
    <item id='two' href='two.xhtml' media-type='application/xhtml+xml' properties='scripted'/>\
    <item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>\
    <item id='cover' href='cover.svg' media-type='image/svg+xml'/></manifest>\
    <spine><itemref idref='two'/><itemref idref='cover'/><itemref idref='one'/><itemref idref='two'/>\
    </spine></package>";

const ONE: &[u8] = b"<?xml version='1.0'?><html><head><title>not seen</title></head><body><p>Chapter one.</p></body></html>";
const TWO: &[u8] = b"<html><body><p>Chapter &#252;.</p></body></html>";

fn read_book(more: &[(&str, &[u8])]) -> (Sink, Reading) {
    let parts: &[(&str, &[u8])] = &[
        ("META-INF/container.xml", CONTAINER),
        ("OPS/book.opf", BOOK),
        ("OPS/nav.xhtml", b"<html><body>Contents</body></html>"),
        ("OPS/two.xhtml", TWO),
    ];
    let (mut sink, _) = Sink::collecting(1 << 20, Budgets::default());
    let reading = read(&input_of(&zip_of(&[parts, more].concat())), &mut sink);
    (sink, reading)
}

#[test]
fn pages_stand_in_the_order_of_the_spine_each_once() {
    let (sink, reading) = read_book(&[("OPS/text/one 1.xhtml", ONE)]);
    assert_eq!(
        (sink.text(), reading),
        ("Chapter ü.\nChapter one.\n", Ok(None))
    );
    let facts = [
        (Fact::Title, "The Book"),
        (Fact::Author, "A B"),
        (Fact::Identifier, "urn:isbn:1"),
        (Fact::Language, "en"),
        (Fact::Created, "2006-05-18"),
        (Fact::Modified, "2007-01-01T00:00:00Z"),
        (Fact::Parts, "2"),
        (Fact::Scripts, "1"),
    ];
    for (fact, value) in facts {
        assert_eq!(sink.facts().get(fact), Some(value));
    }
}

#[test]
fn a_page_that_is_not_there_makes_the_book_partial() {
    let (sink, reading) = read_book(&[]);
    assert_eq!(
        (sink.text(), reading),
        ("Chapter ü.\n", Ok(Some(Reason::PartsFailed)))
    );
    assert_eq!(sink.facts().number(Fact::PartsFailed), 1);
}

#[test]
fn encrypted_pages_need_a_key_and_encrypted_fonts_do_not() {
    let data = |algorithm: &str, uri: &str| {
        format!(
            "<EncryptedData><EncryptionMethod Algorithm='{algorithm}'/><CipherData>\
             <CipherReference URI='{uri}'/></CipherData></EncryptedData>"
        )
    };
    let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";
    let cases = [
        (
            data("http://www.idpf.org/2008/embedding", "OPS/two.xhtml"),
            true,
        ),
        (data(aes, "OPS/font.otf"), true),
        (
            data("http://ns.adobe.com/pdf/enc#RC", "a") + &data(aes, "OPS/two.xhtml"),
            false,
        ),
    ];
    for (data, is_open) in cases {
        let part = format!("<encryption>{data}</encryption>");
        let pages: [(&str, &[u8]); 2] = [
            ("OPS/text/one 1.xhtml", ONE),
            ("META-INF/encryption.xml", part.as_bytes()),
        ];
        let expected = match is_open {
            true => Ok(None),
            false => Err(Outcome::Encrypted(Reason::PasswordNeeded)),
        };
        assert_eq!(read_book(&pages).1, expected, "{data}");
    }
}

#[test]
fn a_book_without_pages_is_malformed() {
    let mut sink = Sink::of(1000);
    let bytes = zip_of(&[("META-INF/container.xml", CONTAINER)]);
    let reading = read(&input_of(&bytes), &mut sink);
    assert_eq!(reading, Err(Outcome::Failed(Reason::Malformed)));
}

#[test]
fn files_cut_anywhere_are_answered() {
    let whole = zip_of(&[
        ("META-INF/container.xml", CONTAINER),
        ("OPS/book.opf", BOOK),
    ]);
    for length in 0..whole.len() {
        let mut sink = Sink::of(1000);
        assert!(read(&input_of(&whole[..length]), &mut sink).is_err());
    }
}
