//! Stores that opening could make smaller than they are: part of them cannot be read, is missing, or differs from what
//! was examined.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::exchanged::files;
use super::model::put;
use super::{
    LONG, SMALL, assert_filled, assert_set_aside, copy_dir, filled, real_probe, shell, unclean,
};
use crate::Cancel;
use crate::store::directory::generation::Generation;
use crate::store::directory::lock::Anchor;
use crate::store::records::records_db::RecordsDb;
use crate::store::sled_support::seal::TreeId;
use crate::store::{
    CheckedStore, SledStore, Store as _, StoreError, open_checked, open_checked_telling,
    open_in_place,
};

const LARGE: usize = 400_000;

fn checked(dir: &Path, probe: Option<Command>) -> Result<CheckedStore, StoreError> {
    open_checked(dir, SMALL, probe, LONG, &Cancel::never())
}

#[test]
fn what_was_applied_is_in_the_log_when_the_call_returns() {
    let (temp, dir) = filled();
    let (store, copy) = (
        SledStore::open(&dir, SMALL).unwrap(),
        temp.path().join("copy"),
    );
    store.records().apply(vec![put(b"added", b"now")]).unwrap();
    copy_dir(&dir, &copy);
    let copied = SledStore::open(&copy, SMALL).unwrap();
    let added = copied.records().get(b"added").unwrap();
    assert_eq!(added.as_deref(), Some(&b"now"[..]));
    copied.close().unwrap();
    store.close().unwrap();
}

/// Like `filled`, with large values, each of which is a separate file in sled.
fn filled_with_large() -> (TempDir, PathBuf) {
    let (temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    for n in 0..4_u8 {
        store.put_in_one_entry(&[b'l', n], &[n; LARGE]).unwrap();
        store.commit().unwrap();
    }
    // As it was before it was opened: the whole log is read.
    drop(store);
    (temp, dir)
}

fn assert_large(store: &SledStore) {
    for n in 0..4 {
        let value = store.records().get(&[b'l', n]).unwrap();
        assert!(
            value.is_some_and(|value| value == vec![n; LARGE]),
            "value {n}"
        );
    }
}

#[test]
fn a_large_value_that_may_not_be_read_is_no_end_of_the_log() {
    let (_temp, dir) = filled_with_large();
    let blob = fs::read_dir(dir.join("blobs")).unwrap().next().unwrap();
    let blob = blob.unwrap().path();
    let away = dir.with_file_name("away");
    fs::rename(&blob, &away).unwrap();
    // It points to itself: nobody can open it, not even root.
    std::os::unix::fs::symlink(&blob, &blob).unwrap();
    let db = fs::read(dir.join("db")).unwrap();
    let lock = Anchor::of(&dir.join("LOCK")).unwrap();
    let generation = Generation::current(&dir).unwrap();
    let opened = RecordsDb::open(generation, &lock, 8 << 20);
    assert!(matches!(opened, Err(StoreError::Io { action: "open", .. })));
    assert!(
        fs::read(dir.join("db")).unwrap() == db,
        "nothing was overwritten"
    );
    fs::remove_file(&blob).unwrap();
    fs::rename(&away, &blob).unwrap();
    let store = SledStore::open(&dir, SMALL).unwrap();
    assert_filled(&store);
    assert_large(&store);
}

#[test]
fn a_sound_store_is_kept_however_few_descriptors_the_probe_has() {
    let (mut sound, mut unknown) = (0, 0);
    let (_temp, whole) = filled_with_large();
    for descriptors in 4..40 {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("store");
        copy_dir(&whole, &dir);
        let mut probe = Command::new("sh");
        let script = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        probe.args(["-c", &script]);
        probe.arg(std::env::current_exe().unwrap());
        probe.args(["--exact", "store::tests::probe_child", "--nocapture"]);
        probe.env("SIMDEX_TEST_PROBE", &dir);
        match checked(&dir, Some(probe)) {
            Ok(opened) => {
                assert_eq!(opened.damage, None, "{descriptors}");
                assert_filled(&opened.store);
                assert_large(&opened.store);
                sound += 1;
            }
            Err(StoreError::ProbeInconclusive { .. }) => unknown += 1,
            Err(error) => panic!("{descriptors}: {error}"),
        }
    }
    assert!(sound > 0 && unknown > 0, "{sound} sound, {unknown} unknown");
}

#[test]
fn a_store_whose_records_are_missing_is_not_begun_where_it_lies() {
    let traces = [
        "runs/000007/db",
        "snap.0000000000000001",
        "aside.snap.0000000000000001",
        "blobs/9",
        "records/000003/conf",
        "records/000003.new",
        "COMMITTED",
        "CLEAN",
    ];
    for trace in traces {
        for db in [None, Some("db"), Some("records/000003/db")] {
            let temp = tempfile::tempdir().unwrap();
            let dir = temp.path().join("store");
            for name in ["LOCK", trace].into_iter().chain(db) {
                fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
                let said = if name == "COMMITTED" { "some" } else { "" };
                fs::write(dir.join(name), said).unwrap();
            }
            let before = files(&dir);
            let refused = open_in_place(&dir, SMALL, shell("exit 0"), LONG, &Cancel::never());
            assert!(
                matches!(refused, Err(StoreError::Damaged { .. })),
                "{trace}"
            );
            let refused = SledStore::open(&dir, SMALL);
            assert!(
                matches!(refused, Err(StoreError::Damaged { .. })),
                "{trace}"
            );
            assert_eq!(files(&dir), before, "{trace}");
            let opened = checked(&dir, shell("exit 0")).unwrap();
            let damage = opened.damage.unwrap();
            assert!(damage.reason.contains("are missing"), "{}", damage.reason);
            fs::rename(&dir, temp.path().join("new")).unwrap();
            fs::rename(&damage.set_aside, &dir).unwrap();
            assert_eq!(files(&dir), before, "{trace}");
        }
    }
}

#[test]
fn what_a_crash_leaves_of_a_store_that_was_never_committed_to_is_begun() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("store");
    drop(SledStore::open(&dir, SMALL).unwrap());
    // The power failed before any of it was written.
    for name in ["db", "COMMITTED"] {
        let file = OpenOptions::new().write(true).open(dir.join(name));
        file.unwrap().set_len(0).unwrap();
    }
    fs::create_dir(dir.join("records")).unwrap();
    let opened = checked(&dir, real_probe(&dir)).unwrap();
    assert_eq!(opened.damage, None);
}

#[test]
fn a_mark_of_a_clean_close_speaks_for_no_other_records() {
    let (_temp, dir) = filled();
    let mark = fs::read(dir.join("CLEAN")).unwrap();
    let damaged = || shell("echo broken >&2; exit 65");
    let refused = |name: &str| {
        let opened = open_in_place(&dir, SMALL, damaged(), LONG, &Cancel::never());
        let is_refused =
            matches!(&opened, Err(StoreError::Damaged { reason }) if reason == "broken");
        assert!(is_refused, "{name}: {opened:?}");
    };
    // As older versions wrote it.
    fs::write(dir.join("CLEAN"), "").unwrap();
    refused("empty");
    fs::write(dir.join("CLEAN"), &mark).unwrap();
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.commit().unwrap();
    store.close().unwrap();
    // With records that know more commits than it says.
    fs::write(dir.join("CLEAN"), &mark).unwrap();
    refused("of an earlier close");
    let opened = checked(&dir, real_probe(&dir)).unwrap();
    assert_eq!(opened.damage, None);
    assert_filled(&opened.store);
    opened.store.close().unwrap();
    // And with a database of another length.
    let db = OpenOptions::new()
        .append(true)
        .open(dir.join("db"))
        .unwrap();
    db.set_len(db.metadata().unwrap().len() + 1).unwrap();
    refused("of another length");
}

#[test]
fn a_verdict_on_one_store_is_not_carried_out_on_another() {
    for verdict in ["echo broken >&2; exit 65", "echo probe-reads 7; exit 65"] {
        let (temp, dir) = filled();
        let (other, away) = (temp.path().join("other"), temp.path().join("away"));
        copy_dir(&dir, &other);
        unclean(&dir);
        let before = files(&dir).into_values().count();
        let [from, to, aside] = [&other, &dir, &away].map(|path| path.display());
        let script = format!("[ -e {aside} ] || {{ mv {to} {aside}; mv {from} {to}; }}; {verdict}");
        let error = checked(&dir, shell(&script)).unwrap_err();
        assert!(error.is_replaced(), "{error}");
        assert!(!dir.with_file_name("store.damaged-1").exists());
        assert_eq!(files(&dir).len(), before + 1, "with its mark");
        assert_filled(&checked(&dir, None).unwrap().store);
    }
}

#[test]
fn a_store_that_was_not_examined_is_not_opened_for_one_that_was_found_sound() {
    let (temp, dir) = filled();
    let (other, away) = (temp.path().join("other"), temp.path().join("away"));
    copy_dir(&dir, &other);
    unclean(&dir);
    unclean(&other);
    let [from, to, aside] = [&other, &dir, &away].map(|path| path.display());
    let script = format!("mv {to} {aside}; mv {from} {to}; exit 0");
    let error = checked(&dir, shell(&script)).unwrap_err();
    assert!(error.is_replaced(), "{error}");
    assert_filled(&checked(&dir, real_probe(&dir)).unwrap().store);
}

#[test]
fn a_value_of_the_stores_own_that_is_corrupt_is_examined_as_damage() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.put_raw(TreeId::Commits, b"store", b"not sealed");
    store.close().unwrap();
    let reason = assert_set_aside(&dir, real_probe(&dir), LONG);
    assert!(reason.contains("corrupt value in commits"), "{reason}");
}

#[test]
fn a_store_that_was_set_aside_is_told_of_though_none_can_be_begun_in_its_place() {
    let (_temp, dir) = filled();
    unclean(&dir);
    let mut told = Vec::new();
    let mut tell = |damage: &crate::store::Damage| {
        told.push(damage.set_aside.clone());
        fs::write(&dir, "in the way").unwrap();
    };
    let probe = shell("echo broken >&2; exit 65");
    let opened = open_checked_telling(&dir, SMALL, probe, LONG, &Cancel::never(), &mut tell);
    assert!(matches!(opened, Err(StoreError::Io { .. })));
    assert_eq!(told, [dir.with_file_name("store.damaged-1")]);
}
