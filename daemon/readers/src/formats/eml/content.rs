//! The bytes and the text of one part.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, Message, MessagePart, MimeHeaders, PartType};
use simdex_extract::Fact;

use crate::charset;
use crate::sink::Sink;

/// The decoded bytes of a part, whatever kind the parser assigned to it.
pub(crate) fn bytes_of<'a>(message: &'a Message<'_>, part: &'a MessagePart<'_>) -> Cow<'a, [u8]> {
    match &part.body {
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => Cow::Borrowed(bytes),
        PartType::Message(nested) if part.encoding != Encoding::None => {
            Cow::Borrowed(nested.raw_message())
        }
        _ => transferred(message, part),
    }
}

/// Decodes the transfer encoding (RFC 2045 §6), also if the part is truncated and the parser gave up.
fn transferred<'a>(message: &'a Message<'_>, part: &MessagePart<'_>) -> Cow<'a, [u8]> {
    let range = part.offset_body as usize..part.offset_end as usize;
    let raw = message.raw_message.get(range).unwrap_or_default();
    let encoding = part
        .content_transfer_encoding()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let decoded = match encoding.as_str() {
        "base64" => broken_base64(raw),
        "quoted-printable" => quoted_printable_decode(raw),
        _ => None,
    };
    decoded.map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// Base64 up to the first line that is not, in whole groups.
fn broken_base64(raw: &[u8]) -> Option<Vec<u8>> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let lines = raw.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut digits = Vec::with_capacity(raw.len());
    for line in lines.take_while(|line| line.iter().all(is_digit)) {
        digits.extend_from_slice(line);
    }
    digits.truncate(digits.len() / 4 * 4);
    base64_decode(&digits)
}

/// The text of a part. If it cannot be in its declared character set, it is read in the one it seems to have.
pub(super) fn text_of(message: &Message<'_>, part: &MessagePart<'_>, sink: &mut Sink) -> String {
    let label = part
        .content_type()
        .and_then(|kind| kind.attribute("charset"));
    if let PartType::Text(text) | PartType::Html(text) = &part.body
        && !part.is_encoding_problem
        && !is_misread(text)
        && (text.is_ascii()
            || label.is_some_and(|label| charset_decoder(label.as_bytes()).is_some()))
    {
        let label = label.unwrap_or_default();
        if !text.is_ascii() && !label.eq_ignore_ascii_case("utf-8") {
            sink.state(Fact::Charset, label);
        }
        return text.to_string();
    }
    // A label that covers only ASCII says nothing about other bytes.
    let label = label.filter(|label| !label.to_ascii_lowercase().ends_with("ascii"));
    charset::decode(&bytes_of(message, part), label, sink)
}

/// Characters that occur in no text but result from a wrong character set.
fn is_misread(text: &str) -> bool {
    text.contains(|c| matches!(c, '\u{fffd}' | '\u{80}'..='\u{84}' | '\u{86}'..='\u{9f}'))
}

/// The name of a part that is a separate file.
pub(super) fn name_of(part: &MessagePart<'_>, number: u32) -> String {
    if let Some(name) = part
        .attachment_name()
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        return name.to_owned();
    }
    if let PartType::Message(nested) = &part.body
        && let Some(subject) = nested.parts.first().and(nested.subject())
    {
        return message_name(subject);
    }
    let kind = part
        .content_type()
        .and_then(|kind| kind.subtype())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let extension = match kind.as_str() {
        "rfc822" | "global" => "eml",
        "plain" => "txt",
        "calendar" => "ics",
        "vcard" | "x-vcard" | "directory" => "vcf",
        "ms-tnef" => "dat",
        "jpeg" => "jpg",
        other
            if other.len() <= 4
                && other.bytes().all(|b| b.is_ascii_alphanumeric())
                && !other.is_empty() =>
        {
            other
        }
        _ => "bin",
    };
    format!("part-{number}.{extension}")
}

/// The file name of a message: its subject, as a name.
pub(crate) fn message_name(subject: &str) -> String {
    const MAX_CHARS: usize = 80;
    let odd = |c: char| {
        c.is_control()
            || matches!(
                c,
                '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\u{fffd}'
            )
    };
    let words: Vec<_> = subject
        .split(|c: char| c.is_whitespace() || odd(c))
        .filter(|word| !word.is_empty())
        .collect();
    let name: String = words.join(" ").chars().take(MAX_CHARS).collect();
    let name = name.trim_end();
    format!("{}.eml", if name.is_empty() { "message" } else { name })
}
