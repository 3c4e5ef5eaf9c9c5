//! Mailboxes (RFC 4155 and its relatives mboxo and mboxrd): one message after the other, each after a line `From sender
//! date`.
//!
//! The file is streamed, each message is a member, and none is held in memory. `Content-Length` is ignored: programs
//! that change a message do not update it.

use std::io::{self, BufRead, BufReader, Read};

use simdex_extract::{Outcome, Reason, Role};

use super::{Reading, eml};
use crate::input::{Input, InputReader};
use crate::kind::is_dated_separator;
use crate::sink::Sink;

pub(super) const PARSER: &str = "mbox 1";

/// Longer lines are read in pieces of this size.
const MAX_LINE: u64 = 64 << 10;
/// Bytes of a message in which its head is searched for.
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
        // What was cut off is skipped.
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
    let message = eml::parse_head(head).filter(|message| !message.parts.is_empty());
    let subject = message
        .as_ref()
        .map(|message| eml::subject(message, &mut sink.dry_run()));
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

/// A mailbox, read line by line. As [`Read`] it returns the rest of one message.
struct Mailbox<'a> {
    reader: BufReader<InputReader<'a>>,
    position: u64,
    /// The current line, or a piece of a long one; the part already returned is marked as passed.
    line: Vec<u8>,
    given: usize,
    begins_line: bool,
    follows_blank: bool,
    in_message: bool,
    /// The current line separates messages.
    at_separator: bool,
    /// The line after it, if it had to be read.
    ahead: Option<Vec<u8>>,
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
            ahead: None,
        })
    }

    /// Advances to the next message; returns false at the end.
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

    /// Makes bytes of this message available; returns false at its end.
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

    /// Reads the next line; returns false at the end of the file.
    fn load(&mut self) -> io::Result<bool> {
        let was_blank = self.begins_line && self.line.trim_ascii().is_empty();
        self.begins_line = self.line.last().is_none_or(|byte| *byte == b'\n');
        self.follows_blank = was_blank;
        self.given = 0;
        self.line = match self.ahead.take() {
            Some(line) => line,
            None => self.read_line()?,
        };
        self.at_separator = self.begins_line && self.separates()?;
        if self.begins_line && is_escaped(&self.line) {
            self.given = 1;
        }
        Ok(!self.line.is_empty())
    }

    /// The next line, or a piece of a long one.
    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let count = (&mut self.reader)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)?;
        if self.position == 0 && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        self.position += count as u64;
        Ok(line)
    }

    /// Whether the current line begins a message: a sentence may begin with the same word. Some programs write no date,
    /// some no empty line above, and some messages have no fields.
    fn separates(&mut self) -> io::Result<bool> {
        if !self.line.starts_with(b"From ") {
            return Ok(false);
        }
        let next = self.read_line()?;
        let has_no_field = next.trim_ascii().is_empty() || next.starts_with(b">From ");
        let is_dated = is_dated(&self.line);
        let words = self
            .line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let is_short = words.count() <= 2;
        let separates = (is_field(&next) && (self.follows_blank || is_dated || is_short))
            || (has_no_field && is_dated && self.follows_blank);
        self.ahead = Some(next);
        Ok(separates)
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

/// `>From `, with as many `>` as the message was escaped times: one is removed.
fn is_escaped(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'>').count();
    marks > 0 && line[marks..].starts_with(b"From ")
}

/// A field of a message.
fn is_field(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    name.len() < line.len() && !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
}

/// `From sender Sat Nov 21 09:00:00 2026`, as far as programs agree on it.
fn is_dated(line: &[u8]) -> bool {
    is_dated_separator(&String::from_utf8_lossy(&line[..line.len().min(300)]))
}

#[cfg(test)]
mod tests;
