//! Tape archives: V7, ustar and PAX (POSIX.1-2024, pax), GNU.
//!
//! A hard link has the bytes of another entry, and is a member with these bytes. They have gone by when it is met, so
//! that an archive with such links is read again for them.

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

/// How often an archive is read again for hard links: each time all files that have links give one.
const MAX_PASSES: usize = 8;

/// A name of a file that has another one.
struct HardLink {
    name: String,
    /// The name of the entry with the bytes.
    target: String,
    modified: Option<i64>,
}

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let again = || Some(BufReader::new(input.reader()));
    read_stream(BufReader::new(input.reader()), again, sink)
}

/// Reads an archive from any stream; `again` opens the stream once more.
pub(super) fn read_stream<R: Read>(
    stream: impl Read,
    again: impl Fn() -> Option<R>,
    sink: &mut Sink,
) -> Reading {
    let mut entries = Entries::new(sink);
    let mut links = Vec::new();
    each_entry(stream, &mut entries, |entry, entries| {
        links.extend(read_entry(entry, entries));
    });
    for _ in 0..MAX_PASSES {
        let left = links.len();
        let Some(stream) = again().filter(|_| left > 0 && entries.partial.is_none()) else {
            break;
        };
        each_entry(stream, &mut entries, |entry, entries| {
            let Some(name) = file_name(entry) else { return };
            if let Some(at) = links.iter().position(|link| link.target == name) {
                let HardLink { name, modified, .. } = links.swap_remove(at);
                write(entry, &name, modified, entries);
            }
        });
        if links.len() == left {
            break;
        }
    }
    // Links to what is not in the archive, and those that were not read again.
    links.iter().for_each(|_| entries.link());
    entries.finish()
}

/// Calls `take` with each entry, as far as the archive is sound and there is room.
fn each_entry<R: Read>(
    stream: R,
    entries: &mut Entries<'_>,
    mut take: impl FnMut(&mut Entry<'_, GuardedReader<R>>, &mut Entries<'_>),
) {
    let allowance = Rc::new(Cell::new(HEADER_BYTES));
    let guarded = GuardedReader {
        inner: stream,
        allowance: allowance.clone(),
    };
    let mut archive = Archive::new(guarded);
    let Ok(mut list) = archive.entries() else {
        return entries.note(Some(Reason::Damaged));
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
        take(&mut entry, entries);
        // What was left unread is skipped here, so that it is not charged to the next header.
        if let Err(error) = io::copy(&mut entry, &mut io::sink()) {
            entries.note(Some(reason_of(&error)));
            break;
        }
    }
}

/// Passes on an entry if it is a file; returns it if it is a hard link.
fn read_entry(entry: &mut Entry<'_, impl Read>, entries: &mut Entries<'_>) -> Option<HardLink> {
    let kind = entry.header().entry_type();
    if kind.is_hard_link() {
        let target = entry.link_name_bytes()?;
        return Some(HardLink {
            name: label(&entry.path_bytes()),
            target: label(&target),
            modified: modified(entry),
        });
    }
    if kind.is_symlink() {
        entries.link();
        return None;
    }
    match file_name(entry) {
        Some(name) => write(entry, &name, modified(entry), entries),
        None => entries.seen += 1,
    }
    None
}

/// The name of an entry with bytes.
fn file_name(entry: &Entry<'_, impl Read>) -> Option<String> {
    let kind = entry.header().entry_type();
    let path = entry.path_bytes();
    // V7 knows folders by their name only.
    let is_file = kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse();
    (is_file && !path.ends_with(b"/")).then(|| label(&path))
}

fn label(path: &[u8]) -> String {
    let name = String::from_utf8_lossy(path);
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

fn modified(entry: &Entry<'_, impl Read>) -> Option<i64> {
    let time = entry.header().mtime().ok();
    time.and_then(|time| i64::try_from(time).ok())
}

/// Passes on the bytes of an entry under a name.
fn write(
    entry: &mut Entry<'_, impl Read>,
    name: &str,
    modified: Option<i64>,
    entries: &mut Entries<'_>,
) {
    // Holes of sparse files are not in the archive; the ratio refers to its bytes.
    let packed = match entry.header().entry_type().is_gnu_sparse() {
        true => entry.header().entry_size().unwrap_or(0),
        false => u64::MAX,
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
