//! Which encoding a text is in, and whether bytes are text at all.
//!
//! Order: byte order mark, declared label, UTF-16 by its zero bytes, UTF-8 by its rules, then a
//! statistical guess (chardetng, which never guesses UTF-16).

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::sink::Sink;

/// Bytes the statistical guess looks at.
const GUESS_BYTES: usize = 256 << 10;
/// Bytes the zero-byte pattern looks at.
const PATTERN_BYTES: usize = 8 << 10;

/// Decodes a whole text; `declared` is the label the document gives itself, if any. Losses are
/// noted on `sink`.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>, sink: &mut Sink) -> String {
    let (encoding, mark) = detect(bytes, declared);
    let (text, lossy) = encoding.decode_without_bom_handling(&bytes[mark..]);
    if lossy {
        let lost = text.matches('\u{fffd}').count();
        sink.warn(&format!(
            "{lost} characters could not be read as {}",
            encoding.name()
        ));
    }
    if encoding != UTF_8 {
        sink.warn(&format!("read as {}", encoding.name()));
    }
    text.into_owned()
}

/// Whether the beginning of a file is text in some encoding: almost no control characters.
pub(crate) fn is_text(prefix: &[u8]) -> bool {
    let (encoding, mark) = detect(prefix, None);
    let (text, _) = encoding.decode_without_bom_handling(&prefix[mark..]);
    // Backspace, tab, line ends, form feed, Ctrl-Z and escape stand in real texts.
    let usual = |c| matches!(c, '\u{8}'..='\r' | '\u{1a}' | '\u{1b}' | '\u{85}');
    let odd = text
        .chars()
        .filter(|&c| c.is_control() && !usual(c))
        .count();
    odd * 100 <= text.chars().count()
}

/// The encoding, and the length of the byte order mark.
fn detect(bytes: &[u8], declared: Option<&str>) -> (&'static Encoding, usize) {
    if let Some(found) = Encoding::for_bom(bytes) {
        return found;
    }
    let declared = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let encoding = match declared {
        // Its own label could be read, so the text is not UTF-16, whatever it says.
        Some(label) if label == UTF_16LE || label == UTF_16BE => UTF_8,
        // Many texts say UTF-8 and are not.
        Some(label) if label != UTF_8 => label,
        _ => zero_byte_pattern(bytes)
            .or_else(|| mostly_utf8(bytes).then_some(UTF_8))
            .unwrap_or_else(|| guess(bytes)),
    };
    (encoding, 0)
}

/// UTF-16 of mostly Latin text has its zero bytes on one side only.
fn zero_byte_pattern(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(PATTERN_BYTES)];
    let units = sample.len() / 2;
    let zeros = |side| {
        sample
            .chunks_exact(2)
            .filter(|unit| unit[side] == 0)
            .count()
    };
    let (first, second) = (zeros(0), zeros(1));
    let many = |count| units >= 2 && count * 5 >= units * 2;
    let few = |count| count * 50 <= units;
    match () {
        () if many(second) && few(first) => Some(UTF_16LE),
        () if many(first) && few(second) => Some(UTF_16BE),
        () => None,
    }
}

/// UTF-8, allowing for a cut at the end and for one bad sequence in ten.
fn mostly_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => return true,
        Err(error) if error.error_len().is_none() => return true,
        Err(_) => {}
    }
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > 0 && bad * 10 <= good
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let sample = &bytes[..bytes.len().min(GUESS_BYTES)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, sample.len() == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// The label after the first `charset=` or `encoding=` in the beginning of an HTML or XML text.
pub(crate) fn declared_label<'a>(bytes: &'a [u8], key: &str) -> Option<&'a str> {
    let head = &bytes[..bytes.len().min(4 << 10)];
    let at = head
        .windows(key.len())
        .position(|w| w.eq_ignore_ascii_case(key.as_bytes()))?;
    let rest = head[at + key.len()..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let rest = rest
        .strip_prefix(b"\"")
        .or_else(|| rest.strip_prefix(b"'"))
        .unwrap_or(rest);
    let is_label = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:".contains(b);
    let end = rest.iter().position(|b| !is_label(b)).unwrap_or(rest.len());
    std::str::from_utf8(&rest[..end])
        .ok()
        .filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> String {
        decode(bytes, None, &mut Sink::of(0))
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        let bytes = |unit: u16| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf16_is_found_by_mark_and_by_zero_bytes() {
        let text = "Grüße aus Zürich, and more.";
        assert_eq!(read(&utf16(text, false)), text);
        assert_eq!(read(&utf16(text, true)), text);
        assert_eq!(read(&utf16(&format!("\u{feff}{text}"), true)), text);
    }

    #[test]
    fn legacy_encodings_are_guessed() {
        let text =
            "Die Größe der Änderung überschreitet das zulässige Maß. Mit freundlichen Grüßen";
        let latin = encoding_rs::WINDOWS_1252.encode(text).0;
        assert_eq!(read(&latin), text);
        let japanese = "これは日本語の文章です。文字コードの判定を試します。";
        assert_eq!(read(&encoding_rs::SHIFT_JIS.encode(japanese).0), japanese);
    }

    #[test]
    fn a_few_bad_bytes_do_not_turn_utf8_into_something_else() {
        let mut bytes = "äöü ".repeat(20).into_bytes();
        bytes.push(0xff);
        assert!(read(&bytes).starts_with("äöü"));
    }

    #[test]
    fn a_declared_label_is_read_and_a_wrong_utf8_label_is_not_believed() {
        let html = b"<meta http-equiv=x content=\"text/html; charset=Windows-1251\">";
        assert_eq!(declared_label(html, "charset"), Some("Windows-1251"));
        assert_eq!(
            declared_label(b"<?xml encoding = 'koi8-r'?>", "encoding"),
            Some("koi8-r")
        );
        assert_eq!(declared_label(b"no label", "charset"), None);
        let latin = encoding_rs::WINDOWS_1252
            .encode("Größe, Änderung, Übermut")
            .0;
        let text = decode(&latin, Some("utf-8"), &mut Sink::of(0));
        assert_eq!(text, "Größe, Änderung, Übermut");
    }

    #[test]
    fn control_characters_tell_binary_from_text() {
        assert!(is_text(b"plain\ttext\r\n\x0c\x1b[1mbold"));
        assert!(is_text(&utf16("wide text without mark", false)));
        assert!(!is_text(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"));
        assert!(!is_text(&(0..=255).collect::<Vec<u8>>()));
    }

    proptest! {
        #[test]
        fn any_text_in_utf8_is_itself(text in "\\PC{0,200}") {
            prop_assume!(!text.starts_with('\u{feff}') && !text.contains('\0'));
            prop_assert_eq!(read(text.as_bytes()), text);
        }

        #[test]
        fn any_bytes_decode_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = (read(&bytes), is_text(&bytes), declared_label(&bytes, "charset"));
        }
    }
}
