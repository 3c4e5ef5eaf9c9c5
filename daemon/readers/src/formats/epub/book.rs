//! The content of a book's package document: its chapters and metadata (EPUB 3.3 §5).

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::{BytesStart, Event};
use simdex_extract::{Fact, Outcome, Reason};

use super::super::package::{Package, attribute};
use super::super::xml::decoded;
use crate::sink::Sink;

/// Ways to make fonts unusable outside their book, which do not affect the text.
const FONT_ALGORITHMS: [&str; 2] = [
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// Bytes of a value that are kept.
const VALUE_BYTES: usize = 4 << 10;

pub(super) struct Book {
    /// Names of the pages, in the order they are read.
    pub(super) chapters: Vec<String>,
    /// Entries of the spine that refer to no page.
    pub(super) lost: usize,
    /// Whether any of them is encrypted.
    pub(super) is_locked: bool,
    pub(super) partial: Option<Reason>,
}

impl Book {
    pub(super) fn open(package: &mut Package<'_>, sink: &mut Sink) -> Result<Self, Outcome> {
        let path = document_path(package).ok_or(Outcome::Failed(Reason::Malformed))?;
        let mut document = Document::default();
        let partial = package.xml(&path, |event| {
            document.take(event, sink);
            true
        })?;
        let base = path.rsplit_once('/').map_or("", |(base, _)| base);
        let unnamed = |id: &&String| !document.manifest.contains_key(*id);
        let lost = document.spine.iter().filter(unnamed).count();
        let chapters = document.chapters(base);
        let locked = locked(package);
        Ok(Self {
            is_locked: chapters.iter().any(|name| locked.contains(name)),
            lost,
            chapters,
            partial,
        })
    }
}

/// The package document named by the container, or the only part that looks like one.
fn document_path(package: &mut Package<'_>) -> Option<String> {
    let mut path = None;
    // Without a container the name decides.
    let _ = package.xml("META-INF/container.xml", |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event
            && tag.local_name().into_inner() == "rootfile"
        {
            path = attribute(tag, "full-path");
        }
        path.is_none()
    });
    let names = package.names();
    path.filter(|path| names.contains(path))
        .or_else(|| names.into_iter().find(|name| name.ends_with(".opf")))
}

/// Names of encrypted parts, except fonts.
fn locked(package: &mut Package<'_>) -> BTreeSet<String> {
    let (mut names, mut of_fonts) = (BTreeSet::new(), false);
    // Books without DRM have no such part.
    let _ = package.xml("META-INF/encryption.xml", |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            match tag.local_name().into_inner() {
                "EncryptedData" => of_fonts = false,
                // A key's own algorithm comes before the reference, too.
                "EncryptionMethod" => {
                    let algorithm = attribute(tag, "Algorithm").unwrap_or_default();
                    of_fonts = FONT_ALGORITHMS.contains(&&*algorithm);
                }
                "CipherReference" if !of_fonts => {
                    names.extend(attribute(tag, "URI").map(|uri| resolve("", &uri)));
                }
                _ => {}
            }
        }
        true
    });
    names
}

/// The state of reading the package document.
#[derive(Default)]
struct Document {
    /// References by identifier: path and media type.
    manifest: BTreeMap<String, (String, String)>,
    spine: Vec<String>,
    /// The metadata element being read, and its text.
    fact: Option<(Fact, String)>,
}

impl Document {
    fn take(&mut self, event: &Event<'_>, sink: &mut Sink) {
        match event {
            Event::Start(tag) | Event::Empty(tag) => self.start(tag, sink),
            Event::End(_) => {
                if let Some((fact, text)) = self.fact.take() {
                    sink.state(fact, &text);
                }
            }
            Event::Text(text) => self.push(&text.xml10_content()),
            Event::CData(text) => self.push(&text.xml10_content()),
            Event::GeneralRef(reference) => self.push(&decoded(reference).unwrap_or_default()),
            _ => {}
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, sink: &mut Sink) {
        let fact = match tag.local_name().into_inner() {
            "item" => return self.item(tag, sink),
            "itemref" => return self.spine.extend(attribute(tag, "idref")),
            "title" => Fact::Title,
            "creator" => Fact::Author,
            "subject" => Fact::Subject,
            "language" => Fact::Language,
            "identifier" => Fact::Identifier,
            // The date of publication; other dates state their event.
            "date" if attribute(tag, "opf:event").is_none_or(|event| event == "publication") => {
                Fact::Created
            }
            "meta" if attribute(tag, "property").is_some_and(|name| name == "dcterms:modified") => {
                Fact::Modified
            }
            _ => return,
        };
        self.fact = Some((fact, String::new()));
    }

    fn item(&mut self, tag: &BytesStart<'_>, sink: &mut Sink) {
        let properties = attribute(tag, "properties").unwrap_or_default();
        let has = |name| {
            properties
                .split_whitespace()
                .any(|property| property == name)
        };
        sink.count(Fact::Scripts, u64::from(has("scripted")));
        sink.count(Fact::External, u64::from(has("remote-resources")));
        if let (Some(id), Some(href)) = (attribute(tag, "id"), attribute(tag, "href")) {
            let media = attribute(tag, "media-type").unwrap_or_default();
            self.manifest.insert(id, (href, media));
        }
    }

    fn push(&mut self, text: &str) {
        if let Some((_, value)) = self
            .fact
            .as_mut()
            .filter(|(_, value)| value.len() < VALUE_BYTES)
        {
            value.push_str(text);
        }
    }

    /// The pages of the spine, each once; a book without a spine has those of its manifest.
    fn chapters(self, base: &str) -> Vec<String> {
        let named = |id: &String| self.manifest.get(id);
        let items: Vec<_> = match self.spine.iter().filter_map(named).collect::<Vec<_>>() {
            none if none.is_empty() => self.manifest.values().collect(),
            items => items,
        };
        let pages = items.into_iter().filter(|(_, media)| is_page(media));
        let mut seen = BTreeSet::new();
        let names = pages.map(|(href, _)| resolve(base, href));
        names.filter(|name| seen.insert(name.clone())).collect()
    }
}

/// Whether it is XHTML, or the type that books before EPUB 3 used instead; pictures have no text.
fn is_page(media: &str) -> bool {
    media.contains("html") || media == "text/x-oeb1-document" || media == "application/xml"
}

/// The name of the part that a reference points to.
fn resolve(base: &str, href: &str) -> String {
    let href = href.split(['#', '?']).next().unwrap_or_default();
    let decoded = percent_decoded(href);
    let mut path: Vec<&str> = Vec::new();
    for step in base.split('/').chain(decoded.split('/')) {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}

fn percent_decoded(href: &str) -> String {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
