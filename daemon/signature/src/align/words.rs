//! The words of a text, each with its place and a number: equal numbers for words of the same canonical form.
//!
//! A word is a run of letters and digits, or a run of other signs; an ideograph or kana is a word by itself, for they
//! stand without spaces. Words of a run longer than [`LONGEST`] are pieces of it. White space and what the canonical
//! text drops (soft hyphens, bullets at the beginning of a line) are none, so that a text with other line breaks has
//! the same words. A bullet within a line stays in the canonical text and is a word.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::canonical::{dropped_bullets, folded, is_ignorable, is_space};

/// The longest word, in bytes.
const LONGEST: usize = 64;

/// Words found before it is asked whether to go on.
const WORDS_A_LOOK: usize = 1 << 12;

/// The words of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The number of each word.
    pub keys: Vec<u32>,
    /// Where each stands in the text, in bytes.
    pub places: Vec<Range<usize>>,
}

/// Numbers for the words of some texts.
#[derive(Debug, Default)]
pub struct Vocabulary<'t> {
    /// Words as they are written; none where nothing is left of one.
    written: HashMap<&'t str, Option<u32>>,
    canonical: HashMap<String, u32>,
}

impl<'t> Vocabulary<'t> {
    /// The words of a text.
    pub fn words(&mut self, text: &'t str) -> Words {
        let words = self.words_while(text, &mut || Ok::<_, Infallible>(()));
        words.unwrap_or_else(|never| match never {})
    }

    /// The words of a text as long as `go_on` lets it, which is asked every some thousand words.
    ///
    /// # Errors
    /// That of `go_on`.
    pub fn words_while<E>(
        &mut self,
        text: &'t str,
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Words, E> {
        let mut words = Words::default();
        let mut bullets = dropped_bullets(text).peekable();
        for (number, place) in places(text).enumerate() {
            if number % WORDS_A_LOOK == WORDS_A_LOOK - 1 {
                go_on()?;
            }
            while bullets
                .next_if(|dropped| dropped.end <= place.start)
                .is_some()
            {}
            if bullets
                .peek()
                .is_some_and(|dropped| dropped.start <= place.start)
            {
                continue;
            }
            let written = &text[place.clone()];
            let canonical = &mut self.canonical;
            let known = self.written.entry(written);
            if let Some(key) = *known.or_insert_with(|| key(canonical, written)) {
                words.keys.push(key);
                words.places.push(place);
            }
        }
        Ok(words)
    }
}

/// The number of a word; none where nothing is left of it.
fn key(canonical: &mut HashMap<String, u32>, written: &str) -> Option<u32> {
    let form = folded(written);
    let next = canonical.len() as u32;
    (!form.is_empty()).then(|| *canonical.entry(form).or_insert(next))
}

/// How many words a text has, about: those of which nothing is left count too.
pub fn word_count(text: &str) -> u64 {
    places(text).count() as u64
}

/// What a character is to the word it is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    /// A character of a word of letters and digits.
    Letter,
    /// A word by itself.
    Single,
    /// A character of a word of other signs.
    Sign,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Letter,
            c if c.is_ascii_control() || c == ' ' => Class::Space,
            _ => Class::Sign,
        };
    }
    match c {
        // Kana, ideographs and their forms of full width.
        '\u{3041}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => Class::Single,
        c if is_space(c) => Class::Space,
        c if c.is_alphanumeric() || is_combining_mark(c) || is_ignorable(c) => Class::Letter,
        _ => Class::Sign,
    }
}

/// Where words stand.
fn places(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| class(*c) != Class::Space)?;
        let kind = class(first);
        let mut end = start + first.len_utf8();
        let goes_on = |at: usize, c: char| match kind {
            Class::Single => is_combining_mark(c),
            kind => class(c) == kind && at + c.len_utf8() - start <= LONGEST,
        };
        while let Some((at, c)) = chars.next_if(|(at, c)| goes_on(*at, *c)) {
            end = at + c.len_utf8();
        }
        Some(start..end)
    })
}
