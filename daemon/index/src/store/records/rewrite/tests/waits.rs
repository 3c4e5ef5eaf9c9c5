//! What batches wait for while records are rewritten, and what a full disk leaves.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use super::{PART, assert_alone};
use crate::Fault;
use crate::store::directory::lock::wait_unlocked;
use crate::store::records::rewrite::{MAX_ROUNDS, RewriteStage};
use crate::store::sled_support::recovery::RELEASE_LIMIT;
use crate::store::tests::model::{put, records_of, rewrite};
use crate::store::tests::{SMALL, assert_filled, copy_dir, filled};
use crate::store::{SledStore, Store, StoreError, Write};

const MIB: usize = 1 << 20;

#[test]
fn batches_wait_for_no_part_but_where_much_is_kept() {
    const BATCHES: u32 = 24;
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let records = store.all_records();
    let kept = || {
        records
            .lock_backlog()
            .as_ref()
            .map_or(0, |changes| changes.bytes())
    };
    let apply = |n: u32| {
        let batch = vec![put(&n.to_be_bytes(), &vec![n as u8; MIB / 8]); 8];
        store.records().apply(batch).unwrap();
    };
    let most = std::thread::scope(|scope| {
        let (mut writer, mut most) = (None, 0);
        let rewritten = records.rewrite(PART, &mut |stage| {
            if stage == RewriteStage::Read && writer.is_none() {
                let writer = writer.insert(scope.spawn(move || (0..BATCHES).for_each(apply)));
                // The part is being copied, and batches are applied until too much is kept.
                while kept() <= 8 * MIB && !writer.is_finished() {
                    std::thread::yield_now();
                }
                most = kept();
                assert!(!writer.is_finished());
            }
            true
        });
        assert!(rewritten.unwrap());
        writer.unwrap().join().unwrap();
        most
    });
    assert!(most < 10 * MIB, "{most} bytes were kept");
    for n in 0..BATCHES {
        let value = store.records().get(&n.to_be_bytes()).unwrap();
        assert_eq!(value, Some(vec![n as u8; MIB / 8]), "{n}");
    }
    store.close().unwrap();
}

#[test]
fn while_batches_wait_little_is_written_whatever_there_is_to_copy() {
    let temp = tempfile::tempdir().unwrap();
    let store = SledStore::open(temp.path(), SMALL).unwrap();
    let records: Vec<u32> = (0..8 * MIB as u32 / 400).collect();
    for some in records.chunks(256) {
        let writes = some.iter().map(|n| put(&n.to_be_bytes(), &[*n as u8; 396]));
        store.records().apply(writes.collect()).unwrap();
    }
    let db = temp.path().join("records/000001/db");
    let length = || fs::metadata(&db).unwrap().len();
    let (mut steps, mut copied, mut whole) = (0, 0, 0);
    let rewritten = store.all_records().rewrite(MIB, &mut |stage| {
        match stage {
            RewriteStage::Copying => steps += 1,
            RewriteStage::Copied => {
                // As much as is applied while the last changes are written.
                for n in 0..MAX_ROUNDS as u32 {
                    let batch = vec![put(&n.to_be_bytes(), b"changed")];
                    store.records().apply(batch).unwrap();
                }
                copied = length();
            }
            RewriteStage::PowerSafe => whole = length(),
            _ => {}
        }
        true
    });
    assert!(rewritten.unwrap());
    assert!(steps >= 6, "{steps} parts");
    let written = whole.saturating_sub(copied);
    assert!(written <= 2 * MIB as u64, "{written} bytes beside {copied}");
    assert_eq!(
        store.records().get(&7_u32.to_be_bytes()).unwrap().unwrap(),
        b"changed"
    );
}

/// A file system in memory that becomes full, unmounted on drop.
struct Full(tempfile::TempDir);

impl Full {
    const BYTES: usize = 24 * MIB;

    /// `None` if nothing can be mounted.
    fn mounted() -> Option<Self> {
        let full = Self(tempfile::tempdir().unwrap());
        let size = format!("size={}", Self::BYTES);
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(full.0.path());
        let is_mounted = mount.output().is_ok_and(|done| done.status.success());
        is_mounted.then_some(full)
    }

    /// Takes all free space except this many bytes.
    fn fill(&self, left: usize) {
        let mut file = File::create(self.ballast()).unwrap();
        let mut taken = 0;
        while let Ok(bytes @ 1..) = file.write(&[7; 4096]) {
            taken += bytes as u64;
        }
        file.set_len(taken.saturating_sub(left as u64)).unwrap();
    }

    fn ballast(&self) -> std::path::PathBuf {
        self.0.path().join("ballast")
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .arg("--lazy")
            .arg(self.0.path())
            .output();
    }
}

#[test]
fn a_full_disk_puts_the_rewriting_off_at_whatever_write() {
    let Some(disk) = Full::mounted() else {
        return eprintln!("skipped: nothing can be mounted here");
    };
    let (_temp, from) = filled();
    let large = vec![7; 400_000]; // in parts
    let mut refused = 0;
    for (at, left) in (0..20_usize).map(|n| (n % 4, (n / 4 * 96) << 10)) {
        let dir = disk.0.path().join("store");
        copy_dir(&from, &dir);
        let store = SledStore::open(&dir, SMALL).unwrap();
        store.records().apply(vec![put(b"large", &large)]).unwrap();
        store.commit().unwrap();
        let before = records_of(&store);
        let done = rewrite_on(&disk, &store, at, left);
        assert_eq!(
            records_of(&store),
            before,
            "full at step {at} but for {left}"
        );
        match done {
            Ok(is_done) => assert!(is_done),
            Err(error) => {
                assert!(matches!(error, StoreError::NotRewritten { .. }), "{error}");
                assert_eq!(error.fault(), Fault::Transient);
                assert_alone(&dir, "");
                refused += 1;
            }
        }
        fs::remove_file(disk.ballast()).unwrap();
        // The old database may have met the full disk too: then it is opened again, as the daemon does.
        drop(store);
        assert!(wait_unlocked(&dir.join("db"), RELEASE_LIMIT));
        let store = SledStore::open(&dir, SMALL).unwrap();
        assert_eq!(records_of(&store), before);
        usable(store, &dir);
        fs::remove_dir_all(&dir).unwrap();
    }
    assert!((5..20).contains(&refused), "{refused} of 20");
}

/// Rewrites the records on a disk that is full except for this many bytes, from a step on.
fn rewrite_on(disk: &Full, store: &SledStore, at: usize, left: usize) -> Result<bool, StoreError> {
    let mut steps = 0;
    store.all_records().rewrite(PART, &mut |stage| {
        let is_full = match at {
            0 => steps == 0,
            1 => steps == 1,
            2 => stage == RewriteStage::Copied,
            _ => stage == RewriteStage::PowerSafe,
        };
        if is_full {
            disk.fill(left);
        }
        steps += 1;
        true
    })
}

/// Asserts that a store can be written, rewritten and read again.
fn usable(store: SledStore, dir: &Path) {
    let added: Vec<Write> = (0..40_u8).map(|n| put(&[b'x', n], &[n; 500])).collect();
    store.records().apply(added).unwrap();
    store.commit().unwrap();
    let before = records_of(&store);
    rewrite(&store, PART);
    let store = store.close_and_reopen(SMALL).unwrap();
    assert_filled(&store);
    assert_eq!(records_of(&store), before);
    assert!(!dir.join("db").exists());
    store.close().unwrap();
}
