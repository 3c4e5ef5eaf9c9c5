//! Web archives (MHTML, RFC 2557): the page, with its frames filled in from the parts beside it.
//!
//! The archive is a message that nobody wrote to anyone, so its head is no text. Pictures and styles
//! belong to the page and are no members; what is attached is.

use std::cell::RefCell;

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use super::eml::{self, bytes_of};
use super::{Reading, html, markup};
use crate::input::Input;
use crate::sink::Sink;
use crate::{Fact, Reason, Role, charset};

pub(super) const ENGINE: &str = "mhtml 1";

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
    eml::dismantle(message);
    Ok(cut.or(bare).or(partial))
}

/// A page of the archive, until it is filled in somewhere.
struct Beside {
    location: String,
    id: String,
    html: Option<String>,
}

/// Writes the main page; what no frame asks for follows it.
fn write_pages(message: &Message<'_>, sink: &mut Sink) -> Option<Reason> {
    let limit = sink.budgets().mime_parts as usize;
    let parts = message
        .parts
        .iter()
        .take(limit)
        .filter(|part| is_page(part));
    let pages = RefCell::new(
        parts
            .map(|part| page(message, part, sink))
            .collect::<Vec<_>>(),
    );
    let count = pages.borrow().len();
    for at in 0..count {
        let (html, base) = {
            let mut pages = pages.borrow_mut();
            (pages[at].html.take(), pages[at].location.clone())
        };
        let Some(html) = html else { continue };
        let page = html::read_page(&html, &mut |address| {
            find(&mut pages.borrow_mut(), &base, address)
        });
        page.state(sink);
        sink.newline();
        sink.push(&page.text);
    }
    (message.parts.len() > limit).then_some(Reason::PartsLimit)
}

fn is_page(part: &MessagePart<'_>) -> bool {
    let is_html = matches!(part.body, PartType::Html(_)) || part.is_content_type("text", "html");
    is_html && !matches!(part.body, PartType::Multipart(_))
}

fn page(message: &Message<'_>, part: &MessagePart<'_>, sink: &mut Sink) -> Beside {
    let bytes = bytes_of(message, part);
    let label = part
        .content_type()
        .and_then(|kind| kind.attribute("charset"));
    let label = label.or_else(|| charset::declared_label(&bytes, "charset"));
    let id = part
        .content_id()
        .unwrap_or_default()
        .trim_matches(['<', '>']);
    Beside {
        location: part
            .content_location()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        id: id.to_owned(),
        html: Some(charset::decode(&bytes, label, sink)),
    }
}

/// The page of an address, once.
fn find(pages: &mut [Beside], base: &str, address: &str) -> Option<String> {
    let whole = resolved(base, address);
    let id = address.strip_prefix("cid:");
    let is_meant = |page: &Beside| {
        id == Some(page.id.as_str())
            || (!page.location.is_empty() && (page.location == whole || page.location == address))
    };
    pages
        .iter_mut()
        .filter(|page| is_meant(page))
        .find_map(|page| page.html.take())
}

/// The address as seen from `base` (RFC 3986 §5, without `..`).
fn resolved(base: &str, address: &str) -> String {
    let address = address.strip_prefix("./").unwrap_or(address);
    let host_end = |start: usize| base[start..].find('/').map_or(base.len(), |at| start + at);
    match base.find("://").map(|at| at + 3) {
        _ if address.contains("://") || address.starts_with("cid:") => address.to_owned(),
        Some(host) if address.starts_with('/') => format!("{}{address}", &base[..host_end(host)]),
        _ => match base.rfind('/') {
            Some(folder) => format!("{}{address}", &base[..=folder]),
            None => address.to_owned(),
        },
    }
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
