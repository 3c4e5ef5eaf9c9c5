//! The note equals the sum of all values, whatever is done; and damage in the middle of a long log is found by it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::{KEY, Sum};
use crate::Cancel;
use crate::store::tests::model::{
    Act, Model, acts, batch, bytes, delete, put, records_of, rewrite,
};
use crate::store::tests::{LONG, SMALL, copy_dir, filled, open_after_crash, real_probe, unclean};
use crate::store::{SledStore, Store as _, StoreError, Write, open_checked};

/// The size of a segment of sled's log.
const SEGMENT: usize = 512 << 10;

fn noted(store: &SledStore) -> Option<Sum> {
    let records_db = store.all_records().current();
    let note = records_db.records.summed.read().unwrap();
    note.map(|note| note.sum)
}

/// Makes the store look like one from before there were notes.
fn forget(store: &SledStore) {
    let records_db = store.all_records().current();
    records_db.records.summed.tree.remove(KEY).unwrap();
}

/// Asserts that there is a note, and that all values add up to it.
fn assert_summed(store: &SledStore) {
    assert!(noted(store).is_some());
    store.verify().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_noted_is_what_all_values_add_up_to(acts in acts(batch(bytes(), 0..4, 0..12), 1..16)) {
        let temp = tempfile::tempdir().unwrap();
        let mut store = SledStore::open(temp.path(), SMALL).unwrap();
        for act in acts {
            match act {
                Act::Apply(batch) => store.records().apply(batch).unwrap(),
                Act::Commit => store.commit().unwrap(),
                Act::Rewrite => rewrite(&store, 60),
                Act::Reopen => store = store.close_and_reopen(SMALL).unwrap(),
            }
            assert_summed(&store);
        }
    }
}

#[test]
fn one_value_more_or_less_or_of_before_is_noticed() {
    for is_rewritten in [false, true] {
        let (_temp, dir) = filled();
        let store = SledStore::open(&dir, SMALL).unwrap();
        if is_rewritten {
            rewrite(&store, 16 << 10);
        }
        let key = 7_u32.to_be_bytes();
        store.records().apply(vec![put(&key, b"before")]).unwrap();
        let records_db = store.all_records().current();
        let (changed, read) = (&records_db.records.changed, || store.verify());
        let before = changed.read_sealed(&key).unwrap().unwrap();
        store.records().apply(vec![put(&key, b"after")]).unwrap();
        let after = changed.read_sealed(&key).unwrap().unwrap();
        changed.put_as_it_is(&key, before).unwrap();
        assert!(matches!(read(), Err(StoreError::Damaged { .. })));
        changed.remove(&key).unwrap();
        assert!(matches!(read(), Err(StoreError::Damaged { .. })));
        changed.put_as_it_is(&key, after).unwrap();
        read().unwrap();
        changed.write(b"never written", b"").unwrap();
        assert!(matches!(read(), Err(StoreError::Damaged { .. })));
    }
}

#[test]
fn a_store_without_a_note_opens_and_gets_one_when_all_of_it_is_read() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    forget(&store);
    store.records().apply(vec![put(b"key", b"value")]).unwrap();
    let store = store.close_and_reopen(SMALL).unwrap();
    assert_eq!(noted(&store), None);
    store.close().unwrap();
    unclean(&dir);
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    assert_summed(&opened.store);
}

#[test]
fn records_that_are_rewritten_get_a_note() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    forget(&store);
    rewrite(&store, 16 << 10);
    assert_summed(&store);
}

#[test]
fn a_note_that_another_version_did_not_keep_is_forgotten() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let records_db = store.all_records().current();
    // What a version without notes does.
    records_db.records.changed.write(b"key", b"value").unwrap();
    let last = records_db.last_commit().unwrap() + 1;
    records_db
        .commits
        .write(b"last", &last.to_le_bytes())
        .unwrap();
    drop(records_db);
    store.close_as_it_is();
    unclean(&dir);
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    assert_summed(&opened.store);
}

/// Batches of a store that is killed, repeatedly writing the same keys.
fn nth_batch(n: u32) -> Vec<Write> {
    let write = |k: u32| {
        let key = (n * 37 + k * k) % 3000;
        match (n + k) % 5 {
            0 => delete(&key.to_be_bytes()),
            _ => put(&key.to_be_bytes(), &n.to_be_bytes().repeat(200)),
        }
    };
    (0..n % 90 + 1).map(write).collect()
}

// Not a test of its own: the child process of the test below, which is killed.
#[test]
fn writing_child() {
    let Some(dir) = std::env::var_os("SIMDEX_TEST_WRITING") else {
        return;
    };
    let store = SledStore::open(Path::new(&dir), SMALL).unwrap();
    for n in 0.. {
        store.records().apply(nth_batch(n)).unwrap();
        if n % 30 == 0 {
            store.commit().unwrap();
        }
        println!("applied");
    }
}

#[test]
fn a_store_that_is_killed_while_it_is_written_adds_up() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("store");
    for round in 1..7 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "--exact",
            "store::records::summed::tests::writing_child",
            "--nocapture",
        ]);
        let child = child
            .env("SIMDEX_TEST_WRITING", &dir)
            .stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        let applied = told.filter(|line| line.as_ref().unwrap().ends_with("applied"));
        assert_eq!(applied.take(97 * round).count(), 97 * round);
        child.kill().unwrap();
        child.wait().unwrap();
        let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
        assert_eq!(opened.damage, None, "round {round}");
        assert_summed(&opened.store);
        opened.store.close().unwrap();
    }
}

/// A store of one session, with no snapshot, whose log has many segments and large values; and its content.
fn long(dir: &Path) -> Model {
    let store = SledStore::open(dir, SMALL).unwrap();
    let mut model = Model::new();
    for n in 0..400_u32 {
        // Each key twice, half the log apart.
        let keys = (0..12).map(|k| (n % 200 * 12 + k).to_be_bytes());
        let value = format!("value {n} ").repeat(150).into_bytes();
        let batch: Vec<_> = keys.map(|key| (key.to_vec(), value.clone())).collect();
        if n == 100 || n == 300 {
            let large = vec![n as u8; 400_000];
            store.put_in_one_entry(b"large", &large).unwrap();
            model.insert(b"large".to_vec(), large.clone());
            // And one in parts.
            store.records().apply(vec![put(b"cut", &large)]).unwrap();
            model.insert(b"cut".to_vec(), large);
        }
        let writes = batch.iter().map(|(key, value)| put(key, value));
        store.records().apply(writes.collect()).unwrap();
        model.extend(batch);
        if n % 20 == 0 {
            store.commit().unwrap();
        }
    }
    store.close().unwrap();
    model
}

/// Its content after it was opened as after a crash; `None` if damage was noticed.
fn read_after_crash(case: &Path) -> Option<Model> {
    unclean(case);
    let opened = open_after_crash(case);
    opened.damage.is_none().then(|| records_of(&opened.store))
}

/// Copies of a database, each with different damage, and a description of it.
fn damaged(whole: &[u8]) -> Vec<(String, Vec<u8>)> {
    let segments = whole.len() / SEGMENT;
    assert!(segments > 8, "{segments} segments");
    let mut all = Vec::new();
    for segment in (0..segments).step_by(segments / 8) {
        let start = segment * SEGMENT;
        let flips = [start + 3, start + SEGMENT / 3, start + SEGMENT / 5 * 4];
        for at in flips {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 0x04;
            all.push((format!("bit of byte {at}"), bytes));
        }
        let ranges = [(start, 4096), (start + SEGMENT / 2, SEGMENT)];
        for (from, len) in ranges {
            let mut bytes = whole.to_vec();
            let end = whole.len().min(from + len);
            bytes[from..end].fill(0);
            all.push((format!("{len} bytes from {from}"), bytes));
        }
    }
    all
}

#[test]
fn damage_anywhere_in_a_log_of_many_segments_is_noticed_or_harmless() {
    let temp = tempfile::tempdir().unwrap();
    let dir: PathBuf = temp.path().join("store");
    let model = long(&dir);
    let whole = fs::read(dir.join("db")).unwrap();
    let mut missed = Vec::new();
    let case = temp.path().join("case");
    let mut is_harmless = |what: String, damage: &dyn Fn(&Path)| {
        copy_dir(&dir, &case);
        damage(&case);
        match read_after_crash(&case) {
            Some(found) if found != model => missed.push(what),
            _ => {}
        }
        fs::remove_dir_all(&case).unwrap();
        let _ = fs::remove_dir_all(case.with_file_name("case.damaged-1"));
    };
    let cases = damaged(&whole);
    let number = cases.len() + 1;
    for (what, bytes) in cases {
        is_harmless(what, &|case| fs::write(case.join("db"), &bytes).unwrap());
    }
    is_harmless("large values".to_owned(), &|case| {
        fs::remove_dir_all(case.join("blobs")).unwrap();
        fs::create_dir(case.join("blobs")).unwrap();
    });
    assert!(
        missed.is_empty(),
        "{} of {number}: {missed:#?}",
        missed.len()
    );
}
