//! Fields of word processing documents (ECMA-376 Part 1 §17.16): which text is a result, and what is shown without one.

use quick_xml::events::BytesStart;

use super::super::parts::attribute;
use crate::formats::field::{self, Form, FormKind, MAX_INSTRUCTION};

/// Maximum nesting of fields that are followed.
const MAX_FIELDS: usize = 100;

/// The part of a field that is being read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Instruction,
    Result,
    /// A result that is left out: what the field shows was written.
    Replaced,
}

#[derive(Debug, Default)]
pub(super) struct Field {
    phase: Phase,
    /// Whether it is one element, with the instruction as attribute.
    is_simple: bool,
    instruction: String,
    form: Form,
}

impl Field {
    pub(super) fn simple() -> Self {
        Self {
            is_simple: true,
            ..Self::default()
        }
    }

    /// Ends the instruction; returns what the field shows instead of its result.
    pub(super) fn end_instruction(&mut self) -> Option<String> {
        if self.phase != Phase::Instruction {
            return None;
        }
        let shown = match self.form.shown() {
            Some(shown) => Some(shown.to_owned()),
            None => field::shown(&self.instruction),
        };
        self.phase = match shown {
            Some(_) => Phase::Replaced,
            None => Phase::Result,
        };
        shown
    }
}

/// Open fields, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<Field>);

impl Fields {
    pub(super) fn begin(&mut self, field: Field) {
        if self.0.len() < MAX_FIELDS {
            self.0.push(field);
        }
    }

    /// Takes out the innermost field.
    pub(super) fn end(&mut self) -> Option<Field> {
        self.0.pop()
    }

    /// Takes out the innermost simple field, and those within it that were not ended.
    pub(super) fn end_simple(&mut self) {
        if let Some(at) = self.0.iter().rposition(|field| field.is_simple) {
            self.0.truncate(at);
        }
    }

    /// An instruction that does not end with its paragraph is damage: the rest is text.
    pub(super) fn end_paragraph(&mut self) {
        let is_open = |field: &Field| field.phase == Phase::Instruction;
        if self.0.iter().any(is_open) {
            self.0.clear();
        }
    }

    /// Whether text is shown here.
    pub(super) fn show_text(&self) -> bool {
        self.0.iter().all(|field| field.phase == Phase::Result)
    }

    /// Adds to the instruction of the innermost field.
    pub(super) fn instruct(&mut self, piece: &str) {
        let innermost = self.0.last_mut();
        if let Some(field) = innermost.filter(|field| field.phase == Phase::Instruction) {
            let room = MAX_INSTRUCTION.saturating_sub(field.instruction.len());
            field
                .instruction
                .push_str(&piece[..piece.floor_char_boundary(room)]);
        }
    }

    /// Processes an element of form field data (§17.16.17).
    pub(super) fn form(&mut self, name: &str, tag: &BytesStart<'_>) {
        let Some(Field { form, .. }) = self.0.last_mut() else {
            return;
        };
        let value = attribute(tag, "val");
        match (name, form.kind) {
            ("checkBox", _) => form.kind = Some(FormKind::CheckBox),
            ("ddList", _) => form.kind = Some(FormKind::Choice),
            ("listEntry", Some(_)) => form.add_item(&value.unwrap_or_default()),
            ("default", Some(_)) => form.default = state(value.as_deref()),
            ("checked" | "result", Some(_)) => form.result = Some(state(value.as_deref())),
            _ => {}
        }
    }
}

/// A number, or a switch, which is on if it says nothing.
fn state(value: Option<&str>) -> u16 {
    match value {
        None | Some("true" | "on") => 1,
        Some(value) => value.parse().unwrap_or(0),
    }
}
