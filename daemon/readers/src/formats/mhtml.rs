//! Web archives (MHTML, RFC 2557): the page, with its frames filled in from the other parts.
//!
//! The archive has the form of a message but is none, so its head is no text. Pictures and styles belong to the page
//! and are no members; attachments are.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};
use simdex_extract::{Fact, Facts, Reason, Role};

use super::eml::{self, bytes_of};
use super::html::{self, address};
use super::{Reading, markup};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "mhtml 2";

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let bytes = eml::repaired(bytes);
    let (message, bare) = eml::parse(&bytes)?;
    if let Some(date) = message.date().filter(|date| date.is_valid()) {
        sink.state(Fact::Created, &date.to_string());
    }
    let cut = write_pages(&message, sink);
    let subject = eml::subject(&message, sink);
    sink.state(Fact::Title, &subject);
    let cut = cut.or_else(|| attachments(&message, sink));
    eml::drop_iteratively(message);
    Ok(cut.or(bare).or(partial))
}

/// A page of the archive.
struct Page {
    location: String,
    id: String,
    /// `Some` until it is shown somewhere.
    html: Option<String>,
}

/// Writes the main page, then the pages that no frame asks for.
fn write_pages(message: &Message<'_>, sink: &mut Sink) -> Option<Reason> {
    let limit = sink.budgets().mime_parts as usize;
    let parts = message
        .parts
        .iter()
        .take(limit)
        .filter(|part| is_page(part));
    let mut pages: Vec<_> = parts.map(|part| page(message, part, sink)).collect();
    let main = pages.first().map(|main| main.location.clone());
    for page in &mut pages {
        // RFC 2557 §5: relative addresses are resolved against the archive's own location.
        if let Some(main) = main.as_ref().filter(|main| main.contains("://")) {
            page.location = address::resolved(main, &page.location);
        }
    }
    for at in 0..pages.len() {
        let Some(html) = pages[at].html.take() else {
            continue;
        };
        let base = pages[at].location.clone();
        let page = html::read_page(&html, &base, &mut |address| find(&mut pages, address));
        page.state(sink);
        for (fact, addresses) in [
            (Fact::FramesFilled, &page.filled),
            (Fact::FramesMissing, &page.missing),
        ] {
            addresses
                .iter()
                .for_each(|address| sink.list(fact, address));
        }
        sink.newline();
        sink.push(&page.text);
        if at == 0 && page.redirected {
            // What the page would have shown after it is missing too.
            break;
        }
    }
    (message.parts.len() > limit).then_some(Reason::PartsLimit)
}

fn is_page(part: &MessagePart<'_>) -> bool {
    let is_html = matches!(part.body, PartType::Html(_)) || part.is_content_type("text", "html");
    is_html && !matches!(part.body, PartType::Multipart(_))
}

fn page(message: &Message<'_>, part: &MessagePart<'_>, sink: &mut Sink) -> Page {
    let bytes = bytes_of(message, part);
    let label = part
        .content_type()
        .and_then(|kind| kind.attribute("charset"));
    let label = label.or_else(|| charset::declared_label(&bytes, "charset"));
    let id = part
        .content_id()
        .unwrap_or_default()
        .trim_matches(['<', '>']);
    Page {
        // A longer address is asked for by no page, and would be copied for each address in it.
        location: part
            .content_location()
            .map(str::trim)
            .filter(|location| location.len() <= Facts::MAX_ADDRESS_BYTES)
            .unwrap_or_default()
            .to_owned(),
        id: id.to_owned(),
        html: Some(charset::decode(&bytes, label, sink)),
    }
}

/// The page of an address, once.
fn find(pages: &mut [Page], address: &str) -> html::FrameTarget {
    let id = address.strip_prefix("cid:");
    let is_meant = |page: &&mut Page| match id {
        Some(id) => page.id == id,
        None => !page.location.is_empty() && address::is_same(&page.location, address),
    };
    let mut beside = html::FrameTarget::Missing;
    for page in pages.iter_mut().filter(is_meant) {
        beside = html::FrameTarget::Shown;
        if let Some(html) = page.html.take() {
            let location = page.location.clone();
            return html::FrameTarget::Page { html, location };
        }
    }
    beside
}

fn attachments(message: &Message<'_>, sink: &mut Sink) -> Option<Reason> {
    let is_attached = |disposition: &mail_parser::ContentType<'_>| disposition.is_attachment();
    let parts = message
        .parts
        .iter()
        .filter(|part| part.content_disposition().is_some_and(is_attached));
    let parts: Vec<_> = parts
        .map(|part| {
            (
                part.attachment_name().unwrap_or("attachment"),
                bytes_of(message, part),
            )
        })
        .collect();
    parts
        .into_iter()
        .filter_map(|(name, bytes)| sink.member(name, Role::Attachment, None, &mut bytes.as_ref()))
        .last()
}

#[cfg(test)]
mod tests;
