//! The kind of a ZIP archive: an OOXML document, an ODF one, a book, or just an archive.

use std::io::{BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{Format, Kind};
use crate::input::Input;
use crate::zip_header::is_salvageable;

const ZIP: &str = "application/zip";

/// Media types of ODF texts, slides, sheets and drawings, templates included, and of their
/// predecessor.
const OPEN_DOCUMENT: &[&str] = &[
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.graphics",
    "application/vnd.sun.xml.writer",
    "application/vnd.sun.xml.impress",
    "application/vnd.sun.xml.calc",
    "application/vnd.sun.xml.draw",
];

/// Bytes of `[Content_Types].xml` that are read.
const TYPES_BYTES: u64 = 4 << 20;

/// Part of the main content type, format, media type of the whole.
const OOXML: &[(&str, Format, &str)] = &[
    (
        "wordprocessingml.document.main+xml",
        Format::Word,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    (
        "wordprocessingml.template.main+xml",
        Format::Word,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    ),
    (
        "ms-word.document.macroEnabled.main+xml",
        Format::Word,
        "application/vnd.ms-word.document.macroEnabled.12",
    ),
    (
        "ms-word.template.macroEnabledTemplate.main+xml",
        Format::Word,
        "application/vnd.ms-word.template.macroEnabled.12",
    ),
    (
        "presentationml.presentation.main+xml",
        Format::Slides,
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    (
        "presentationml.template.main+xml",
        Format::Slides,
        "application/vnd.openxmlformats-officedocument.presentationml.template",
    ),
    (
        "presentationml.slideshow.main+xml",
        Format::Slides,
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    ),
    (
        "ms-powerpoint.presentation.macroEnabled.main+xml",
        Format::Slides,
        "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    ),
    (
        "ms-powerpoint.template.macroEnabled.main+xml",
        Format::Slides,
        "application/vnd.ms-powerpoint.template.macroEnabled.12",
    ),
    (
        "ms-powerpoint.slideshow.macroEnabled.main+xml",
        Format::Slides,
        "application/vnd.ms-powerpoint.slideshow.macroEnabled.12",
    ),
    (
        "spreadsheetml.sheet.main+xml",
        Format::Sheets,
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    (
        "spreadsheetml.template.main+xml",
        Format::Sheets,
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    ),
    (
        "ms-excel.sheet.macroEnabled.main+xml",
        Format::Sheets,
        "application/vnd.ms-excel.sheet.macroEnabled.12",
    ),
    (
        "ms-excel.template.macroEnabled.main+xml",
        Format::Sheets,
        "application/vnd.ms-excel.template.macroEnabled.12",
    ),
    (
        "ms-excel.addin.macroEnabled.main+xml",
        Format::Sheets,
        "application/vnd.ms-excel.addin.macroEnabled.12",
    ),
    (
        "ms-powerpoint.addin.macroEnabled.main+xml",
        Format::Slides,
        "application/vnd.ms-powerpoint.addin.macroEnabled.12",
    ),
    (
        "ms-excel.sheet.binary.macroEnabled.main",
        Format::BinarySheets,
        "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    ),
];

/// Parts that identify a kind that is not read.
const OOXML_KNOWN: &[(&str, &str)] = &[
    ("ms-visio.", "application/vnd.ms-visio.drawing"),
    ("ms-package.xps", "application/vnd.ms-xpsdocument"),
];

pub(super) fn zip_kind(input: &Input) -> Kind {
    let mut archive = match ZipArchive::new(BufReader::new(input.reader())) {
        Ok(archive) => archive,
        Err(ZipError::UnsupportedArchive(_)) => return Kind::Known(ZIP.into()),
        Err(_) if is_salvageable(input) => return Kind::read(Format::Zip, ZIP),
        Err(_) => return Kind::Broken(ZIP),
    };
    if let Some(types) = entry(&mut archive, "[Content_Types].xml", TYPES_BYTES) {
        if let Some((_, format, media)) = OOXML.iter().find(|(part, ..)| types.contains(part)) {
            return Kind::read(*format, media);
        }
        if let Some((_, media)) = OOXML_KNOWN.iter().find(|(part, _)| types.contains(part)) {
            return Kind::Known((*media).into());
        }
    }
    // ODF and EPUB state their type in the first entry.
    if let Some(media) = entry(&mut archive, "mimetype", 100).filter(|media| is_media(media)) {
        return named(media.trim());
    }
    if let Some(media) = unnamed(&mut archive) {
        return named(&media);
    }
    if let Some(media) = iwork(&archive) {
        return Kind::Known(media.into());
    }
    let named = NAMED_BY_ENTRY
        .iter()
        .find(|(name, _)| archive.index_for_name(name).is_some());
    if let Some((_, media)) = named {
        return Kind::read(Format::Zip, media);
    }
    let mut files = (0..archive.len())
        .filter_map(|index| archive.by_index_data(index).ok())
        .filter(|entry| !entry.is_dir())
        .peekable();
    if files.peek().is_some() && files.all(|entry| entry.encrypted()) {
        Kind::Encrypted(ZIP)
    } else {
        Kind::read(Format::Zip, ZIP)
    }
}

/// The media type of a book or an ODF package without that first entry.
fn unnamed(archive: &mut ZipArchive<impl Read + std::io::Seek>) -> Option<String> {
    if archive.index_for_name("META-INF/container.xml").is_some() {
        return Some("application/epub+zip".to_owned());
    }
    let manifest = entry(archive, "META-INF/manifest.xml", TYPES_BYTES)?;
    let stated = manifest.split("media-type=").skip(1);
    let media = stated.filter_map(|rest| rest.split(['"', '\'']).nth(1));
    let mut documents = media.filter(|media| {
        is_media(media) && OPEN_DOCUMENT.iter().any(|start| media.starts_with(start))
    });
    documents.next().map(str::to_owned)
}

/// Media types of archives that contain a certain entry; they are read like any other.
const NAMED_BY_ENTRY: &[(&str, &str)] = &[
    (
        "AndroidManifest.xml",
        "application/vnd.android.package-archive",
    ),
    ("META-INF/MANIFEST.MF", "application/java-archive"),
];

/// Apple's documents; only Keynote's parts tell which program they belong to.
fn iwork(archive: &ZipArchive<impl Read + std::io::Seek>) -> Option<&'static str> {
    let mut parts = archive
        .file_names_raw()
        .filter(|name| name.starts_with(b"Index/") && name.ends_with(b".iwa"))
        .peekable();
    parts.peek()?;
    Some(if parts.any(|name| name.starts_with(b"Index/Slide")) {
        "application/vnd.apple.keynote"
    } else {
        "application/vnd.apple.iwork"
    })
}

/// The kind of a package that states its media type.
fn named(media: &str) -> Kind {
    let format = match media {
        "application/epub+zip" => Some(Format::Epub),
        _ if OPEN_DOCUMENT.iter().any(|start| media.starts_with(start)) => {
            Some(Format::OpenDocument)
        }
        _ => None,
    };
    let media = media.to_owned().into();
    match format {
        Some(format) => Kind::Read(format, media),
        None => Kind::Known(media),
    }
}

/// The beginning of an entry, as text.
fn entry(
    archive: &mut ZipArchive<impl Read + std::io::Seek>,
    name: &str,
    limit: u64,
) -> Option<String> {
    let mut bytes = Vec::new();
    archive
        .by_name(name)
        .ok()?
        .take(limit)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_media(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"/.+-".contains(&b);
    text.starts_with("application/") && text.trim().bytes().all(allowed)
}
