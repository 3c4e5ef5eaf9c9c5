//! One tree of sled: seals values with our checksum, and maps sled's errors and panics to ours.

use std::cell::Cell;
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::Arc;

use ::sled::transaction::{ConflictableTransactionResult, TransactionError, Transactional};
use ::sled::{Db, IVec, Tree};

use super::recovery::{from_sled, guarded};
use super::seal::{TreeId, seal, unseal};
use super::writes::Writes;
use crate::store::StoreError;

/// The result of a transaction.
pub(in crate::store) type Transacted<T> = ConflictableTransactionResult<T, StoreError>;

pub(in crate::store) type VisitSealed<'a> =
    dyn FnMut(&[u8], &IVec) -> Result<ControlFlow<()>, StoreError> + 'a;

/// One tree of sled that seals what is written and checks what is read.
#[derive(Debug)]
pub(in crate::store) struct SledTree {
    pub(in crate::store) tree: Tree,
    id: TreeId,
    dir: Arc<Path>,
    writes: Writes,
}

impl SledTree {
    pub(in crate::store) fn open(
        db: &Db,
        dir: &Path,
        id: TreeId,
        writes: &Writes,
    ) -> Result<Self, StoreError> {
        let tree = guarded(|| db.open_tree(id.name()))?.map_err(|e| from_sled(dir, e))?;
        Ok(Self {
            tree,
            id,
            dir: dir.into(),
            writes: writes.clone(),
        })
    }

    /// Runs one operation of sled.
    fn run<T>(&self, operation: impl FnOnce(&Tree) -> ::sled::Result<T>) -> Result<T, StoreError> {
        self.writes.check()?;
        guarded(|| operation(&self.tree))?.map_err(|error| from_sled(&self.dir, error))
    }

    /// Runs one operation that writes so many bytes, key and value.
    fn run_write<T>(
        &self,
        bytes: usize,
        operation: impl FnOnce(&Tree) -> ::sled::Result<T>,
    ) -> Result<T, StoreError> {
        let done = self.run(operation).inspect_err(|_| self.writes.fail())?;
        if self.writes.must_wait_after(bytes) {
            self.wait_until_written()?;
        }
        Ok(done)
    }

    /// Returns once sled has written its log, so that no more than a few of its buffers ever wait.
    fn wait_until_written(&self) -> Result<(), StoreError> {
        let flushed = self.run(Tree::flush);
        flushed.map(drop).inspect_err(|_| self.writes.fail())
    }

    /// The value that was sealed.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it is not what was stored here.
    pub(in crate::store) fn unseal<'a>(
        &self,
        key: &[u8],
        sealed: &'a IVec,
    ) -> Result<&'a [u8], StoreError> {
        unseal(self.id, key, sealed).ok_or_else(|| self.corrupt(key))
    }

    /// The error for a value that is not what was stored under this key.
    pub(in crate::store) fn corrupt(&self, key: &[u8]) -> StoreError {
        StoreError::Corrupt {
            tree: self.id.name(),
            key: describe(key),
        }
    }

    /// The sealed value under a key.
    pub(in crate::store) fn read_sealed(&self, key: &[u8]) -> Result<Option<IVec>, StoreError> {
        self.run(|tree| tree.get(key))
    }

    /// The sealed value under a key, asked for this often.
    pub(in crate::store) fn read_sealed_often(
        &self,
        key: &[u8],
        uses: usize,
    ) -> Result<Option<IVec>, StoreError> {
        self.run(|tree| {
            for _ in 1..uses {
                tree.get(key)?;
            }
            tree.get(key)
        })
    }

    pub(in crate::store) fn read(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let sealed = self.read_sealed(key)?;
        sealed
            .map(|sealed| Ok(self.unseal(key, &sealed)?.to_vec()))
            .transpose()
    }

    /// Stores a value, sealed, under a key that the log keeps.
    pub(in crate::store) fn write(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let sealed = seal(self.id, key, value);
        self.put_as_it_is(key, sealed)
    }

    /// Stores bytes without a seal.
    pub(in crate::store) fn put_as_it_is(
        &self,
        key: &[u8],
        bytes: impl Into<IVec>,
    ) -> Result<(), StoreError> {
        let bytes = bytes.into();
        self.run_write(key.len() + bytes.len(), |tree| tree.insert(key, bytes))
            .map(|_previous| ())
    }

    /// Removes what is stored under a key.
    pub(in crate::store) fn remove(&self, key: &[u8]) -> Result<(), StoreError> {
        self.run_write(key.len(), |tree| tree.remove(key))
            .map(|_previous| ())
    }

    /// Does everything in this tree and others of the same database, or nothing, after a crash too. Nobody reads or
    /// writes meanwhile. What is written to the first of `trees` comes first in the log.
    pub(in crate::store) fn transact<T, Trees: Transactional<StoreError>>(
        &self,
        trees: &Trees,
        work: impl Fn(&Trees::View) -> Transacted<T>,
    ) -> Result<T, StoreError> {
        self.writes.check()?;
        let is_being_written = Cell::new(false);
        let transaction = || {
            trees.transaction(|trees| {
                let worked = work(trees);
                is_being_written.set(worked.is_ok());
                worked
            })
        };
        let done = guarded(transaction).and_then(|done| {
            done.map_err(|error| match error {
                TransactionError::Abort(error) => error,
                TransactionError::Storage(error) => from_sled(&self.dir, error),
            })
        });
        if done.is_err() && is_being_written.get() {
            self.writes.fail();
        }
        let done = done?;
        // However little it wrote, it filled two buffers.
        self.wait_until_written()?;
        Ok(done)
    }

    /// The entries (key, sealed value) from `start` on, in the order of their keys.
    pub(in crate::store) fn from<'a>(
        &'a self,
        start: &[u8],
    ) -> Result<impl Iterator<Item = Result<(IVec, IVec), StoreError>> + use<'a>, StoreError> {
        let mut entries = guarded(|| {
            self.tree
                .range::<&[u8], _>((Bound::Included(start), Bound::Unbounded))
        })?;
        let next = move || self.run(|_| entries.next().transpose()).transpose();
        Ok(std::iter::from_fn(next))
    }

    /// Visits the sealed entries from `start` on, in the order of their keys.
    pub(in crate::store) fn walk(
        &self,
        start: &[u8],
        visit: &mut VisitSealed<'_>,
    ) -> Result<(), StoreError> {
        for entry in self.from(start)? {
            let (key, sealed) = entry?;
            if visit(&key, &sealed)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    pub(in crate::store) fn verify(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        self.walk(&[], &mut |key, sealed| {
            self.unseal(key, sealed)?;
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
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
