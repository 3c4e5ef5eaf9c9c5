//! Word processing documents (ECMA-376 Part 1 §17): body, then headers, footers, notes, comments.

use quick_xml::events::{BytesStart, Event};

use super::super::Reading;
use super::super::package::Package;
use super::super::xml::decoded;
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, Reason};

/// Main content types: document, template, with macros or without.
const MAIN: &[&str] = &[
    "wordprocessingml.document.main+xml",
    "wordprocessingml.template.main+xml",
    "ms-word.document.macroEnabled.main+xml",
    "ms-word.template.macroEnabledTemplate.main+xml",
];

/// Content types of the parts that are read, in the order of the text.
const PARTS: &[&[&str]] = &[
    MAIN,
    &["wordprocessingml.header+xml"],
    &["wordprocessingml.footer+xml"],
    &["wordprocessingml.footnotes+xml"],
    &["wordprocessingml.endnotes+xml"],
    &["wordprocessingml.comments+xml"],
];

/// Elements whose content does not count: text moved away or deleted, the older twin of a choice,
/// tab stops.
const SKIPPED: &[&str] = &["del", "moveFrom", "Fallback", "tabs"];

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let mut package = Package::open(input, sink.budgets())?;
    let mut partial = None;
    for (number, name) in parts(&mut package)?.into_iter().enumerate() {
        match write(&mut package, &name, sink) {
            Ok(reason) => partial = partial.or(reason),
            // Without its body a document is nothing; without a footnote it is partial.
            Err(outcome) if number == 0 => return Err(outcome),
            Err(_) => partial = partial.or(Some(Reason::Damaged)),
        }
        if sink.is_full() {
            break;
        }
    }
    Ok(partial)
}

/// Names of the parts to read, the body first.
fn parts(package: &mut Package<'_>) -> Result<Vec<String>, Outcome> {
    let mut found = Vec::new();
    package.xml("[Content_Types].xml", |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            found.extend(part(tag));
        }
        true
    })?;
    // Numbered names in the order of their numbers: header2 before header10.
    found.sort_by(|(rank_a, a), (rank_b, b)| (rank_a, a.len(), a).cmp(&(rank_b, b.len(), b)));
    match found.first() {
        Some((0, _)) => Ok(found.into_iter().map(|(_, name)| name).collect()),
        _ => Err(Outcome::Failed(Reason::Malformed)),
    }
}

/// Writes the text of one part; says why if that is not all.
fn write(package: &mut Package<'_>, name: &str, sink: &mut Sink) -> Reading {
    let mut text = PartText {
        sink,
        skipped: 0,
        in_text: false,
    };
    let reason = package.xml(name, |event| text.take(event))?;
    sink.newline();
    Ok(reason)
}

/// Order and name of a part, from its `Override` element in the content types.
fn part(tag: &BytesStart<'_>) -> Option<(usize, String)> {
    let value = |name: &str| Some(tag.try_get_attribute(name).ok()??.value.into_owned());
    let content_type = value("ContentType")?;
    let rank = PARTS
        .iter()
        .position(|types| types.iter().any(|t| content_type.ends_with(t)))?;
    Some((rank, value("PartName")?.trim_start_matches('/').to_owned()))
}

/// The text of a part: what stands in `t` elements, with the breaks between them.
struct PartText<'a> {
    sink: &'a mut Sink,
    /// Depth below a skipped element, that one included.
    skipped: usize,
    in_text: bool,
}

impl PartText<'_> {
    /// Takes one event; false when the sink is full.
    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) if self.skipped > 0 || is_skipped(tag) => self.skipped += 1,
            Event::End(_) if self.skipped > 0 => self.skipped -= 1,
            _ if self.skipped > 0 => {}
            Event::Start(tag) => self.start(tag.local_name().into_inner()),
            Event::Empty(tag) => {
                let name = tag.local_name();
                self.start(name.into_inner());
                self.end(name.into_inner());
            }
            Event::End(tag) => self.end(tag.local_name().into_inner()),
            Event::Text(text) if self.in_text => self.sink.push(&text.xml10_content()),
            Event::CData(text) if self.in_text => self.sink.push(&text.xml10_content()),
            Event::GeneralRef(reference) if self.in_text => {
                self.sink.push(&decoded(reference).unwrap_or_default());
            }
            _ => {}
        }
        !self.sink.is_full()
    }

    fn start(&mut self, name: &str) {
        match name {
            "t" => self.in_text = true,
            "tab" | "ptab" => self.sink.push("\t"),
            "br" | "cr" => self.sink.push("\n"),
            "noBreakHyphen" => self.sink.push("-"),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.sink.push("\n"),
            _ => {}
        }
    }
}

fn is_skipped(tag: &BytesStart<'_>) -> bool {
    SKIPPED.contains(&tag.local_name().into_inner())
}

#[cfg(test)]
pub(crate) mod tests;
