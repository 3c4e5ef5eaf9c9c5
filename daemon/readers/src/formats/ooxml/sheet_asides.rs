//! Text on a sheet outside its cells: headers, footers, shapes, comments.

use std::collections::BTreeSet;

use quick_xml::events::{BytesStart, Event};
use simdex_extract::Fact;

use super::super::xml::decoded;
use super::cell_font::run_property;
use super::drawing::write_kind;
use super::flow::Flow;
use super::parts::{Parts, Relation, attribute};
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// Author prefix of comments that only repeat the beginning of a thread, for programs without threads.
pub(super) const THREAD_AUTHOR: &str = "tc=";

/// Writes headers and footers: each text once in a workbook; a text already in `running` is skipped.
pub(in crate::formats) fn write_running(
    codes: &[String],
    running: &mut BTreeSet<String>,
    sink: &mut Sink,
) {
    for code in codes {
        let text = running_text(code);
        if !running.contains(&text) {
            sink.newline();
            sink.push(&text);
            sink.newline();
            running.insert(text);
        }
    }
}

/// Writes shapes, charts and comments of a sheet. `write_comments` writes a part with comments and returns their
/// number.
pub(super) fn write(
    parts: &mut Parts<'_>,
    relations: &[Relation],
    sink: &mut Sink,
    write_comments: impl Fn(&mut Parts<'_>, &str, &mut Sink) -> u64,
) {
    write_kind(parts, relations, "drawing", &[], sink);
    let mut count = 0;
    for to in relations.iter().filter(|to| to.kind == "comments") {
        count += write_comments(parts, &to.target, sink);
    }
    count += write_kind(
        parts,
        relations,
        "threadedComment",
        &["threadedComment"],
        sink,
    );
    sink.count(Fact::Comments, count);
}

/// Writes the comments of a part in XML (ECMA-376 Part 1 §18.7).
pub(super) fn write_xml_comments(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) -> u64 {
    let mut comments = Comments::new(sink);
    parts.optional_xml(name, |event| comments.take(event));
    comments.flow.write(sink);
    comments.count
}

/// The comments of one part.
struct Comments {
    flow: Flow,
    /// For the number of an author, whether it stands for a thread.
    threads: Vec<bool>,
    count: u64,
    is_thread: bool,
    in_author: bool,
    in_text: bool,
    in_reading: bool,
    /// The style of the run being read, if it has its own.
    run: Option<TextStyle>,
}

impl Comments {
    fn new(sink: &Sink) -> Self {
        Self {
            flow: Flow::toward(sink),
            threads: Vec::new(),
            count: 0,
            is_thread: false,
            in_author: false,
            in_text: false,
            in_reading: false,
            run: None,
        }
    }

    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::Empty(tag) => run_property(&mut self.run, tag.local_name().into_inner(), tag),
            Event::End(tag) => self.end(tag.local_name().into_inner()),
            Event::Text(text) if self.in_author => {
                if let Some(thread) = self.threads.last_mut() {
                    *thread |= text.xml10_content().starts_with(THREAD_AUTHOR);
                }
            }
            Event::Text(text) if self.in_text => self.push(&text.xml10_content()),
            Event::GeneralRef(entity) if self.in_text => {
                self.push(&decoded(entity).unwrap_or_default());
            }
            _ => {}
        }
        !self.flow.is_full()
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().into_inner() {
            "author" => {
                self.in_author = true;
                self.threads.push(false);
            }
            "comment" => {
                let author = attribute(tag, "authorId").and_then(|id| id.parse().ok());
                let thread = author.and_then(|author: usize| self.threads.get(author).copied());
                self.is_thread = thread.unwrap_or(false);
                self.count += u64::from(!self.is_thread);
            }
            "rPh" => self.in_reading = true,
            "t" => self.in_text = !self.is_thread && !self.in_reading,
            name => run_property(&mut self.run, name, tag),
        }
    }

    fn push(&mut self, text: &str) {
        let style = self.run.unwrap_or_default();
        self.flow.push(&style.apply(text));
    }

    fn end(&mut self, name: &str) {
        match name {
            "author" => self.in_author = false,
            "comment" => self.flow.end_line(),
            "rPh" => self.in_reading = false,
            "r" => self.run = None,
            "t" => self.in_text = false,
            _ => {}
        }
    }
}

/// The text of a header or footer without the codes for fonts, pages and dates (ECMA-376 Part 1 §18.3.1.46); its left,
/// centre and right separated by tabs.
fn running_text(code: &str) -> String {
    let (mut text, mut chars) = (String::new(), code.chars().peekable());
    while let Some(next) = chars.next() {
        if next != '&' {
            text.push(next);
            continue;
        }
        match chars.next() {
            Some('&') => text.push('&'),
            Some('L' | 'C' | 'R') if !text.trim().is_empty() => text.push('\t'),
            Some('"') => drop(chars.by_ref().find(|c| *c == '"')),
            Some('K') => {
                for _ in 0..6 {
                    chars.next_if(char::is_ascii_hexdigit);
                }
            }
            Some(size) if size.is_ascii_digit() => {
                while chars.next_if(char::is_ascii_digit).is_some() {}
            }
            _ => {}
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_headers_are_no_text() {
        let cases = [
            (
                "&L&\"Arial,Bold\"&12Left &&Co&CPage &P of &N&R&K01+000&D",
                "Left &Co\tPage  of \t+000",
            ),
            ("&C&F", ""),
            ("plain", "plain"),
            ("&", ""),
        ];
        for (code, expected) in cases {
            assert_eq!(running_text(code), expected);
        }
    }
}
