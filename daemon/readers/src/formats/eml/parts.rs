//! The tree of parts: which are text, which are members, and which of several renderings is read.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};
use simdex_extract::{Fact, Reason, Role};

use super::super::html;
use super::content::{bytes_of, name_of, text_of};
use super::nested::MailBytes;
use super::{cms, drop_iteratively, parse};
use crate::sink::Sink;

/// Plain text of at most this many words may be a stub that only points to an HTML page.
const STUB_WORDS: usize = 60;
/// Then the page must have this many times the words.
const STUB_FACTOR: usize = 3;

/// Subtypes of `text` that are separate files.
const FILES: &[&str] = &[
    "calendar",
    "vcard",
    "x-vcard",
    "directory",
    "csv",
    "rtf",
    "xml",
    "tab-separated-values",
];
/// Messages about messages: text for people or close to it.
const REPORTS: &[&str] = &[
    "delivery-status",
    "disposition-notification",
    "feedback-report",
    "global-delivery-status",
    "partial",
    "rfc822-headers",
];

/// The position of a part in its message, and its role there.
#[derive(Clone, Copy)]
struct PartPlace {
    depth: u32,
    /// Whether text belongs to the body; not if another rendering of it was chosen.
    shown: bool,
    /// The role of a file here.
    role: Role,
}

pub(super) struct Parts<'a> {
    sink: &'a mut Sink,
    /// Text of the message, quotes included.
    pub(super) body: String,
    count: u32,
    /// Names of parts that need a key.
    pub(super) locked: Vec<String>,
    pub(super) partial: Option<Reason>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(sink: &'a mut Sink) -> Self {
        Self {
            sink,
            body: String::new(),
            count: 0,
            locked: Vec::new(),
            partial: None,
        }
    }

    pub(super) fn read(&mut self, message: &Message<'_>) {
        self.part(
            message,
            0,
            PartPlace {
                depth: 0,
                shown: true,
                role: Role::Attachment,
            },
        );
    }

    fn part(&mut self, message: &Message<'_>, id: u32, place: PartPlace) {
        let Some(part) = message.part(id) else { return };
        self.count += 1;
        let budgets = self.sink.budgets();
        if self.count > budgets.mime_parts {
            self.partial = Some(Reason::PartsLimit);
        } else if place.depth > budgets.mime_depth {
            self.partial = Some(Reason::DepthLimit);
        } else if let PartType::Multipart(ids) = &part.body {
            self.multipart(
                message,
                part,
                ids,
                PartPlace {
                    depth: place.depth + 1,
                    ..place
                },
            );
        } else {
            self.leaf(message, part, place);
        }
    }

    fn multipart(
        &mut self,
        message: &Message<'_>,
        part: &MessagePart<'_>,
        ids: &[u32],
        place: PartPlace,
    ) {
        match subtype(part).as_str() {
            "encrypted" => self.locked.push("encrypted".to_owned()),
            "alternative" => {
                let chosen = self.choose(message, ids);
                for &id in ids {
                    let shown = place.shown && chosen.is_none_or(|chosen| chosen == id);
                    self.part(message, id, PartPlace { shown, ..place });
                }
            }
            "related" => {
                let root = root(message, part, ids);
                for &id in ids {
                    let role = Some(place.role)
                        .filter(|_| id == root)
                        .unwrap_or(Role::Embedded);
                    self.part(message, id, PartPlace { role, ..place });
                }
            }
            // The signature is of no interest to a reader.
            "signed" => {
                let is_signature = |id: u32| {
                    message
                        .part(id)
                        .is_some_and(|part| subtype(part).ends_with("signature"))
                };
                let ids = ids.iter().filter(|id| !is_signature(**id));
                ids.for_each(|&id| self.part(message, id, place));
            }
            _ => ids.iter().for_each(|&id| self.part(message, id, place)),
        }
    }

    fn leaf(&mut self, message: &Message<'_>, part: &MessagePart<'_>, place: PartPlace) {
        let kind = subtype(part);
        let is_report = part
            .content_type()
            .is_some_and(|kind| kind.ctype().eq_ignore_ascii_case("message"))
            && REPORTS.contains(&kind.as_str());
        match &part.body {
            _ if kind == "pkcs7-mime" || kind == "x-pkcs7-mime" => {
                self.signed_or_locked(message, part, place)
            }
            _ if kind == "external-body" => self.sink.count(Fact::External, 1),
            PartType::Text(_) | PartType::Html(_) if is_body(part, &kind) => {
                if place.shown {
                    self.text(message, part);
                }
            }
            // What is called a message but is none is read as text.
            PartType::Message(nested) if nested.parts.is_empty() => self.text(message, part),
            PartType::Binary(_) | PartType::InlineBinary(_)
                if is_report && part.attachment_name().is_none() =>
            {
                self.text(message, part);
            }
            _ => self.member(message, part, place.role),
        }
    }

    fn text(&mut self, message: &Message<'_>, part: &MessagePart<'_>) {
        let text = text_of(message, part, self.sink);
        if !self.body.is_empty() && !self.body.ends_with('\n') {
            self.body.push('\n');
        }
        if is_html(part) {
            let page = html::read_message(&text);
            page.count(self.sink);
            self.body.push_str(&page.text);
        } else {
            self.body.push_str(&text);
        }
    }

    fn member(&mut self, message: &Message<'_>, part: &MessagePart<'_>, role: Role) {
        let bytes = bytes_of(message, part);
        if bytes.is_empty() && part.attachment_name().is_none() {
            return;
        }
        let name = name_of(part, self.count);
        let modified = part
            .content_disposition()
            .and_then(|disposition| disposition.attribute("modification-date"));
        let modified = modified
            .and_then(mail_parser::DateTime::parse_rfc822)
            .map(|date| date.to_timestamp());
        let cut = self.sink.member(&name, role, modified, &mut bytes.as_ref());
        self.partial = self.partial.or(cut);
    }

    /// S/MIME (RFC 8551): signed content is read, encrypted content is reported.
    fn signed_or_locked(
        &mut self,
        message: &Message<'_>,
        part: &MessagePart<'_>,
        place: PartPlace,
    ) {
        let bytes = bytes_of(message, part);
        match cms::read(&bytes) {
            cms::Content::Locked => self.locked.push(name_of(part, self.count)),
            cms::Content::Signed(content) => match parse(&MailBytes::new(content)) {
                Ok((inner, bare)) if place.depth < self.sink.budgets().mime_depth => {
                    self.partial = self.partial.or(bare);
                    self.part(
                        &inner,
                        0,
                        PartPlace {
                            depth: place.depth + 1,
                            ..place
                        },
                    );
                    drop_iteratively(inner);
                }
                _ => self.member(message, part, place.role),
            },
            cms::Content::Other => self.member(message, part, place.role),
        }
    }

    /// Chooses which of several renderings is read: the plain one, unless it is only a stub for another.
    fn choose(&mut self, message: &Message<'_>, ids: &[u32]) -> Option<u32> {
        let find = |predicate: fn(&MessagePart<'_>) -> bool| {
            ids.iter()
                .copied()
                .find(|&id| leaves(message, id).into_iter().any(predicate))
        };
        let (plain, page) = match (find(is_plain), find(is_html)) {
            (Some(plain), Some(page)) if plain != page => (plain, page),
            (found, other) => return found.or(other),
        };
        let count = |id: u32, predicate: fn(&MessagePart<'_>) -> bool| -> usize {
            let parts = leaves(message, id)
                .into_iter()
                .filter(|part| predicate(part));
            parts
                .map(|part| {
                    words(
                        &text_of(message, part, &mut self.sink.dry_run()),
                        is_html(part),
                    )
                })
                .sum()
        };
        let own = count(plain, is_plain);
        let page_words = count(page, is_html);
        let is_stub = own <= STUB_WORDS && page_words > own && page_words >= STUB_FACTOR * own;
        Some(if is_stub { page } else { plain })
    }
}

fn words(text: &str, is_html: bool) -> usize {
    if is_html {
        html::read_message(text).text.split_whitespace().count()
    } else {
        text.split_whitespace().count()
    }
}

/// The part itself, or the parts in it down to a few levels.
fn leaves<'a, 'x>(message: &'a Message<'x>, id: u32) -> Vec<&'a MessagePart<'x>> {
    const LEVELS: usize = 3;
    let mut level: Vec<_> = message.part(id).into_iter().collect();
    for _ in 0..LEVELS {
        level = level
            .into_iter()
            .flat_map(|part| match &part.body {
                PartType::Multipart(ids) => ids.iter().filter_map(|id| message.part(*id)).collect(),
                _ => vec![part],
            })
            .collect();
    }
    level
}

/// The part of a compound that the others belong to (RFC 2387).
fn root(message: &Message<'_>, part: &MessagePart<'_>, ids: &[u32]) -> u32 {
    let start = part
        .content_type()
        .and_then(|kind| kind.attribute("start"))
        .map(|id| id.trim_matches(['<', '>', ' ']));
    let named = start.and_then(|start| {
        ids.iter()
            .copied()
            .find(|&id| message.part(id).and_then(MimeHeaders::content_id) == Some(start))
    });
    named.or(ids.first().copied()).unwrap_or_default()
}

fn subtype(part: &MessagePart<'_>) -> String {
    part.content_type()
        .and_then(|kind| kind.subtype())
        .unwrap_or_default()
        .to_ascii_lowercase()
}

fn is_plain(part: &MessagePart<'_>) -> bool {
    matches!(part.body, PartType::Text(_)) && is_body(part, &subtype(part)) && !is_html(part)
}

/// Whether a part is HTML, also if it is truncated and the parser treated it as plain text.
fn is_html(part: &MessagePart<'_>) -> bool {
    matches!(part.body, PartType::Html(_)) || part.is_content_type("text", "html")
}

/// Whether text belongs to the message, and is no separate file.
fn is_body(part: &MessagePart<'_>, kind: &str) -> bool {
    let is_file = part
        .content_disposition()
        .is_some_and(|disposition| disposition.is_attachment());
    let is_text = part
        .content_type()
        .is_none_or(|kind| matches!(kind.ctype(), "text" | "multipart" | "message"));
    is_text && !is_file && part.attachment_name().is_none() && !FILES.contains(&kind)
}
