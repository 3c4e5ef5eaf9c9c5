//! The index while it changes: questions beside a writer, deletion against insertion, `status`, and an
//! opening after a kill.

use anyhow::{Context as _, ensure};
use simdex_index::store::{ProbeResult, probe};
use simdex_index::{Cancel, Index, IndexReader, Opened, VisibleRoots};
use simdex_signature::Ratio;

use super::{QueryTimes, ask_all, put_percentiles, usual_threshold};
use crate::bench::bed::{Bed, Filled, Query};
use crate::bench::process::{
    bytes_read, copy_dir, processor_seconds, read_calls, thread_processor_time,
};
use crate::figure::{Figures, percentile};

/// Times that `status` is asked for.
const STATUSES: usize = 200;
/// One in this many documents is added, and then deleted.
const ADDED: u64 = 10;

/// What the index is asked for by `status`.
pub(super) fn status(index: &Index, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for _ in 0..STATUSES {
        let begin = thread_processor_time();
        index
            .reader()
            .file_totals()
            .count(&VisibleRoots::All, &Cancel::never())?;
        let told = (index.usage(), index.memory_use(), index.unsettled());
        let threshold =
            Ratio::new(index.reader().parameters().threshold).context("no threshold")?;
        let reader = index.reader();
        let groups =
            reader
                .groups()
                .count_maintained(&VisibleRoots::All, threshold, &Cancel::never())?;
        std::hint::black_box((told, groups));
        times.push(thread_processor_time() - begin);
    }
    figures.against(
        "status, processor time, the first since opening",
        times.first().copied().unwrap_or_default().as_secs_f64() * 1e3,
        "ms",
        "target: at most 10",
    )?;
    figures.against(
        "status, processor time, p99",
        percentile(&mut times, 0.99),
        "ms",
        "target: at most 10",
    )?;
    for part in index.memory_use() {
        let name = format!("memory for {}", part.holder.name());
        figures.put(&name, part.bytes as f64 / 1e6, "MB")?;
    }
    Ok(())
}

/// Asks questions while a tenth more documents are added, and then deletes these.
pub(super) fn change(
    bed: &Bed,
    opened: &Opened,
    documents: u64,
    queries: &[Query],
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let added = documents..documents + (documents / ADDED).max(1);
    let (filled, asked) = ask_while(queries, opened.index.reader(), || {
        bed.fill(opened, added.clone())
    })?;
    ensure!(
        asked.right == asked.times.len(),
        "a wrong answer while documents were added"
    );
    figures.put("questions beside a writer", asked.times.len() as f64, "")?;
    put_percentiles("query beside a writer", asked, figures)?;
    let begin = thread_processor_time();
    bed.delete(opened, added)?;
    let deleting = (thread_processor_time() - begin).as_secs_f64();
    let adding = filled.of_thread.as_secs_f64();
    figures.put("adding a tenth, processor time", adding, "s")?;
    figures.against(
        "deleting it, for each second of adding",
        deleting / adding,
        "s",
        "target: at most 1",
    )?;
    Ok(())
}

/// Asks the questions in turn as long as the work lasts in a thread of its own.
fn ask_while(
    queries: &[Query],
    index: &IndexReader,
    work: impl FnOnce() -> anyhow::Result<Filled> + Send,
) -> anyhow::Result<(Filled, QueryTimes)> {
    std::thread::scope(|scope| {
        let worker = scope.spawn(work);
        let mut all = QueryTimes::default();
        let mut rounds = queries.chunks(16).cycle();
        while !worker.is_finished()
            && let Some(some) = rounds.next()
        {
            all.add(ask_all(index, some, usual_threshold())?);
        }
        let filled = worker
            .join()
            .map_err(|_| anyhow::anyhow!("the writer panicked"))??;
        Ok((filled, all))
    })
}

/// Opens the index as a kill would leave it now: nothing closed, all that was applied merged.
pub(super) fn open_after_kill(bed: &Bed, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let killed = bed.beside("killed");
    copy_dir(&bed.store_dir(), &killed.store_dir())?;
    let (bytes, calls, processor) = (bytes_read()?, read_calls()?, processor_seconds()?);
    let verdict = probe(&killed.store_dir());
    ensure!(
        matches!(verdict, ProbeResult::Sound { .. }),
        "the store is not sound after a kill: {verdict:?}"
    );
    let (opened, _) = killed.open()?;
    let processor = processor_seconds()? - processor;
    let (bytes, calls) = (bytes_read()? - bytes, read_calls()? - calls);
    figures.against(
        "opening after a kill, processor time",
        processor,
        "s",
        "target: at most 60",
    )?;
    figures.put("read at opening after a kill", bytes as f64 / 1e6, "MB")?;
    figures.put("calls to read it", calls as f64, "calls")?;
    opened.index.close(opened.writer)?;
    Ok(std::fs::remove_dir_all(killed.home())?)
}
