//! Tape archives: V7, ustar and PAX (POSIX.1-2024, pax), GNU.

use std::cell::Cell;
use std::io::{self, BufReader, ErrorKind, Read};
use std::rc::Rc;

use simdex_extract::Reason;
use tar::{Archive, Entry};

use super::{Entries, ExactReader, Reading, reason_of};
use crate::input::Input;
use crate::sink::Sink;

/// Bytes of the headers of one entry: long names, PAX records, maps of sparse files.
const HEADER_BYTES: u64 = 1 << 20;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    read_stream(BufReader::new(input.reader()), sink)
}

/// Reads an archive from any stream.
pub(super) fn read_stream(stream: impl Read, sink: &mut Sink) -> Reading {
    let allowance = Rc::new(Cell::new(HEADER_BYTES));
    let guarded = GuardedReader {
        inner: stream,
        allowance: allowance.clone(),
    };
    let mut archive = Archive::new(guarded);
    let mut entries = Entries::new(sink);
    let Ok(mut list) = archive.entries() else {
        entries.note(Some(Reason::Damaged));
        return entries.finish();
    };
    while entries.has_room() {
        allowance.set(HEADER_BYTES);
        let mut entry = match list.next() {
            None => break,
            Some(Ok(entry)) => entry,
            Some(Err(error)) => {
                entries.note(Some(reason_of(&error)));
                break;
            }
        };
        allowance.set(u64::MAX);
        read_entry(&mut entry, &mut entries);
        // What was left unread is skipped here, so that it is not charged to the next header.
        if let Err(error) = io::copy(&mut entry, &mut io::sink()) {
            entries.note(Some(reason_of(&error)));
            break;
        }
    }
    entries.finish()
}

fn read_entry(entry: &mut Entry<'_, impl Read>, entries: &mut Entries<'_>) {
    let kind = entry.header().entry_type();
    if kind.is_symlink() || kind.is_hard_link() {
        return entries.link();
    }
    // V7 knows folders by their name only.
    let is_folder = entry.path_bytes().ends_with(b"/");
    if is_folder || !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
        entries.seen += 1;
        return;
    }
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let name = name.strip_prefix("./").unwrap_or(&name);
    let modified = entry.header().mtime().ok();
    let modified = modified.and_then(|time| i64::try_from(time).ok());
    // Holes of sparse files are not in the archive; the ratio refers to its bytes.
    let packed = entry.header().entry_size().unwrap_or(0);
    let packed = if kind.is_gnu_sparse() {
        packed
    } else {
        u64::MAX
    };
    let mut bytes = ExactReader {
        left: entry.size(),
        inner: entry,
    };
    entries.file(name, modified, packed, &mut bytes);
}

/// Fails once the allowance is spent: headers are read into memory at the length they claim.
struct GuardedReader<R> {
    inner: R,
    allowance: Rc<Cell<u64>>,
}

impl<R: Read> Read for GuardedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.allowance.get().checked_sub(read as u64);
        self.allowance.set(left.ok_or(ErrorKind::InvalidData)?);
        Ok(read)
    }
}
