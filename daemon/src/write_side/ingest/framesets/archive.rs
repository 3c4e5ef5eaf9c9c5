//! Pages in one file: a web archive (MHTML, RFC 2557) whose bytes depend on its parts alone, so that a
//! page that looks the same in two folders is one content.

use std::io::{self, Write};

use simdex_schema::ContentHash;

/// One page of the archive.
pub(super) struct ArchivedPage {
    /// The address by which other pages refer to it.
    pub(super) location: String,
    /// BLAKE3 of its bytes.
    pub(super) hash: ContentHash,
}

/// Identifies an archive: BLAKE3 of locations and contents, in order.
pub(super) fn digest(parts: &[ArchivedPage]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.location.as_bytes()).update(&[0]);
        hasher.update(&part.hash.0);
    }
    *hasher.finalize().as_bytes()
}

/// Writes the archive; `copy` writes the bytes of the part with the given number.
///
/// # Errors
/// Errors of `out` and of `copy`.
pub(super) fn write(
    parts: &[ArchivedPage],
    out: &mut dyn Write,
    copy: &mut dyn FnMut(usize, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let number = digest(parts);
    let hex: String = number[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    // No part contains it: such a part would have to contain its own hash.
    let boundary = format!("simdex-{hex}");
    write!(
        out,
        "MIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; \
         boundary=\"{boundary}\"\r\n\r\n"
    )?;
    for (at, part) in parts.iter().enumerate() {
        let location = &part.location;
        write!(
            out,
            "--{boundary}\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: binary\r\n\
             Content-Location: {location}\r\n\r\n"
        )?;
        copy(at, out)?;
        out.write_all(b"\r\n")?;
    }
    write!(out, "--{boundary}--\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(pages: &[(&str, &str)]) -> String {
        let part = |(location, page): &(&str, &str)| ArchivedPage {
            location: (*location).to_owned(),
            hash: ContentHash(*blake3::hash(page.as_bytes()).as_bytes()),
        };
        let parts: Vec<_> = pages.iter().map(part).collect();
        let mut out = Vec::new();
        let mut copy = |at: usize, out: &mut dyn Write| out.write_all(pages[at].1.as_bytes());
        write(&parts, &mut out, &mut copy).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_pages_give_equal_bytes_and_others_give_others() {
        let one = archive(&[("a.html", "x"), ("b.html", "y")]);
        assert_eq!(one, archive(&[("a.html", "x"), ("b.html", "y")]));
        let boundary = |archive: &str| archive.split('"').nth(3).unwrap().to_owned();
        for other in [
            archive(&[("a.html", "x"), ("c.html", "y")]),
            archive(&[("a.html", "x"), ("b.html", "z")]),
        ] {
            assert_ne!(boundary(&one), boundary(&other));
        }
        assert_eq!(one.matches("\r\n\r\n").count(), 3);
        assert!(one.contains("Content-Location: b.html\r\n\r\ny\r\n--simdex-"));
    }
}
