//! Characters that canonicalise alone: to one character each, whatever stands before them.
//!
//! A character is simple if it is a starter that never composes with one before it, and its
//! canonical form is a single character. A simple character followed by another simple one (or by
//! nothing) may therefore be looked up. What may follow and compose is never simple.

use std::sync::LazyLock;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::number_sign::is_number_sign;
use super::{fold_and_normalise, is_ignorable, is_space};

/// Below this, characters are looked up: Latin, Greek, Cyrillic, Hebrew, Arabic, the Indic
/// scripts, punctuation, letter-like symbols.
pub(super) const TABLE_END: usize = 0x3000;

/// The canonical character, or U+0000 for what is not simple.
static TABLE: LazyLock<Box<[char]>> = LazyLock::new(|| {
    (0..TABLE_END as u32)
        .map(|code| char::from_u32(code).and_then(derive).unwrap_or('\0'))
        .collect()
});

/// The canonical form of a simple character.
pub(super) fn map(c: char) -> Option<char> {
    match c as usize {
        code if code < TABLE_END => Some(TABLE[code]).filter(|&mapped| mapped != '\0'),
        // Kana without their marks, unified ideographs, Hangul syllables: their own form.
        0x3041..=0x3096 | 0x30A1..=0x30FA | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 => Some(c),
        _ => None,
    }
}

/// The canonical form of `c` by the defining path, if `c` is simple.
pub(super) fn derive(c: char) -> Option<char> {
    if is_space(c) {
        return Some(' ');
    }
    if is_number_sign(c) {
        return Some(c);
    }
    if is_ignorable(c) || !stands_alone(c) {
        return None;
    }
    let mut mapped = fold_and_normalise(std::iter::once(c));
    let only = mapped
        .next()
        .filter(|&only| !is_space(only) && stands_alone(only));
    only.filter(|_| mapped.next().is_none())
}

/// Whether `c` is a starter in every decomposition and composes with nothing before it.
fn stands_alone(c: char) -> bool {
    let starts = |d: Option<char>| d.is_some_and(|d| canonical_combining_class(d) == 0);
    let inert = |d: char| is_nfc_quick(std::iter::once(d)) != IsNormalized::Maybe;
    starts(Some(c)) && inert(c) && starts(c.nfkd().next()) && c.nfkd().next().is_some_and(inert)
}
