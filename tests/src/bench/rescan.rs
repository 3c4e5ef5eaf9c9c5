//! A rescan of files that have not changed, beside `find`, which looks at each of them, too. Both take turns on one
//! tree, after a first walk that is not counted.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};

use super::Settings;
use super::process::{children_processor_seconds, load, processor_seconds_of};
use crate::figure::{Figures, median};
use crate::sandbox::{Daemon, Sandbox};

/// Files of the share, unless asked otherwise.
const FILES: u64 = 100_000;
const IN_A_FOLDER: u64 = 1_000;
const ROUNDS: usize = 5;

/// What a walk takes, in seconds.
struct Walk {
    clock: f64,
    processor: f64,
}

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let files = settings.documents.unwrap_or(FILES);
    let sandbox = Sandbox::new()?;
    for file in 0..files {
        let folder = file / IN_A_FOLDER;
        let name = format!("{}/{folder}/note {file}.txt", folder / 100);
        sandbox.write(name, format!("Note {file}."))?;
    }
    figures.put("load of this machine at start", load()?, "processes")?;
    figures.put("files", files as f64, "")?;
    let daemon = sandbox.serve().start()?;
    let started = Instant::now();
    daemon.sync()?;
    figures.put(
        "first walk and reading",
        started.elapsed().as_secs_f64(),
        "s",
    )?;
    let (mut by_find, mut by_daemon) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let walks = (find(&sandbox)?, rescan(&daemon, files)?);
        if round > 0 {
            by_find.push(walks.0);
            by_daemon.push(walks.1);
        }
    }
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
        said.iter().any(|line| line["files"] == files),
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
        assert!(out.iter().filter(|byte| **byte == b'\n').count() == 9);
    }
}
