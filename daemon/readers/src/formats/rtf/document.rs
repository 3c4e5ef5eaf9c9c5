//! The groups of an RTF document and the text they make.

mod before;
mod field;
mod font;
mod math;
mod piece;
mod special;

use simdex_extract::{Fact, Reason};

use self::before::PreviousToken;
use self::font::Fonts;
use self::math::MathGroup;
use super::super::aside::Streams;
use super::code_page::CodePage;
use super::destination::{Dest, Piece};
use super::object;
use super::token::Token;
use super::words::{self, TextTarget};
use crate::formats::field::Form;
use crate::formats::formula::Formula;
use crate::formats::script::Script;
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// The state that lasts until the group ends.
#[derive(Debug, Clone, Copy)]
struct Group {
    dest: Dest,
    /// Whether a piece ends with the group.
    collects: bool,
    font: Option<i32>,
    /// Number of characters that follow a Unicode character for readers that do not know it.
    fallback: usize,
    deleted: bool,
    inserted: bool,
    style: TextStyle,
    math: Option<MathGroup>,
    /// Written for readers of RTF, not part of the page that it was converted from.
    rtf_only: bool,
}

pub(super) struct Document<'a> {
    streams: Streams<'a, Piece>,
    group: Group,
    outer: Vec<Group>,
    /// Number of open groups beyond the limit; nothing in them is read.
    too_deep: usize,
    partial: Option<Reason>,
    /// Bytes not decoded yet: a character may be spread over several units.
    run: Vec<u8>,
    /// Characters of a fallback still to be skipped.
    skip: usize,
    /// The first half of a character beyond 16 bits.
    high: Option<u16>,
    /// The previous token.
    before: PreviousToken,
    page: CodePage,
    fonts: Fonts,
    default_font: Option<i32>,
    from_html: bool,
    /// Whether the previous text was inserted or deleted: a change is counted once.
    change: Option<Fact>,
    date: [i32; 6],
    /// Whether the header or footer being read has fields, which differ on every page.
    has_fields: bool,
    /// Whether the last field is one of those.
    is_running: bool,
    /// Whether what the last field shows was written, so that its result is left out.
    is_shown: bool,
    form: Form,
    formula: Option<Formula>,
    object: object::Data,
}

impl<'a> Document<'a> {
    pub(super) fn new(sink: &'a mut Sink) -> Self {
        let group = Group {
            dest: Dest::Text,
            collects: false,
            font: None,
            fallback: 1,
            deleted: false,
            inserted: false,
            style: TextStyle::default(),
            math: None,
            rtf_only: false,
        };
        Self {
            object: object::Data::new(sink.budgets().entry_bytes),
            streams: Streams::new(sink),
            group,
            outer: Vec::new(),
            too_deep: 0,
            partial: None,
            run: Vec::new(),
            skip: 0,
            high: None,
            before: PreviousToken::Else,
            page: CodePage::Known(encoding_rs::WINDOWS_1252),
            fonts: Fonts::default(),
            default_font: None,
            from_html: false,
            change: None,
            date: [0; 6],
            has_fields: false,
            is_running: false,
            is_shown: false,
            form: Form::default(),
            formula: None,
        }
    }

    /// Processes one unit; returns false when the document ends or no more is wanted.
    pub(super) fn take(&mut self, token: Token<'_>) -> bool {
        if self.too_deep > 0 {
            match token {
                Token::Open => self.too_deep += 1,
                Token::Close => self.too_deep -= 1,
                _ => {}
            }
            return true;
        }
        let before = std::mem::replace(&mut self.before, PreviousToken::of(&token));
        match token {
            Token::Open => self.open(),
            Token::Close => return self.close() && !self.streams.is_full(),
            Token::Word(word, parameter) => self.word(word, parameter, before),
            Token::Symbol(b'*') if before != PreviousToken::Open => {
                self.before = PreviousToken::Else
            }
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Hex(byte) => self.text(&[byte]),
            Token::Text(bytes) => {
                bytes
                    .split(|byte| *byte == b'\t')
                    .enumerate()
                    .for_each(|(number, bytes)| {
                        if number > 0 {
                            self.flush();
                            self.emit("\t");
                        }
                        self.text(bytes);
                    })
            }
            Token::Binary(bytes) if self.group.dest == Dest::Hex => self.object.bytes(bytes),
            Token::Binary(_) => {}
        }
        true
    }

    /// Writes what is left; `ended` says whether the last group was closed. A document that ends with the end of some
    /// group is not cut, only badly nested.
    pub(super) fn finish(mut self, ended: bool) -> Option<Reason> {
        let ended = ended || self.before == PreviousToken::Close;
        self.flush();
        self.write_math();
        while self.streams.innermost().is_some() {
            self.end_piece();
        }
        let cut = (!ended && !self.streams.is_full()).then_some(Reason::Damaged);
        let partial = self.partial.or(cut);
        self.streams.finish().or(partial)
    }

    fn open(&mut self) {
        self.flush();
        self.skip = 0;
        if self.outer.len() >= self.streams.sink.budgets().markup_depth as usize {
            self.too_deep = 1;
            self.partial = Some(Reason::DepthLimit);
            return;
        }
        self.outer.push(self.group);
        self.group.collects = false;
        self.group.math = None;
    }

    fn close(&mut self) -> bool {
        self.flush();
        self.skip = 0;
        self.end_math();
        if self.group.collects {
            self.end_piece();
        }
        if let Some(outer) = self.outer.pop() {
            self.group = outer;
        }
        !self.outer.is_empty()
    }

    fn word(&mut self, word: &str, parameter: Option<i32>, before: PreviousToken) {
        self.skip = 0;
        if word == "u" {
            return self.unicode(parameter.unwrap_or(0));
        }
        self.flush();
        if let Some(character) = words::character(word) {
            return self.emit(character);
        }
        if matches!(before, PreviousToken::Open | PreviousToken::Star) && self.start_math(word) {
            return;
        }
        if word == "fldrslt" && self.is_left_out() {
            self.group.dest = Dest::Silent;
            return;
        }
        if let Some(turn) = words::destination(word, self.group.dest) {
            return self.turn(turn);
        }
        let known = self.property(word, parameter);
        if before == PreviousToken::Star && !known {
            self.group.dest = Dest::Silent;
        }
    }

    fn turn(&mut self, turn: TextTarget) {
        match turn {
            TextTarget::To(dest) => self.group.dest = dest,
            TextTarget::Collect(_) if self.group.collects => {}
            TextTarget::Collect(piece) => {
                self.group.collects = true;
                self.group.style = TextStyle::default();
                self.group.dest = match piece {
                    Piece::ObjectData => Dest::Hex,
                    Piece::Date(_) => Dest::Silent,
                    _ => Dest::Text,
                };
                self.date = [0; 6];
                if piece == Piece::Instruction {
                    self.form = Form::default();
                }
                self.streams.begin(piece);
            }
        }
    }

    /// Processes a property of the document, of a font or of the text; returns false if it is not one that matters.
    fn property(&mut self, word: &str, parameter: Option<i32>) -> bool {
        let on = parameter != Some(0);
        let number = parameter.unwrap_or(0);
        match word {
            "ansicpg" => self.page = CodePage::numbered(number).unwrap_or(self.page),
            "mac" => self.page = CodePage::Known(encoding_rs::MACINTOSH),
            "pc" => self.page = CodePage::numbered(437).unwrap_or(self.page),
            "pca" => self.page = CodePage::numbered(850).unwrap_or(self.page),
            "deff" => self.default_font = parameter,
            "uc" => self.group.fallback = usize::try_from(number).unwrap_or(0),
            "f" => self.group.font = parameter,
            "fcharset" | "cpg" if self.group.dest == Dest::Fonts => {
                self.fonts.set(self.group.font, word, number)
            }
            "plain" => {
                self.group.font = None;
                self.group.style = TextStyle::default();
                self.group.deleted = false;
                self.group.inserted = false;
            }
            "super" => self.group.style.script = on.then_some(Script::Raised),
            "sub" => self.group.style.script = on.then_some(Script::Lowered),
            "nosupersub" => self.group.style.script = None,
            "strike" | "striked" => self.group.style.is_struck = on,
            "deleted" | "mvf" => self.group.deleted = on,
            "revised" | "mvt" => self.group.inserted = on,
            "fromhtml" if on && !self.from_html && self.streams.innermost().is_none() => {
                self.from_html = true;
                self.streams.begin(Piece::Html);
            }
            "htmlrtf" => self.group.rtf_only = on,
            "nestrow" if self.group.dest == Dest::Rows => self.streams.newline(),
            "objlink" | "objautlink" => self.streams.sink.count(Fact::External, 1),
            "yr" => self.date[0] = number,
            "mo" => self.date[1] = number,
            "dy" => self.date[2] = number,
            "hr" => self.date[3] = number,
            "min" => self.date[4] = number,
            "sec" => self.date[5] = number,
            _ => return self.form_property(word, number),
        }
        true
    }

    /// Adds bytes of text, without those of a fallback.
    fn text(&mut self, bytes: &[u8]) {
        let left_out = self.skip.min(bytes.len());
        self.skip -= left_out;
        let bytes = &bytes[left_out..];
        match self.group.dest {
            Dest::Text | Dest::Tag => self.run.extend_from_slice(bytes),
            Dest::Hex => self.object.digits(bytes),
            Dest::Fonts => self.fonts.name(self.group.font, bytes),
            _ => {}
        }
    }

    /// Decodes the collected bytes by the current font.
    fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let is_plain = matches!(
            self.streams.innermost(),
            Some(Piece::Fact(_) | Piece::Instruction | Piece::FormItem)
        );
        let page = match self.group.dest {
            // Only text has a font.
            Dest::Text if !is_plain => self.fonts.page(self.group.font.or(self.default_font)),
            _ => None,
        };
        let page = page.unwrap_or(self.page);
        let (text, lost) = page.decode(&self.run);
        self.run.clear();
        self.streams.sink.count(Fact::Undecoded, lost as u64);
        self.emit(&text);
    }

    /// Writes characters, if this group has text to read.
    fn emit(&mut self, text: &str) {
        let group = &self.group;
        if !matches!(group.dest, Dest::Text | Dest::Tag) || self.from_html && group.rtf_only {
            return;
        }
        let change = match () {
            () if group.deleted => Some(Fact::Deletions),
            () if group.inserted => Some(Fact::Insertions),
            () => None,
        };
        if change != self.change {
            self.change = change;
            change
                .into_iter()
                .for_each(|fact| self.streams.sink.count(fact, 1));
        }
        if group.deleted {
            return;
        }
        if let Some(formula) = &mut self.formula {
            return formula.push(text);
        }
        let markup = group.dest == Dest::Tag;
        if !markup && self.streams.innermost() == Some(&mut Piece::Html) {
            self.streams.push(&quick_xml::escape::partial_escape(text));
        } else {
            let mut style = match markup {
                true => TextStyle::default(),
                false => group.style,
            };
            style.is_struck &= self.streams.innermost() != Some(&mut Piece::Label);
            self.streams.push(&style.apply(text));
        }
    }
}
