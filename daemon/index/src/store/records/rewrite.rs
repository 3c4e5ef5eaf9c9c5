//! Rewrites the records online: all live records are copied into a new generation of their database, which then becomes
//! the current one, and the disk space of the old one is freed.
//!
//! Records are read in the order of their keys, a part at a time, and packed ([`super::pack`]). Readers and batches
//! continue in the old database; what batches change among the keys that were read is kept ([`super::backlog`]) and
//! written after each part. At the end, while batches and commits wait, the new database lacks only the last changes:
//! these are written, and the database is closed, opened and made power-safe. If this is interrupted before its mark is
//! removed, nothing has changed; after that it is done (`directory::generation`).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Records;
use super::backlog::RewriteBacklog;
use super::records_db::{RecordsDb, UNFINISHED_COMMIT};
use crate::Cancel;
use crate::store::directory::generation::{Generation, Unfinished};
use crate::store::directory::lock::Anchor;
use crate::store::directory::witness::RecordsId;
use crate::store::files::check_room;
use crate::store::sled_support::fill::CACHE_WHILE_FILLED;
use crate::store::{RecordStore as _, StoreError, Write};

mod copied_range;

use copied_range::CopiedRange;

/// Bytes of packs in a part: temporary data written for it must fill segments of its own, half a megabyte each, for
/// sled to reuse them.
pub(in crate::store) const PART_BYTES: usize = 3 << 20;
/// Minimum size of the new database: its log, a snapshot, and temporary data of a part.
const MIN_ROOM: u64 = 32 << 20;
/// Records between two checks whether to continue counting.
const LOOK_EVERY: u64 = 4096;
/// Writes in a batch to the new database: readers of the old one wait while sled applies it.
const BATCH: usize = 1024;
/// Changes of up to this many bytes are written while batches wait.
const FEW_BYTES: usize = 64 << 10;
/// After this many failures no more are risked: each may leave a database open, with its cache and its file
/// ([`crate::store::sled_support::recovery::LastHandle::abandon`]).
const MAX_FAILURES: u32 = 8;
/// How often changes are written before batches wait, even if many more keep coming.
const MAX_ROUNDS: usize = 8;

/// How far a rewrite has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum RewriteStage {
    /// A part is copied next. Batches may be applied.
    Copying,
    /// A part was read and not yet written. Batches may be applied.
    Read,
    /// All parts are copied, and the new database is power-safe except for what is changed now.
    Copied,
    /// The new database is power-safe, with all changes, and not yet current. Batches wait.
    PowerSafe,
    /// The new database is current, and the old one still exists. It can no longer be stopped.
    Current,
}

/// The new database, while only one thread has it.
struct Target(RecordsDb);

impl Target {
    fn open(generation: Generation, lock: &Anchor) -> Result<Self, StoreError> {
        RecordsDb::open(generation, lock, CACHE_WHILE_FILLED).map(Self)
    }

    /// Does something with the database; if that fails, the database is dropped.
    fn with(
        self,
        work: impl FnOnce(&RecordsDb) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        match work(&self.0) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.0.abandon();
                Err(not_rewritten(error))
            }
        }
    }

    /// Adds a part, whose keys follow all existing ones.
    fn append(self, part: &CopiedRange) -> Result<Self, StoreError> {
        self.with(|records_db| records_db.records.append(&part.packs, &part.of_long))
    }

    /// Applies some changes. It does not matter that the writes of a batch are applied one after another, as nobody
    /// sees any before all are there.
    fn apply(self, changes: Vec<Write>) -> Result<Self, StoreError> {
        let mut rest = changes.into_iter();
        self.with(|records_db| {
            loop {
                let batch: Vec<_> = rest.by_ref().take(BATCH).collect();
                match batch.is_empty() {
                    true => return Ok(()),
                    false => records_db.records.apply(batch)?,
                }
            }
        })
    }

    /// Notes the id of the records and the number of the last commit, closes the database, and opens it again: sled
    /// writes the snapshot that makes opening fast only when it opens.
    ///
    /// # Errors
    /// If sled dropped the end of its log: the number, which was written last, is then missing.
    fn reopen(
        self,
        lock: &Anchor,
        (id, last): (RecordsId, u64),
        cache_bytes: u64,
    ) -> Result<RecordsDb, StoreError> {
        let generation = self.0.generation.clone();
        let noted = |records_db: &RecordsDb| {
            records_db
                .write_id(id)
                .and_then(|()| records_db.write_commit(last))
        };
        let Self(records_db) = self.with(noted)?;
        let reopened = records_db
            .close()
            .and_then(|()| RecordsDb::reopen(generation, lock, cache_bytes));
        let records_db = reopened.map_err(not_rewritten)?;
        match records_db.last_commit() {
            Ok(found) if found == last => Ok(records_db),
            Ok(_) => {
                let reason = "the rewritten records lost their end".to_owned();
                Err(not_rewritten(StoreError::Damaged { reason }))
            }
            Err(error) => Err(not_rewritten(error)),
        }
    }
}

/// Buffers changes of batches until it is dropped.
struct BacklogGuard<'a>(&'a Records);

impl<'a> BacklogGuard<'a> {
    fn begin(records: &'a Records) -> Self {
        *records.lock_backlog() = Some(RewriteBacklog::new());
        Self(records)
    }

    fn with<T>(&self, work: impl FnOnce(&mut RewriteBacklog) -> T) -> Result<T, StoreError> {
        let mut backlog = self.0.lock_backlog();
        let kept = backlog.as_mut().map(work);
        self.0.taken.notify_all();
        kept.ok_or_else(|| StoreError::Internal("changes are not kept any more".to_owned()))
    }

    /// What was changed since the last call.
    fn take(&self) -> Result<Vec<Write>, StoreError> {
        self.with(RewriteBacklog::take)?.map_err(not_rewritten)
    }
}

impl Drop for BacklogGuard<'_> {
    fn drop(&mut self) {
        *self.0.lock_backlog() = None;
        self.0.taken.notify_all();
    }
}

impl Records {
    /// Rewrites the records if they take more than `min_bytes` bytes of disk and more than twice their live bytes;
    /// returns whether that was done.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] and [`StoreError::NotRewritten`] if it could not be done and nothing was changed.
    pub(in crate::store) fn compact(
        &self,
        min_bytes: u64,
        cancel: &Cancel,
    ) -> Result<bool, StoreError> {
        let records_db = self.current();
        let allocated = records_db.generation.allocated();
        let count = || live_bytes(&records_db, cancel);
        let Some(live) = self.sizes.live_if_due(allocated, min_bytes, count)? else {
            return Ok(false);
        };
        check_room(records_db.generation.store(), live / 2 * 3 + MIN_ROOM)?;
        drop(records_db);
        if self.failures.load(Ordering::Relaxed) >= MAX_FAILURES {
            let reason = format!("it failed {MAX_FAILURES} times; the next start tries again");
            return Err(not_rewritten(StoreError::Internal(reason)));
        }
        let done = self.rewrite(PART_BYTES, &mut |_| cancel.check().is_ok());
        match &done {
            Ok(true) => self.sizes.rewritten(live),
            Ok(false) => {}
            Err(_) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        done
    }

    /// Rewrites the records, about `part_bytes` at a time, as long as `go_on` returns true; returns whether that was
    /// done.
    pub(in crate::store) fn rewrite(
        &self,
        part_bytes: usize,
        go_on: &mut dyn FnMut(RewriteStage) -> bool,
    ) -> Result<bool, StoreError> {
        let Ok(_one_at_a_time) = self.rewriting.try_lock() else {
            return Ok(false);
        };
        let current = self.current();
        current.durable.check_place()?;
        let generation = current.generation.next();
        drop(current);
        let keeping = BacklogGuard::begin(self);
        let copied = self.copy(&keeping, &generation, part_bytes, go_on);
        let old = copied.and_then(|target| match target {
            Some(target) => self.switch(target, &generation, go_on),
            None => Ok(None),
        });
        drop(keeping);
        // Files in a store that was put here meanwhile are not ours.
        if !matches!(old, Ok(Some(_))) && self.lock.check().is_ok() {
            generation.abandon();
        }
        // The last reader closes it and removes its files.
        Ok(old?.is_some())
    }

    /// Copies part after part; `None` if it was stopped.
    fn copy(
        &self,
        keeping: &BacklogGuard<'_>,
        generation: &Generation,
        part_bytes: usize,
        go_on: &mut dyn FnMut(RewriteStage) -> bool,
    ) -> Result<Option<Target>, StoreError> {
        generation.begin().map_err(not_rewritten)?;
        let mut target = Target::open(generation.clone(), &self.lock).map_err(not_rewritten)?;
        let mut next = Some(Vec::new());
        while let Some(start) = next {
            if !go_on(RewriteStage::Copying) {
                return Ok(None);
            }
            keeping.with(RewriteBacklog::read_on)?;
            let part = CopiedRange::read(&self.current(), &start, part_bytes)?;
            if let Some(next) = &part.next {
                keeping.with(|backlog| backlog.read_until(next))?;
            }
            if !go_on(RewriteStage::Read) {
                return Ok(None);
            }
            target = target.append(&part)?.apply(keeping.take()?)?;
            next = part.next;
        }
        // Another number than the last: the second time it must have been written again.
        let reopened =
            target.reopen(&self.lock, (self.id, UNFINISHED_COMMIT), CACHE_WHILE_FILLED)?;
        let target = catch_up(Target(reopened), keeping)?;
        Ok(go_on(RewriteStage::Copied).then_some(target))
    }

    /// Makes the new generation the current one; returns the database of the old one, `None` if it was stopped. Batches
    /// and commits wait.
    fn switch(
        &self,
        target: Target,
        generation: &Generation,
        go_on: &mut dyn FnMut(RewriteStage) -> bool,
    ) -> Result<Option<Arc<RecordsDb>>, StoreError> {
        let mut backlog = self.lock_backlog();
        let last = self.lock_commits();
        // What is read may differ from what was written.
        self.current().durable.check()?;
        let Some(kept) = backlog.as_mut().map(RewriteBacklog::take) else {
            return Ok(None);
        };
        let target = target.apply(kept.map_err(not_rewritten)?)?;
        let records_db = target.reopen(&self.lock, (self.id, *last), self.cache_bytes)?;
        records_db.sync().map_err(not_rewritten)?;
        if !go_on(RewriteStage::PowerSafe) {
            return Ok(None);
        }
        self.current().durable.check_place()?;
        match generation.finish() {
            Ok(()) => {}
            Err(Unfinished::AsBefore(error)) => return Err(not_rewritten(error)),
            Err(Unfinished::Unknown) => return Err(self.current().durable.fail()),
        }
        go_on(RewriteStage::Current);
        *backlog = None;
        let old = self.replace(records_db);
        old.supersede(&self.lock);
        Ok(Some(old))
    }
}

/// Writes what was changed meanwhile, until little is left or the amount no longer falls.
fn catch_up(mut target: Target, keeping: &BacklogGuard<'_>) -> Result<Target, StoreError> {
    for _ in 0..MAX_ROUNDS {
        if keeping.with(|backlog| backlog.bytes())? <= FEW_BYTES {
            break;
        }
        target = target.apply(keeping.take()?)?;
    }
    Ok(target)
}

/// Bytes of all records with their keys; `None` if it was stopped.
fn live_bytes(records_db: &RecordsDb, cancel: &Cancel) -> Result<Option<u64>, StoreError> {
    let (mut bytes, mut records, mut is_stopped) = (0, 0_u64, false);
    records_db.records.walk(&[], &mut |key, value| {
        bytes += (key.len() + value.len()) as u64;
        records += 1;
        is_stopped = records.is_multiple_of(LOOK_EVERY) && cancel.check().is_err();
        Ok(match is_stopped {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    Ok((!is_stopped).then_some(bytes))
}

fn not_rewritten(source: StoreError) -> StoreError {
    StoreError::NotRewritten {
        source: Box::new(source),
    }
}

#[cfg(test)]
mod tests;
