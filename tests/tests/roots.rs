//! An unreadable root, an unreadable folder, and a file system mounted over a root: what is known is
//! kept, and reported as such. Uses the real daemon; tests that lack the rights they need say so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use simdex_tests::fault::answers::{Listed, agree};
use simdex_tests::sandbox::{Daemon, Sandbox, bound_by_permissions};

/// Only `sync` walks.
const CONFIG: &str = "[watch]\ndebounce_ms = 50\npoll_seconds = 3600\n";

fn write_three(sandbox: &Sandbox) -> Result<()> {
    for name in ["a.txt", "folder/b.txt", "folder/c/c.txt"] {
        let text = format!("{name}: a text that is long enough to be a document of the index");
        sandbox.write(name, text)?;
    }
    Ok(())
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

/// Names of files that are indexed, and the others with their states.
fn states(daemon: &Daemon, share: &Path) -> Result<Vec<String>> {
    let name = |file: &Listed| {
        let name = file.path.strip_prefix(share).unwrap_or(&file.path);
        match file.state.as_str() {
            "indexed" => name.display().to_string(),
            other => format!("{}: {other}", name.display()),
        }
    };
    let mut states: Vec<String> = Listed::by_daemon(daemon)?.iter().map(name).collect();
    states.sort();
    Ok(states)
}

/// State and detail of the only root.
fn root(daemon: &Daemon) -> Result<(String, String)> {
    let roots = daemon.simctl(["roots"])?.success()?.lines_of("root")?;
    let field = |name: &str| roots[0][name].as_str().unwrap_or_default().to_owned();
    Ok((field("state"), field("detail")))
}

/// Paths that answers say are unreadable; a complete answer says nothing.
fn unreadable(daemon: &Daemon) -> Result<u64> {
    let groups = daemon.simctl(["groups"])?.ended_with(&[0, 1])?;
    let summary = &groups.lines_of("summary")?[0];
    let pending = summary["pending"]["unreadable"].as_u64();
    Ok(pending.unwrap_or_default())
}

/// `sync` fails and says why.
fn refused(daemon: &Daemon, why: &str) -> Result<()> {
    let refused = daemon.simctl(["sync"])?.ended_with(&[2])?;
    ensure!(
        refused.stderr.contains(why),
        "sync says: {}",
        refused.stderr
    );
    Ok(())
}

const ALL: [&str; 3] = ["a.txt", "folder/b.txt", "folder/c/c.txt"];

#[test]
fn a_root_that_may_not_be_listed_or_searched_is_stale_and_keeps_its_files() -> Result<()> {
    for (mode, how) in [
        ("poll", 0o000),
        ("poll", 0o400),
        ("poll", 0o300),
        ("native", 0o000),
    ] {
        let sandbox = Sandbox::new()?;
        let share = sandbox.share();
        write_three(&sandbox)?;
        let serve = sandbox.serve().roots([(share, mode)]).config(CONFIG);
        let daemon = bound_by_permissions(|| serve.start())?;
        daemon.sync()?;
        ensure!(states(&daemon, share)? == ALL);

        set_mode(share, how)?;
        refused(&daemon, "permission denied")?;
        let (state, detail) = root(&daemon)?;
        ensure!(
            state == "stale" && detail.contains("permission denied"),
            "{state}: {detail}"
        );
        let cause = detail.find("permission denied").context("no cause")?;
        let mode = detail.rfind("; ").context("no mode")?;
        ensure!(cause < mode, "the cause comes first: {detail}");
        ensure!(states(&daemon, share)? == ALL, "{mode} {how:o}");

        set_mode(share, 0o700)?;
        daemon.sync()?;
        // Where its watch is set again, another walk may follow.
        ensure!(daemon.state_once_walked()? == "watching");
        ensure!(states(&daemon, share)? == ALL, "{mode} {how:o}");
        ensure!(daemon.stop()?.success());
    }
    Ok(())
}

#[test]
fn a_folder_that_refuses_keeps_what_is_known_below_it_and_says_so() -> Result<()> {
    // The second may be listed, and nothing in it looked at.
    for how in [0o000, 0o400] {
        let sandbox = Sandbox::new()?;
        let share = sandbox.share();
        write_three(&sandbox)?;
        let serve = sandbox.serve().roots([(share, "poll")]).config(CONFIG);
        let daemon = bound_by_permissions(|| serve.start())?;
        daemon.sync()?;

        let folder = share.join("folder");
        ensure!(unreadable(&daemon)? == 0);
        set_mode(&folder, how)?;
        let synced = daemon.simctl(["sync"])?.success()?.lines_of("sync")?;
        ensure!(synced[0]["unreadable"].as_u64() > Some(0), "{}", synced[0]);
        ensure!(
            unreadable(&daemon)? > 0,
            "no answer is complete while it is not known whether it is true"
        );
        daemon.simctl(["groups", "--strict"])?.ended_with(&[2])?;
        let kept = [
            "a.txt",
            "folder/b.txt",
            "folder/c/c.txt",
            "folder: unreadable",
        ];
        ensure!(
            states(&daemon, share)? == kept,
            "{how:o}: {:?}",
            states(&daemon, share)?
        );
        let (state, detail) = root(&daemon)?;
        ensure!(
            state == "watching" && detail.contains("the first is folder"),
            "{detail}"
        );

        set_mode(&folder, 0o700)?;
        fs::remove_file(folder.join("b.txt"))?;
        daemon.sync()?;
        let (_, detail) = root(&daemon)?;
        ensure!(!detail.contains("folder"), "{detail}");
        ensure!(unreadable(&daemon)? == 0, "it was looked at again");
        ensure!(states(&daemon, share)? == ["a.txt", "folder/c/c.txt"]);
        ensure!(daemon.stop()?.success());
    }
    Ok(())
}

#[test]
fn serve_refuses_places_that_are_not_apart_and_names_them() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    let within = share.join("data");
    let answer = sandbox.serve().data_dir(&within).refused()?;
    ensure!(answer.code()? == 2 && answer.stderr.contains("lies within the root"));
    ensure!(!within.exists(), "nothing is written into a share");

    let link = sandbox.beside("link");
    std::os::unix::fs::symlink(share, &link)?;
    let twice = [(share.to_owned(), "poll"), (link.clone(), "poll")];
    let answer = sandbox.serve().roots(twice).refused()?;
    let said = &answer.stderr;
    ensure!(
        answer.code()? == 2 && said.contains("are one directory"),
        "{said}"
    );
    let config = sandbox.beside("simdexd.toml");
    let check = |roots: &str| -> Result<String> {
        fs::write(&config, roots)?;
        let answer = Command::new(simdex_tests::sandbox::simdexd()?)
            .args(["check-config", "--config"])
            .arg(&config)
            .output()?;
        ensure!(answer.status.code() == Some(2), "it is accepted: {roots}");
        Ok(String::from_utf8_lossy(&answer.stderr).into_owned())
    };
    let said = check(&format!("roots = [{{path = {link:?}}}]"))?;
    ensure!(said.contains("leads through the symlink"), "{said}");
    Ok(())
}

#[test]
fn whoever_closes_the_pipe_has_read_enough_of_an_answer() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let config = sandbox.beside("simdexd.toml");
    fs::write(
        &config,
        format!("roots = [{{path = {:?}}}]", sandbox.share()),
    )?;
    let config = config.to_str().context("a path")?;
    for command in [
        &["sample-config"][..],
        &["check-config", "--config", config],
    ] {
        let (reader, writer) = std::io::pipe()?;
        drop(reader);
        let answer = Command::new(simdex_tests::sandbox::simdexd()?)
            .args(command)
            .stdout(writer)
            .output()?;
        let said = String::from_utf8_lossy(&answer.stderr).into_owned();
        ensure!(answer.status.success() && said.is_empty(), "{said}");
    }
    Ok(())
}

/// A file system mounted over a directory, until dropped.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// None where that is not allowed here, which is said.
    fn over(directory: &'a Path, what: &[&str]) -> Result<Option<Self>> {
        let mounted = Command::new("mount").args(what).arg(directory).output()?;
        if !mounted.status.success() {
            let why = String::from_utf8_lossy(&mounted.stderr).into_owned();
            eprintln!("skipped: nothing can be mounted here ({})", why.trim());
            return Ok(None);
        }
        Ok(Some(Self(directory)))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        // Lazily: a daemon that is being killed may still look into it.
        let _ = Command::new("umount").arg("--lazy").arg(self.0).output();
    }
}

const TMPFS: [&str; 4] = ["-t", "tmpfs", "-o", "size=4m"];

#[test]
fn an_empty_file_system_of_the_same_type_over_a_root_is_not_believed() -> Result<()> {
    for mode in ["poll", "native"] {
        let sandbox = Sandbox::new()?;
        let share = sandbox.share();
        let tmpfs = [&TMPFS[..], &["simdex-test"]].concat();
        let Some(_lower) = Mounted::over(share, &tmpfs)? else {
            return Ok(());
        };
        write_three(&sandbox)?;
        let serve = sandbox.serve().roots([(share, mode)]).config(CONFIG);
        let daemon = serve.start()?;
        let before = agree(&daemon, &[share])?;
        {
            let upper = Mounted::over(share, &tmpfs)?.context("a second mount")?;
            fs::write(
                upper.0.join("foreign.txt"),
                "a text of somebody else, long enough",
            )?;
            refused(&daemon, "confirm-loss")?;
            ensure!(root(&daemon)?.0 == "replaced");
            ensure!(states(&daemon, share)? == ALL, "{mode}: believed");
        }
        ensure!(agree(&daemon, &[share])? == before, "the right one is back");
        {
            // Mounted while the daemon is away.
            let serve_again = daemon;
            ensure!(serve_again.stop()?.success());
            let _upper = Mounted::over(share, &tmpfs)?.context("a third mount")?;
            let daemon = serve.start()?;
            refused(&daemon, "confirm-loss")?;
            ensure!(
                states(&daemon, share)? == ALL,
                "{mode}: believed after a restart"
            );
            let named = share.to_str().context("a path of the test's own")?;
            daemon.confirm_shown_loss(named)?;
            daemon.sync()?;
            ensure!(states(&daemon, share)?.is_empty());
            ensure!(daemon.stop()?.success());
        }
    }
    Ok(())
}

/// Device numbers are given out again at once: of two file systems mounted one after the other both
/// device and inode of the root are often the same.
#[test]
fn another_file_system_mounted_in_the_place_of_a_root_is_not_believed() -> Result<()> {
    for mode in ["poll", "native"] {
        let sandbox = Sandbox::new()?;
        let share = sandbox.share();
        let tmpfs = [&TMPFS[..], &["simdex-test"]].concat();
        let Some(first) = Mounted::over(share, &tmpfs)? else {
            return Ok(());
        };
        write_three(&sandbox)?;
        let daemon = sandbox.serve().roots([(share, mode)]).config(CONFIG);
        let daemon = daemon.start()?;
        agree(&daemon, &[share])?;
        drop(first);
        let _other = Mounted::over(share, &tmpfs)?.context("a second mount")?;
        refused(&daemon, "confirm-loss")?;
        ensure!(states(&daemon, share)? == ALL, "{mode}: believed");
        ensure!(daemon.stop()?.success());
    }
    Ok(())
}

#[test]
fn one_directory_bound_to_two_places_is_one_root() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (share, other) = (sandbox.share(), sandbox.beside("other"));
    fs::create_dir(&other)?;
    let source = share.to_str().context("a path of the test's own")?;
    let Some(_bound) = Mounted::over(&other, &["--bind", source])? else {
        return Ok(());
    };
    let twice = [(share.to_owned(), "poll"), (other.clone(), "poll")];
    let answer = sandbox.serve().roots(twice).refused()?;
    ensure!(
        answer.stderr.contains("are one directory"),
        "{}",
        answer.stderr
    );
    Ok(())
}

/// Whatever was there before is kept, and nothing of what covers it is shown, however it is met: by a
/// walk, an event, or the thread that reads files again.
#[test]
fn a_mount_over_a_folder_keeps_what_is_known_below_it_and_says_so() -> Result<()> {
    for mode in ["poll", "native"] {
        let sandbox = Sandbox::new()?;
        let share = sandbox.share();
        write_three(&sandbox)?;
        let serve = sandbox.serve().roots([(share, mode)]).config(CONFIG);
        let daemon = serve.start()?;
        daemon.sync()?;
        let before = Listed::by_daemon(&daemon)?;
        let folder = share.join("folder");
        let tmpfs = [&TMPFS[..], &["simdex-test"]].concat();
        let covered = ["a.txt", "folder/b.txt", "folder/c/c.txt", "folder: skipped"];
        {
            let Some(upper) = Mounted::over(&folder, &tmpfs)? else {
                return Ok(());
            };
            for name in ["b.txt", "foreign.txt"] {
                fs::write(upper.0.join(name), "a text of somebody else, long enough")?;
            }
            daemon.sync()?;
            let found = states(&daemon, share)?;
            ensure!(found == covered, "{mode}: {found:?}");
            let kept = Listed::by_daemon(&daemon)?;
            ensure!(before.iter().all(|file| kept.contains(file)), "{kept:?}");
            let (state, detail) = root(&daemon)?;
            let said = detail.contains("1 path cannot") && detail.contains("the first is folder");
            ensure!(state == "watching" && said, "{state}: {detail}");
            fs::remove_file(upper.0.join("b.txt"))?;
            daemon.sync()?;
            ensure!(states(&daemon, share)? == covered, "{mode}: a second walk");
        }
        fs::remove_file(folder.join("b.txt"))?;
        daemon.sync()?;
        let (_, detail) = root(&daemon)?;
        ensure!(!detail.contains("folder"), "{detail}");
        ensure!(states(&daemon, share)? == ["a.txt", "folder/c/c.txt"]);
        ensure!(daemon.stop()?.success());
    }
    Ok(())
}

#[test]
fn a_mount_that_was_there_first_is_named_and_nothing_is_amiss() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    write_three(&sandbox)?;
    let folder = share.join("folder");
    let tmpfs = [&TMPFS[..], &["simdex-test"]].concat();
    let Some(_upper) = Mounted::over(&folder, &tmpfs)? else {
        return Ok(());
    };
    let serve = sandbox.serve().roots([(share, "poll")]).config(CONFIG);
    let daemon = serve.start()?;
    daemon.sync()?;
    ensure!(states(&daemon, share)? == ["a.txt", "folder: skipped"]);
    let (_, detail) = root(&daemon)?;
    ensure!(!detail.contains("folder"), "{detail}");
    Ok(())
}

#[test]
fn a_file_mounted_over_a_file_does_not_take_its_place() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    write_three(&sandbox)?;
    let serve = sandbox.serve().roots([(share, "poll")]).config(CONFIG);
    let daemon = serve.start()?;
    daemon.sync()?;
    let before = Listed::by_daemon(&daemon)?;
    let (other, file) = (sandbox.beside("other.txt"), share.join("a.txt"));
    fs::write(&other, "a text of somebody else, long enough to be read")?;
    let source = other.to_str().context("a path of the test's own")?;
    let Some(_bound) = Mounted::over(&file, &["--bind", source])? else {
        return Ok(());
    };
    daemon.sync()?;
    let kept = Listed::by_daemon(&daemon)?;
    ensure!(before == kept, "{kept:?}");
    let (_, detail) = root(&daemon)?;
    ensure!(detail.contains("the first is a.txt"), "{detail}");
    Ok(())
}
