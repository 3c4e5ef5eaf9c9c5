//! Record writes collected for one batch: later steps see what earlier ones wrote.

use std::collections::BTreeMap;

use crate::store::{RecordStore, StoreError, Write};

/// Work that may be cut anywhere is cut into batches of about this many writes, because readers of the store wait while
/// one is applied.
pub(crate) const LONG_BATCH: usize = 4096;

/// Writes over a store, not yet applied.
pub(crate) struct Batch<'a> {
    store: &'a dyn RecordStore,
    writes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(store: &'a dyn RecordStore) -> Self {
        Self {
            store,
            writes: BTreeMap::new(),
        }
    }

    /// How many keys are written.
    pub(crate) fn len(&self) -> usize {
        self.writes.len()
    }

    /// The value as it will be once the batch is applied.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.writes.get(key) {
            Some(written) => Ok(written.clone()),
            None => self.store.get(key),
        }
    }

    pub(crate) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.writes.insert(key, Some(value));
    }

    pub(crate) fn delete(&mut self, key: Vec<u8>) {
        self.writes.insert(key, None);
    }

    /// Keys with this prefix as they will be once the batch is applied, ascending.
    pub(crate) fn keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut keys = std::collections::BTreeSet::new();
        self.store.scan(prefix, None, &mut |key, _| {
            keys.insert(key.to_vec());
            std::ops::ControlFlow::Continue(())
        })?;
        let from = self.writes.range(prefix.to_vec()..);
        for (key, value) in from.take_while(|(key, _)| key.starts_with(prefix)) {
            if value.is_some() {
                keys.insert(key.clone());
            } else {
                keys.remove(key);
            }
        }
        Ok(keys.into_iter().collect())
    }

    /// Keys of a kind that are put or deleted.
    pub(crate) fn written(&self, prefix: u8) -> impl Iterator<Item = &[u8]> {
        let from = self.writes.range(vec![prefix]..);
        let keys = from.map(|(key, _)| key.as_slice());
        keys.take_while(move |key| key.first() == Some(&prefix))
    }

    /// Applies everything, all or nothing.
    pub(crate) fn write(self) -> Result<(), StoreError> {
        if self.writes.is_empty() {
            return Ok(());
        }
        let writes = self.writes.into_iter().map(|(key, value)| match value {
            Some(value) => Write::Put { key, value },
            None => Write::Delete { key },
        });
        self.store.apply(writes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MemoryStore, Store};

    #[test]
    fn a_batch_sees_its_own_writes_before_they_are_applied() {
        let store = MemoryStore::new();
        let put = |key: &[u8]| Write::Put {
            key: key.to_vec(),
            value: vec![1],
        };
        store.records().apply(vec![put(b"xa"), put(b"xb")]).unwrap();
        let mut batch = Batch::new(store.records());
        batch.delete(b"xa".to_vec());
        batch.put(b"xc".to_vec(), vec![2]);
        assert_eq!(batch.get(b"xa").unwrap(), None);
        assert_eq!(batch.keys(b"x").unwrap(), [b"xb".to_vec(), b"xc".to_vec()]);
        assert_eq!(store.records().get(b"xa").unwrap(), Some(vec![1]));
        batch.write().unwrap();
        assert_eq!(store.records().get(b"xc").unwrap(), Some(vec![2]));
    }
}
