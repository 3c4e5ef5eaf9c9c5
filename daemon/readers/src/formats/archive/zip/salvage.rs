//! Archives that broke off: local headers followed one after the other (APPNOTE §4.3.7).

use std::io::{BufReader, Read, Seek, SeekFrom};

use flate2::bufread::DeflateDecoder;
use simdex_extract::{Outcome, Reason};

use super::super::{Entries, Exact, Reading};
use super::LOCAL_HEADER;
use crate::input::Input;
use crate::sink::Sink;

/// Names of what begins a package; its parts are no files of anybody's.
const PACKAGES: &[&str] = &[
    "[Content_Types].xml",
    "mimetype",
    "_rels/",
    "docProps/",
    "word/",
];

const ENCRYPTED: u16 = 1;
/// Sizes stand behind the data.
const STREAMED: u16 = 1 << 3;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

struct LocalHeader {
    flags: u16,
    method: u16,
    packed: u64,
    name: String,
    /// Where the data begins.
    data: u64,
}

/// Whether the first local header is whole and begins no package.
pub(crate) fn is_salvageable(input: &Input) -> bool {
    local_header(input, 0).is_some_and(|first| {
        !first.name.is_empty() && !PACKAGES.iter().any(|name| first.name.starts_with(name))
    })
}

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

/// Reads an entry and finds its end, where that can be known.
fn entry(
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
    let locked = header.flags & ENCRYPTED != 0;
    if locked || !matches!(header.method, STORED | DEFLATED) || streamed && header.method == STORED
    {
        let reason = if locked {
            Reason::PasswordNeeded
        } else {
            Reason::KindNotRead
        };
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
        let mut bytes = Exact {
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

/// What follows the sizes behind the data: their signature is optional, their width is either.
fn after_descriptor(input: &Input, at: u64) -> u64 {
    let bytes = input.range(at, 64).unwrap_or_default();
    let next = bytes.windows(4).position(|window| window == b"PK\x03\x04");
    next.map_or(u64::MAX, |next| at + next as u64)
}

fn local_header(input: &Input, at: u64) -> Option<LocalHeader> {
    let fixed = input.range(at, LOCAL_HEADER).ok()?;
    let fixed: [u8; LOCAL_HEADER as usize] = fixed.try_into().ok()?;
    if !fixed.starts_with(b"PK\x03\x04") {
        return None;
    }
    let short = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
    let packed = u32::from_le_bytes([fixed[18], fixed[19], fixed[20], fixed[21]]);
    let (name_length, extra_length) = (u64::from(short(26)), u64::from(short(28)));
    let name = input.range(at + LOCAL_HEADER, name_length).ok()?;
    (name.len() as u64 == name_length).then(|| LocalHeader {
        flags: short(6),
        method: short(8),
        packed: packed.into(),
        name: String::from_utf8_lossy(&name).into_owned(),
        data: at + LOCAL_HEADER + name_length + extra_length,
    })
}
