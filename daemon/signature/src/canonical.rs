//! Canonical text: the one form in which two copies of a text are equal, and which names it.
//!
//! Version 2 is Unicode's toNFKC_Casefold (The Unicode Standard §3.13, R5) followed by a rule for
//! bullets and one for spacing:
//!
//! 1. Control characters (Cc) and White_Space become spaces.
//! 2. Default-ignorable code points are dropped: soft hyphen, zero-width space and joiners, bidi
//!    marks, word joiner, byte order mark, variation selectors, tags, Hangul fillers. They are
//!    invisible, and extractors of different formats keep or lose them at will.
//! 3. NFKC with full case folding, as NFC ∘ NFKD ∘ fold ∘ NFKD ∘ fold ∘ NFD.
//! 4. Words at the beginning of a line that are one bullet each are dropped ([`bullet`]): which sign
//!    stands there, or none, is the choice of the program that shows the list. Lines end at U+000A.
//!    `-`, `‐`, `–`, `*` and `·` are bullets only at the beginning of the text, after a blank line,
//!    where the text so far ends in one of `. : ; , ! ?`, or where one of them was dropped since the
//!    last blank line; and none of the dashes before a number.
//! 5. Runs of spaces become one; none at either end.
//!
//! It is idempotent: every character that step 3 can produce is fixed by folding and by NFKD (the
//! tests check all of Unicode), so a second pass only undoes and redoes the composition; steps 1,
//! 2, 4 and 5 leave nothing behind for themselves (the result is one line, and begins with no bullet:
//! at the beginning of the text all of them were dropped, save a dash before a number, which stays),
//! and removing spaces or ignorables that are already gone changes nothing.
//!
//! Fast path: ASCII goes byte by byte through a table, and common letters of other scripts one by
//! one ([`simple`]); only clusters with combining marks and rarities take the Unicode iterators.

mod bullet;
mod simple;
#[cfg(test)]
mod tests;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use self::bullet::Line;

/// The version of the rules above; another version names documents anew.
pub const CANONICAL_VERSION: u32 = 3;

/// A text in canonical form. There is no other way to make one than from an extracted text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct CanonicalText(String);

impl CanonicalText {
    /// The canonical form of an extracted text.
    pub fn from_extracted(text: &str) -> Self {
        let mut writer = Writer::with_capacity(text.len());
        let mut place = bullet::Place::default();
        let mut taken = 0;
        for line in bullet::lines(text) {
            let item = match line {
                Line::Blank(blank) => {
                    place.blank(blank.end);
                    continue;
                }
                Line::Item(item) => item,
            };
            writer.take(&text[taken..item.start]);
            let at = writer.bytes.len();
            writer.take(&text[item.clone()]);
            let (before, line) = writer.bytes.split_at(at);
            let bullets = place.bullets(item.start, before, line);
            writer.bytes.drain(at..at + bullets);
            taken = item.end;
        }
        writer.take(&text[taken..]);
        Self(writer.finish())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// How many characters (Unicode scalar values) it has.
    pub fn chars(&self) -> u64 {
        self.0.chars().count() as u64
    }

    /// The BLAKE3 hash that names the document.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.as_bytes()).as_bytes()
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Canonical text under construction: joins runs of spaces, drops leading ones.
struct Writer {
    /// UTF-8 so far; never begins with a space, never holds two in a row.
    bytes: Vec<u8>,
}

impl Writer {
    fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes + bytes / 16),
        }
    }

    /// Takes whole lines.
    fn take(&mut self, mut text: &str) {
        while !text.is_empty() {
            text = self.take_ascii(text);
            text = self.take_cluster(text);
        }
    }

    /// Takes the ASCII that `text` begins with, except a last character that a following
    /// combining mark may belong to. Returns the rest.
    fn take_ascii<'t>(&mut self, text: &'t str) -> &'t str {
        let ascii = ascii_prefix(text.as_bytes());
        let taken = if ascii == text.len() {
            ascii
        } else {
            ascii.saturating_sub(1)
        };
        let (run, rest) = text.split_at(taken);
        let mut end = self.bytes.len();
        self.bytes.resize(end + run.len(), 0);
        let mut after_space = end == 0 || self.bytes[end - 1] == b' ';
        for &byte in run.as_bytes() {
            let mapped = ASCII[usize::from(byte)];
            let space = mapped == b' ';
            // Written either way; kept unless it is a second space.
            self.bytes[end] = mapped;
            end += usize::from(!(space && after_space));
            after_space = space;
        }
        self.bytes.truncate(end);
        rest
    }

    /// Takes characters up to the next run of ASCII. Returns the rest.
    fn take_cluster<'t>(&mut self, text: &'t str) -> &'t str {
        let mut rest = text;
        let mut chars = text.chars();
        let mut next = chars.next();
        while let Some(first) = next {
            let after_first = chars.as_str();
            next = chars.next();
            let safe = |c: Option<char>| c.is_none_or(|c| simple::map(c).is_some());
            match simple::map(first) {
                Some(mapped) if safe(next) => {
                    self.put(mapped);
                    rest = after_first;
                }
                _ => {
                    let mut cluster_end = text.len() - after_first.len();
                    while !safe(next) {
                        cluster_end = text.len() - chars.as_str().len();
                        next = chars.next();
                    }
                    let start = text.len() - rest.len();
                    self.put_slowly(&text[start..cluster_end]);
                    rest = &text[cluster_end..];
                }
            }
            if rest.as_bytes().first().is_some_and(u8::is_ascii)
                && ascii_prefix(rest.as_bytes()) > 1
            {
                break;
            }
        }
        rest
    }

    /// The defining path, for any text that no combining mark follows.
    fn put_slowly(&mut self, text: &str) {
        for c in fold_and_normalise(text) {
            self.put(if is_space(c) { ' ' } else { c });
        }
    }

    fn put(&mut self, c: char) {
        if c != ' ' {
            let mut utf8 = [0; 4];
            self.bytes
                .extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        } else if self.bytes.last().is_some_and(|&last| last != b' ') {
            self.bytes.push(b' ');
        }
    }

    fn finish(mut self) -> String {
        if self.bytes.last() == Some(&b' ') {
            self.bytes.pop();
        }
        // Whole characters are all that was ever written.
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// Steps 1 to 3 of the definition, save that decompositions may still bring spaces in.
fn fold_and_normalise(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|&c| !is_ignorable(c))
        .map(|c| if is_space(c) { ' ' } else { c })
        .nfd()
        .default_case_fold()
        .nfkd()
        .default_case_fold()
        .nfkd()
        .nfc()
}

/// The length of the ASCII run at the front.
fn ascii_prefix(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<16>();
    let whole = words.iter().take_while(|word| word.is_ascii()).count() * 16;
    whole
        + bytes[whole..]
            .iter()
            .take_while(|byte| byte.is_ascii())
            .count()
}

/// Canonical form of each ASCII byte.
const ASCII: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        let value = byte as u8;
        table[byte] = if value <= b' ' || value == 0x7F {
            b' '
        } else {
            value.to_ascii_lowercase()
        };
        byte += 1;
    }
    table
};

/// Control characters and White_Space.
fn is_space(c: char) -> bool {
    c.is_control() || c.is_whitespace()
}

/// Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties.txt).
const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}
