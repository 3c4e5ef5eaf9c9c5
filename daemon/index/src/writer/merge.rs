//! Moving the buffer into a run.
//!
//! A run is complete and power-safe before the meta record names it, and the runs merged into it are removed once that
//! record is power-safe. So a merge that is interrupted anywhere has changed nothing, or is complete except for the
//! removal of runs, which the next opening does.

use std::sync::Arc;
use std::time::Instant;

use simdex_schema::meta::RunOfScheme;
use simdex_schema::posting::{KEY_BITS, scheme_number};
use simdex_schema::{DocId, MetaRecord, RunId, RunRecord};
use simdex_signature::SchemeKind;

use super::WriterState;
use crate::buckets::{Buckets, Cursor, RunFiller};
use crate::buffer::{Buffer, PART_BITS};
use crate::runs::{Run, RunChoice, Runs, count_staying, drop_others};
use crate::shared::{IndexShared, SCHEMES};
use crate::store::random_id;
use crate::store::{NewRun, RunWriter, StoreError};
use crate::stored_records::put_meta;
use crate::table::KnownDocuments;
use crate::{IndexError, IndexWriter};

/// Maximum bytes of a posting in a bucket, except for ids of many issuers.
const MAX_POSTING_BYTES: u64 = 8;

/// A run that was written.
struct WrittenRun {
    record: RunRecord,
    /// Postings of documents that are gone or were signed again, in the runs that were merged into it.
    left_out: u64,
}

impl IndexWriter {
    /// Merges the buffer into a run. Writers wait, readers do not.
    pub fn merge(&self) -> Result<(), IndexError> {
        self.merge_all(RunChoice::Due)
    }

    pub(crate) fn merge_all(&self, take: RunChoice) -> Result<(), IndexError> {
        let mut writer = self.lock();
        self.purge(&mut writer)?;
        let watermark = writer.meta.next_document;
        self.merge_up_to(&mut writer, watermark, take)
    }

    /// Merges while a store opens: documents after `last` are still to be signed again.
    pub(crate) fn merge_through(&self, last: DocId) -> Result<(), IndexError> {
        self.merge_up_to(&mut self.lock(), last.serial() + 1, RunChoice::Due)
    }

    fn merge_up_to(
        &self,
        writer: &mut WriterState,
        watermark: u64,
        take: RunChoice,
    ) -> Result<(), IndexError> {
        match self.merge_once(writer, watermark, take) {
            // Less may fit.
            Err(IndexError::Store(StoreError::NoRoom { .. })) if take == RunChoice::Due => {
                self.merge_once(writer, watermark, RunChoice::Small)
            }
            merged => merged,
        }
    }

    fn merge_once(
        &self,
        writer: &mut WriterState,
        watermark: u64,
        take: RunChoice,
    ) -> Result<(), IndexError> {
        // Texts below the watermark are not examined when the store opens.
        self.shared.texts.sync()?;
        self.freeze();
        let (merging, runs) = {
            let state = self.shared.state();
            (state.merging.clone(), Arc::clone(&state.runs))
        };
        let added = merging.iter().map(|buffer| buffer.len() as u64).sum();
        let meta = &writer.meta;
        let staying = count_staying(&meta.runs, added, meta.dead_postings, take);
        if added == 0 && staying == runs.len() {
            if watermark > meta.watermark {
                writer.meta.watermark = watermark;
                put_meta(&*self.shared.store, &writer.meta)?;
            }
            return self.commit();
        }
        let _under_way = MergeUnderWay::begin(&self.shared);
        // Used up even if this fails: what was finished and not named is removed at the next opening.
        let number = writer.meta.next_run;
        writer.meta.next_run += 1;
        let (old, taken) = runs.split_at(staying);
        let written = self.write_run(number, old.len(), &merging, taken)?;
        self.publish(writer, watermark, old, written)?;
        drop_others(&*self.shared.store, &writer.meta)
    }

    /// Writes a run of what is buffered and of the runs merged into it.
    fn write_run(
        &self,
        number: u32,
        older: usize,
        merging: &[Arc<Buffer>; SCHEMES.len()],
        taken: &[Run],
    ) -> Result<WrittenRun, IndexError> {
        let known = self.shared.state().table.known_bits();
        let held: u64 = taken.iter().map(|run| run.record.bytes()).sum();
        let added: u64 = merging.iter().map(|buffer| buffer.len() as u64).sum();
        let id = RunId(random_id()?);
        let mut writer = self.shared.store.postings().begin_run(NewRun {
            number,
            id,
            older,
            bytes: held + added * MAX_POSTING_BYTES,
        })?;
        let mut record = RunRecord {
            number,
            id: Some(id),
            ..RunRecord::default()
        };
        let mut left_out = 0;
        for scheme in SCHEMES {
            let at = usize::from(scheme_number(scheme));
            let (filled, of_gone) = fill(&mut *writer, scheme, &merging[at], taken, &known)?;
            record.schemes[at] = filled;
            left_out += of_gone;
        }
        writer.finish()?;
        Ok(WrittenRun { record, left_out })
    }

    /// Makes the meta record name a run in place of those merged into it, and makes it visible to queries.
    fn publish(
        &self,
        writer: &mut WriterState,
        watermark: u64,
        old: &[Run],
        written: WrittenRun,
    ) -> Result<(), IndexError> {
        let WrittenRun { record, left_out } = written;
        let mut meta = MetaRecord {
            watermark,
            runs: old.iter().map(|run| run.record).collect(),
            dead_postings: match old {
                [] => 0,
                _ => writer.meta.dead_postings.saturating_sub(left_out),
            },
            ..writer.meta.clone()
        };
        let mut runs = old.to_vec();
        let blocks = self.shared.store.postings().run(record.number)?;
        let blocks = blocks.ok_or_else(|| IndexError::Damaged("a run just written".to_owned()))?;
        meta.runs.push(record);
        runs.push(Run::new(record, blocks));
        put_meta(&*self.shared.store, &meta)?;
        writer.meta = meta;
        self.show_merged(runs.into());
        self.commit()
    }

    /// Sets the buffers aside, still readable, so that new postings go to fresh ones.
    fn freeze(&self) {
        let mut state = self.shared.state_mut();
        for at in 0..SCHEMES.len() {
            let fresh = std::mem::take(&mut state.buffers[at]);
            // What a failed merge set aside is large, and what was added since is small.
            match Arc::get_mut(&mut state.merging[at]) {
                Some(frozen) if !frozen.is_empty() => frozen.absorb(&fresh),
                Some(frozen) => *frozen = fresh,
                None => {
                    let mut frozen = fresh;
                    frozen.absorb(&state.merging[at]);
                    state.merging[at] = Arc::new(frozen);
                }
            }
        }
    }

    /// From here on queries read the merged postings only from runs.
    fn show_merged(&self, runs: Runs) {
        let mut state = self.shared.state_mut();
        state.merges.merges += 1;
        state.merges.postings += runs.last().map_or(0, |run| run.record.postings());
        state.runs = runs;
        let merged = std::mem::take(&mut state.merging);
        drop(state);
        // Some hundred megabytes: freeing them must not hold the lock.
        drop(merged);
    }
}

/// Shows that a merge is under way, until it is dropped.
struct MergeUnderWay<'a>(&'a IndexShared);

impl<'a> MergeUnderWay<'a> {
    fn begin(shared: &'a IndexShared) -> Self {
        shared.state_mut().merging_since = Some(Instant::now());
        Self(shared)
    }
}

impl Drop for MergeUnderWay<'_> {
    fn drop(&mut self) {
        self.0.state_mut().merging_since = None;
    }
}

/// Fills a run with the postings of a scheme, a part of the keys at a time. Postings of documents that are gone, or
/// were signed again, are left out; returns how many of those there were in the merged runs.
fn fill(
    run: &mut dyn RunWriter,
    scheme: SchemeKind,
    buffer: &Buffer,
    taken: &[Run],
    known: &KnownDocuments,
) -> Result<(RunOfScheme, u64), IndexError> {
    let buckets: Vec<_> = taken.iter().map(|run| Buckets::of(run, scheme)).collect();
    let old: u64 = buckets.iter().map(|buckets| buckets.held.postings).sum();
    let postings = old + buffer.len() as u64;
    if postings == 0 {
        return Ok((RunOfScheme::default(), 0));
    }
    let mut filling = RunFiller::new(run, scheme, postings);
    let mut cursors: Vec<_> = buckets.into_iter().map(Cursor::new).collect();
    let mut part = Vec::new();
    let mut kept = 0;
    for number in 0..1u32 << PART_BITS {
        part.clear();
        let end = u64::from(number + 1) << (KEY_BITS - u32::from(PART_BITS));
        for cursor in &mut cursors {
            cursor.take_below(end, &mut part)?;
        }
        part.retain(|posting| known.contains(posting.1));
        kept += part.len() as u64;
        buffer.part(number, &mut part);
        // Stable, because that makes use of the sorted pieces that the part consists of.
        part.sort();
        part.dedup();
        part.retain(|posting| known.contains(posting.1));
        filling.add(&part)?;
    }
    // What the cursors left out, of documents that were signed again, counts as well.
    Ok((filling.finish()?, old.saturating_sub(kept)))
}
