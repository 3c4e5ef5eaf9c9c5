//! Locks: one process has a store, and nobody else opens it or sets it aside.

use std::fs::OpenOptions;
use std::thread;
use std::time::Duration;

use super::{LONG, SMALL, assert_filled, filled, shell};
use crate::Cancel;
use crate::store::{ProbeResult, SledStore, StoreError, open_checked, probe};

#[test]
fn an_open_store_is_locked() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let error = SledStore::open(&dir, SMALL).unwrap_err();
    assert!(matches!(error, StoreError::Locked { dir: found } if found == dir));
    assert!(matches!(
        probe(&dir),
        ProbeResult::Unknown(StoreError::Locked { .. })
    ));
    assert_filled(&store);
    store.close().unwrap();
    SledStore::open(&dir, SMALL).unwrap();
}

#[test]
fn a_lock_taken_by_sled_alone_is_told_as_locked() {
    let (_temp, dir) = filled();
    let db = OpenOptions::new().write(true).open(dir.join("db")).unwrap();
    db.try_lock().unwrap();
    let error = SledStore::open(&dir, SMALL).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }));
}

#[test]
fn a_lock_of_sled_that_passes_is_waited_for() {
    let (_temp, dir) = filled();
    let db = OpenOptions::new().write(true).open(dir.join("db")).unwrap();
    db.try_lock().unwrap();
    let passes = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        drop(db);
    });
    assert_filled(&SledStore::open(&dir, SMALL).unwrap());
    passes.join().unwrap();
}

#[test]
fn a_store_in_use_is_not_set_aside() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let error = open_checked(&dir, SMALL, shell("exit 65"), LONG, &Cancel::never()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }));
    assert_filled(&store);
}
