//! Load files read back by readers of their formats, and compared with golden files.

use std::collections::HashSet;

use simdex_proto::lines::{base64, lossy};

use super::fields::id;
use super::*;
use crate::reports::report::tests::{contract_group, input, keep, known, read};
use crate::reports::report::{AllFiles, RequestedFiles, VisitFile, verify};

const THORN: &[u8] = "/share/\u{fe}orn \u{ae}\n=1+1.txt".as_bytes();

/// The files of [`contract_group`], one in no group, one whose name is difficult in every format, and a member.
fn all_files(visit: &mut VisitFile<'_>) -> io::Result<()> {
    let group = contract_group();
    let mut members: Vec<_> = group.members.iter().collect();
    members.sort_by_key(|member| &member.path);
    for member in members {
        visit(&ReportFile {
            path: &member.path,
            root: b"/share",
            state: "indexed",
            content: Some(simdex_schema::ContentHash([7; 32])),
            document: Some(member.document),
            media_type: "text/plain",
            bytes: member.bytes,
            modified: member.modified,
            owner: Some(1001),
            owner_name: Some("anna"),
            facts: &[
                ("author", "=cmd|' /C calc'!A0"),
                ("modified", "2023-01-02T03:04:05Z"),
            ],
            ..ReportFile::default()
        })?;
    }
    let trap = ReportFile {
        path: THORN,
        root: b"/share",
        state: "partial",
        reason: "too-long",
        is_unread: true,
        facts: &[("title", "a \"b\"\r\n<c>&\u{1}€\u{3bb}")],
        ..ReportFile::default()
    };
    visit(&trap)?;
    visit(&ReportFile {
        path: b"/share/z.zip!/in.txt",
        container: Some(b"/share/z.zip"),
        facts: &[],
        ..trap
    })
}

/// Writes a report with this load file, verifies it and returns the bytes of the load file.
fn written(format: &str, profile: &str, encoding: &str) -> Vec<u8> {
    written_of(format, profile, encoding, &all_files)
}

fn written_of(format: &str, profile: &str, encoding: &str, files: &AllFiles<'_>) -> Vec<u8> {
    let load = LoadFile::named(format, profile, encoding).unwrap();
    written_input(load, files, None)
}

/// Writes the load file of a report that was asked about these files.
fn written_asked(format: &str, profile: &str, requested_files: Option<RequestedFiles>) -> Vec<u8> {
    let load = LoadFile::named(format, profile, "").unwrap();
    written_input(load, &all_files, requested_files)
}

fn written_input(
    load: LoadFile,
    files: &AllFiles<'_>,
    requested_files: Option<RequestedFiles>,
) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut input = input(vec![contract_group()], &known);
    (input.load, input.files, input.requested_files) = (Some(load), files, requested_files);
    keep(folder.path(), "report", &input).unwrap();
    let out = folder.path().join("report");
    verify(&out).unwrap();
    assert!(read(&out, "manifest.json").contains(load.path()));
    std::fs::read(out.join(load.path())).unwrap()
}

/// Reads a DAT: records of values, by the delimiters alone.
fn read_dat(text: &str) -> Vec<Vec<String>> {
    let lines = text.strip_suffix("\r\n").unwrap().split("\r\n");
    let value = |value: &str| {
        let inner = value.strip_prefix('\u{fe}').unwrap();
        let inner = inner.strip_suffix('\u{fe}').unwrap();
        assert!(!inner.contains(['\u{fe}', '\n', '\r']));
        inner.replace('\u{ae}', "\n")
    };
    lines
        .map(|line| line.split('\u{14}').map(value).collect())
        .collect()
}

/// Reads a CSV according to RFC 4180.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut value) = (Vec::new(), Vec::new(), String::new());
    let (mut chars, mut quoted) = (text.chars().peekable(), false);
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => value.extend(chars.next()),
            ('"', _) => quoted = !quoted,
            (c, true) => value.push(c),
            (',', false) => record.push(std::mem::take(&mut value)),
            ('\r', false) => assert_eq!(chars.next(), Some('\n')),
            (c, false) => panic!("{c:?} outside of quotes"),
        }
        if c == '\r' && !quoted {
            record.push(std::mem::take(&mut value));
            records.push(std::mem::take(&mut record));
        }
    }
    assert!(record.is_empty() && !quoted, "the last record has its end");
    records
}

/// An element of an XML file: its name, its attributes and its immediate text.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        &found.unwrap().1
    }
}

/// The elements of a well-formed XML file in the order of their end tags; entities are resolved.
fn read_xml(text: &str) -> Vec<Element> {
    let (mut open, mut done): (Vec<Element>, Vec<Element>) = (Vec::new(), Vec::new());
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    for part in body.unwrap().split('<').skip(1) {
        let (tag, after) = part.split_once('>').unwrap();
        if let Some(name) = tag.strip_prefix('/') {
            let element = open.pop().unwrap();
            assert_eq!(element.name, name);
            done.push(element);
        } else {
            let (tag, closed) = match tag.strip_suffix('/') {
                Some(tag) => (tag, true),
                None => (tag, false),
            };
            let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
            let mut element = Element {
                name: name.to_owned(),
                ..Element::default()
            };
            while let Some((key, value)) = rest.split_once("=\"") {
                let (value, more) = value.split_once('"').unwrap();
                element
                    .attributes
                    .push((key.trim().to_owned(), resolved(value)));
                rest = more;
            }
            match closed {
                true => done.push(element),
                false => open.push(element),
            }
        }
        if let Some(element) = open.last_mut() {
            element.text.push_str(&resolved(after));
        }
    }
    assert!(open.is_empty());
    done
}

fn resolved(text: &str) -> String {
    let pairs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#9;", "\t"),
        ("&#10;", "\n"),
        ("&#13;", "\r"),
        ("&amp;", "&"),
    ];
    assert!(edrm::holds(text), "{text:?}");
    let known = pairs
        .iter()
        .map(|(entity, _)| text.matches(entity).count())
        .sum::<usize>();
    assert_eq!(text.matches('&').count(), known, "{text}");
    pairs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The value of a field in a record; the first record has the names.
fn value<'a>(records: &'a [Vec<String>], record: usize, name: &str) -> &'a str {
    let at = records[0].iter().position(|known| known == name).unwrap();
    &records[record][at]
}

#[test]
fn a_dat_is_the_same_in_both_encodings_and_reads_back() {
    let bytes = written("dat", "short", "");
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text, include_str!("golden/short.dat"));
    let records = read_dat(&text);
    assert_eq!(records.len(), 1 + 6);
    let first = contract_group();
    assert_eq!(value(&records, 1, "FILEPATH"), "/share/a/draft.txt");
    assert_eq!(value(&records, 1, "NDSIM"), "87");
    assert_eq!(value(&records, 1, "NDPRINID"), id(&first.principal));
    assert_eq!(value(&records, 2, "NDPRIN"), "Y");
    assert_eq!(
        value(&records, 2, "TEXTHASH"),
        first.members[0].document.to_string()
    );
    assert!(value(&records, 2, "TEXTPATH").starts_with("../text/"));
    assert_eq!(value(&records, 5, "NDGROUP"), "");
    assert_eq!(value(&records, 6, "PARENTID"), id(b"/share/z.zip"));
    // What the format cannot hold is given exactly in another field.
    assert_eq!(value(&records, 5, "FILEPATH"), "/share/?orn ?\n=1+1.txt");
    assert_eq!(value(&records, 5, "PATHB64"), base64(THORN));
    assert_eq!(value(&records, 5, "TITLE"), "a \"b\"\n<c>&\u{1}€λ");
    let western = written("dat", "short", "windows-1252");
    let decoded: String = western
        .iter()
        .map(|byte| {
            if *byte == 0x80 {
                '€'
            } else {
                char::from(*byte)
            }
        })
        .collect();
    let same = text.replace(['λ', '\u{fffd}'], "?");
    assert_eq!(read_dat(&decoded), read_dat(&same));
}

#[test]
fn a_csv_reads_back_and_nothing_in_it_is_a_formula() {
    let text = String::from_utf8(written("csv", "relativity", "")).unwrap();
    assert_eq!(text, include_str!("golden/relativity.csv"));
    let records = read_csv(&text);
    for cell in records.iter().flatten() {
        assert!(
            !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']),
            "{cell}"
        );
    }
    assert_eq!(value(&records, 1, "Author"), "'=cmd|' /C calc'!A0");
    // What a spreadsheet might run is guarded within too, and the exact path stands beside it.
    let thorn = String::from_utf8_lossy(THORN).replace("\n=", "\n'=");
    assert_eq!(value(&records, 5, "File Path"), thorn);
    assert_eq!(value(&records, 5, "Simdex::Path Bytes"), base64(THORN));
    let title = "a \"b\"\r\n<c>&\u{1}€λ";
    assert_eq!(value(&records, 5, "Title"), title);
    let path = contract_group().members[1].path.clone();
    assert_eq!(value(&records, 4, "File Path"), lossy(&path));
    assert_eq!(value(&records, 4, "Simdex::Path Bytes"), base64(&path));
    let mut line = Vec::new();
    sheet::record(
        &mut line,
        &["＝x".to_owned(), "'y".to_owned(), "z".to_owned()],
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(line).unwrap(),
        "\"'＝x\",\"''y\",\"z\"\r\n"
    );
    for (value, written) in [
        ("evil;=1+1;.txt", "evil;'=1+1;.txt"),
        ("a;b\tc\r\nd", "a;b\tc\r\nd"),
        (";=x", ";'=x"),
        ("a\t @b", "a\t' @b"),
        ("a;\"=1\"", "a;'\"\"=1\"\""),
        ("a;'b", "a;''b"),
    ] {
        let mut line = Vec::new();
        sheet::record(&mut line, &[value.to_owned()]).unwrap();
        assert_eq!(
            String::from_utf8(line).unwrap(),
            format!("\"{written}\"\r\n")
        );
        assert_eq!(sheet::holds(value), written == value);
    }
}

#[test]
fn files_that_were_asked_about_are_marked_in_each_format_and_profile() {
    let group = contract_group();
    let requested_files = RequestedFiles {
        files: vec![group.principal],
        in_no_group: Vec::new(),
    };
    let marked = |format: &str, profile: &str| {
        String::from_utf8(written_asked(
            format,
            profile,
            Some(requested_files.clone()),
        ))
        .unwrap()
    };
    for (profile, field, [yes, no]) in [
        ("relativity", "Simdex::Asked", ["Yes", "No"]),
        ("law", "SDX_Asked", ["Y", "N"]),
        ("brainspace", "simdex_asked", ["Yes", "No"]),
        ("purview", "Simdex_asked", ["Yes", "No"]),
        ("short", "NDASKED", ["Y", "N"]),
    ] {
        for records in [
            read_csv(&marked("csv", profile)),
            read_dat(&marked("dat", profile)),
        ] {
            let rows: Vec<_> = (1..records.len())
                .map(|record| value(&records, record, field))
                .collect();
            assert_eq!(rows, [no, yes, no, no], "{profile}");
        }
    }
    let elements = read_xml(&marked("edrm", "law"));
    let values = elements.iter().filter(|element| element.name == "NDASKED");
    let values: Vec<_> = values.map(|element| element.text.as_str()).collect();
    assert_eq!(values, ["N", "Y", "N", "N"]);
}

#[test]
fn an_edrm_file_is_well_formed_and_its_relationships_name_documents() {
    let text = String::from_utf8(written("edrm", "law", "")).unwrap();
    assert_eq!(text, include_str!("golden/law.xml"));
    let elements = read_xml(&text);
    let of = |name: &'static str| elements.iter().filter(move |element| element.name == name);
    assert_eq!(of("Document").count(), 6);
    let keys: HashSet<&str> = of("Field").map(|field| field.attribute("Key")).collect();
    assert_eq!(keys.len(), Field::ALL.len());
    let titles: Vec<_> = of("TITLE").map(|title| title.text.as_str()).collect();
    assert_eq!(titles, ["a \"b\"\r\n<c>&\u{fffd}€λ"]);
    let near: Vec<_> = of("Relationship")
        .filter(|element| element.attribute("RelationshipType") == "NearDuplicate")
        .map(|element| element.attribute("ParentDocId").to_owned())
        .collect();
    assert_eq!(near, vec![id(&contract_group().principal); 3]);
    // The container of the member is not among the files.
    let containers = |elements: &[Element]| {
        let mut related = elements.iter().filter(|it| it.name == "Relationship");
        related.any(|it| it.attribute("RelationshipType") == "Container")
    };
    assert!(!containers(&elements));
    let with_container: &AllFiles<'_> = &|visit| {
        visit(&ReportFile {
            path: b"/share/z.zip",
            ..ReportFile::default()
        })?;
        all_files(visit)
    };
    let text = String::from_utf8(written_of("edrm", "law", "", with_container)).unwrap();
    assert!(containers(&read_xml(&text)));
    assert_eq!(
        of("Custodian")
            .filter(|element| element.text == "anna")
            .count(),
        4
    );
}

#[test]
fn names_are_apart_in_each_profile_and_short_where_they_must_be() {
    for profile in [
        Profile::Relativity,
        Profile::Law,
        Profile::Brainspace,
        Profile::Purview,
        Profile::Short,
    ] {
        let names: HashSet<_> = Field::ALL.iter().map(|field| field.name(profile)).collect();
        assert_eq!(names.len(), Field::ALL.len(), "{profile:?}");
    }
    for field in Field::ALL {
        let name = field.name(Profile::Short);
        assert!(name.len() <= 12, "{name}");
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        );
    }
}

#[test]
fn unknown_names_are_refused_with_what_there_is() {
    let refused = |format, profile, encoding| {
        let refused = LoadFile::named(format, profile, encoding);
        refused.unwrap_err().to_string()
    };
    assert!(refused("opt", "", "").contains("\"opt\" is not a format of load files; choose dat"));
    assert!(refused("dat", "nuix", "").contains("\"nuix\" is not a profile"));
    assert!(refused("dat", "", "utf-16").contains("\"utf-16\" is not an encoding"));
    assert!(refused("csv", "", "windows-1252").contains("is UTF-8"));
    assert!(refused("edrm", "", "windows-1252").contains("is UTF-8"));
}

#[test]
fn a_file_that_comes_while_the_relationships_are_written_has_none() {
    let visits = std::cell::Cell::new(0);
    let growing: &AllFiles<'_> = &|visit| {
        visits.set(visits.get() + 1);
        let container = b"/share/a.zip";
        let path: &[u8] = b"/share/a.zip!/late.txt";
        visit(&ReportFile {
            path: container,
            ..ReportFile::default()
        })?;
        // Once for the list of unread files, once for the documents, then for the relationships.
        if visits.get() < 3 {
            return Ok(());
        }
        visit(&ReportFile {
            path,
            container: Some(container),
            ..ReportFile::default()
        })
    };
    let text = String::from_utf8(written_of("edrm", "law", "", growing)).unwrap();
    assert_eq!(visits.get(), 3);
    assert!(!text.contains("<Relationship "), "{text}");
}

#[test]
fn the_format_names_every_field_of_every_profile() {
    let format = include_str!("../../../../../schema/FORMAT.md");
    let (_, section) = format
        .split_once("\n## What is in a load file?\n")
        .expect("a section on load files");
    let (section, _) = section.split_once("\n## ").expect("a section after it");
    let lines = section.lines().filter(|line| line.starts_with("| "));
    // What a field holds stands in the first column.
    let names = |line: &'static str| line.splitn(3, '|').nth(2).unwrap_or_default();
    let named: Vec<Vec<&str>> = lines
        .skip(1)
        .map(|line| names(line).split('`').skip(1).step_by(2).collect())
        .collect();
    let profiles = [
        Profile::Short,
        Profile::Relativity,
        Profile::Law,
        Profile::Brainspace,
        Profile::Purview,
    ];
    let known = Field::ALL.iter();
    let known: Vec<Vec<&str>> = known
        .map(|field| profiles.map(|profile| field.name(profile)).to_vec())
        .collect();
    assert_eq!(named, known);
}
