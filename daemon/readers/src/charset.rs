//! Detects the encoding of a text, and whether bytes are text at all.
//!
//! Order of detection: byte order mark, UTF-32 and UTF-16 by their zero bytes, ISO-2022 escapes, declared label, UTF-8
//! by its rules, then a statistical guess (chardetng, which never guesses UTF-16). The guess is corrected for the DOS
//! and old Macintosh character sets that chardetng does not know. A label that the bytes contradict is ignored. Not
//! detected: EBCDIC, UTF-7, HZ.

pub(crate) mod dos;
mod escapes;
mod misread;
mod utf16;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};
use simdex_extract::Fact;

use crate::sink::Sink;

/// Bytes the statistical guess looks at.
const GUESS_BYTES: usize = 256 << 10;
/// Bytes the zero-byte pattern looks at.
const PATTERN_BYTES: usize = 8 << 10;

/// Decodes a whole text; `declared` is the label the document gives itself, if any. A character set
/// other than UTF-8 and losses are stated on `sink`.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>, sink: &mut Sink) -> String {
    let (charset, mark) = detect(bytes, declared);
    let (text, is_lossy) = charset.decode(&bytes[mark..]);
    if is_lossy {
        // Replacement characters in the text itself are few, and just as unreadable.
        let lost = text.matches('\u{fffd}').count();
        sink.count(Fact::Undecoded, lost as u64);
    }
    if charset != Charset::Narrow(UTF_8) {
        sink.state(Fact::Charset, charset.name());
    }
    text.into_owned()
}

/// A character set. Those that `encoding_rs` knows are `Narrow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Narrow(&'static Encoding),
    Utf32 {
        is_big: bool,
    },
    /// ASCII, and these characters from 128 on.
    Dos {
        name: &'static str,
        upper: &'static str,
    },
    Iso2022Kr,
}

impl Charset {
    fn name(self) -> &'static str {
        match self {
            Self::Narrow(encoding) => encoding.name(),
            Self::Utf32 { is_big: true } => "UTF-32BE",
            Self::Utf32 { is_big: false } => "UTF-32LE",
            Self::Dos { name, .. } => name,
            Self::Iso2022Kr => "ISO-2022-KR",
        }
    }

    /// The text, and whether any of it could not be read.
    fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        match self {
            Self::Narrow(encoding) => encoding.decode_without_bom_handling(bytes),
            Self::Utf32 { is_big } => decode_utf32(bytes, is_big),
            Self::Dos { upper, .. } => (Cow::Owned(dos::decode(bytes, upper)), false),
            Self::Iso2022Kr => escapes::decode_korean(bytes),
        }
    }
}

fn decode_utf32(bytes: &[u8], is_big: bool) -> (Cow<'_, str>, bool) {
    let unit = |unit: &[u8; 4]| {
        if is_big {
            u32::from_be_bytes(*unit)
        } else {
            u32::from_le_bytes(*unit)
        }
    };
    let (units, rest) = bytes.as_chunks::<4>();
    let mut is_lossy = !rest.is_empty();
    let text = units.iter().map(|bytes| {
        char::from_u32(unit(bytes)).unwrap_or_else(|| {
            is_lossy = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    let text: String = text.collect();
    (Cow::Owned(text), is_lossy)
}

/// Whether the beginning of a file is text in some encoding: almost no control characters.
pub(crate) fn is_text(prefix: &[u8]) -> bool {
    let (charset, mark) = detect(prefix, None);
    let (text, _) = charset.decode(&prefix[mark..]);
    // Backspace, tab, line ends, form feed, Ctrl-Z and escape occur in real texts.
    let usual = |c| matches!(c, '\u{8}'..='\r' | '\u{1a}' | '\u{1b}' | '\u{85}');
    let odd = text
        .chars()
        .filter(|&c| c.is_control() && !usual(c))
        .count();
    odd * 100 <= text.chars().count()
}

/// The beginning of a text, up to `limit`, for detecting its kind.
pub(crate) fn preview(prefix: &[u8], limit: usize) -> String {
    let (charset, mark) = detect(prefix, None);
    let end = prefix.len().min(mark + limit);
    charset.decode(&prefix[mark..end]).0.into_owned()
}

/// The character set, and the length of the byte order mark.
fn detect(bytes: &[u8], declared: Option<&str>) -> (Charset, usize) {
    if let Some(is_big) = utf32_order(bytes) {
        let mark =
            if bytes.starts_with(&[0, 0, 0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe, 0, 0]) {
                4
            } else {
                0
            };
        return (Charset::Utf32 { is_big }, mark);
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return (Charset::Narrow(encoding), mark);
    }
    let declared = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    // Its own label could be read, so the text is not UTF-16, whatever it says; and many texts say UTF-8 and are not.
    // Two labels stand for no character set at all.
    let not_believed = [UTF_8, UTF_16LE, UTF_16BE, REPLACEMENT, X_USER_DEFINED];
    let declared = declared.filter(|label| !not_believed.contains(label));
    let by_pattern = utf16::by_zero_bytes(bytes).or_else(|| utf16::by_letters(bytes));
    let charset = match (by_pattern, declared) {
        (Some(encoding), _) => Charset::Narrow(encoding),
        (None, Some(label)) => Charset::Narrow(unless_contradicted(bytes, label)),
        (None, None) => undeclared(bytes),
    };
    (charset, 0)
}

/// The character set of a text that does not declare one.
fn undeclared(bytes: &[u8]) -> Charset {
    let sample = &bytes[..bytes.len().min(GUESS_BYTES)];
    match escapes::detect(sample) {
        Some(charset) => charset,
        None if mostly_utf8(bytes) => Charset::Narrow(UTF_8),
        None => misread::correct(sample, guess(bytes)),
    }
}

/// The declared encoding, unless the bytes are valid UTF-8, which does not happen by chance, or are invalid in it and
/// valid in another encoding with multi-byte characters.
fn unless_contradicted(bytes: &[u8], label: &'static Encoding) -> &'static Encoding {
    let sample = &bytes[..bytes.len().min(GUESS_BYTES)];
    if sample.is_ascii() || label == ISO_2022_JP {
        return label;
    }
    let valid = match std::str::from_utf8(sample) {
        Ok(_) => sample,
        Err(error) if error.error_len().is_none() => &sample[..error.valid_up_to()],
        Err(_) => &[],
    };
    if !valid.is_ascii() {
        return UTF_8;
    }
    let is_damaged_in =
        |encoding: &'static Encoding| encoding.decode_without_bom_handling(sample).1;
    if !is_damaged_in(label) {
        return label;
    }
    let other = guess(bytes);
    if other.is_single_byte() || is_damaged_in(other) {
        label
    } else {
        other
    }
}

/// UTF-32, detected by its mark, or because all its units are characters with a zero upper half.
fn utf32_order(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0, 0, 0xfe, 0xff, ..] => return Some(true),
        // UTF-16 that begins with NUL would look the same.
        [0xff, 0xfe, 0, 0, ..] => return Some(false),
        _ => {}
    }
    let sample = &bytes[..bytes.len().min(PATTERN_BYTES)];
    let (units, _) = sample.as_chunks::<4>();
    let is_text = |value: u32| value != 0 && value < 0x11_0000 && char::from_u32(value).is_some();
    let all = |read: fn([u8; 4]) -> u32| {
        units.len() >= 2 && units.iter().all(|unit| is_text(read(*unit)))
    };
    [
        (true, u32::from_be_bytes as fn([u8; 4]) -> u32),
        (false, u32::from_le_bytes),
    ]
    .into_iter()
    .find(|(_, read)| all(*read))
    .map(|(is_big, _)| is_big)
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
mod tests;
