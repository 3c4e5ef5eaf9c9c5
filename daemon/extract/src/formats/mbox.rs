//! Mailboxes (RFC 4155 and its relatives mboxo and mboxrd): one message after the other, each
//! behind a line `From sender date`.
//!
//! The file is streamed, each message is a member, and none is held in memory. `Content-Length` is
//! not believed: programs that change a message do not change it.

use std::io::{self, BufRead, BufReader, Read};

use mail_parser::MessageParser;

use super::{Reading, eml};
use crate::input::{Input, InputReader};
use crate::sink::Sink;
use crate::{Outcome, Reason, Role};

pub(super) const ENGINE: &str = "mbox 1";

/// Of longer lines no more is looked at in one go.
const MAX_LINE: u64 = 64 << 10;
/// Bytes of a message in which its head is looked for.
const MAX_HEAD: usize = 256 << 10;
/// Bytes read at once.
const BUFFER: usize = 256 << 10;

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let mut mailbox = Mailbox::new(input).map_err(super::read_error)?;
    let (mut number, mut partial) = (0_u32, None);
    while mailbox.next_message().map_err(super::read_error)? {
        if !sink.has_room_for_member() {
            return Ok(Some(Reason::PartsLimit));
        }
        if mailbox.position >= sink.budgets().total_bytes {
            return Ok(Some(Reason::InflateLimit));
        }
        number += 1;
        let head = head_of(&mut mailbox).map_err(super::read_error)?;
        let (name, sent) = label(&head, number, sink);
        let cut = sink.member(
            &name,
            Role::Message,
            sent,
            &mut head.as_slice().chain(&mut mailbox),
        );
        partial = partial.or(cut);
        // What was cut off is passed over.
        io::copy(&mut mailbox, &mut io::sink()).map_err(super::read_error)?;
    }
    if number == 0 {
        return Err(Outcome::Failed(Reason::Malformed));
    }
    Ok(partial)
}

/// The bytes of a message up to the empty line below its head.
fn head_of(mailbox: &mut Mailbox<'_>) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while head.len() < MAX_HEAD && mailbox.fill()? {
        let line = mailbox.take_line();
        head.extend_from_slice(line);
        if line.trim_ascii().is_empty() {
            break;
        }
    }
    Ok(head)
}

/// `0001 Subject.eml`, and when it was sent.
fn label(head: &[u8], number: u32, sink: &mut Sink) -> (String, Option<i64>) {
    let message = MessageParser::default().parse_headers(head);
    let message = message.filter(|message| !message.parts.is_empty());
    let subject = message
        .as_ref()
        .map(|message| eml::subject(message, &mut sink.aside()));
    let date = message.as_ref().and_then(|message| message.date().copied());
    let sent = date
        .filter(mail_parser::DateTime::is_valid)
        .map(|date| date.to_timestamp());
    (
        format!(
            "{number:04} {}",
            eml::message_name(&subject.unwrap_or_default())
        ),
        sent,
    )
}

/// A mailbox, read line by line. As [`Read`] it gives what is left of one message.
struct Mailbox<'a> {
    reader: BufReader<InputReader<'a>>,
    position: u64,
    /// The line at hand, or a piece of a long one; what was given of it already is passed.
    line: Vec<u8>,
    given: usize,
    begins_line: bool,
    follows_blank: bool,
    in_message: bool,
    /// The line at hand separates messages.
    at_separator: bool,
}

impl<'a> Mailbox<'a> {
    fn new(input: &'a Input) -> io::Result<Self> {
        let reader = BufReader::with_capacity(BUFFER, input.reader());
        Ok(Self {
            reader,
            position: 0,
            line: Vec::new(),
            given: 0,
            begins_line: true,
            follows_blank: true,
            in_message: false,
            at_separator: false,
        })
    }

    /// Goes on to the next message; false at the end.
    fn next_message(&mut self) -> io::Result<bool> {
        while !self.at_separator {
            if !self.load()? {
                return Ok(false);
            }
        }
        self.at_separator = false;
        self.given = self.line.len();
        self.in_message = true;
        Ok(true)
    }

    /// Sees to it that bytes of this message are at hand; false at its end.
    fn fill(&mut self) -> io::Result<bool> {
        if self.in_message && self.given >= self.line.len() {
            self.in_message = self.load()? && !self.at_separator;
        }
        Ok(self.in_message)
    }

    fn take_line(&mut self) -> &[u8] {
        let line = &self.line[self.given..];
        self.given = self.line.len();
        line
    }

    /// Reads the next line; false at the end of the file.
    fn load(&mut self) -> io::Result<bool> {
        let was_blank = self.begins_line && self.line.trim_ascii().is_empty();
        self.begins_line = self.line.last().is_none_or(|byte| *byte == b'\n');
        self.follows_blank = was_blank;
        self.line.clear();
        self.given = 0;
        let count = (&mut self.reader)
            .take(MAX_LINE)
            .read_until(b'\n', &mut self.line)?;
        self.position += count as u64;
        self.at_separator = self.begins_line && self.follows_blank && is_separator(&self.line);
        if self.begins_line && is_escaped(&self.line) {
            self.given = 1;
        }
        Ok(count > 0)
    }
}

impl Read for Mailbox<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.fill()? {
            return Ok(0);
        }
        let left = &self.line[self.given..];
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

/// `>From `, with as many `>` as the message was escaped times: one is taken away.
fn is_escaped(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'>').count();
    marks > 0 && line[marks..].starts_with(b"From ")
}

/// `From sender Sat Nov 21 09:00:00 2026`, as far as programs agree on it: a sentence may begin
/// with the same word.
fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else {
        return false;
    };
    let rest = String::from_utf8_lossy(&rest[..rest.len().min(300)]).into_owned();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let has_day = words
        .windows(2)
        .any(|pair| DAYS.contains(&pair[0].trim_end_matches(',')) && is_date(pair[1]));
    let has_year = words
        .iter()
        .any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    let has_time = words
        .iter()
        .any(|word| word.split(':').count() >= 2 && word.starts_with(|c: char| c.is_ascii_digit()));
    has_day || (has_year && has_time)
}

const DAYS: &[&str] = &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: &[&str] = &[
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn is_date(word: &str) -> bool {
    MONTHS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
