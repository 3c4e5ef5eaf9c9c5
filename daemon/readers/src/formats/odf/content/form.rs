//! Controls of forms (ISO/IEC 26300-3 §13), and form fields that come from documents of other programs.

use quick_xml::events::BytesStart;
use simdex_extract::Fact;

use super::super::super::package::attribute;
use super::{Content, Piece, Undo};
use crate::formats::check_box::check_box;
use crate::formats::field::{Form, FormKind};

/// A check box that is neither ticked nor unticked.
const UNDECIDED: &str = "▣";

impl Content<'_> {
    /// A control: its value, or its state and its label, on a line of its own.
    pub(super) fn form_element(&mut self, local: &str, tag: &BytesStart<'_>) -> Undo {
        let of = |name: &str| attribute(tag, name).filter(|value| !value.is_empty());
        let label = of("form:label");
        let marked = |sign: &str| match &label {
            Some(label) => format!("{sign} {label}"),
            None => sign.to_owned(),
        };
        let is_selected = |tag| {
            let current = attribute(tag, "form:current-selected");
            current
                .or_else(|| attribute(tag, "form:selected"))
                .as_deref()
                == Some("true")
        };
        let shown = match local {
            "checkbox" => {
                let state = of("form:current-state").or_else(|| of("form:state"));
                Some(marked(match state.as_deref() {
                    Some("unknown") => UNDECIDED,
                    state => check_box(state == Some("checked")),
                }))
            }
            "radio" => Some(marked(check_box(is_selected(tag)))),
            // An item of a list.
            "option" if is_selected(tag) => label.or_else(|| of("form:value")),
            _ => of("form:current-value"),
        };
        if let Some(shown) = shown {
            self.streams.sink.count(Fact::FormFields, 1);
            self.block(&shown);
        }
        Undo::Nothing
    }

    /// A form field as Word knows it, with its state in parameters.
    pub(super) fn field_element(&mut self, local: &str, tag: &BytesStart<'_>) -> Undo {
        if local == "param" {
            self.parameter(tag);
            return Undo::Nothing;
        }
        let kind = attribute(tag, "field:type").unwrap_or_default();
        let kind = match kind.rsplit('.').next() {
            _ if local != "fieldmark" => return Undo::Nothing,
            Some("FORMCHECKBOX") => FormKind::CheckBox,
            Some("FORMDROPDOWN") => FormKind::Choice,
            _ => return Undo::Nothing,
        };
        self.streams.sink.count(Fact::FormFields, 1);
        self.piece(Piece::Form(Form::of(kind)))
    }

    fn parameter(&mut self, tag: &BytesStart<'_>) {
        let Some(Piece::Form(form)) = self.streams.innermost() else {
            return;
        };
        let name = attribute(tag, "field:name").unwrap_or_default();
        let value = attribute(tag, "field:value").unwrap_or_default();
        match &*name {
            "Checkbox_Checked" => form.result = Some(u16::from(value == "true")),
            "Dropdown_Selected" => form.result = value.parse().ok(),
            "Dropdown_ListEntry" => form.add_item(&value),
            _ => {}
        }
    }
}
