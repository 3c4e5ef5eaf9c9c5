//! UTF-16 without a byte order mark.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::PATTERN_BYTES;

/// Detects UTF-16 of mostly Latin text, which has its zero bytes on one side only.
pub(super) fn by_zero_bytes(bytes: &[u8]) -> Option<&'static Encoding> {
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

/// Detects UTF-16 of other scripts. Its spaces, line ends and digits have zero bytes, all on one side. Decoded in that
/// byte order, nearly all characters are letters, digits, marks, white space or common symbols.
pub(super) fn by_letters(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(PATTERN_BYTES)];
    let (units, rest) = sample.as_chunks::<2>();
    let zeros = |side: usize| units.iter().filter(|unit| unit[side] == 0).count();
    let is_big = match (zeros(0), zeros(1)) {
        (0, 1..) => false,
        (1.., 0) => true,
        _ => return None,
    };
    // Two ASCII letters are one Chinese character in UTF-16, so ASCII text with a stray zero is ruled out first.
    let of_ascii = sample.iter().filter(|byte| (b' '..=b'~').contains(*byte));
    if of_ascii.count() * 4 > sample.len() * 3 {
        return None;
    }
    let unit = |unit: &[u8; 2]| match is_big {
        true => u16::from_be_bytes(*unit),
        false => u16::from_le_bytes(*unit),
    };
    let mut characters = char::decode_utf16(units.iter().map(unit)).peekable();
    let (mut usual, mut odd) = (0_usize, 0_usize);
    while let Some(character) = characters.next() {
        match character {
            Ok(c) if is_usual(c) => usual += 1,
            // The sample may end within a surrogate pair.
            Err(_) if characters.peek().is_none() && sample.len() < bytes.len() => {}
            Ok(c) if !c.is_control() => odd += 1,
            _ => return None,
        }
    }
    let is_text = rest.is_empty() && usual >= 8 && odd * 20 <= usual;
    is_text.then_some(if is_big { UTF_16BE } else { UTF_16LE })
}

fn is_usual(c: char) -> bool {
    let is_sign = |c| matches!(c, '\u{300}'..='\u{36f}' | '\u{2010}'..='\u{203a}' | '\u{3001}'..='\u{301f}' | '\u{ff01}'..='\u{ff65}');
    c.is_alphanumeric()
        || c.is_ascii_punctuation()
        || matches!(c, '\t'..='\r' | ' ' | '\u{3000}')
        || is_sign(c)
}
