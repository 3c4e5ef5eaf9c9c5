//! Word processing documents (ECMA-376 Part 1 §17): body, then headers, footers, notes, comments.

use std::collections::BTreeSet;

use super::super::Reading;
use super::drawing;
use super::parts::{Parts, Relation};
use crate::input::Input;
use crate::sink::Sink;

mod field;
mod numbering;
mod story;
mod styles;

use numbering::Numbering;
use simdex_extract::Fact;
use story::Story;
use styles::Styles;

/// Main content types: document, template, with macros or without.
const MAIN: &[&str] = &[
    "wordprocessingml.document.main+xml",
    "wordprocessingml.template.main+xml",
    "ms-word.document.macroEnabled.main+xml",
    "ms-word.template.macroEnabledTemplate.main+xml",
];

/// Parts that are read after the body, by the body's relations to them, in the order of the text.
const BEHIND: &[&str] = &["header", "footer", "footnotes", "endnotes", "comments"];

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    super::read(input, sink, |parts, sink| {
        let main = parts.main(MAIN)?;
        let relations = parts.relations(&main);
        let known = Known {
            numbering: Numbering::of(parts, &relations),
            styles: Styles::of(parts, &relations),
        };
        let mut body = Story::toward(sink, &known);
        let reason = parts.xml(&main, |event| body.take(event))?;
        parts.note(reason);
        finish(body, parts, &relations, sink);
        let mut running = BTreeSet::new();
        for to in behind(&relations) {
            if sink.is_full() {
                break;
            }
            write(parts, to, &known, &mut running, sink);
        }
        Ok(())
    })
}

/// What is known of all parts before they are read.
struct Known {
    numbering: Numbering,
    styles: Styles,
}

/// Relations to the parts after the body: numbered names in the order of their numbers, header2 before header10.
fn behind(relations: &[Relation]) -> Vec<&Relation> {
    let rank = |to: &Relation| BEHIND.iter().position(|kind| *kind == to.kind);
    let read = relations.iter().filter(|to| !to.external);
    let mut found: Vec<_> = read.filter_map(|to| Some((rank(to)?, to))).collect();
    found.sort_by_key(|(rank, to)| (*rank, to.target.len(), &to.target));
    found.dedup_by_key(|(_, to)| &to.target);
    found.into_iter().map(|(_, to)| to).collect()
}

/// Writes a part after the body. Headers and footers are stored with every section: a text already in `running` is
/// skipped.
fn write(
    parts: &mut Parts<'_>,
    to: &Relation,
    known: &Known,
    running: &mut BTreeSet<String>,
    sink: &mut Sink,
) {
    let mut story = Story::toward(sink, known);
    parts.optional_xml(&to.target, |event| story.take(event));
    if matches!(&*to.kind, "header" | "footer") && !running.insert(story.text().to_owned()) {
        return;
    }
    let relations = parts.relations(&to.target);
    finish(story, parts, &relations, sink);
}

/// Writes the text of a part, and the charts and diagrams in it.
fn finish(story: Story<'_>, parts: &mut Parts<'_>, relations: &[Relation], sink: &mut Sink) {
    let (flow, references, counts) = story.into_parts();
    flow.write(sink);
    for (fact, count) in counts {
        sink.count(fact, count);
    }
    drawing::write_referred(parts, relations, &references, sink);
}

#[cfg(test)]
pub(crate) mod tests;
