//! The output of `simdexd scan` for people: files that could not be read are at the end with the reason, and what the
//! index lacks is stated on standard error.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use anyhow::{Context, Result, ensure};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use simdex_tests::sandbox::{Answer, Run, Sandbox, bound_by_permissions, simdexd};

/// A share in which most is not read, each for a reason of its own.
fn write_all(sandbox: &Sandbox) -> Result<()> {
    for (name, bytes) in [
        (
            "a.txt",
            &b"a text that is long enough to be a document of the index"[..],
        ),
        (
            "broken.docx",
            b"PK\x03\x04 and nothing of what makes an archive",
        ),
        ("closed.txt", b"a text that nobody may read, long enough"),
        ("empty.txt", b""),
        (
            "folder/inside.txt",
            b"a text in a folder that nobody may look into",
        ),
        (
            "known.rar",
            b"Rar!\x1a\x07\x00 is a kind that is not read by anybody here",
        ),
    ] {
        sandbox.write(name, bytes)?;
    }
    symlink("/nowhere", sandbox.share().join("link\n"))?;
    let pipe = sandbox.share().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from(0o600), 0)?;
    set_mode(sandbox, "closed.txt", 0o000)
}

fn set_mode(sandbox: &Sandbox, name: &str, mode: u32) -> Result<()> {
    let path = sandbox.share().join(name);
    Ok(fs::set_permissions(path, Permissions::from_mode(mode))?)
}

/// `simdexd scan FLAGS SHARE`, bound by permissions: what it printed and what it said.
fn scanned(sandbox: &Sandbox, flags: &[&str]) -> Result<(String, String)> {
    let run = || {
        let run = Run::of(simdexd()?).args(["scan"]).args(flags);
        run.args([sandbox.share()]).wait()?.success()
    };
    let Answer { stdout, stderr, .. } = bound_by_permissions(run)?;
    Ok((String::from_utf8(stdout)?, stderr))
}

/// What a scan says that the index lacks.
fn lacking(stderr: &str) -> Option<&str> {
    let start = "simdexd: the index is not complete: ";
    stderr.lines().find_map(|line| line.strip_prefix(start))
}

#[test]
fn every_file_that_was_not_read_is_listed_with_the_reason() -> Result<()> {
    let sandbox = Sandbox::new()?;
    write_all(&sandbox)?;
    set_mode(&sandbox, "folder", 0o000)?;
    let (printed, said) = scanned(&sandbox, &[])?;
    set_mode(&sandbox, "folder", 0o700)?;
    let (_, listed) = printed
        .split_once("files that were not read, or only in part\n")
        .with_context(|| printed.clone())?;
    let (listed, _) = listed.split_once("\n\n").context("the list has no end")?;
    let expected = [
        ("failed (malformed)", "broken.docx"),
        ("unreadable (permission-denied)", "closed.txt"),
        ("unreadable (permission-denied)", "folder"),
        ("unsupported (kind-not-read)", "known.rar"),
        ("skipped (symlink)", "link\\n"),
        ("skipped (not-regular)", "pipe"),
    ];
    let share = sandbox.share().display();
    let expected = expected.map(|(why, name)| format!("  {why:<41}{share}/{name}"));
    ensure!(listed.lines().eq(&expected), "{listed}");
    // What the closed file and the closed folder hold is not known; of the others the reasons tell all.
    ensure!(lacking(&said) == Some("2 paths unreadable"), "{said}");
    Ok(())
}

#[test]
fn where_all_was_read_nothing_is_listed_as_unread() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", "a text that is long enough to be a document")?;
    sandbox.write("empty.txt", "")?;
    let (printed, said) = scanned(&sandbox, &[])?;
    ensure!(!printed.contains("not read"), "{printed}");
    ensure!(lacking(&said).is_none(), "{said}");
    Ok(())
}

#[test]
fn a_scan_that_keeps_what_it_cannot_look_at_any_more_says_so() -> Result<()> {
    let sandbox = Sandbox::new()?;
    write_all(&sandbox)?;
    let data = sandbox.data_dir();
    let kept = [
        "--data-dir",
        data.to_str().context("a path of the test's own")?,
    ];
    let (before, said) = scanned(&sandbox, &kept)?;
    ensure!(lacking(&said) == Some("1 path unreadable"), "{said}");
    set_mode(&sandbox, "folder", 0o000)?;
    let (after, said) = scanned(&sandbox, &kept)?;
    set_mode(&sandbox, "folder", 0o700)?;
    ensure!(lacking(&said) == Some("2 paths unreadable"), "{said}");
    let folder = sandbox.share().join("folder");
    let line = format!(
        "  {:<41}{}\n",
        "unreadable (permission-denied)",
        folder.display()
    );
    ensure!(!before.contains(&line) && after.contains(&line), "{after}");
    ensure!(after.contains("         2  indexed\n"), "{after}");
    Ok(())
}
