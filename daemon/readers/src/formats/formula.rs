//! Formulas in one line, from the elements of OMML (ECMA-376 Part 1 §22.1) or MathML (MathML 3 §3).
//!
//! What a formula shows by position is written as a sign, so that no two formulas that read differently are one text: a
//! fraction as `(a+b)/2`, scripts and limits as `x_1^2`, a root as `√(16)`, an underline or a hat as a combining mark,
//! the rows of a matrix as `[1, 2; 3, 4]`. Parentheses that are not in the formula surround what is not one term. A space
//! follows a script and surrounds a fraction where the neighbour would be read as part of it. Both notations name their
//! elements differently and give their operands in the same order, so that one table of shapes serves both.

mod shape;
#[cfg(test)]
mod tests;
mod write;

use quick_xml::events::{BytesStart, Event};

use self::shape::Shape;
use super::package::attribute;
use super::xml::decoded;

/// Elements nested deeper are not told apart: their text goes to the innermost one that is.
const MAX_DEPTH: usize = 100;
/// Operands of one element that are told apart; further ones go to the last.
const MAX_PARTS: usize = 4096;
/// Properties of one element that are kept.
const MAX_PROPERTIES: usize = 32;

/// Whether an element is a formula in MathML.
pub(in crate::formats) fn is_formula(tag: &BytesStart<'_>) -> bool {
    tag.local_name().into_inner() == "math"
}

/// A formula that is being read.
#[derive(Debug)]
pub(in crate::formats) struct Formula {
    /// The open elements; the first is the formula itself.
    open: Vec<Element>,
    /// Number of open elements beyond the limit.
    too_deep: usize,
    /// Bytes of text that are still taken.
    room: usize,
}

/// An open element.
#[derive(Debug, Default)]
struct Element {
    name: String,
    shape: Shape,
    properties: Vec<(String, String)>,
    parts: Vec<Part>,
}

/// A part of a formula, written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Part {
    text: String,
    /// Whether a letter, digit or bracket before it would seem to belong to it; and one behind it.
    opens: bool,
    closes: bool,
    /// Whether it stands between the scripts behind and those before the base.
    is_divider: bool,
}

impl Formula {
    /// A formula of little more than `room` bytes, so that the reader notices when there is no more room.
    pub(in crate::formats) fn new(room: usize) -> Self {
        Self {
            open: vec![Element::default()],
            too_deep: 0,
            room: room.saturating_add(1),
        }
    }

    /// Begins an element, by its name without prefix. `attribute` returns the value of an attribute by name.
    pub(in crate::formats) fn start(
        &mut self,
        name: &str,
        attribute: impl Fn(&str) -> Option<String>,
    ) {
        if self.open.len() > MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let shape = match self.innermost().shape {
            Shape::Properties => {
                self.set(name, attribute("val").unwrap_or_default());
                Shape::Nothing
            }
            Shape::Nothing => Shape::Nothing,
            _ => Shape::of(name),
        };
        let stated = shape.attributes().iter();
        let properties = stated.filter_map(|name| Some(((*name).to_owned(), attribute(name)?)));
        self.open.push(Element {
            name: name.to_owned(),
            shape,
            properties: properties.collect(),
            parts: Vec::new(),
        });
    }

    /// Ends the innermost element.
    pub(in crate::formats) fn end(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        if self.open.len() > 1
            && let Some(element) = self.open.pop()
            && let Some(part) = element.write()
        {
            self.innermost().take(part);
        }
    }

    /// Ends the innermost element of this name and those within it; does nothing if none is open.
    pub(in crate::formats) fn end_named(&mut self, name: &str) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(at) = self.open.iter().rposition(|element| element.name == name) {
            while self.open.len() > at.max(1) {
                self.end();
            }
        }
    }

    /// Adds text to the innermost element. Between elements white space is none.
    pub(in crate::formats) fn push(&mut self, text: &str) {
        let element = self.innermost();
        let is_text = matches!(&*element.name, "r" | "t") || element.shape == Shape::Token;
        if !is_text && text.trim().is_empty() {
            return;
        }
        let taken = text.floor_char_boundary(self.room.min(text.len()));
        self.room -= taken;
        match self.open.as_slice() {
            _ if taken == 0 => {}
            // RTF has values of properties as text.
            [.., around, value] if value.shape == Shape::Nothing => {
                if around.shape == Shape::Properties {
                    self.describe(&text[..taken]);
                }
            }
            _ => self.innermost().take(Part::plain(&text[..taken])),
        }
    }

    /// Processes an event of a formula in MathML. Old writers put a prefix before attributes.
    pub(in crate::formats) fn take(&mut self, event: &Event<'_>) {
        let start = |formula: &mut Self, tag: &BytesStart<'_>| {
            formula.start(tag.local_name().into_inner(), |name| {
                attribute(tag, name).or_else(|| attribute(tag, &format!("math:{name}")))
            });
        };
        match event {
            Event::Start(tag) => start(self, tag),
            Event::Empty(tag) => {
                start(self, tag);
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.push(&text.xml10_content()),
            Event::CData(text) => self.push(&text.xml10_content()),
            Event::GeneralRef(reference) => self.push(&decoded(reference).unwrap_or_default()),
            _ => {}
        }
    }

    /// Ends what is open; returns the formula in one line.
    pub(in crate::formats) fn finish(mut self) -> String {
        self.too_deep = 0;
        while self.open.len() > 1 {
            self.end();
        }
        let whole = self.open.pop().and_then(|root| root.write());
        whole.map_or_else(String::new, |part| part.text)
    }

    fn innermost(&mut self) -> &mut Element {
        if self.open.is_empty() {
            self.open.push(Element::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Sets a property of the element that the innermost one describes.
    fn set(&mut self, name: &str, value: String) {
        if let Some(owner) = self.described()
            && owner.properties.len() < MAX_PROPERTIES
        {
            owner.properties.push((name.to_owned(), value));
        }
    }

    /// Adds to the value of the last property.
    fn describe(&mut self, value: &str) {
        let last = self
            .described()
            .and_then(|owner| owner.properties.last_mut());
        if let Some((_, known)) = last {
            known.push_str(value);
        }
    }

    /// The element whose properties are being read.
    fn described(&mut self) -> Option<&mut Element> {
        let mut owners = self.open.iter_mut().rev();
        owners.find(|element| !matches!(element.shape, Shape::Properties | Shape::Nothing))
    }
}

impl Element {
    /// Adds a part: an operand of its own, or more of the same line.
    fn take(&mut self, part: Part) {
        let goes_on = !self.shape.has_operands() || self.parts.len() >= MAX_PARTS;
        match self.parts.last_mut() {
            Some(last) if goes_on => last.join(part),
            _ => self.parts.push(part),
        }
    }

    /// The value of the first of these properties that is stated.
    fn property(&self, names: &[&str]) -> Option<&str> {
        let stated = |name: &&str| self.properties.iter().find(|(known, _)| known == name);
        let (_, value) = names.iter().find_map(stated)?;
        Some(value)
    }

    /// Whether a property is stated and not as false.
    fn is_on(&self, name: &str) -> bool {
        let value = self.property(&[name]);
        value.is_some_and(|value| !matches!(value, "0" | "false" | "off"))
    }
}

impl Part {
    fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// Appends what follows on the same line.
    fn join(&mut self, next: Self) {
        if next.text.is_empty() {
            return;
        }
        let (last, first) = (self.text.chars().next_back(), next.text.chars().next());
        let meet = last.is_some_and(belongs) && first.is_some_and(belongs);
        self.opens = if self.text.is_empty() {
            next.opens
        } else {
            self.opens
        };
        if meet && (self.closes || next.opens) {
            self.text.push(' ');
        }
        self.text.push_str(&next.text);
        self.closes = next.closes;
    }
}

/// Whether a character beside a fraction or a script would be read as part of it.
fn belongs(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '√')
}
