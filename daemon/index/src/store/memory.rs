//! A store in memory: ordered maps behind locks. For tests and temporary scans; nothing survives the process and
//! `commit` does nothing.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use simdex_schema::RunId;

use super::sled_support::seal::TreeId;
use super::{
    Block, MAX_RECORD, MAX_VALUE, NewRun, PostingRun, PostingStore, RecordStore, RunWriter, Store,
    StoreError, VisitEntry, Write,
};
use crate::Cancel;

/// A [`Store`] that exists only while the process runs.
#[derive(Debug)]
pub struct MemoryStore {
    records: Map,
    runs: RwLock<BTreeMap<u32, Arc<Map>>>,
}

impl MemoryStore {
    /// A store without records and runs.
    pub fn new() -> Self {
        Self {
            records: Map::new(TreeId::Records, None),
            runs: RwLock::default(),
        }
    }
}

#[cfg(test)]
impl MemoryStore {
    /// Takes the ids of all runs away: those of formats 5 and 6 have none.
    pub(crate) fn forget_run_ids(&self) {
        for run in self.write_runs().values_mut() {
            let bare = Map::new(run.tree, None);
            bare.write().extend(run.read().clone());
            *run = Arc::new(bare);
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for MemoryStore {
    fn records(&self) -> &dyn RecordStore {
        &self.records
    }

    fn postings(&self) -> &dyn PostingStore {
        self
    }

    fn commit(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn compact_records(&self, _least: u64, _cancel: &Cancel) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn kept_blocks(&self) -> (u64, u64) {
        (0, 0)
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Debug)]
struct Map {
    tree: TreeId,
    /// The id of the run; `None` for records, and for a run without one.
    id: Option<RunId>,
    entries: RwLock<Entries>,
}

impl Map {
    fn new(tree: TreeId, id: Option<RunId>) -> Self {
        Self {
            tree,
            id,
            entries: RwLock::default(),
        }
    }

    // No code that can panic runs under the lock, so a poisoned map is still consistent.
    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Visits entries from `start` on. The lock is taken again for each entry, so that the visitor may write.
    fn walk(&self, start: &[u8], visit: &mut VisitEntry<'_>) {
        let mut bound = Bound::Included(start.to_vec());
        loop {
            let next = self
                .read()
                .range::<Vec<u8>, _>((bound.as_ref(), Bound::Unbounded))
                .next()
                .map(|(key, value)| (key.clone(), value.clone()));
            let Some((key, value)) = next else { return };
            if visit(&key, &value).is_break() {
                return;
            }
            bound = Bound::Excluded(key);
        }
    }
}

impl RecordStore for Map {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read().get(key).cloned())
    }

    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        for write in &batch {
            if let Write::Put { value, .. } = write {
                self.tree.check_len(value, MAX_RECORD)?;
            }
        }
        let mut entries = self.write();
        for write in batch {
            match write {
                Write::Put { key, value } => entries.insert(key, value),
                Write::Delete { key } => entries.remove(&key),
            };
        }
        Ok(())
    }

    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError> {
        let start = from.map_or(prefix, |from| from.max(prefix));
        self.walk(start, &mut |key, value| {
            if key.starts_with(prefix) {
                visit(key, value)
            } else {
                ControlFlow::Break(())
            }
        });
        Ok(())
    }
}

type Runs = BTreeMap<u32, Arc<Map>>;

impl MemoryStore {
    fn read_runs(&self) -> RwLockReadGuard<'_, Runs> {
        self.runs.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_runs(&self) -> RwLockWriteGuard<'_, Runs> {
        self.runs.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PostingStore for MemoryStore {
    fn runs(&self) -> Result<Vec<u32>, StoreError> {
        Ok(self.read_runs().keys().copied().collect())
    }

    fn run(&self, number: u32) -> Result<Option<Arc<dyn PostingRun>>, StoreError> {
        let run = self.read_runs().get(&number).cloned();
        Ok(run.map(|run| run as Arc<dyn PostingRun>))
    }

    fn begin_run(&self, run: NewRun) -> Result<Box<dyn RunWriter + '_>, StoreError> {
        Ok(Box::new(Writing {
            store: self,
            number: run.number,
            run: Map::new(TreeId::Postings(run.number), Some(run.id)),
        }))
    }

    fn drop_run(&self, number: u32) -> Result<(), StoreError> {
        self.write_runs().remove(&number);
        Ok(())
    }
}

struct Writing<'a> {
    store: &'a MemoryStore,
    number: u32,
    run: Map,
}

impl RunWriter for Writing<'_> {
    fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError> {
        self.run.tree.check_len(block, MAX_VALUE)?;
        self.run.write().insert(key.to_vec(), block.to_vec());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        let Self { store, number, run } = *self;
        store.write_runs().insert(number, Arc::new(run));
        Ok(())
    }
}

impl PostingRun for Map {
    fn id(&self) -> Option<RunId> {
        self.id
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read().get(key).cloned())
    }

    fn look_up(&self, key: &[u8]) -> Result<Option<Block>, StoreError> {
        Ok(PostingRun::get(self, key)?.map(Block::from))
    }

    // Everything is in memory.
    fn kept_block(&self, _key: &[u8]) -> Option<Block> {
        None
    }

    fn kept_list(&self, _key: &[u8]) -> Option<Block> {
        None
    }

    fn keep_list(&self, _key: &[u8], _list: &[u8]) {}

    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.walk(&[], &mut |key, _| visit(key));
        Ok(())
    }
}
