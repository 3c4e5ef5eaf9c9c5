//! A data directory among people: verified without a trace, its texts exchanged or removed, open to
//! others, with things planted under its names.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_index::store::{SledStore, Store as _, StoreOptions, Write};
use simdex_schema::{FORMAT_VERSION, key};
use simdex_tests::corpus::Random;
use simdex_tests::fault::answers::agree;
use simdex_tests::fault::tree::Tree;
use simdex_tests::jsonl;
use simdex_tests::sandbox::{Answer, Daemon, Run, Sandbox, simdexd};

/// Bytes, time of change and permissions of everything below a directory.
type Trace = BTreeMap<PathBuf, (Vec<u8>, i64, i64, u32)>;

fn trace(dir: &Path) -> Result<Trace> {
    let mut trace = Trace::new();
    let mut left = vec![dir.to_owned()];
    while let Some(path) = left.pop() {
        let found = fs::symlink_metadata(&path)?;
        let mut bytes = Vec::new();
        if found.is_dir() {
            for entry in fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        } else if found.is_file() {
            bytes = fs::read(&path)?;
        }
        let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
        trace.insert(path, (bytes, seconds, nanos, found.mode()));
    }
    Ok(trace)
}

/// Verifies, and holds the directory before against the one after.
fn verify(dir: &Path, flags: &[&str], code: i32) -> Result<Answer> {
    let before = trace(dir)?;
    let run = Run::of(simdexd()?).args(["verify"]).args(flags).args([dir]);
    let answer = run.wait()?;
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    let answer = answer.ended_with(&[code]).with_context(|| said)?;
    ensure!(trace(dir)? == before, "verify changed what it verified");
    Ok(answer)
}

fn said(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.stdout).into_owned()
}

fn flip(path: &Path, at: usize) -> Result<()> {
    let mut bytes = fs::read(path)?;
    bytes[at] ^= 4;
    Ok(fs::write(path, bytes)?)
}

fn segments(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir.join("text"))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

#[test]
fn verify_reads_everything_and_leaves_no_trace() -> Result<()> {
    let ends: [fn(Daemon) -> Result<()>; 2] = [Daemon::kill, |daemon| daemon.stop().map(drop)];
    for (end, clean) in ends.into_iter().zip([false, true]) {
        let sandbox = Sandbox::new()?;
        let data = sandbox.data_dir();
        Tree::new(sandbox.share(), 31)?.grow(60)?;
        let daemon = sandbox.serve().start()?;
        daemon.sync()?;
        // The daemon goes on writing meanwhile.
        let refused = Run::of(simdexd()?)
            .args([Path::new("verify"), &data])
            .wait()?;
        refused.ended_with(&[75])?;
        end(daemon)?;
        ensure!(data.join("store/CLEAN").exists() == clean);
        for flags in [&[][..], &["--quick"]] {
            ensure!(said(&verify(&data, flags, 0)?).contains("is intact"));
        }
        verify(&data, &["--scratch", "/nowhere"], 2)?;

        let segment = segments(&data)?.remove(0);
        flip(&segment, 100)?;
        ensure!(said(&verify(&data, &[], 1)?).contains("checksum mismatch"));
        verify(&data, &["--quick"], 0)?;
        fs::remove_dir_all(data.join("text"))?;
        for flags in [&[][..], &["--quick"]] {
            ensure!(said(&verify(&data, flags, 1)?).contains("missing"));
        }
    }
    Ok(())
}

#[test]
fn verify_tells_a_damaged_store_and_leaves_it_where_it_is() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let data = sandbox.data_dir();
    Tree::new(sandbox.share(), 32)?.grow(60)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.stop()?;
    let db = data.join("store/db");
    let mut bytes = fs::read(&db)?;
    bytes
        .iter_mut()
        .skip(40)
        .step_by(97)
        .for_each(|byte| *byte ^= 0x55);
    fs::write(&db, bytes)?;
    ensure!(said(&verify(&data, &[], 1)?).contains("is damaged"));
    ensure!(!data.join("store.damaged-1").exists());
    Ok(())
}

/// The meta record as it is stored; `change` may write another.
fn meta(data: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Result<Vec<u8>> {
    let store = SledStore::open(&data.join("store"), StoreOptions::DAEMON)?;
    let mut bytes = store.records().get(&key::meta())?.context("no meta")?;
    let before = bytes.clone();
    change(&mut bytes);
    if bytes != before {
        let (key, value) = (key::meta(), bytes.clone());
        store.records().apply(vec![Write::Put { key, value }])?;
    }
    store.close()?;
    Ok(bytes)
}

#[test]
fn an_index_of_another_format_is_named_with_what_can_be_done_and_left_alone() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let data = sandbox.data_dir();
    sandbox.write("a.txt", shuffled(1))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.stop()?;
    // The version comes first, as one byte.
    let newer = FORMAT_VERSION + 1;
    let written = meta(&data, |bytes| bytes[0] = newer as u8)?;
    let named = format!("stored format {newer}, and this program reads 1 to {FORMAT_VERSION}");
    let rebuild = Run::of(simdexd()?).args([Path::new("rebuild"), Path::new("--data-dir"), &data]);
    for refused in [
        sandbox.serve().refused()?,
        rebuild.wait()?.ended_with(&[2])?,
    ] {
        for said in [
            named.as_str(),
            "start a program at least as new",
            "--data-dir",
        ] {
            ensure!(refused.stderr.contains(said), "{}", refused.stderr);
        }
    }
    ensure!(meta(&data, |_| ())? == written, "it was written to");
    ensure!(!data.join("store.damaged-1").exists(), "it was set aside");
    // The program that reads it finds all as it was.
    meta(&data, |bytes| bytes[0] = FORMAT_VERSION as u8)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.stop()?;
    Ok(())
}

#[test]
fn a_rebuild_without_its_texts_lets_go_of_nothing() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let data = sandbox.data_dir();
    sandbox.write("a.txt", shuffled(1))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.stop()?;
    let (texts, away) = (data.join("text"), data.join("away"));
    fs::rename(&texts, &away)?;
    let rebuild = || {
        Run::of(simdexd()?)
            .args([Path::new("rebuild"), Path::new("--data-dir"), &data])
            .wait()
    };
    let refused = rebuild()?.ended_with(&[2])?;
    ensure!(refused.stderr.contains("missing in"), "{}", refused.stderr);
    fs::remove_dir_all(&texts)?;
    fs::rename(&away, &texts)?;
    let rebuilt = rebuild()?.success()?;
    ensure!(
        said(&rebuilt).contains("1 document,") && !said(&rebuilt).contains("damaged"),
        "{rebuilt:?}"
    );
    verify(&data, &[], 0)?;
    Ok(())
}

/// Texts of the same words in another order: as long, and much the same to a compressor.
fn shuffled(seed: u64) -> String {
    let mut random = Random::new(seed, 1);
    let mut words: Vec<String> = (100..200).map(|n| format!("word{n}")).collect();
    for at in (1..words.len()).rev() {
        words.swap(at, random.below(at as u64 + 1) as usize);
    }
    words.join(" ")
}

#[test]
fn exchanged_texts_are_never_shown_and_are_read_again() -> Result<()> {
    let sandboxes = [Sandbox::new()?, Sandbox::new()?];
    let mut right = Vec::new();
    for (sandbox, seed) in sandboxes.iter().zip([1, 2]) {
        sandbox.write("a.txt", shuffled(seed))?;
        sandbox.write("b.txt", format!("{} and more", shuffled(seed)))?;
        let daemon = sandbox.serve().start()?;
        daemon.sync()?;
        right.push(compared(&compare(sandbox, &daemon)?.success()?)?);
        daemon.stop()?;
    }
    let texts = sandboxes.each_ref().map(|s| s.data_dir().join("text"));
    let aside = sandboxes[0].beside("aside");
    fs::rename(&texts[0], &aside)?;
    fs::rename(&texts[1], &texts[0])?;
    fs::rename(&aside, &texts[1])?;
    for (sandbox, right) in sandboxes.iter().zip(right) {
        verify(&sandbox.data_dir(), &[], 1)?;
        let daemon = sandbox.serve().start()?;
        // The rescan of the start may have come first.
        let answer = compare(sandbox, &daemon)?.ended_with(&[0, 2])?;
        ensure!(
            answer.code()? == 2 || compared(&answer)? == right,
            "{answer:?}"
        );
        let path = sandbox.share().join("a.txt");
        // It may have been read again before its kin.
        daemon
            .simctl(["find-similar".as_ref(), path.as_os_str()])?
            .ended_with(&[0, 1, 2])?;
        daemon.sync()?;
        ensure!(compared(&compare(sandbox, &daemon)?.success()?)? == right);
        agree(&daemon, &[sandbox.share()])?;
        daemon.stop()?;
        verify(&sandbox.data_dir(), &[], 0)?;
    }
    Ok(())
}

fn compare(sandbox: &Sandbox, daemon: &Daemon) -> Result<Answer> {
    let [a, b] = ["a.txt", "b.txt"].map(|name| sandbox.share().join(name));
    daemon.simctl(["compare".as_ref(), a.as_os_str(), b.as_os_str()])
}

/// What a comparison says of the two files: what is pending elsewhere passes.
fn compared(answer: &Answer) -> Result<Value> {
    let line = serde_json::from_slice(&answer.stdout)?;
    jsonl::without(&line, &["complete", "pending"])
}

#[test]
fn a_segment_removed_under_a_running_daemon_is_healed_by_a_sync() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", shuffled(1))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    for segment in segments(&sandbox.data_dir())? {
        fs::remove_file(segment)?;
    }
    sandbox.write("b.txt", format!("{} and more", shuffled(1)))?;
    daemon.sync()?;
    daemon.sync()?;
    compare(&sandbox, &daemon)?.success()?;
    agree(&daemon, &[sandbox.share()])?;
    daemon.stop()?;
    verify(&sandbox.data_dir(), &[], 0)?;
    Ok(())
}

#[test]
fn an_index_that_is_begun_is_told_with_its_place_so_that_a_mistyped_one_shows() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", shuffled(3))?;
    let begun = |at: &Path| format!("simdexd: new, empty index in {}\n", at.display());
    let is_new = |daemon: &Daemon| -> Result<bool> {
        let status = daemon.simctl(["status"])?.success()?.lines_of("status")?;
        Ok(status[0]["new_index"] == true)
    };
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let first = begun(&sandbox.data_dir());
    ensure!(daemon.log()?.matches(&first).count() == 1 && is_new(&daemon)?);
    // One that is there is opened without a word.
    let daemon = daemon.restart()?;
    ensure!(daemon.log()?.matches(&first).count() == 1 && !is_new(&daemon)?);
    ensure!(daemon.stop()?.success());

    let mistyped = sandbox.beside("dtaa");
    let daemon = sandbox.serve().data_dir(&mistyped).start()?;
    let log = daemon.log()?;
    ensure!(log.contains(&begun(&mistyped)) && is_new(&daemon)?, "{log}");
    ensure!(log.matches("new, empty index").count() == 2, "{log}");
    ensure!(daemon.stop()?.success());

    // Beside a config that names the right one.
    let mistyped = sandbox.beside("dtaaa");
    let daemon = sandbox.serve().typed_data_dir(&mistyped).start()?;
    let names = format!(
        "the config names an index in {}",
        sandbox.data_dir().display()
    );
    let log = daemon.log()?;
    ensure!(
        log.contains(&begun(&mistyped)) && log.contains(&names),
        "{log}"
    );
    let said = daemon.simctl_in_words(["status"])?.success()?;
    let said = String::from_utf8_lossy(&said.stdout);
    ensure!(said.contains(&format!("(a new index; {names})")), "{said}");
    Ok(())
}

#[test]
fn a_data_directory_open_to_others_is_closed_to_them() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let data = sandbox.data_dir();
    sandbox.write("a.txt", shuffled(1))?;
    fs::create_dir(&data)?;
    for open in [0o777, 0o755] {
        fs::set_permissions(&data, Permissions::from_mode(open))?;
        if data.join("text").exists() {
            fs::set_permissions(data.join("text"), Permissions::from_mode(open))?;
            fs::set_permissions(&segments(&data)?[0], Permissions::from_mode(0o644))?;
        }
        let daemon = sandbox.serve().start()?;
        daemon.sync()?;
        daemon.stop()?;
        for (path, (_, _, _, mode)) in trace(&data)? {
            ensure!(mode & 0o077 == 0, "{} has mode {mode:o}", path.display());
        }
    }
    Ok(())
}

#[test]
fn a_data_directory_of_another_user_is_refused() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let data = sandbox.data_dir();
    fs::create_dir(&data)?;
    if std::os::unix::fs::chown(&data, Some(12_345), None).is_err() {
        eprintln!("skipped: only root can give a directory away");
        return Ok(());
    }
    let refused = sandbox.serve().refused()?.ended_with(&[2])?;
    ensure!(
        refused.stderr.contains("belongs to user 12345"),
        "{}",
        refused.stderr
    );
    ensure!(
        fs::read_dir(&data)?.next().is_none(),
        "something was made in it"
    );
    Ok(())
}

#[test]
fn what_is_planted_under_its_names_is_refused_in_words() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let data = sandbox.data_dir();
    sandbox.write("a.txt", shuffled(1))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.stop()?;
    let victim = sandbox.beside("victim");
    fs::write(&victim, "precious")?;
    for name in [
        "store/LOCK",
        "store/COMMITTED",
        "store/CLEAN",
        "store/conf",
        "text/000001.seg",
    ] {
        let (path, aside) = (data.join(name), sandbox.beside("aside"));
        fs::rename(&path, &aside)?;
        for link in [true, false] {
            match link {
                true => std::os::unix::fs::symlink(&victim, &path)?,
                false => fifo(&path)?,
            }
            let refused = sandbox.serve().refused()?.ended_with(&[2])?;
            ensure!(
                refused.stderr.contains("not a regular file"),
                "{}",
                refused.stderr
            );
            verify(&data, &[], 2).with_context(|| name)?;
            fs::remove_file(&path)?;
        }
        fs::rename(&aside, &path)?;
    }
    ensure!(fs::read(&victim)? == b"precious");
    ensure!(!data.join("store.damaged-1").exists());
    let daemon = sandbox.serve().start()?;
    agree(&daemon, &[sandbox.share()])?;
    Ok(())
}

fn fifo(path: &Path) -> Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0)?)
}

#[test]
fn a_flipped_bit_in_the_engines_settings_costs_nothing() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", shuffled(1))?;
    sandbox.serve().start()?.stop()?;
    for at in [0, 14, 40, 58, 61] {
        flip(&sandbox.data_dir().join("store/conf"), at)?;
        ensure!(said(&verify(&sandbox.data_dir(), &[], 1)?).contains("store/conf"));
        let daemon = sandbox.serve().start()?;
        agree(&daemon, &[sandbox.share()])?;
        daemon.stop()?;
    }
    ensure!(!sandbox.data_dir().join("store.damaged-1").exists());
    Ok(())
}
