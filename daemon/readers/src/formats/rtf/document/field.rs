//! Fields: what their instruction and their form data say about the result.

use simdex_extract::Fact;

use super::super::super::aside::AsideKind;
use super::{Dest, Document, Piece};
use crate::formats::field::{self, FormKind};

impl Document<'_> {
    /// Processes a field's instruction; its result follows.
    pub(super) fn field(&mut self, instruction: &str) {
        let form = std::mem::take(&mut self.form);
        let shown = form.shown().map(str::to_owned);
        let shown = shown.or_else(|| field::shown(instruction));
        self.is_shown = shown.is_some();
        self.emit(&shown.unwrap_or_default());
        let name = instruction.split_whitespace().next().unwrap_or_default();
        match name {
            "INCLUDEPICTURE" | "INCLUDETEXT" | "LINK" | "DDE" | "DDEAUTO" => {
                self.streams.sink.count(Fact::External, 1);
            }
            "PAGE" | "NUMPAGES" | "SECTIONPAGES" | "DATE" | "TIME" | "FILENAME" => {
                let mut pieces = self.streams.kinds();
                self.is_running = pieces.any(|piece| {
                    matches!(piece, Piece::Aside(AsideKind::Header | AsideKind::Footer))
                });
                self.has_fields |= self.is_running;
            }
            _ => {}
        }
    }

    /// Whether the result that begins is not to be read.
    pub(super) fn is_left_out(&mut self) -> bool {
        let is_running = std::mem::take(&mut self.is_running);
        std::mem::take(&mut self.is_shown) || is_running
    }

    /// Processes a property of a form field; returns false if it is not one that matters.
    pub(super) fn form_property(&mut self, word: &str, number: i32) -> bool {
        if self.group.dest != Dest::Form {
            return false;
        }
        let state = u16::try_from(number).unwrap_or(0);
        match (word, number) {
            ("fftype", 1) => self.form.kind = Some(FormKind::CheckBox),
            ("fftype", 2) => self.form.kind = Some(FormKind::Choice),
            ("ffres", _) => self.form.result = Some(state),
            ("ffdefres", _) => self.form.default = state,
            _ => return false,
        }
        true
    }
}
