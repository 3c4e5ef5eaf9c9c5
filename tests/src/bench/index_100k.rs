//! The index at 100,000 documents: how fast it fills, what it takes on disk and in memory, how soon
//! it opens and answers. Candidates and signature counts only, in process.

use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::{Cancel, CandidateKind, IndexReader, Opened};
use simdex_proto::defaults;
use simdex_signature::Ratio;

use super::Settings;
use super::bed::{Bed, Query, queries};
use super::process::{
    allocated, bytes_read, bytes_written, drop_cached, load, memory_mb, peak_memory_mb,
    processor_seconds, read_calls, thread_processor_time,
};
use crate::figure::{Figures, percentile};

mod changing;

const DOCUMENTS: u64 = 100_000;
const QUERIES: u64 = 1_000;
/// Queries asked while neither the store nor the operating system holds a page of postings.
const COLD: usize = 100;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    figures.put("load of this machine at start", load()?, "processes")?;
    let bed = Bed::new(20_260_101, &settings)?;
    if !bed.store_dir().exists() {
        fill(&bed, documents, figures)?;
    }
    let opened = open_again(&bed, documents, figures)?;
    drop_cached(&bed.store_dir())?;
    let queries = queries(bed.corpus, documents, QUERIES);
    ask(opened.index.reader(), &queries, figures)?;
    figures.put("memory after queries", memory_mb()?, "MB")?;
    figures.put("memory at most, queries too", peak_memory_mb()?, "MB")?;
    changing::status(&opened.index, figures)?;
    changing::change(&bed, &opened, documents, &queries, figures)?;
    // What follows opens a second index.
    figures.put("memory at most, changes too", peak_memory_mb()?, "MB")?;
    changing::open_after_kill(&bed, figures)?;
    Ok(opened.index.close(opened.writer)?)
}

/// Opens the closed index, twice.
fn open_again(bed: &Bed, documents: u64, figures: &mut Figures<'_>) -> anyhow::Result<Opened> {
    let (opened, first) = bed.open()?;
    let postings: u64 = opened
        .index
        .usage()
        .iter()
        .map(|usage| usage.postings)
        .sum();
    opened.index.close(opened.writer)?;
    drop_cached(&bed.store_dir())?;
    let (bytes, calls) = (bytes_read()?, read_calls()?);
    let (opened, second) = bed.open()?;
    figures.put("memory once open", memory_mb()?, "MB")?;
    let scale = documents as f64 / 1e5;
    let (bytes, calls) = (bytes_read()? - bytes, read_calls()? - calls);
    let megabytes = bytes as f64 / 1e6 / scale;
    figures.put("read at opening, for 100,000 documents", megabytes, "MB")?;
    let calls = calls as f64 / scale;
    figures.put("calls to read it, for 100,000 documents", calls, "calls")?;
    figures.put("open, the first after filling", first.as_secs_f64(), "s")?;
    figures.put("open, later", second.as_secs_f64(), "s")?;
    let bytes = opened.index.bytes_on_disk()?.0 as f64;
    figures.put(
        "disk after opening again",
        bytes / postings as f64,
        "bytes/posting",
    )?;
    Ok(opened)
}

/// Fills and closes the index.
fn fill(bed: &Bed, documents: u64, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let (opened, _) = bed.open()?;
    let filled = bed.fill(&opened, 0..documents)?;
    let usage: Vec<_> = opened
        .index
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
    let merges = opened.index.merges();
    figures.put("merges", merges.merges as f64, "")?;
    figures.put(
        "postings written into runs, for each",
        merges.postings as f64 / postings,
        "",
    )?;
    figures.put("runs at once, at most", filled.most_runs as f64, "")?;
    let values = usage[0].bytes;
    figures.put("posting values", values as f64 / postings, "bytes/posting")?;
    rewrite(bed, &opened, figures)?;
    let begin = Instant::now();
    opened.index.close(opened.writer)?;
    figures.put("close", begin.elapsed().as_secs_f64(), "s")?;
    disk(bed, filled.postings, values, figures)
}

/// Rewrites the records, as the daemon does by itself.
fn rewrite(bed: &Bed, opened: &Opened, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let before = bed.allocated_to_records()? as f64;
    let (begin, processor) = (Instant::now(), processor_seconds()?);
    let is_done = opened.writer.compact_records(&Cancel::never())?;
    let seconds = begin.elapsed().as_secs_f64();
    figures.put("records rewritten", f64::from(u8::from(is_done)), "times")?;
    figures.put("rewriting the records", seconds, "s")?;
    let processor = processor_seconds()? - processor;
    figures.put("rewriting the records, processor time", processor, "s")?;
    figures.put("records before", before / 1e6, "MB")?;
    let after = bed.allocated_to_records()? as f64;
    figures.put("records after", after / 1e6, "MB")?;
    Ok(())
}

/// What the closed store takes, by its parts, and what lives of it.
fn disk(bed: &Bed, postings: u64, values: u64, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let written = bytes_written()? as f64;
    let store = allocated(&bed.store_dir())? as f64;
    let in_records = bed.allocated_to_records()? as f64;
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
        ("of this runs of postings", store - in_records),
        ("of this records", in_records),
        ("records that live", records),
    ] {
        figures.put(part, bytes / postings, "bytes/posting")?;
    }
    figures.against(
        "disk of records, for each byte that lives",
        in_records / records,
        "",
        "target: at most 1.5",
    )?;
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

/// The resemblance from which on documents are searched for unless a request says otherwise. For so small a one even
/// template text may decide.
fn usual_threshold() -> Ratio {
    Ratio::new(defaults::SIMILAR).unwrap_or(Ratio::ZERO)
}

fn ask(index: &IndexReader, queries: &[Query], figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let (cold, rest) = queries.split_at(COLD.min(queries.len()));
    let mut times = ask_all(index, cold, usual_threshold())?.times;
    figures.put("cold query, p50", percentile(&mut times, 0.5), "ms")?;
    figures.put("cold query, p99", percentile(&mut times, 0.99), "ms")?;
    let mut first = ask_all(index, rest, usual_threshold())?.processor;
    let name = "query asked for the first time, processor time, p50";
    figures.put(name, percentile(&mut first, 0.5), "ms")?;
    // Few lists of template text are read for a document that resembles the query as members of groups do.
    let of_groups = ask_all(index, queries, Ratio::FOUR_FIFTHS)?;
    let all = ask_all(index, queries, usual_threshold())?;
    let QueryTimes {
        right,
        candidates,
        common_lists_count_only,
        ..
    } = all;
    put_percentiles("warm query", all, figures)?;
    put_percentiles("warm query for 0.8", of_groups, figures)?;
    let count = queries.len() as f64;
    figures.put("candidates a query", candidates as f64 / count, "documents")?;
    figures.put(
        "lists that only added counts, a query",
        common_lists_count_only as f64 / count,
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
struct QueryTimes {
    times: Vec<Duration>,
    /// Processor time of each.
    processor: Vec<Duration>,
    /// Queries whose source was found with right counts.
    right: usize,
    candidates: usize,
    common_lists_count_only: u64,
}

impl QueryTimes {
    fn add(&mut self, more: Self) {
        self.times.extend(more.times);
        self.processor.extend(more.processor);
        self.right += more.right;
        self.candidates += more.candidates;
        self.common_lists_count_only += more.common_lists_count_only;
    }
}

/// Puts how long questions took, and the processor time that went to them.
fn put_percentiles(name: &str, asked: QueryTimes, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let QueryTimes {
        mut times,
        mut processor,
        ..
    } = asked;
    let targets = [
        ("p50", 0.5, "target: at most 3 at a million documents"),
        ("p99", 0.99, "target: at most 30 at a million documents"),
    ];
    for (part, share, target) in targets {
        let (elapsed, processor) = (
            percentile(&mut times, share),
            percentile(&mut processor, share),
        );
        figures.put(&format!("{name}, {part}"), elapsed, "ms")?;
        let name = format!("{name}, processor time, {part}");
        figures.against(&name, processor, "ms", target)?;
    }
    figures.put(
        &format!("{name}, slowest"),
        percentile(&mut times, 1.0),
        "ms",
    )?;
    Ok(())
}

fn ask_all(index: &IndexReader, queries: &[Query], sought: Ratio) -> anyhow::Result<QueryTimes> {
    let mut all = QueryTimes::default();
    for query in queries {
        let processor = thread_processor_time();
        let (candidates, time) = query.ask(index, CandidateKind::Similar(sought))?;
        all.processor.push(thread_processor_time() - processor);
        all.times.push(time);
        all.right += usize::from(query.is_answered_by(&candidates));
        all.candidates += candidates.found.len();
        all.common_lists_count_only += candidates.common_lists_count_only;
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
                ..Settings::default()
            },
            &mut Figures::new(&mut out, true),
        )
        .unwrap();
        assert!(out.iter().filter(|byte| **byte == b'\n').count() > 20);
    }
}
