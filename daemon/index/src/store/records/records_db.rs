//! One database of sled with the records of a store and the number of its last commit.

use std::sync::OnceLock;

use ::sled::Db;

use super::layers::Layers;
use crate::store::StoreError;
use crate::store::directory::generation::Generation;
use crate::store::directory::lock::{Anchor, wait_unlocked};
use crate::store::directory::witness::RecordsId;
use crate::store::sled_support::durable::Durable;
use crate::store::sled_support::readable::{self, Precheck};
use crate::store::sled_support::recovery::{
    LastHandle, RELEASE_LIMIT, from_sled, guarded, open_db, panics_caught,
};
use crate::store::sled_support::seal::TreeId;
use crate::store::sled_support::tree::SledTree;

/// The key of the last commit's number in the tree of commits.
const COMMIT_KEY: &[u8] = b"last";
/// The key of the records' id in that tree.
const ID_KEY: &[u8] = b"store";
/// Replaces the number of the last commit in records that are still being copied.
pub(in crate::store) const UNFINISHED_COMMIT: u64 = u64::MAX;
/// The tree that held all postings up to format 4.
const TREE_BEFORE_RUNS: &str = "postings";

/// The database of one generation.
#[derive(Debug)]
pub(in crate::store) struct RecordsDb {
    // Fields drop in this order.
    pub(in crate::store) records: Layers,
    pub(in crate::store) commits: SledTree,
    pub(in crate::store) db: Db,
    handle: LastHandle,
    pub(in crate::store) durable: Durable,
    pub(in crate::store) generation: Generation,
    /// Set once another generation is current: the last reader of this one removes its files, since sled opens
    /// those of large values only when they are read.
    superseded: OnceLock<Superseded>,
}

impl RecordsDb {
    /// Opens the database of a generation, creating it if absent. The caller holds the `lock` of the store.
    pub(in crate::store) fn open(
        generation: Generation,
        lock: &Anchor,
        cache_bytes: u64,
    ) -> Result<Self, StoreError> {
        readable::check(&generation, Precheck::ReadAll)?;
        Self::open_readable(generation, lock, cache_bytes)
    }

    /// Opens a database again that this process has written and read; it is not read completely again, since batches
    /// and commits may wait.
    pub(in crate::store) fn reopen(
        generation: Generation,
        lock: &Anchor,
        cache_bytes: u64,
    ) -> Result<Self, StoreError> {
        readable::check(&generation, Precheck::DescriptorsOnly)?;
        Self::open_readable(generation, lock, cache_bytes)
    }

    fn open_readable(
        generation: Generation,
        lock: &Anchor,
        cache_bytes: u64,
    ) -> Result<Self, StoreError> {
        let dir = generation.dir();
        let (db, handle) = open_db(&dir, cache_bytes)?;
        panics_caught(|| db.drop_tree(TREE_BEFORE_RUNS))?
            .map_err(|error| from_sled(&dir, error))?;
        let records_db = Self {
            records: Layers::open(&db, &dir, handle.writes())?,
            commits: SledTree::open(&db, &dir, TreeId::Commits, handle.writes())?,
            handle,
            db,
            durable: Durable::new(generation.store(), &dir, lock)?,
            generation,
            superseded: OnceLock::new(),
        };
        let last = records_db.last_commit()?;
        records_db.records.summed.forget_unless_of(last)?;
        Ok(records_db)
    }

    /// The number of the last commit; 0 if there was none.
    pub(in crate::store) fn last_commit(&self) -> Result<u64, StoreError> {
        let stored = self.commits.read(COMMIT_KEY)?;
        let stored = stored.and_then(|bytes| bytes.try_into().ok());
        Ok(stored.map_or(0, u64::from_le_bytes))
    }

    /// Notes the number of a commit, after everything that was written before.
    pub(in crate::store) fn write_commit(&self, number: u64) -> Result<(), StoreError> {
        let summed = &self.records.summed;
        summed.commit(&self.commits, COMMIT_KEY, number)
    }

    /// The id of the records; `None` if they were not given one yet.
    pub(in crate::store) fn id(&self) -> Result<Option<RecordsId>, StoreError> {
        let stored = self.commits.read(ID_KEY)?;
        Ok(stored.and_then(|bytes| bytes.try_into().ok()))
    }

    /// Notes the id of the records.
    pub(in crate::store) fn write_id(&self, id: RecordsId) -> Result<(), StoreError> {
        self.commits.write(ID_KEY, &id)
    }

    /// Returns once everything written is power-safe.
    ///
    /// # Errors
    /// Immediately if a write failed: sled would wait for ever.
    pub(in crate::store) fn sync(&self) -> Result<(), StoreError> {
        self.handle.writes().check()?;
        guarded(|| self.db.flush())?.map_err(|error| from_sled(&self.generation.dir(), error))?;
        self.durable.sync()
    }

    /// Closes the database, power-safe.
    pub(in crate::store) fn close(self) -> Result<(), StoreError> {
        let Self {
            records,
            commits,
            db,
            handle,
            durable,
            generation,
            superseded: _,
        } = self;
        guarded(move || drop((records, commits, db)))?;
        handle.close(&generation.dir())?;
        // sled may have moved pages while it shut down.
        durable.sync_all()
    }

    /// Drops a database in which a write failed.
    pub(in crate::store) fn abandon(self) {
        let Self {
            records,
            commits,
            db,
            handle,
            ..
        } = self;
        drop((records, commits, db));
        handle.abandon();
    }

    /// Makes the last reader of this database remove its files, while the store has the lock that was taken.
    pub(in crate::store) fn supersede(&self, lock: &Anchor) {
        let superseded = Superseded(self.generation.clone(), lock.clone());
        let _set_before = self.superseded.set(superseded);
    }
}

/// Removes the files of a generation when it is dropped.
#[derive(Debug)]
struct Superseded(Generation, Anchor);

impl Drop for Superseded {
    fn drop(&mut self) {
        // sled releases its file a little after it is closed.
        wait_unlocked(&self.0.db(), RELEASE_LIMIT);
        if let Err(error) = self.1.check().and_then(|()| self.0.remove()) {
            let dir = self.0.dir();
            tracing::warn!(%error, dir = %dir.display(), "old records stay on the disk until the next start");
        }
    }
}
