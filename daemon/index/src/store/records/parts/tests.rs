//! Values of any length are read as they were written, whatever is done, and none is a separate file in sled.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;

use super::{MARK, PART_BYTES};
use crate::store::records::layers::Layers;
use crate::store::records::pack::Packer;
use crate::store::tests::model::{
    Act, Model, acts, batch, change, delete, put, records_of, rewrite,
};
use crate::store::tests::{LONG, SMALL, assert_filled, filled, real_probe, unclean};
use crate::store::{RecordStore as _, SledStore, Store as _, StoreError, Write, open_checked};
use crate::{Cancel, Fault};

/// Bytes of a part of rewritten records.
const REWRITTEN: usize = 64 << 10;

/// A value in which a misplaced part shows.
fn long(len: usize, seed: u8) -> Vec<u8> {
    let word = |n: usize| [seed, (n >> 16) as u8, (n >> 8) as u8, n as u8];
    let mut value: Vec<u8> = (0..len.div_ceil(4)).flat_map(word).collect();
    value.truncate(len);
    value
}

/// How many parts there are.
fn parts(store: &SledStore) -> usize {
    let records_db = store.all_records().current();
    records_db.records.parts.tree.from(&[]).unwrap().count()
}

/// sled's files of large values.
fn blobs(store: &SledStore) -> usize {
    let dir = store.all_records().current().generation.dir();
    fs::read_dir(dir.join("blobs")).unwrap().count()
}

fn assert_corrupt<T: std::fmt::Debug>(read: Result<T, StoreError>) {
    assert!(
        matches!(
            read,
            Err(StoreError::Corrupt {
                tree: "records",
                ..
            })
        ),
        "{read:?}"
    );
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let len = prop_oneof![0..40_usize, 5_900..6_100_usize, 0..300_000_usize];
    prop_oneof![
        8 => (len, any::<u8>()).prop_map(|(len, seed)| long(len, seed)),
        1 => (0..60_usize).prop_map(|len| [&MARK[..], &long(len, 1)].concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn values_of_any_length_are_what_an_ordered_map_holds(acts in acts(batch(value(), 0..3, 0..8), 1..12)) {
        let temp = tempfile::tempdir().unwrap();
        let mut store = SledStore::open(temp.path(), SMALL).unwrap();
        let mut model = Model::new();
        for act in acts {
            match act {
                Act::Apply(batch) => {
                    change(&mut model, &batch);
                    store.records().apply(batch).unwrap();
                }
                Act::Commit => store.commit().unwrap(),
                Act::Rewrite => rewrite(&store, REWRITTEN),
                Act::Reopen => store = store.close_and_reopen(SMALL).unwrap(),
            }
            prop_assert!(records_of(&store) == model);
            for (key, value) in &model {
                prop_assert!(store.records().get(key).unwrap().as_ref() == Some(value));
            }
            prop_assert_eq!(store.verify().unwrap(), (model.len() as u64, 0));
            prop_assert_eq!(blobs(&store), 0);
        }
        rewrite(&store, REWRITTEN);
        let most = model.values().map(|value| value.len().div_ceil(PART_BYTES)).sum::<usize>();
        prop_assert!(parts(&store) <= most, "parts of what is gone were kept");
    }
}

#[test]
fn no_value_is_a_file_of_its_own_in_sled() {
    let temp = tempfile::tempdir().unwrap();
    let store = SledStore::open(temp.path(), SMALL).unwrap();
    let folder = "a folder/".repeat(400);
    let key = |n: u32| match n % 3 {
        0 => n.to_be_bytes().to_vec(),
        _ => [&n.to_be_bytes()[..], folder.as_bytes()].concat(),
    };
    let len = |n: u32, round: u32| match (n + round) % 40 {
        0 => 1 << 20,
        // As long as an entry may be.
        _ => super::MAX_ENTRY.saturating_sub(key(n).len()),
    };
    for round in 0..5_u32 {
        for first in (0..160).step_by(8) {
            let keys = first..first + 8;
            let batch = keys.map(|n| put(&key(n), &long(len(n, round), round as u8)));
            store.records().apply(batch.collect()).unwrap();
        }
        // Leaves that become small are joined.
        let gone = (0..160).filter(|n| n % 7 != round % 7);
        let gone = gone.map(|n| delete(&key(n)));
        store.records().apply(gone.collect()).unwrap();
        store.commit().unwrap();
        assert_eq!(blobs(&store), 0, "round {round}");
    }
    rewrite(&store, REWRITTEN);
    assert_eq!(blobs(&store), 0);
    let store = store.close_and_reopen(SMALL).unwrap();
    assert_eq!(blobs(&store), 0);
    store.verify().unwrap();
}

#[test]
fn a_batch_with_long_values_asks_for_no_file() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    fs::remove_dir(dir.join("blobs")).unwrap();
    let mut batch: Vec<_> = (0..600_u32)
        .map(|n| put(&(10_000 + n).to_be_bytes(), &[n as u8; 3000]))
        .collect();
    batch.extend((0..3).map(|n| put(&[b'x', n], &long(400_000, n))));
    store.records().apply(batch).unwrap();
    // Not committed, as in a power cut.
    drop(store);
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    for n in 0..3 {
        let value = opened.store.records().get(&[b'x', n]).unwrap();
        assert!(value == Some(long(400_000, n)));
    }
}

#[test]
fn the_parts_of_what_is_overwritten_or_removed_go_with_it() {
    let temp = tempfile::tempdir().unwrap();
    let store = SledStore::open(temp.path(), SMALL).unwrap();
    let apply = |batch: &[Write]| store.records().apply(batch.to_vec()).unwrap();
    let value = |parts: usize| long(parts * PART_BYTES, parts as u8);
    // Twice in one batch: the later one counts.
    apply(&[
        put(b"a", &value(7)),
        put(b"b", &value(3)),
        put(b"a", &value(5)),
    ]);
    assert_eq!(parts(&store), 8);
    apply(&[put(b"a", &value(2))]);
    assert_eq!(parts(&store), 5);
    apply(&[put(b"b", b"short"), delete(b"none")]);
    assert_eq!(parts(&store), 2);
    apply(&[put(b"c", &value(4)), delete(b"c")]);
    assert_eq!(parts(&store), 2);
    apply(&[delete(b"a")]);
    assert_eq!(parts(&store), 0);
    assert_eq!(records_of(&store).len(), 1);
}

#[test]
fn a_value_whose_parts_do_not_belong_together_is_never_served() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    for n in 0..2 {
        let value = long(5 * PART_BYTES, n);
        store
            .records()
            .apply(vec![put(&[b'x', n], &value)])
            .unwrap();
    }
    let records_db = store.all_records().current();
    let tree = &records_db.records.parts.tree;
    let entries: Vec<_> = tree.from(&[]).unwrap().map(Result::unwrap).collect();
    let read = || {
        (0..2_u8).for_each(|n| {
            let _served = store.records().get(&[b'x', n]).map(|value| {
                assert!(value == Some(long(5 * PART_BYTES, n)), "{n} is another");
            });
        });
        let mut visit = |_: &[u8], _: &[u8]| ControlFlow::Continue(());
        store.records().scan(b"x", None, &mut visit)?;
        store.verify().map(drop)
    };
    read().unwrap();
    for (at, (key, sealed)) in entries.iter().enumerate() {
        tree.remove(key).unwrap();
        assert_corrupt(read());
        let mut flipped = sealed.to_vec();
        flipped[at] ^= 4;
        tree.put_as_it_is(key, flipped).unwrap();
        assert_corrupt(read());
        // Another part, correctly sealed.
        let other = tree.unseal(&entries[9 - at].0, &entries[9 - at].1).unwrap();
        tree.write(key, other).unwrap();
        assert_corrupt(read());
        tree.put_as_it_is(key, sealed.clone()).unwrap();
        read().unwrap();
    }
    // All parts of another value, each correctly sealed.
    let (one, other) = entries.split_at(5);
    for ((key, _), (from, sealed)) in one.iter().zip(other) {
        tree.write(key, tree.unseal(from, sealed).unwrap()).unwrap();
    }
    assert_corrupt(read());
}

#[test]
fn a_reader_that_comes_late_gets_what_is_there_now() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let records_db = store.all_records().current();
    let layers = &records_db.records;
    let apply = |write: Write| layers.apply(vec![write]).unwrap();
    apply(put(b"x", &long(50_000, 1)));
    let read = layers.stored(b"x").unwrap().unwrap();
    assert!(layers.whole(b"x", &read).unwrap().unwrap() == long(50_000, 1));
    // A reader that has read its stand-in has yet to read its parts.
    apply(put(b"x", &long(70_000, 2)));
    assert!(layers.whole(b"x", &read).unwrap().unwrap() == long(70_000, 2));
    apply(put(b"x", b"short"));
    assert_eq!(*layers.whole(b"x", &read).unwrap().unwrap(), *b"short");
    apply(delete(b"x"));
    assert_eq!(layers.whole(b"x", &read).unwrap(), None);
}

#[test]
fn long_values_in_one_entry_are_read_and_cut_when_they_are_written_anew() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let value = |n: u8| long(200_000 + usize::from(n), n);
    // Packed as before, after everything that exists.
    let packs = [b"x0", b"x1"].map(|key| {
        let mut packer = Packer::default();
        packer.push(key, &value(key[1]));
        let (last, pack) = packer.take().unwrap();
        Layers::sealed(last, &pack)
    });
    let records_db = store.all_records().current();
    records_db.records.append(&packs, &[]).unwrap();
    drop(records_db);
    for n in b'2'..b'5' {
        store.put_in_one_entry(&[b'x', n], &value(n)).unwrap();
    }
    let store = store.close_and_reopen(SMALL).unwrap();
    let assert_whole = |store: &SledStore| {
        for n in b'0'..b'5' {
            let found = store.records().get(&[b'x', n]).unwrap();
            assert!(found == Some(value(n)), "{n}");
        }
        store.verify().unwrap();
        assert_eq!(records_of(store).len(), 505);
    };
    assert_whole(&store);
    assert!(blobs(&store) >= 3);
    assert_eq!(parts(&store), 0);
    let anew = put(b"x2", &value(b'2'));
    store.records().apply(vec![anew]).unwrap();
    assert_eq!(parts(&store), 34);
    assert_whole(&store);
    rewrite(&store, REWRITTEN);
    assert_eq!(blobs(&store), 0);
    assert_eq!(parts(&store), 5 * 34);
    assert_whole(&store);
    store.close().unwrap();
    unclean(&dir);
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    assert_whole(&opened.store);
}

/// A store in which a batch failed halfway, as if no file could be created for a large value.
fn failed(dir: &Path) -> SledStore {
    let store = SledStore::open(dir, SMALL).unwrap();
    let batch = (0..600_u32).map(|n| put(&(10_000 + n).to_be_bytes(), &[n as u8; 3000]));
    store.records().apply(batch.collect()).unwrap();
    fs::remove_dir_all(dir.join("blobs")).unwrap();
    let error = store.put_in_one_entry(b"x", &long(400_000, 1)).unwrap_err();
    assert_eq!(error.fault(), Fault::Index, "{error}");
    store
}

#[test]
fn a_store_in_which_a_write_failed_is_let_go_of_at_once() {
    let (_temp, dir) = filled();
    let store = failed(&dir);
    // sled is not called any more, since it might wait for ever.
    let refused = [
        store.commit().unwrap_err(),
        store.records().get(b"x").unwrap_err(),
        store.records().apply(vec![put(b"y", b"")]).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(&error, StoreError::Sled(reason) if reason.contains("failed")));
        assert_eq!(error.fault(), Fault::Index);
    }
    drop(store);
    // Only another process can open it.
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never());
    assert!(
        matches!(opened, Err(StoreError::Unclosed { .. })),
        "{opened:?}"
    );
    let (_temp, dir) = filled();
    assert!(failed(&dir).close().is_err());
    // Other stores of this process continue.
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.records().apply(vec![put(b"y", b"")]).unwrap();
    store.commit().unwrap();
    assert_filled(&store);
    store.close().unwrap();
}
