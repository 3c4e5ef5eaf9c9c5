//! A store with somebody looking on: told of every error, and asked before every operation, so that
//! a test can make any of them fail.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{PostingStore, RecordStore, Store, StoreError, VisitEntry, Write};

/// What is about to be done to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reading records or postings.
    Read,
    /// Writing records or postings.
    Write,
    /// Making it all power-safe.
    Commit,
}

/// Asked before an operation; an error it gives is the operation's.
pub type Before = dyn Fn(Operation) -> Result<(), StoreError> + Send + Sync;
/// Told of an error.
pub type Failed = dyn Fn(&StoreError) + Send + Sync;

/// Who looks on.
#[derive(Clone, Default)]
pub struct Hooks {
    /// For tests.
    pub before: Option<Arc<Before>>,
    /// Hears of every error, whoever met it.
    pub failed: Option<Arc<Failed>>,
}

/// A store with [`Hooks`].
pub struct Hooked {
    store: Box<dyn Store>,
    hooks: Hooks,
}

impl Hooked {
    /// Puts hooks before a store.
    pub fn new(store: Box<dyn Store>, hooks: Hooks) -> Self {
        Self { store, hooks }
    }

    fn run<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let before = self.hooks.before.as_ref();
        let asked = before.map_or(Ok(()), |before| before(operation));
        let done = asked.and_then(|()| work(&*self.store));
        if let (Err(error), Some(failed)) = (&done, &self.hooks.failed) {
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
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.run(Operation::Read, |store| store.postings().get(key))
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.run(Operation::Read, |store| store.postings().get_many(keys))
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.run(Operation::Write, |store| store.postings().put(key, value))
    }

    fn put_many(
        &self,
        blocks: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> Result<(), StoreError> {
        self.run(Operation::Write, |store| store.postings().put_many(blocks))
    }

    fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        self.run(Operation::Write, |store| store.postings().delete(key))
    }

    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.run(Operation::Read, |store| store.postings().keys(visit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;
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
        assert!(store.postings().put(b"a", b"1").is_err());
        assert_eq!(store.postings().get(b"a").unwrap(), None);
        assert!(store.commit().is_ok());
        assert_eq!(*told.lock().unwrap(), [StoreError::SyncFailed.to_string()]);
    }
}
