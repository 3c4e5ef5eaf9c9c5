//! The two interfaces between the index and its storage: *records* (atomic batches, ordered scans) and *postings* (runs
//! of blocks, each written once and read by key alone). Everything else in this crate sees only these traits.
//!
//! Two implementations: [`SledStore`] on disk, [`MemoryStore`] for tests and temporary scans. [`Hooked`] wraps
//! either, reports its errors and lets tests inject them.
//!
//! A write of records goes [`Hooked`] → [`SledStore`] → `Records` → `RecordsDb` → `Layers` → `Summed` →
//! `SledTree`; a block of postings goes [`Hooked`] → `RunDatabases` → `Builder` → `SledTree`.
//!
//! * `records`: the records on disk, their generations, and how they are rewritten;
//! * `runs`: the runs of postings on disk, and the cache of their blocks;
//! * `examine`: a child process that finds out whether a store on disk is damaged;
//! * `directory`: the files beside the databases of a store: its lock, its marks, its witness, its leftovers, and which
//!   database has the records (`generation`);
//! * `files`: files and directories, and their way to stable storage;
//! * `sled_support`: sled with checksums, durability, recovery and our errors; otherwise only `records` and `runs`,
//!   which hold the databases, use sled's types.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use simdex_schema::RunId;

use crate::Cancel;

#[cfg(test)]
mod contract;
mod directory;
mod examine;
mod files;
mod hooked;
mod memory;
mod records;
mod runs;
mod short_memory;
mod sled;
mod sled_support;
#[cfg(test)]
mod tests;

pub use crate::aside::last_of as last_set_aside;
pub use directory::lock::FileId;
pub use directory::strays::strays;
pub use directory::witness::is_damaged as witness_is_damaged;
pub use examine::checked::{
    CheckedStore, Damage, open_checked, open_checked_telling, open_examined, open_in_place,
    probe_time_limit,
};
pub use examine::copy::{Observed, copy_aside};
pub use examine::probe::{ProbeResult, probe, probe_main};
pub use hooked::{BeforeOperation, Hooked, Hooks, OnFailure, Operation};
pub use memory::MemoryStore;
pub use sled::{SledStore, StoreOptions};
pub use sled_support::conf::damaged_settings;
pub use sled_support::recovery::is_panic_handled;
pub use sled_support::under_way::oldest_call;

/// Largest posting block accepted, in bytes. sled reads whole leaves of 16 values, and a leaf
/// above 128 KiB becomes a file of its own, so blocks must stay well below 8 KiB.
pub const MAX_VALUE: usize = 4 << 10;

/// Largest record accepted, in bytes; those above some kilobytes are stored in parts. It only bounds what a fault can
/// write.
pub const MAX_RECORD: usize = 16 << 20;

/// A random id that nothing else has.
pub(crate) fn random_id() -> Result<[u8; 16], StoreError> {
    let mut id = [0; 16];
    let filled = rustix::rand::getrandom(&mut id, rustix::rand::GetRandomFlags::empty());
    match filled {
        Ok(16) => Ok(id),
        _ => Err(StoreError::Internal(
            "the kernel returns no random bytes".to_owned(),
        )),
    }
}

/// One change of a record batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Stores `value` under `key`, replacing what was there.
    Put {
        /// Key of the record.
        key: Vec<u8>,
        /// Its new value, of at most [`MAX_RECORD`] bytes.
        value: Vec<u8>,
    },
    /// Removes `key`; no error if it is absent.
    Delete {
        /// Key of the record.
        key: Vec<u8>,
    },
}

impl Write {
    fn key(&self) -> &[u8] {
        match self {
            Self::Put { key, .. } | Self::Delete { key } => key,
        }
    }

    /// Bytes of the key and the value.
    fn bytes(&self) -> usize {
        match self {
            Self::Put { key, value } => key.len() + value.len(),
            Self::Delete { key } => key.len(),
        }
    }
}

/// Takes one entry (key, value) of a scan and says whether to continue.
pub type VisitEntry<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// Records: atomic batches, ordered scans.
pub trait RecordStore: Send + Sync {
    /// The value stored under `key`.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Applies all writes or none, after a crash too. If a key occurs twice, the later write wins. Readers wait
    /// meanwhile: keep batches to some thousands of writes.
    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError>;

    /// Visits the entries whose key starts with `prefix`, in key order, beginning at `from`
    /// (inclusive) if given. The visitor ends the scan by returning [`ControlFlow::Break`]. Writes
    /// made during the scan, by the visitor too, may or may not be seen.
    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError>;
}

/// Postings: runs of blocks, identified by number. A run is complete before anybody reads it and never changes. A
/// record elsewhere says which runs count.
pub trait PostingStore: Send + Sync {
    /// The numbers of all finished runs, ascending.
    fn runs(&self) -> Result<Vec<u32>, StoreError>;

    /// A run for reading; `None` if there is none of this number. It can be read to its end even if it is dropped
    /// meanwhile.
    fn run(&self, number: u32) -> Result<Option<Arc<dyn PostingRun>>, StoreError>;

    /// Begins a run.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] if it would not fit on the disk; nothing was changed then.
    fn begin_run(&self, run: NewRun) -> Result<Box<dyn RunWriter + '_>, StoreError>;

    /// Removes a run; no error if there is none. Call it only when no record that survives a power cut names the run.
    fn drop_run(&self, number: u32) -> Result<(), StoreError>;
}

/// A run that is to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NewRun {
    /// Its number, unique as long as the run exists.
    pub number: u32,
    /// Distinguishes it from all other runs of this number.
    pub id: RunId,
    /// Runs that exist and will stay: each is several times as large as the next, so this says how large the new one is
    /// compared with them.
    pub older: usize,
    /// About how many bytes of blocks it will hold.
    pub bytes: u64,
}

/// A run being written; if it is dropped before it is finished, it leaves nothing.
pub trait RunWriter {
    /// Adds a block of at most [`MAX_VALUE`] bytes. Keys ascend.
    fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError>;

    /// Returns once the run is complete and power-safe.
    fn finish(self: Box<Self>) -> Result<(), StoreError>;
}

/// A block of postings, shared by all its readers.
pub type Block = Arc<[u8]>;

/// A run, finished: blocks by key alone.
pub trait PostingRun: Send + Sync {
    /// The id it was begun with; `None` for a run that was written before runs had ids.
    fn id(&self) -> Option<RunId>;

    /// The block stored under `key`, for a caller that reads the whole run once.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Reads a block for a caller that looks up one key among many: the block stays in memory for the next one.
    fn look_up(&self, key: &[u8]) -> Result<Option<Block>, StoreError>;

    /// The block under `key`, if it is in memory.
    fn kept_block(&self, key: &[u8]) -> Option<Block>;

    /// The list that [`PostingRun::keep_list`] cached, if it is still there.
    fn kept_list(&self, key: &[u8]) -> Option<Block>;

    /// Caches the list that was found in a block that is not in memory: it takes a small part of the memory of the
    /// block, so more of what is asked for again is found.
    fn keep_list(&self, key: &[u8], list: &[u8]);

    /// Visits every key in unspecified order, for verification.
    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError>;
}

/// A store of records and postings, with its commit.
pub trait Store: Send + Sync {
    /// The records of the store.
    fn records(&self) -> &dyn RecordStore;

    /// Its runs of postings.
    fn postings(&self) -> &dyn PostingStore;

    /// Returns once everything written before is power-safe. The caller should group commits: each costs several
    /// fsyncs.
    fn commit(&self) -> Result<(), StoreError>;

    /// Rewrites the records if they take more than `min_bytes` bytes of disk and more than twice their live bytes;
    /// returns whether that was done. They can be read and written meanwhile.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] and [`StoreError::NotRewritten`] if it could not be done; nothing was changed then.
    fn compact_records(&self, min_bytes: u64, cancel: &Cancel) -> Result<bool, StoreError>;

    /// Bytes of the looked-up blocks that are cached in memory, and the limit; part of the cache of the store.
    fn kept_blocks(&self) -> (u64, u64);

    /// Space taken on disk, in bytes of allocated blocks; 0 for a store in memory.
    fn bytes_on_disk(&self) -> u64;

    /// Commits and closes, so that the next start does not suspect a crash.
    fn close(self: Box<Self>) -> Result<(), StoreError>;
}

/// What can go wrong with a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process (or another handle of this one) has the store open.
    #[error("store {} is in use by another process", dir.display())]
    Locked {
        /// Directory of the store.
        dir: PathBuf,
    },
    /// A write failed half-way, and sled keeps the database until this process ends.
    #[error(
        "a write to the store {} failed half-way, and this process cannot close it",
        dir.display()
    )]
    Unclosed {
        /// Directory of the database.
        dir: PathBuf,
    },
    /// A value does not match its checksum; it was not served.
    #[error("corrupt value in {tree} at key {key}")]
    Corrupt {
        /// Which tree: `records` or `postings`.
        tree: &'static str,
        /// The key in hexadecimal, shortened if long.
        key: String,
    },
    /// sled found its own files damaged, failed in an unexpected way, or hangs. The whole store is suspect.
    #[error("store is damaged: {reason}")]
    Damaged {
        /// What sled said.
        reason: String,
    },
    /// A value above [`MAX_VALUE`] (postings) or [`MAX_RECORD`] (records).
    #[error("value of {len} bytes for {tree} exceeds {max}")]
    TooLarge {
        /// Which tree: `records` or `postings`.
        tree: &'static str,
        /// Bytes of the value.
        len: usize,
        /// Maximum bytes of a value of this tree.
        max: usize,
    },
    /// An fsync failed: what was written since the last commit may be lost even if a later fsync succeeds, so the store
    /// accepts no further commit until it is opened again.
    #[error("an earlier sync of the store failed")]
    SyncFailed,
    /// Another file now has the path of one that was opened: the directory was restored or exchanged meanwhile, and
    /// what was written since is where nobody will look for it. Nothing more is acknowledged.
    #[error("{} was replaced while the store was open", path.display())]
    Replaced {
        /// Path of the file that was replaced.
        path: PathBuf,
    },
    /// There is no room for a copy of the store, a run of postings, or rewritten records.
    #[error("{} has {free} bytes free, and {needed} are needed", dir.display())]
    NoRoom {
        /// Where it was to be made.
        dir: PathBuf,
        /// Bytes that it would take.
        needed: u64,
        /// Bytes that are free on the disk.
        free: u64,
    },
    /// The records could not be rewritten; nothing was changed.
    #[error("the records were not rewritten")]
    NotRewritten {
        /// The error that ended the rewrite.
        source: Box<StoreError>,
    },
    /// The disk became full while a run of postings was written; nothing was changed.
    #[error("a run of postings was not written")]
    RunNotWritten {
        /// The error that ended it.
        source: Box<StoreError>,
    },
    /// The operating system refused an operation on a file of the store.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, e.g. `open`.
        action: &'static str,
        /// The file or directory concerned.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The machine lacks something sled needs, or a disk fails: nothing is known to be wrong with the store.
    #[error("the machine, not the store, is at fault: {reason}")]
    Machine {
        /// What sled said.
        reason: String,
    },
    /// sled reported any other error, or an earlier one keeps it from being used.
    #[error("storage engine: {0}")]
    Sled(String),
    /// The store cannot do what was asked, and sled is not the reason.
    #[error("{0}")]
    Internal(String),
    /// It could not be determined whether the store is sound, for instance because memory was short. The store was left
    /// as it is.
    #[error(
        "the store {} was found neither sound nor damaged ({reason}); it was left as it is, try again",
        dir.display()
    )]
    ProbeInconclusive {
        /// Directory of the store.
        dir: PathBuf,
        /// How the probe ended.
        reason: String,
    },
}

impl StoreError {
    /// The fault of a process that was short of memory: it says nothing about the store.
    fn for_want_of_memory(self) -> Self {
        match self {
            Self::Damaged { reason } => Self::Internal(format!("memory was short: {reason}")),
            other => other,
        }
    }

    /// Whether another file now has the path of one that was opened, so that this is another store by now.
    pub fn is_replaced(&self) -> bool {
        match self {
            Self::Replaced { .. } => true,
            Self::NotRewritten { source } => source.is_replaced(),
            _ => false,
        }
    }

    /// For `map_err` on operations of `std::io`.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
