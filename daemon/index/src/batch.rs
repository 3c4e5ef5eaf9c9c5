//! Record writes collected for one batch: later steps see what earlier ones wrote.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

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
        let mut keys = Vec::new();
        self.visit_keys(prefix, &mut |key| keys.push(key.to_vec()))?;
        Ok(keys)
    }

    /// Visits the keys of [`Batch::keys`] without holding them: there may be millions.
    pub(crate) fn visit_keys(
        &self,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8]),
    ) -> Result<(), StoreError> {
        let from = self.writes.range(prefix.to_vec()..);
        let mut written = from
            .take_while(|(key, _)| key.starts_with(prefix))
            .peekable();
        self.store.scan(prefix, None, &mut |stored, _| {
            while let Some((key, value)) = written.next_if(|(key, _)| key.as_slice() < stored) {
                if value.is_some() {
                    visit(key);
                }
            }
            let rewritten = written.next_if(|(key, _)| key.as_slice() == stored);
            if rewritten.is_none_or(|(_, value)| value.is_some()) {
                visit(stored);
            }
            ControlFlow::Continue(())
        })?;
        let rest = written.filter(|(_, value)| value.is_some());
        rest.for_each(|(key, _)| visit(key));
        Ok(())
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
        let stored = [b"xa", b"xc", b"xe", b"xg", b"ya"];
        store
            .records()
            .apply(stored.map(|key| put(key)).into())
            .unwrap();
        let mut batch = Batch::new(store.records());
        for deleted in [b"xa", b"xd", b"xg", b"xh"] {
            batch.delete(deleted.to_vec());
        }
        for written in [b"xb", b"xc", b"xf", b"xi", b"yb"] {
            batch.put(written.to_vec(), vec![2]);
        }
        assert_eq!(batch.get(b"xa").unwrap(), None);
        let keys = [b"xb", b"xc", b"xe", b"xf", b"xi"].map(|key| key.to_vec());
        assert_eq!(batch.keys(b"x").unwrap(), keys);
        assert_eq!(store.records().get(b"xa").unwrap(), Some(vec![1]));
        batch.write().unwrap();
        assert_eq!(store.records().get(b"xc").unwrap(), Some(vec![2]));
    }
}
