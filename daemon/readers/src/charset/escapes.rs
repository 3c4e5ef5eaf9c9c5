//! Seven-bit character sets that are switched by escape sequences (ISO 2022), common in old Japanese and Korean mail.

use std::borrow::Cow;

use encoding_rs::{EUC_KR, ISO_2022_JP};

use super::Charset;

const ESCAPE: u8 = 0x1b;
/// The header of a text in ISO-2022-KR (RFC 1557): it makes KS C 5601 the set that [`SHIFT_OUT`] switches to.
const KOREAN: &[u8] = b"\x1b$)C";
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;

/// Returns the character set that the escapes of `sample` select, if all its bytes are seven-bit.
pub(super) fn detect(sample: &[u8]) -> Option<Charset> {
    if !sample.is_ascii() {
        return None;
    }
    let selects = |escape: &[u8]| sample.windows(escape.len()).any(|bytes| bytes == escape);
    let is_japanese = || selects(b"\x1b$B") || selects(b"\x1b$@");
    // A terminal's escapes, such as colours, select no character set.
    match sample.contains(&ESCAPE) {
        true if selects(KOREAN) && sample.contains(&SHIFT_OUT) => Some(Charset::Iso2022Kr),
        true if is_japanese() && is_whole_in_japanese(sample) => Some(Charset::Narrow(ISO_2022_JP)),
        _ => None,
    }
}

/// Whether a sample is valid ISO-2022-JP. It may end within a character, which decodes to one replacement character.
fn is_whole_in_japanese(sample: &[u8]) -> bool {
    let (text, _) = ISO_2022_JP.decode_without_bom_handling(sample);
    text.matches('\u{fffd}').count() <= 1
}

/// Decodes text in ISO-2022-KR. Bytes between shift out and shift in, or the end of the line, are EUC-KR without the
/// highest bit.
pub(super) fn decode_korean(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let mut is_shifted = false;
    let mut wide = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        rest = after;
        match *byte {
            ESCAPE if after.starts_with(&KOREAN[1..]) => rest = &after[KOREAN.len() - 1..],
            SHIFT_OUT => is_shifted = true,
            SHIFT_IN => is_shifted = false,
            b'\n' => {
                is_shifted = false;
                wide.push(b'\n');
            }
            byte @ 0x21..=0x7e if is_shifted => wide.push(byte | 0x80),
            byte => wide.push(byte),
        }
    }
    let (text, is_lossy) = EUC_KR.decode_without_bom_handling(&wide);
    (Cow::Owned(text.into_owned()), is_lossy)
}
