//! Formulas (specification 1.9.1, "Mathematics"): groups whose first word is the name of an element of OMML behind an
//! `m`. Properties have their values as text.

use super::{Dest, Document};
use crate::formats::formula::Formula;
use crate::formats::text_style::TextStyle;

/// What the end of a group ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MathGroup {
    Formula,
    Element,
}

impl Document<'_> {
    /// Processes the first word of a group; returns whether it is one of a formula.
    pub(super) fn start_math(&mut self, word: &str) -> bool {
        if self.group.dest != Dest::Text {
            return false;
        }
        let (math, is_new) = match &mut self.formula {
            None if word == "moMath" => (MathGroup::Formula, true),
            Some(formula) if self.group.math.is_none() => match word.strip_prefix('m') {
                Some(name) if !name.is_empty() => {
                    formula.start(name, |_| None);
                    (MathGroup::Element, false)
                }
                _ => return false,
            },
            _ => return false,
        };
        if is_new {
            self.formula = Some(Formula::new(self.streams.sink.room()));
        }
        self.group.math = Some(math);
        true
    }

    /// Ends what a group was of a formula.
    pub(super) fn end_math(&mut self) {
        match (self.group.math, &mut self.formula) {
            (Some(MathGroup::Element), Some(formula)) => formula.end(),
            (Some(MathGroup::Formula), Some(_)) => self.write_math(),
            _ => {}
        }
    }

    /// Writes the formula that is being read, if one is.
    pub(super) fn write_math(&mut self) {
        if let Some(formula) = self.formula.take() {
            self.group.style = TextStyle::default();
            self.emit(&formula.finish());
        }
    }
}
