//! The text of a page as it is written: white space collapsed, one line per block.

use std::ops::Range;

use crate::struck;

/// Elements that form lines of their own (WHATWG HTML §15.3, and some others that are not inline).
const BLOCKS: &[&[u8]] = &[
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"body",
    b"br",
    b"button",
    b"caption",
    b"center",
    b"dd",
    b"details",
    b"dialog",
    b"dir",
    b"div",
    b"dl",
    b"dt",
    b"fieldset",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"frame",
    b"frameset",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"head",
    b"header",
    b"hgroup",
    b"hr",
    b"html",
    b"iframe",
    b"legend",
    b"li",
    b"listing",
    b"main",
    b"menu",
    b"nav",
    b"noframes",
    b"noscript",
    b"ol",
    b"optgroup",
    b"option",
    b"p",
    b"plaintext",
    b"pre",
    b"search",
    b"section",
    b"select",
    b"summary",
    b"svg",
    b"table",
    b"tbody",
    b"text",
    b"textarea",
    b"tfoot",
    b"thead",
    b"title",
    b"tr",
    b"ul",
    b"video",
    b"xmp",
];

/// Whether an element is a line or a cell of its own.
pub(super) fn is_block(name: &[u8]) -> bool {
    matches!(name, b"td" | b"th") || BLOCKS.contains(&name)
}

#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
    /// White space was seen and not yet written.
    space: bool,
    /// Whether lines are marked as quoted.
    pub(super) quoted: bool,
    /// The label of a list item, until its first word.
    pub(super) label: Option<String>,
    head: LineHead,
    /// Where the alternative text of the last picture ends.
    picture_end: Option<usize>,
}

/// What was written before the first word of a line or of an item: the mark of a quote, a label.
#[derive(Debug, Default)]
struct LineHead {
    at: Range<usize>,
    label: Option<String>,
}

impl Text {
    /// Adds text; white space is collapsed unless it is `preformatted`.
    pub(super) fn push(&mut self, piece: &str, preformatted: bool) {
        if preformatted {
            for line in piece.split_inclusive('\n') {
                self.word(line);
            }
            return;
        }
        self.space |= piece.starts_with(|c: char| c.is_ascii_whitespace());
        for word in piece.split_ascii_whitespace() {
            self.word(word);
            self.space = true;
        }
        self.space =
            piece.is_empty() && self.space || piece.ends_with(|c: char| c.is_ascii_whitespace());
    }

    /// Adds a sign that belongs to the words around it.
    pub(super) fn sign(&mut self, sign: &str) {
        if !sign.is_empty() {
            self.word(sign);
        }
    }

    /// Adds the alternative text of a picture. Pictures side by side are words apart.
    pub(super) fn picture(&mut self, alternative: &str) {
        self.space |= self.picture_end == Some(self.text.len());
        self.push(alternative, false);
        self.picture_end = Some(self.text.len());
    }

    fn word(&mut self, word: &str) {
        let begin = self.text.len();
        let begins_line = self.begins_line();
        if begins_line {
            if self.quoted {
                self.text.push_str("> ");
            }
        } else if self.space && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
        self.space = false;
        let label = self.label.take();
        if begins_line || label.is_some() {
            self.text.push_str(label.as_deref().unwrap_or_default());
            let at = begin..self.text.len();
            self.head = LineHead { at, label };
        }
        self.text.push_str(word);
    }

    fn begins_line(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Separates the text before and after a tag, if the tag does so.
    pub(super) fn separate(&mut self, name: &[u8]) {
        match name {
            b"td" | b"th" => {
                self.space = false;
                if !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
                    self.text.push('\t');
                }
            }
            _ if BLOCKS.contains(&name) => self.newline(),
            _ => {}
        }
    }

    pub(super) fn newline(&mut self) {
        self.space = false;
        if !self.begins_line() {
            self.text.push('\n');
        }
    }

    /// The position of the next text.
    pub(super) fn mark(&self) -> usize {
        self.text.len()
    }

    /// Takes back what was written since `mark` if it is exactly one of `signs`. What preceded it waits for the next
    /// word.
    pub(super) fn take_back_sign(&mut self, mark: usize, signs: &[&str]) {
        let Range { start, end } = self.head.at;
        let before = self.text.get(mark..start).map(str::trim);
        let has_head = before.is_some_and(str::is_empty);
        let from = if has_head { end } else { mark };
        let written = self.text.get(from..).map(str::trim);
        if written.is_some_and(|written| signs.contains(&written)) {
            let head = std::mem::take(&mut self.head);
            let label = head.label.filter(|_| has_head);
            self.label = self.label.take().or(label);
            self.text.truncate(mark);
            self.space = false;
        }
    }

    /// Takes back all that was written since `mark`.
    pub(super) fn take_back(&mut self, mark: usize) {
        self.text.truncate(mark);
        self.space = false;
        self.head = LineHead::default();
    }

    /// The text, with the marks of what is struck through in it.
    pub(super) fn into_string(self) -> String {
        struck::settle(self.text)
    }
}
