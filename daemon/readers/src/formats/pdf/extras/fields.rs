//! Fields of a form (ISO 32000-2, 12.7.4): values of text and choice fields, and boxes and buttons that are ticked or
//! not. Where a tick is drawn tells nothing once all ticks are alike, so each box is written, in the order of the fields,
//! with the name that the form shows to people if it has one.

use pdf_extract::{Dictionary, Object};
use simdex_extract::Fact;

use super::{Walk, array, text};
use crate::formats::check_box::check_box;

/// The flag of buttons that are pushed and have no state.
const PUSHED: i64 = 1 << 16;

/// What is read of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// The value that was filled in.
    Written,
    /// Whether it is ticked.
    Ticked,
    /// Nothing is read of it.
    Other,
}

impl<'a> Walk<'a, '_> {
    /// Reads fields; `kind` is what their parent is.
    pub(super) fn fields(&mut self, fields: &'a [Object], kind: FieldKind, depth: usize) {
        for field in fields {
            let Ok((id, Object::Dictionary(field))) = self.document.dereference(field) else {
                continue;
            };
            if depth == 0 || !self.enter(id) {
                continue;
            }
            let kind = self.kind_of(field).unwrap_or(kind);
            let kids = array(self.document, field, b"Kids");
            if kind == FieldKind::Written
                && let Ok(value) = field.get_deref(b"V", self.document)
            {
                self.value(value);
            }
            if kind == FieldKind::Ticked && kids.is_empty() {
                self.button(field);
            }
            self.fields(kids, kind, depth - 1);
        }
    }

    /// The kind of a field, if it does not inherit it.
    fn kind_of(&self, field: &Dictionary) -> Option<FieldKind> {
        let kind = field.get_deref(b"FT", self.document);
        let flags = field.get_deref(b"Ff", self.document);
        let flags = flags.and_then(Object::as_i64).unwrap_or(0);
        Some(match kind.and_then(Object::as_name).ok()? {
            b"Tx" | b"Ch" => FieldKind::Written,
            b"Btn" if flags & PUSHED == 0 => FieldKind::Ticked,
            _ => FieldKind::Other,
        })
    }

    /// Writes the state of a box; each button of a group has its own.
    fn button(&mut self, field: &Dictionary) {
        let name = |key: &[u8]| {
            let state = field.get_deref(key, self.document);
            state.and_then(Object::as_name).ok()
        };
        let state = name(b"AS").or_else(|| name(b"V"));
        let sign = check_box(state.is_some_and(|state| state != b"Off"));
        let label = field.get_deref(b"TU", self.document).ok().and_then(text);
        let label = label.unwrap_or_default();
        self.push(format!("{sign} {}", label.trim()).trim_end());
        self.sink.count(Fact::FormFields, 1);
    }

    fn value(&mut self, value: &Object) {
        let text = match value {
            Object::Array(items) => {
                let items: Vec<_> = items.iter().filter_map(text).collect();
                items.join("\t")
            }
            Object::Stream(stream) => {
                let content =
                    Object::string_literal(stream.get_plain_content().unwrap_or_default());
                text(&content).unwrap_or_default()
            }
            value => text(value).unwrap_or_default(),
        };
        self.write(&text, Fact::FormFields);
    }
}
