//! What a name promises, and what a file is besides: content decides on the kind, and where it
//! decides against the name, or where it would fit two kinds, that is noted.

use std::path::Path;

use super::Kind;
use crate::input::Input;

/// Media types that keep every promise, and none.
const LOCKED_OFFICE: &str = "application/vnd.ms-office";
const BINARY: &str = "application/octet-stream";

/// Extensions, the media type they promise, and the beginnings of those that keep the promise.
const PROMISES: &[(&[&str], &str, &[&str])] = &[
    (
        &[
            "txt", "text", "log", "md", "csv", "tsv", "rst", "tex", "srt",
        ],
        "text/plain",
        &[
            "text/",
            "application/json",
            "application/xml",
            "message/",
            "application/mbox",
        ],
    ),
    (
        &["htm", "html", "xhtml"],
        "text/html",
        &["text/html", "application/xml", "application/xhtml"],
    ),
    (
        &["xml"],
        "application/xml",
        &["application/xml", "text/html"],
    ),
    (&["json"], "application/json", &["application/json"]),
    (&["rtf"], "application/rtf", &["application/rtf"]),
    (&["pdf"], "application/pdf", &["application/pdf"]),
    (
        &["doc", "dot"],
        "application/msword",
        &["application/msword"],
    ),
    (
        &["xls", "xlt"],
        "application/vnd.ms-excel",
        &["application/vnd.ms-excel"],
    ),
    (
        &["ppt", "pot", "pps"],
        "application/vnd.ms-powerpoint",
        &["application/vnd.ms-powerpoint"],
    ),
    (
        &["docx", "docm", "dotx", "dotm"],
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        &[
            "application/vnd.openxmlformats-officedocument.wordprocessingml",
            "application/vnd.ms-word",
        ],
    ),
    (
        &["xlsx", "xlsm", "xltx", "xltm", "xlsb"],
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        &[
            "application/vnd.openxmlformats-officedocument.spreadsheetml",
            "application/vnd.ms-excel.",
        ],
    ),
    (
        &["pptx", "pptm", "potx", "potm", "ppsx", "ppsm"],
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        &[
            "application/vnd.openxmlformats-officedocument.presentationml",
            "application/vnd.ms-powerpoint.",
        ],
    ),
    (
        &["odt", "ott"],
        "application/vnd.oasis.opendocument.text",
        &["application/vnd.oasis.opendocument.text"],
    ),
    (
        &["ods", "ots"],
        "application/vnd.oasis.opendocument.spreadsheet",
        &["application/vnd.oasis.opendocument.spreadsheet"],
    ),
    (
        &["odp", "otp"],
        "application/vnd.oasis.opendocument.presentation",
        &["application/vnd.oasis.opendocument.presentation"],
    ),
    (&["epub"], "application/epub+zip", &["application/epub+zip"]),
    (&["eml"], "message/rfc822", &["message/"]),
    (
        &["msg"],
        "application/vnd.ms-outlook",
        &["application/vnd.ms-outlook"],
    ),
    (
        &["pst", "ost"],
        "application/vnd.ms-outlook-pst",
        &["application/vnd.ms-outlook-pst"],
    ),
    // Many kinds are archives too; that is no broken promise.
    (&["zip"], "application/zip", &["application/"]),
    (
        &["7z"],
        "application/x-7z-compressed",
        &["application/x-7z-compressed"],
    ),
    (&["tar"], "application/x-tar", &["application/x-tar"]),
    (&["gz", "tgz"], "application/gzip", &["application/gzip"]),
    (
        &["bz2", "tbz2"],
        "application/x-bzip2",
        &["application/x-bzip2"],
    ),
    (&["xz", "txz"], "application/x-xz", &["application/x-xz"]),
    (&["zst", "tzst"], "application/zstd", &["application/zstd"]),
    (&["png"], "image/png", &["image/png"]),
    (&["jpg", "jpeg"], "image/jpeg", &["image/jpeg"]),
    (&["gif"], "image/gif", &["image/gif"]),
    (&["tif", "tiff"], "image/tiff", &["image/tiff"]),
];

/// The media type that `name` promises, where a file of `media` breaks the promise. It is no fact of a
/// content: the same bytes may have many names.
#[must_use]
pub fn broken_promise(name: &str, media: &str) -> Option<&'static str> {
    // A locked document is packed into a compound file, whatever it is.
    if media == LOCKED_OFFICE {
        return None;
    }
    let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    let mut promises = PROMISES.iter();
    let (_, promised, kept) = promises.find(|(names, ..)| names.contains(&&*extension))?;
    let is_kept = match *kept {
        ["application/"] => media.starts_with("application/") && media != BINARY,
        kept => kept.iter().any(|start| media.starts_with(start)),
    };
    (!is_kept).then_some(promised)
}

/// Longest comment at the end of a ZIP archive, with the record before it.
const ZIP_END: u64 = 22 + 65_535;

/// A remark on a file that is a PDF and a ZIP archive at once: it is read as what its first bytes
/// say.
pub(crate) fn polyglot(input: &Input, kind: &Kind) -> Option<&'static str> {
    let head = input.prefix(super::PREFIX_BYTES).ok()?;
    match kind.media_type() {
        "application/pdf" => {
            let tail = input
                .range(input.len().saturating_sub(ZIP_END), ZIP_END)
                .ok()?;
            ends_zip(&tail).then_some("also a ZIP archive; read as PDF, which its beginning says")
        }
        _ if head.starts_with(b"PK\x03\x04") && super::has_pdf_header(&head) => {
            Some("also a PDF; read as the ZIP archive that its beginning says")
        }
        _ => None,
    }
}

/// Whether an end record stands there whose comment reaches to the very end.
fn ends_zip(tail: &[u8]) -> bool {
    let mut records = tail
        .windows(22)
        .enumerate()
        .filter(|(_, w)| w.starts_with(b"PK\x05\x06"));
    records.any(|(at, record)| {
        let comment = u16::from_le_bytes([record[20], record[21]]);
        at + 22 + usize::from(comment) == tail.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::samples::{pdf, zip_of};
    use crate::input::input_of;
    use crate::kind::sniff;

    fn promise(bytes: &[u8], name: &str) -> Option<&'static str> {
        let kind = sniff(&input_of(bytes), Some(name)).unwrap();
        broken_promise(name, kind.media_type())
    }

    #[test]
    fn a_name_that_promises_another_kind_is_told() {
        let zip = zip_of(&[("a.txt", b"a")]);
        for (bytes, name, expected) in [
            (
                &b"\x7fELF\x02\x01\x01\0"[..],
                "a.pdf",
                Some("application/pdf"),
            ),
            (
                b"MZ\x90\0\x03\0\0\0\x04\0",
                "a.PDF",
                Some("application/pdf"),
            ),
            (&zip, "a.txt", Some("text/plain")),
            (&zip, "a.docx", PROMISES[9].1.into()),
            (b"{\\rtf1 x}", "a.doc", Some("application/msword")),
            (b"<html><p>x", "a.doc", Some("application/msword")),
            (b"words", "a.zip", Some("application/zip")),
            (&zip, "a.zip", None),
            (b"<html><p>x", "a.txt", None),
            (b"words", "a.unknown", None),
            (b"words", "a", None),
        ] {
            assert_eq!(promise(bytes, name), expected, "{name}");
        }
    }

    #[test]
    fn a_file_of_two_kinds_is_what_its_beginning_says() {
        let (pdf, zip) = (pdf(&["x"]), zip_of(&[("a.txt", b"a")]));
        let remark = |bytes: &[u8]| {
            let input = input_of(bytes);
            let kind = sniff(&input, None).unwrap();
            (
                kind.media_type().to_owned(),
                polyglot(&input, &kind).is_some(),
            )
        };
        let media = |media: &str, both| (media.to_owned(), both);
        assert_eq!(remark(&pdf), media("application/pdf", false));
        assert_eq!(remark(&zip), media("application/zip", false));
        assert_eq!(
            remark(&[&*pdf, &*zip].concat()),
            media("application/pdf", true)
        );
        let late = zip_of(&[("a.pdf", b"")]);
        let stored = [&late[..35], b"\n", &pdf, &zip].concat();
        assert_eq!(remark(&stored), media("application/zip", true));
    }
}
