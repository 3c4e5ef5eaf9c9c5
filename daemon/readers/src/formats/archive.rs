//! Archives and packed files: their entries become members.
//!
//! Nothing is unpacked to disk, so an entry's name is a label and not a path: `../`, `C:\` and the like do no harm.
//! Links are counted and never followed; a hard link of a tape archive is another name of one of its files, and read
//! as one. Unpacked bytes are counted while they are read, since the sizes in an archive
//! are only claims.

pub(crate) mod packed;
pub(crate) mod seven_zip;
pub(crate) mod tar;
pub(crate) mod zip;

use std::io::{self, ErrorKind, Read};

use simdex_extract::{Outcome, Reason, Role};

use super::Reading;
use crate::sink::Sink;

pub(super) const PARSER: &str = "archive 1";

/// Passes entries on and keeps the first reason why not all were complete.
struct Entries<'a> {
    sink: &'a mut Sink,
    partial: Option<Reason>,
    seen: u64,
    links: u64,
}

impl<'a> Entries<'a> {
    fn new(sink: &'a mut Sink) -> Self {
        Self {
            sink,
            partial: None,
            seen: 0,
            links: 0,
        }
    }

    /// Passes on a file of `packed` bytes. Returns why it was incomplete, if it was.
    fn file(
        &mut self,
        name: &str,
        modified: Option<i64>,
        packed: u64,
        bytes: &mut dyn Read,
    ) -> Option<Reason> {
        self.seen += 1;
        if is_system_file(name) {
            return None;
        }
        let limit = self.sink.budgets().unpacked(packed);
        let mut bytes = Bounded::new(bytes, limit);
        let cut = self.sink.member(name, Role::Entry, modified, &mut bytes);
        self.note(cut);
        cut
    }

    /// A file whose bytes cannot be read.
    fn unread(&mut self, name: &str, modified: Option<i64>, reason: Reason) {
        self.seen += 1;
        if is_system_file(name) {
            return;
        }
        let refused = self.sink.member_unread(name, Role::Entry, modified, reason);
        self.note(refused.or(Some(Reason::PartsFailed)));
    }

    /// A link that is not followed.
    fn link(&mut self) {
        self.seen += 1;
        self.links += 1;
    }

    /// Whether a further entry may be looked at.
    fn has_room(&mut self) -> bool {
        let room = self.sink.has_room_for_member();
        if !room {
            self.note(Some(Reason::PartsLimit));
        }
        room
    }

    fn note(&mut self, reason: Option<Reason>) {
        self.partial = self.partial.or(reason);
    }

    fn finish(self) -> Reading {
        if self.links > 0 {
            let note = format!("{} links were not followed", self.links);
            self.sink.warn(&note);
        }
        match self.partial {
            Some(Reason::Damaged) if self.seen == 0 => Err(Outcome::Failed(Reason::Malformed)),
            partial => Ok(partial),
        }
    }
}

/// What macOS and its Finder add to every archive: resource forks and folder views.
fn is_system_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    last == ".DS_Store" || name.starts_with("__MACOSX/") && last.starts_with("._")
}

/// Reads up to a limit and fails where there is more.
struct Bounded<R> {
    inner: R,
    left: u64,
    is_exceeded: bool,
}

impl<R: Read> Bounded<R> {
    fn new(inner: R, limit: u64) -> Self {
        Self {
            inner,
            left: limit,
            is_exceeded: false,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !buffer.is_empty() {
            self.is_exceeded = self.inner.read(&mut [0])? > 0;
            return if self.is_exceeded {
                Err(ErrorKind::FileTooLarge.into())
            } else {
                Ok(0)
            };
        }
        let room = usize::try_from(self.left).map_or(buffer.len(), |left| buffer.len().min(left));
        let read = self.inner.read(&mut buffer[..room])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// Fails if the bytes end before the claimed length.
struct ExactReader<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for ExactReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(read)
    }
}

/// The reason for a failed read.
fn reason_of(error: &io::Error) -> Reason {
    match error.kind() {
        ErrorKind::FileTooLarge => Reason::InflateLimit,
        ErrorKind::OutOfMemory => Reason::MemoryLimit,
        _ => Reason::Damaged,
    }
}

#[cfg(test)]
mod tests;
