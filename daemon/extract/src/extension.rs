//! Whether a file's extension matches its content. The content decides the kind; if that is not the kind of the
//! extension, it is noted.

use std::path::Path;

/// A media type that matches every extension.
const LOCKED_OFFICE: &str = "application/vnd.ms-office";
const BINARY: &str = "application/octet-stream";

/// Extensions, their media type, and the prefixes of those that match.
const EXTENSIONS: &[(&[&str], &str, &[&str])] = &[
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
    // Many kinds are archives too, so most match.
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

/// The media type of the extension of `name`, if a file of `media` does not match it. It is no fact of a content: the
/// same bytes may have many names.
#[must_use]
pub fn mismatched_extension(name: &str, media: &str) -> Option<&'static str> {
    // An encrypted document is packed into a compound file, whatever it is.
    if media == LOCKED_OFFICE {
        return None;
    }
    let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    let mut known = EXTENSIONS.iter();
    let (_, expected, accepted) = known.find(|(names, ..)| names.contains(&&*extension))?;
    let fits = match *accepted {
        ["application/"] => media.starts_with("application/") && media != BINARY,
        accepted => accepted.iter().any(|start| media.starts_with(start)),
    };
    (!fits).then_some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_of_another_kind_is_told() {
        for (media, name, expected) in [
            ("application/x-elf", "a.pdf", Some("application/pdf")),
            (BINARY, "a.PDF", Some("application/pdf")),
            ("application/zip", "a.txt", Some("text/plain")),
            ("application/zip", "a.docx", EXTENSIONS[9].1.into()),
            ("application/rtf", "a.doc", Some("application/msword")),
            ("text/html", "a.doc", Some("application/msword")),
            ("text/plain", "a.zip", Some("application/zip")),
            (LOCKED_OFFICE, "a.docx", None),
            ("application/zip", "a.zip", None),
            ("text/html", "a.txt", None),
            ("text/plain", "a.unknown", None),
            ("text/plain", "a", None),
        ] {
            assert_eq!(mismatched_extension(name, media), expected, "{name}");
        }
    }
}
