//! EDRM XML 1.2: fields, documents with their values, files and locations, and the relationships among them.
//!
//! Characters that XML does not allow (controls) become U+FFFD. Written as a stream; the files are visited a
//! second time for the relationships, which come last. Files may come and go in between: a relationship is
//! written only if both its documents were.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter, Write as _};
use std::io::{self, Write};

use simdex_index::GrowingPermit;
use simdex_proto::lines::lossy;
use simdex_proto::text::is_xml;

use super::LoadRows;
use super::fields::{Field, LoadRow, id, id_number};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Root MajorVersion=\"1\" MinorVersion=\"2\" Description=\"Near-duplicates by Simdex\" Locale=\"US\" \
    DataInterchangeType=\"Update\">\n";

/// Bytes that a document takes in the set of those written, with spare capacity.
const DOCUMENT: u64 = 40;

/// Whether a text is written unchanged.
pub(super) fn holds(text: &str) -> bool {
    text.chars().all(is_xml)
}

/// Writes the whole file.
pub(super) fn write(out: &mut dyn Write, rows: &LoadRows<'_>) -> io::Result<()> {
    let profile = rows.load.profile;
    out.write_all(HEAD.as_bytes())?;
    out.write_all(b"<Fields>\n")?;
    for field in Field::ALL {
        let (key, name) = (field.name(super::Profile::Short), Text(field.name(profile)));
        writeln!(
            out,
            "<Field Key=\"{key}\" Name=\"{name}\" DataType=\"Text\"/>"
        )?;
    }
    out.write_all(b"</Fields>\n<Batch>\n<Documents>\n")?;
    let mut held = GrowingPermit::of(rows.input.account);
    let mut documents = HashSet::new();
    rows.visit(&mut |row| {
        held.add(DOCUMENT).map_err(io::Error::other)?;
        documents.insert(id_number(row.file.path));
        document(out, row, profile)
    })?;
    out.write_all(b"</Documents>\n<Relationships>\n")?;
    rows.visit(&mut |row| relationships(out, row, &documents))?;
    out.write_all(b"</Relationships>\n</Batch>\n</Root>\n")
}

fn document(out: &mut dyn Write, row: &LoadRow<'_>, profile: super::Profile) -> io::Result<()> {
    let file = row.file;
    let kind = match file.media_type {
        "message/rfc822" => "Message",
        _ => "File",
    };
    let (id, media_type) = (id(file.path), Text(file.media_type));
    writeln!(
        out,
        "<Document DocID=\"{id}\" DocType=\"{kind}\" MimeType=\"{media_type}\">\n<FieldValues>"
    )?;
    for field in Field::ALL {
        let value = row.value(*field, profile);
        if !value.is_empty() {
            let key = field.name(super::Profile::Short);
            writeln!(out, "<{key}>{}</{key}>", Text(&value))?;
        }
    }
    out.write_all(b"</FieldValues>\n")?;
    let (path, name) = (lossy(file.path), lossy(file.name()));
    let (path, name) = (Text(&path), Text(&name));
    let size = file.bytes.map(|bytes| format!(" FileSize=\"{bytes}\""));
    let size = size.unwrap_or_default();
    writeln!(
        out,
        "<Files><File FileType=\"Native\"><ExternalFile FilePath=\"{path}\" FileName=\"{name}\"{size}/></File></Files>"
    )?;
    let custodian = Text(file.owner_name.unwrap_or_default());
    writeln!(
        out,
        "<Locations><Location><Custodian>{custodian}</Custodian><LocationURI>{path}</LocationURI></Location></Locations>\n</Document>"
    )
}

/// The relation of the file to its container, and to the principal of its group.
fn relationships(
    out: &mut dyn Write,
    row: &LoadRow<'_>,
    documents: &HashSet<u128>,
) -> io::Result<()> {
    let is_there = |path: &&[u8]| documents.contains(&id_number(path));
    if !is_there(&row.file.path) {
        return Ok(());
    }
    let child = id(row.file.path);
    let principal = row.place.filter(|place| !place.is_principal());
    let parents = [
        ("Container", row.container),
        (
            "NearDuplicate",
            principal.map(|place| place.principal.path.as_slice()),
        ),
    ];
    for (kind, parent) in parents {
        if let Some(parent) = parent.filter(is_there).map(id) {
            writeln!(
                out,
                "<Relationship ParentDocId=\"{parent}\" ChildDocId=\"{child}\" RelationshipType=\"{kind}\"/>"
            )?;
        }
    }
    Ok(())
}

/// Text for XML, in an element or an attribute.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // A parser turns these into spaces in an attribute, and drops CR elsewhere.
                '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c))?,
                c if is_xml(c) => f.write_char(c)?,
                _ => f.write_char('\u{fffd}')?,
            }
        }
        Ok(())
    }
}
