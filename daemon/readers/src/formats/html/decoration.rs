//! Elements within a line that a browser shows with more than their words: struck-through text, quotation marks, text in
//! another direction than its letters have.

use super::super::direction::{LEFT_TO_RIGHT, POP_DIRECTION, RIGHT_TO_LEFT};
use super::super::text_style::TextStyle;
use super::PageReader;
use super::css;
use super::fonts::Fonts;
use super::tag::Tag;
use super::text::is_block;

/// Overrides of direction within each other that are told apart.
const MAX_OVERRIDES: usize = 100;
/// Elements that have no content.
const VOID: &[&[u8]] = &[
    b"area", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"wbr",
];
/// Elements that another of their name ends.
const ENDED_BY_NEXT: &[&[u8]] = &[b"p", b"li", b"td", b"th", b"tr", b"dt", b"dd"];
/// Quotation marks, and those within them. Browsers show those of the language.
const QUOTES: [(&str, &str); 2] = [("“", "”"), ("‘", "’")];

/// The open elements that are shown with more than their words.
#[derive(Debug, Default)]
pub(super) struct Decoration {
    /// The element whose text is struck through, and how many of its name are open.
    struck: Option<(Vec<u8>, usize)>,
    fonts: Fonts,
    quotes: usize,
    /// For each element that overrides the direction, the end of that.
    overrides: Vec<&'static str>,
    /// The style sheet that is being read, and the rules of those before.
    sheet: String,
    rules: css::Rules,
}

impl Decoration {
    /// Adds a piece of a style sheet.
    pub(super) fn sheet(&mut self, piece: &str) {
        let room = css::MAX_SHEET.saturating_sub(self.sheet.len());
        self.sheet
            .push_str(&piece[..piece.floor_char_boundary(room)]);
    }

    pub(super) fn end_sheet(&mut self) {
        self.rules.add(&std::mem::take(&mut self.sheet));
    }

    fn start_struck(&mut self, tag: &Tag) {
        let name = tag.name.as_slice();
        if let Some((element, open)) = &mut self.struck {
            let is_same = element == name;
            *open += usize::from(is_same);
            if ends(name, element) {
                self.struck = None;
            }
        }
        if self.struck.is_none() && !VOID.contains(&name) && self.is_struck(tag) {
            self.struck = Some((name.to_owned(), 1));
        }
    }

    /// What the element itself says counts before what the sheets say of it.
    fn is_struck(&self, tag: &Tag) -> bool {
        css::is_struck(tag.get("style")).unwrap_or_else(|| {
            matches!(tag.name.as_slice(), b"s" | b"strike" | b"del") || self.rules.strike(tag)
        })
    }

    fn end_struck(&mut self, name: &[u8]) {
        if let Some((_, open)) = self.struck.as_mut().filter(|(element, _)| element == name) {
            *open -= 1;
            if *open == 0 {
                self.struck = None;
            }
        }
    }
}

/// Whether an element that begins ends an open one.
fn ends(name: &[u8], open: &[u8]) -> bool {
    match open {
        b"p" => name != b"br" && is_block(name),
        _ => open == name && ENDED_BY_NEXT.contains(&name),
    }
}

impl PageReader<'_> {
    pub(super) fn start_decoration(&mut self, tag: &Tag) {
        self.decoration.start_struck(tag);
        if !VOID.contains(&tag.name.as_slice()) {
            let fonts = &mut self.decoration.fonts;
            fonts.start(tag, |open| ends(&tag.name, open));
        }
        match tag.name.as_slice() {
            b"q" => {
                let (open, _) = QUOTES[self.decoration.quotes % 2];
                self.words(open);
                self.decoration.quotes += 1;
            }
            b"bdo" if self.decoration.overrides.len() < MAX_OVERRIDES => {
                let (begin, end) = match tag.lower("dir").trim() {
                    "rtl" => (RIGHT_TO_LEFT, POP_DIRECTION),
                    "ltr" => (LEFT_TO_RIGHT, POP_DIRECTION),
                    _ => ("", ""),
                };
                self.decoration.overrides.push(end);
                self.text.sign(begin);
            }
            name if is_block(name) => self.decoration.quotes = 0,
            _ => {}
        }
    }

    pub(super) fn end_decoration(&mut self, name: &[u8]) {
        match name {
            b"q" if self.decoration.quotes > 0 => {
                self.decoration.quotes -= 1;
                let (_, close) = QUOTES[self.decoration.quotes % 2];
                self.words(close);
            }
            b"bdo" => {
                let end = self.decoration.overrides.pop().unwrap_or_default();
                self.text.sign(end);
            }
            name if is_block(name) => self.decoration.quotes = 0,
            _ => {}
        }
        self.decoration.end_struck(name);
        self.decoration.fonts.end(name);
    }

    /// The style of the text that is being read.
    pub(super) fn style(&self) -> TextStyle {
        TextStyle {
            script: self.scripts.last().copied(),
            is_struck: self.decoration.struck.is_some(),
            symbols: self.decoration.fonts.current(),
        }
    }
}
