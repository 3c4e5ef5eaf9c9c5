//! Replacement text of marked content (`ActualText`, ISO 32000-2, 14.9.4): what drawn characters stand for, such as a
//! word with a drop cap, a ligature, or a hyphen that only breaks a line.
//!
//! The fallback parser says where marked content begins and ends, so the pages that [`pages_with`] finds are read by it.
//! Not read: replacement text of structure elements, which stands apart from the page; of content without characters
//! (pictures, outlines); and text that runs to the left, whose characters are drawn in another order than it has.

use std::collections::{HashMap, HashSet};

use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use pdf_extract::{Document, Object, ObjectId, decode_text_string};

use super::bounds::dictionary;
use super::layout::{Layout, Place, is_leftward};

const KEY: &[u8] = b"ActualText";

/// Maximum bytes of replacement text on one page: a page may name one long text any number of times. Beyond it the
/// characters are read as they are drawn.
const MAX_PAGE_BYTES: usize = 1 << 20;
/// Maximum number of characters whose places are remembered for one replacement.
const MAX_PLACES: usize = 10_000;
/// How far the characters of one line may be from its baseline, in font sizes.
const MAX_SHIFT: f64 = 0.5;

/// Numbers of the pages whose contents, or the property lists that these name, have replacement text.
pub(super) fn pages_with(document: &Document) -> HashSet<u32> {
    let mut known = HashMap::new();
    let pages = document.get_pages().into_iter();
    pages
        .filter(|(_, page)| {
            names_it(document, *page)
                || document
                    .get_page_contents(*page)
                    .into_iter()
                    .any(|part| holds_it(document, part, &mut known))
        })
        .map(|(number, _)| number)
        .collect()
}

/// Whether a content stream has the key; `known` are those that were looked at.
fn holds_it(document: &Document, id: ObjectId, known: &mut HashMap<ObjectId, bool>) -> bool {
    *known.entry(id).or_insert_with(|| {
        let stream = document.get_object(id).and_then(Object::as_stream);
        stream.is_ok_and(|stream| match stream.decompressed_content() {
            Ok(content) => has_key(&content),
            Err(_) => has_key(&stream.content),
        })
    })
}

fn has_key(content: &[u8]) -> bool {
    content.windows(KEY.len()).any(|window| window == KEY)
}

/// Whether a property list among the resources of a page has the key.
fn names_it(document: &Document, page: ObjectId) -> bool {
    let Ok((own, inherited)) = document.get_page_resources(page) else {
        return false;
    };
    let inherited = inherited.into_iter();
    let inherited = inherited.filter_map(|id| document.get_dictionary(id).ok());
    own.into_iter().chain(inherited).any(|resources| {
        let lists = dictionary(document, resources, b"Properties");
        let mut lists = lists.into_iter().flat_map(|lists| lists.iter());
        lists.any(|(_, list)| {
            let list = document.dereference(list).ok();
            list.is_some_and(|(_, list)| list.as_dict().is_ok_and(|list| list.has(KEY)))
        })
    })
}

/// Puts replacement text in the place of the characters of marked content.
pub(super) struct Replacements {
    current: Option<Replacement>,
    /// Bytes that may still be replaced on this page.
    room: usize,
}

/// Marked content that was begun and has replacement text. Whatever is nested in it is replaced too.
struct Replacement {
    text: String,
    /// The characters of its first line: the others only break it.
    places: Vec<Place>,
    /// How many characters are drawn.
    drawn: usize,
    /// Nested marked content that was begun and not ended.
    nested: usize,
}

impl Default for Replacements {
    fn default() -> Self {
        Self {
            current: None,
            room: MAX_PAGE_BYTES,
        }
    }
}

impl Replacements {
    /// Begins marked content with these properties.
    pub(super) fn begin(&mut self, properties: Option<&Dict<'_>>) {
        if let Some(current) = &mut self.current {
            current.nested += 1;
            return;
        }
        let text = properties.and_then(|list| list.get::<PdfString<'_>>(KEY));
        let text = text.filter(|text| text.as_bytes().len() <= self.room);
        if let Some(text) = text.and_then(|text| decoded(text.as_bytes())) {
            self.room = self.room.saturating_sub(text.len());
            self.current = Some(Replacement {
                text,
                places: Vec::new(),
                drawn: 0,
                nested: 0,
            });
        }
    }

    /// Ends the marked content that was begun last.
    pub(super) fn end(&mut self, layout: &mut Layout) {
        match &mut self.current {
            Some(current) if current.nested > 0 => current.nested -= 1,
            _ => self.finish(layout),
        }
    }

    /// Ends what is left open at the end of the page.
    pub(super) fn finish(&mut self, layout: &mut Layout) {
        if let Some(current) = self.current.take() {
            current.write(layout);
        }
    }

    /// Takes a character that is drawn here; returns false if it is not replaced.
    pub(super) fn take(&mut self, place: Place) -> bool {
        let Some(current) = &mut self.current else {
            return false;
        };
        current.drawn += 1;
        let is_in_line = |first: &Place| first.is_on_line_of(&place, MAX_SHIFT);
        if current.places.len() < MAX_PLACES && current.places.first().is_none_or(is_in_line) {
            current.places.push(place);
        }
        true
    }
}

impl Replacement {
    /// Spreads the text over the characters that it replaces, so that each stays near its place.
    fn write(self, layout: &mut Layout) {
        let letters: Vec<char> = self.text.chars().collect();
        let shown = letters.iter().filter(|letter| !letter.is_whitespace());
        layout.replaced += self.drawn.saturating_sub(shown.count());
        let parts = letters.len().min(self.places.len());
        for part in 0..parts {
            let share = |of: usize| part * of / parts..(part + 1) * of / parts;
            let text: String = letters[share(letters.len())].iter().collect();
            let places = &self.places[share(self.places.len())];
            if let (Some(first), Some(last)) = (places.first(), places.last()) {
                layout.push(&text, first.up_to_end_of(last));
            }
        }
    }
}

/// The text of a string; `None` if it is malformed, or runs to the left.
fn decoded(bytes: &[u8]) -> Option<String> {
    let text = decode_text_string(&Object::string_literal(bytes)).ok()?;
    let mut in_escape = false;
    // A language is named between two escapes (7.9.2.2).
    let is_text = |c: &char| {
        in_escape ^= *c == '\u{1b}';
        !in_escape && !matches!(c, '\u{1b}' | '\u{feff}')
    };
    let spaced = |c: char| match c.is_whitespace() || c.is_control() {
        true => ' ',
        false => c,
    };
    let text: String = text.chars().filter(is_text).map(spaced).collect();
    (!text.chars().any(is_leftward)).then_some(text)
}

#[cfg(test)]
mod tests;
