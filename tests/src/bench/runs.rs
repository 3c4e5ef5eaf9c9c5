//! One run of blocks in the store, without an index: what it takes on disk for each byte that lives, what
//! is written for it, and what looking up a block costs that is in the cache of the store, and one that
//! is not.

use anyhow::{Context as _, ensure};
use simdex_index::store::{NewRun, SledStore, Store as _, StoreOptions};

use super::Settings;
use super::process::{allocated, bytes_written, processor_seconds, read_calls};
use crate::corpus::Random;
use crate::figure::Figures;

/// Blocks, where nobody says how many documents there are.
const BLOCKS: u64 = 300_000;
/// About what a bucket of postings takes.
const BLOCK_BYTES: usize = 1_500;
const LOOKUPS: u64 = 50_000;
/// Holds all blocks of the benchmark.
const LARGE_CACHE: u64 = 2 << 30;
/// Holds next to none.
const SMALL_CACHE: u64 = 16 << 20;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let blocks = settings.documents.unwrap_or(BLOCKS);
    let home = tempfile::tempdir()?;
    let dir = home.path().join("store");
    let store = SledStore::open(&dir, StoreOptions::DAEMON)?;
    let (before, processor) = (bytes_written()?, processor_seconds()?);
    let live = fill(&store, blocks)? as f64;
    let per_block = |seconds: f64, count: u64| seconds * 1e6 / count as f64;
    let took = processor_seconds()? - processor;
    store.close()?;
    figures.put("blocks", blocks as f64, "")?;
    figures.put(
        "written, processor time",
        per_block(took, blocks),
        "µs/block",
    )?;
    let written = (bytes_written()? - before) as f64;
    figures.put("written for each byte that lives", written / live, "")?;
    let disk = allocated(&dir.join("runs"))? as f64;
    figures.put("on disk for each byte that lives", disk / live, "")?;
    for (name, cache_bytes) in [("missed", SMALL_CACHE), ("in the cache", LARGE_CACHE)] {
        let store = SledStore::open(&dir, StoreOptions { cache_bytes })?;
        if cache_bytes == LARGE_CACHE {
            look_up(&store, blocks, 0..blocks)?;
        }
        let (calls, processor) = (read_calls()?, processor_seconds()?);
        let mut random = Random::new(7, 1);
        look_up(&store, blocks, (0..LOOKUPS).map(|_| random.below(blocks)))?;
        let took = processor_seconds()? - processor;
        let calls = (read_calls()? - calls) as f64 / LOOKUPS as f64;
        figures.put(
            &format!("looked up, {name}"),
            per_block(took, LOOKUPS),
            "µs",
        )?;
        figures.put(&format!("calls of the system, {name}"), calls, "calls")?;
        store.close()?;
    }
    Ok(())
}

/// Fills the run; returns how many bytes of keys and blocks it holds.
fn fill(store: &SledStore, blocks: u64) -> anyhow::Result<u64> {
    let mut run = store.postings().begin_run(NewRun {
        number: 1,
        bytes: blocks * BLOCK_BYTES as u64,
        ..NewRun::default()
    })?;
    let mut random = Random::new(7, 0);
    let mut block = [0; BLOCK_BYTES];
    for number in 0..blocks {
        for word in block.chunks_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes()[..word.len()]);
        }
        run.put(&number.to_be_bytes(), &block)?;
    }
    run.finish()?;
    Ok(blocks * (8 + BLOCK_BYTES as u64))
}

fn look_up(
    store: &SledStore,
    blocks: u64,
    numbers: impl Iterator<Item = u64>,
) -> anyhow::Result<()> {
    let run = store.postings().run(1)?.context("the run is gone")?;
    for number in numbers {
        let found = run.look_up(&number.to_be_bytes())?;
        let whole = found.is_some_and(|block| block.len() == BLOCK_BYTES);
        ensure!(whole, "block {number} of {blocks} is not as it was written");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_on_a_few_blocks() {
        let mut out = Vec::new();
        let settings = Settings {
            documents: Some(500),
            ..Settings::default()
        };
        run(settings, &mut Figures::new(&mut out, true)).unwrap();
        assert!(out.iter().filter(|byte| **byte == b'\n').count() >= 8);
    }
}
