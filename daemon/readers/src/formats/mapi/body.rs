//! The body of a message: as plain text, otherwise as HTML, otherwise as RTF.

use simdex_extract::Reason;

use super::super::{html, quote, rtf};
use super::compressed_rtf;
use super::message::Message;
use super::properties::{Value, id};
use crate::charset;
use crate::sink::Sink;

/// A body in one of the forms that mail has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    Plain(String),
    Html(String),
}

impl Body {
    /// Writes the author's text, and passes on quotes as a member.
    pub(super) fn write(&self, sink: &mut Sink) -> Option<Reason> {
        match self {
            Self::Plain(text) => quote::write_body(text, sink),
            Self::Html(page) => quote::write_html_body(page, sink),
        }
    }

    /// Whether there is anything to read.
    fn is_blank(&self) -> bool {
        match self {
            Self::Plain(text) => text.trim().is_empty(),
            Self::Html(page) => html::read_message(page).text.trim().is_empty(),
        }
    }
}

impl Message<'_> {
    /// The body, and why it is incomplete. Programs write one form or several of the same text; the first that is not
    /// blank is read.
    pub(super) fn body(&self, sink: &mut Sink) -> (Option<Body>, Option<Reason>) {
        if let Some(text) = self.properties.text(id::BODY) {
            return (Some(Body::Plain(text.to_owned())), None);
        }
        if let Some(body) = self.html(sink).filter(|body| !body.is_blank()) {
            return (Some(body), None);
        }
        match self.rich_text(sink) {
            Some((text, cut)) => (Some(Body::Plain(text)), cut),
            None => (None, None),
        }
    }

    fn html(&self, sink: &mut Sink) -> Option<Body> {
        match self.properties.get(id::HTML)? {
            Value::Text(page) => Some(Body::Html(page.clone())),
            Value::Binary(bytes) => {
                let number = self.properties.number(id::INTERNET_CODE_PAGE);
                let page = number.filter(|number| *number == 65001).map(|_| "utf-8");
                let label = page.or_else(|| charset::declared_label(bytes, "charset"));
                Some(Body::Html(charset::decode(bytes, label, sink)))
            }
            _ => None,
        }
    }

    fn rich_text(&self, sink: &mut Sink) -> Option<(String, Option<Reason>)> {
        let limit = usize::try_from(sink.budgets().entry_bytes).unwrap_or(usize::MAX);
        let packed = self.properties.binary(id::RTF_COMPRESSED)?;
        let (document, cut) = compressed_rtf::unpack(packed, limit)?;
        let mut aside = sink.dry_run();
        let partial = rtf::write_text(&document, &mut aside);
        Some((aside.take_text(), cut.or(partial)))
    }
}
