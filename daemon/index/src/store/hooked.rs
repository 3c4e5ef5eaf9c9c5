//! A store wrapper that reports errors and lets tests inject them.

use std::ops::ControlFlow;
use std::sync::Arc;

use simdex_schema::RunId;

use super::sled_support::under_way::counted;
use super::{
    Block, NewRun, PostingRun, PostingStore, RecordStore, RunWriter, Store, StoreError, VisitEntry,
    Write,
};
use crate::Cancel;

/// An operation on a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reading records or postings.
    Read,
    /// Writing records or postings.
    Write,
    /// Making everything power-safe.
    Commit,
}

/// Called before an operation, as part of it; an error it returns is the operation's.
pub type BeforeOperation = dyn Fn(Operation) -> Result<(), StoreError> + Send + Sync;
/// Called with an error that an operation ended with.
pub type OnFailure = dyn Fn(&StoreError) + Send + Sync;

/// Functions called around every operation on a store; by default none.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Called before each operation, which fails with the error that it returns; for tests.
    pub before: Option<Arc<BeforeOperation>>,
    /// Called with the error of every failed operation, whoever called the store.
    pub failed: Option<Arc<OnFailure>>,
}

/// A store with [`Hooks`].
pub struct Hooked {
    store: Box<dyn Store>,
    hooks: Hooks,
}

impl Hooked {
    /// Wraps a store with hooks.
    pub fn new(store: Box<dyn Store>, hooks: Hooks) -> Self {
        Self { store, hooks }
    }

    fn run<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.hooks.around(operation, || work(&*self.store))
    }
}

impl Hooks {
    fn around<T>(
        &self,
        operation: Operation,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let before = self.before.as_ref();
        let allowed = before.map_or(Ok(()), |before| counted(|| before(operation)));
        self.report_failure(allowed.and_then(|()| work()))
    }

    fn report_failure<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if let (Err(error), Some(failed)) = (&done, &self.failed) {
            failed(error);
        }
        done
    }
}

impl Store for Hooked {
    fn records(&self) -> &dyn RecordStore {
        self
    }

    fn postings(&self) -> &dyn PostingStore {
        self
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.run(Operation::Commit, |store| store.commit())
    }

    fn compact_records(&self, min_bytes: u64, cancel: &Cancel) -> Result<bool, StoreError> {
        // Nobody waits for it, and if it fails nothing was changed.
        self.hooks
            .report_failure(self.store.compact_records(min_bytes, cancel))
    }

    fn kept_blocks(&self) -> (u64, u64) {
        self.store.kept_blocks()
    }

    fn bytes_on_disk(&self) -> u64 {
        self.store.bytes_on_disk()
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        let Self { store, hooks } = *self;
        hooks
            .before
            .map_or(Ok(()), |before| before(Operation::Commit))?;
        store.close()
    }
}

impl RecordStore for Hooked {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.run(Operation::Read, |store| store.records().get(key))
    }

    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.run(Operation::Write, |store| store.records().apply(batch))
    }

    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError> {
        self.run(Operation::Read, |store| {
            store.records().scan(prefix, from, visit)
        })
    }
}

impl PostingStore for Hooked {
    fn runs(&self) -> Result<Vec<u32>, StoreError> {
        self.run(Operation::Read, |store| store.postings().runs())
    }

    fn run(&self, number: u32) -> Result<Option<Arc<dyn PostingRun>>, StoreError> {
        let run = self.run(Operation::Read, |store| store.postings().run(number))?;
        let hooks = self.hooks.clone();
        Ok(run.map(|run| Arc::new(HookedRun { run, hooks }) as Arc<dyn PostingRun>))
    }

    fn begin_run(&self, run: NewRun) -> Result<Box<dyn RunWriter + '_>, StoreError> {
        let writer = self.run(Operation::Write, |_| self.store.postings().begin_run(run))?;
        let hooks = self.hooks.clone();
        Ok(Box::new(HookedWriter { writer, hooks }))
    }

    fn drop_run(&self, number: u32) -> Result<(), StoreError> {
        self.run(Operation::Write, |store| store.postings().drop_run(number))
    }
}

struct HookedRun {
    run: Arc<dyn PostingRun>,
    hooks: Hooks,
}

impl PostingRun for HookedRun {
    fn id(&self) -> Option<RunId> {
        self.run.id()
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.hooks.around(Operation::Read, || self.run.get(key))
    }

    fn look_up(&self, key: &[u8]) -> Result<Option<Block>, StoreError> {
        self.hooks.around(Operation::Read, || self.run.look_up(key))
    }

    // What is in memory is not an operation on the disk.
    fn kept_block(&self, key: &[u8]) -> Option<Block> {
        self.run.kept_block(key)
    }

    fn kept_list(&self, key: &[u8]) -> Option<Block> {
        self.run.kept_list(key)
    }

    fn keep_list(&self, key: &[u8], list: &[u8]) {
        self.run.keep_list(key, list);
    }

    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.hooks.around(Operation::Read, || self.run.keys(visit))
    }
}

struct HookedWriter<'a> {
    writer: Box<dyn RunWriter + 'a>,
    hooks: Hooks,
}

impl RunWriter for HookedWriter<'_> {
    fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError> {
        let Self { writer, hooks } = self;
        hooks.around(Operation::Write, || writer.put(key, block))
    }

    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        let Self { writer, hooks } = *self;
        hooks.around(Operation::Write, || writer.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MemoryStore, SledStore, StoreOptions};
    use std::sync::Mutex;

    #[test]
    fn an_operation_fails_on_demand_is_not_done_and_is_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let before = |operation| match operation {
            Operation::Write => Err(StoreError::SyncFailed),
            _ => Ok(()),
        };
        let hooks = Hooks {
            before: Some(Arc::new(before)),
            failed: Some(Arc::new(move |error: &StoreError| {
                heard.lock().unwrap().push(error.to_string());
            })),
        };
        let store = Hooked::new(Box::new(MemoryStore::new()), hooks);
        assert!(store.postings().begin_run(NewRun::default()).is_err());
        assert_eq!(store.postings().runs().unwrap(), []);
        assert!(store.commit().is_ok());
        assert_eq!(*told.lock().unwrap(), [StoreError::SyncFailed.to_string()]);
    }

    #[test]
    fn what_was_cached_of_a_run_is_found_through_the_hooks() {
        const KEY: &[u8] = &[1; 8];
        const LIST: &[u8] = &[2; 8];
        let home = tempfile::tempdir().unwrap();
        let store = SledStore::open(home.path(), StoreOptions::DAEMON).unwrap();
        let store = Hooked::new(Box::new(store), Hooks::default());
        let mut writer = store.postings().begin_run(NewRun::default()).unwrap();
        writer.put(KEY, b"block").unwrap();
        writer.finish().unwrap();
        let run = store.postings().run(0).unwrap().unwrap();
        assert_eq!((run.kept_block(KEY), run.kept_list(LIST)), (None, None));
        run.look_up(KEY).unwrap();
        assert_eq!(run.kept_block(KEY).as_deref(), Some(&b"block"[..]));
        run.keep_list(LIST, b"documents");
        let list = run.kept_list(LIST);
        assert_eq!(list.as_deref(), Some(&b"documents"[..]));
        drop(run);
        Box::new(store).close().unwrap();
    }
}
