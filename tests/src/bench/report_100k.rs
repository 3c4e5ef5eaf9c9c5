//! A report of everything at 100,000 documents, by the real programs: how long it takes, what it holds in memory, and
//! how many bytes it has.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, ensure};
use simdex_index::Options;

use super::Settings;
use super::process::{
    children_processor_seconds, load, processor_seconds_of, threads_processor_seconds,
};
use crate::corpus::Random;
use crate::figure::Figures;
use crate::sandbox::{Daemon, Sandbox, high_water_kib};

const DOCUMENTS: u64 = 100_000;
/// Documents of which four are versions of one text, and six stand alone.
const TOGETHER: u64 = 10;
const VERSIONS: u64 = 4;
/// Words of a text.
const WORDS: u64 = 300;
const IN_A_FOLDER: u64 = 500;
/// Threads that are named.
const BUSIEST: usize = 3;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    let sandbox = Sandbox::new()?;
    let mut bytes = 0;
    for document in 0..documents {
        let text = text(document);
        bytes += text.len();
        let name = format!("{}/minutes {document}.txt", document / IN_A_FOLDER);
        sandbox.write(name, text)?;
    }
    figures.put("load of this machine at start", load()?, "processes")?;
    figures.put("documents", documents as f64, "")?;
    figures.put("text", bytes as f64 / 1e6, "MB")?;
    let indexing = Instant::now();
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    figures.put("indexed in", indexing.elapsed().as_secs_f64(), "s")?;
    let stopped = daemon.stop()?;
    ensure!(stopped.success(), "the daemon ended with {stopped}");
    // What indexing held at most would hide what the report holds.
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let out = sandbox.beside("report");
    report(&daemon, &out, documents, figures)?;
    written(&out, bytes as f64, figures)?;
    let stopped = daemon.stop()?;
    ensure!(stopped.success(), "the daemon ended with {stopped}");
    Ok(())
}

/// Has `simctl` write a report of everything: time, and memory of the daemon.
fn report(
    daemon: &Daemon,
    out: &Path,
    documents: u64,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let high_water = || -> anyhow::Result<f64> {
        let kib = high_water_kib(daemon.id()).context("no high-water mark")?;
        Ok(kib as f64 * 1024.0 / 1e6)
    };
    let before = high_water()?;
    let of_daemon = processor_seconds_of(daemon.id())?;
    let threads = threads_processor_seconds(daemon.id())?;
    let of_children = children_processor_seconds()?;
    let started = Instant::now();
    let answer = daemon.simctl(["report", "--out", out.to_str().context("a path")?])?;
    let seconds = started.elapsed().as_secs_f64();
    let summary = &answer.success()?.lines()?[0]["summary"];
    let groups = summary["groups"].as_u64().context("no groups")?;
    ensure!(groups == documents / TOGETHER, "{groups} groups");
    figures.put("groups", groups as f64, "")?;
    figures.against("report of everything", seconds, "s", "target: at most 60")?;
    let of_daemon = processor_seconds_of(daemon.id())? - of_daemon;
    figures.put("processor time of the daemon", of_daemon, "s")?;
    busiest(&threads, daemon, figures)?;
    let of_simctl = children_processor_seconds()? - of_children;
    figures.put("processor time of simctl", of_simctl, "s")?;
    figures.put("memory of the daemon before", before, "MB")?;
    figures.put("memory of the daemon at most", high_water()?, "MB")?;
    let budget = Options::default().working_bytes as f64 / 1e6;
    figures.put("budget of all questions", budget, "MB")?;
    Ok(())
}

/// The threads of the daemon that took most processor time since: they show what it did beside the report.
fn busiest(
    before: &HashMap<String, f64>,
    daemon: &Daemon,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let threads = threads_processor_seconds(daemon.id())?.into_iter();
    let mut since: Vec<(String, f64)> = threads
        .map(|(name, seconds)| {
            let already = before.get(&name).copied().unwrap_or_default();
            (name, seconds - already)
        })
        .collect();
    since.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (name, seconds) in since.iter().take(BUSIEST) {
        figures.put(&format!("of this its threads {name}"), *seconds, "s")?;
    }
    Ok(())
}

/// The number of files and bytes of a report, beside this many bytes of text.
fn written(report: &Path, text: f64, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let mut sizes = Sizes::default();
    sizes.add(report)?;
    figures.put("files of the report", sizes.files as f64, "")?;
    figures.put("report", sizes.bytes as f64 / 1e6, "MB")?;
    let of_text = sizes.bytes as f64 / text;
    figures.put("report, for each byte of text", of_text, "bytes")?;
    let first = fs::metadata(report.join("report.html"))?.len();
    figures.put("first page", first as f64 / 1e6, "MB")?;
    figures.put("all pages", sizes.pages as f64 / 1e6, "MB")?;
    Ok(())
}

/// Files and bytes below a directory, those of pages apart.
#[derive(Default)]
struct Sizes {
    files: u64,
    bytes: u64,
    pages: u64,
}

impl Sizes {
    fn add(&mut self, dir: &Path) -> anyhow::Result<()> {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let (metadata, path) = (entry.metadata()?, entry.path());
            if metadata.is_dir() {
                self.add(&path)?;
                continue;
            }
            self.files += 1;
            self.bytes += metadata.len();
            if path.extension().is_some_and(|end| end == "html") {
                self.pages += metadata.len();
            }
        }
        Ok(())
    }
}

/// Lines of ten words. The first documents of ten are versions: a line of each is its own.
fn text(document: u64) -> String {
    let (of, version) = match document % TOGETHER {
        version if version < VERSIONS => (document - version, version),
        _ => (document, 0),
    };
    let mut random = Random::new(20_261_124, of);
    let mut text = String::new();
    for word in 0..WORDS {
        let end = if word % 10 == 9 { '\n' } else { ' ' };
        text.push_str(&format!("word{}{end}", random.below(50_000)));
    }
    text + &format!("Version {version} of the minutes.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_on_a_small_corpus() {
        let mut out = Vec::new();
        run(
            Settings {
                documents: Some(200),
                ..Settings::default()
            },
            &mut Figures::new(&mut out, true),
        )
        .unwrap();
        assert!(out.iter().filter(|byte| **byte == b'\n').count() == 16 + BUSIEST);
    }
}
