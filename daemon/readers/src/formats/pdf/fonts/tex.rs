//! Bitmap fonts of TeX, whose glyphs are named by their codes (`a65`): encodings that are not named in a PDF.
//!
//! Two are usual: that of Cork ("T1") and the first one ("OT1"), as listed in LaTeX's table of encodings (`encguide`).
//! Both share most of ASCII.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Codes from 0 on of the encoding of Cork.
const CORK_LOW: &str = "`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—\u{200c}₀ıȷﬀﬁﬂﬃﬄ";
/// Codes from 128 on of the encoding of Cork; `SS` there replaces `ẞ`.
const CORK_HIGH: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£\
                         ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß";
/// Codes from 0 on of the first encoding.
const FIRST_LOW: &str = "ΓΔΘΛΞΠΣΥΦΨΩﬀﬁﬂﬃﬄıȷ`´ˇ˘¯˚¸ßæœøÆŒØ";
/// Where the first encoding has its ligatures; that of Cork has accents there, which are not used.
const FIRST_LIGATURES: RangeInclusive<u8> = 11..=15;
/// The first code that the first encoding lacks.
const HIGH: u8 = 128;
/// From this code on fonts of signs have next to nothing.
const LETTERS: u8 = 192;

/// The encoding of a bitmap font, as far as the codes in use show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Encoding {
    /// Whether it is a text font: fonts of mathematics have letters too, but no full stop and comma.
    is_text: bool,
    is_first: bool,
}

impl Encoding {
    pub(super) fn of(names: &BTreeMap<u8, String>) -> Self {
        let has = |code: u8| names.get(&code).is_some_and(|name| name != ".notdef");
        let is_high = (HIGH..=u8::MAX).any(has);
        Self {
            is_text: has(b'e') && (has(b'.') || has(b',')),
            is_first: !is_high && FIRST_LIGATURES.into_iter().any(has),
        }
    }

    /// The text of a code outside ASCII.
    pub(super) fn text(self, code: u8) -> Option<String> {
        let low = match self.is_first {
            true => FIRST_LOW,
            false => CORK_LOW,
        };
        let found = match code {
            0..b' ' if self.is_text => low.chars().nth(usize::from(code)),
            HIGH..LETTERS if !self.is_text => None,
            HIGH.. => CORK_HIGH.chars().nth(usize::from(code - HIGH)),
            _ => None,
        };
        found.map(String::from)
    }
}
