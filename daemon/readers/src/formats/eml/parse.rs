//! All calls of mail-parser, which panics at some heads.
//!
//! 0.11.4 slices beyond its data where a `Received` ends the data with a folded empty line. Fields that are not used
//! are therefore not parsed at all; if it still panics, the message is read again, parsing only the fields that its
//! text depends on. Messages within messages are [hidden](super::nested) from it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mail_parser::{HeaderName, Message, MessageParser};
use simdex_extract::{Outcome, Reason};

use super::nested::MailBytes;

/// Parses a message; returns why its head was not understood, if it was not.
pub(in crate::formats) fn parse<'x>(
    mail: &'x MailBytes<'_>,
) -> Result<(Message<'x>, Option<Reason>), Outcome> {
    if let Some(hidden) = mail.hidden()
        && let (Some(message), partial) = cautiously(|parser| parser.parse(hidden))?
        && let Some(message) = mail.revealed(message)
    {
        return Ok((message, partial));
    }
    let (message, partial) = cautiously(|parser| parser.parse(mail.bytes()))?;
    let message = message.filter(|message| !message.parts.is_empty());
    let message = message.ok_or(Outcome::Failed(Reason::Malformed))?;
    Ok((message, partial))
}

/// Parses the fields of a head, as far as they can be understood.
pub(in crate::formats) fn parse_head(bytes: &[u8]) -> Option<Message<'_>> {
    let parsed = cautiously(|parser| parser.parse_headers(bytes));
    parsed.ok().and_then(|(message, _)| message)
}

/// The result of the first parser that does not panic, and a reason if it was not the first.
fn cautiously<T>(parse: impl Fn(&MessageParser) -> T) -> Result<(T, Option<Reason>), Outcome> {
    let attempt = |parser: &MessageParser| catch_unwind(AssertUnwindSafe(|| parse(parser))).ok();
    let whole = attempt(&full_parser()).map(|parsed| (parsed, None));
    let parsed = whole.or_else(|| Some((attempt(&bare())?, Some(Reason::ParserPanic))));
    parsed.ok_or(Outcome::Failed(Reason::ParserPanic))
}

/// A parser for the fields that are used.
fn full_parser() -> MessageParser {
    MessageParser::new()
        .with_minimal_headers()
        .with_message_ids()
        .default_header_raw()
}

/// A parser for the fields that define the parts, and no others.
fn bare() -> MessageParser {
    MessageParser::new()
        .header_content_type(HeaderName::ContentType)
        .header_text(HeaderName::ContentTransferEncoding)
        .default_header_raw()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const TEXT: &str = "From: a@example.org\nSubject: offer\nReceived: \n ";

    #[test]
    fn a_field_that_the_parser_panics_at_costs_nothing() {
        let alone = catch_unwind(|| MessageParser::default().parse(TEXT).is_some());
        assert!(
            alone.is_err(),
            "the parser no longer panics at this: remove the work-around"
        );
        let mail = MailBytes::new(TEXT.as_bytes());
        let (message, partial) = parse(&mail).unwrap();
        assert_eq!((message.subject(), partial), (Some("offer"), None));
        let head = parse_head(TEXT.as_bytes()).unwrap();
        assert_eq!(head.subject(), Some("offer"));
    }

    #[test]
    fn after_a_panic_less_is_understood_and_after_two_nothing() {
        let calls = Cell::new(0);
        let panicking = |times: u32| {
            calls.set(0);
            let parsed = cautiously(|parser| {
                calls.set(calls.get() + 1);
                assert!(calls.get() > times, "made to panic");
                let message = parser.parse("Subject: offer\n\ntext").unwrap();
                message.subject().map(str::to_owned)
            });
            (parsed, calls.get())
        };
        let understood = Ok((Some("offer".to_owned()), None));
        assert_eq!(panicking(0), (understood, 1));
        let (parsed, _) = panicking(1);
        assert_eq!(parsed.unwrap().1, Some(Reason::ParserPanic));
        assert_eq!(panicking(2), (Err(Outcome::Failed(Reason::ParserPanic)), 2));
    }
}
