//! Formulas within the text of a part (ECMA-376 Part 1 §22.1): which elements are theirs.

use quick_xml::events::BytesStart;
use quick_xml::name::QName;

use super::parts::attribute;
use crate::formats::formula::Formula;

/// The formula that is being read, if one is.
#[derive(Debug, Default)]
pub(super) struct Math {
    formula: Option<Formula>,
    /// The prefix of its elements. Others, such as runs with text of another kind, may stand between them.
    prefix: String,
    /// Open elements within it.
    depth: usize,
    /// Whether formulas have lines of their own here.
    is_display: bool,
}

impl Math {
    /// Processes the start of an element; returns whether it is one of a formula. A formula that begins has `room`.
    pub(super) fn start(&mut self, tag: &BytesStart<'_>, room: usize) -> bool {
        let (name, prefix) = (tag.local_name().into_inner(), prefix(tag.name()));
        match &mut self.formula {
            Some(formula) if prefix == self.prefix => {
                formula.start(name, |name| attribute(tag, name));
                self.depth += 1;
                true
            }
            None if name == "oMath" => {
                self.formula = Some(Formula::new(room));
                (self.prefix, self.depth) = (prefix.to_owned(), 0);
                true
            }
            None if name == "oMathPara" => {
                self.is_display = true;
                false
            }
            _ => false,
        }
    }

    /// Processes the end of an element; returns a formula that ends with it.
    pub(super) fn end(&mut self, name: QName<'_>) -> Option<String> {
        match &mut self.formula {
            Some(formula) if prefix(name) == self.prefix => match self.depth.checked_sub(1) {
                Some(depth) => {
                    self.depth = depth;
                    formula.end();
                    None
                }
                None => self.finish(),
            },
            Some(_) => None,
            None => {
                self.is_display &= name.local_name().into_inner() != "oMathPara";
                None
            }
        }
    }

    /// Takes text of a formula; returns whether there is one.
    pub(super) fn push(&mut self, text: &str) -> bool {
        let formula = self.formula.as_mut();
        formula.map(|formula| formula.push(text)).is_some()
    }

    /// Ends the formula, if one is being read.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.formula.take().map(Formula::finish)
    }

    /// Whether a formula is being read.
    pub(super) fn is_open(&self) -> bool {
        self.formula.is_some()
    }

    /// Whether formulas have lines of their own here.
    pub(super) fn is_display(&self) -> bool {
        self.is_display
    }
}

fn prefix(name: QName<'_>) -> &str {
    name.into_inner()
        .rsplit_once(':')
        .map_or("", |(prefix, _)| prefix)
}
