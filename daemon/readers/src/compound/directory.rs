//! The directory of a compound file [MS-CFB] §2.6: entries whose siblings form a binary tree.

use super::{FIRST_MARK, double_word, quad_word, word};

/// Bytes of an entry; its name takes at most 32 UTF-16 units.
const ENTRY_BYTES: usize = 128;
/// Maximum number of entries.
const MAX_ENTRIES: usize = 1 << 20;
/// Seconds from 1601 to 1970.
const EPOCH_1601: i64 = 11_644_473_600;

/// A storage or a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) is_storage: bool,
    /// Bytes of the stream, as stated in the directory.
    pub(crate) size: u64,
    /// Class of the object that a storage holds.
    pub(crate) class: [u8; 16],
    /// Last change of a storage, in seconds since 1970.
    pub(crate) modified: Option<i64>,
    pub(super) start: u32,
    pub(super) children: Vec<usize>,
}

/// Entries by number, with children only if the tree of the root reaches them. Sizes have 64 bits only in `wide` files;
/// old writers left garbage in the high half.
pub(super) fn entries(directory: &[u8], wide: bool) -> Vec<Entry> {
    let (raw, _) = directory.as_chunks::<ENTRY_BYTES>();
    let raw = &raw[..raw.len().min(MAX_ENTRIES)];
    let mut entries: Vec<Entry> = raw.iter().map(|bytes| entry(bytes, wide)).collect();
    // Each entry has one place: one that is reached again is a loop or a lie.
    let mut placed = vec![false; raw.len()];
    let mut storages = vec![0];
    while let Some(storage) = storages.pop() {
        let first = raw.get(storage).and_then(|bytes| double_word(bytes, 76));
        let children = siblings(raw, first, &mut placed);
        storages.extend(children.iter().filter(|&&child| entries[child].is_storage));
        if let Some(entry) = entries.get_mut(storage) {
            entry.children = children;
        }
    }
    entries
}

/// The tree of siblings around `first`, from left to right.
fn siblings(raw: &[[u8; ENTRY_BYTES]], first: Option<u32>, placed: &mut [bool]) -> Vec<usize> {
    let mut found = Vec::new();
    // Numbers to visit; those whose left side is done are marked.
    let mut pending = vec![(first.unwrap_or(FIRST_MARK) as usize, false)];
    while let Some((number, left_done)) = pending.pop() {
        let Some(bytes) = raw.get(number) else {
            continue;
        };
        let sibling = |at| (double_word(bytes, at).unwrap_or(FIRST_MARK) as usize, false);
        if left_done {
            if matches!(bytes[66], 1 | 2) {
                found.push(number);
            }
            pending.push(sibling(72));
        } else if number != 0 && !std::mem::replace(&mut placed[number], true) {
            pending.push((number, true));
            pending.push(sibling(68));
        }
    }
    found
}

fn entry(bytes: &[u8], wide: bool) -> Entry {
    let units = usize::from(word(bytes, 64).unwrap_or(0)).min(64) / 2;
    let units = (0..units).filter_map(|unit| word(bytes, 2 * unit));
    let units: Vec<u16> = units.take_while(|&unit| unit != 0).collect();
    let size = quad_word(bytes, 120).unwrap_or(0);
    Entry {
        name: String::from_utf16_lossy(&units),
        is_storage: matches!(bytes[66], 1 | 5),
        size: if wide { size } else { size & 0xffff_ffff },
        class: bytes[80..].first_chunk().copied().unwrap_or_default(),
        modified: quad_word(bytes, 108).and_then(seconds_since_1970),
        start: double_word(bytes, 116).unwrap_or(FIRST_MARK),
        children: Vec::new(),
    }
}

/// Converts from 100 ns since 1601; 0 means unknown.
pub(crate) fn seconds_since_1970(filetime: u64) -> Option<i64> {
    let seconds = i64::try_from(filetime / 10_000_000).ok()?;
    (filetime != 0).then_some(seconds - EPOCH_1601)
}
