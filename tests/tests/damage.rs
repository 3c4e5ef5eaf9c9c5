//! A data directory that is in use, damaged or full: reported in one clear line, and never answered with
//! wrong results.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;
use simdex_tests::fault::answers::{Answers, Listed, agree};
use simdex_tests::fault::disk::Disk;
use simdex_tests::fault::ledger::Ledger;
use simdex_tests::fault::tree::Tree;
use simdex_tests::sandbox::{Daemon, Run, Sandbox, simdexd};

#[test]
fn a_second_daemon_on_the_same_data_directory_is_refused_with_75() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", "a text that is long enough to be a document")?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let second = sandbox.serve().refused()?.ended_with(&[75])?;
    let named = second
        .stderr
        .contains(&*sandbox.data_dir().to_string_lossy());
    ensure!(
        named && second.stderr.trim().lines().count() == 1,
        "it says: {}",
        second.stderr
    );
    let scan = sandbox.scan(["--data-dir".as_ref(), sandbox.data_dir().as_os_str()]);
    ensure!(scan.is_err_and(|error| error.to_string().contains("ended with 75")));
    // The first one has not noticed.
    agree(&daemon, &[sandbox.share()])?;
    Ok(())
}

/// Flips bits in one byte of every `step` of a file.
fn flip(file: &Path, step: usize) -> Result<()> {
    let mut bytes = fs::read(file)?;
    bytes
        .iter_mut()
        .skip(step / 2)
        .step_by(step)
        .for_each(|byte| *byte ^= 0x55);
    Ok(fs::write(file, bytes)?)
}

/// Names and lengths of the files in a folder.
fn listed(folder: &Path) -> Result<BTreeMap<OsString, u64>> {
    let length = |entry: fs::DirEntry| Ok((entry.file_name(), entry.metadata()?.len()));
    fs::read_dir(folder)?.map(|entry| length(entry?)).collect()
}

#[test]
fn a_damaged_store_is_set_aside_and_built_anew() -> Result<()> {
    let ends: [fn(Daemon) -> Result<()>; 2] = [Daemon::kill, |daemon| daemon.stop().map(drop)];
    for (end, step) in ends.into_iter().zip([1_009, 97]) {
        let sandbox = Sandbox::new()?;
        Tree::new(sandbox.share(), 21)?.grow(150)?;
        let daemon = sandbox.serve().start()?;
        let before = agree(&daemon, &[sandbox.share()])?;
        end(daemon)?;
        flip(&sandbox.data_dir().join("store/db"), step)?;
        let texts = listed(&sandbox.data_dir().join("text"))?;
        // Nobody who doubts what is derived loses what it is derived from.
        let data = sandbox.data_dir();
        let rebuild =
            Run::of(simdexd()?).args([Path::new("rebuild"), Path::new("--data-dir"), &data]);
        let rebuilt = rebuild.wait()?.ended_with(&[1])?;
        let said = String::from_utf8_lossy(&rebuilt.stdout);
        ensure!(said.contains("is damaged"), "{said}");
        ensure!(!data.join("store.damaged-1").exists());
        let daemon = sandbox.serve().start()?;
        ensure!(agree(&daemon, &[sandbox.share()])? == before);
        let log = daemon.log()?;
        ensure!(
            log.contains("was damaged") && log.contains("set aside"),
            "it says: {log}"
        );
        ensure!(sandbox.data_dir().join("store.damaged-1").is_dir());
        daemon.stop()?;
        ensure!(!texts.is_empty() && listed(&data.join("text.damaged-1"))? == texts);
    }
    Ok(())
}

#[test]
fn a_status_tells_that_a_damaged_index_was_begun_again_and_where_it_is_until_it_is_removed()
-> Result<()> {
    let sandbox = Sandbox::new()?;
    Tree::new(sandbox.share(), 22)?.grow(60)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.stop()?;
    flip(&sandbox.data_dir().join("store/db"), 97)?;
    fs::rename(sandbox.share(), sandbox.beside("away"))?;
    let daemon = sandbox.serve().start()?;
    let status = || daemon.simctl(["status"])?.success()?.lines_of("status");
    let told = status()?.remove(0);
    let aside = sandbox.data_dir().join("store.damaged-1");
    ensure!(
        told["set_aside"] == aside.to_string_lossy().as_ref(),
        "{told}"
    );
    ensure!(
        told["new_index"] == true && told["damage"].is_string(),
        "{told}"
    );
    fs::rename(sandbox.beside("away"), sandbox.share())?;
    daemon.sync()?;
    let is_aside = |told: Value| {
        ensure!(
            told["damage"].is_null() && told["new_index"] == false,
            "{told}"
        );
        Ok(told["set_aside"] == aside.to_string_lossy().as_ref())
    };
    ensure!(is_aside(status()?.remove(0))?);
    daemon.stop()?;
    let daemon = sandbox.serve().start()?;
    let status = || daemon.simctl(["status"])?.success()?.lines_of("status");
    ensure!(is_aside(status()?.remove(0))?, "a restart forgets it");
    fs::remove_dir_all(&aside)?;
    ensure!(status()?.remove(0)["set_aside"].is_null());
    daemon.stop()?;
    Ok(())
}

#[test]
fn a_damaged_text_is_never_shown_and_is_extracted_again() -> Result<()> {
    let sandbox = Sandbox::new()?;
    Tree::new(sandbox.share(), 22)?.grow(150)?;
    let daemon = sandbox.serve().start()?;
    agree(&daemon, &[sandbox.share()])?;
    daemon.stop()?;
    for segment in fs::read_dir(sandbox.data_dir().join("text"))? {
        flip(&segment?.path(), 509)?;
    }
    // While the share is away nothing can be read again: answers say that they are not complete, and show nothing that
    // is not so; who wants all or nothing is refused.
    fs::rename(sandbox.share(), sandbox.beside("away"))?;
    let daemon = sandbox.serve().start()?;
    // Compared with a scan, which judges nothing.
    let listed = ["pairs", "--threshold", "0.5", "--judge", "off"];
    let asked = daemon.simctl(listed)?.ended_with(&[0, 1])?;
    let strict = daemon.simctl(["pairs", "--strict"])?;
    ensure!(
        strict.code()? == 2 && strict.stderr.contains("damaged"),
        "{}",
        strict.stderr
    );
    let log = daemon.log()?;
    ensure!(log.contains("a text is damaged"), "it says: {log}");
    // After the next rescan all is as it was.
    fs::rename(sandbox.beside("away"), sandbox.share())?;
    daemon.sync()?;
    let mut shown = Answers::default();
    shown.take(daemon.simctl(listed)?.success()?.lines()?);
    let mut right = Answers::default();
    right.take(sandbox.scan(["--pairs", "--threshold", "0.5"])?.lines()?);
    ensure!(shown.lines("pair") == right.lines("pair"));
    let summary = asked.lines_of("summary")?;
    let mut first = Answers::default();
    first.take(asked.lines()?);
    let wrong = first.lines("pair").iter();
    let wrong = wrong.filter(|line| !right.lines("pair").contains(line));
    ensure!(
        wrong.count() == 0,
        "shown before: {:?}",
        first.lines("pair")
    );
    let damaged = summary[0]["pending"]["damaged"].as_u64();
    ensure!(damaged > Some(0), "{summary:?}");
    ensure!(shown.count("pair") > 0, "the tree has no pairs");
    agree(&daemon, &[sandbox.share()])?;
    daemon.simctl(["status"])?.success()?;
    Ok(())
}

#[test]
fn an_error_about_a_damaged_text_names_a_file_that_holds_it() -> Result<()> {
    let sandbox = Sandbox::new()?;
    // Longer than what is kept in memory once it was read.
    let words = (0..300_000_u64).map(|at| format!("w{} ", at * 7_919 % 1_000_003));
    let long = sandbox.write("long.txt", words.collect::<String>())?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    for segment in fs::read_dir(sandbox.data_dir().join("text"))? {
        flip(&segment?.path(), 101)?;
    }
    let shown = long.to_string_lossy().into_owned();
    for verb in ["find-similar", "versions"] {
        let refused = daemon.simctl([verb, &shown])?.ended_with(&[2])?;
        let named = format!("the text of {shown} is damaged: ");
        ensure!(
            refused.stderr.contains(&named) && refused.stderr.contains("simctl sync"),
            "{verb}: {}",
            refused.stderr
        );
    }
    let strict = daemon.simctl(["pairs", "--strict"])?.ended_with(&[2])?;
    let named = format!("one damaged text is that of {shown}");
    ensure!(strict.stderr.contains(&named), "{}", strict.stderr);
    daemon.sync()?;
    daemon.simctl(["pairs", "--strict"])?.ended_with(&[1])?;
    Ok(())
}

#[test]
fn a_full_disk_fails_the_sync_and_loses_nothing() -> Result<()> {
    let disk = match Disk::of_memory(64) {
        Ok(disk) => disk,
        Err(reason) => {
            eprintln!("skipped, no small disk can be had here: {reason:#}");
            return Ok(());
        }
    };
    let sandbox = Sandbox::new()?;
    let (share, mut ledger) = (sandbox.share(), Ledger::default());
    let mut tree = Tree::new(share, 23)?;
    tree.grow(100)?;
    let serve = sandbox.serve().data_dir(disk.path().join("data"));
    let daemon = serve.start()?;
    daemon.sync()?;
    ledger.ask(&mut tree);
    ledger.acknowledge(&tree);

    let ballast = disk.path().join("ballast");
    fill(&ballast, 256 << 10)?;
    tree.grow(700)?;
    ledger.ask(&mut tree);
    let refused = daemon.simctl(["sync"])?.ended_with(&[2])?;
    let says_so = |said: &str| said.contains("No space left") || said.contains("free some space");
    ensure!(says_so(&refused.stderr), "sync says: {}", refused.stderr);
    // It lives, and what it says is right or names the cause.
    match Listed::by_daemon(&daemon) {
        Ok(listed) => whole(&ledger, share, &listed)?,
        Err(error) => ensure!(says_so(&error.to_string()), "{error}"),
    }

    fs::remove_file(&ballast)?;
    daemon.kill()?;
    fs::rename(share, sandbox.beside("away"))?;
    let daemon = serve.start()?;
    whole(&ledger, share, &Listed::by_daemon(&daemon)?)?;
    fs::rename(sandbox.beside("away"), share)?;
    agree(&daemon, &[share])?;
    Ok(())
}

/// The reserve is for commits: neither a start nor an end on a full disk fails, and no end spends on a
/// merge what it gives.
#[test]
fn a_full_disk_lets_the_daemon_end_and_start_and_what_was_not_merged_is_signed_again() -> Result<()>
{
    let disk = match Disk::of_memory(64) {
        Ok(disk) => disk,
        Err(reason) => {
            eprintln!("skipped, no small disk can be had here: {reason:#}");
            return Ok(());
        }
    };
    let sandbox = Sandbox::new()?;
    Tree::new(sandbox.share(), 29)?.grow(200)?;
    let serve = sandbox.serve().data_dir(disk.path().join("data"));
    let daemon = serve.start()?;
    daemon.sync()?;
    let unmerged = |daemon: &Daemon| -> Result<u64> {
        let status = daemon.simctl(["status"])?.success()?.lines_of("status")?;
        let schemes = status[0]["schemes"].as_array().cloned().unwrap_or_default();
        let of_scheme = |scheme: &serde_json::Value| scheme["unmerged"].as_u64();
        Ok(schemes.iter().filter_map(of_scheme).sum())
    };
    let before = unmerged(&daemon)?;
    ensure!(before > 0, "nothing waits for a merge");
    let ballast = disk.path().join("ballast");
    fill(&ballast, 2 << 20)?;
    ensure!(daemon.stop()?.success());
    // All of it, and no reserve.
    let _ = fs::remove_file(disk.path().join("data/reserve"));
    fill(&disk.path().join("more"), 0)?;
    let daemon = serve.start()?;
    daemon.simctl(["status"])?.success()?;
    fs::remove_file(&ballast)?;
    fs::remove_file(disk.path().join("more"))?;
    // The longest pause before the index is opened again is a minute.
    let begun = Instant::now();
    while daemon.sync().is_err() && begun.elapsed() < Duration::from_secs(180) {
        std::thread::sleep(Duration::from_millis(200));
    }
    agree(&daemon, &[sandbox.share()])?;
    let after = unmerged(&daemon)?;
    ensure!(after == before, "{after} of {before} are unmerged");
    let entries = fs::read_dir(disk.path().join("data"))?.flatten();
    let mut names = entries.map(|entry| entry.file_name());
    ensure!(!names.any(|name| name.to_string_lossy().contains("damaged")));
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// An error where something acknowledged is missing.
fn whole(ledger: &Ledger, root: &Path, listed: &[Listed]) -> Result<()> {
    let faults = ledger.faults(root, listed);
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Fills a disk except for this many bytes.
fn fill(ballast: &Path, room: u64) -> Result<()> {
    let mut file = File::create(ballast)?;
    while file.write_all(&[0; 4096]).is_ok() {}
    let length = file.metadata()?.len();
    Ok(file.set_len(length.saturating_sub(room))?)
}
