//! The index at 100,000 documents: how fast it fills, what it takes on disk and in memory, how soon
//! it opens and answers. Candidates and signature counts only, in process.

use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::{CandidateKind, Index};

use super::Settings;
use super::bed::{Bed, Query, queries};
use super::process::{
    allocated, bytes_written, drop_cached, load, peak_memory_mb, processor_seconds,
};
use crate::figure::{Figures, percentile};

const DOCUMENTS: u64 = 100_000;
const QUERIES: u64 = 1_000;
/// Queries asked while neither the store nor the operating system holds a page of postings.
const COLD: usize = 100;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    figures.put("load of this machine at start", load()?, "processes")?;
    let bed = Bed::new(20_260_101)?;
    let postings = fill(&bed, documents, figures)?;
    let (index, first) = bed.open()?;
    index.close()?;
    drop_cached(&bed.store_dir())?;
    let (index, second) = bed.open()?;
    figures.put("open, the first after filling", first.as_secs_f64(), "s")?;
    figures.put("open, later", second.as_secs_f64(), "s")?;
    let bytes = index.bytes_on_disk()?.0 as f64;
    figures.put(
        "disk after opening again",
        bytes / postings as f64,
        "bytes/posting",
    )?;
    drop_cached(&bed.store_dir())?;
    ask(&index, &queries(bed.corpus, documents, QUERIES), figures)?;
    index.close()?;
    figures.put("memory at most, queries too", peak_memory_mb()?, "MB")?;
    Ok(())
}

/// Fills and closes the index; returns its postings.
fn fill(bed: &Bed, documents: u64, figures: &mut Figures<'_>) -> anyhow::Result<u64> {
    let (index, _) = bed.open()?;
    let filled = bed.fill(&index, documents)?;
    let usage: Vec<_> = index
        .usage()
        .into_iter()
        .filter(|usage| usage.postings > 0)
        .collect();
    let (postings, seconds) = (filled.postings as f64, filled.busy.as_secs_f64());
    ensure!(
        usage.len() == 1 && usage[0].postings == filled.postings,
        "the index counts other postings than were put in"
    );
    figures.put("documents", documents as f64, "")?;
    figures.put("postings", postings, "")?;
    figures.put("commits", filled.commits as f64, "")?;
    figures.put("applying, committing and merging", seconds, "s")?;
    figures.put("of this committing", filled.committing.as_secs_f64(), "s")?;
    figures.against(
        "indexing",
        postings / seconds,
        "postings/s",
        "target: at least 700,000 at a million documents",
    )?;
    figures.put("memory at most, filling", peak_memory_mb()?, "MB")?;
    figures.put(
        "indexing, for each second of processor time",
        postings / filled.processor,
        "postings/s",
    )?;
    let merges = index.merges();
    figures.put("merges", merges.merges as f64, "")?;
    figures.put(
        "postings written into runs, for each",
        merges.postings as f64 / postings,
        "",
    )?;
    figures.put("runs at once, at most", filled.most_runs as f64, "")?;
    let values = usage[0].bytes;
    figures.put("posting values", values as f64 / postings, "bytes/posting")?;
    let begin = Instant::now();
    index.close()?;
    figures.put("close", begin.elapsed().as_secs_f64(), "s")?;
    disk(bed, filled.postings, values, figures)?;
    Ok(filled.postings)
}

/// What the closed store takes, by its parts, and what lives of it.
fn disk(bed: &Bed, postings: u64, values: u64, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let written = bytes_written()? as f64;
    let store = allocated(&bed.store_dir())? as f64;
    let runs = allocated(&bed.store_dir().join("runs"))? as f64;
    let records = bed.live_records()? as f64;
    let live = values as f64 + records;
    let postings = postings as f64;
    figures.against(
        "disk after close",
        store / postings,
        "bytes/posting",
        "target: at most 12",
    )?;
    for (part, bytes) in [
        ("of this runs of postings", runs),
        ("of this records", store - runs),
        ("records that live", records),
    ] {
        figures.put(part, bytes / postings, "bytes/posting")?;
    }
    figures.against(
        "disk after close, for each byte that lives",
        store / live,
        "",
        "target: at most 1.5",
    )?;
    figures.put(
        "written to files, for each byte that lives",
        written / live,
        "",
    )?;
    Ok(())
}

fn ask(index: &Index, queries: &[Query], figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let (cold, rest) = queries.split_at(COLD.min(queries.len()));
    let mut times = asked(index, cold)?.times;
    figures.put("cold query, p50", percentile(&mut times, 0.5), "ms")?;
    figures.put("cold query, p99", percentile(&mut times, 0.99), "ms")?;
    asked(index, rest)?;
    let processor = processor_seconds()?;
    let Asked {
        mut times,
        right,
        candidates,
        common_lists,
    } = asked(index, queries)?;
    figures.against(
        "warm query, p50",
        percentile(&mut times, 0.5),
        "ms",
        "target: at most 2",
    )?;
    figures.against(
        "warm query, p99",
        percentile(&mut times, 0.99),
        "ms",
        "target: at most 20",
    )?;
    figures.put("warm query, slowest", percentile(&mut times, 1.0), "ms")?;
    let count = queries.len() as f64;
    let processor = processor_seconds()? - processor;
    figures.put("warm query, processor time", processor * 1e3 / count, "ms")?;
    figures.put("candidates a query", candidates as f64 / count, "documents")?;
    figures.put(
        "lists left unread a query",
        common_lists as f64 / count,
        "lists",
    )?;
    figures.against(
        "sources found with right counts",
        right as f64 / count,
        "",
        "must be 1",
    )?;
    ensure!(
        right == queries.len(),
        "{} queries got a wrong answer",
        queries.len() - right
    );
    Ok(())
}

#[derive(Default)]
struct Asked {
    times: Vec<Duration>,
    /// Queries whose source was found with right counts.
    right: usize,
    candidates: usize,
    common_lists: u64,
}

fn asked(index: &Index, queries: &[Query]) -> anyhow::Result<Asked> {
    let mut all = Asked::default();
    for query in queries {
        let (candidates, time) = query.ask(index, CandidateKind::Similar)?;
        all.times.push(time);
        all.right += usize::from(query.is_answered_by(&candidates));
        all.candidates += candidates.found.len();
        all.common_lists += candidates.common_lists;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_on_a_small_corpus() {
        let mut out = Vec::new();
        run(
            Settings {
                documents: Some(300),
            },
            &mut Figures::new(&mut out, true),
        )
        .unwrap();
        assert!(out.iter().filter(|byte| **byte == b'\n').count() > 20);
    }
}
