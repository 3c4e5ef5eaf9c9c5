//! Fields, comments, attached files and properties of PDFs made here.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::super::tests::{pdf_of, stream};
use super::info::Moment;
use super::*;
use crate::sink::collected::Collected;

/// A page without text, with more entries for catalog and page, and more objects from 4 on.
fn document(catalog: &str, page: &str, objects: &[&str]) -> Document {
    let mut all = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>"),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] {page} >>"),
    ];
    all.extend(objects.iter().map(|object| (*object).to_owned()));
    Document::load_mem(&pdf_of(&all)).unwrap()
}

/// Text, facts, members and reason.
type Beside = (String, Vec<(Fact, String)>, Vec<Collected>, Option<Reason>);

/// Reads everything besides the pages.
fn read_all(document: &Document) -> Beside {
    let (mut sink, members) = Sink::collecting(1 << 20, simdex_extract::Budgets::default());
    let reason = read(document, &[], &mut sink);
    let facts = sink.facts().iter();
    let facts = facts
        .map(|(fact, value)| (fact, value.to_owned()))
        .collect();
    (sink.take_text(), facts, members.take(), reason)
}

fn number(document: &Document, fact: Fact) -> Option<String> {
    let facts = read_all(document).1;
    facts
        .into_iter()
        .find(|(found, _)| *found == fact)
        .map(|(_, value)| value)
}

#[test]
fn values_of_text_and_choice_fields_are_read() {
    let document = document(
        "/AcroForm << /Fields [4 0 R 6 0 R 7 0 R] >>",
        "",
        &[
            "<< /FT /Tx /T (parent) /Kids [5 0 R 4 0 R] >>",
            "<< /T (kid) /V (Jane Doe) >>",
            "<< /FT /Ch /V [(red) <FEFF00FC>] >>",
            "<< /FT /Btn /Ff 65536 /V /Yes >>",
        ],
    );
    let (text, facts, _, reason) = read_all(&document);
    assert_eq!((text.as_str(), reason), ("Jane Doe\nred\tü\n", None));
    assert!(
        facts.contains(&(Fact::FormFields, "2".to_owned())),
        "{facts:?}"
    );
}

#[test]
fn boxes_and_buttons_are_read_as_ticked_or_not() {
    let read = |yes: &str, no: &str| {
        let group = [
            format!("<< /FT /Btn /V {yes} /TU (Yes) >>"),
            format!("<< /FT /Btn /V /Yes /AS {no} /TU (No) >>"),
            "<< /FT /Btn /Ff 32768 /V /b /Kids [7 0 R 8 0 R] >>".to_owned(),
            "<< /Subtype /Widget /AS /Off >>".to_owned(),
            "<< /Subtype /Widget /AS /b >>".to_owned(),
        ];
        let group: Vec<_> = group.iter().map(|object| &**object).collect();
        let form = "/AcroForm << /Fields [4 0 R 5 0 R 6 0 R] >>";
        read_all(&document(form, "", &group)).0
    };
    assert_eq!(read("/Yes", "/Off"), "☒ Yes\n☐ No\n☐\n☒\n");
    assert_eq!(read("/Off", "/Yes"), "☐ Yes\n☒ No\n☐\n☒\n");
}

#[test]
fn fields_that_no_form_names_are_read_once() {
    let document = document(
        "/AcroForm << /Fields [5 0 R] >>",
        "/Annots [4 0 R 5 0 R]",
        &[
            "<< /Subtype /Widget /FT /Tx /V (stray) >>",
            "<< /Subtype /Widget /FT /Tx /V (named) >>",
        ],
    );
    assert_eq!(read_all(&document).0, "named\nstray\n");
}

#[test]
fn comments_are_read_and_links_are_not() {
    let document = document(
        "",
        "/Annots [4 0 R << /Subtype /Link /Contents (a link) >> << /Subtype /Highlight /Contents () >>]",
        &["<< /Subtype /FreeText /Contents (first\\rsecond) >>"],
    );
    let (text, facts, ..) = read_all(&document);
    assert_eq!(text, "first\nsecond\n");
    assert!(facts.contains(&(Fact::Annotations, "1".to_owned())));
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn attached_files_are_members_once_each() {
    let mut document = document(
        "/Names << /EmbeddedFiles << /Kids [4 0 R] >> >>",
        "/Annots [<< /Subtype /FileAttachment /FS 5 0 R >> << /Subtype /FileAttachment /FS 7 0 R >>]",
        &[
            "<< /Names [(a) 5 0 R] /Kids [4 0 R] >>",
            "<< /UF (offer.txt) /EF << /F 6 0 R >> >>",
            &stream("packed"),
            "<< /F (odd) /EF << /F 8 0 R >> >>",
            "<< /Filter /Unknown /Length 1 >>\nstream\nx\nendstream",
        ],
    );
    let Some(Object::Stream(file)) = document.objects.get_mut(&(6, 0)) else {
        panic!("no stream")
    };
    file.dict
        .set("Filter", Object::Name(b"FlateDecode".to_vec()));
    file.dict
        .set("Params", dictionary_of("ModDate", "D:19700102000000Z"));
    file.set_content(deflated(b"an offer"));
    let (_, facts, members, reason) = read_all(&document);
    let found: Vec<_> = members
        .iter()
        .map(|m| (m.name.as_str(), m.unread))
        .collect();
    assert_eq!(found, [("offer.txt", None), ("odd", Some(Reason::Damaged))]);
    assert_eq!(
        (members[0].bytes.as_slice(), members[0].modified),
        (&b"an offer"[..], Some(86_400))
    );
    assert!(facts.contains(&(Fact::Members, "2".to_owned())));
    assert_eq!(reason, Some(Reason::PartsFailed));
}

fn dictionary_of(key: &str, value: &str) -> Object {
    let mut entries = Dictionary::new();
    entries.set(key, Object::string_literal(value));
    Object::Dictionary(entries)
}

#[test]
fn an_attached_bomb_is_cut() {
    let mut document = document(
        "/AF [<< /F (bomb) /EF << /F 4 0 R >> >>]",
        "",
        &[&stream("x")],
    );
    let Some(Object::Stream(file)) = document.objects.get_mut(&(4, 0)) else {
        panic!("no stream")
    };
    file.dict
        .set("Filter", Object::Name(b"FlateDecode".to_vec()));
    file.set_content(deflated(&vec![0; 8 << 20]));
    let (_, _, members, reason) = read_all(&document);
    assert_eq!(reason, Some(Reason::InflateLimit));
    assert!(members[0].bytes.len() < 3 << 20);
}

#[test]
fn scripts_and_ways_out_are_counted() {
    let document = document(
        "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>",
        "/AA << /O 4 0 R >>",
        &["<< /S /Launch /F (calc.exe) /Next << /S /JavaScript /JS (2) >> >>"],
    );
    assert_eq!(number(&document, Fact::Scripts).as_deref(), Some("2"));
    assert_eq!(number(&document, Fact::External).as_deref(), Some("1"));
}

#[test]
fn entities_of_xml_forms_are_counted_and_never_resolved() {
    let xfa =
        "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>";
    let document = document(
        "/AcroForm << /XFA [(template) 4 0 R] >>",
        "",
        &[&stream(xfa)],
    );
    let (text, facts, ..) = read_all(&document);
    assert_eq!(text, "");
    assert!(facts.contains(&(Fact::External, "1".to_owned())));
}

#[test]
fn the_file_tells_of_itself_and_xmp_fills_in() {
    let xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description pdf:Producer='P' \
               xmp:ModifyDate='2020-02-03T04:05:06+01:00'><dc:title><rdf:Alt><rdf:li>Other</rdf:li>\
               </rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li>Jane</rdf:li></rdf:Seq></dc:creator>\
               </rdf:Description></rdf:RDF></x:xmpmeta>";
    let mut document = document("/Lang (en) /Metadata 4 0 R", "", &[&stream(xmp)]);
    let mut info = Dictionary::new();
    info.set("Title", Object::string_literal("Own title"));
    info.set(
        "CreationDate",
        Object::string_literal("D:20010203040506-03'30'"),
    );
    document.trailer.set("Info", Object::Dictionary(info));
    let facts = read_all(&document).1;
    let expected = [
        (Fact::Title, "Own title"),
        (Fact::Author, "Jane"),
        (Fact::Created, "2001-02-03T04:05:06-03:30"),
        (Fact::Modified, "2020-02-03T04:05:06+01:00"),
        (Fact::Language, "en"),
        (Fact::Producer, "P"),
    ];
    assert_eq!(
        facts,
        expected.map(|(fact, value)| (fact, value.to_owned()))
    );
}

#[test]
fn dates_are_read_as_far_as_they_go_or_not_at_all() {
    let date = |text: &str| Moment::of(text).map(Moment::rfc_3339);
    assert_eq!(date("D:2001").as_deref(), Some("2001-01-01T00:00:00Z"));
    assert_eq!(date("20010203").as_deref(), Some("2001-02-03T00:00:00Z"));
    assert_eq!(
        date("D:20010203040506+02'00").as_deref(),
        Some("2001-02-03T04:05:06+02:00")
    );
    for odd in [
        "",
        "D:",
        "yesterday",
        "D:20011303",
        "D:20010203256161",
        "D:2001ä",
    ] {
        assert!(
            date(odd).is_none_or(|date| date.starts_with("2001-01-01")),
            "{odd}"
        );
    }
    assert_eq!(
        Moment::of("D:20000229000000Z").map(Moment::seconds),
        Some(951_782_400)
    );
    assert_eq!(
        Moment::of("D:19700101010000+01'00'").map(Moment::seconds),
        Some(0)
    );
}

/// Reads a form in XML; the form has these other entries.
fn xfa(xml: &str, form: &str) -> Beside {
    let half = xml.len() / 2;
    let document = document(
        &format!("/AcroForm << /XFA [(one) 4 0 R (two) 5 0 R] {form} >>"),
        "",
        &[&stream(&xml[..half]), &stream(&xml[half..])],
    );
    read_all(&document)
}

const FORM: &str = "<xdp:xdp xmlns:xdp='x'><config><text>no</text></config><template><subform>\
    <draw><value><text>Leave &amp; pay</text></value></draw>\
    <subform><draw><value><text>none yet</text></value></draw><occur min='0'/></subform>\
    <field name='who'><assist><toolTip>no</toolTip></assist><items><text>no</text></items>\
    <caption><value><exData><body><p>Full <b>name</b></p><p>in ink</p></body></exData></value></caption>\
    <event><script>no</script></event></field>\
    <field presence='hidden'><caption><value><text>no</text></value></caption></field></subform>\
    </template><xfa:datasets xmlns:xfa='y'><xfa:data><form><who>Jane Doe</who></form></xfa:data>\
    </xfa:datasets></xdp:xdp>";

#[test]
fn forms_that_are_in_xml_alone_are_read() {
    let (text, facts, _, reason) = xfa(FORM, "");
    assert_eq!(text, "Leave & pay\nFull name\nin ink\nJane Doe\n");
    assert_eq!(reason, None);
    assert!(facts.contains(&(Fact::FormFields, "1".to_owned())));
    // If the pages show the form, its XML repeats them.
    assert_eq!(
        xfa(FORM, "/Fields [<< /FT /Tx /V (Jane Doe) >>]").0,
        "Jane Doe\n"
    );
}

#[test]
fn forms_that_break_off_or_never_end_are_read_as_far_as_they_go() {
    let cut = &FORM[..FORM.find("<event>").unwrap()];
    assert_eq!(xfa(cut, "").0, "Leave & pay\nFull name\nin ink\n");
    let deep = format!("<template>{}", "<subform>".repeat(100_000));
    assert_eq!(xfa(&deep, "").0, "");
    assert_eq!(xfa("</a></b>&#0;&x;<template", "").0, "");
}
