//! The store on disk: a sled database of records, and one for each run of postings, each value sealed
//! with our checksum.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ::sled::Db;

use super::durable::{Durable, allocated_bytes};
use super::lock::{DirLock, mark_clean, unmark_clean};
use super::recovery::{Cleaning, LastHandle, check_kinds, from_engine, guarded, open_engine};
use super::runs::Runs;
use super::seal::TreeId;
use super::tree::SledTree;
use super::witness::Witness;
use super::{PostingStore, RecordStore, Store, StoreError};
use crate::safe_fs;

/// Under which the tree of commits keeps the number of the last.
const COMMIT_KEY: &[u8] = b"last";

/// The tree that held all postings up to format 4.
const TREE_BEFORE_RUNS: &str = "postings";
/// The records get this part of the cache, and the runs the rest.
const CACHE_OF_RECORDS: u64 = 4;

/// How to open a [`SledStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Page cache in bytes, as counted on disk; resident memory is larger. A cache below the size
    /// of the postings makes queries about ten times slower.
    pub cache_bytes: u64,
}

impl Options {
    /// For the daemon's index: 1 GiB of cache.
    pub const DAEMON: Self = Self {
        cache_bytes: 1 << 30,
    };
    /// For a scan of its own: 256 MiB of cache.
    pub const SCAN: Self = Self {
        cache_bytes: 256 << 20,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DAEMON
    }
}

/// A [`Store`] in a directory, which it locks. After a drop without [`SledStore::close`] nothing
/// committed is lost, but the next [`super::open_checked`] probes the store first.
#[derive(Debug)]
pub struct SledStore {
    // Fields drop in this order: the lock must outlive the engine.
    records: SledTree,
    runs: Runs,
    db: Db,
    commits: Commits,
    last: LastHandle,
    durable: Durable,
    dir: PathBuf,
    lock: DirLock,
}

/// The number of the last commit, in the engine and outside it.
#[derive(Debug)]
struct Commits {
    last: Mutex<u64>,
    tree: SledTree,
    witness: Witness,
}

impl Commits {
    /// # Errors
    /// [`StoreError::Damaged`] if the engine knows fewer commits than were made.
    fn open(db: &Db, dir: &Path) -> Result<Self, StoreError> {
        let tree = SledTree::open(db, dir, TreeId::Commits)?;
        let witness = Witness::open(dir)?;
        let stored = tree
            .read(COMMIT_KEY)?
            .and_then(|bytes| bytes.try_into().ok());
        let last = stored.map_or(0, u64::from_le_bytes);
        let witnessed = witness.read()?;
        if last < witnessed {
            let reason = format!("the engine lost commits {} to {witnessed}", last + 1);
            return Err(StoreError::Damaged { reason });
        }
        Ok(Self {
            last: Mutex::new(last),
            tree,
            witness,
        })
    }
}

impl SledStore {
    /// Opens the store in `dir`, creating directory and store if absent.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if it is open already, here or in another process;
    /// [`StoreError::Damaged`] if the engine finds it corrupt. A damaged store can also make this
    /// hang: see [`super::open_checked`].
    pub fn open(dir: &Path, options: Options) -> Result<Self, StoreError> {
        safe_fs::create_dir(dir).map_err(StoreError::io("create", dir))?;
        check_kinds(dir)?;
        let lock = DirLock::acquire(dir)?;
        unmark_clean(dir)?;
        let cache_of_records = options.cache_bytes / CACHE_OF_RECORDS;
        let db = open_engine(dir, cache_of_records, Cleaning::InBackground)?;
        guarded(|| db.drop_tree(TREE_BEFORE_RUNS))?.map_err(|error| from_engine(dir, error))?;
        Ok(Self {
            records: SledTree::open(&db, dir, TreeId::Records)?,
            runs: Runs::open(dir, options.cache_bytes - cache_of_records)?,
            commits: Commits::open(&db, dir)?,
            last: LastHandle::of(&db),
            db,
            durable: Durable::new(dir),
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
            commits,
            db,
            last,
            durable,
            dir,
            lock,
        } = self;
        guarded(move || drop((records, runs, commits, db)))?;
        last.close(&dir)?;
        // The engine may have moved pages while it shut down.
        durable.sync_all()?;
        mark_clean(&dir)?;
        drop(lock);
        Ok(())
    }

    /// Closes and opens again. sled writes the snapshot that makes an open fast only while
    /// opening: after a bulk load this spares the next start the reading of the whole log.
    pub fn close_and_reopen(self, options: Options) -> Result<Self, StoreError> {
        let dir = self.dir.clone();
        self.close()?;
        Self::open(&dir, options)
    }

    /// Verifies the checksum of every value; returns the numbers of records and postings.
    pub fn verify(&self) -> Result<(u64, u64), StoreError> {
        Ok((self.records.verify()?, self.runs.verify()?))
    }
}

#[cfg(test)]
impl SledStore {
    /// Closes and marks the store as closed cleanly, without the commit.
    pub(super) fn close_as_it_is(self) {
        let dir = self.dir.clone();
        self.db.flush().unwrap();
        drop(self);
        let limit = super::recovery::RELEASE_LIMIT;
        assert!(super::lock::wait_unlocked(&dir.join("db"), limit));
        mark_clean(&dir).unwrap();
    }

    /// Writes a record or posting as it is, without a seal.
    pub(super) fn put_raw(&self, id: TreeId, key: &[u8], sealed: &[u8]) {
        self.with_tree(id, |tree| tree.put_as_it_is(key, sealed.to_vec()).unwrap());
    }

    /// Reads a record or posting with its seal.
    pub(super) fn get_raw(&self, id: TreeId, key: &[u8]) -> Vec<u8> {
        self.with_tree(id, |tree| tree.tree.get(key).unwrap().unwrap().to_vec())
    }

    fn with_tree<T>(&self, id: TreeId, work: impl FnOnce(&SledTree) -> T) -> T {
        match id {
            TreeId::Records => work(&self.records),
            TreeId::Postings(run) => work(&self.runs.get(run).unwrap().blocks),
            TreeId::Commits => work(&self.commits.tree),
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
        let mut last = self
            .commits
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let number = *last + 1;
        self.commits.tree.write(COMMIT_KEY, &number.to_le_bytes())?;
        guarded(|| self.db.flush())?.map_err(|error| from_engine(&self.dir, error))?;
        self.durable.sync()?;
        self.commits.witness.write(number)?;
        *last = number;
        Ok(())
    }

    fn bytes_on_disk(&self) -> u64 {
        allocated_bytes(&self.dir)
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        SledStore::close(*self)
    }
}
