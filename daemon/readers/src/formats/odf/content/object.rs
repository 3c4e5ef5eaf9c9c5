//! Objects within the text: formulas are part of it, others are members.

use quick_xml::events::BytesStart;

use super::super::super::formula::{Formula, is_formula};
use super::super::super::package::attribute;
use super::{Content, Undo};

impl Content<'_> {
    /// An object: by its address in a package, or with its content in a flat file.
    pub(super) fn object(&mut self, tag: &BytesStart<'_>) -> Undo {
        let Some(address) = attribute(tag, "xlink:href") else {
            self.in_object = true;
            return Undo::Object;
        };
        if let Some(line) = self.styles.formulas.show(&address) {
            self.write_formula(&line);
        }
        Undo::Skip
    }

    /// The content of an object in a flat file, of which only a formula is read.
    pub(super) fn object_content(&mut self, tag: &BytesStart<'_>) -> Undo {
        if !is_formula(tag) {
            return Undo::Skip;
        }
        self.formula = Some(Formula::new(self.streams.sink.room()));
        Undo::Formula
    }

    /// Ends the formula.
    pub(super) fn end_formula(&mut self) {
        if let Some(formula) = self.formula.take() {
            self.write_formula(&formula.finish());
        }
    }

    /// Writes a formula: into its paragraph, or on a line of its own.
    fn write_formula(&mut self, line: &str) {
        match self.text.last() {
            Some(Some(_)) => self.mark(line),
            _ => self.block(line),
        }
    }
}
