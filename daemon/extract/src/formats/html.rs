//! HTML: a tokenizer and a text sink. No tree is built, so nesting costs nothing.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::{Reading, markup};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

pub(super) const ENGINE: &str = "html5gum 0.9.0";

/// Elements whose text is not for reading.
const SILENT: &[&[u8]] = &[
    b"script",
    b"style",
    b"template",
    b"noscript",
    b"iframe",
    b"noembed",
];

/// Elements that stand inside a line; every other tag ends it.
const INLINE: &[&[u8]] = &[
    b"a", b"abbr", b"acronym", b"b", b"bdi", b"bdo", b"big", b"button", b"cite", b"code", b"data",
    b"del", b"dfn", b"em", b"font", b"i", b"img", b"input", b"ins", b"kbd", b"label", b"mark",
    b"nobr", b"q", b"rp", b"rt", b"ruby", b"s", b"samp", b"small", b"span", b"strike", b"strong",
    b"sub", b"sup", b"time", b"tt", b"u", b"var", b"wbr", b"meta", b"link", b"base",
];

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let label = charset::declared_label(&bytes, "charset")
        .or_else(|| charset::declared_label(&bytes, "encoding"));
    let html = charset::decode(&bytes, label, sink);
    drop(bytes);
    write_text(&html, sink);
    Ok(partial)
}

/// Writes what a reader of the page would read: title and body, entities decoded, one line a
/// block, cells of a row apart by tabs.
pub(super) fn write_text(html: &str, sink: &mut Sink) {
    let mut page = Page { sink, silent: None };
    let mut emitter = CallbackEmitter::new(
        |event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
            page.take(&event);
            None
        },
    );
    // Script, style, title and the like follow lexical rules of their own.
    emitter.naively_switch_states(true);
    match Tokenizer::new_with_emitter(html, emitter).finish() {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

struct Page<'a> {
    sink: &'a mut Sink,
    /// The element that is being skipped, until its end tag.
    silent: Option<Vec<u8>>,
}

impl Page<'_> {
    fn take(&mut self, event: &CallbackEvent<'_>) {
        match event {
            CallbackEvent::String { value } if self.silent.is_none() => {
                self.sink.push(&String::from_utf8_lossy(value));
            }
            CallbackEvent::OpenStartTag { name } if self.silent.is_none() => {
                self.separate(name);
                if SILENT.contains(name) {
                    self.silent = Some(name.to_vec());
                }
            }
            CallbackEvent::EndTag { name } if self.ends_silence(name) => {
                self.silent = None;
                self.separate(name);
            }
            _ => {}
        }
    }

    /// Whether nothing is being skipped, or only until this tag.
    fn ends_silence(&self, name: &[u8]) -> bool {
        self.silent.as_deref().is_none_or(|silent| silent == name)
    }

    fn separate(&mut self, name: &[u8]) {
        match name {
            b"td" | b"th" => self.sink.separate('\t'),
            _ if INLINE.contains(&name) => {}
            _ => self.sink.newline(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(html: &str) -> String {
        let mut sink = Sink::of(1 << 20);
        write_text(html, &mut sink);
        sink.take_text()
    }

    #[test]
    fn blocks_are_lines_and_inline_elements_are_not() {
        let html = "<html><head><title>T &amp; t</title><meta charset=utf-8></head><body>\
                    <h1>One</h1><p>Two <b>bo</b>ld.<br>Three</p><ul><li>a<li>b</ul>";
        assert_eq!(text(html), "T & t\nOne\nTwo bold.\nThree\na\nb\n");
    }

    #[test]
    fn cells_do_not_glue() {
        let html = "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th><th>d</th></tr></table>";
        let words: Vec<_> = text(html).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["a", "b", "c", "d"]);
    }

    #[test]
    fn script_style_and_comments_are_silent() {
        let html = "a<script>if (1 < 2) { x('</p>') }</script>b<style>p{}</style><!-- c -->d\
                    <template><p>e</p></template>f";
        let words: String = text(html).split_whitespace().collect();
        assert_eq!(words, "abdf");
    }

    #[test]
    fn entities_are_decoded_in_text() {
        assert_eq!(
            text("&Uuml;ber &#8364;5 &lt;tag&gt; &nosuch; &amp"),
            "Über €5 <tag> &nosuch; &"
        );
    }

    #[test]
    fn deep_nesting_costs_nothing() {
        assert_eq!(text(&format!("{}x", "<div>".repeat(200_000))), "x");
    }

    proptest! {
        #[test]
        fn any_markup_is_read_without_panic(html in "(<[a-z/!-]{0,8}|[&;>a-z \"'=]|script|\\PC){0,60}") {
            text(&html);
        }
    }
}
