//! The store on disk: a sled database of records, and one for each run of postings, each value sealed
//! with our checksum.

use super::directory::clean::Closed;
use super::directory::lock::{DirLock, FileId};
use super::directory::{begun, clean};
use super::files::allocated_bytes;
use super::records::Records;
#[cfg(test)]
use super::records::layers::Layers;
use super::runs::RunDatabases;
use super::sled_support::recovery::{check_kinds, guarded};
#[cfg(test)]
use super::sled_support::{
    seal::{self, TreeId},
    tree::SledTree,
};
use super::{PostingStore, RecordStore, Store, StoreError};
use crate::{Cancel, safe_fs};
use std::path::{Path, PathBuf};

/// The records get this fraction of the cache, and the runs the rest.
const CACHE_OF_RECORDS: u64 = 4;

/// How to open a [`SledStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreOptions {
    /// Cache in bytes: pages of records and runs, measured by their size on disk, which is less than their resident
    /// memory; and single blocks of postings. A look-up that misses it costs some ten times one that does not.
    pub cache_bytes: u64,
}

impl StoreOptions {
    /// For the daemon's index, unless its config says otherwise: 512 MiB of cache.
    pub const DAEMON: Self = Self {
        cache_bytes: 512 << 20,
    };
    /// For the copy of a store that is verified: 256 MiB of cache.
    pub const VERIFICATION: Self = Self {
        cache_bytes: 256 << 20,
    };
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self::DAEMON
    }
}

/// A [`Store`] in a directory, which it locks. After a drop without [`SledStore::close`] nothing committed is lost, but
/// the next [`super::open_checked`] probes the store first.
#[derive(Debug)]
pub struct SledStore {
    // Fields drop in this order: the lock must outlive sled.
    records: Records,
    runs: RunDatabases,
    dir: PathBuf,
    lock: DirLock,
}

impl SledStore {
    /// Opens the store in `dir`, creating directory and store if absent.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if it is open already, here or in another process;
    /// [`StoreError::Damaged`] if sled finds it corrupt, its records are missing, or they are not those that were
    /// closed cleanly. A damaged store can also make this hang: see [`super::open_checked`].
    pub fn open(dir: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        Self::open_telling(dir, options, &|_| {})
    }

    /// Opens a store as [`SledStore::open`] does; calls `about` before it opens a run of postings, with its number.
    pub(super) fn open_telling(
        dir: &Path,
        options: StoreOptions,
        about: &dyn Fn(u32),
    ) -> Result<Self, StoreError> {
        safe_fs::create_dir(dir).map_err(StoreError::io("create", dir))?;
        check_kinds(dir)?;
        let lock = DirLock::acquire(dir)?;
        begun::check(dir)?;
        let closed = Closed::read(dir)?;
        clean::unmark(dir)?;
        let cache_of_records = options.cache_bytes / CACHE_OF_RECORDS;
        let cache_of_runs = options.cache_bytes - cache_of_records;
        let records = Records::open(dir, lock.anchor(), cache_of_records)?;
        if closed.is_some_and(|closed| !records.is_same_as(&closed)) {
            records.close()?;
            let reason = "they are not the records that were closed cleanly".to_owned();
            return Err(StoreError::Damaged { reason });
        }
        Ok(Self {
            records,
            runs: RunDatabases::open(dir, lock.anchor(), cache_of_runs, about)?,
            dir: dir.into(),
            lock,
        })
    }

    /// Commits, closes and marks the store as closed cleanly.
    pub fn close(self) -> Result<(), StoreError> {
        self.commit()?;
        let Self {
            records,
            runs,
            dir,
            lock,
        } = self;
        guarded(move || drop(runs))?;
        let closed = records.close()?;
        lock.anchor().check()?;
        closed.mark(&dir)?;
        drop(lock);
        Ok(())
    }

    /// The file that this process locks to own the store.
    pub fn lock_id(&self) -> FileId {
        self.lock.anchor().file()
    }

    /// The folder of its records, relative to the store.
    pub fn records_folder(&self) -> PathBuf {
        let dir = self.records.current().generation.dir();
        dir.strip_prefix(&self.dir)
            .map_or_else(|_| dir.clone(), Path::to_owned)
    }

    /// Closes and opens again. sled writes the snapshot that makes opening fast only while opening: after a bulk load
    /// this saves the next start the reading of the whole log.
    #[cfg(test)]
    pub(crate) fn close_and_reopen(self, options: StoreOptions) -> Result<Self, StoreError> {
        let dir = self.dir.clone();
        self.close()?;
        Self::open(&dir, options)
    }

    /// Verifies the checksum of every value, and that none is missing; returns the numbers of records and postings.
    pub fn verify(&self) -> Result<(u64, u64), StoreError> {
        let records = self.verify_records()?;
        Ok((records, self.verify_runs(&|_| {})?))
    }

    /// Verifies the checksums of records; returns their number.
    pub(super) fn verify_records(&self) -> Result<u64, StoreError> {
        self.records.verify()
    }

    /// Verifies the checksums of postings; returns the number of blocks. Calls `about` before it reads a
    /// run, with its number.
    pub(super) fn verify_runs(&self, about: &dyn Fn(u32)) -> Result<u64, StoreError> {
        self.runs.verify(about)
    }
}

#[cfg(test)]
impl SledStore {
    /// The records, to be rewritten step by step.
    pub(super) fn all_records(&self) -> &Records {
        &self.records
    }

    /// Closes and marks the store as closed cleanly, without the commit.
    pub(super) fn close_as_it_is(self) {
        let (dir, records_db) = (self.dir.clone(), self.records.current());
        records_db.db.flush().unwrap();
        let db = records_db.generation.db();
        let mut closed = Closed {
            id: self.records.id,
            commits: records_db.last_commit().unwrap(),
            db_bytes: 0,
        };
        drop((records_db, self));
        let limit = super::sled_support::recovery::RELEASE_LIMIT;
        assert!(super::directory::lock::wait_unlocked(&db, limit));
        closed.db_bytes = std::fs::metadata(&db).unwrap().len();
        closed.mark(&dir).unwrap();
    }

    /// Writes a record or posting unchanged, without a seal.
    pub(super) fn put_raw(&self, id: TreeId, key: &[u8], sealed: &[u8]) {
        self.with_tree(id, |tree| tree.put_as_it_is(key, sealed).unwrap());
    }

    /// Writes a record in one entry, however long, as before format 8.
    pub(super) fn put_in_one_entry(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Layers {
            changed,
            parts,
            summed,
            ..
        } = &self.records.current().records;
        let sealed = seal::seal(TreeId::Records, key, value);
        summed.apply(changed, parts, &[(key.into(), Some(sealed.into()))], &[])
    }

    /// Reads a record or posting with its seal.
    pub(super) fn get_raw(&self, id: TreeId, key: &[u8]) -> Vec<u8> {
        self.with_tree(id, |tree| tree.tree.get(key).unwrap().unwrap().to_vec())
    }

    fn with_tree<T>(&self, id: TreeId, work: impl FnOnce(&SledTree) -> T) -> T {
        match id {
            TreeId::Records => work(&self.records.current().records.changed),
            TreeId::Postings(run) => work(&self.runs.get(run).unwrap().blocks),
            TreeId::Commits => work(&self.records.current().commits),
            TreeId::Summed => work(&self.records.current().records.summed.tree),
            TreeId::Parts => work(&self.records.current().records.parts.tree),
            TreeId::Packed | TreeId::Removed | TreeId::Whole => {
                unreachable!("tests have no business there")
            }
        }
    }
}

impl Store for SledStore {
    fn records(&self) -> &dyn RecordStore {
        &self.records
    }

    fn postings(&self) -> &dyn PostingStore {
        &self.runs
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.records.commit()
    }

    fn compact_records(&self, min_bytes: u64, cancel: &Cancel) -> Result<bool, StoreError> {
        self.records.compact(min_bytes, cancel)
    }

    fn kept_blocks(&self) -> (u64, u64) {
        self.runs.kept_blocks()
    }

    fn bytes_on_disk(&self) -> u64 {
        allocated_bytes(&self.dir)
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        SledStore::close(*self)
    }
}
