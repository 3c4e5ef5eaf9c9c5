//! Elements of an OpenDocument file and the text they make (ISO/IEC 26300-3).
//!
//! Elements are recognised by their usual prefixes, which every program writes.

mod element;
mod form;
mod object;

use std::collections::BTreeSet;

use quick_xml::events::{BytesStart, Event};
use simdex_extract::{Fact, Reason};

use super::super::aside::{AsideKind, Streams, says_little};
use super::super::formula::Formula;
use super::super::ooxml::strings::shown_run;
use super::super::xml::decoded;
use super::formulas::Formulas;
use super::lists::Lists;
use super::piece::Piece;
use super::symbol_fonts::SymbolFonts;
use super::table::Table;
use super::text_styles::TextStyles;
use super::value::Value;
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// Maximum number of spaces that one `text:s` gives.
const MAX_SPACES: u64 = 256;

/// What the end of an element undoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undo {
    Nothing,
    /// The end of a paragraph, after which text has this style again.
    Paragraph(TextStyle),
    /// The end of a stretch of text, likewise.
    Span(TextStyle),
    List,
    Piece,
    Meta,
    Object,
    Formula,
    FormulaElement,
    /// The end of a skipped element.
    Skip,
}

/// What the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Genre {
    Text,
    Sheets,
    Pages,
}

/// Elements that begin a style, a number style or a level of a list: properties of text behind them are their own, not
/// those of the one before.
const BEGIN_STYLE: &[&str] = &[
    "style:default-style",
    "style:style",
    "text:list-style",
    "text:outline-style",
    "text:list-level-style-number",
    "text:list-level-style-bullet",
    "text:list-level-style-image",
    "text:outline-level-style",
    "number:number-style",
    "number:currency-style",
    "number:percentage-style",
    "number:date-style",
    "number:time-style",
    "number:boolean-style",
    "number:text-style",
];

/// What the styles of a document and its objects say of its text.
#[derive(Debug, Default)]
pub(super) struct Styles {
    fonts: SymbolFonts,
    pub(super) lists: Lists,
    pub(super) text: TextStyles,
    pub(super) formulas: Formulas,
}

impl Styles {
    /// Processes an event of a part of which only styles are wanted.
    pub(super) fn take_style(&mut self, event: &Event<'_>) -> bool {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            self.style(tag);
        }
        true
    }

    /// Processes an element that is, or is in, a style.
    fn style(&mut self, tag: &BytesStart<'_>) {
        let name = tag.name().into_inner();
        if name == "style:font-face" {
            self.fonts.add(tag);
        }
        if BEGIN_STYLE.contains(&name) {
            self.lists.end_level();
            self.text.end_style();
        }
        self.lists.style(name, tag, &self.fonts);
        self.text.style(name, tag, &self.fonts);
    }
}

pub(super) struct Content<'a> {
    pub(super) streams: Streams<'a, Piece>,
    pub(super) table: Table,
    styles: Styles,
    genre: Genre,
    open: Vec<Undo>,
    /// For each nested paragraph and piece: whether text counts there, and if so, whether following white space is left
    /// out.
    text: Vec<Option<bool>>,
    /// Depth below a skipped element, including it.
    skipped: usize,
    /// Whether tracked changes are being skipped: they are counted.
    in_changes: bool,
    in_meta: bool,
    /// Whether an object of a flat file is being read, and the formula that it is.
    in_object: bool,
    formula: Option<Formula>,
    /// The style of the text being read.
    text_style: TextStyle,
    cell_style: TextStyle,
    /// The table style being read, and those that hide their table.
    style: String,
    hidden: BTreeSet<String>,
}

impl<'a> Content<'a> {
    pub(super) fn new(sink: &'a mut Sink, styles: Styles) -> Self {
        Self {
            styles,
            table: Table::new(sink.budgets().cells),
            streams: Streams::new(sink),
            genre: Genre::Text,
            open: Vec::new(),
            text: Vec::new(),
            skipped: 0,
            in_changes: false,
            in_meta: false,
            in_object: false,
            formula: None,
            text_style: TextStyle::default(),
            cell_style: TextStyle::default(),
            style: String::new(),
            hidden: BTreeSet::new(),
        }
    }

    /// Processes one event; returns false when no more is wanted.
    pub(super) fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Empty(tag) => {
                self.start(tag);
                self.end();
            }
            _ if self.skipped > 0 => {}
            Event::Text(text) => self.push(&text.xml10_content()),
            Event::CData(text) => self.push(&text.xml10_content()),
            Event::GeneralRef(reference) => self.push(&decoded(reference).unwrap_or_default()),
            _ => {}
        }
        !self.streams.is_full() && !self.table.is_full()
    }

    /// Ends what a damaged part left open.
    pub(super) fn end_part(&mut self) {
        self.skipped = 0;
        self.in_changes = false;
        while !self.open.is_empty() {
            self.end();
        }
    }

    /// The parts of a package whose formulas are in the text.
    pub(super) fn shown_formulas(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.styles.formulas).shown()
    }

    /// Writes what is held back; returns why if something was left out.
    pub(super) fn finish(mut self) -> Option<Reason> {
        self.end_part();
        if self.genre == Genre::Sheets {
            self.streams.sink.count(Fact::Cells, self.table.cells());
        }
        let cut = self.table.is_full().then_some(Reason::CellsLimit);
        self.streams.finish().or(cut)
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.name().into_inner();
        if self.skipped > 0 {
            self.skipped += 1;
            return self.change(name);
        }
        if let Some(formula) = &mut self.formula {
            formula.take(&Event::Start(tag.borrow()));
            return self.open.push(Undo::FormulaElement);
        }
        let undo = match () {
            () if self.in_object => self.object_content(tag),
            () if self.in_meta => self.meta(name, tag),
            () => self.element(name, tag),
        };
        if undo == Undo::Skip {
            self.skipped = 1;
        } else {
            self.open.push(undo);
        }
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            self.in_changes &= self.skipped > 0;
            return;
        }
        match self.open.pop() {
            Some(Undo::Paragraph(outer)) => {
                self.text_style = outer;
                self.text.pop();
                self.streams.push("\n");
            }
            Some(Undo::Span(outer)) => self.text_style = outer,
            Some(Undo::List) => self.styles.lists.end(),
            Some(Undo::Piece) => {
                self.text.pop();
                self.end_piece();
            }
            Some(Undo::Meta) => self.in_meta = false,
            Some(Undo::Object) => self.in_object = false,
            Some(Undo::Formula) => self.end_formula(),
            Some(Undo::FormulaElement) => self.formula.iter_mut().for_each(Formula::end),
            _ => {}
        }
    }

    /// Counts a tracked change; its element contains the deleted text, and the document the inserted text.
    fn change(&mut self, name: &str) {
        if self.in_changes {
            match name {
                "text:deletion" | "table:deletion" => self.streams.sink.count(Fact::Deletions, 1),
                "text:insertion" | "table:insertion" => {
                    self.streams.sink.count(Fact::Insertions, 1);
                }
                _ => {}
            }
        }
    }

    /// Begins a piece, in which only its own paragraphs have text.
    fn piece(&mut self, piece: Piece) -> Undo {
        self.streams.begin(piece);
        self.text.push(None);
        Undo::Piece
    }

    fn end_piece(&mut self) {
        let Some((piece, text)) = self.streams.end() else {
            return;
        };
        match piece {
            Piece::Aside(AsideKind::Header | AsideKind::Footer, true) if says_little(&text) => {}
            Piece::Aside(aside, _) => self.streams.keep(aside, &text),
            Piece::Fact(fact) => self.streams.sink.state(fact, &stated(fact, text)),
            Piece::Speech | Piece::TextBox if text.trim().is_empty() => {}
            Piece::Speech => {
                self.streams.sink.count(Fact::Notes, 1);
                self.block(&text);
            }
            Piece::TextBox => {
                self.streams.sink.count(Fact::TextBoxes, 1);
                self.block(&text);
            }
            Piece::Row { repeated, cells } => {
                self.table
                    .end_row(&mut self.streams, &text, repeated, cells);
            }
            Piece::Cell { repeated, value } => {
                let style = std::mem::take(&mut self.cell_style);
                let text = value.said(text, style, self.genre == Genre::Sheets);
                self.table
                    .end_cell(&mut self.streams, text.trim(), repeated);
            }
            Piece::Master => {}
            Piece::Form(form) => self.mark(form.shown().unwrap_or_default()),
        }
    }

    /// Writes text on lines of its own.
    fn block(&mut self, text: &str) {
        self.streams.newline();
        self.streams.push(text);
        self.streams.newline();
    }

    fn spaces(&mut self, count: u64) {
        for _ in 0..count.min(MAX_SPACES) {
            self.mark(" ");
        }
    }

    /// Writes significant white space.
    fn mark(&mut self, space: &str) {
        if let Some(Some(blank)) = self.text.last_mut() {
            *blank = false;
            self.streams.push(space);
        }
    }

    /// Writes text with white space as the format defines it: any run of it is one space, and none at the start of a
    /// paragraph.
    fn push(&mut self, text: &str) {
        if let Some(formula) = &mut self.formula {
            return formula.push(text);
        }
        let Some(Some(blank)) = self.text.last_mut() else {
            return;
        };
        let is_space = |c| matches!(c, ' ' | '\t' | '\r' | '\n');
        let mut clean = String::with_capacity(text.len());
        for c in text.chars() {
            if !is_space(c) {
                clean.push(c);
            } else if !*blank {
                clean.push(' ');
            }
            *blank = is_space(c);
        }
        let is_string = self.genre == Genre::Sheets
            && matches!(
                self.streams.innermost(),
                Some(Piece::Cell {
                    value: Value::Shown(_),
                    ..
                })
            );
        self.streams.push(&match is_string {
            true => shown_run(&clean, self.text_style),
            false => self.text_style.apply(&clean),
        });
    }
}

/// A date without an offset has an unknown offset (RFC 3339 §4.3); one of the year 0 is dropped.
fn stated(fact: Fact, text: String) -> String {
    let is_date = matches!(fact, Fact::Created | Fact::Modified);
    match text.split_once('T') {
        _ if is_date && text.starts_with('0') => String::new(),
        Some((_, time)) if is_date && !time.contains(['Z', '+', '-']) => text + "-00:00",
        _ => text,
    }
}
