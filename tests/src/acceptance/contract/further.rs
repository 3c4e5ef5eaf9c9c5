//! Lines about folders, templates, calibrations, events and losses, and those in the files of reports.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{SeenLines, sentences};
use crate::jsonl;
use crate::sandbox::{Daemon, Sandbox, simctl};

/// The lines that letters have in common.
const HEAD: &str = "Example Limited, 12 Sample Street, 1000 Town\n\
    Registered in Town under number 12345\n";
/// Revisions of one text: enough pairs to calibrate on.
const REVISIONS: u32 = 24;
/// Files of a share that loses most of them; a loss of 1,000 is held.
const FILES: usize = 1_200;
const LOST: usize = 1_050;

/// Checks every line that the verbs print which the share of all relations does not show.
pub(super) fn run(seen: &mut SeenLines) -> Result<()> {
    let (sandbox, board) = share()?;
    let roots = [
        (sandbox.share().to_owned(), "native"),
        (board.clone(), "native"),
    ];
    let daemon = sandbox.serve().roots(roots).start()?;
    daemon.sync()?;
    for verb in [
        &["folders"][..],
        &["templates"],
        &["calibrate", "--precision", "0.8"],
        &["sampling"],
        &["groups", "--kind", "components"],
        &["groups", "--kind", "cores"],
    ] {
        seen.lines(&daemon.simctl(verb)?.ended_with(&[0])?)?;
    }
    reports(&sandbox, &daemon, &board, seen)?;
    events(&sandbox, daemon, seen)?;
    loss(seen)
}

/// Letters and their mirror, revisions of one text, a link, and a second root whose text is in the first.
fn share() -> Result<(Sandbox, PathBuf)> {
    let sandbox = Sandbox::new()?;
    for at in 0..12 {
        let letter = format!("{HEAD}{}", sentences(1_000 + 40 * at, 1_020 + 40 * at));
        sandbox.write(format!("letters/{at}.txt"), &letter)?;
        sandbox.write(format!("mirror/{at}.txt"), &letter)?;
    }
    let first = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for at in 0..REVISIONS {
        let text = sentences(at as usize, 150 + 2 * at as usize);
        let file = sandbox.write(format!("revisions/{at:02}.txt"), text)?;
        let modified = first + Duration::from_secs(86_400) * at;
        File::options()
            .write(true)
            .open(file)?
            .set_modified(modified)?;
    }
    std::os::unix::fs::symlink("nowhere", sandbox.share().join("link"))?;
    let board = sandbox.beside("board");
    fs::create_dir(&board)?;
    fs::write(board.join("minutes.txt"), sentences(5_000, 5_060))?;
    sandbox.write("leaked.txt", sentences(4_995, 5_070))?;
    Ok((sandbox, board))
}

/// A report of each kind, each since one before where something changed.
fn reports(sandbox: &Sandbox, daemon: &Daemon, board: &Path, seen: &mut SeenLines) -> Result<()> {
    let revision = sandbox.share().join("revisions/03.txt");
    let (copy, note) = (sandbox.beside("copy.txt"), sandbox.beside("note.txt"));
    fs::copy(&revision, &copy)?;
    fs::write(&note, "short")?;
    let paths = [revision.as_path(), board, &copy, &note];
    let [revision, board, copy, note] = paths.map(|path| path.display().to_string());
    let kinds: [&[&str]; 8] = [
        &["components"],
        &["cores", "--common", "70"],
        &["groups", "--judge", "on"],
        &["groups", &revision],
        &["copies-of", &revision, &copy, &note],
        &["stale-versions", "--older-than", "1d"],
        &["leak", "--protected", &board],
        &["duplicates"],
    ];
    let mut made: Vec<String> = Vec::new();
    for (round, change) in [None, Some("letters/3.txt")].into_iter().enumerate() {
        if let Some(file) = change {
            fs::remove_file(sandbox.share().join(file))?;
            fs::rename(&revision, sandbox.share().join("revisions/moved.txt"))?;
            fs::write(&revision, sentences(3, 150))?;
            daemon.sync()?;
        }
        for (at, kind) in kinds.iter().enumerate() {
            let out = sandbox
                .beside(format!("{at}-{}-{round}", kind[0]))
                .display()
                .to_string();
            let mut asked = vec!["report", "--out", &out, "--kind"];
            asked.extend(*kind);
            let earlier = made.get(at).filter(|_| at > 1);
            asked.extend(
                earlier
                    .iter()
                    .flat_map(|earlier| ["--since", earlier.as_str()]),
            );
            seen.lines(&daemon.simctl(asked)?.ended_with(&[0])?)?;
            report(Path::new(&out), seen)?;
            made.push(out);
        }
    }
    Ok(())
}

/// Checks the lines of all files of a report, and of the changes beside it.
fn report(out: &Path, seen: &mut SeenLines) -> Result<()> {
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("manifest.json"))?)?;
    seen.line(&manifest)
        .with_context(|| format!("{manifest}"))?;
    let files = manifest["files"].as_array().context("no files")?;
    let named = files.iter().filter_map(|file| file["path"].as_str());
    let lists = named.filter(|name| name.ends_with(".jsonl"));
    let mut lists: Vec<_> = lists.map(|name| out.join(name)).collect();
    let beside = out.with_added_extension("changes.jsonl");
    lists.extend(beside.exists().then_some(beside));
    for list in lists {
        for line in jsonl::parse(&fs::read(&list)?)? {
            let found = seen.line(&line);
            found.with_context(|| format!("{}: {line}", list.display()))?;
        }
    }
    Ok(())
}

/// Watches while a file comes, until the daemon stops.
fn events(sandbox: &Sandbox, daemon: Daemon, seen: &mut SeenLines) -> Result<()> {
    let watching = Command::new(simctl()?)
        .args(["--json", "--socket"])
        .arg(daemon.socket())
        .arg("watch")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut watching = Child(watching);
    let lines = watching.0.stdout.take().context("no output")?;
    let mut lines = BufReader::new(lines).lines();
    let first = lines.next().context("no event")??;
    sandbox.write("new.txt", sentences(7_000, 7_020))?;
    daemon.sync()?;
    ensure!(daemon.stop()?.success());
    let rest: Vec<String> = lines.collect::<std::io::Result<_>>()?;
    ensure!(!rest.is_empty(), "a new file is no event");
    for line in [first].iter().chain(&rest) {
        let event = serde_json::from_str(line)?;
        seen.line(&event).with_context(|| line.clone())?;
    }
    Ok(())
}

/// A program that is ended with what waits for it.
struct Child(std::process::Child);

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A loss that is held, and confirmed.
fn loss(seen: &mut SeenLines) -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    for at in 0..FILES {
        sandbox.write(format!("d{}/{at}.txt", at % 9), format!("short {at}"))?;
    }
    // Only `sync` walks: the loss is not held twice.
    let config = "[watch]\ndebounce_ms = 50\npoll_seconds = 3600\n";
    let serve = sandbox.serve().roots([(share, "poll")]).config(config);
    let daemon = serve.start()?;
    daemon.sync()?;
    for at in 0..LOST {
        fs::remove_file(share.join(format!("d{}/{at}.txt", at % 9)))?;
    }
    daemon.simctl(["sync"])?.ended_with(&[2])?;
    seen.lines(&daemon.simctl(["roots"])?.ended_with(&[0])?)?;
    let root = share.to_str().context("a path of the check's own")?;
    seen.lines(&daemon.confirm_shown_loss(root)?)
}
