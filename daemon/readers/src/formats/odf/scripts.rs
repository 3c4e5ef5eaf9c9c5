//! Styles of text above or below the line (ISO/IEC 26300-3 §20.384).

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};

use super::super::package::attribute;
use super::super::script::Script;

/// Maximum number of style names that are remembered.
const MAX_KEPT: usize = 20_000;

/// Where text of a style stands; of those alone that say so.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    by_style: BTreeMap<String, Option<Script>>,
    /// The style whose properties are being read.
    current: Option<String>,
}

impl Scripts {
    /// Processes an event of a part of which only styles are wanted.
    pub(super) fn take_style(&mut self, event: &Event<'_>) {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            self.style(tag.name().into_inner(), tag);
        }
    }

    /// Processes an element that is, or is in, a style. Styles of lists have properties of text as well.
    pub(super) fn style(&mut self, name: &str, tag: &BytesStart<'_>) {
        match name {
            "style:style" => self.begin(tag),
            "style:text-properties" => {
                let position = attribute(tag, "style:text-position");
                if let Some((style, position)) = self.current.take().zip(position) {
                    self.keep(style, script(&position));
                }
            }
            "style:default-style" | "text:list-style" | "text:outline-style" => self.current = None,
            _ => {}
        }
    }

    /// Begins a style, which has what its parent has until it says otherwise.
    fn begin(&mut self, tag: &BytesStart<'_>) {
        let is_of_text = attribute(tag, "style:family").as_deref() == Some("text");
        self.current = attribute(tag, "style:name").filter(|_| is_of_text);
        let parent = attribute(tag, "style:parent-style-name");
        let inherited = parent.and_then(|parent| self.by_style.get(&parent).copied());
        if let Some((style, script)) = self.current.clone().zip(inherited) {
            self.keep(style, script);
        }
    }

    fn keep(&mut self, style: String, script: Option<Script>) {
        if self.by_style.len() < MAX_KEPT || self.by_style.contains_key(&style) {
            self.by_style.insert(style, script);
        }
    }

    /// Where a stretch of text stands, within text that stands at `outer`.
    pub(super) fn of(&self, tag: &BytesStart<'_>, outer: Option<Script>) -> Option<Script> {
        let style = attribute(tag, "text:style-name");
        let stated = style.and_then(|style| self.by_style.get(&style).copied());
        stated.unwrap_or(outer)
    }
}

/// A position: `super`, `sub`, or a share of the height of the line; then the size of the letters.
fn script(position: &str) -> Option<Script> {
    match position.split_whitespace().next()? {
        "super" => Some(Script::Raised),
        "sub" => Some(Script::Lowered),
        share => match share.trim_end_matches('%').parse::<f64>().ok()? {
            raised if raised > 0.0 => Some(Script::Raised),
            lowered if lowered < 0.0 => Some(Script::Lowered),
            _ => None,
        },
    }
}
