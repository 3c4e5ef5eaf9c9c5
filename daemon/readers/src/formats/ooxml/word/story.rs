//! The text of one part of a word processing document, in reading order.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;

use super::super::super::xml::decoded;
use super::super::flow::Flow;
use super::super::math::Math;
use super::super::parts::{attribute, relation_id};
use super::field::{Field, Fields};
use super::numbering::{ListCounters, Paragraph};
use super::styles::RunStyle;
use super::{Fact, Known};
use crate::formats::direction::{LEFT_TO_RIGHT, POP_DIRECTION, RIGHT_TO_LEFT};
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// Elements whose content does not count: text moved away or deleted, the fallback of a choice, tab stops, ruby text
/// above characters, former properties of paragraphs and runs.
const SKIPPED: &[&str] = &[
    "del",
    "moveFrom",
    "Fallback",
    "tabs",
    "rt",
    "pPrChange",
    "rPrChange",
];

/// Maximum number of references.
const MAX_REFERENCES: usize = 10_000;

/// Fields that include something from outside (§17.16.5), whenever the document is opened.
const FETCHING: &[&str] = &[
    "INCLUDEPICTURE",
    "INCLUDETEXT",
    "IMPORT",
    "INCLUDE",
    "LINK",
    "DDE",
    "DDEAUTO",
];

pub(super) struct Story<'a> {
    known: &'a Known,
    counted: ListCounters,
    /// The numbering properties read so far for their paragraph.
    paragraph: Option<Paragraph>,
    body: Flow,
    /// Text boxes of the paragraph being read: they follow it, so that it stays in one piece.
    boxes: Flow,
    /// Nesting of text boxes.
    box_depth: usize,
    /// Depth below a skipped element, including it.
    skipped: usize,
    in_text: bool,
    in_instruction: bool,
    fields: Fields,
    math: Math,
    /// The styles of the paragraphs being read, the innermost last, and that of the run.
    paragraph_styles: Vec<RunStyle>,
    style: RunStyle,
    references: Vec<String>,
    counts: BTreeMap<Fact, u64>,
}

impl<'a> Story<'a> {
    pub(super) fn toward(sink: &Sink, known: &'a Known) -> Self {
        Self {
            known,
            counted: ListCounters::default(),
            paragraph: None,
            body: Flow::toward(sink),
            boxes: Flow::toward(sink),
            box_depth: 0,
            skipped: 0,
            in_text: false,
            in_instruction: false,
            fields: Fields::default(),
            math: Math::default(),
            paragraph_styles: Vec::new(),
            style: RunStyle::default(),
            references: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Text, ids of the charts and diagrams in it, and what was counted.
    pub(super) fn into_parts(mut self) -> (Flow, Vec<String>, BTreeMap<Fact, u64>) {
        self.flush();
        (self.body, self.references, self.counts)
    }

    pub(super) fn text(&mut self) -> &str {
        self.flush();
        self.body.text()
    }

    /// Processes one event; returns false when there is enough.
    pub(super) fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(_) if self.skipped > 0 => self.skipped += 1,
            Event::End(_) if self.skipped > 0 => self.skipped -= 1,
            _ if self.skipped > 0 => {}
            Event::Start(tag) => {
                let name = tag.local_name().into_inner();
                self.count(name, tag);
                if SKIPPED.contains(&name) {
                    self.skipped = 1;
                } else {
                    self.start(name, tag);
                }
            }
            Event::Empty(tag) => {
                let name = tag.local_name().into_inner();
                self.start(name, tag);
                self.end(tag.name());
            }
            Event::End(tag) => self.end(tag.name()),
            Event::Text(text) if self.in_instruction => self.instruct(&text.xml10_content()),
            Event::Text(text) if self.in_text => self.push(&text.xml10_content()),
            Event::CData(text) if self.in_text => self.push(&text.xml10_content()),
            Event::GeneralRef(entity) if self.in_instruction => {
                self.fields.instruct(&decoded(entity).unwrap_or_default());
            }
            Event::GeneralRef(entity) if self.in_text => {
                self.push(&decoded(entity).unwrap_or_default());
            }
            _ => {}
        }
        !self.body.is_full() && !self.boxes.is_full()
    }

    /// Counts elements with content: empty marks of changes affect only the end of a paragraph.
    fn count(&mut self, name: &str, tag: &BytesStart<'_>) {
        let fact = match name {
            "ins" | "moveTo" => Fact::Insertions,
            "del" | "moveFrom" => Fact::Deletions,
            "txbxContent" => Fact::TextBoxes,
            "comment" => Fact::Comments,
            // Lines between body and notes are stored as notes with a type.
            "footnote" | "endnote"
                if attribute(tag, "type").is_none_or(|kind| kind == "normal") =>
            {
                Fact::Notes
            }
            _ => return,
        };
        *self.counts.entry(fact).or_default() += 1;
    }

    fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        self.in_text = name == "t";
        self.in_instruction = name == "instrText";
        if self.paragraph.is_some() {
            return self.property(name, tag);
        }
        let room = self.flow().room();
        if self.math.start(tag, room) {
            return;
        }
        match name {
            "oMathPara" => self.flow().end_line(),
            "p" => self
                .paragraph_styles
                .push(self.known.styles.of_paragraph(None)),
            "r" => self.style = self.paragraph_style(),
            "rStyle" => {
                let style = attribute(tag, "val");
                let outer = self.paragraph_style();
                self.style = self.known.styles.within(outer, style.as_deref());
            }
            "vertAlign" | "strike" | "dstrike" | "rFonts" => self.style.property(name, tag),
            "bdo" => self.direct(match attribute(tag, "val").as_deref() {
                Some("rtl") => RIGHT_TO_LEFT,
                _ => LEFT_TO_RIGHT,
            }),
            "pPr" => self.paragraph = Some(Paragraph::default()),
            "tab" | "ptab" => self.push("\t"),
            "br" | "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("-"),
            "sym" => self.push_sign(&symbol(tag).unwrap_or_default()),
            "textpath" => self.push(&attribute(tag, "string").unwrap_or_default()),
            "fldChar" => self.field(&attribute(tag, "fldCharType").unwrap_or_default()),
            "fldSimple" => {
                self.fields.begin(Field::simple());
                self.instruct(&attribute(tag, "instr").unwrap_or_default());
                self.field("separate");
            }
            "txbxContent" => self.box_depth += 1,
            "chart" => self.refer(relation_id(tag, "id")),
            "relIds" => self.refer(relation_id(tag, "dm")),
            _ => self.fields.form(name, tag),
        }
    }

    fn end(&mut self, name: QName<'_>) {
        (self.in_text, self.in_instruction) = (false, false);
        if let Some(formula) = self.math.end(name) {
            return self.formula(&formula);
        }
        if self.math.is_open() {
            return;
        }
        match name.local_name().into_inner() {
            "pPr" => self.number(),
            "bdo" => self.direct(POP_DIRECTION),
            "p" => self.end_paragraph(),
            "tc" => self.flow().end_cell(),
            "tr" => self.flow().end_row(),
            "txbxContent" => self.box_depth = self.box_depth.saturating_sub(1),
            "fldSimple" => self.fields.end_simple(),
            _ => {}
        }
    }

    /// Reads the numbering properties of a paragraph.
    fn property(&mut self, name: &str, tag: &BytesStart<'_>) {
        let Some(paragraph) = &mut self.paragraph else {
            return;
        };
        let value = attribute(tag, "val");
        match name {
            "pStyle" => paragraph.style = value,
            "numId" => paragraph.instance = value,
            "ilvl" => paragraph.level = value.and_then(|level| level.parse().ok()),
            "del" | "moveFrom" => paragraph.is_deleted = true,
            _ => {}
        }
    }

    /// Writes the number of a paragraph, which programs count themselves.
    fn number(&mut self) {
        let Some(said) = self.paragraph.take() else {
            return;
        };
        if let Some(style) = self.paragraph_styles.last_mut() {
            *style = self.known.styles.of_paragraph(said.style.as_deref());
        }
        let label = self.known.numbering.label(&said, &mut self.counted);
        if let Some(label) = label {
            *self.counts.entry(Fact::ListNumbers).or_default() += 1;
            self.flow().push(&label);
        }
    }

    /// The style of text of the paragraph being read.
    fn paragraph_style(&self) -> RunStyle {
        self.paragraph_styles.last().copied().unwrap_or_default()
    }

    fn end_paragraph(&mut self) {
        self.paragraph = None;
        self.paragraph_styles.pop();
        self.style = RunStyle::default();
        // An instruction that does not end with its paragraph is damage: the rest is text.
        self.fields.end_paragraph();
        self.flow().end_line();
        if self.box_depth == 0 {
            self.flush_boxes();
        }
    }

    /// Writes a formula.
    fn formula(&mut self, formula: &str) {
        self.style = RunStyle::default();
        self.push(formula);
        if self.math.is_display() {
            self.flow().end_line();
        }
    }

    /// Writes what is held back.
    fn flush(&mut self) {
        if let Some(formula) = self.math.finish() {
            self.formula(&formula);
        }
        self.flush_boxes();
    }

    fn flush_boxes(&mut self) {
        if !self.boxes.is_empty() {
            let text = self.boxes.take();
            self.body.end_line();
            self.body.push(&text);
            self.body.end_line();
        }
    }

    /// Processes the marks of a field; its instruction and anything in it are no text.
    fn field(&mut self, mark: &str) {
        match mark {
            "begin" => self.fields.begin(Field::default()),
            "separate" => {
                if let Some(field) = self.end_instruction() {
                    self.fields.begin(field);
                }
            }
            "end" => drop(self.end_instruction()),
            _ => {}
        }
    }

    /// Takes out the innermost field and writes what it shows instead of its result.
    fn end_instruction(&mut self) -> Option<Field> {
        let mut field = self.fields.end()?;
        self.push_sign(&field.end_instruction().unwrap_or_default());
        Some(field)
    }

    /// Processes an instruction, or a piece of one: the first word is the name of the field.
    fn instruct(&mut self, instruction: &str) {
        self.fields.instruct(instruction);
        let name = instruction.split_whitespace().next().unwrap_or_default();
        if FETCHING
            .iter()
            .any(|field| name.eq_ignore_ascii_case(field))
        {
            *self.counts.entry(Fact::External).or_default() += 1;
        }
    }

    fn push(&mut self, text: &str) {
        self.push_styled(text, self.style.text());
    }

    /// Writes what stands for itself, whatever the font of its run is.
    fn push_sign(&mut self, sign: &str) {
        self.push_styled(sign, self.style.text().without_symbols());
    }

    fn push_styled(&mut self, text: &str, style: TextStyle) {
        if self.fields.show_text() && !self.math.push(text) {
            self.flow().push(&style.apply(text));
        }
    }

    /// Writes an override of direction (§17.3.2.3), or its end.
    fn direct(&mut self, sign: &str) {
        if self.fields.show_text() {
            self.flow().push(sign);
        }
    }

    fn flow(&mut self) -> &mut Flow {
        match self.box_depth {
            0 => &mut self.body,
            _ => &mut self.boxes,
        }
    }

    fn refer(&mut self, id: Option<String>) {
        if self.references.len() < MAX_REFERENCES {
            self.references.extend(id);
        }
    }
}

/// The character of a `sym` element. Symbol fonts have theirs in the private use area.
fn symbol(tag: &BytesStart<'_>) -> Option<String> {
    let code = u32::from_str_radix(&attribute(tag, "char")?, 16).ok()?;
    let font = attribute(tag, "font").and_then(|font| SymbolFont::named(&font));
    // Some writers give the code without the private use area's 0xF000.
    let code = match font {
        Some(_) if code <= 0xff => code + 0xf000,
        _ => code,
    };
    let character = char::from_u32(code)?;
    Some(
        font.map_or(character, |font| font.of_private(character))
            .into(),
    )
}
