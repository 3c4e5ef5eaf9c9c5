//! Parts and the relationships between them (ECMA-376 Part 2).

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use simdex_extract::{Budgets, Outcome, Reason};

use super::super::Reading;
use super::super::package::{Package, part_is_damaged};
use crate::input::Input;

/// A reference from one part to another, or to something outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) id: String,
    /// The last word of its type, which is the same in the transitional and the strict variety.
    pub(super) kind: String,
    /// Name of the part; an address if it is outside.
    pub(super) target: String,
    pub(super) external: bool,
}

/// An open document.
pub(super) struct Parts<'a> {
    package: Package<'a>,
    /// Maps names as they are compared to names as they are stored: names of parts are case-insensitive.
    names: BTreeMap<String, String>,
    /// Names of the parts whose text was requested.
    begun: BTreeSet<String>,
    limit: usize,
    partial: Option<Reason>,
    /// Remarks on the parts that are damaged.
    remarks: BTreeSet<String>,
}

impl<'a> Parts<'a> {
    pub(super) fn open(input: &'a Input, budgets: &Budgets) -> Result<Self, Outcome> {
        let package = Package::open(input, budgets)?;
        let names = package.names().into_iter();
        Ok(Self {
            names: names.map(|name| (key(&name), name)).collect(),
            package,
            begun: BTreeSet::new(),
            limit: budgets.entries as usize,
            partial: None,
            remarks: BTreeSet::new(),
        })
    }

    /// Why not everything was read so far.
    pub(super) fn partial(&self) -> Option<Reason> {
        self.partial
    }

    /// Names the parts of which something was lost.
    pub(super) fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().map(String::as_str)
    }

    /// Remembers the first reason why something was not read.
    pub(super) fn note(&mut self, reason: Option<Reason>) {
        self.partial = self.partial.or(reason);
    }

    /// Names of all parts.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.values().cloned().collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains_key(&key(name))
    }

    /// Whether the text of a part is requested for the first time. However often it is referred to, it is in the
    /// document once, and costs once.
    pub(super) fn begin(&mut self, name: &str) -> bool {
        self.begun.insert(key(name))
    }

    /// Opens a part for `read`.
    pub(super) fn stream(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn BufRead) -> Option<Reason>,
    ) -> Reading {
        let name = self.names.get(&key(name)).map_or(name, String::as_str);
        let reading = self.package.stream(name, read);
        self.remarks.extend(remark(name, &reading));
        reading
    }

    /// Feeds the XML events of a part to `take` until it returns false.
    pub(super) fn xml(&mut self, name: &str, take: impl FnMut(&Event<'_>) -> bool) -> Reading {
        let name = self.names.get(&key(name)).map_or(name, String::as_str);
        let reading = self.package.xml(name, take);
        self.remarks.extend(remark(name, &reading));
        reading
    }

    /// Reads, like [`Parts::xml`], a part that a document can do without.
    pub(super) fn optional_xml(&mut self, name: &str, take: impl FnMut(&Event<'_>) -> bool) {
        let reading = self.xml(name, take);
        self.note_reading(reading);
    }

    /// Reads, like [`Parts::stream`], a part that a document can do without.
    pub(super) fn optional_stream(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn BufRead) -> Option<Reason>,
    ) {
        let reading = self.stream(name, read);
        self.note_reading(reading);
    }

    fn note_reading(&mut self, reading: Reading) {
        self.note(reading.unwrap_or(Some(Reason::Damaged)));
    }

    /// The main part of a document: the package refers to it; if that reference is lost, it is recognised by the end of
    /// its content type.
    pub(super) fn main(&mut self, types: &[&str]) -> Result<String, Outcome> {
        let relations = self.relations("");
        let main = relations.into_iter().find(|r| r.kind == "officeDocument");
        if let Some(main) = main.filter(|main| self.has(&main.target)) {
            return Ok(main.target);
        }
        let mut found = None;
        self.xml("[Content_Types].xml", |event| {
            if let Event::Start(tag) | Event::Empty(tag) = event {
                let content_type = attribute(tag, "ContentType").unwrap_or_default();
                if types.iter().any(|end| content_type.ends_with(end)) {
                    found = attribute(tag, "PartName");
                }
            }
            found.is_none()
        })?;
        let name = found.ok_or(Outcome::Failed(Reason::Malformed))?;
        Ok(name.trim_start_matches('/').to_owned())
    }

    /// The relations of a part, without hyperlinks; those of the package itself if `part` is empty.
    pub(super) fn relations(&mut self, part: &str) -> Vec<Relation> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let name = name.trim_start_matches('/');
        let (mut found, limit) = (Vec::new(), self.limit);
        if self.has(name) {
            self.optional_xml(name, |event| {
                if let Event::Start(tag) | Event::Empty(tag) = event {
                    found.extend(relation(tag, folder));
                }
                found.len() < limit
            });
        }
        found
    }
}

/// What is to be said about a part, if something of it was lost by damage.
fn remark(name: &str, reading: &Reading) -> Option<String> {
    match reading {
        Ok(Some(Reason::Damaged)) => Some(part_is_damaged(name)),
        Err(_) => Some(format!("the part {name} is missing or cannot be read")),
        Ok(_) => None,
    }
}

/// The relations inside the document, by their ids.
pub(super) fn by_id(relations: &[Relation]) -> BTreeMap<&str, &Relation> {
    let inside = relations.iter().filter(|to| !to.external);
    inside.map(|to| (&*to.id, to)).collect()
}

fn relation(tag: &BytesStart<'_>, folder: &str) -> Option<Relation> {
    let kind = attribute(tag, "Type")?;
    let kind = kind.rsplit_once('/').map_or(&*kind, |(_, kind)| kind);
    let target = attribute(tag, "Target")?;
    let external = attribute(tag, "TargetMode").is_some_and(|mode| mode == "External");
    (kind != "hyperlink").then(|| Relation {
        id: attribute(tag, "Id").unwrap_or_default(),
        kind: kind.to_owned(),
        target: if external {
            target
        } else {
            resolved(folder, &target)
        },
        external,
    })
}

/// The name of the part that `target` refers to, seen from `folder`.
fn resolved(folder: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let path = match target.strip_prefix('/') {
        Some(_) => target.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut steps = Vec::new();
    for step in path.split(['/', '\\']) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

fn key(name: &str) -> String {
    let name = name.replace('\\', "/").to_lowercase();
    name.trim_start_matches('/').to_owned()
}

/// The value of an attribute, by its name without prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    find(tag, |attribute| {
        attribute.key.local_name().into_inner() == name
    })
}

/// The id of a relation in an element, such as `r:id` in addition to its own `id`.
pub(super) fn relation_id(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    find(tag, |attribute| {
        attribute.key.local_name().into_inner() == name && attribute.key.prefix().is_some()
    })
}

/// Finds an attribute without checking for duplicates, which would make a tag with many attributes costly.
fn find(tag: &BytesStart<'_>, is_it: impl Fn(&Attribute<'_>) -> bool) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes
        .with_checks(false)
        .map_while(Result::ok)
        .find(is_it)?;
    let value = found.normalized_value(XmlVersion::Implicit1_0);
    Some(value.map_or_else(|_| found.value.into_owned(), |value| value.into_owned()))
}

/// Whether an element of `xsd:boolean` type, or an attribute of it, is true.
pub(super) fn is_true(value: &str) -> bool {
    matches!(value, "1" | "true" | "on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_seen_from_the_folder_of_their_part() {
        let cases = [
            ("word", "header1.xml", "word/header1.xml"),
            ("word", "/word/header1.xml", "word/header1.xml"),
            ("xl/worksheets", "../drawings/d.xml", "xl/drawings/d.xml"),
            ("ppt", "./slides//s.xml#here", "ppt/slides/s.xml"),
            ("", "../../../etc/passwd", "etc/passwd"),
        ];
        for (folder, target, expected) in cases {
            assert_eq!(resolved(folder, target), expected);
        }
    }

    #[test]
    fn an_attribute_is_found_among_a_hundred_thousand() {
        let mut tag = "sld ".to_owned();
        for number in 0..100_000 {
            tag += &format!("a{number}='x' ");
        }
        tag += "id='256' r:id='rId&amp;'";
        let tag = BytesStart::from_content(tag, 3);
        assert_eq!(attribute(&tag, "id").as_deref(), Some("256"));
        assert_eq!(relation_id(&tag, "id").as_deref(), Some("rId&"));
        assert_eq!(attribute(&tag, "none"), None);
    }
}
