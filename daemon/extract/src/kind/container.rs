//! What a ZIP archive is: an OOXML document, an ODF one, a book, an archive.

use std::io::{BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{Format, Kind};
use crate::input::Input;

const ZIP: &str = "application/zip";

/// Media types of ODF texts, slides and sheets, templates included.
const OPEN_DOCUMENT: &[&str] = &[
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.graphics",
];

/// Bytes of `[Content_Types].xml` that are looked at.
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

/// The same, for what is not read.
const OOXML_KNOWN: &[(&str, &str)] = &[
    ("ms-visio.", "application/vnd.ms-visio.drawing"),
    ("ms-package.xps", "application/vnd.ms-xpsdocument"),
];

pub(super) fn zip_kind(input: &Input) -> Kind {
    let mut archive = match ZipArchive::new(BufReader::new(input.reader())) {
        Ok(archive) => archive,
        Err(ZipError::UnsupportedArchive(_)) => return Kind::Known(ZIP.into()),
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
    // ODF and EPUB name themselves in their first entry.
    if let Some(media) = entry(&mut archive, "mimetype", 100).filter(|media| is_media(media)) {
        return named(media.trim());
    }
    if archive.index_for_name("META-INF/MANIFEST.MF").is_some() {
        return Kind::Known("application/java-archive".into());
    }
    let locked = (0..archive.len().min(1000)).any(|index| {
        archive
            .by_index_raw(index)
            .is_ok_and(|entry| entry.encrypted())
    });
    if locked {
        Kind::Encrypted(ZIP)
    } else {
        Kind::read(Format::Zip, ZIP)
    }
}

/// The kind of a package that names its media type.
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
