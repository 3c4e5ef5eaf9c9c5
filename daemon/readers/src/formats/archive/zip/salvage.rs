//! Archives that are cut off: local headers are followed one after the other (APPNOTE §4.3.7).

use std::io::{BufReader, Read, Seek, SeekFrom};

use flate2::bufread::DeflateDecoder;
use simdex_extract::{Outcome, Reason};

use super::super::{Entries, ExactReader, Reading};
use crate::input::Input;
use crate::sink::Sink;
use crate::zip_header::{LocalHeader, local_header};

const ENCRYPTED: u16 = 1;
/// Sizes follow the data.
pub(super) const STREAMED: u16 = 1 << 3;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let mut entries = Entries::new(sink);
    entries.note(Some(Reason::Damaged));
    let mut at = 0;
    while let Some(header) = local_header(input, at) {
        if !entries.has_room() {
            break;
        }
        let Some(end) = entry(input, &header, &mut entries)? else {
            break;
        };
        at = end;
    }
    entries.finish()
}

/// Reads an entry and finds its end, if that can be known.
pub(super) fn entry(
    input: &Input,
    header: &LocalHeader,
    entries: &mut Entries<'_>,
) -> Result<Option<u64>, Outcome> {
    let streamed = header.flags & STREAMED != 0;
    let known_end = (!streamed).then(|| header.data.saturating_add(header.packed));
    if header.name.ends_with('/') {
        entries.seen += 1;
        return Ok(known_end);
    }
    if let Some(reason) = refusal(header) {
        entries.unread(&header.name, None, reason);
        return Ok(known_end);
    }
    let mut reader = input.reader();
    let seek = reader.seek(SeekFrom::Start(header.data));
    seek.map_err(|_| Outcome::Failed(Reason::ReadError))?;
    let left = input.len().saturating_sub(header.data);
    let packed = if streamed {
        left
    } else {
        header.packed.min(left)
    };
    let mut bytes = BufReader::new(reader.take(packed));
    if header.method == STORED {
        let mut bytes = ExactReader {
            inner: bytes,
            left: header.packed,
        };
        entries.file(&header.name, None, packed, &mut bytes);
        return Ok(known_end);
    }
    let mut inflated = DeflateDecoder::new(&mut bytes);
    let cut = entries.file(&header.name, None, packed, &mut inflated);
    let read = inflated.total_in();
    Ok(known_end.or_else(|| {
        cut.is_none()
            .then(|| after_descriptor(input, header.data + read))
    }))
}

/// Why the bytes of an entry cannot be read.
fn refusal(header: &LocalHeader) -> Option<Reason> {
    // Only a method that marks its end can be read without a length.
    let has_end =
        header.method == DEFLATED || header.method == STORED && header.flags & STREAMED == 0;
    match () {
        () if header.flags & ENCRYPTED != 0 => Some(Reason::PasswordNeeded),
        () if !has_end => Some(Reason::KindNotRead),
        () => None,
    }
}

/// The position after the sizes that follow the data: their signature is optional, and they have either width.
fn after_descriptor(input: &Input, at: u64) -> u64 {
    let bytes = input.range(at, 64).unwrap_or_default();
    let next = bytes.windows(4).position(|window| window == b"PK\x03\x04");
    next.map_or(u64::MAX, |next| at + next as u64)
}
