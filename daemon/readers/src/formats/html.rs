//! HTML (WHATWG HTML Living Standard): tokens are converted to text. No tree is built, so nesting costs nothing;
//! scripts are counted, never run; nothing is fetched.
//!
//! The text is what people read on the page, including what only a script or a style would hide or show. The title is
//! in the head, is not part of the page, and becomes a fact. Pictures and controls of forms are read as [`replaced`]
//! says.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use simdex_extract::{Fact, Facts};

use super::formula::Formula;
use super::script::Script;
use super::{Reading, markup};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

pub(super) mod address;
mod css;
mod decoration;
mod fonts;
mod frames;
mod inline;
mod list;
mod replaced;
mod tag;
mod text;

use decoration::Decoration;
use list::Lists;
use replaced::Replacement;
use tag::Tag;
use text::Text;

pub(super) const PARSER: &str = "html5gum 0.9.0";

/// Signs shown by links to a place in the same page: "link to this paragraph", "to the top". They are no text; no other
/// rendering of the same text has them.
const SIGNS: &[&str] = &["¶", "§", "#", "🔗", "⚓", "▲", "△", "↑", "⬆", "^"];

/// Maximum nesting of frames that are filled in.
const MAX_FRAMES: usize = 20;
/// A refresh within this many seconds is a redirection; a later one turns the page.
const MAX_REFRESH_SECONDS: u32 = 5;

/// The result of looking up the address of a frame.
pub(super) enum FrameTarget {
    /// A page; `location` is the base of its own addresses.
    Page { html: String, location: String },
    /// A page that is already shown: each is shown once.
    Shown,
    /// There is no page at this address.
    Missing,
}

/// Returns what there is at a resolved address.
type Frames<'a> = &'a mut dyn FnMut(&str) -> FrameTarget;

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let html = decode(&bytes, sink);
    drop(bytes);
    let page = read_page(&html, "", &mut |_| FrameTarget::Missing);
    drop(html);
    page.state(sink);
    let relative = page.missing.iter().filter(|at| address::is_relative(at));
    relative.for_each(|address| sink.list(Fact::FramesAsked, address));
    sink.push(&page.text);
    Ok(partial)
}

/// Decodes a page by the encoding that it declares.
pub(super) fn decode(bytes: &[u8], sink: &mut Sink) -> String {
    let label = charset::declared_label(bytes, "charset")
        .or_else(|| charset::declared_label(bytes, "encoding"));
    charset::decode(bytes, label, sink)
}

/// Writes what people read on the page: entities decoded, one line per block, cells of a row separated by tabs.
pub(super) fn write_text(html: &str, sink: &mut Sink) {
    let page = read_page(html, "", &mut |_| FrameTarget::Missing);
    sink.count(Fact::ListNumbers, page.list_numbers);
    sink.push(&page.text);
}

/// Reads the page at `location`; `frames` returns pages beside it.
pub(super) fn read_page(html: &str, location: &str, frames: Frames<'_>) -> Page {
    let mut reader = PageReader::new(frames);
    reader.base = location.to_owned();
    reader.run(html);
    reader.into_page()
}

/// Reads the body of a message: lines quoted from another begin with `>`, as in plain text.
pub(super) fn read_message(html: &str) -> Page {
    let mut nothing = |_: &str| FrameTarget::Missing;
    let mut reader = PageReader::new(&mut nothing);
    reader.is_message = true;
    reader.run(html);
    reader.into_page()
}

/// A page as read.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) title: String,
    author: String,
    language: String,
    producer: String,
    created: String,
    modified: String,
    scripts: u64,
    external: u64,
    /// It redirects to a page that was available: the text is only that page's.
    pub(super) redirected: bool,
    /// Resolved addresses of frames: those filled in, and those missing.
    pub(super) filled: Vec<String>,
    pub(super) missing: Vec<String>,
    list_numbers: u64,
}

impl Page {
    /// States the facts of the page.
    pub(super) fn state(&self, sink: &mut Sink) {
        for (fact, value) in [
            (Fact::Title, &self.title),
            (Fact::Author, &self.author),
            (Fact::Language, &self.language),
            (Fact::Producer, &self.producer),
            (Fact::Created, &self.created),
            (Fact::Modified, &self.modified),
        ] {
            sink.state(fact, value);
        }
        self.count(sink);
    }

    /// Notes an address that is missing. Relative ones have a limit of their own: they will be searched for, and must
    /// not be crowded out by advertisements.
    fn miss(&mut self, address: String) {
        let is_relative = address::is_relative(&address);
        let of_its_kind = |known: &&String| address::is_relative(known) == is_relative;
        let count = self.missing.iter().filter(of_its_kind).count();
        if count < Facts::MAX_ADDRESSES && !self.missing.contains(&address) {
            self.missing.push(address);
        }
    }

    /// Counts what was not followed, and what was counted while reading.
    pub(super) fn count(&self, sink: &mut Sink) {
        sink.count(Fact::ListNumbers, self.list_numbers);
        sink.count(Fact::Scripts, self.scripts);
        sink.count(Fact::External, self.external);
    }
}

/// Processes the tokens of a page and of pages filled into it.
struct PageReader<'a> {
    page: Page,
    text: Text,
    tag: Tag,
    /// The element whose text is not read, until its end tag.
    silent: Option<Vec<u8>>,
    in_title: bool,
    title: String,
    /// Where the text of a link within the page begins.
    link: Option<usize>,
    /// Nesting of elements that keep their white space.
    preformatted: usize,
    lists: Lists,
    /// The formula being read, and whether it has a line of its own.
    formula: Option<Formula>,
    is_display: bool,
    /// Open superscripts and subscripts, the innermost last.
    scripts: Vec<Script>,
    decoration: Decoration,
    is_message: bool,
    /// The quoting element and how many of its name are open; a quote that lasts to the end of the message has an empty
    /// name.
    quote: Option<(Vec<u8>, usize)>,
    frames: Frames<'a>,
    /// Nesting of frames.
    depth: usize,
    /// The base of addresses.
    base: String,
    /// Where the text of this page or frame begins.
    begin: usize,
    /// This page or frame redirected: what follows in it is not shown.
    is_replaced: bool,
}

/// Where a page that is asked for is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FramePlace {
    /// As a frame of the page that asks for it.
    Within,
    /// Instead of that page.
    Instead,
}

impl<'a> PageReader<'a> {
    fn new(frames: Frames<'a>) -> Self {
        Self {
            page: Page::default(),
            text: Text::default(),
            tag: Tag::default(),
            silent: None,
            in_title: false,
            title: String::new(),
            link: None,
            preformatted: 0,
            lists: Lists::default(),
            formula: None,
            is_display: false,
            scripts: Vec::new(),
            decoration: Decoration::default(),
            is_message: false,
            quote: None,
            frames,
            depth: 0,
            base: String::new(),
            begin: 0,
            is_replaced: false,
        }
    }

    fn run(&mut self, html: &str) {
        let mut emitter = CallbackEmitter::new(
            |event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
                self.take(&event);
                None
            },
        );
        // Script, style, title and the like have lexical rules of their own.
        emitter.naively_switch_states(true);
        match Tokenizer::new_with_emitter(html, emitter).finish() {
            Ok(()) => {}
            Err(never) => match never {},
        }
        self.end_formula();
    }

    fn into_page(mut self) -> Page {
        self.page.text = self.text.into_string();
        self.page
    }

    fn take(&mut self, event: &CallbackEvent<'_>) {
        if self.is_replaced {
            return;
        }
        match event {
            CallbackEvent::OpenStartTag { name } => self.tag.open(name),
            CallbackEvent::AttributeName { name } => self.tag.attribute(name),
            CallbackEvent::AttributeValue { value } => self.tag.value(value),
            CallbackEvent::CloseStartTag { self_closing } if self.silent.is_none() => {
                self.start(*self_closing);
            }
            CallbackEvent::EndTag { name }
                if self.silent.as_deref().is_none_or(|silent| silent == *name) =>
            {
                self.end(name);
            }
            CallbackEvent::String { value } if self.silent.as_deref() == Some(b"style") => {
                self.decoration.sheet(&String::from_utf8_lossy(value));
            }
            CallbackEvent::String { value } if self.silent.is_none() => {
                let value = String::from_utf8_lossy(value);
                if self.in_title {
                    self.title.push_str(&value);
                } else {
                    self.words(&value);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, is_closed: bool) {
        if self.start_in_formula(is_closed) {
            return;
        }
        let tag = std::mem::take(&mut self.tag);
        self.text.separate(&tag.name);
        self.start_script(&tag.name);
        self.start_decoration(&tag);
        if let Some(label) = self.lists.start(&tag) {
            self.page.list_numbers += 1;
            self.text.label = Some(label);
        }
        match replaced::shown(&tag) {
            Some(Replacement::Picture(alternative)) => self.text.picture(&alternative),
            Some(Replacement::Words(words)) => self.text.push(&format!(" {words} "), false),
            None => {}
        }
        match tag.name.as_slice() {
            b"pre" | b"textarea" | b"listing" | b"xmp" => self.preformatted += 1,
            b"title" => self.in_title = true,
            b"a" => self.link = tag.get("href").starts_with('#').then(|| self.text.mark()),
            b"html" => tag.fill("lang", &mut self.page.language),
            b"meta" => self.meta(&tag),
            b"base" => self.rebase(tag.get("href").trim()),
            b"frame" | b"iframe" => self.fill(&tag),
            b"script" => self.page.scripts += 1,
            _ => {}
        }
        // `noframes` is the fallback for browsers without frames; it is skipped when frames were filled in.
        let is_instead = tag.name == b"noframes" && !self.page.filled.is_empty();
        if tag.is_silent() || is_instead {
            self.silent = Some(tag.name.clone());
        }
        if self.is_message {
            self.start_quote(&tag);
        }
        self.tag = tag;
    }

    fn end(&mut self, name: &[u8]) {
        if self.silent.take().as_deref() == Some(b"style") {
            self.decoration.end_sheet();
        }
        if self.end_in_formula(name) {
            return;
        }
        self.text.separate(name);
        self.end_script(name);
        self.end_decoration(name);
        self.lists.end(name);
        match name {
            b"pre" | b"textarea" | b"listing" | b"xmp" => {
                self.preformatted = self.preformatted.saturating_sub(1);
            }
            b"li" | b"ol" => self.text.label = None,
            b"a" => {
                if let Some(mark) = self.link.take() {
                    self.text.take_back_sign(mark, SIGNS);
                }
            }
            b"title" => {
                self.in_title = false;
                let title = std::mem::take(&mut self.title);
                // A second one belongs to a picture or a frame.
                if self.page.title.trim().is_empty() {
                    self.page.title = title;
                }
            }
            _ => {}
        }
        if let Some((_, open)) = self.quote.as_mut().filter(|(element, _)| element == name) {
            *open -= 1;
            if *open == 0 {
                self.quote = None;
                self.text.quoted = false;
            }
        }
    }

    fn start_quote(&mut self, tag: &Tag) {
        match &mut self.quote {
            Some((element, open)) if *element == tag.name => *open += 1,
            Some(_) => {}
            None if tag.begins_tail() => self.quote = Some((Vec::new(), 1)),
            None if tag.is_quote() => self.quote = Some((tag.name.clone(), 1)),
            None => return,
        }
        self.text.newline();
        self.text.quoted = true;
    }
}

#[cfg(test)]
mod tests;
