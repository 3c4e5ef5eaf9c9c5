//! What a ZIP archive is: an OOXML document, an ODF one, a book, an archive.

use std::io::{BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::Kind;
use crate::input::Input;

pub(super) const DOCX: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const ZIP: &str = "application/zip";

/// Bytes of `[Content_Types].xml` that are looked at.
const TYPES_BYTES: u64 = 4 << 20;

/// Part of the main content type, media type of the whole. Templates and macros come in the same
/// form and are told apart no further.
const OOXML: &[(&str, &str)] = &[
    (
        "spreadsheetml.sheet.main+xml",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    (
        "ms-excel.sheet",
        "application/vnd.ms-excel.sheet.macroEnabled.12",
    ),
    (
        "presentationml.presentation.main+xml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    (
        "presentationml.slideshow.main+xml",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    ),
    (
        "ms-powerpoint.",
        "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    ),
    ("ms-visio.", "application/vnd.ms-visio.drawing"),
    ("ms-package.xps", "application/vnd.ms-xpsdocument"),
];

/// Main content types of word processing documents: document, template, with macros or without.
pub(crate) const WORD_MAIN: &[&str] = &[
    "wordprocessingml.document.main+xml",
    "wordprocessingml.template.main+xml",
    "ms-word.document.macroEnabled.main+xml",
    "ms-word.template.macroEnabledTemplate.main+xml",
];

pub(super) fn zip_kind(input: &Input) -> Kind {
    let mut archive = match ZipArchive::new(BufReader::new(input.reader())) {
        Ok(archive) => archive,
        Err(ZipError::UnsupportedArchive(_)) => return Kind::Known(ZIP.into()),
        Err(_) => return Kind::Broken(ZIP),
    };
    if let Some(types) = entry(&mut archive, "[Content_Types].xml", TYPES_BYTES) {
        if WORD_MAIN.iter().any(|main| types.contains(main)) {
            return Kind::Docx;
        }
        if let Some((_, media)) = OOXML.iter().find(|(part, _)| types.contains(part)) {
            return Kind::Known((*media).into());
        }
    }
    // ODF and EPUB name themselves in their first entry.
    if let Some(media) = entry(&mut archive, "mimetype", 100).filter(|media| is_media(media)) {
        return Kind::Known(media.trim().to_owned().into());
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
        Kind::Known(ZIP.into())
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
