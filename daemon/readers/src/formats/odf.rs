//! OpenDocument (ISO/IEC 26300): texts, slides, sheets and drawings, their templates, and the same
//! in one XML file.
//!
//! A package is read part by part: `content.xml`, then headers and footers from `styles.xml`, then metadata from
//! `meta.xml`. A flat file has the same elements in one document.

mod content;
mod formulas;
mod lists;
mod piece;
mod symbol_fonts;
mod table;
mod text_styles;
mod value;

use quick_xml::events::Event;
use simdex_extract::{Fact, Outcome, Reason, Role};

use self::content::{Content, Styles};
use self::formulas::Formulas;
use super::package::{Package, each_event, part_is_damaged};
use super::{Reading, markup};
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "odf 1";

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    if input.prefix(2).is_ok_and(|start| start == b"PK") {
        package(input, sink)
    } else {
        flat(input, sink)
    }
}

fn flat(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let depth = sink.budgets().markup_depth as usize;
    let mut content = Content::new(sink, Styles::default());
    let reason = each_event(&mut &bytes[..], depth, |event| content.take(event));
    // What is cut at the limit ends within its root element.
    Ok(content.finish().or(partial).or(reason))
}

fn package(input: &Input, sink: &mut Sink) -> Reading {
    let mut package = Package::open(input, sink.budgets())?;
    if is_encrypted(&mut package) {
        return Err(Outcome::Encrypted(Reason::PasswordNeeded));
    }
    let names = package.names();
    let mut styles = Styles::default();
    if names.iter().any(|name| name == "styles.xml") {
        // What fails there fails again when its text is read.
        let _ = package.xml("styles.xml", |event| styles.take_style(event));
    }
    styles.formulas = Formulas::of(&mut package, &names, sink.room());
    let mut content = Content::new(sink, styles);
    let (mut partial, mut damaged) = (None, Vec::new());
    // Facts first: then they are there even if the text is cut.
    for name in ["meta.xml", "content.xml", "styles.xml"] {
        if name != "content.xml" && !names.iter().any(|known| known == name) {
            continue;
        }
        let reading = package.xml(name, |event| content.take(event));
        if reading == Ok(Some(Reason::Damaged)) {
            damaged.push(name);
        }
        content.end_part();
        partial = partial.or(match reading {
            Ok(reason) => reason,
            Err(outcome) if name == "content.xml" => return Err(outcome),
            // Without the others a document is incomplete, but usable.
            Err(_) => Some(Reason::PartsFailed),
        });
    }
    let shown = content.shown_formulas();
    partial = content.finish().or(partial);
    for name in damaged {
        sink.warn(&part_is_damaged(name));
    }
    let scripts = names.iter().filter(|name| is_script(name)).count();
    sink.count(Fact::Scripts, scripts as u64);
    let objects = names.iter().filter(|name| is_object(name));
    for name in objects.filter(|name| !shown.contains(*name)) {
        let reason = object(&mut package, name, sink);
        partial = partial.or(reason);
        if reason == Some(Reason::PartsLimit) {
            break;
        }
    }
    Ok(partial)
}

/// Passes on an embedded object.
fn object(package: &mut Package<'_>, name: &str, sink: &mut Sink) -> Option<Reason> {
    let reading = package.stream(name, |mut reader| {
        sink.member(name, Role::Embedded, None, &mut reader)
    });
    reading.unwrap_or_else(|_| sink.member_unread(name, Role::Embedded, None, Reason::Damaged))
}

/// Whether the manifest says how any part is encrypted.
fn is_encrypted(package: &mut Package<'_>) -> bool {
    let mut found = false;
    // A package without a manifest, or with a broken one, may still be read.
    let _ = package.xml("META-INF/manifest.xml", |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            found |= tag.local_name().into_inner() == "encryption-data";
        }
        !found
    });
    found
}

/// A module of a macro library, or a script in another language.
fn is_script(name: &str) -> bool {
    let module = name.starts_with("Basic/")
        && name.ends_with(".xml")
        && !name.ends_with("/script-lb.xml")
        && !name.ends_with("/script-lc.xml");
    module || name.starts_with("Scripts/") && !name.ends_with('/')
}

/// An object embedded by its own program, or the content of an embedded document. Formulas are part of the text.
fn is_object(name: &str) -> bool {
    name.starts_with("Object ") && (!name.contains('/') || name.ends_with("/content.xml"))
}

#[cfg(test)]
mod tests;
