//! The symbol font that text of a page is shown in, as its elements state it: `<font face>`, and the font in `style`.
//!
//! Private use characters are signs of such a font, as word processors write them into a page. Letters are not: in HTML a
//! letter is that letter in every font, and where the font is missing, or in Firefox even where it is not, `J` in
//! Wingdings is shown as `J`; Chrome on Windows shows a smiley.

use super::css;
use super::tag::Tag;
use crate::formats::symbol_font::SymbolFont;

/// Open elements with a font that are told apart.
const MAX_OPEN: usize = 100;

/// The open elements that state a font.
#[derive(Debug, Default)]
pub(super) struct Fonts(Vec<OpenElement>);

#[derive(Debug)]
struct OpenElement {
    name: Vec<u8>,
    /// How many elements of this name are open within it, and itself.
    open: usize,
    /// None if the font is one of letters.
    font: Option<SymbolFont>,
}

impl Fonts {
    /// Processes the start of an element with content; `ends` says whether it ends an open one of a name.
    pub(super) fn start(&mut self, tag: &Tag, ends: impl Fn(&[u8]) -> bool) {
        if let Some(at) = self.0.iter().rposition(|element| ends(&element.name)) {
            self.0.truncate(at);
        }
        match stated(tag) {
            Some(font) if self.0.len() < MAX_OPEN => self.0.push(OpenElement {
                name: tag.name.clone(),
                open: 1,
                font,
            }),
            _ => {
                if let Some(at) = self.last_of(&tag.name) {
                    self.0[at].open += 1;
                }
            }
        }
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        if let Some(at) = self.last_of(name) {
            self.0[at].open -= 1;
            // What was left open within it ends with it.
            if self.0[at].open == 0 {
                self.0.truncate(at);
            }
        }
    }

    fn last_of(&self, name: &[u8]) -> Option<usize> {
        self.0.iter().rposition(|element| element.name == name)
    }

    /// The symbol font of the text that is being read, if it is in one.
    pub(super) fn current(&self) -> Option<SymbolFont> {
        self.0.last()?.font
    }
}

/// The symbol font, if it is one, that an element states; `None` if it states none.
fn stated(tag: &Tag) -> Option<Option<SymbolFont>> {
    let face = (tag.name == b"font" && tag.has("face")).then(|| tag.get("face"));
    css::font(tag.get("style"))
        .or(face)
        .map(|families| SymbolFont::named(first(families)))
}

/// The first of several families, of which the others take its place where it is missing.
fn first(families: &str) -> &str {
    let first = families.split(',').next().unwrap_or_default();
    first.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_family_counts() {
        assert_eq!(first(" 'Wingdings 2', serif"), "Wingdings 2");
        assert_eq!(first("Symbol"), "Symbol");
        assert_eq!(first(""), "");
    }
}
