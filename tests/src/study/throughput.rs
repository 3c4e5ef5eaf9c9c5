//! What reading documents in other processes costs beside reading them.
//!
//! The CPU time of the workers, less what starting them and asking them costs, is the parsers';
//! starts are counted by the workers themselves, both costs are measured on a file of one line.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use rustix::param::clock_ticks_per_second;
use simdex_extract::Limits;

use super::extracted::{Extractor, WORKERS};
use super::{Settings, goal};
use crate::acceptance::files_below;
use crate::figure::Figures;

/// Files of one line read by fresh workers, and by lasting ones.
const STARTS: usize = 100;
const QUESTIONS: usize = 2_000;
const GOAL: f64 = 0.8;

/// What a run of a pool cost.
struct Cost {
    /// CPU seconds of this process.
    own: f64,
    /// CPU seconds of the workers.
    workers: f64,
    seconds: f64,
    starts: f64,
    documents: f64,
}

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let paths = files_below(&settings.folder("formats")?)?;
    let folder = tempfile::Builder::new()
        .prefix("simdex-throughput-")
        .tempdir()?;
    let line = folder.path().join("line.txt");
    fs::write(&line, "A line.\n")?;
    let fresh = Limits {
        documents_per_worker: 1,
        ..Limits::default()
    };
    let start = measured(&vec![line.clone(); STARTS], fresh, folder.path())?;
    let start = start.workers / start.starts;
    let asked = measured(&vec![line; QUESTIONS], Limits::default(), folder.path())?;
    let question = (asked.workers - start * asked.starts).max(0.0) / asked.documents;
    let cost = measured(&paths, Limits::default(), folder.path())?;
    let bytes = paths.iter().filter_map(|path| fs::metadata(path).ok());
    let megabytes = bytes.map(|metadata| metadata.len()).sum::<u64>() as f64 / 1e6;
    figures.put("files", paths.len() as f64, "files")?;
    figures.put(
        "megabytes of files a second",
        megabytes / cost.seconds,
        "MB/s",
    )?;
    print(&cost, start, question, figures)
}

fn print(cost: &Cost, start: f64, question: f64, figures: &mut Figures<'_>) -> Result<()> {
    let all = cost.own + cost.workers;
    let parsers = cost.workers - start * cost.starts - question * cost.documents;
    let share = parsers / all;
    figures.put("documents, members included", cost.documents, "documents")?;
    figures.put("workers started", cost.starts, "processes")?;
    figures.put("CPU of one start", start * 1e3, "ms")?;
    figures.put("CPU of one question in a worker", question * 1e3, "ms")?;
    figures.put("CPU of workers", cost.workers, "s")?;
    figures.put("CPU of this process", cost.own, "s")?;
    figures.against("parsers' share of all CPU", share, "", &goal(share, GOAL))?;
    figures.put("of two cores used", all / cost.seconds / WORKERS as f64, "")?;
    Ok(())
}

/// Reads all files; the workers have ended when it returns, so that their time is accounted.
fn measured(paths: &[PathBuf], limits: Limits, folder: &Path) -> Result<Cost> {
    let tally = folder.join("tally");
    fs::write(&tally, "")?;
    let (begin, before) = (Instant::now(), cpu()?);
    let extractor = Extractor::new(limits, Some(&tally))?;
    let mut documents = 0;
    // Texts are dropped as they come, as the daemon does.
    for part in paths.chunks(256) {
        let ours = extractor.all(part)?;
        documents += ours
            .iter()
            .map(|ours| 1 + ours.members.len())
            .sum::<usize>();
    }
    drop(extractor);
    let after = cpu()?;
    Ok(Cost {
        own: after[0] - before[0],
        workers: after[1] - before[1],
        seconds: begin.elapsed().as_secs_f64(),
        starts: fs::metadata(&tally)?.len() as f64,
        documents: documents as f64,
    })
}

/// CPU seconds of this process, and of its children that ended (proc(5), `stat`).
fn cpu() -> Result<[f64; 2]> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The program's name may hold spaces; utime, stime, cutime and cstime are fields 14 to 17.
    let (_, fields) = stat.rsplit_once(')').context("an odd stat")?;
    let ticks: Vec<f64> = fields
        .split_whitespace()
        .skip(11)
        .take(4)
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let [utime, stime, cutime, cstime] = ticks[..] else {
        anyhow::bail!("a short stat");
    };
    let second = clock_ticks_per_second() as f64;
    Ok([(utime + stime) / second, (cutime + cstime) / second])
}
