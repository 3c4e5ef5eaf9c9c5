//! Distinguishes texts: HTML, XML, mail, cards, subtitles, JSON and the rest.

use std::borrow::Cow;
use std::path::Path;

use super::{Format, Kind};
use crate::charset;

mod mail;
mod names;

pub(crate) use mail::is_dated_separator;
use mail::{is_mail, is_mbox, is_web_archive, without_length_line};

/// Elements an HTML page may begin with (WHATWG MIME Sniffing §7.1).
const HTML_STARTS: &[&str] = &[
    "html", "head", "script", "iframe", "h1", "div", "font", "table", "a", "style", "title", "b",
    "body", "br", "p", "meta", "link", "span", "center", "ul", "h2", "h3", "pre",
];

/// The kind of a text; `prefix` is its beginning, or all of it if `whole`.
pub(super) fn kind(prefix: &[u8], whole: bool, name: Option<&str>) -> Kind {
    let head = head(prefix);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let extension = name.and_then(extension).unwrap_or_default();
    match () {
        () if head.starts_with("{\\rtf") => Kind::read(Format::Rtf, "application/rtf"),
        () if is_mbox(head) => Kind::read(Format::Mbox, "application/mbox"),
        () if is_web_archive(head) => Kind::read(Format::WebArchive, "multipart/related"),
        () if is_mail(without_length_line(head)) => Kind::read(Format::Mail, "message/rfc822"),
        () if begins_with(head, "BEGIN:VCARD") => Kind::read(Format::Card, "text/vcard"),
        () if begins_with(head, "BEGIN:VCALENDAR") => Kind::read(Format::Card, "text/calendar"),
        () if is_web_vtt(head) => Kind::read(Format::Subtitles, "text/vtt"),
        () if is_sub_rip(head) => Kind::read(Format::Subtitles, "application/x-subrip"),
        () if is_html(head) => Kind::read(Format::Html, "text/html"),
        () if is_open_document(head) => Kind::Read(Format::OpenDocument, open_document(head)),
        () if is_xml(head, prefix, whole) => Kind::read(Format::Xml, "application/xml"),
        () if is_json(prefix, whole, &extension) => Kind::read(Format::Plain, "application/json"),
        () if is_latex(head) => Kind::read(Format::Plain, "text/x-tex"),
        () => Kind::read(Format::Plain, names::media_type(&extension)),
    }
}

/// Whether this is a message, even one whose parts are no text.
pub(super) fn is_message(prefix: &[u8]) -> bool {
    let head = head(prefix);
    is_mail(&head) || is_mbox(&head)
}

/// Bytes of the beginning that are checked.
const HEAD_BYTES: usize = 16 << 10;

/// The beginning as characters, with line feeds.
fn head(prefix: &[u8]) -> String {
    let head = charset::preview(prefix, HEAD_BYTES);
    if head.contains('\n') {
        head
    } else {
        head.replace('\r', "\n")
    }
}

fn extension(name: &str) -> Option<String> {
    Some(Path::new(name).extension()?.to_str()?.to_ascii_lowercase())
}

/// What follows comments, the XML declaration and processing instructions.
fn skip_prologue(mut head: &str) -> &str {
    loop {
        let (open, close) = match head {
            _ if head.starts_with("<!--") => ("<!--", "-->"),
            _ if head.starts_with("<?") => ("<?", "?>"),
            _ => return head,
        };
        match head[open.len()..].split_once(close) {
            Some((_, rest)) => head = rest.trim_start(),
            None => return "",
        }
    }
}

fn is_html(head: &str) -> bool {
    let rest = skip_prologue(head);
    if let Some(doctype) = strip_prefix_ignore_case(rest, "<!doctype") {
        return strip_prefix_ignore_case(doctype.trim_start(), "html").is_some();
    }
    // A declared XML text is HTML only with exactly that root.
    let starts = if head.starts_with("<?xml") {
        &HTML_STARTS[..1]
    } else {
        HTML_STARTS
    };
    let tag = rest.strip_prefix('<').unwrap_or_default();
    let ends_name = |rest: &str| rest.starts_with(|c: char| c.is_whitespace() || c == '>');
    starts
        .iter()
        .any(|name| strip_prefix_ignore_case(tag, name).is_some_and(ends_name))
}

/// Whether it is a flat OpenDocument file, or a single part of a package.
fn is_open_document(head: &str) -> bool {
    let rest = skip_prologue(head).strip_prefix("<office:document");
    let rest = rest.map(|rest| rest.strip_prefix("-content").unwrap_or(rest));
    rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// The media type that a flat file states for itself.
fn open_document(head: &str) -> Cow<'static, str> {
    let stated = head.split("office:mimetype=").nth(1).unwrap_or_default();
    let stated = stated.trim_start_matches(['"', '\'']);
    let end = stated.find(|c: char| !c.is_ascii_lowercase() && !matches!(c, '.' | '-' | '/'));
    let media = &stated[..end.unwrap_or(0)];
    if media.starts_with("application/vnd.oasis.opendocument.") {
        format!("{media}-flat-xml").into()
    } else {
        "application/xml".into()
    }
}

fn strip_prefix_ignore_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

/// Decided by content alone: the same bytes give the same text under every name.
fn is_xml(head: &str, prefix: &[u8], whole: bool) -> bool {
    let rest = skip_prologue(head);
    head.starts_with("<?xml")
        || strip_prefix_ignore_case(rest, "<!doctype").is_some()
        || rest.starts_with("<svg")
        || (whole && closes_its_root(rest, prefix))
}

/// XML without a declaration: it ends with the end tag of its first element.
fn closes_its_root(rest: &str, text: &[u8]) -> bool {
    let tag = rest.strip_prefix('<').unwrap_or_default();
    let end = tag.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
    let name = &tag[..end.unwrap_or(0)];
    name.starts_with(char::is_alphabetic)
        && text
            .trim_ascii_end()
            .ends_with(format!("</{name}>").as_bytes())
}

fn begins_with(head: &str, line: &str) -> bool {
    strip_prefix_ignore_case(head, line).is_some_and(|rest| rest.starts_with(['\r', '\n']))
}

fn is_web_vtt(head: &str) -> bool {
    head.strip_prefix("WEBVTT")
        .is_some_and(|rest| rest.starts_with(char::is_whitespace) || rest.is_empty())
}

/// A number and a line of times below it.
fn is_sub_rip(head: &str) -> bool {
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .next()
        .is_some_and(|number| number.parse::<u32>().is_ok())
        && lines.next().is_some_and(is_subtitle_timing)
}

/// Whether a class or style is declared on a line that is no comment.
fn is_latex(head: &str) -> bool {
    let commands = ["\\documentclass", "\\documentstyle", "\\begin{document}"];
    head.lines().any(|line| {
        commands
            .iter()
            .any(|command| line.trim_start().starts_with(command))
    })
}

/// Whether it is an object or array by its syntax; a prefix may end in the middle.
fn is_json(prefix: &[u8], whole: bool, extension: &str) -> bool {
    let text = prefix
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(prefix)
        .trim_ascii_start();
    if !text.starts_with(b"{") && !text.starts_with(b"[") {
        return false;
    }
    match serde_json::from_slice::<serde::de::IgnoredAny>(text) {
        Ok(_) => true,
        Err(error) => extension == "json" || (!whole && error.is_eof()),
    }
}

/// `00:00:01,000 --> 00:00:04,000`, possibly followed by settings.
pub(crate) fn is_subtitle_timing(line: &str) -> bool {
    line.split_once("-->").is_some_and(|(from, to)| {
        is_subtitle_time(from.trim()) && to.split_whitespace().next().is_some_and(is_subtitle_time)
    })
}

/// Whether a text is a time of subtitles, such as `00:01.000`.
pub(crate) fn is_subtitle_time(time: &str) -> bool {
    let is_of_time = |byte: u8| byte.is_ascii_digit() || b":,.".contains(&byte);
    time.contains(':') && time.bytes().all(is_of_time)
}
