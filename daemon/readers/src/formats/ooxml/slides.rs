//! Slides (ECMA-376 Part 1 §19): each slide in the order of the presentation, followed by its notes and comments. What
//! masters and layouts show is not the slides' text.

use std::collections::BTreeSet;

use quick_xml::events::Event;
use simdex_extract::{Fact, Outcome};

use super::super::Reading;
use super::drawing::{Drawing, write_kind, write_referred};
use super::parts::{Parts, by_id, relation_id};
use crate::input::Input;
use crate::sink::Sink;

/// Main content types: presentation, template, show, with macros or without.
const MAIN: &[&str] = &[
    "presentationml.presentation.main+xml",
    "presentationml.template.main+xml",
    "presentationml.slideshow.main+xml",
    "ms-powerpoint.presentation.macroEnabled.main+xml",
    "ms-powerpoint.template.macroEnabled.main+xml",
    "ms-powerpoint.slideshow.macroEnabled.main+xml",
    "ms-powerpoint.addin.macroEnabled.main+xml",
];

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    super::read(input, sink, |parts, sink| {
        let slides = slides(parts)?;
        let mut running = BTreeSet::new();
        for slide in slides {
            sink.count(Fact::Pages, 1);
            write(parts, &slide, &mut running, sink);
            if sink.is_full() {
                break;
            }
        }
        Ok(())
    })
}

/// Names of the slides, in the order they are shown.
fn slides(parts: &mut Parts<'_>) -> Result<Vec<String>, Outcome> {
    let main = parts.main(MAIN)?;
    let mut ids = Vec::new();
    let reason = parts.xml(&main, |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event
            && tag.local_name().into_inner() == "sldId"
        {
            ids.extend(relation_id(tag, "id"));
        }
        true
    })?;
    parts.note(reason);
    let relations = parts.relations(&main);
    let relations = by_id(&relations);
    let shown = ids.iter().filter_map(|id| relations.get(&**id));
    let shown = shown.filter(|to| parts.begin(&to.target));
    Ok(shown.map(|to| to.target.clone()).collect())
}

/// Writes a slide and what belongs to it. `running` are the footers already written.
fn write(parts: &mut Parts<'_>, name: &str, running: &mut BTreeSet<String>, sink: &mut Sink) {
    let relations = parts.relations(name);
    let mut slide = Drawing::toward(sink).of(parts, name);
    slide.shapes.write(sink);
    write_referred(parts, &relations, &slide.references, sink);
    let footer = slide.running.take();
    if !running.contains(&footer) {
        sink.newline();
        sink.push(&footer);
        sink.newline();
        running.insert(footer);
    }
    for to in relations.iter().filter(|to| to.kind == "notesSlide") {
        let notes = Drawing::toward(sink).of(parts, &to.target);
        let notes = u64::from(notes.shapes.write(sink));
        sink.count(Fact::Notes, notes);
    }
    let comments = write_kind(parts, &relations, "comments", &["cm", "reply"], sink);
    sink.count(Fact::Comments, comments);
}

#[cfg(test)]
mod tests;
