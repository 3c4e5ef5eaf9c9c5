//! Packages made here: properties, embedded objects, references outside, bombs.

use simdex_extract::{Budgets, Fact, Facts, Reason, Role};

use crate::formats::package::tests::zip_of;
use crate::formats::samples::docx;
use crate::input::input_of;
use crate::sink::Sink;
use crate::sink::collected::Collected;

use super::super::Reading;
use super::word;

/// A part of relations: id, last word of the type, target; outside if that is an address.
pub(super) fn relations(list: &[(&str, &str, &str)]) -> String {
    let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |(id, kind, target): &(&str, &str, &str)| {
        let mode = if target.contains("://") {
            " TargetMode='External'"
        } else {
            ""
        };
        format!("<Relationship Id='{id}' Type='{base}/{kind}' Target='{target}'{mode}/>")
    };
    let list: String = list.iter().map(relation).collect();
    format!("<Relationships>{list}</Relationships>")
}

/// Reads parts with `read`: the answer, the text, the facts, the members.
pub(super) fn read_parts(
    read: fn(&crate::input::Input, &mut Sink) -> Reading,
    parts: &[(&str, &str)],
    budgets: Budgets,
) -> (Reading, String, Facts, Vec<Collected>) {
    let parts: Vec<_> = parts
        .iter()
        .map(|(name, part)| (*name, part.as_bytes()))
        .collect();
    let (mut sink, members) = Sink::collecting(64 << 20, budgets);
    let reading = read(&input_of(&zip_of(&parts)), &mut sink);
    (
        reading,
        sink.take_text(),
        sink.facts().clone(),
        members.take(),
    )
}

fn read_word(parts: &[(&str, &str)]) -> (Reading, String, Facts, Vec<Collected>) {
    read_parts(word::read, parts, Budgets::default())
}

#[test]
fn properties_are_facts() {
    let package = relations(&[
        ("r1", "officeDocument", "word/document.xml"),
        ("r2", "metadata/core-properties", "docProps/core.xml"),
        ("r3", "extended-properties", "docProps/app.xml"),
    ]);
    let core = "<cp:coreProperties><dc:title>On &lt;Birds&gt; &amp; Bees</dc:title><dc:creator>Ada</dc:creator>\
                <cp:lastModifiedBy>Bob</cp:lastModifiedBy><dc:language>de</dc:language>\
                <dcterms:created>2020-01-02T03:04:05Z</dcterms:created>\
                <dcterms:modified>soon</dcterms:modified></cp:coreProperties>";
    let app = "<Properties><Application>Writer</Application><Pages>7</Pages><TitlesOfParts><vt:lpstr>no</vt:lpstr></TitlesOfParts></Properties>";
    let (reading, text, facts, _) = read_word(&[
        ("_rels/.rels", &package),
        ("word/document.xml", "<w:p><w:t>body</w:t></w:p>"),
        ("docProps/core.xml", core),
        ("docProps/app.xml", app),
    ]);
    assert_eq!((reading, &*text), (Ok(None), "body\n"));
    let facts: Vec<_> = facts.iter().collect();
    assert_eq!(
        facts,
        [
            (Fact::Title, "On <Birds> & Bees"),
            (Fact::Author, "Ada"),
            (Fact::LastAuthor, "Bob"),
            (Fact::Created, "2020-01-02T03:04:05Z"),
            (Fact::Language, "de"),
            (Fact::Producer, "Writer"),
            (Fact::Pages, "7"),
        ]
    );
}

#[test]
fn embedded_objects_are_members_once_and_what_lies_outside_is_counted() {
    let body = relations(&[
        ("r1", "oleObject", "embeddings/oleObject10.bin"),
        ("r2", "package", "Embeddings/Sheet.xlsx"),
        ("r3", "aFChunk", "chunk.html"),
        ("r4", "hyperlink", "https://a.example/"),
        ("r5", "image", "https://b.example/pixel.png"),
        ("r6", "attachedTemplate", "file://c.example/evil.dotm"),
    ]);
    let (reading, text, facts, members) = read_word(&[
        (
            "_rels/.rels",
            &relations(&[("r1", "officeDocument", "/WORD/document.xml")]),
        ),
        ("word/document.xml", "<w:p><w:t>body</w:t></w:p>"),
        ("word/_rels/document.xml.rels", &body),
        ("word/embeddings/oleObject10.bin", "ten"),
        ("word/embeddings/oleObject2.bin", "two"),
        ("word/embeddings/Sheet.xlsx", "sheet"),
        ("word/chunk.html", "<p>chunk"),
        ("word/vbaProject.bin", "macros"),
    ]);
    assert_eq!((reading, &*text), (Ok(None), "body\n"));
    let members: Vec<_> = members
        .iter()
        .map(|m| (&*m.name, m.role, &*m.bytes))
        .collect();
    assert_eq!(
        members,
        [
            ("word/chunk.html", Role::Embedded, &b"<p>chunk"[..]),
            ("word/embeddings/Sheet.xlsx", Role::Embedded, b"sheet"),
            ("word/embeddings/oleObject2.bin", Role::Embedded, b"two"),
            ("word/embeddings/oleObject10.bin", Role::Embedded, b"ten"),
        ]
    );
    assert_eq!(
        (facts.number(Fact::External), facts.number(Fact::Scripts)),
        (2, 1)
    );
}

#[test]
fn entities_are_not_expanded() {
    let body = "<!DOCTYPE d [<!ENTITY a 'bomb'><!ENTITY b '&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                <w:p><w:t>x&b;&f;y</w:t></w:p>";
    let package = relations(&[("r1", "officeDocument", "d.xml")]);
    let (reading, text, ..) = read_word(&[("_rels/.rels", &package), ("d.xml", body)]);
    assert_eq!((reading, &*text), (Ok(None), "xy\n"));
}

#[test]
fn a_tag_of_800_000_attributes_is_read_past() {
    let attributes: String = (0..800_000).map(|n| format!(" a{n}='{n}'")).collect();
    let body = format!("<w:p{attributes}><w:fldChar{attributes}/><w:t>text</w:t></w:p>");
    assert_eq!(
        read_limited(&docx(&body, &[]), 1 << 20),
        (Ok(None), "text\n".to_owned())
    );
}

fn read_limited(bytes: &[u8], ratio: u32) -> (Reading, String) {
    let budgets = Budgets {
        ratio,
        ..Budgets::default()
    };
    let mut sink = Sink::collecting(1 << 20, budgets).0;
    let reading = word::read(&input_of(bytes), &mut sink);
    (reading, sink.take_text())
}

#[test]
fn a_locked_or_lost_object_is_told_of() {
    let mut bytes = docx(
        "<w:p><w:t>body</w:t></w:p>",
        &[("word/embeddings/a.bin", "x", "secret")],
    );
    for (header, flags, name) in [(b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)] {
        let is_it = |window: &[u8]| {
            window.starts_with(header) && window[name..].starts_with(b"word/embeddings/a.bin")
        };
        let at = bytes.windows(80).position(is_it).unwrap();
        bytes[at + flags] |= 1;
    }
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    let reading = word::read(&input_of(&bytes), &mut sink);
    let members = members.take();
    assert_eq!(reading, Ok(Some(Reason::PasswordNeeded)));
    assert_eq!(members.len(), 1);
    assert_eq!(
        (&*members[0].name, members[0].unread),
        ("word/embeddings/a.bin", Some(Reason::PasswordNeeded))
    );
}
