//! Texts from DOS or an old Macintosh that the statistical guess mistakes for a Windows character set.
//!
//! The guess does not know these character sets. A text decoded in the wrong one has characters where real text has
//! none: a control, a symbol between two letters ("f„r"), a capital after a small letter ("gŠ"). If at least one in
//! five characters beyond ASCII is such a misfit, and another character set yields hardly any misfits and mostly small
//! letters beside small letters, the text is in that one. Cyrillic differs between Windows and Macintosh only in one
//! small letter and the capitals, so one misfit in a hundred is enough there.

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1251, X_MAC_CYRILLIC};

use super::Charset;
use super::dos::{DOS_850, DOS_852};

/// Minimum number of misfits: fewer prove nothing.
const MIN_MISFITS: usize = 3;

/// The character sets to try, the more common ones first.
const CANDIDATES: [Charset; 3] = [
    Charset::Dos {
        name: "IBM850",
        upper: DOS_850,
    },
    Charset::Narrow(MACINTOSH),
    Charset::Dos {
        name: "IBM852",
        upper: DOS_852,
    },
];

/// Returns the character set of `sample`; `guessed` is the statistical guess.
pub(super) fn correct(sample: &[u8], guessed: &'static Encoding) -> Charset {
    let guess = Charset::Narrow(guessed);
    if sample.is_ascii() || !guessed.is_single_byte() {
        return guess;
    }
    let is_cyrillic = guessed == WINDOWS_1251;
    let misfits_needed = |fit: &Fit| match is_cyrillic {
        true => fit.beyond_ascii / 100,
        false => fit.beyond_ascii / 5,
    };
    let fit = Fit::of(sample, guess);
    if fit.misfits < misfits_needed(&fit).max(MIN_MISFITS) {
        return guess;
    }
    let cyrillic = [Charset::Narrow(X_MAC_CYRILLIC)];
    let candidates: &[Charset] = if is_cyrillic { &cyrillic } else { &CANDIDATES };
    let is_better = |candidate: &&Charset| {
        let other = Fit::of(sample, **candidate);
        other.misfits * 8 < fit.misfits && other.in_words * 4 >= other.beyond_ascii * 3
    };
    candidates.iter().find(is_better).copied().unwrap_or(guess)
}

/// How well the characters beyond ASCII suit their neighbours, in a text decoded in one character set.
struct Fit {
    beyond_ascii: usize,
    /// Controls, replacement characters, symbols between two letters, and capitals after a small letter.
    misfits: usize,
    /// Small letters beside another small letter.
    in_words: usize,
}

impl Fit {
    fn of(sample: &[u8], charset: Charset) -> Self {
        let (text, _) = charset.decode(sample);
        let mut fit = Self {
            beyond_ascii: 0,
            misfits: 0,
            in_words: 0,
        };
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            let after = characters.peek().copied().unwrap_or(' ');
            if !c.is_ascii() {
                fit.beyond_ascii += 1;
                fit.misfits += usize::from(is_misfit(before, c, after));
                let is_small = c.is_lowercase();
                let has_small_neighbour = before.is_lowercase() || after.is_lowercase();
                fit.in_words += usize::from(is_small && has_small_neighbour);
            }
            before = c;
        }
        fit
    }
}

fn is_misfit(before: char, c: char, after: char) -> bool {
    // Apostrophes, dashes, an ellipsis, the soft hyphen and the middle dot occur between letters in real texts, and so
    // do quotes if a space was forgotten.
    let may_join = matches!(c, '‘' | '’' | '“' | '”' | '–' | '—' | '…' | '\u{ad}' | '·');
    let is_sign = !c.is_alphanumeric() && !c.is_whitespace() && !may_join;
    let is_between_letters = before.is_alphabetic() && after.is_alphabetic();
    c.is_control()
        || c == char::REPLACEMENT_CHARACTER
        || (is_sign && is_between_letters)
        || (c.is_uppercase() && before.is_lowercase())
}
