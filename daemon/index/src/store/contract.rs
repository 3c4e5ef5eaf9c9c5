//! What every [`Store`] must do, run against each of them.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::tests::SMALL;
use super::tests::model::{Model, batch, bytes, change, delete, put};
use super::{MAX_RECORD, MAX_VALUE, MemoryStore, NewRun, SledStore, Store, StoreError, Write};

/// Runs a check against a fresh store of each kind.
fn on_each(check: impl Fn(&dyn Store)) {
    check(&MemoryStore::new());
    let dir = tempfile::tempdir().unwrap();
    let store = SledStore::open(&dir.path().join("store"), SMALL).unwrap();
    check(&store);
}

fn scan(store: &dyn Store, prefix: &[u8], from: Option<&[u8]>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut seen = Vec::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        seen.push((key.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    };
    store.records().scan(prefix, from, &mut visit).unwrap();
    seen
}

fn scanned_keys(store: &dyn Store, prefix: &[u8], from: Option<&[u8]>) -> Vec<Vec<u8>> {
    let entries = scan(store, prefix, from);
    entries.into_iter().map(|(key, _)| key).collect()
}

#[test]
fn records_are_put_replaced_and_deleted() {
    on_each(|store| {
        let records = store.records();
        assert_eq!(records.get(b"a").unwrap(), None);
        records
            .apply(vec![put(b"a", b"1"), put(b"b", b"")])
            .unwrap();
        assert_eq!(records.get(b"a").unwrap(), Some(b"1".to_vec()));
        assert_eq!(records.get(b"b").unwrap(), Some(Vec::new()));
        records
            .apply(vec![put(b"a", b"2"), delete(b"b"), delete(b"none")])
            .unwrap();
        assert_eq!(records.get(b"a").unwrap(), Some(b"2".to_vec()));
        assert_eq!(records.get(b"b").unwrap(), None);
    });
}

#[test]
fn in_a_batch_the_last_write_of_a_key_wins() {
    on_each(|store| {
        let batch = vec![
            put(b"a", b"1"),
            delete(b"a"),
            put(b"a", b"2"),
            put(b"b", b"1"),
            delete(b"b"),
        ];
        store.records().apply(batch).unwrap();
        assert_eq!(scan(store, b"", None), vec![(b"a".to_vec(), b"2".to_vec())]);
    });
}

#[test]
fn a_batch_with_a_refused_write_changes_nothing() {
    on_each(|store| {
        let too_large = vec![0; MAX_RECORD + 1];
        let batch = vec![put(b"a", b"1"), put(b"b", &too_large)];
        let error = store.records().apply(batch).unwrap_err();
        assert!(matches!(
            error,
            StoreError::TooLarge {
                tree: "records",
                ..
            }
        ));
        assert_eq!(store.records().get(b"a").unwrap(), None);
    });
}

#[test]
fn a_reader_never_sees_half_a_batch() {
    on_each(|store| {
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 0..200_u32 {
                    let value = n.to_le_bytes();
                    let batch = (0..40_u8).map(|key| put(&[key], &value)).collect();
                    store.records().apply(batch).unwrap();
                }
            });
            while !writer.is_finished() {
                // The first key read before the last: it can be older but never newer.
                let first = store.records().get(&[0]).unwrap();
                let last = store.records().get(&[39]).unwrap();
                let number =
                    |v: Option<Vec<u8>>| v.map(|v| u32::from_le_bytes(v.try_into().unwrap()));
                assert!(number(first) <= number(last));
            }
        });
    });
}

#[test]
fn a_scan_keeps_to_prefix_and_order_and_start() {
    on_each(|store| {
        let keys: [&[u8]; 6] = [b"b\xff", b"b", b"a", b"ba", b"b\x00", b"c"];
        let batch = keys.iter().map(|key| put(key, key)).collect();
        store.records().apply(batch).unwrap();
        let keys = |prefix, from| scanned_keys(store, prefix, from);
        assert_eq!(keys(b"b", None), [&b"b"[..], b"b\x00", b"ba", b"b\xff"]);
        assert_eq!(keys(b"b", Some(b"ba")), [&b"ba"[..], b"b\xff"]);
        assert_eq!(keys(b"b", Some(b"a")).len(), 4, "a start before the prefix");
        assert!(
            keys(b"b", Some(b"c")).is_empty(),
            "a start after the prefix"
        );
        assert_eq!(keys(b"", None).len(), 6);
        assert!(keys(b"d", None).is_empty());
    });
}

#[test]
fn a_scan_prefix_of_only_ff_has_no_upper_bound() {
    on_each(|store| {
        let batch = vec![put(b"\xff", b""), put(b"\xff\xff", b""), put(b"\xfe", b"")];
        store.records().apply(batch).unwrap();
        assert_eq!(scanned_keys(store, b"\xff", None).len(), 2);
    });
}

#[test]
fn a_visitor_can_stop_and_can_write() {
    on_each(|store| {
        let batch = (0..50_u8).map(|key| put(&[key], b"old")).collect();
        store.records().apply(batch).unwrap();
        let mut seen = 0;
        let mut visit = |key: &[u8], _: &[u8]| {
            seen += 1;
            store.records().apply(vec![put(key, b"new")]).unwrap();
            if seen == 10 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        store.records().scan(b"", None, &mut visit).unwrap();
        assert_eq!(seen, 10);
        assert_eq!(store.records().get(&[9]).unwrap(), Some(b"new".to_vec()));
        assert_eq!(store.records().get(&[10]).unwrap(), Some(b"old".to_vec()));
    });
}

fn new(number: u32) -> NewRun {
    NewRun {
        number,
        ..NewRun::default()
    }
}

/// Writes a run of these blocks.
fn write_run(store: &dyn Store, number: u32, blocks: &[(&[u8], &[u8])]) {
    let mut run = store.postings().begin_run(new(number)).unwrap();
    for (key, block) in blocks {
        run.put(key, block).unwrap();
    }
    run.finish().unwrap();
}

#[test]
fn runs_are_written_read_and_dropped() {
    on_each(|store| {
        let postings = store.postings();
        assert_eq!(postings.runs().unwrap(), []);
        write_run(store, 3, &[(b"a", b"1"), (b"b", b"2")]);
        write_run(store, 12, &[(b"b", b"3")]);
        assert_eq!(postings.runs().unwrap(), [3, 12]);
        let run = postings.run(3).unwrap().unwrap();
        let found = [b"b", b"c", b"a"].map(|key| run.get(key).unwrap());
        assert_eq!(found, [Some(b"2".to_vec()), None, Some(b"1".to_vec())]);
        let other = postings.run(12).unwrap().unwrap();
        assert_eq!(other.get(b"b").unwrap(), Some(b"3".to_vec()));
        postings.drop_run(3).unwrap();
        postings.drop_run(3).unwrap();
        assert_eq!(postings.runs().unwrap(), [12]);
        assert!(postings.run(3).unwrap().is_none());
        let still = run.get(b"a").unwrap();
        assert_eq!(still, Some(b"1".to_vec()), "whoever holds it can read it");
    });
}

#[test]
fn a_run_that_is_not_finished_is_none() {
    on_each(|store| {
        let mut run = store.postings().begin_run(new(1)).unwrap();
        run.put(b"a", b"1").unwrap();
        drop(run);
        assert_eq!(store.postings().runs().unwrap(), []);
        write_run(store, 1, &[(b"b", b"2")]);
        let run = store.postings().run(1).unwrap().unwrap();
        assert_eq!(run.get(b"a").unwrap(), None);
    });
}

#[test]
fn records_and_postings_do_not_mix() {
    on_each(|store| {
        store.records().apply(vec![put(b"a", b"record")]).unwrap();
        write_run(store, 1, &[(b"b", b"posting")]);
        let run = store.postings().run(1).unwrap().unwrap();
        assert_eq!(run.get(b"a").unwrap(), None);
        assert_eq!(store.records().get(b"b").unwrap(), None);
    });
}

#[test]
fn posting_blocks_are_bounded() {
    on_each(|store| {
        let mut run = store.postings().begin_run(new(1)).unwrap();
        run.put(b"a", &[1; MAX_VALUE]).unwrap();
        let error = run.put(b"b", &[2; MAX_VALUE + 1]).unwrap_err();
        assert!(matches!(
            error,
            StoreError::TooLarge {
                tree: "postings",
                ..
            }
        ));
    });
}

#[test]
fn all_posting_keys_are_visited() {
    on_each(|store| {
        // Some thousands, so that they are written in several parts.
        let keys: Vec<[u8; 2]> = (0..9_000u16).map(u16::to_be_bytes).collect();
        let blocks: Vec<(&[u8], &[u8])> = keys.iter().map(|key| (&key[..], &key[..])).collect();
        write_run(store, 1, &blocks);
        let run = store.postings().run(1).unwrap().unwrap();
        let mut seen = Vec::new();
        let mut visit = |key: &[u8]| {
            seen.push(key.to_vec());
            ControlFlow::Continue(())
        };
        run.keys(&mut visit).unwrap();
        seen.sort_unstable();
        assert_eq!(seen, keys);
        for key in keys.iter().step_by(7) {
            assert_eq!(run.get(key).unwrap().as_deref(), Some(&key[..]));
        }
    });
}

#[test]
fn commit_succeeds_with_and_without_changes() {
    on_each(|store| {
        store.commit().unwrap();
        store
            .records()
            .apply(vec![put(b"a", &[7; 300_000])])
            .unwrap();
        store.commit().unwrap();
        store.commit().unwrap();
        assert_eq!(store.records().get(b"a").unwrap(), Some(vec![7; 300_000]));
    });
}

fn batches() -> impl Strategy<Value = Vec<Vec<Write>>> {
    prop::collection::vec(batch(bytes(), 0..4, 0..10), 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_batches_leave_what_an_ordered_map_holds(batches in batches()) {
        on_each(|store| {
            let mut model = Model::new();
            for batch in &batches {
                store.records().apply(batch.clone()).unwrap();
                change(&mut model, batch);
            }
            let expected: Vec<_> = model.into_iter().collect();
            assert_eq!(scan(store, b"", None), expected);
        });
    }
}
