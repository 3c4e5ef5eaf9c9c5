//! Detects what a file is from its bytes. Its name only distinguishes kinds of text.

mod compound;
pub(crate) mod polyglot;
mod text;
mod zip;

use std::borrow::Cow;
use std::io;

use crate::charset;
use crate::input::Input;

pub(crate) use text::{is_dated_separator, is_subtitle_time, is_subtitle_timing};

/// Bytes of the beginning that are checked.
const PREFIX_BYTES: u64 = 64 << 10;

/// A kind that is read, or the reason why it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Read as this format; the media type tells its variety.
    Read(Format, Cow<'static, str>),
    /// Known by its media type, but not read.
    Known(Cow<'static, str>),
    /// Known, but encrypted with a password.
    Encrypted(&'static str),
    /// Known by its magic number, but its structure is broken.
    Broken(&'static str),
    /// Neither known nor text.
    Binary,
}

/// The formats that are read, one reader each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Plain,
    Subtitles,
    Html,
    WebArchive,
    Xml,
    Rtf,
    Pdf,
    // OOXML, ODF and books: packages of parts.
    Word,
    Slides,
    Sheets,
    BinarySheets,
    OpenDocument,
    Epub,
    // Compound files.
    Doc,
    Xls,
    Ppt,
    Msg,
    // Messages and what holds them.
    Mail,
    Mbox,
    Pst,
    Tnef,
    Card,
    // Archives.
    Zip,
    Tar,
    Packed,
    SevenZip,
}

impl Format {
    /// Every format, in the order of the enum.
    pub(crate) const ALL: &[Self] = &[
        Self::Plain,
        Self::Subtitles,
        Self::Html,
        Self::WebArchive,
        Self::Xml,
        Self::Rtf,
        Self::Pdf,
        Self::Word,
        Self::Slides,
        Self::Sheets,
        Self::BinarySheets,
        Self::OpenDocument,
        Self::Epub,
        Self::Doc,
        Self::Xls,
        Self::Ppt,
        Self::Msg,
        Self::Mail,
        Self::Mbox,
        Self::Pst,
        Self::Tnef,
        Self::Card,
        Self::Zip,
        Self::Tar,
        Self::Packed,
        Self::SevenZip,
    ];
}

impl Kind {
    /// A format with its media type.
    pub(crate) const fn read(format: Format, media: &'static str) -> Self {
        Self::Read(format, Cow::Borrowed(media))
    }

    /// The media type that names this kind.
    pub(crate) fn media_type(&self) -> &str {
        match self {
            Self::Encrypted(media) | Self::Broken(media) => media,
            Self::Read(_, media) | Self::Known(media) => media,
            Self::Binary => "application/octet-stream",
        }
    }
}

/// A local header, the end record of an empty archive, and the marks of a split one.
const ZIP_STARTS: &[&[u8]] = &[
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x07\x08PK\x03\x04",
    b"PK00PK\x03\x04",
];

/// Detects the kind by the content, and by `name` for texts that look alike.
pub(crate) fn sniff(input: &Input, name: Option<&str>) -> io::Result<Kind> {
    let prefix = input.prefix(PREFIX_BYTES)?;
    if ZIP_STARTS.iter().any(|start| prefix.starts_with(start)) {
        return Ok(zip::zip_kind(input));
    }
    if prefix.starts_with(compound::MAGIC) {
        return Ok(compound::kind(input));
    }
    if has_pdf_header(&prefix) {
        return Ok(Kind::read(Format::Pdf, "application/pdf"));
    }
    if let Some((format, media)) = read_by_magic(&prefix) {
        return Ok(Kind::read(format, media));
    }
    if is_tar(&prefix) {
        return Ok(Kind::read(Format::Tar, "application/x-tar"));
    }
    if let Some(media) = by_magic(&prefix) {
        return Ok(Kind::Known(Cow::Borrowed(media)));
    }
    if charset::is_text(&prefix) || text::is_message(&prefix) {
        let whole = prefix.len() as u64 == input.len();
        return Ok(text::kind(&prefix, whole, name));
    }
    Ok(Kind::Binary)
}

/// `%PDF-` at the start of a line within the first kilobyte, as PDF readers accept it; and more PDF content after it,
/// since texts about PDF may begin this way too.
fn has_pdf_header(prefix: &[u8]) -> bool {
    let head = &prefix[..prefix.len().min(1024)];
    let at = head.windows(5).position(|window| window == b"%PDF-");
    at.is_some_and(|at| {
        let starts_line = at == 0 || !head[at - 1].is_ascii_graphic();
        starts_line
            && (at == 0
                || prefix[at..]
                    .windows(5)
                    .any(|window| window == b" obj\n" || window == b" obj\r"))
    })
}

/// A header of `tar`: recognised by its magic number, or in older archives by its checksum, the sum of its bytes with
/// spaces in place of the checksum.
pub(crate) fn is_tar(prefix: &[u8]) -> bool {
    let Some(header) = prefix.get(..512) else {
        return false;
    };
    let stated = str::from_utf8(&header[148..156]).unwrap_or_default();
    let stated = stated.trim_matches([' ', '\0']);
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    let field: u32 = header[148..156].iter().map(|&byte| u32::from(byte)).sum();
    header[257..].starts_with(b"ustar")
        || header[0] != 0 && u32::from_str_radix(stated, 8) == Ok(sum - field + 8 * 32)
}

fn read_by_magic(prefix: &[u8]) -> Option<(Format, &'static str)> {
    let found = READ_MAGIC.iter().find(|(at, bytes, ..)| {
        prefix
            .get(*at..)
            .is_some_and(|rest| rest.starts_with(bytes))
    });
    found.map(|(.., format, media)| (*format, *media))
}

fn by_magic(prefix: &[u8]) -> Option<&'static str> {
    let found = MAGIC.iter().find(|(at, bytes, _)| {
        prefix
            .get(*at..)
            .is_some_and(|rest| rest.starts_with(bytes))
    });
    found.map(|(_, _, media)| *media)
}

/// Offset, bytes, and the format that begins with them.
const READ_MAGIC: &[(usize, &[u8], Format, &str)] = &[
    (0, b"{\\rtf", Format::Rtf, "application/rtf"),
    (0, b"\x1f\x8b", Format::Packed, "application/gzip"),
    (0, b"BZh", Format::Packed, "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", Format::Packed, "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", Format::Packed, "application/zstd"),
    (
        0,
        b"7z\xbc\xaf\x27\x1c",
        Format::SevenZip,
        "application/x-7z-compressed",
    ),
    (0, b"!BDN", Format::Pst, "application/vnd.ms-outlook-pst"),
    (
        0,
        b"\x78\x9f\x3e\x22",
        Format::Tnef,
        "application/vnd.ms-tnef",
    ),
];

/// Offset, bytes, and media type of formats that are not read. The IANA name if there is one.
const MAGIC: &[(usize, &[u8], &str)] = &[
    (0, b"%!PS", "application/postscript"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"!<arch>\n", "application/x-archive"),
    (0, b"MSCF", "application/vnd.ms-cab-compressed"),
    (0, b"ITSF", "application/vnd.ms-htmlhelp"),
    (
        0,
        b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d",
        "application/onenote",
    ),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (8, b"WEBP", "image/webp"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\0\0\x01\0", "image/vnd.microsoft.icon"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (4, b"ftyp", "video/mp4"),
    (0, b"OggS", "application/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"\x1aE\xdf\xa3", "video/x-matroska"),
    (0, b"FWS", "application/vnd.adobe.flash.movie"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO", "font/otf"),
    (0, b"\0\x01\0\0\0", "font/ttf"),
];

#[cfg(test)]
#[cfg(feature = "all")]
mod tests;
