//! What fonts of cells and of runs of their strings say that changes a reading.

use quick_xml::events::BytesStart;

use super::parts::{attribute, is_true};
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;

/// Processes an element of a run of a string: its properties (§18.4.7) are all of its own, if it has any.
pub(super) fn run_property(style: &mut Option<TextStyle>, name: &str, tag: &BytesStart<'_>) {
    match style {
        _ if name == "rPr" => *style = Some(TextStyle::default()),
        Some(style) => font_property(style, name, tag),
        None => {}
    }
}

/// Processes a property of a font (§18.8.22).
pub(super) fn font_property(style: &mut TextStyle, name: &str, tag: &BytesStart<'_>) {
    let value = attribute(tag, "val");
    match name {
        "vertAlign" => style.script = value.as_deref().and_then(Script::of_align),
        // Of the fonts of cells, and of those of runs.
        "name" | "rFont" => style.symbols = value.as_deref().and_then(SymbolFont::named),
        "strike" => style.is_struck = value.is_none_or(|value| is_true(&value)),
        _ => {}
    }
}
