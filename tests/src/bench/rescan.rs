//! A rescan of files that have not changed, beside `find`, which looks at each of them, too. Both take turns on one
//! tree, after a first walk that is not counted.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::Settings;
use super::process::{children_processor_seconds, load, processor_seconds_of};
use crate::figure::{Figures, median};
use crate::sandbox::{Daemon, Sandbox};

/// Files of the share, unless asked otherwise.
const FILES: u64 = 100_000;
const IN_A_FOLDER: u64 = 1_000;
const ROUNDS: usize = 5;
/// Mailboxes beside them, a thousandth as many, and what each holds.
const FILES_FOR_A_MAILBOX: u64 = 1_000;
const MAILS: u64 = 50;

/// Walks that look up what is at rest, and files that had just been written: they are not counted.
const NOTING: usize = 2;

/// A mailbox of short mails.
fn mailbox(number: u64) -> String {
    let mail = |at: u64| {
        format!(
            "From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nTo: b@example.org\n\
             Subject: note {at} of {number}\n\nThe note {at} of the box {number}.\n\n"
        )
    };
    (0..MAILS).map(mail).collect()
}

/// What a walk takes, in seconds.
struct Walk {
    clock: f64,
    processor: f64,
}

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let files = settings.documents.unwrap_or(FILES);
    let mailboxes = files.div_ceil(FILES_FOR_A_MAILBOX);
    let sandbox = share(files, mailboxes)?;
    figures.put("load of this machine at start", load()?, "processes")?;
    figures.put("files", files as f64, "")?;
    figures.put("mailboxes", mailboxes as f64, "")?;
    figures.put("mails in each", MAILS as f64, "")?;
    let daemon = sandbox.serve().start()?;
    let started = Instant::now();
    wait_until_read(&daemon)?;
    figures.put(
        "first walk and reading",
        started.elapsed().as_secs_f64(),
        "s",
    )?;
    let (mut by_find, mut by_daemon) = (Vec::new(), Vec::new());
    let status = daemon.simctl(["status"])?.success()?.lines()?;
    let stored = status.iter().find_map(|line| line["store_bytes"].as_f64());
    // Much less once records were rewritten into packs, from which a read takes longer.
    let each = stored.context("no store_bytes")? / files as f64;
    figures.put("store, for each file", each, "bytes")?;
    for round in 0..=ROUNDS + NOTING {
        let walks = (find(&sandbox)?, rescan(&daemon, files)?);
        // The next walk rests for as long as this one took, which is none of its time.
        std::thread::sleep(Duration::from_secs_f64(1.5 * walks.1.clock));
        if round > NOTING {
            by_find.push(walks.0);
            by_daemon.push(walks.1);
        }
    }
    compare(&by_find, &by_daemon, figures)
}

/// Waits until all files have been read: of a million that takes longer than a single call of `simctl` may.
fn wait_until_read(daemon: &Daemon) -> anyhow::Result<()> {
    loop {
        let status = daemon.simctl(["status"])?.success()?.lines()?;
        if status.iter().any(|line| line["complete"] == true) {
            return daemon.sync();
        }
        std::thread::sleep(Duration::from_secs(2));
    }
}

/// A share with this many short files in folders, and mailboxes.
fn share(files: u64, mailboxes: u64) -> anyhow::Result<Sandbox> {
    let sandbox = Sandbox::new()?;
    for file in 0..files {
        let folder = file / IN_A_FOLDER;
        let name = format!("{}/{folder}/note {file}.txt", folder / 100);
        sandbox.write(name, format!("Note {file}."))?;
    }
    for number in 0..mailboxes {
        sandbox.write(format!("mail/{number}.mbox"), mailbox(number))?;
    }
    Ok(sandbox)
}

/// Puts the medians of both beside each other.
fn compare(by_find: &[Walk], by_daemon: &[Walk], figures: &mut Figures<'_>) -> anyhow::Result<()> {
    for (name, of) in [
        (
            "processor time",
            (|walk| walk.processor) as fn(&Walk) -> f64,
        ),
        ("on the clock", |walk| walk.clock),
    ] {
        let found = median(by_find.iter().map(of).collect());
        let walked = median(by_daemon.iter().map(of).collect());
        figures.put(&format!("find, {name}"), found, "s")?;
        figures.put(&format!("rescan, {name}"), walked, "s")?;
        figures.against(
            &format!("rescan, for each second of find, {name}"),
            walked / found,
            "s",
            "target: at most 1.5",
        )?;
    }
    Ok(())
}

/// One walk of the whole share by `find`, with what a rescan compares of each file.
fn find(sandbox: &Sandbox) -> anyhow::Result<Walk> {
    let (begin, before) = (Instant::now(), children_processor_seconds()?);
    let status = Command::new("find")
        .arg(sandbox.share())
        .args(["-printf", "%p %y %i %s %T@ %C@ %U\\n"])
        .stdout(Stdio::from(fs::File::create(sandbox.beside("found"))?))
        .status()
        .context("find does not run")?;
    ensure!(status.success(), "find ended with {status}");
    Ok(Walk {
        clock: begin.elapsed().as_secs_f64(),
        processor: children_processor_seconds()? - before,
    })
}

/// One walk of the whole share by the daemon.
fn rescan(daemon: &Daemon, files: u64) -> anyhow::Result<Walk> {
    let (begin, before) = (Instant::now(), processor_seconds_of(daemon.id())?);
    let synced = daemon.simctl(["sync"])?.success()?;
    let walk = Walk {
        clock: begin.elapsed().as_secs_f64(),
        processor: processor_seconds_of(daemon.id())? - before,
    };
    let said = synced.lines()?;
    ensure!(
        said.iter()
            .any(|line| line["files"].as_u64().is_some_and(|walked| walked >= files)),
        "not all files were walked: {said:?}"
    );
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_on_a_small_share() {
        let mut out = Vec::new();
        run(
            Settings {
                documents: Some(2_500),
                ..Settings::default()
            },
            &mut Figures::new(&mut out, true),
        )
        .unwrap();
        let lines = String::from_utf8(out).unwrap();
        assert_eq!(lines.lines().count(), 12, "{lines}");
    }
}
