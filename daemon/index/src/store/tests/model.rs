//! Records and the ordered map that they must equal, and what is done to both.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use proptest::prelude::*;

use crate::store::{SledStore, Store as _, Write};

pub(in crate::store) type Model = BTreeMap<Vec<u8>, Vec<u8>>;

pub(in crate::store) fn put(key: &[u8], value: &[u8]) -> Write {
    Write::Put {
        key: key.into(),
        value: value.into(),
    }
}

pub(in crate::store) fn delete(key: &[u8]) -> Write {
    Write::Delete { key: key.into() }
}

/// Applies a batch to the model.
pub(in crate::store) fn change(model: &mut Model, batch: &[Write]) {
    for write in batch.iter().cloned() {
        match write {
            Write::Put { key, value } => model.insert(key, value),
            Write::Delete { key } => model.remove(&key),
        };
    }
}

/// All records, each found by key as well.
pub(in crate::store) fn records_of(store: &SledStore) -> Model {
    let mut found = Model::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        assert_eq!(found.insert(key.to_vec(), value.to_vec()), None);
        ControlFlow::Continue(())
    };
    store.records().scan(b"", None, &mut visit).unwrap();
    let prefixes: BTreeSet<u8> = found
        .keys()
        .filter_map(|key| key.first().copied())
        .collect();
    for prefix in prefixes {
        let mut with_prefix = Vec::new();
        let mut visit = |key: &[u8], _: &[u8]| {
            with_prefix.push(key.to_vec());
            ControlFlow::Continue(())
        };
        store.records().scan(&[prefix], None, &mut visit).unwrap();
        let expected = found.keys().filter(|key| key.first() == Some(&prefix));
        assert!(with_prefix.iter().eq(expected), "prefix {prefix}");
    }
    found
}

/// Rewrites all records, with this many bytes in a part.
pub(in crate::store) fn rewrite(store: &SledStore, part_bytes: usize) {
    let rewritten = store.all_records().rewrite(part_bytes, &mut |_| true);
    assert!(rewritten.unwrap());
}

/// An operation on a store.
#[derive(Debug, Clone)]
pub(in crate::store) enum Act {
    Apply(Vec<Write>),
    Commit,
    Rewrite,
    Reopen,
}

/// Values of a few bytes.
pub(in crate::store) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

/// A batch of this many writes, under keys of this many bytes; there are few keys, so that writes collide.
pub(in crate::store) fn batch(
    value: impl Strategy<Value = Vec<u8>>,
    key_bytes: Range<usize>,
    writes: Range<usize>,
) -> impl Strategy<Value = Vec<Write>> {
    let key = move || prop::collection::vec(0..3_u8, key_bytes.clone());
    let write = prop_oneof![
        2 => (key(), value).prop_map(|(key, value)| Write::Put { key, value }),
        1 => key().prop_map(|key| Write::Delete { key }),
    ];
    prop::collection::vec(write, writes)
}

/// This many operations, most of them batches.
pub(in crate::store) fn acts(
    batch: impl Strategy<Value = Vec<Write>>,
    acts: Range<usize>,
) -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => batch.prop_map(Act::Apply),
        1 => Just(Act::Commit),
        1 => Just(Act::Rewrite),
        1 => Just(Act::Reopen),
    ];
    prop::collection::vec(act, acts)
}
