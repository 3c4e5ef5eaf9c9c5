//! A disk that becomes full while the daemon writes: answers go on, and it resumes by itself.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use simdex_index::Fault;
use simdex_index::store::{NewRun, PostingStore, SledStore, Store, StoreError, StoreOptions};
use simdex_tests::fault::answers::agree;
use simdex_tests::fault::disk::{Disk, fill};
use simdex_tests::sandbox::{Daemon, Sandbox};

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// A tmpfs of this size; says why there is none.
fn small_disk(mib: u64) -> Option<Disk> {
    let disk = Disk::of_memory(mib);
    disk.inspect_err(|reason| eprintln!("skipped, no small disk can be had here: {reason:#}"))
        .ok()
}

/// Writes a run of this many blocks, calling `at` before each.
fn write_run(
    postings: &dyn PostingStore,
    number: u32,
    blocks: u32,
    mut at: impl FnMut(u32),
) -> Result<(), StoreError> {
    let mut run = postings.begin_run(NewRun {
        number,
        ..NewRun::default()
    })?;
    for block in 0..blocks {
        at(block);
        run.put(&block.to_be_bytes(), &[7; 3000])?;
    }
    run.finish()
}

#[test]
fn a_run_that_finds_no_room_is_written_again_once_there_is_some() -> Result<()> {
    let Some(disk) = small_disk(64) else {
        return Ok(());
    };
    let (dir, filler) = (disk.path().join("store"), disk.path().join("filler"));
    let store = SledStore::open(&dir, StoreOptions::DAEMON)?;
    let postings = store.postings();
    write_run(postings, 1, 100, |_| {})?;
    for full_at in [1, 4_000, 5_999] {
        let full = write_run(postings, 2, 6_000, |block| {
            if block == full_at {
                fill(&filler);
            }
        });
        let refused = full.err().context("it was written on a full disk")?;
        ensure!(refused.fault() == Fault::Transient, "{refused:?}");
        ensure!(refused.is_disk_full(), "{refused:?}");
        let said = format!("{refused:?}");
        ensure!(said.contains("RunNotWritten"), "{said}");
        let names: Vec<_> = fs::read_dir(dir.join("runs"))?.flatten().collect();
        ensure!(names.len() == 1 && postings.runs()? == [1], "{names:?}");
        let block = postings.run(1)?.context("the other run")?.get(&[0; 4])?;
        ensure!(block.is_some_and(|block| block == [7; 3000]));
        fs::remove_file(&filler)?;
    }
    write_run(postings, 2, 6_000, |_| {})?;
    ensure!(postings.runs()? == [1, 2]);
    Ok(Box::new(store).close()?)
}

#[test]
fn a_disk_that_stays_full_while_the_daemon_writes_leaves_the_answers_and_is_waited_out()
-> Result<()> {
    for config in ["", "buffer_postings = 20000\n"] {
        let Some(disk) = small_disk(160) else {
            return Ok(());
        };
        let sandbox = Sandbox::new()?;
        let asked = sandbox.write("asked.txt", words(0, 400))?;
        sandbox.write("copy.txt", words(0, 400) + " and an end")?;
        let serve = sandbox
            .serve()
            .data_dir(disk.path().join("data"))
            .config(&format!("[store]\ncommit_ms = 50\n{config}"));
        let daemon = serve.start()?;
        daemon.sync()?;
        let (ends, stays_full) = (AtomicBool::new(false), AtomicBool::new(false));
        let filler = disk.path().join("filler");
        thread::scope(|scope| {
            scope.spawn(|| write_on(&sandbox, &ends));
            scope.spawn(|| keep_full(&filler, &stays_full, &ends));
            let answered = (0..2).try_for_each(|_| {
                thread::sleep(Duration::from_millis(700));
                stays_full.store(true, Ordering::Release);
                let answered = answers_on(&daemon, &asked);
                stays_full.store(false, Ordering::Release);
                answered?;
                synced(&daemon)
            });
            ends.store(true, Ordering::Release);
            answered
        })?;
        synced(&daemon)?;
        agree(&daemon, &[sandbox.share()])?;
        ensure!(daemon.stop()?.success());
    }
    Ok(())
}

/// Waits until the daemon has applied all, by itself.
fn synced(daemon: &Daemon) -> Result<()> {
    let begun = Instant::now();
    while daemon.sync().is_err() && begun.elapsed() < LONG {
        thread::sleep(Duration::from_millis(200));
    }
    daemon.sync()
}

/// Writes file after file.
fn write_on(sandbox: &Sandbox, ends: &AtomicBool) {
    for seed in 1.. {
        if ends.load(Ordering::Acquire) {
            return;
        }
        let _ = sandbox.write(format!("{}.txt", seed % 300), words(seed, 1_000));
        thread::sleep(Duration::from_millis(2));
    }
}

/// Takes all the room on a disk while it is to stay full, at once and whenever there is some.
fn keep_full(filler: &Path, stays_full: &AtomicBool, ends: &AtomicBool) {
    let mut is_full = false;
    while !ends.load(Ordering::Acquire) {
        if stays_full.load(Ordering::Acquire) {
            if !std::mem::replace(&mut is_full, true) {
                take_nearly_all(filler);
            }
            fill(filler);
        } else if std::mem::take(&mut is_full) {
            let _ = fs::remove_file(filler);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Takes the room on a disk in one call, but for what a block may differ.
fn take_nearly_all(filler: &Path) {
    let room = filler.parent().and_then(|disk| statvfs(disk).ok());
    let (Some(room), Ok(file)) = (room, File::create(filler)) else {
        return;
    };
    let bytes = room.f_bavail.saturating_sub(64) * room.f_frsize;
    let _ = fallocate(&file, FallocateFlags::empty(), 0, bytes);
}

/// Waits until the daemon is read-only, asks until it answers, and sees it answer for some time.
fn answers_on(daemon: &Daemon, asked: &Path) -> Result<()> {
    let begun = Instant::now();
    let mut answered = 0;
    let mut last = String::new();
    while answered < 10 {
        ensure!(
            begun.elapsed() < LONG,
            "not answered on a full disk: {last}"
        );
        let status = daemon.simctl(["status"])?.success()?.lines_of("status")?;
        let alarm = status[0]["alarm"].as_object();
        let found = daemon.simctl(["find-similar".as_ref(), asked.as_os_str()])?;
        last = found.stderr.clone();
        ensure!(!last.contains("Os {"), "{last}");
        match (alarm, found.lines_of("match")) {
            (Some(alarm), Ok(found)) if found.len() == 1 && alarm["answering"] == true => {
                answered += 1;
            }
            (Some(_), _) => answered = 0,
            (None, _) => {}
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Words of a text of its own.
fn words(seed: u64, count: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{:x} ", state % 0x000f_ffff)
    };
    (0..count).map(|_| next()).collect()
}
