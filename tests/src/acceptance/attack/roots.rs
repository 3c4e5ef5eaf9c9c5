//! Trials of roots: moved below, replaced, overlapping.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::eventually;
use crate::acceptance::{Verdict, files_below};
use crate::fault::answers::Listed;
use crate::sandbox::{Daemon, Sandbox};

/// Files of a folder.
const FILES: usize = 40;
const SECRET: &str = "the words of another tree, which nobody who asks this daemon may ever find";

/// Holds nothing but the rescan at the start, events and what is asked for.
const QUIET: &str = "[watch]\ndebounce_ms = 300\nrescan_seconds = 604800\n";

fn fill(sandbox: &Sandbox, folder: &str, text: &str) -> Result<()> {
    for number in 0..FILES {
        let name = format!("{folder}/{folder}-{number}.txt");
        let text = format!("{text} {number}, long enough to be a document of its own");
        sandbox.write(name, text)?;
    }
    Ok(())
}

/// `mv cur old; mv new cur`, faster than hints are acted on, and without any other request.
pub(super) fn ghosts() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let at = |name: &str| sandbox.share().join(name);
    fill(&sandbox, "cur", "the present contract, clause")?;
    fill(&sandbox, "new", "quite another letter, page")?;
    let daemon = sandbox.serve().config(QUIET).start()?;
    daemon.sync()?;
    for round in 0..3 {
        fs::rename(at("cur"), at(&format!("old{round}")))?;
        fs::rename(at("new"), at("cur"))?;
        fs::rename(at(&format!("old{round}")), at("new"))?;
        in_step(&daemon, sandbox.share())?;
    }
    Ok(Verdict::Holds)
}

/// Nobody asks for a sync: events alone lead to the very files that are there.
fn in_step(daemon: &Daemon, share: &Path) -> Result<()> {
    let mut there = files_below(share)?;
    there.sort();
    eventually("the listing is not what is there", || {
        let listed = Listed::by_daemon(daemon)?;
        let mut listed: Vec<PathBuf> = listed.into_iter().map(|file| file.path).collect();
        listed.sort();
        let ghosts = listed.iter().filter(|path| !there.contains(path)).count();
        let lacks = there.iter().filter(|path| !listed.contains(path)).count();
        Ok((listed != there).then(|| format!("{ghosts} ghosts, {lacks} missing")))
    })
}

/// Nothing behind the link is listed, found or read; what was known stays until the root is back.
pub(super) fn replaced() -> Result<Verdict> {
    for mode in ["native", "poll"] {
        let sandbox = Sandbox::new()?;
        let (share, away) = (sandbox.share().to_owned(), sandbox.beside("away"));
        fill(&sandbox, "own", "what stands in the root itself, part")?;
        let foreign = sandbox.beside("foreign");
        fs::create_dir(&foreign)?;
        fs::write(foreign.join("secret.txt"), SECRET)?;
        let serve = sandbox.serve().roots([(&share, mode)]);
        let daemon = serve.config("[watch]\npoll_seconds = 1\n").start()?;
        daemon.sync()?;
        fs::rename(&share, &away)?;
        symlink(&foreign, &share)?;
        daemon.simctl(["sync"])?.ended_with(&[2])?;
        let listed = Listed::by_daemon(&daemon)?;
        ensure!(listed.len() == FILES, "{mode}: {} files", listed.len());
        let asked = daemon.simctl_reading(SECRET, ["find-similar", "-"])?;
        let found = asked.ended_with(&[0, 1])?.lines_of("match")?;
        ensure!(found.is_empty(), "{mode}: the other tree was read");
        let daemon = daemon.restart()?;
        daemon.simctl(["sync"])?.ended_with(&[2])?;
        let known = Listed::by_daemon(&daemon)?.len();
        ensure!(known == FILES, "{mode}: {known} files after a restart");
        fs::remove_file(&share)?;
        fs::rename(&away, &share)?;
        daemon.sync()?;
    }
    Ok(Verdict::Holds)
}

/// A root named twice, by a link; the data directory in a root; both ways round.
pub(super) fn overlaps() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("sub/a.txt", "a text")?;
    let share = sandbox.share();
    let link = sandbox.beside("link");
    symlink(share, &link)?;
    let both = |a: &Path, b: &Path| sandbox.serve().roots([(a, "auto"), (b, "auto")]);
    let cases = [
        ("a root twice by a link", both(share, &link)),
        ("a root in a root by a link", both(share, &link.join("sub"))),
        (
            "the data directory in a root",
            sandbox.serve().data_dir(share.join("data")),
        ),
        (
            "the data directory in a root by a link",
            sandbox.serve().data_dir(link.join("sub/data")),
        ),
        (
            "a root in the data directory",
            sandbox.serve().data_dir(sandbox.beside(".")),
        ),
    ];
    for (case, serve) in cases {
        for refused in [serve.refused()?, serve.checked()?] {
            ensure!(
                refused.code()? == 2,
                "{case}: {} is accepted",
                refused.command
            );
        }
    }
    Ok(Verdict::Holds)
}
