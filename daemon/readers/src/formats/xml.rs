//! XML: text and CDATA in document order. No DTD is read, no entity is expanded, nothing is fetched.

use quick_xml::events::{BytesRef, Event};
use simdex_extract::Reason;

use super::formula::{Formula, is_formula};
use super::root_element::RootElement;
use super::{Reading, lenient_xml, markup};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

mod rfc;

use rfc::RfcText;

pub(super) const PARSER: &str = "quick-xml 0.42.0";

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let xml = charset::decode(&bytes, charset::declared_label(&bytes, "encoding"), sink);
    drop(bytes);
    let reason = write_text(&xml, sink);
    // What is cut at the limit ends within its root element.
    Ok(partial.or(reason))
}

/// Writes the text of all elements; returns why if it is incomplete.
fn write_text(xml: &str, sink: &mut Sink) -> Option<Reason> {
    let mut reader = lenient_xml::reader(xml);
    let mut root = RootElement::default();
    let deepest = sink.budgets().markup_depth as usize;
    let mut tree = Tree {
        sink,
        depth: 0,
        tags: 0,
        shown: RfcText::default(),
        formula: None,
    };
    let reason = loop {
        match reader.read_event() {
            Ok(Event::Eof) => break root.is_open().then_some(Reason::Damaged),
            Ok(_) if tree.sink.is_full() => break None,
            Ok(event) => {
                root.take(&event);
                tree.take(&event);
            }
            Err(_) => break Some(Reason::Damaged),
        }
        if tree.depth > deepest {
            break Some(Reason::DepthLimit);
        }
    };
    tree.end_formula();
    reason
}

/// Text is separated if two or more tags are between two pieces. A single tag is markup inside a line (`see <xref>RFC
/// 1</xref>.`): no space is inserted there.
struct Tree<'a> {
    sink: &'a mut Sink,
    depth: usize,
    /// Tags since the last piece of text.
    tags: usize,
    shown: RfcText,
    /// The formula being read, and the depth of its element.
    formula: Option<(Formula, usize)>,
}

impl Tree<'_> {
    fn take(&mut self, event: &Event<'_>) {
        if self.is_in_formula(event) {
            return;
        }
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.tags += 1;
                if is_formula(tag) {
                    self.formula = Some((Formula::new(self.sink.room()), self.depth));
                }
                self.shown.enter(tag.name().as_ref(), self.depth);
            }
            Event::End(_) => {
                self.shown.leave(self.depth);
                self.depth = self.depth.saturating_sub(1);
                self.tags += 1;
            }
            Event::Empty(tag) => match self.shown.in_place_of(tag) {
                // As text between a start and an end.
                Some(text) => {
                    self.tags += 1;
                    self.push(&text);
                    self.tags += 1;
                }
                None => self.tags += 2,
            },
            Event::Text(text) => self.push(&text.xml10_content()),
            Event::CData(data) => self.push(&data.xml10_content()),
            Event::GeneralRef(reference) => self.entity(reference),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => {}
        }
    }

    /// Processes an event within a formula; returns whether it is one. The last is the end of the formula itself.
    fn is_in_formula(&mut self, event: &Event<'_>) -> bool {
        let Some((formula, depth)) = &mut self.formula else {
            return false;
        };
        match event {
            Event::End(_) if self.depth == *depth => {
                self.end_formula();
                return false;
            }
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth -= 1,
            _ => {}
        }
        formula.take(event);
        true
    }

    /// Writes the formula that is being read, if one is.
    fn end_formula(&mut self) {
        if let Some((formula, _)) = self.formula.take() {
            self.push(&formula.finish());
        }
    }

    fn push(&mut self, text: &str) {
        if self.shown.hides() {
            return;
        }
        if self.tags >= 2 {
            self.sink.newline();
        }
        // White space between tags joins nothing: counting the tags continues.
        if !text.trim().is_empty() {
            self.tags = 0;
        }
        self.sink.push(text);
    }

    fn entity(&mut self, reference: &BytesRef<'_>) {
        match decoded(reference) {
            Some(text) => self.push(&text),
            None => {
                self.push(" ");
                self.sink.warn("unknown entities were left out");
            }
        }
    }
}

/// The character of an entity: by number, or one of XML's five and HTML's names.
pub(super) fn decoded(reference: &BytesRef<'_>) -> Option<String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character.to_string());
    }
    let name = reference.xml10_content();
    quick_xml::escape::resolve_html5_entity(&name).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use simdex_extract::Budgets;

    fn text(xml: &str) -> (String, Option<Reason>) {
        let mut sink = Sink::of(1 << 20);
        let partial = write_text(xml, &mut sink);
        (sink.take_text(), partial)
    }

    #[test]
    fn data_does_not_glue_and_inline_markup_does_not_split() {
        let xml = "<?xml version='1.0'?><r><a>one</a><b>two</b><p>see <x>RFC 1</x>, <![CDATA[<ok>]]></p></r>";
        assert_eq!(text(xml), ("one\ntwo\nsee RFC 1, <ok>".into(), None));
    }

    #[test]
    fn elements_nested_deeper_than_the_budget_are_not_read() {
        let budgets = Budgets {
            markup_depth: 12,
            ..Budgets::default()
        };
        let (mut sink, _) = Sink::collecting(1 << 20, budgets);
        let nested = |depth: usize| "<a>".repeat(depth) + "text" + &"</a>".repeat(depth);
        assert_eq!(write_text(&nested(12), &mut sink), None);
        let deeper = write_text(&nested(13), &mut sink);
        assert_eq!(deeper, Some(Reason::DepthLimit));
    }

    #[test]
    fn entities_are_decoded_and_never_expanded() {
        let bomb = "<!DOCTYPE r [<!ENTITY a 'x'><!ENTITY b '&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                    <r>&lt;&#65;&#x42;&gt; &b;&f;end</r>";
        let (text, partial) = text(bomb);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["<AB>", "end"]);
        assert_eq!(partial, None);
    }

    #[test]
    fn of_rfcxml_what_its_readers_see_is_taken() {
        let body = "<t>See <xref target='A' derivedContent='RFC 1'/>.</t>\
                    <reference><front><title>One</title><abstract><t>Long.</t></abstract></front>\
                    <date/></reference><abstract>Own.</abstract>";
        let (rfc, other) = (format!("<rfc>{body}</rfc>"), format!("<r>{body}</r>"));
        assert_eq!(text(&rfc).0, "See [RFC 1].\nOne\nOwn.");
        assert_eq!(text(&other).0, "See \n.\nOne\nLong.\nOwn.");
    }

    #[test]
    fn formulas_keep_the_signs_that_are_no_text() {
        let half = "<m:math><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac></m:math>";
        let xml = format!("<r><p>see {half}.</p></r>");
        assert_eq!(text(&xml), ("see 1/2.".into(), None));
        let open = "<r>see <math><msqrt><mn>2</mn>";
        assert_eq!(text(open), ("see √(2)".into(), Some(Reason::Damaged)));
    }

    #[test]
    fn nesting_beyond_the_limit_is_partial() {
        let xml = format!("<r>start{}deep", "<d>".repeat(400_000));
        assert_eq!(text(&xml), ("start".into(), Some(Reason::DepthLimit)));
    }

    #[test]
    fn damage_keeps_what_stands_before() {
        assert_eq!(text("<r>kept<p"), ("kept".into(), Some(Reason::Damaged)));
        let cut = "<r><r>kept</r><p>this too</p>";
        assert_eq!(text(cut).1, Some(Reason::Damaged));
        for whole in [
            "<r>kept<br></r>",
            "<r><r/></r>",
            "<r>one</r><r>two</r>",
            "<h>1</h><p>two<p>",
            "text",
        ] {
            assert_eq!(text(whole).1, None, "{whole}");
        }
    }

    proptest! {
        #[test]
        fn any_markup_is_read_without_panic(xml in "(<[a-z/!?-]{0,8}|[&;>a-z \"'=]|CDATA|\\PC){0,60}") {
            text(&xml);
        }
    }
}
