//! Repairs messages that almost conform to RFC 5322.

use super::nested::MailBytes;

/// Fields without a hyphen that only occur at the head of a message.
const MAIL_FIELDS: &[&[u8]] = &[
    b"from",
    b"to",
    b"cc",
    b"subject",
    b"date",
    b"sender",
    b"received",
];

/// The message with line feeds, an empty line below its head, and nothing around it.
pub(in crate::formats) fn repaired(bytes: Vec<u8>) -> MailBytes<'static> {
    MailBytes::new(with_empty_line(with_line_feeds(without_length_line(bytes))))
}

/// Apple's `.emlx` puts the length of the message on the first line, and a property list after it.
fn without_length_line(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = bytes.iter().take(20).position(|byte| *byte == b'\n') else {
        return bytes;
    };
    let length = std::str::from_utf8(&bytes[..end])
        .ok()
        .and_then(|line| line.trim().parse::<usize>().ok());
    if let Some(length) = length {
        bytes.drain(..=end);
        bytes.truncate(length);
    }
    bytes
}

/// Old Macintosh programs end lines with only a carriage return.
fn with_line_feeds(mut bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.contains(&b'\n') {
        bytes
            .iter_mut()
            .filter(|byte| **byte == b'\r')
            .for_each(|byte| *byte = b'\n');
    }
    bytes
}

/// Inserts the empty line that some programs omit between the fields and the text; the parser would otherwise mistake
/// the text for broken fields.
fn with_empty_line(mut bytes: Vec<u8>) -> Vec<u8> {
    let field = |line: &[u8]| {
        let name = line
            .split(|byte| *byte == b':')
            .next()
            .filter(|name| name.len() < line.len())?;
        let is_name = !name.is_empty() && name.trim_ascii_end().iter().all(u8::is_ascii_graphic);
        is_name.then(|| name.trim_ascii_end().to_ascii_lowercase())
    };
    let is_mail = |name: &Vec<u8>| name.contains(&b'-') || MAIL_FIELDS.contains(&name.as_slice());
    let (mut at, mut found) = (0, None);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let goes_on = line.starts_with(b" ")
            || line.starts_with(b"\t")
            || (at == 0 && line.starts_with(b"From "));
        match field(line) {
            _ if line.trim_ascii().is_empty() => break,
            Some(name) if found.is_some() && is_mail(&name) => return bytes,
            None if !goes_on && found.is_none() => found = Some(at),
            _ => {}
        }
        at += line.len();
    }
    if let Some(at) = found.filter(|at| *at > 0) {
        bytes.insert(at, b'\n');
    }
    bytes
}
