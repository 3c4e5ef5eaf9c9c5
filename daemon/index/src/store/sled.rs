//! The store on disk: two trees of one sled database, each value sealed with our checksum.

use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::sled::{Batch, Db, IVec, Tree};

use super::durable::{Durable, allocated_bytes};
use super::lock::{DirLock, mark_clean, unmark_clean, wait_unlocked};
use super::recovery::{check_kinds, from_engine, guarded, open_engine};
use super::seal::{TreeId, seal, unseal};
use super::witness::Witness;
use super::{
    MAX_RECORD, MAX_VALUE, PostingStore, RecordStore, Store, StoreError, VisitEntry, Write,
};
use crate::private;

/// How long a close waits for the engine's background threads to let go of its file.
pub(super) const RELEASE_LIMIT: Duration = Duration::from_secs(10);

/// Under which the tree of commits keeps the number of the last.
const COMMIT_KEY: &[u8] = b"last";

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
    postings: SledTree,
    db: Db,
    commits: Commits,
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
        private::create_dir(dir).map_err(StoreError::io("create", dir))?;
        check_kinds(dir)?;
        let lock = DirLock::acquire(dir)?;
        unmark_clean(dir)?;
        let db = open_engine(dir, options.cache_bytes)?;
        Ok(Self {
            records: SledTree::open(&db, dir, TreeId::Records)?,
            postings: SledTree::open(&db, dir, TreeId::Postings)?,
            commits: Commits::open(&db, dir)?,
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
            postings,
            commits,
            db,
            durable,
            dir,
            lock,
        } = self;
        guarded(move || drop((records, postings, commits, db)))?;
        if !wait_unlocked(&dir.join("db"), RELEASE_LIMIT) {
            let reason = format!("engine did not close within {RELEASE_LIMIT:?}");
            return Err(StoreError::Damaged { reason });
        }
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
        Ok((self.records.verify()?, self.postings.verify()?))
    }
}

#[cfg(test)]
impl SledStore {
    /// Closes and marks the store as closed cleanly, without the commit.
    pub(super) fn close_as_it_is(self) {
        let dir = self.dir.clone();
        self.db.flush().unwrap();
        drop(self);
        assert!(wait_unlocked(&dir.join("db"), RELEASE_LIMIT));
        mark_clean(&dir).unwrap();
    }

    /// Writes a record or posting as it is, without a seal.
    pub(super) fn put_raw(&self, id: TreeId, key: &[u8], sealed: &[u8]) {
        self.tree(id).tree.insert(key, sealed).unwrap();
    }

    /// Reads a record or posting with its seal.
    pub(super) fn get_raw(&self, id: TreeId, key: &[u8]) -> Vec<u8> {
        self.tree(id).tree.get(key).unwrap().unwrap().to_vec()
    }

    fn tree(&self, id: TreeId) -> &SledTree {
        match id {
            TreeId::Records => &self.records,
            TreeId::Postings => &self.postings,
            TreeId::Commits => &self.commits.tree,
        }
    }
}

impl Store for SledStore {
    fn records(&self) -> &dyn RecordStore {
        &self.records
    }

    fn postings(&self) -> &dyn PostingStore {
        &self.postings
    }

    fn commit(&self) -> Result<(), StoreError> {
        let mut last = self
            .commits
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let number = *last + 1;
        self.commits.tree.put(COMMIT_KEY, &number.to_le_bytes())?;
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

type VisitSealed<'a> = dyn FnMut(&[u8], &IVec) -> Result<ControlFlow<()>, StoreError> + 'a;

/// One tree of the engine, sealing what goes in and checking what comes out.
#[derive(Debug)]
struct SledTree {
    tree: Tree,
    id: TreeId,
    dir: Arc<Path>,
}

impl SledTree {
    fn open(db: &Db, dir: &Path, id: TreeId) -> Result<Self, StoreError> {
        let tree = guarded(|| db.open_tree(id.name()))?.map_err(|e| from_engine(dir, e))?;
        Ok(Self {
            tree,
            id,
            dir: dir.into(),
        })
    }

    /// Runs one operation of the engine.
    fn run<T>(&self, operation: impl FnOnce(&Tree) -> ::sled::Result<T>) -> Result<T, StoreError> {
        guarded(|| operation(&self.tree))?.map_err(|error| from_engine(&self.dir, error))
    }

    fn check_len(&self, value: &[u8], max: usize) -> Result<(), StoreError> {
        let len = value.len();
        if len > max {
            return Err(StoreError::TooLarge {
                tree: self.id.name(),
                len,
                max,
            });
        }
        Ok(())
    }

    fn unseal<'a>(&self, key: &[u8], sealed: &'a IVec) -> Result<&'a [u8], StoreError> {
        unseal(self.id, key, sealed).ok_or_else(|| StoreError::Corrupt {
            tree: self.id.name(),
            key: describe(key),
        })
    }

    fn read(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let sealed = self.run(|tree| tree.get(key))?;
        sealed
            .map(|sealed| Ok(self.unseal(key, &sealed)?.to_vec()))
            .transpose()
    }

    /// Visits the sealed entries from `start` on, in key order.
    fn walk(&self, start: &[u8], visit: &mut VisitSealed<'_>) -> Result<(), StoreError> {
        let mut entries = self
            .tree
            .range::<&[u8], _>((Bound::Included(start), Bound::Unbounded));
        while let Some((key, sealed)) = self.run(|_| entries.next().transpose())? {
            if visit(&key, &sealed)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn verify(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        self.walk(&[], &mut |key, sealed| {
            self.unseal(key, sealed)?;
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }
}

impl RecordStore for SledTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(key)
    }

    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let mut writes = Batch::default();
        for write in batch {
            match write {
                Write::Put { key, value } => {
                    self.check_len(&value, MAX_RECORD)?;
                    let sealed = seal(self.id, &key, &value);
                    writes.insert(key, sealed);
                }
                Write::Delete { key } => writes.remove(key),
            }
        }
        self.run(|tree| tree.apply_batch(writes))
    }

    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError> {
        let start = from.map_or(prefix, |from| from.max(prefix));
        self.walk(start, &mut |key, sealed| {
            if !key.starts_with(prefix) {
                return Ok(ControlFlow::Break(()));
            }
            Ok(visit(key, self.unseal(key, sealed)?))
        })
    }
}

impl PostingStore for SledTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(key)
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.check_len(value, MAX_VALUE)?;
        let sealed = seal(self.id, key, value);
        self.run(|tree| tree.insert(key, sealed))
            .map(|_previous| ())
    }

    fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        self.run(|tree| tree.remove(key)).map(|_previous| ())
    }

    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.walk(&[], &mut |key, _sealed| Ok(visit(key)))
    }
}

/// A key in hexadecimal, at most 32 bytes of it.
fn describe(key: &[u8]) -> String {
    let shown: String = key
        .iter()
        .take(32)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if key.len() > 32 {
        format!("{shown}…")
    } else {
        shown
    }
}
