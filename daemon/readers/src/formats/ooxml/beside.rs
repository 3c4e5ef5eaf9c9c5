//! Everything outside the text: properties, embedded objects, macros, references outside (ECMA-376 Part 2 §8 and Part 1
//! §15.2).

use quick_xml::events::{BytesStart, Event};
use simdex_extract::{Fact, Outcome, Reason, Role};

use super::super::instant::instant;
use super::super::xml::decoded;
use super::parts::{Parts, attribute};
use crate::sink::Sink;

/// Properties and the elements that hold them.
const PROPERTIES: &[(&str, Fact)] = &[
    ("title", Fact::Title),
    ("subject", Fact::Subject),
    ("creator", Fact::Author),
    ("lastModifiedBy", Fact::LastAuthor),
    ("created", Fact::Created),
    ("modified", Fact::Modified),
    ("language", Fact::Language),
    ("identifier", Fact::Identifier),
    ("Application", Fact::Producer),
    ("Pages", Fact::Pages),
];

/// Maximum bytes of a property that are kept.
const MAX_PROPERTY_BYTES: usize = 4096;

/// Relations to objects that are separate files.
const EMBEDDED: &[&str] = &["package", "oleObject", "aFChunk", "subDocument"];

/// Whether a relation leads outside and a program would fetch it: hyperlinks wait for a click.
fn is_fetched(tag: &BytesStart<'_>) -> bool {
    attribute(tag, "TargetMode").is_some_and(|mode| mode == "External")
        && !attribute(tag, "Type").is_some_and(|kind| kind.ends_with("/hyperlink"))
}

/// Relations to parts that name databases, pages and programs from which a workbook takes values.
const FETCHING: &[&str] = &["connections", "externalLink"];

fn is_connection(tag: &BytesStart<'_>) -> bool {
    matches!(tag.local_name().into_inner(), "connection" | "ddeLink")
}

/// States the properties of the document.
pub(super) fn state_properties(parts: &mut Parts<'_>, sink: &mut Sink) {
    for relation in parts.relations("") {
        if matches!(
            &*relation.kind,
            "core-properties" | "extended-properties" | "coreProperties" | "extendedProperties"
        ) && parts.has(&relation.target)
        {
            state_part(parts, &relation.target, sink);
        }
    }
}

fn state_part(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) {
    let (mut fact, mut value) = (None, String::new());
    parts.optional_xml(name, |event| {
        match event {
            Event::Start(tag) => {
                let name = tag.local_name().into_inner();
                let known = PROPERTIES.iter().find(|(known, _)| *known == name);
                (fact, value) = (known.map(|(_, fact)| *fact), String::new());
            }
            Event::Text(text) if value.len() < MAX_PROPERTY_BYTES => {
                value.push_str(&text.xml10_content());
            }
            Event::CData(text) if value.len() < MAX_PROPERTY_BYTES => {
                value.push_str(&text.xml10_content());
            }
            Event::GeneralRef(entity) if value.len() < MAX_PROPERTY_BYTES => {
                value.push_str(&decoded(entity).unwrap_or_default());
            }
            Event::End(_) => {
                if let Some(fact) = fact.take() {
                    state(fact, value.trim(), sink);
                }
            }
            _ => {}
        }
        true
    });
}

fn state(fact: Fact, value: &str, sink: &mut Sink) {
    match fact {
        Fact::Created | Fact::Modified => sink.state(fact, &instant(value).unwrap_or_default()),
        Fact::Pages if value.parse::<u32>().is_ok_and(|pages| pages > 0) => sink.state(fact, value),
        Fact::Pages => {}
        _ => sink.state(fact, value),
    }
}

/// Passes on embedded objects; counts macros and references outside.
pub(super) fn hand_over(parts: &mut Parts<'_>, sink: &mut Sink) {
    let names = parts.names();
    let mut embedded: Vec<_> = names
        .iter()
        .filter(|name| is_embedded(name))
        .cloned()
        .collect();
    for name in &names {
        let lower = name.to_ascii_lowercase();
        if lower.ends_with("vbaproject.bin") || lower.contains("/macrosheets/sheet") {
            sink.count(Fact::Scripts, 1);
        }
        if let Some(part) = described_by(name) {
            count(parts, name, is_fetched, sink);
            let relations = parts.relations(&part);
            for to in relations.iter().filter(|to| FETCHING.contains(&&*to.kind)) {
                count(parts, &to.target, is_connection, sink);
            }
            let objects = relations.into_iter();
            let objects = objects.filter(|to| !to.external && EMBEDDED.contains(&&*to.kind));
            embedded.extend(objects.map(|to| to.target).filter(|name| parts.has(name)));
        }
    }
    embedded.sort_by_cached_key(|name| (name.len(), name.to_lowercase()));
    embedded.dedup_by_key(|name| name.to_lowercase());
    for name in embedded {
        hand_over_one(parts, &name, sink);
    }
}

fn is_embedded(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("/embeddings/") && !name.ends_with('/') && !name.ends_with(".rels")
}

/// The part whose relations `name` holds.
fn described_by(name: &str) -> Option<String> {
    let (folder, file) = name.strip_suffix(".rels")?.rsplit_once("_rels/")?;
    Some(format!("{folder}{file}"))
}

/// Counts the elements of a part that refer to something outside.
fn count(parts: &mut Parts<'_>, name: &str, refers: fn(&BytesStart<'_>) -> bool, sink: &mut Sink) {
    let mut count = 0;
    parts.optional_xml(name, |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            count += u64::from(refers(tag));
        }
        true
    });
    sink.count(Fact::External, count);
}

fn hand_over_one(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) {
    let reading = parts.stream(name, |reader| {
        sink.member(name, Role::Embedded, None, reader)
    });
    let reason = match reading {
        Ok(reason) => reason,
        Err(outcome) => {
            let reason = match outcome {
                Outcome::Encrypted(reason) => reason,
                _ => Reason::Damaged,
            };
            sink.member_unread(name, Role::Embedded, None, reason)
                .or(Some(reason))
        }
    };
    parts.note(reason);
}
