//! The runs that hold the postings: which exist, and which of them a merge includes.
//!
//! A merge writes the buffer as one new run, together with the newest runs as long as each is not several times as
//! large as what is written so far. So each run is several times as large as all newer ones together, there are few of
//! them, and a posting is written a few times while the index grows a hundredfold. A reader keeps the runs as they were
//! when it began.

use std::sync::Arc;

use roaring::RoaringTreemap;
use simdex_schema::{DocId, MetaRecord, RunRecord};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::store::{PostingRun, PostingStore, Store};

/// A run stays beside a new one only if it is at least this many times as large.
const RATIO: u64 = 3;
/// Every merge includes runs with fewer postings than this.
const SMALL: u64 = 4_000_000;
/// A merge that must be short leaves no more runs than this.
const MAX_RUNS: usize = 8;
/// All runs are rewritten once this percentage of their postings belongs to documents that are gone.
const DEAD_PERCENT: u64 = 25;

/// A run that can be read.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) record: RunRecord,
    pub(crate) blocks: Arc<dyn PostingRun>,
    /// Documents that were signed again since: their postings here by schemes that [change with the
    /// rung](changes_with_rung) do not count.
    pub(crate) stale: Arc<RoaringTreemap>,
}

impl Run {
    pub(crate) fn new(record: RunRecord, blocks: Arc<dyn PostingRun>) -> Self {
        Self {
            record,
            blocks,
            stale: Arc::default(),
        }
    }

    /// The documents whose postings of a scheme do not count here; `None` if all do.
    pub(crate) fn stale_of(&self, scheme: SchemeKind) -> Option<&RoaringTreemap> {
        let any = changes_with_rung(scheme) && !self.stale.is_empty();
        any.then_some(&*self.stale)
    }
}

/// Whether the signature of a text by this scheme depends on the rung.
pub(crate) const fn changes_with_rung(scheme: SchemeKind) -> bool {
    match scheme {
        SchemeKind::ModN | SchemeKind::BswN => true,
        SchemeKind::Chunks | SchemeKind::MinN | SchemeKind::SketchN | SchemeKind::SuperShingles => {
            false
        }
    }
}

/// Runs, the oldest first.
pub(crate) type Runs = Arc<[Run]>;

/// Opens the runs that a meta record names. `None` if one of them is missing, or another run has its number because it
/// was restored from another store or an earlier life of this one.
pub(crate) fn open(
    store: &dyn PostingStore,
    meta: &MetaRecord,
) -> Result<Option<Runs>, IndexError> {
    let mut runs = Vec::new();
    for record in &meta.runs {
        let found = store.run(record.number)?;
        let Some(blocks) = found.filter(|run| run.id() == record.id) else {
            return Ok(None);
        };
        runs.push(Run::new(*record, blocks));
    }
    Ok(Some(runs.into()))
}

/// Makes the postings of a document in these runs count no longer, and replaces the runs that readers see.
pub(crate) fn make_stale(runs: &mut Runs, id: DocId) {
    if Arc::get_mut(runs).is_none() {
        // Those who read them continue with the former ones.
        *runs = runs.iter().cloned().collect();
    }
    for run in Arc::get_mut(runs).into_iter().flatten() {
        Arc::make_mut(&mut run.stale).insert(id.0);
    }
}

/// Removes the runs that the meta record no longer names: those that a merge included, or one that was finished and
/// never published. First makes the record that names the others power-safe.
pub(crate) fn drop_others(store: &dyn Store, meta: &MetaRecord) -> Result<(), IndexError> {
    let named = |number: &u32| meta.runs.iter().any(|run| run.number == *number);
    let mut others = store.postings().runs()?;
    others.retain(|number| !named(number));
    if others.is_empty() {
        return Ok(());
    }
    store.commit()?;
    for number in others {
        store.postings().drop_run(number)?;
    }
    Ok(())
}

/// Which runs a merge includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunChoice {
    /// All that are due.
    Due,
    /// Small ones only, because a caller waits for the end; the next merge makes up for it.
    Small,
}

/// How many of the oldest runs stay as they are when this many postings are added.
pub(crate) fn count_staying(runs: &[RunRecord], added: u64, dead: u64, take: RunChoice) -> usize {
    let ratio = match take {
        RunChoice::Small if runs.len() < MAX_RUNS => 0,
        _ => RATIO,
    };
    let total: u64 = runs.iter().map(RunRecord::postings).sum();
    if ratio > 0 && dead * 100 > total * DEAD_PERCENT {
        return 0;
    }
    let (mut staying, mut size) = (runs.len(), added);
    while let Some(last) = runs[..staying].last().map(RunRecord::postings)
        && added > 0
        && (last < SMALL || last < ratio * size)
    {
        size += last;
        staying -= 1;
    }
    staying
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_schema::meta::RunOfScheme;

    fn run(postings: u64) -> RunRecord {
        let mut run = RunRecord::default();
        run.schemes[0] = RunOfScheme {
            postings,
            ..RunOfScheme::default()
        };
        run
    }

    /// Merges buffers of this size until there are `to` postings; returns the greatest number of runs, and how often a
    /// posting was written.
    fn grown(buffer: u64, to: u64) -> (usize, f64) {
        let (mut runs, mut most, mut written) = (Vec::new(), 0, 0);
        for _ in 0..to / buffer {
            let stay = count_staying(&runs, buffer, 0, RunChoice::Due);
            let taken: u64 = runs
                .drain(stay..)
                .map(|run: RunRecord| run.postings())
                .sum();
            runs.push(run(taken + buffer));
            written += taken + buffer;
            most = most.max(runs.len());
        }
        (most, written as f64 / to as f64)
    }

    #[test]
    fn runs_are_few_and_a_posting_is_written_a_few_times() {
        for (buffer, to) in [(32_000_000, 400_000_000), (32_000_000, 4_000_000_000)] {
            let (most, written) = grown(buffer, to);
            assert!(most <= 4 && written < 6.5, "{most} runs, {written} times");
        }
        let (most, written) = grown(1_000, 4_000_000);
        assert!(
            most <= 1 && written < 4_000.0,
            "{most} runs, {written} times"
        );
    }

    #[test]
    fn what_is_dead_is_left_out_once_it_is_much() {
        let runs = [run(100_000_000), run(10_000_000)];
        let due = |added, dead| count_staying(&runs, added, dead, RunChoice::Due);
        assert_eq!((due(0, 20_000_000), due(0, 30_000_000)), (2, 0));
        assert_eq!((due(1_000_000, 0), due(5_000_000, 0)), (2, 1));
        assert_eq!(due(50_000_000, 0), 0);
        assert_eq!(count_staying(&[], 0, 0, RunChoice::Due), 0);
    }

    #[test]
    fn a_short_merge_takes_in_small_runs_alone_until_there_are_many() {
        let mut runs = vec![run(100_000_000), run(10_000_000), run(1_000_000)];
        let short =
            |runs: &[RunRecord]| count_staying(runs, 20_000_000, 90_000_000, RunChoice::Small);
        assert_eq!(short(&runs), 2);
        runs.resize(MAX_RUNS, run(10_000_000));
        assert_eq!(short(&runs), 0);
    }
}
