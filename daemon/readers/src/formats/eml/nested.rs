//! Messages whose only content is another message.
//!
//! Where such a message is part of a multipart one, mail-parser 0.11.4 ends only one of the messages at the boundary: it
//! panics, or reads the parts that follow as parts of the wrong message. A message inside is a member and read by itself,
//! so it is enough to parse the outermost one: the media type of those within is hidden from the parser.

use std::borrow::Cow;

use mail_parser::{Message, MessagePart, PartType};

/// What stands for `message` where it is hidden.
const HIDDEN: &[u8] = b"x-chain";

/// The bytes of a message.
#[derive(Debug)]
pub(in crate::formats) struct MailBytes<'a> {
    bytes: Cow<'a, [u8]>,
    /// Those bytes with the media types of messages within messages hidden, if there are any.
    hidden: Option<Vec<u8>>,
}

impl<'a> MailBytes<'a> {
    pub(in crate::formats) fn new(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            hidden: hidden(&bytes),
            bytes,
        }
    }

    /// The bytes as they are.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes as they are parsed, where that is another form.
    pub(super) fn hidden(&self) -> Option<&[u8]> {
        self.hidden.as_deref()
    }

    /// The message that was parsed from the hidden form, with its true bytes; `None` if a text was changed, which only
    /// quotes such messages.
    pub(super) fn revealed<'x>(&'x self, mut message: Message<'x>) -> Option<Message<'x>> {
        let (bytes, hidden) = (self.bytes(), self.hidden()?);
        let is_changed = |part: &MessagePart<'_>| {
            let range = part.offset_body as usize..part.offset_end as usize;
            matches!(part.body, PartType::Text(_) | PartType::Html(_))
                && bytes.get(range.clone()) != hidden.get(range)
        };
        if message.parts.iter().any(is_changed) {
            return None;
        }
        message.raw_message = Cow::Borrowed(bytes);
        Some(message)
    }
}

/// The bytes with the media type of each message hidden that is all of another one's content; `None` if there is none.
fn hidden(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut hidden: Option<Vec<u8>> = None;
    // Of the head that is being read: how many messages its own is directly within, and whether it is of another one.
    let mut head: Option<(usize, bool)> = None;
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"--") {
            head = Some((0, false));
        } else if let Some((within, is_message)) = &mut head {
            if line.trim_ascii().is_empty() {
                head = is_message.then_some((*within + 1, false));
            } else if let Some(inside) = message_type(line) {
                *is_message = true;
                if *within > 0 {
                    let hidden = hidden.get_or_insert_with(|| bytes.to_vec());
                    hidden[at + inside..][..HIDDEN.len()].copy_from_slice(HIDDEN);
                }
            }
        }
        at += line.len();
    }
    hidden
}

/// Where the media type of a message begins in a line of a head that states it.
fn message_type(line: &[u8]) -> Option<usize> {
    const FIELD: &[u8] = b"content-type:";
    let (field, value) = line.split_at_checked(FIELD.len())?;
    let stated = value.trim_ascii_start();
    let is_message = [&b"message/rfc822"[..], b"message/global"]
        .iter()
        .any(|kind| {
            stated
                .get(..kind.len())
                .is_some_and(|it| it.eq_ignore_ascii_case(kind))
        });
    (field.eq_ignore_ascii_case(FIELD) && is_message).then_some(line.len() - stated.len())
}
