//! What is special about the store on disk: damage, recovery, locking, the probe.

mod derived;
mod exchanged;
mod generations;
mod locks;
pub(super) mod model;
mod opening;

use std::fs::{self, OpenOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use super::directory::lock::wait_unlocked;
use super::examine::probe::probe;
use super::sled_support::recovery::RELEASE_LIMIT;
use super::sled_support::seal::TreeId;
use super::{
    CheckedStore, NewRun, PostingRun, ProbeResult, SledStore, Store, StoreError, StoreOptions,
    Write, copy_aside, open_checked, witness_is_damaged,
};
use crate::Cancel;

pub(super) const SMALL: StoreOptions = StoreOptions {
    cache_bytes: 8 << 20,
};
/// Far above what a probe takes here; only a hang reaches it.
pub(super) const LONG: Duration = Duration::from_secs(120);
pub(super) const RECORDS: u32 = 500;
const RUN: u32 = 7;

pub(super) fn value(n: u32) -> Vec<u8> {
    format!("value {n} ").repeat(20).into_bytes()
}

/// A directory holding a store with known content, closed cleanly.
pub(super) fn filled() -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("store");
    let store = SledStore::open(&dir, SMALL).unwrap();
    fill(&store);
    store.close().unwrap();
    (temp, dir)
}

/// Copies a directory with all its content.
pub(super) fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_dir(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

pub(super) fn fill(store: &SledStore) {
    let put = |n: u32| Write::Put {
        key: n.to_be_bytes().to_vec(),
        value: value(n),
    };
    store
        .records()
        .apply((0..RECORDS).map(put).collect())
        .unwrap();
    let mut run = store.postings().begin_run(new_run(RUN)).unwrap();
    for n in 0..RECORDS {
        run.put(&n.to_be_bytes(), &value(n)).unwrap();
    }
    run.finish().unwrap();
}

fn new_run(number: u32) -> NewRun {
    NewRun {
        number,
        ..NewRun::default()
    }
}

fn run(store: &SledStore) -> Arc<dyn PostingRun> {
    store.postings().run(RUN).unwrap().unwrap()
}

pub(super) fn assert_filled(store: &SledStore) {
    let run = run(store);
    for n in 0..RECORDS {
        let key = n.to_be_bytes();
        assert_eq!(store.records().get(&key).unwrap(), Some(value(n)));
        assert_eq!(run.get(&key).unwrap(), Some(value(n)));
    }
}

fn assert_records(store: &SledStore) {
    for n in 0..RECORDS {
        let key = n.to_be_bytes();
        assert_eq!(store.records().get(&key).unwrap(), Some(value(n)));
    }
}

fn snapshot(dir: &Path) -> PathBuf {
    let mut names = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    names
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("snap.")
        })
        .unwrap()
}

/// As a crash would leave it.
pub(super) fn unclean(dir: &Path) {
    fs::remove_file(dir.join("CLEAN")).unwrap();
}

#[test]
fn a_flipped_bit_is_reported_and_not_served() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let key = 7_u32.to_be_bytes();
    for tree in [TreeId::Records, TreeId::Postings(RUN)] {
        let mut sealed = store.get_raw(tree, &key);
        sealed[5] ^= 0x10;
        store.put_raw(tree, &key, &sealed);
    }
    let corrupt = |error: StoreError, name: &str| {
        assert!(
            matches!(error, StoreError::Corrupt { tree, key } if tree == name && key == "00000007")
        );
    };
    corrupt(store.records().get(&key).unwrap_err(), "records");
    corrupt(run(&store).get(&key).unwrap_err(), "postings");
    let mut served = 0;
    let mut visit = |_: &[u8], _: &[u8]| {
        served += 1;
        ControlFlow::Continue(())
    };
    corrupt(
        store.records().scan(b"", None, &mut visit).unwrap_err(),
        "records",
    );
    assert_eq!(served, 7, "the entries before the corrupt one");
    corrupt(store.verify().unwrap_err(), "records");
}

#[test]
fn a_value_under_a_false_key_is_reported() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let sealed = store.get_raw(TreeId::Records, &1_u32.to_be_bytes());
    store.put_raw(TreeId::Records, &2_u32.to_be_bytes(), &sealed);
    let error = store.records().get(&2_u32.to_be_bytes()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }));
}

#[test]
fn a_closed_store_opens_again_with_all_it_held() {
    let (_temp, dir) = filled();
    let large = vec![9; 400_000]; // in parts
    let store = SledStore::open(&dir, SMALL).unwrap();
    let key = b"large".to_vec();
    store
        .records()
        .apply(vec![Write::Put {
            key,
            value: large.clone(),
        }])
        .unwrap();
    let store = store.close_and_reopen(SMALL).unwrap();
    assert_filled(&store);
    assert_eq!(store.records().get(b"large").unwrap(), Some(large));
    assert_eq!(
        store.verify().unwrap(),
        (u64::from(RECORDS) + 1, u64::from(RECORDS))
    );
    assert!(store.bytes_on_disk() > 400_000);
}

#[test]
fn an_unfinished_snapshot_does_not_stop_an_open() {
    let (_temp, dir) = filled();
    let stray = dir.join("snap.0000000000FFFFFF.generating");
    fs::write(&stray, b"unfinished").unwrap();
    assert_filled(&SledStore::open(&dir, SMALL).unwrap());
    assert!(!stray.exists());
}

#[test]
fn a_truncated_snapshot_does_not_stop_an_open() {
    let (_temp, dir) = filled();
    SledStore::open(&dir, SMALL).unwrap().close().unwrap();
    let path = snapshot(&dir);
    let half = fs::metadata(&path).unwrap().len() / 2;
    OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(half)
        .unwrap();
    assert_filled(&SledStore::open(&dir, SMALL).unwrap());
    let aside = format!("aside.{}", path.file_name().unwrap().to_string_lossy());
    assert!(dir.join(aside).exists());
}

#[test]
fn only_a_closed_store_is_marked_clean() {
    let (_temp, dir) = filled();
    assert!(dir.join("CLEAN").exists());
    let store = SledStore::open(&dir, SMALL).unwrap();
    assert!(!dir.join("CLEAN").exists());
    drop(store);
    assert!(!dir.join("CLEAN").exists());
}

// Not a test of its own: the child process of the tests below, which run this executable.
#[test]
fn probe_child() {
    if let Some(dir) = std::env::var_os("SIMDEX_TEST_PROBE") {
        std::process::exit(super::examine::probe::probe_code(Path::new(&dir)).into());
    }
}

pub(super) fn real_probe(dir: &Path) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "store::tests::probe_child", "--nocapture"]);
    command.env("SIMDEX_TEST_PROBE", dir);
    Some(command)
}

/// Opens a store as after a crash. Some damage makes sled hang, so the first time limit is short; a machine that is
/// merely slow has a longer one.
pub(super) fn open_after_crash(dir: &Path) -> CheckedStore {
    let open = |limit| open_checked(dir, SMALL, real_probe(dir), limit, &Cancel::never());
    match open(Duration::from_secs(10)) {
        Err(StoreError::ProbeInconclusive { .. }) => open(LONG).unwrap(),
        opened => opened.unwrap(),
    }
}

fn shell(script: &str) -> Option<Command> {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Some(command)
}

pub(super) fn assert_set_aside(dir: &Path, probe: Option<Command>, limit: Duration) -> String {
    let opened = open_checked(dir, SMALL, probe, limit, &Cancel::never()).unwrap();
    let damage = opened.damage.unwrap();
    assert_eq!(damage.set_aside, dir.with_file_name("store.damaged-1"));
    assert!(damage.set_aside.join("db").exists());
    assert_eq!(opened.store.verify().unwrap(), (0, 0));
    damage.reason
}

#[test]
fn a_new_store_and_a_cleanly_closed_one_are_not_probed() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("store");
    for _ in 0..2 {
        let opened = open_checked(&dir, SMALL, shell("exit 65"), LONG, &Cancel::never()).unwrap();
        assert_eq!(opened.damage, None);
        opened.store.close().unwrap();
    }
}

#[test]
fn a_sound_store_is_probed_after_a_crash_and_kept() {
    let (_temp, dir) = filled();
    unclean(&dir);
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    assert_filled(&opened.store);
}

#[test]
fn a_store_with_a_corrupt_value_is_set_aside() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.put_raw(TreeId::Records, b"key", b"no seal at all");
    store.close().unwrap();
    assert!(matches!(probe(&dir), ProbeResult::Damaged { .. }));
    let reason = assert_set_aside(&dir, real_probe(&dir), LONG);
    assert!(reason.contains("corrupt value in records"), "{reason}");
}

#[test]
fn commits_that_sled_lost_are_noticed() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let old = store.get_raw(TreeId::Commits, b"last");
    store.commit().unwrap();
    store.put_raw(TreeId::Commits, b"last", &old);
    drop(store);
    let reason = assert_set_aside(&dir, None, LONG);
    assert_eq!(reason, "sled lost commits 2 to 2");
}

#[test]
fn damage_anywhere_in_the_log_is_noticed_or_harmless() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("store");
    let store = SledStore::open(&dir, SMALL).unwrap();
    // One by one: sled drops what follows a damaged message in the log.
    for n in 0..RECORDS {
        let key = n.to_be_bytes().to_vec();
        let write = Write::Put {
            key,
            value: value(n),
        };
        store.records().apply(vec![write]).unwrap();
    }
    store.close().unwrap();
    let whole = fs::read(dir.join("db")).unwrap();
    for step in 1..16 {
        let case = temp.path().join(format!("case-{step}"));
        fs::create_dir(&case).unwrap();
        for name in ["conf", "COMMITTED"] {
            fs::copy(dir.join(name), case.join(name)).unwrap();
        }
        let mut damaged = whole.clone();
        damaged[whole.len() / 16 * step] ^= 0x04;
        fs::write(case.join("db"), damaged).unwrap();
        let opened = open_after_crash(&case);
        if opened.damage.is_none() {
            for n in 0..RECORDS {
                let key = n.to_be_bytes();
                assert_eq!(opened.store.records().get(&key).unwrap(), Some(value(n)));
            }
        }
    }
}

#[test]
fn damage_anywhere_in_a_run_is_noticed_or_harmless() {
    let (temp, dir) = filled();
    let name = format!("runs/{RUN:06}/db");
    let whole = fs::read(dir.join(&name)).unwrap();
    for (with_snapshot, step) in (1..24).flat_map(|step| [(true, step), (false, step)]) {
        let case = temp.path().join(format!("case-{step}-{with_snapshot}"));
        fs::create_dir(&case).unwrap();
        let _observed = copy_aside(&dir, &case).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 24 * step] ^= 0x04;
        fs::write(case.join(&name), damaged).unwrap();
        if !with_snapshot {
            fs::remove_file(snapshot(case.join(&name).parent().unwrap())).unwrap();
        }
        unclean(&case);
        let opened = open_after_crash(&case);
        assert_eq!(opened.damage, None, "a run is derived");
        match opened.store.postings().run(RUN).unwrap() {
            Some(_) => assert_filled(&opened.store),
            None => assert_records(&opened.store),
        }
    }
}

#[test]
fn what_a_crash_left_of_runs_is_removed_and_never_opened() {
    let (_temp, dir) = filled();
    for name in ["000008.new", "000006.gone"] {
        fs::create_dir(dir.join("runs").join(name)).unwrap();
        fs::write(dir.join("runs").join(name).join("db"), b"torn").unwrap();
    }
    let store = SledStore::open(&dir, SMALL).unwrap();
    assert_eq!(store.postings().runs().unwrap(), [RUN]);
    assert_eq!(fs::read_dir(dir.join("runs")).unwrap().count(), 1);
    assert_filled(&store);
    drop(store.postings().begin_run(new_run(9)).unwrap());
    assert_eq!(fs::read_dir(dir.join("runs")).unwrap().count(), 1);
}

#[test]
fn a_run_that_does_not_fit_is_refused_and_leaves_nothing() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let bytes = 1 << 60;
    let too_large = NewRun {
        bytes,
        ..new_run(8)
    };
    let refused = store.postings().begin_run(too_large).err().unwrap();
    assert!(matches!(refused, StoreError::NoRoom { needed, .. } if needed > bytes));
    assert_eq!(refused.fault(), crate::Fault::Transient);
    assert!(crate::IndexError::from(refused).is_disk_full());
    assert_eq!(fs::read_dir(dir.join("runs")).unwrap().count(), 1);
}

#[test]
fn the_postings_of_a_store_without_runs_are_dropped() {
    let (_temp, dir) = filled();
    let db = ::sled::open(&dir).unwrap();
    let tree = db.open_tree("postings").unwrap();
    tree.insert(b"key", b"block").unwrap();
    db.flush().unwrap();
    drop((tree, db));
    assert!(wait_unlocked(&dir.join("db"), RELEASE_LIMIT));
    let store = SledStore::open(&dir, SMALL).unwrap();
    assert_filled(&store);
    store.close().unwrap();
    let db = ::sled::open(&dir).unwrap();
    assert!(!db.tree_names().contains(&"postings".into()));
}

#[test]
fn a_torn_or_missing_witness_does_not_stop_an_open() {
    let (_temp, dir) = filled();
    let path = dir.join("COMMITTED");
    assert!(!witness_is_damaged(&dir).unwrap());
    fs::write(&path, [7; 16]).unwrap();
    assert!(witness_is_damaged(&dir).unwrap());
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.commit().unwrap();
    store.close().unwrap();
    assert!(!witness_is_damaged(&dir).unwrap());
    fs::remove_file(&path).unwrap();
    assert!(witness_is_damaged(&dir).unwrap());
    assert_filled(&SledStore::open(&dir, SMALL).unwrap());
}

#[test]
fn a_probe_that_hangs_or_crashes_twice_means_damage() {
    let (_temp, dir) = filled();
    unclean(&dir);
    let reason = assert_set_aside(&dir, shell("exec sleep 600"), Duration::from_millis(200));
    assert!(reason.contains("no progress"));
    let (_temp, dir) = filled();
    unclean(&dir);
    let crashes = format!("echo {}; kill -SEGV $$", super::examine::probe::BEGUN);
    let reason = assert_set_aside(&dir, shell(&crashes), LONG);
    assert!(reason.contains("signal 11"));
}

#[test]
fn a_probe_without_a_verdict_gives_nothing_up() {
    let (_temp, dir) = filled();
    unclean(&dir);
    let ends = [
        "kill -TERM $$",
        "kill -KILL $$",
        "kill -ABRT $$",
        "kill -SEGV $$",
        "exit 74",
        "exit 1",
        "exit 101",
    ];
    for script in ends {
        let error = open_checked(&dir, SMALL, shell(script), LONG, &Cancel::never()).unwrap_err();
        assert!(matches!(error, StoreError::ProbeInconclusive { .. }));
    }
    let error = open_checked(&dir, SMALL, shell("exit 75"), LONG, &Cancel::never()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }));
    assert_filled(&SledStore::open(&dir, SMALL).unwrap());
}

/// The real probe, limited to this many KiB of address space.
fn starved_probe(dir: &Path, kib: u64) -> Option<Command> {
    let mut command = Command::new("sh");
    let exe = std::env::current_exe().unwrap();
    let script = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(exe);
    command.args(["--exact", "store::tests::probe_child", "--nocapture"]);
    command.env("SIMDEX_TEST_PROBE", dir);
    Some(command)
}

#[test]
fn a_sound_store_is_kept_however_little_memory_the_probe_has() {
    let (mut sound, mut unknown) = (0, 0);
    for kib in (0..16).map(|step| 8 << 10 << (step / 2) >> (step % 2)) {
        let (_temp, dir) = filled();
        unclean(&dir);
        match open_checked(
            &dir,
            SMALL,
            starved_probe(&dir, kib),
            LONG,
            &Cancel::never(),
        ) {
            Ok(opened) => {
                assert_eq!(opened.damage, None, "{kib} KiB");
                assert_filled(&opened.store);
                sound += 1;
            }
            Err(StoreError::ProbeInconclusive { .. }) => unknown += 1,
            Err(error) => panic!("{kib} KiB: {error}"),
        }
    }
    assert!(sound > 0 && unknown > 0, "{sound} sound, {unknown} unknown");
}

#[test]
fn damage_that_only_this_process_sees_gives_nothing_up() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let old = store.get_raw(TreeId::Commits, b"last");
    store.commit().unwrap();
    store.put_raw(TreeId::Commits, b"last", &old);
    store.close_as_it_is();
    let error = open_checked(&dir, SMALL, shell("exit 0"), LONG, &Cancel::never()).unwrap_err();
    assert!(matches!(error, StoreError::ProbeInconclusive { reason, .. }
        if reason.contains("lost commits")));
    assert!(!dir.with_file_name("store.damaged-1").exists());
}

#[test]
fn every_flipped_bit_of_the_settings_of_sled_is_put_right() {
    let (_temp, dir) = filled();
    let path = dir.join("conf");
    let whole = fs::read(&path).unwrap();
    for byte in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[byte] ^= 1 << (byte % 8);
        fs::write(&path, damaged).unwrap();
        let opened = open_checked(&dir, SMALL, shell("exit 0"), LONG, &Cancel::never()).unwrap();
        assert_eq!(opened.damage, None, "byte {byte}");
        assert_filled(&opened.store);
        opened.store.close().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn damaged_settings_make_a_store_suspect_though_it_was_closed_cleanly() {
    let (_temp, dir) = filled();
    fs::write(dir.join("conf"), b"nothing sled wrote").unwrap();
    let reason = assert_set_aside(&dir, shell("echo broken >&2; exit 65"), LONG);
    assert_eq!(reason, "broken");
}

#[test]
fn files_that_are_none_are_refused_at_once_and_written_through_by_nobody() {
    for name in [
        "LOCK",
        "COMMITTED",
        "CLEAN",
        "conf",
        "db",
        "snap.1",
        "blobs/9",
        "runs/9",
        "runs/000007/db",
        "runs/000007/blobs/9",
    ] {
        for planted in [crate::safe_fs::make_fifo, link] {
            let (_temp, dir) = filled();
            let path = dir.join(name);
            // Some do not exist.
            let _ = fs::remove_file(&path);
            planted(&path);
            let error = open_checked(&dir, SMALL, shell("exit 65"), LONG, &Cancel::never());
            let error = error.err().unwrap_or_else(|| panic!("{name} is opened"));
            assert!(matches!(error, StoreError::Io { .. }), "{name}: {error}");
            assert!(!path.with_file_name("target").exists(), "{name}");
        }
    }
}

pub(super) fn link(path: &Path) {
    std::os::unix::fs::symlink(path.with_file_name("target"), path).unwrap();
}

#[test]
fn what_the_store_makes_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_temp, dir) = filled();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for name in ["LOCK", "COMMITTED", "CLEAN"] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
}
