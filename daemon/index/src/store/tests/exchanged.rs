//! A store that is exchanged while it is open: nothing more is acknowledged, and nothing is changed in what took its
//! place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{SMALL, assert_filled, filled, new_run};
use crate::Fault;
use crate::store::{SledStore, Store, StoreError, Write, copy_aside};

fn replaced<T>(done: Result<T, StoreError>) {
    let error = done.err().unwrap();
    assert_eq!(error.fault(), Fault::Index);
    let is_told = matches!(error, StoreError::Replaced { .. } | StoreError::SyncFailed);
    assert!(is_told, "{error}");
}

/// Every file below a directory with its bytes.
pub(super) fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut left) = (BTreeMap::new(), vec![dir.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => left.push(path),
                false => drop(found.insert(path.clone(), fs::read(path).unwrap())),
            }
        }
    }
    found
}

fn change(store: &SledStore) {
    let (key, value) = (b"new".to_vec(), b"after the exchange".to_vec());
    store
        .records()
        .apply(vec![Write::Put { key, value }])
        .unwrap();
}

#[test]
fn a_store_that_was_exchanged_acknowledges_nothing_and_touches_nothing() {
    let (temp, dir) = filled();
    let copy = temp.path().join("copy");
    fs::create_dir(&copy).unwrap();
    drop(copy_aside(&dir, &copy).unwrap());
    let store = SledStore::open(&dir, SMALL).unwrap();
    let began = store.postings().begin_run(new_run(9)).unwrap();
    fs::rename(&dir, temp.path().join("away")).unwrap();
    fs::rename(&copy, &dir).unwrap();
    let before = files(&dir);
    change(&store);
    replaced(store.commit());
    replaced(store.commit());
    replaced(began.finish());
    replaced(store.postings().begin_run(new_run(10)));
    replaced(store.postings().drop_run(super::RUN));
    replaced(store.all_records().rewrite(16 << 10, &mut |_| true));
    assert_filled(&store);
    replaced(store.close());
    assert_eq!(files(&dir), before);
    assert_filled(&SledStore::open(&dir, SMALL).unwrap());
}

#[test]
fn a_database_that_was_exchanged_alone_is_noticed() {
    let (temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let other = temp.path().join("db");
    fs::copy(dir.join("db"), &other).unwrap();
    fs::rename(&other, dir.join("db")).unwrap();
    change(&store);
    replaced(store.commit());
    fs::remove_file(dir.join("db")).unwrap();
    replaced(store.commit());
}

/// Opens a store that this test has closed: a process that another test starts has all open files for a moment.
fn opened(dir: &Path) -> SledStore {
    for _ in 0..1_000 {
        match SledStore::open(dir, SMALL) {
            Err(StoreError::Locked { .. }) => std::thread::sleep(Duration::from_millis(5)),
            opened => return opened.unwrap(),
        }
    }
    panic!("{} stays locked", dir.display());
}

#[test]
fn a_store_that_is_exchanged_while_it_is_rewritten_keeps_what_came() {
    let (temp, dir) = filled();
    let copy = temp.path().join("copy");
    fs::create_dir(&copy).unwrap();
    drop(copy_aside(&dir, &copy).unwrap());
    // As a crash, or a restored backup, may have left it.
    fs::create_dir_all(copy.join("records/000001")).unwrap();
    fs::write(copy.join("records/000001.new"), "").unwrap();
    let store = opened(&dir);
    let mut before = None;
    let rewritten = store.all_records().rewrite(16 << 10, &mut |stage| {
        if stage == crate::store::records::rewrite::RewriteStage::PowerSafe {
            fs::rename(&dir, temp.path().join("away")).unwrap();
            fs::rename(&copy, &dir).unwrap();
            before = Some(files(&dir));
        }
        true
    });
    replaced(rewritten);
    assert_eq!(files(&dir), before.unwrap());
    assert!(dir.join("records/000001").is_dir());
}

#[test]
fn a_witness_that_was_exchanged_alone_is_noticed() {
    let (temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let other = temp.path().join("COMMITTED");
    fs::copy(dir.join("COMMITTED"), &other).unwrap();
    fs::rename(&other, dir.join("COMMITTED")).unwrap();
    change(&store);
    replaced(store.commit());
    let error = store.commit().unwrap_err();
    assert_eq!(error.fault(), Fault::Index, "{error}");
}

#[test]
fn a_witness_that_is_written_over_in_place_is_noticed() {
    let (_temp, dir) = filled();
    let path = dir.join("COMMITTED");
    let earlier = fs::read(&path).unwrap();
    let store = SledStore::open(&dir, SMALL).unwrap();
    change(&store);
    store.commit().unwrap();
    store.commit().unwrap();
    // As a copy does that keeps the file and its inode.
    for bytes in [&earlier[..], &[]] {
        fs::write(&path, bytes).unwrap();
        replaced(store.commit());
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was written to it");
    }
}
