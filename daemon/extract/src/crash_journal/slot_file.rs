//! The file of the documents under way: a header, then slots of one length, each with the hash of a document, its stage,
//! and the weight of earlier crashes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::EXTRACTOR_VERSION;

/// Name of the file in the data directory.
pub(super) const NAME: &str = "under-way";
/// First bytes of the file.
const MAGIC: &[u8; 8] = b"SXUNDER1";
/// Bytes of the header and of each slot.
const SLOT: usize = 64;
/// Slots allocated at the start, so that a full disk does not matter.
pub(super) const PREPARED: usize = 256;
/// Maximum bytes read of the file: far more documents than are ever under way at once.
const LONGEST: u64 = 1 << 20;
/// Weight from which a content is not tried again.
pub(super) const QUARANTINE_WEIGHT: u8 = 4;

/// Offsets of the fields in the header.
const BOOT: std::ops::Range<usize> = 8..44;
pub(super) const EXTRACTOR: std::ops::Range<usize> = 44..48;
const STOPPING: usize = 48;

/// BLAKE3 of a content.
pub(super) type Name = [u8; 32];

/// How far a document has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Stage {
    /// Not under way.
    Idle = 0,
    /// The daemon waits for a worker.
    Waiting = 1,
    /// The daemon itself works on what the worker read.
    Working = 2,
}

impl Stage {
    fn from_number(number: u8) -> Self {
        match number {
            1 => Self::Waiting,
            2 => Self::Working,
            _ => Self::Idle,
        }
    }

    /// The weight that a crash at this stage adds to the document.
    fn weight(self) -> u8 {
        match self {
            Self::Idle => 0,
            Self::Waiting => QUARANTINE_WEIGHT / 4,
            Self::Working => QUARANTINE_WEIGHT / 2,
        }
    }
}

/// The open file.
#[derive(Debug)]
pub(super) struct SlotFile(pub(super) File);

impl SlotFile {
    /// Writes a new file with these suspects in its first slots, in the place of the previous one.
    pub(super) fn replace(directory: &Path, suspects: &[(Name, u8)]) -> io::Result<Self> {
        let mut bytes = head(false);
        for (name, weight) in suspects {
            bytes.extend(slot_of(name, *weight, Stage::Idle));
        }
        let room = SLOT * (1 + PREPARED).max(bytes.len() / SLOT);
        bytes.resize(room, 0);
        // Written beside the old one and renamed: a crash must find the old file or the new one.
        let beside = || {
            let mut new = tempfile::NamedTempFile::new_in(directory)?;
            new.write_all(&bytes)?;
            Ok(new.persist(directory.join(NAME))?)
        };
        new_or_overwritten(beside(), directory, &bytes).map(Self)
    }

    /// Writes a slot.
    pub(super) fn put(&self, slot: usize, name: &Name, weight: u8, stage: Stage) -> io::Result<()> {
        self.write_at(slot, &slot_of(name, weight, stage))
    }

    /// Empties a slot.
    pub(super) fn clear(&self, slot: usize) -> io::Result<()> {
        self.write_at(slot, &[0; SLOT])
    }

    /// Notes in the header that the daemon is about to end.
    pub(super) fn note_stopping(&self) -> io::Result<()> {
        self.0.write_all_at(&head(true), 0)
    }

    fn write_at(&self, slot: usize, bytes: &[u8; SLOT]) -> io::Result<()> {
        self.0.write_all_at(bytes, (SLOT * (1 + slot)) as u64)
    }
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

/// Why the previous file was not written over on a full disk.
#[derive(Debug, thiserror::Error)]
#[error("{full}; `{NAME}` cannot be written over instead")]
struct NotOverwritten {
    full: io::Error,
    source: io::Error,
}

/// The new file, or on a full disk the previous one, written over. An error on a full disk is of its kind, since it
/// passes with it, and names what kept the previous file from being written over.
pub(super) fn new_or_overwritten(
    new: io::Result<File>,
    directory: &Path,
    bytes: &[u8],
) -> io::Result<File> {
    match new {
        Err(full) if is_full(&full) => overwritten(directory, bytes).map_err(|source| {
            // Without a previous file, or with one that takes room to be written over, the full disk is the only cause.
            match source.kind() == io::ErrorKind::NotFound || is_full(&source) {
                true => full,
                false => io::Error::new(full.kind(), NotOverwritten { full, source }),
            }
        }),
        new => new,
    }
}

/// Writes over the previous file, which takes no room. A crash in this one call may lose suspects.
fn overwritten(directory: &Path, bytes: &[u8]) -> io::Result<File> {
    let file = open_own(&directory.join(NAME), OFlags::RDWR)?;
    file.write_all_at(bytes, 0)?;
    file.set_len(bytes.len() as u64)?;
    Ok(file)
}

/// The suspects that the previous run left in `directory`, with their weights.
pub(super) fn suspects_of(directory: &Path) -> io::Result<BTreeMap<Name, u8>> {
    match read_own(&directory.join(NAME)) {
        Ok(bytes) => Ok(suspects_in(&bytes, &boot_id())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

/// The content of our file, up to its maximum length; a link or a FIFO in its place is refused.
fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_own(path, OFlags::RDONLY)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn open_own(path: &Path, access: OFlags) -> io::Result<File> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "under-way is not a regular file; move it away",
        ));
    }
    Ok(file)
}

/// The suspects in a file of slots, with their weights.
pub(super) fn suspects_in(bytes: &[u8], boot: &[u8; 36]) -> BTreeMap<Name, u8> {
    let mut suspects = BTreeMap::new();
    let mut slots = bytes.chunks_exact(SLOT);
    let Some(head) = slots.next().filter(|head| head.starts_with(MAGIC)) else {
        return suspects;
    };
    if head[EXTRACTOR] != EXTRACTOR_VERSION.to_le_bytes() {
        return suspects;
    }
    let was_crash = head[BOOT] == *boot && head[STOPPING] == 0;
    for slot in slots {
        let mut name = [0; 32];
        name.copy_from_slice(&slot[..32]);
        let stage = Stage::from_number(slot[33]);
        let more = if was_crash { stage.weight() } else { 0 };
        let weight = slot[32].saturating_add(more);
        if weight > 0 {
            let known = suspects.entry(name).or_insert(weight);
            *known = weight.max(*known);
        }
    }
    suspects
}

fn slot_of(name: &Name, weight: u8, stage: Stage) -> [u8; SLOT] {
    let mut bytes = [0; SLOT];
    bytes[..32].copy_from_slice(name);
    (bytes[32], bytes[33]) = (weight, stage as u8);
    bytes
}

fn head(stopping: bool) -> Vec<u8> {
    let mut head = vec![0; SLOT];
    head[..MAGIC.len()].copy_from_slice(MAGIC);
    head[BOOT].copy_from_slice(&boot_id());
    head[EXTRACTOR].copy_from_slice(&EXTRACTOR_VERSION.to_le_bytes());
    head[STOPPING] = u8::from(stopping);
    head
}

/// Identifies this boot of the machine; zeros if the kernel does not report it.
pub(super) fn boot_id() -> [u8; 36] {
    let said = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut id = [0; 36];
    let length = said.len().min(id.len());
    id[..length].copy_from_slice(&said[..length]);
    id
}
