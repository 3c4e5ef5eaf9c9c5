//! Telling texts apart: HTML, XML, mail, JSON and the rest.

use std::borrow::Cow;
use std::path::Path;

use encoding_rs::Encoding;

use super::{Format, Kind};

/// Elements an HTML page may begin with (WHATWG MIME Sniffing §7.1).
const HTML_STARTS: &[&str] = &[
    "html", "head", "script", "iframe", "h1", "div", "font", "table", "a", "style", "title", "b",
    "body", "br", "p", "meta", "link", "span", "center", "ul", "h2", "h3", "pre",
];

/// Header fields of mail. The first six hardly stand in any other text.
const MAIL_FIELDS: &[&str] = &[
    "received",
    "return-path",
    "message-id",
    "delivered-to",
    "mime-version",
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "sender",
    "reply-to",
    "content-type",
    "content-transfer-encoding",
    "x-mailer",
    "importance",
    "in-reply-to",
    "references",
    "content-disposition",
];
const STRONG_MAIL_FIELDS: usize = 6;

/// The kind of a text of which `prefix` is the beginning, or the `whole`.
pub(super) fn kind(prefix: &[u8], whole: bool, name: Option<&str>) -> Kind {
    let head = head(prefix);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let extension = name.and_then(extension).unwrap_or_default();
    match () {
        () if head.starts_with("{\\rtf") => Kind::read(Format::Rtf, "application/rtf"),
        () if is_mbox(head) => Kind::read(Format::Mbox, "application/mbox"),
        () if is_mail(head) => Kind::read(Format::Mail, "message/rfc822"),
        () if is_html(head) => Kind::read(Format::Html, "text/html"),
        () if is_open_document(head) => Kind::Read(Format::OpenDocument, open_document(head)),
        () if is_xml(head, prefix, whole) => Kind::read(Format::Xml, "application/xml"),
        () if is_json(prefix, whole, &extension) => Kind::read(Format::Plain, "application/json"),
        () => Kind::read(Format::Plain, by_extension(&extension)),
    }
}

/// The beginning as characters, as far as ASCII goes in any encoding: markup needs no more.
fn head(prefix: &[u8]) -> String {
    let prefix = &prefix[..prefix.len().min(16 << 10)];
    match Encoding::for_bom(prefix) {
        Some((encoding, mark)) => encoding
            .decode_without_bom_handling(&prefix[mark..])
            .0
            .into_owned(),
        None => String::from_utf8_lossy(prefix).replace('\0', ""),
    }
}

fn extension(name: &str) -> Option<String> {
    Some(Path::new(name).extension()?.to_str()?.to_ascii_lowercase())
}

fn by_extension(extension: &str) -> &'static str {
    match extension {
        "md" | "markdown" => "text/markdown",
        "csv" => "text/csv",
        "tsv" | "tab" => "text/tab-separated-values",
        "json" => "application/json",
        _ => "text/plain",
    }
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
    // A declared XML text is HTML only with that very root.
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

/// A flat OpenDocument file, or a part of a package by itself.
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

/// By content alone: the same bytes give the same text under every name.
fn is_xml(head: &str, prefix: &[u8], whole: bool) -> bool {
    let rest = skip_prologue(head);
    head.starts_with("<?xml")
        || strip_prefix_ignore_case(rest, "<!doctype").is_some()
        || rest.starts_with("<svg")
        || (whole && closes_its_root(rest, prefix))
}

/// XML without a declaration: it ends with the end tag of the element that it begins with.
fn closes_its_root(rest: &str, text: &[u8]) -> bool {
    let tag = rest.strip_prefix('<').unwrap_or_default();
    let end = tag.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
    let name = &tag[..end.unwrap_or(0)];
    name.starts_with(char::is_alphabetic)
        && text
            .trim_ascii_end()
            .ends_with(format!("</{name}>").as_bytes())
}

/// A separator line, and a message behind it.
fn is_mbox(head: &str) -> bool {
    head.strip_prefix("From ")
        .and_then(|rest| rest.split_once('\n'))
        .is_some_and(|(_, message)| is_mail(message.trim_start_matches('>')))
}

/// Header lines from the first line on, two fields of mail among them, one hardly used elsewhere.
fn is_mail(head: &str) -> bool {
    let (mut known, mut strong) = (0, false);
    for (number, line) in head.lines().enumerate() {
        if number > 0 && line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((field, _)) = line.split_once(':').filter(|(field, _)| is_field(field)) else {
            break;
        };
        let found = MAIL_FIELDS
            .iter()
            .position(|known| field.eq_ignore_ascii_case(known));
        known += usize::from(found.is_some());
        strong |= found.is_some_and(|index| index < STRONG_MAIL_FIELDS);
    }
    strong && known >= 2
}

fn is_field(field: &str) -> bool {
    !field.is_empty() && field.trim_end().bytes().all(|b| b.is_ascii_graphic())
}

/// An object or array by its syntax; a prefix may end in the middle.
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
