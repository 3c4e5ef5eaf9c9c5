//! One tree of the engine: values sealed with our checksum, and the engine's errors and panics told in
//! our words.

use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::Arc;

use ::sled::{Batch, Db, IVec, Tree};

use super::recovery::{from_engine, guarded};
use super::seal::{TreeId, seal, unseal};
use super::{MAX_RECORD, RecordStore, StoreError, VisitEntry, Write};

pub(super) type VisitSealed<'a> =
    dyn FnMut(&[u8], &IVec) -> Result<ControlFlow<()>, StoreError> + 'a;

/// One tree of the engine, sealing what goes in and checking what comes out.
#[derive(Debug)]
pub(super) struct SledTree {
    pub(super) tree: Tree,
    id: TreeId,
    dir: Arc<Path>,
}

impl SledTree {
    pub(super) fn open(db: &Db, dir: &Path, id: TreeId) -> Result<Self, StoreError> {
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

    /// The value that was sealed.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] where it is another than was stored here.
    pub(super) fn unseal<'a>(&self, key: &[u8], sealed: &'a IVec) -> Result<&'a [u8], StoreError> {
        unseal(self.id, key, sealed).ok_or_else(|| StoreError::Corrupt {
            tree: self.id.name(),
            key: describe(key),
        })
    }

    pub(super) fn read(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let sealed = self.run(|tree| tree.get(key))?;
        sealed
            .map(|sealed| Ok(self.unseal(key, &sealed)?.to_vec()))
            .transpose()
    }

    /// Stores a value, sealed, under a key that the log keeps.
    pub(super) fn write(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let sealed = seal(self.id, key, value);
        self.put_as_it_is(key, sealed)
    }

    /// Stores bytes without a seal.
    pub(super) fn put_as_it_is(
        &self,
        key: &[u8],
        bytes: impl Into<IVec>,
    ) -> Result<(), StoreError> {
        let bytes = bytes.into();
        self.run(|tree| tree.insert(key, bytes)).map(|_previous| ())
    }

    /// Visits the sealed entries from `start` on, in key order.
    pub(super) fn walk(&self, start: &[u8], visit: &mut VisitSealed<'_>) -> Result<(), StoreError> {
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

    pub(super) fn verify(&self) -> Result<u64, StoreError> {
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
                    self.id.check_len(&value, MAX_RECORD)?;
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
