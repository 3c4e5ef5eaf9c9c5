//! A repository full of versions, as a user indexes it: how much of the daemon's work is settling, how much reading and
//! indexing, its memory, and how soon its groups are listed.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;

use super::Settings;
use super::process::{allocated, load, processor_seconds_of, threads_processor_seconds};
use crate::corpus::{Versions, family_sizes};
use crate::figure::Figures;
use crate::sandbox::{Daemon, Sandbox, children, corpora, high_water_kib};

/// Documents of the synthetic repository.
const DOCUMENTS: u64 = 25_000;
/// Words of a document, seven bytes each.
const WORDS: usize = 7_200;
/// A tenth of all documents is one family, a twentieth the next, a thirtieth the third, and so on.
const LARGEST: u64 = 10;
const SEED: u64 = 20_261_123;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    figures.put("load of this machine at start", load()?, "processes")?;
    if settings.documents.is_none() {
        histories(figures)?;
    }
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    let sandbox = Sandbox::new()?;
    let versions = Versions::new(SEED, WORDS);
    for (family, size) in family_sizes(documents, documents / LARGEST)
        .into_iter()
        .enumerate()
    {
        for version in 0..size {
            let text = versions.text(family as u64, version, size);
            sandbox.write(format!("{family}/{version}.txt"), text)?;
        }
    }
    figures.note("families by a power law")?;
    measure(&sandbox, sandbox.share(), figures)
}

/// The real histories, where they are.
fn histories(figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let real = corpora().map(|corpora| corpora.with_file_name("histories").join("peps"));
    match real.filter(|dir| dir.is_dir()) {
        None => Ok(figures.note("no real histories here")?),
        Some(dir) => {
            figures.note("real histories")?;
            measure(&Sandbox::new()?, &dir, figures)
        }
    }
}

fn measure(sandbox: &Sandbox, share: &Path, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let begin = Instant::now();
    let daemon = sandbox.serve().roots([(share, "poll")]).start()?;
    daemon.sync()?;
    daemon.simctl(["groups", "--wait"])?.success()?;
    let clock = begin.elapsed().as_secs_f64();
    let work = Work::of(&daemon)?;
    figures.put("  files", files_of(share)?.len() as f64, "")?;
    figures.put("  from start to settled, on the clock", clock, "s")?;
    figures.put("  reading and indexing, processor time", work.indexing, "s")?;
    figures.put("  settling, processor time", work.settling, "s")?;
    figures.against(
        "  all, for each second of reading and indexing",
        (work.indexing + work.settling) / work.indexing,
        "s",
        "target: at most 2",
    )?;
    let memory = high_water_kib(daemon.id()).context("no memory of the daemon")?;
    figures.against(
        "  memory at most",
        memory as f64 / 1024.0,
        "MiB",
        "target: at most 600, and 1,024 of 25,000 documents of 50 KB",
    )?;
    let begin = Instant::now();
    let listed = daemon.simctl(["groups"])?.success()?;
    figures.against(
        "  listing all groups",
        begin.elapsed().as_secs_f64(),
        "s",
        "target: at most 2",
    )?;
    let groups = listed.lines_of("group")?.len();
    figures.put("  groups", groups as f64, "")?;
    daemon.stop()?;
    // All files are plain text.
    let stored = allocated(&sandbox.data_dir().join("text"))? as f64;
    Ok(figures.against(
        "  stored text",
        stored / files_of(share)?.iter().sum::<u64>() as f64,
        "bytes/byte",
        "target: at most 0.45 of ordinary documents",
    )?)
}

/// The sizes of all files of a folder and below, in bytes.
fn files_of(dir: &Path) -> anyhow::Result<Vec<u64>> {
    let mut sizes = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        match metadata.is_dir() {
            true => sizes.extend(files_of(&entry.path())?),
            false => sizes.push(metadata.len()),
        }
    }
    Ok(sizes)
}

/// Processor time of the daemon and its workers, in seconds.
struct Work {
    indexing: f64,
    /// At most: all that threads took which have ended is counted as settling.
    settling: f64,
}

impl Work {
    fn of(daemon: &Daemon) -> anyhow::Result<Self> {
        let threads: HashMap<String, f64> = threads_processor_seconds(daemon.id())?;
        let of_settler = threads.get("settler").context("no settler")?;
        let of_living: f64 = threads.values().sum();
        let of_daemon = processor_seconds_of(daemon.id())?;
        let settling = of_settler + (of_daemon - of_living).max(0.0);
        let mut workers = 0.0;
        for worker in children(daemon.id()) {
            workers += processor_seconds_of(worker)?;
        }
        Ok(Self {
            indexing: of_daemon - settling + workers,
            settling,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_on_a_small_repository() {
        let mut out = Vec::new();
        run(
            Settings {
                documents: Some(40),
                ..Settings::default()
            },
            &mut Figures::new(&mut out, true),
        )
        .unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("  groups"), "{out}");
    }
}
