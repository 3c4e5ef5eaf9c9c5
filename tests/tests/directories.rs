//! Directories that are not read: each stands in `simctl files` with its reason for as long as that
//! holds, and what was known below it is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use simdex_tests::sandbox::{Daemon, Sandbox};

/// Only `sync` walks.
const CONFIG: &str = "[watch]\ndebounce_ms = 50\npoll_seconds = 3600\n";
const DEPTH: usize = 256;

/// A daemon that permissions bind even where root runs the test: its bounding set lacks what lets
/// root pass them by.
fn bound_by_permissions(sandbox: &Sandbox) -> Result<Daemon> {
    let start = || {
        if rustix::process::geteuid().is_root() {
            for capability in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
                remove_capability_from_bounding_set(capability)?;
            }
        }
        let roots = [(sandbox.share(), "poll")];
        sandbox.serve().roots(roots).config(CONFIG).start()
    };
    // The set is a thread's own, and is handed down to what the thread starts.
    thread::scope(|scope| scope.spawn(start).join())
        .map_err(|_| anyhow!("the starting thread panicked"))?
}

fn state(daemon: &Daemon, path: &Path) -> Result<Option<String>> {
    let files = daemon
        .simctl(["files"])?
        .ended_with(&[0, 1])?
        .lines_of("file")?;
    let path = path.to_str().context("a path of the test's own")?;
    let file = files.iter().find(|file| file["path"] == path);
    Ok(file.map(|file| {
        let field = |name: &str| file[name].as_str().unwrap_or("-").to_owned();
        format!("{} {}", field("state"), field("reason"))
    }))
}

/// Paths that answers say are unreadable; a complete answer says nothing.
fn unreadable(daemon: &Daemon) -> Result<u64> {
    let listed = daemon.simctl(["files"])?.ended_with(&[0, 1])?;
    let summary = listed.lines_of("summary")?;
    let summary = summary.first().context("no summary")?;
    let pending = summary["pending"]["unreadable"].as_u64();
    ensure!(
        (summary["complete"] == true) == pending.is_none(),
        "{summary}"
    );
    Ok(pending.unwrap_or_default())
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

#[test]
fn what_cannot_be_read_is_listed_until_it_can() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let text = "a text that is long enough to be a document of the index, wherever it lies";
    let locked = sandbox.write("locked/kept.txt", text)?;
    let file = sandbox.write("alone.txt", format!("{text} alone"))?;
    let never = sandbox.write("never/seen.txt", format!("{text} unseen"))?;
    let directories = [locked.parent(), never.parent()];
    let [Some(directory), Some(unseen)] = directories else {
        return Err(anyhow!("paths without parents"));
    };
    set_mode(unseen, 0o000)?;
    let daemon = bound_by_permissions(&sandbox)?;
    daemon.sync()?;
    let refused = Some("unreadable permission-denied".to_owned());
    ensure!(state(&daemon, unseen)? == refused);
    ensure!(state(&daemon, directory)?.is_none());
    ensure!(
        unreadable(&daemon)? == 1,
        "nothing is known of what it holds"
    );
    daemon.simctl(["files", "--strict"])?.ended_with(&[2])?;

    set_mode(&file, 0o000)?;
    daemon.sync()?;
    ensure!(unreadable(&daemon)? == 2, "nor of what the file holds");
    set_mode(directory, 0o000)?;
    fs::write(sandbox.share().join("new.txt"), format!("{text} new"))?;
    daemon.sync()?;
    ensure!(state(&daemon, directory)? == refused);
    ensure!(state(&daemon, &file)? == refused);
    let indexed = Some("indexed -".to_owned());
    ensure!(
        state(&daemon, &locked)? == indexed,
        "what lay below it is kept"
    );
    ensure!(state(&daemon, &sandbox.share().join("new.txt"))? == indexed);

    for path in [unseen, directory, &file] {
        set_mode(path, 0o700)?;
    }
    daemon.sync()?;
    for path in [unseen, directory] {
        let state = state(&daemon, path)?;
        ensure!(state.is_none(), "{} is {state:?}", path.display());
    }
    ensure!(unreadable(&daemon)? == 0);
    for path in [&locked, &never, &file] {
        ensure!(state(&daemon, path)? == indexed, "{}", path.display());
    }
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn a_directory_too_deep_is_listed_until_it_is_not() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let inmost = sandbox.share().join("d/".repeat(DEPTH));
    fs::create_dir_all(inmost.join("d/d"))?;
    let daemon = sandbox
        .serve()
        .roots([(sandbox.share(), "poll")])
        .config(CONFIG)
        .start()?;
    daemon.sync()?;
    let deep = inmost.join("d");
    ensure!(state(&daemon, &deep)?.as_deref() == Some("skipped too-deep"));
    ensure!(
        state(&daemon, &deep.join("d"))?.is_none(),
        "below it nothing is known"
    );
    fs::remove_dir_all(&deep)?;
    daemon.sync()?;
    ensure!(state(&daemon, &deep)?.is_none());
    ensure!(daemon.stop()?.success());
    Ok(())
}
