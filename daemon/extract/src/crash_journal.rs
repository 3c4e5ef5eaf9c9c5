//! A journal of the documents that the daemon is reading: after a crash the next start knows which they were, and does
//! not crash on the same document for ever.
//!
//! It is a [file of slots](slot_file), one for each document that is being read. A slot is written before work begins
//! and cleared when it ends. It is not synced: it has to survive a crash of the process, not of the machine. A document
//! in a slot at the start is a suspect. Suspects are read alone, so that a second crash shows which of them caused it:
//! that one is not read again, and the others are no suspects any more.
//!
//! A caller that holds something that others may wait for, such as memory, never waits here: it continues beside a
//! suspect, and if it reads a suspect itself, it reads it beside others, where a crash has less weight.
//!
//! A daemon may also be killed while it works, which must not count against the documents being read. So a crash has
//! little weight while the daemon only waits for a worker, and none across a reboot, during an orderly stop, or if
//! another version of the extractor reads.

mod slot_file;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::slot_file::{Name, QUARANTINE_WEIGHT, SlotFile, Stage};
use crate::KeepGoing;

/// Suspects kept at a start; the rest are forgotten.
const SUSPECTS: usize = 1024;
/// Interval at which a caller that waits for others checks whether its own result is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The documents that are being read, and those that were being read at crashes.
#[derive(Debug)]
pub struct CrashJournal {
    file: SlotFile,
    slots: Mutex<Slots>,
    in_flight: Mutex<InFlight>,
    left: Condvar,
}

/// Numbers of callers under way now.
#[derive(Debug, Default)]
struct InFlight {
    /// All callers that are under way.
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
    Quarantined,
    /// It cannot be recorded.
    #[error("cannot record which documents are being read")]
    NotRecorded(#[source] io::Error),
    /// No caller waits for the document any more.
    #[error("the caller no longer waits for the document")]
    Cancelled,
}

impl CrashJournal {
    /// Reads what the previous run left in `directory`, and starts a new file from that.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let left: Vec<_> = slot_file::suspects_of(directory)?
            .into_iter()
            .take(SUSPECTS)
            .collect();
        let mut slots = Slots::default();
        for (slot, &(name, weight)) in left.iter().enumerate() {
            slots.taken.insert(slot);
            slots.suspects.insert(name, Suspect { slot, weight });
        }
        Ok(Self {
            file: SlotFile::replace(directory, &left)?,
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
    ) -> Result<JournalEntry<'_>, NotTried> {
        let is_suspect = match self.lock().suspects.get(&name) {
            Some(suspect) if suspect.weight >= QUARANTINE_WEIGHT => {
                return Err(NotTried::Quarantined);
            }
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
        let mut entry = JournalEntry {
            journal: self,
            name,
            slot,
            weight,
            is_suspect,
            alone,
            is_written: false,
        };
        self.file
            .put(slot, &name, weight, Stage::Waiting)
            .map_err(NotTried::NotRecorded)?;
        entry.is_written = true;
        Ok(entry)
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
        let mut keeps_going = true;
        while keeps_going && is_hindered(&in_flight) {
            let waited = self.left.wait_timeout(in_flight, POLL_INTERVAL);
            in_flight = waited.unwrap_or_else(PoisonError::into_inner).0;
            keeps_going = keep_going.check();
        }
        in_flight.waiting -= usize::from(alone);
        if !keeps_going {
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
        let _ = self.file.note_stopping();
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
pub struct JournalEntry<'a> {
    journal: &'a CrashJournal,
    name: Name,
    slot: usize,
    weight: u8,
    is_suspect: bool,
    alone: bool,
    /// Whether the slot identifies the document.
    is_written: bool,
}

impl JournalEntry<'_> {
    /// Notes that from here on the daemon itself works on the document.
    pub fn working(&self) {
        if self.is_suspect && !self.alone {
            // A crash may be another's fault: it keeps its low weight.
            return;
        }
        // If this fails, the crash weighs less: the document is tried once or twice more.
        let file = &self.journal.file;
        let _ = file.put(self.slot, &self.name, self.weight, Stage::Working);
    }
}

impl Drop for JournalEntry<'_> {
    fn drop(&mut self) {
        if self.is_written {
            // If this fails, the next start takes the document for a suspect and tries it alone.
            let _ = self.journal.file.clear(self.slot);
        }
        let mut slots = self.journal.lock();
        // A suspect that could not be recorded was not tried, so what is held against it stays.
        if self.is_written || !self.is_suspect {
            slots.taken.remove(&self.slot);
            slots.suspects.remove(&self.name);
        }
        drop(slots);
        self.journal.leave(self.alone);
    }
}

#[cfg(test)]
mod tests;
