//! Words of real texts, of which pieces and tables are made.

use crate::corpus::Random;

/// Lengths of pieces and tables, in bits: 64 bytes to 256 KB.
const LENGTHS: [f64; 2] = [6.0, 18.0];

/// Words of a text, in order.
pub(super) type Words<'a> = Vec<&'a str>;

/// The words of each text.
pub(super) fn words_of(texts: &[String]) -> Vec<Words<'_>> {
    let texts = texts.iter();
    texts
        .map(|text| text.split_whitespace().collect())
        .collect()
}

/// The length of a piece in bytes.
pub(super) fn length(random: &mut Random) -> usize {
    let bits = LENGTHS[0] + random.unit() * (LENGTHS[1] - LENGTHS[0]);
    bits.exp2() as usize
}

pub(super) fn any_word<'a>(texts: &[Words<'a>], random: &mut Random) -> Option<&'a str> {
    let text = &texts[random.below(texts.len() as u64) as usize];
    let at = random.below(text.len().max(1) as u64) as usize;
    text.get(at).copied()
}
