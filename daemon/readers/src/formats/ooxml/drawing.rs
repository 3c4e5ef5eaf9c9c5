//! Text of shapes, their tables, charts and diagrams (ECMA-376 Part 1 §21); and of comments, which have the same
//! paragraphs.

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;

use super::super::text_style::TextStyle;
use super::super::xml::decoded;
use super::flow::Flow;
use super::list_style::{ListStyle, font, stated};
use super::math::Math;
use super::parts::{Parts, Relation, attribute, by_id, relation_id};
use crate::sink::Sink;

/// Maximum number of references kept for one part.
const MAX_REFERENCES: usize = 10_000;

/// Elements whose content does not count: the fallback of a choice, and extensions that repeat existing text.
const SKIPPED: &[&str] = &["Fallback", "extLst"];

/// The text of one part.
pub(super) struct Drawing {
    pub(super) shapes: Flow,
    /// Footers, headers and dates of a slide: most slides have the same.
    pub(super) running: Flow,
    /// Ids of charts and diagrams in it, in their order.
    pub(super) references: Vec<String>,
    /// Number of the elements to be counted: comments.
    pub(super) count: u64,
    counted: &'static [&'static str],
    /// Depth below a skipped element, including it.
    skipped: usize,
    in_text: bool,
    math: Math,
    /// The style of the run being read; outside runs it says nothing.
    style: TextStyle,
    /// Whether the properties of a run are being read: those of lists and paragraphs name fonts, too.
    in_properties: bool,
    /// Whether a run or a field is being read: a field may have properties of paragraphs, too.
    in_run: bool,
    /// The level of the paragraph being read, and what the shape says of its levels.
    level: usize,
    list: ListStyle,
    place: Place,
}

/// Where the text of a shape goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Shapes,
    Running,
    DiscardMembers,
}

impl Drawing {
    pub(super) fn toward(sink: &Sink) -> Self {
        Self {
            shapes: Flow::toward(sink),
            running: Flow::toward(sink),
            references: Vec::new(),
            count: 0,
            counted: &[],
            skipped: 0,
            in_text: false,
            math: Math::default(),
            style: TextStyle::default(),
            in_properties: false,
            in_run: false,
            level: 0,
            list: ListStyle::default(),
            place: Place::Shapes,
        }
    }

    /// Counts elements of these names.
    pub(super) fn counting(mut self, names: &'static [&'static str]) -> Self {
        self.counted = names;
        self
    }

    /// Reads a part of `parts`.
    pub(super) fn of(mut self, parts: &mut Parts<'_>, name: &str) -> Self {
        parts.optional_xml(name, |event| self.take(event));
        if let Some(formula) = self.math.finish() {
            self.push(&formula);
        }
        self
    }

    /// Processes one event; returns false when there is enough.
    pub(super) fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(_) if self.skipped > 0 => self.skipped += 1,
            Event::End(_) if self.skipped > 0 => self.skipped -= 1,
            _ if self.skipped > 0 => {}
            Event::Start(tag) if is_skipped(tag) => self.skipped = 1,
            Event::Start(tag) => self.start(tag),
            Event::Empty(tag) => {
                self.start(tag);
                self.end(tag.name());
            }
            Event::End(tag) => self.end(tag.name()),
            Event::Text(text) if self.in_text => self.push(&text.xml10_content()),
            Event::CData(text) if self.in_text => self.push(&text.xml10_content()),
            Event::GeneralRef(entity) if self.in_text => {
                self.push(&decoded(entity).unwrap_or_default());
            }
            _ => {}
        }
        !self.shapes.is_full()
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name().into_inner();
        self.in_text = matches!(name, "t" | "text");
        self.count += u64::from(self.counted.contains(&name));
        let room = self.flow().room();
        if self.math.start(tag, room) {
            return;
        }
        self.list.start(name, tag);
        match name {
            "oMathPara" => self.flow().end_line(),
            "p" => (self.level, self.in_run) = (0, false),
            "pPr" if !self.in_run => {
                let level = attribute(tag, "lvl").and_then(|level| level.parse().ok());
                self.level = level.unwrap_or(0);
            }
            "r" | "fld" => {
                self.in_run = true;
                self.style = self.list.of_level(self.level);
            }
            "rPr" if !self.math.is_open() => {
                self.style = stated(tag).within(self.style);
                self.in_properties = true;
            }
            "latin" | "sym" if self.in_properties => {
                self.style = font(name, tag).within(self.style);
            }
            "br" => self.push("\n"),
            "ph" => self.place = place_of(attribute(tag, "type").as_deref()),
            "chart" => self.refer(relation_id(tag, "id")),
            "relIds" => self.refer(relation_id(tag, "dm")),
            _ => {}
        }
    }

    fn end(&mut self, name: QName<'_>) {
        self.in_text = false;
        if let Some(formula) = self.math.end(name) {
            self.style = TextStyle::default();
            self.push(&formula);
            if self.math.is_display() {
                self.flow().end_line();
            }
        }
        self.list.end(name.local_name().into_inner());
        match name.local_name().into_inner() {
            _ if self.math.is_open() => {}
            "rPr" => self.in_properties = false,
            // A line break has properties of its own.
            "br" => self.style = TextStyle::default(),
            "r" | "fld" => (self.style, self.in_run) = (TextStyle::default(), false),
            "p" | "text" => self.flow().end_line(),
            "tc" => self.flow().end_cell(),
            "tr" => self.flow().end_row(),
            "sp" => self.place = Place::Shapes,
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if self.place != Place::DiscardMembers && !self.math.push(text) {
            // A line break within a paragraph, as PowerPoint stores it.
            let text = text.replace('\u{b}', "\n");
            let text = self.style.apply(&text);
            self.flow().push(&text);
        }
    }

    fn flow(&mut self) -> &mut Flow {
        match self.place {
            Place::Running => &mut self.running,
            _ => &mut self.shapes,
        }
    }

    fn refer(&mut self, id: Option<String>) {
        if self.references.len() < MAX_REFERENCES {
            self.references.extend(id);
        }
    }
}

/// Slide numbers and pictures of slides are no text; headers and footers are kept apart.
fn place_of(placeholder: Option<&str>) -> Place {
    match placeholder {
        Some("sldNum" | "sldImg") => Place::DiscardMembers,
        Some("ftr" | "hdr" | "dt") => Place::Running,
        _ => Place::Shapes,
    }
}

/// Slide numbers and today's dates are computed whenever the slide is shown.
fn is_skipped(tag: &BytesStart<'_>) -> bool {
    match tag.local_name().into_inner() {
        "fld" => attribute(tag, "type")
            .is_some_and(|kind| kind == "slidenum" || kind.starts_with("datetime")),
        name => SKIPPED.contains(&name),
    }
}

/// Writes the charts and diagrams that a part refers to.
pub(super) fn write_referred(
    parts: &mut Parts<'_>,
    relations: &[Relation],
    references: &[String],
    sink: &mut Sink,
) {
    let relations = by_id(relations);
    for to in references.iter().filter_map(|id| relations.get(&**id)) {
        if !sink.is_full() && parts.begin(&to.target) {
            let drawing = Drawing::toward(sink).of(parts, &to.target);
            drawing.shapes.write(sink);
        }
    }
}

/// Writes every part of a kind that another refers to as a drawing, with what it refers to itself; returns the number
/// of elements named in `counted`.
pub(super) fn write_kind(
    parts: &mut Parts<'_>,
    relations: &[Relation],
    kind: &str,
    counted: &'static [&'static str],
    sink: &mut Sink,
) -> u64 {
    let mut count = 0;
    for to in relations
        .iter()
        .filter(|to| to.kind == kind && !to.external)
    {
        if sink.is_full() || !parts.begin(&to.target) {
            continue;
        }
        let drawing = Drawing::toward(sink)
            .counting(counted)
            .of(parts, &to.target);
        count += drawing.count;
        drawing.shapes.write(sink);
        if !drawing.references.is_empty() {
            let relations = parts.relations(&to.target);
            write_referred(parts, &relations, &drawing.references, sink);
        }
    }
    count
}
