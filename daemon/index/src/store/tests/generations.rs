//! Generations of records that somebody restored over existing ones: the sound one is found, and kept.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{LONG, SMALL, assert_filled, copy_dir, filled, real_probe, unclean};
use crate::Cancel;
use crate::store::sled_support::seal::TreeId;
use crate::store::{CheckedStore, SledStore, Store as _, open_checked};

fn opened(dir: &Path) -> CheckedStore {
    open_checked(dir, SMALL, real_probe(dir), LONG, &Cancel::never()).unwrap()
}

/// A store whose records were rewritten twice, closed cleanly.
fn rewritten_twice() -> (TempDir, PathBuf) {
    let (temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    for _ in 0..2 {
        assert!(
            store
                .all_records()
                .rewrite(16 << 10, &mut |_| true)
                .unwrap()
        );
    }
    store.close().unwrap();
    (temp, dir)
}

/// Asserts that the store opens with all its content, by the daemon and by the probe, and returns the names of the
/// files among its records.
fn assert_kept(dir: &Path) -> Vec<String> {
    let opened = opened(dir);
    assert_eq!(opened.damage, None);
    assert_filled(&opened.store);
    opened.store.close().unwrap();
    let entries = fs::read_dir(dir.join("records")).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_mark_that_came_back_costs_nothing() {
    let (_temp, dir) = rewritten_twice();
    fs::write(dir.join("records/000002.new"), "").unwrap();
    assert_eq!(assert_kept(&dir), ["000002"]);
    assert_eq!(assert_kept(&dir), ["000002"]);
}

#[test]
fn records_that_do_not_know_the_last_commit_never_take_the_place_of_those_that_do() {
    for is_clean in [true, false] {
        let (_temp, dir) = rewritten_twice();
        // An empty directory, one with the first half of a database, and one without a witness.
        if !is_clean {
            fs::remove_file(dir.join("COMMITTED")).unwrap();
        }
        fs::create_dir(dir.join("records/000009")).unwrap();
        fs::create_dir(dir.join("records/000012")).unwrap();
        let db = fs::read(dir.join("records/000002/db")).unwrap();
        fs::write(dir.join("records/000012/db"), &db[..db.len() / 2]).unwrap();
        if !is_clean {
            unclean(&dir);
        }
        let names = assert_kept(&dir);
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(names.contains(&"000002".to_owned()), "{names:?}");
        assert!(
            names
                .iter()
                .filter(|name| name.contains(".damaged-"))
                .count()
                == 2
        );
        assert_eq!(assert_kept(&dir), names);
    }
}

#[test]
fn where_no_witness_is_left_the_records_with_the_most_commits_are_believed() {
    let (temp, dir) = rewritten_twice();
    let old = temp.path().join("old");
    copy_dir(&dir.join("records/000002"), &old);
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.commit().unwrap();
    store.close().unwrap();
    copy_dir(&old, &dir.join("records/000009"));
    fs::remove_file(dir.join("COMMITTED")).unwrap();
    assert_eq!(assert_kept(&dir), ["000002", "000009.damaged-1"]);
}

#[test]
fn records_of_another_store_are_set_aside_however_many_commits_they_know() {
    let (_of_other, other) = rewritten_twice();
    let store = SledStore::open(&other, SMALL).unwrap();
    for _ in 0..30 {
        store.commit().unwrap();
    }
    store.close().unwrap();
    let (_temp, dir) = filled();
    copy_dir(&other.join("records/000002"), &dir.join("records/000002"));
    assert_eq!(assert_kept(&dir), ["000002.damaged-1"]);
}

#[test]
fn records_with_a_damaged_value_do_not_cost_the_sound_ones_beside_them() {
    let (temp, dir) = rewritten_twice();
    let sound = temp.path().join("sound");
    copy_dir(&dir.join("records/000002"), &sound);
    let store = SledStore::open(&dir, SMALL).unwrap();
    assert!(
        store
            .all_records()
            .rewrite(16 << 10, &mut |_| true)
            .unwrap()
    );
    store.put_raw(TreeId::Records, b"key", b"not what was sealed");
    store.close_as_it_is();
    copy_dir(&sound, &dir.join("records/000002"));
    unclean(&dir);
    assert_eq!(assert_kept(&dir), ["000002", "000003.damaged-1"]);
}

/// A store whose records were rewritten twice, with the records from before each rewrite beside them.
fn with_those_before() -> (TempDir, PathBuf) {
    let (temp, dir) = filled();
    let before = temp.path().join("before");
    copy_dir(&dir, &before);
    let store = SledStore::open(&dir, SMALL).unwrap();
    let rewrite = || {
        store
            .all_records()
            .rewrite(16 << 10, &mut |_| true)
            .unwrap()
    };
    assert!(rewrite());
    copy_dir(&dir.join("records/000001"), &temp.path().join("first"));
    assert!(rewrite());
    store.close().unwrap();
    copy_dir(&temp.path().join("first"), &dir.join("records/000001"));
    for name in ["db", "conf"] {
        fs::copy(before.join(name), dir.join(name)).unwrap();
    }
    (temp, dir)
}

#[test]
fn records_that_no_witness_tells_from_others_are_set_aside_and_none_is_removed() {
    // No witness; one without an id; one that identifies the records: then the others are leftovers of a crash.
    for (bytes_of_witness, names) in [
        (0, &["000000.damaged-2", "000001.damaged-1", "000002"][..]),
        (16, &["000000.damaged-2", "000001.damaged-1", "000002"]),
        (40, &["000002"]),
    ] {
        let (temp, dir) = with_those_before();
        let witness = fs::OpenOptions::new()
            .write(true)
            .open(dir.join("COMMITTED"));
        witness.unwrap().set_len(bytes_of_witness).unwrap();
        assert_eq!(assert_kept(&dir), names, "{bytes_of_witness}");
        assert!(!dir.join("db").exists() && !dir.join("blobs").exists());
        if names.len() > 1 {
            // They are complete where they are now.
            let again = temp.path().join("again");
            copy_dir(&dir.join("records/000000.damaged-2"), &again);
            let store = SledStore::open(&again, SMALL).unwrap();
            super::assert_records(&store);
        }
        assert_eq!(assert_kept(&dir), names, "and stay");
    }
}
