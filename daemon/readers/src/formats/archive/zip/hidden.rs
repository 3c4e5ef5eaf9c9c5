//! Entries whose name another entry has too. The library keeps the last of each name; the others are found in the
//! central directory (APPNOTE §4.3.12) and read by their local headers.

use std::collections::{HashMap, HashSet};

use simdex_extract::{Outcome, Reason};

use super::super::Entries;
use super::{Archive, label, salvage};
use crate::compound::{double_word, word};
use crate::input::Input;
use crate::zip_header::local_header;

/// Length of a header of the central directory without name and the like.
const HEADER: u64 = 46;
const FILE_TYPE: u32 = 0o170_000;
const SYMLINK: u32 = 0o120_000;
/// A length or position that stands elsewhere.
const ELSEWHERE: u32 = u32::MAX;

/// An entry that the library does not give.
pub(super) struct Hidden {
    raw_name: Vec<u8>,
    flags: u16,
    method: u16,
    packed: u32,
    is_link: bool,
    /// Where its local header is.
    pub(super) start: u64,
}

impl Hidden {
    pub(super) fn packed(&self) -> u64 {
        self.packed.into()
    }
}

/// The entries of the central directory that are not in `archive`.
pub(super) fn find(archive: &Archive<'_>, input: &Input) -> Vec<Hidden> {
    let mut hidden = Vec::new();
    if !archive.has_duplicate_names() {
        return hidden;
    }
    let entries = (0..archive.len()).filter_map(|index| archive.by_index_data(index).ok());
    let known: HashSet<u64> = entries.map(|entry| entry.header_start()).collect();
    let mut at = archive.central_directory_start();
    while let Some((entry, length)) = header(input, at, archive.offset()) {
        at += length;
        if !known.contains(&entry.start) {
            hidden.push(entry);
        }
    }
    hidden
}

/// The header at this position and its length; `offset` is what precedes the archive.
fn header(input: &Input, at: u64, offset: u64) -> Option<(Hidden, u64)> {
    let fixed = input.range(at, HEADER).ok()?;
    if !fixed.starts_with(b"PK\x01\x02") {
        return None;
    }
    let lengths = [word(&fixed, 28)?, word(&fixed, 30)?, word(&fixed, 32)?].map(u64::from);
    let entry = Hidden {
        raw_name: input.range(at + HEADER, lengths[0]).ok()?,
        flags: word(&fixed, 8)?,
        method: word(&fixed, 10)?,
        packed: double_word(&fixed, 20)?,
        is_link: (double_word(&fixed, 38)? >> 16) & FILE_TYPE == SYMLINK,
        start: offset.checked_add(double_word(&fixed, 42)?.into())?,
    };
    Some((entry, HEADER + lengths.iter().sum::<u64>()))
}

/// Passes on entries that are not in `archive`, under the names that it gives to those that are.
pub(super) fn read(
    hidden: &[Hidden],
    archive: &mut Archive<'_>,
    input: &Input,
    entries: &mut Entries<'_>,
) -> Result<(), Outcome> {
    if hidden.is_empty() {
        return Ok(());
    }
    let mut labels = HashMap::new();
    for index in 0..archive.len() {
        if let Ok(raw) = archive.by_index_raw(index) {
            labels.insert(raw.name_raw().to_vec(), label(&raw));
        }
    }
    for entry in hidden {
        if !entries.has_room() {
            break;
        }
        if entry.is_link {
            entries.link();
            continue;
        }
        let plain = || String::from_utf8_lossy(&entry.raw_name).into_owned();
        let name = labels.get(&entry.raw_name).cloned().unwrap_or_else(plain);
        let local = local_header(input, entry.start).filter(|_| entry.packed != ELSEWHERE);
        let Some(mut local) = local else {
            entries.unread(&name, None, Reason::Damaged);
            continue;
        };
        // The directory counts, and knows the length of what was streamed.
        local.name = name;
        local.flags = entry.flags & !salvage::STREAMED;
        local.method = entry.method;
        local.packed = entry.packed();
        salvage::entry(input, &local, entries)?;
    }
    Ok(())
}
