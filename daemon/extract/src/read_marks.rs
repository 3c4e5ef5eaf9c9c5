//! Records the documents that the daemon works on before it starts on them: after a crash the next start knows
//! which they were, and does not crash on the same document for ever.
//!
//! It is a file of fixed slots, one for each document under way: its hash, its stage, and the weight of earlier
//! crashes. A slot is written before work begins and cleared when it ends, however it ends; there is no fsync, since
//! only the end of a process has to be survived. A document in a slot at the start is a suspect. Suspects are tried
//! alone, so that a second crash identifies the culprit and clears the others; the culprit is not tried again.
//!
//! A caller that holds something that others may wait for, such as memory, never waits here: it continues
//! beside a suspect, and a suspect that holds something is tried beside others, where a crash weighs less.
//!
//! A daemon may also be killed from outside while it works, which must not count against the documents under way. So a
//! crash weighs little while the daemon only waits for a worker, and nothing across a reboot, during an orderly stop,
//! or if another version of the extractor reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

use crate::{EXTRACTOR_VERSION, KeepGoing};

/// Name of the file in the data directory.
const NAME: &str = "under-way";
/// First bytes of the file.
const MAGIC: &[u8; 8] = b"SXUNDER1";
/// Bytes of the header and of each slot.
const SLOT: usize = 64;
/// Slots allocated at the start, so that a full disk does not matter.
const PREPARED: usize = 256;
/// Suspects kept at a start; the rest are forgotten.
const SUSPECTS: usize = 1024;
/// Maximum bytes read of the file: far more documents than are ever under way at once.
const LONGEST: u64 = 1 << 20;
/// Interval at which a caller that waits for others checks whether its own result is still wanted.
const PATIENCE: Duration = Duration::from_millis(100);
/// Weight from which a content is not tried again.
const GIVEN_UP: u8 = 4;

/// Offsets of the fields in the header.
const BOOT: std::ops::Range<usize> = 8..44;
const EXTRACTOR: std::ops::Range<usize> = 44..48;
const STOPPING: usize = 48;

/// BLAKE3 of a content.
type Name = [u8; 32];

/// How far a document has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
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
            Self::Waiting => GIVEN_UP / 4,
            Self::Working => GIVEN_UP / 2,
        }
    }
}

/// The documents under way, and those that were under way at crashes.
#[derive(Debug)]
pub struct Underway {
    file: File,
    slots: Mutex<Slots>,
    in_flight: Mutex<InFlight>,
    left: Condvar,
}

/// Numbers of callers under way now.
#[derive(Debug, Default)]
struct InFlight {
    /// All of them.
    under_way: usize,
    /// Suspects that wait until nothing else is under way.
    waiting: usize,
    /// Whether a suspect is being tried: every caller that can wait does.
    alone: bool,
}

/// Whether a caller may wait for others under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPolicy {
    /// The caller holds nothing that others wait for.
    MayWait,
    /// The caller holds something that others may wait for, and must continue.
    MustGoOn,
}

#[derive(Debug, Default)]
struct Slots {
    /// Slots in use.
    taken: BTreeSet<usize>,
    suspects: BTreeMap<Name, Suspect>,
}

#[derive(Debug, Clone, Copy)]
struct Suspect {
    slot: usize,
    weight: u8,
}

/// Why a document is not tried.
#[derive(Debug, thiserror::Error)]
pub enum NotTried {
    /// The daemon crashed on it, and again when it was tried alone.
    #[error("the daemon crashed twice while it worked on these bytes")]
    GivenUp,
    /// It cannot be recorded.
    #[error("cannot record which documents are being read")]
    NotMarked(#[source] io::Error),
    /// No caller waits for the document any more.
    #[error("nobody waits for the document any more")]
    Cancelled,
}

impl Underway {
    /// Reads what the previous run left in `directory`, and starts a new file from that.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let path = directory.join(NAME);
        let left = match read_own(&path) {
            Ok(bytes) => suspects_in(&bytes, &boot_id()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error),
        };
        let mut slots = Slots::default();
        let mut bytes = head(false);
        for (slot, (name, weight)) in left.into_iter().take(SUSPECTS).enumerate() {
            bytes.extend(slot_of(&name, weight, Stage::Idle));
            slots.taken.insert(slot);
            slots.suspects.insert(name, Suspect { slot, weight });
        }
        let room = SLOT * (1 + PREPARED).max(bytes.len() / SLOT);
        bytes.resize(room, 0);
        // Written beside the old one and renamed: a crash must find the old file or the new one.
        let mut new = tempfile::NamedTempFile::new_in(directory)?;
        new.write_all(&bytes)?;
        Ok(Self {
            file: new.persist(&path)?,
            slots: Mutex::new(slots),
            in_flight: Mutex::default(),
            left: Condvar::new(),
        })
    }

    /// Records that the daemon is about to have a content read. A suspect waits until nothing else is under way, and
    /// makes all others wait until it ends. Both wait only while `keep_going` allows.
    ///
    /// # Errors
    /// See [`NotTried`].
    pub fn begin(
        &self,
        name: Name,
        wait_policy: WaitPolicy,
        keep_going: &KeepGoing,
    ) -> Result<Mark<'_>, NotTried> {
        let is_suspect = match self.lock().suspects.get(&name) {
            Some(suspect) if suspect.weight >= GIVEN_UP => return Err(NotTried::GivenUp),
            suspect => suspect.is_some(),
        };
        let alone = self.join(is_suspect, wait_policy, keep_going)?;
        let mut slots = self.lock();
        let known = slots.suspects.get(&name).copied();
        let (slot, weight) = match known {
            Some(suspect) => (suspect.slot, suspect.weight),
            None => (slots.free(), 0),
        };
        slots.taken.insert(slot);
        drop(slots);
        let mut mark = Mark {
            underway: self,
            name,
            slot,
            weight,
            is_suspect,
            alone,
            is_written: false,
        };
        self.put(slot, &slot_of(&name, weight, Stage::Waiting))
            .map_err(NotTried::NotMarked)?;
        mark.is_written = true;
        Ok(mark)
    }

    /// Waits until this document may begin and counts it as under way; returns whether it runs alone until it leaves.
    fn join(
        &self,
        is_suspect: bool,
        wait_policy: WaitPolicy,
        keep_going: &KeepGoing,
    ) -> Result<bool, NotTried> {
        let mut in_flight = self.in_flight();
        let may_wait = wait_policy == WaitPolicy::MayWait;
        let alone = is_suspect && may_wait;
        let is_hindered = |in_flight: &InFlight| match alone {
            true => in_flight.under_way > 0,
            false => may_wait && (in_flight.alone || in_flight.waiting > 0),
        };
        in_flight.waiting += usize::from(alone);
        let mut is_wanted = true;
        while is_wanted && is_hindered(&in_flight) {
            let waited = self.left.wait_timeout(in_flight, PATIENCE);
            in_flight = waited.unwrap_or_else(PoisonError::into_inner).0;
            is_wanted = keep_going.check();
        }
        in_flight.waiting -= usize::from(alone);
        if !is_wanted {
            drop(in_flight);
            // Others may have been waiting for this one to begin.
            self.left.notify_all();
            return Err(NotTried::Cancelled);
        }
        in_flight.alone |= alone;
        in_flight.under_way += 1;
        Ok(alone)
    }

    fn leave(&self, was_alone: bool) {
        let mut in_flight = self.in_flight();
        in_flight.under_way -= 1;
        if was_alone {
            in_flight.alone = false;
        }
        drop(in_flight);
        self.left.notify_all();
    }

    fn in_flight(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the daemon is about to end: from here on a kill counts against no document.
    pub fn stopping(&self) {
        // If this fails, a kill within the next seconds may produce a suspect, which clears itself.
        let _ = self.file.write_all_at(&head(true), 0);
    }

    fn put(&self, slot: usize, bytes: &[u8; SLOT]) -> io::Result<()> {
        self.file.write_all_at(bytes, (SLOT * (1 + slot)) as u64)
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slots {
    /// The first slot not in use.
    fn free(&self) -> usize {
        (0..).find(|slot| !self.taken.contains(slot)).unwrap_or(0)
    }
}

/// A document under way, until this is dropped.
#[derive(Debug)]
pub struct Mark<'a> {
    underway: &'a Underway,
    name: Name,
    slot: usize,
    weight: u8,
    is_suspect: bool,
    alone: bool,
    /// Whether the slot identifies the document.
    is_written: bool,
}

impl Mark<'_> {
    /// Notes that from here on the daemon itself works on the document.
    pub fn working(&self) {
        if self.is_suspect && !self.alone {
            // A crash may be another's fault: it keeps its low weight.
            return;
        }
        // If this fails, the crash weighs less: the document is tried once or twice more.
        let bytes = slot_of(&self.name, self.weight, Stage::Working);
        let _ = self.underway.put(self.slot, &bytes);
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        if self.is_written {
            // If this fails, the next start takes the document for a suspect and tries it alone.
            let _ = self.underway.put(self.slot, &[0; SLOT]);
        }
        let mut slots = self.underway.lock();
        // A suspect that could not be recorded was not tried, so what is held against it stays.
        if self.is_written || !self.is_suspect {
            slots.taken.remove(&self.slot);
            slots.suspects.remove(&self.name);
        }
        drop(slots);
        self.underway.leave(self.alone);
    }
}

/// The content of our file, up to its maximum length; a link or a FIFO in its place is refused.
fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "under-way is not a regular file; move it away",
        ));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The suspects in a file of slots, with their weights.
fn suspects_in(bytes: &[u8], boot: &[u8; 36]) -> BTreeMap<Name, u8> {
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
fn boot_id() -> [u8; 36] {
    let said = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut id = [0; 36];
    let length = said.len().min(id.len());
    id[..length].copy_from_slice(&said[..length]);
    id
}

#[cfg(test)]
mod tests;
