//! One sheet's cells, headers and footers (ECMA-376 Part 1 §18.3).

use quick_xml::events::{BytesStart, Event};

use super::super::cell_font::run_property;
use super::super::cells::Rows;
use super::super::parts::attribute;
use super::super::strings::RichText;
use super::{TextStyle, decoded, unescaped};

/// Elements that hold a header or a footer.
const RUNNING: &[&str] = &[
    "oddHeader",
    "oddFooter",
    "evenHeader",
    "evenFooter",
    "firstHeader",
    "firstFooter",
];

/// The type of a cell's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Shared,
    Truth,
    Text,
    /// The name of an error, a date in ISO 8601.
    Word,
}

pub(super) struct Sheet<'r, 'b> {
    rows: &'r mut Rows<'b>,
    /// Headers and footers with their codes.
    pub(super) running: Vec<String>,
    /// Type and style of the cell that is being read.
    kind: Type,
    style: usize,
    value: RichText,
    in_value: bool,
    in_reading: bool,
    /// The style of the run of a string being read, if it has its own.
    run: Option<TextStyle>,
}

impl<'r, 'b> Sheet<'r, 'b> {
    pub(super) fn new(rows: &'r mut Rows<'b>) -> Self {
        Self {
            rows,
            running: Vec::new(),
            kind: Type::Number,
            style: 0,
            value: RichText::default(),
            in_value: false,
            in_reading: false,
            run: None,
        }
    }

    /// Processes one event; returns false when there is enough.
    pub(super) fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) => self.start(tag.local_name().into_inner(), tag),
            Event::Empty(tag) => match tag.local_name().into_inner() {
                "c" => self.rows.cell(""),
                name => run_property(&mut self.run, name, tag),
            },
            Event::End(tag) => self.end(tag.local_name().into_inner()),
            Event::Text(text) if self.in_value => {
                let text = text.xml10_content();
                self.value.push(&unescaped(&text), self.run);
            }
            Event::CData(text) if self.in_value => self.value.push(&text.xml10_content(), self.run),
            Event::GeneralRef(entity) if self.in_value => {
                let text = decoded(entity).unwrap_or_default();
                self.value.push(&text, self.run);
            }
            _ => {}
        }
        !self.rows.is_full()
    }

    fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            "row" => self.rows.row(),
            "c" => {
                self.kind = type_of(attribute(tag, "t").as_deref());
                let style = attribute(tag, "s").and_then(|style| style.parse().ok());
                self.style = style.unwrap_or(0);
                self.value.clear();
            }
            "rPh" => self.in_reading = true,
            "v" | "t" => self.in_value = !self.in_reading,
            name if RUNNING.contains(&name) => {
                self.value.clear();
                self.in_value = true;
            }
            name => run_property(&mut self.run, name, tag),
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "c" => self.end_cell(),
            "rPh" => self.in_reading = false,
            "r" => self.run = None,
            "v" | "t" => self.in_value = false,
            name if RUNNING.contains(&name) => {
                self.in_value = false;
                if self.running.len() < RUNNING.len() {
                    self.running.push(self.value.text().to_owned());
                }
            }
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let value = self.value.text().trim();
        match self.kind {
            Type::Shared => self
                .rows
                .shared(value.parse().unwrap_or(usize::MAX), self.style),
            Type::Truth => self.rows.truth(value == "1" || value == "true", self.style),
            Type::Number => match value.parse() {
                Ok(number) => self.rows.number(number, self.style),
                Err(_) => self.rows.text(&self.value, self.style),
            },
            Type::Text => self.rows.text(&self.value, self.style),
            Type::Word => self.rows.word(value, self.style),
        }
    }
}

fn type_of(name: Option<&str>) -> Type {
    match name {
        Some("s") => Type::Shared,
        Some("b") => Type::Truth,
        Some("e" | "d") => Type::Word,
        None | Some("n") => Type::Number,
        Some(_) => Type::Text,
    }
}
