//! Canonical text: the one form in which two copies of a text are equal, and which names it.
//!
//! Version 8 is Unicode's toNFKC_Casefold (The Unicode Standard §3.13, R5), but for signs of numbers, followed by
//! rules for typographic signs, for bullets and for spacing:
//!
//! 1. Control characters (Cc) and White_Space become spaces.
//! 2. Default-ignorable code points are dropped: soft hyphen, zero-width space and joiners, bidi
//!    marks, word joiner, byte order mark, variation selectors, tags, Hangul fillers. They are
//!    invisible, and extractors of different formats keep or lose them at will. Two kinds change a reading and
//!    stay: invisible operators (U+2061 to U+2064, without which `3` times `5` is `35`), and overrides of direction
//!    with their end (U+202C to U+202E, which show `123` as `321`).
//! 3. NFKC with full case folding, as NFC ∘ NFKD ∘ fold ∘ NFKD ∘ fold ∘ NFD, of each run between signs such as `²`, `½`
//!    and
//!    `①`, which stay as they are ([`number_sign`]): NFKC makes `10⁶` and `106` one text. Then quotation marks,
//!    apostrophes and hyphens become the typed ones that they replace ([`typography`]).
//! 4. Words at the beginning of a line that are one bullet each are dropped ([`bullet`]): which sign
//!    stands there, or none, is the choice of the program that shows the list. Lines end at U+000A. No
//!    sign that can change a reading is dropped here: dashes, asterisks, operators, boxes and all private use
//!    characters stay.
//! 5. Runs of spaces become one; none at either end.
//! 6. Of a result longer than [`CanonicalText::MAX_BYTES`] the beginning is taken, in whole characters,
//!    and the text says that it is cut. One character may become eighteen (U+FDFA), so that a bound on
//!    the extracted text is none on this.
//!
//! A run of more than 30 combining marks is normalised in pieces of 30 ([`pieces`]). No language has
//! such runs; for all other texts this changes nothing.
//!
//! It is idempotent: every character that step 3 can produce is fixed by folding and by NFKD (the
//! tests check all of Unicode), so a second pass only undoes and redoes the composition; steps 1,
//! 2, 4 and 5 leave nothing behind for themselves (the result is one line, and begins with no bullet,
//! as all at the beginning of the text were dropped), and removing spaces or ignorables that are already gone changes
//! nothing.
//!
//! Fast path: ASCII goes byte by byte through a table, and common letters of other scripts one by
//! one ([`simple`]); only clusters with combining marks and rarities take the Unicode iterators.

mod bullet;
mod number_sign;
mod pieces;
mod simple;
#[cfg(test)]
mod tests;
mod typography;
mod writer;

use std::sync::Arc;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

pub(crate) use self::bullet::dropped_bullets;
use self::writer::Writer;

/// The version of the rules above; another version names documents anew.
pub const CANONICAL_VERSION: u32 = 8;

/// A text in canonical form. There is no other way to make one than from an extracted text, or from
/// another without some of its words. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct CanonicalText {
    text: Arc<String>,
    is_cut: bool,
}

impl CanonicalText {
    /// The longest canonical text, in bytes. It is part of the definition and no setting: the same
    /// extracted text has the same canonical text everywhere.
    pub const MAX_BYTES: usize = 64 << 20;

    /// The canonical form of an extracted text, cut at [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn from_extracted(text: &str) -> Self {
        Self::bounded(text, Self::MAX_BYTES)
    }

    /// The canonical form of an extracted text, cut before the first character that ends beyond `most`
    /// bytes. Time is linear in the text; memory is that of the result.
    pub fn bounded(text: &str, most: usize) -> Self {
        let mut writer = Writer::new(text.len(), most);
        let mut taken = 0;
        for item in bullet::lines(text) {
            writer.take(&text[taken..item.start]);
            let at = writer.written().len();
            writer.take(&text[item.clone()]);
            let bullets = bullet::bullets(&writer.written()[at..]);
            writer.drop_at(at, bullets);
            taken = item.end;
            if writer.is_full() {
                break;
            }
        }
        writer.take(&text[taken..]);
        let is_cut = writer.is_full();
        let text = Arc::new(writer.finish());
        Self { text, is_cut }
    }

    /// The text made of the given words of this one, separated by single spaces. Bullets that come first are dropped,
    /// as at the beginning of any text.
    pub(crate) fn with_rest(&self, mut rest: String) -> Self {
        let bullets = bullet::bullets(rest.as_bytes());
        rest.drain(..bullets);
        rest.shrink_to_fit();
        Self {
            text: Arc::new(rest),
            is_cut: self.is_cut,
        }
    }

    /// Whether more text followed than was taken.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The canonical text as bytes of UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// How many characters (Unicode scalar values) it has.
    pub fn chars(&self) -> u64 {
        self.text.chars().count() as u64
    }

    /// The BLAKE3 hash that names the document.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.as_bytes()).as_bytes()
    }

    /// The text, owned; copied where a clone holds it too.
    pub fn into_string(self) -> String {
        Arc::unwrap_or_clone(self.text)
    }
}

/// Part of a line in canonical form: without the rule for bullets, which asks what stands before it.
pub(crate) fn folded(text: &str) -> String {
    let mut writer = Writer::new(text.len(), CanonicalText::MAX_BYTES);
    writer.take(text);
    writer.finish()
}

/// Steps 1 and 2 of the definition.
fn seen(text: &str) -> impl Iterator<Item = char> {
    let seen = text.chars().filter(|&c| !is_ignorable(c));
    seen.map(|c| if is_space(c) { ' ' } else { c })
}

/// Step 3, of one piece without signs of numbers; decompositions may still bring spaces in.
fn fold_and_normalise(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    chars
        .nfd()
        .default_case_fold()
        .nfkd()
        .default_case_fold()
        .nfkd()
        .nfc()
        .map(typography::typed)
}

/// Control characters and White_Space.
pub(crate) fn is_space(c: char) -> bool {
    c.is_control() || c.is_whitespace()
}

/// Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties.txt), without those that change a reading: U+202C to
/// U+202E, and U+2061 to U+2064.
pub(crate) const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202B}'
        | '\u{2060}' | '\u{2065}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}
