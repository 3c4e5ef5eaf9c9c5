//! Files that match two kinds.

use super::Kind;
use crate::input::Input;

/// Longest comment at the end of a ZIP archive, with the record before it.
const ZIP_END: u64 = 22 + 65_535;

/// A remark on a file that is a PDF and a ZIP archive at once: it is read as the kind of its first bytes.
pub(crate) fn remark(input: &Input, kind: &Kind) -> Option<&'static str> {
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

/// Whether there is an end record whose comment reaches to the very end.
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
#[cfg(feature = "all")]
mod tests {
    use super::remark as polyglot;
    use crate::formats::samples::{pdf, zip_of};
    use crate::input::input_of;
    use crate::kind::sniff;

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
