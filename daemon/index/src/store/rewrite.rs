//! Rewriting the records online: all that lives is copied into a new generation of their database,
//! which then becomes the current one, and the room that the old one took is given back.
//!
//! Records are copied in the order of their keys, a part at a time under the lock that batches take. A
//! batch that is applied between two parts goes into the old database and, for keys that were copied
//! already, into the new one as well. So both hold the same below the key that comes next, and at the end
//! everywhere. Readers wait for nothing; batches wait for a part, and at the end, as commits do, while the
//! new database is closed, opened and made power-safe. Cut anywhere before its mark is removed this has
//! changed nothing; after that it is done ([`super::generation`]).

use std::ops::ControlFlow;
use std::sync::Arc;

use ::sled::IVec;

use super::copy::check_room;
use super::engine::Engine;
use super::fill::{self, CACHE_WHILE_FILLED};
use super::generation::{Generation, Unfinished};
use super::records::Records;
use super::recovery::Cleaning;
use super::{RecordStore as _, StoreError, Write};
use crate::Cancel;

/// Bytes after which a part ends, whatever is left of its records.
const MOST_BYTES: usize = 4 << 20;
/// What the new database takes at least: its log, a snapshot.
const LEAST_ROOM: u64 = 16 << 20;
/// Records between two looks at whether to go on counting.
const LOOK_EVERY: u64 = 4096;

/// How far a rewriting came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A part is copied next. Batches may be applied.
    Copying,
    /// All parts are copied. Batches may be applied.
    Copied,
    /// The new database is power-safe and not yet current.
    PowerSafe,
    /// The new database is current, and the old one still there. It cannot be stopped any more.
    Current,
}

/// A rewriting under way.
#[derive(Debug)]
pub(super) struct Rewriting {
    engine: Arc<Engine>,
    copied: Copied,
    /// Why it cannot be completed.
    failed: Option<StoreError>,
}

/// Which records the new database has.
#[derive(Debug)]
enum Copied {
    /// Those whose keys come before this one.
    Before(Vec<u8>),
    All,
}

impl Copied {
    fn has(&self, key: &[u8]) -> bool {
        match self {
            Self::Before(next) => key < next.as_slice(),
            Self::All => true,
        }
    }
}

impl Rewriting {
    fn begin(generation: Generation) -> Result<Self, StoreError> {
        generation.begin()?;
        let engine = Engine::open(generation, CACHE_WHILE_FILLED, Cleaning::WhileWriting)?;
        Ok(Self {
            engine: Arc::new(engine),
            copied: Copied::Before(Vec::new()),
            failed: None,
        })
    }

    /// The writes of a batch whose keys were copied already.
    pub(super) fn to_mirror(&self, batch: &[Write]) -> Vec<Write> {
        let is_copied = |write: &&Write| match write {
            Write::Put { key, .. } | Write::Delete { key } => self.copied.has(key),
        };
        batch.iter().filter(is_copied).cloned().collect()
    }

    /// Applies them to the new database. A failure ends the rewriting and nothing else.
    pub(super) fn mirror(&mut self, writes: Vec<Write>, was_applied: bool) {
        let mirrored = match was_applied {
            true if writes.is_empty() => Ok(()),
            true => self.engine.records.apply(writes),
            false => Err(StoreError::Engine("a batch failed".to_owned())),
        };
        if let Err(error) = mirrored {
            self.leak();
            self.failed.get_or_insert(error);
        }
    }

    /// Copies the next part; says whether that was the last.
    fn copy_part(&mut self, old: &Engine, at_once: usize) -> Result<bool, StoreError> {
        self.check()?;
        let Copied::Before(start) = &self.copied else {
            return Ok(true);
        };
        let (mut entries, mut bytes) = (Vec::new(), 0);
        let mut next = Copied::All;
        old.records.walk(start, &mut |key, sealed| {
            if entries.len() == at_once || bytes > MOST_BYTES {
                next = Copied::Before(key.to_vec());
                return Ok(ControlFlow::Break(()));
            }
            old.records.unseal(key, sealed)?;
            bytes += key.len() + sealed.len();
            entries.push((IVec::from(key), sealed.clone()));
            Ok(ControlFlow::Continue(()))
        })?;
        let appended = fill::append(&self.engine.records, &entries);
        appended
            .inspect_err(|_| self.leak())
            .map_err(not_rewritten)?;
        self.copied = next;
        Ok(matches!(self.copied, Copied::All))
    }

    fn check(&mut self) -> Result<(), StoreError> {
        self.failed
            .take()
            .map_or(Ok(()), |why| Err(not_rewritten(why)))
    }

    /// Has the new database, which failed to write, never be closed. Closing flushes, and after a large value
    /// that could not be written the engine waits for ever there, under a lock of all its databases.
    fn leak(&self) {
        std::mem::forget(Arc::clone(&self.engine));
    }

    /// The new database, power-safe and opened as it will be used. The engine writes the snapshot that
    /// makes an opening fast only when it opens; and of an engine that dropped the end of its log the
    /// number of the last commit, which is written last, would be missing.
    fn into_power_safe(self, last: u64, cache_bytes: u64) -> Result<Engine, StoreError> {
        let generation = self.engine.generation.clone();
        self.engine.write_commit(last)?;
        match Arc::into_inner(self.engine) {
            Some(engine) => engine.close()?,
            None => return Err(StoreError::Engine("it is still being synced".to_owned())),
        }
        let engine = Engine::open(generation, cache_bytes, Cleaning::InBackground)?;
        if engine.last_commit()? != last {
            let reason = "the rewritten records lost their end".to_owned();
            return Err(StoreError::Damaged { reason });
        }
        engine.sync()?;
        Ok(engine)
    }
}

impl Records {
    /// Rewrites the records where they take more than `least` bytes of disk and twice what lives; says
    /// whether that was done.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] and [`StoreError::NotRewritten`] where it could not be done and nothing was
    /// changed.
    pub(super) fn compact(&self, least: u64, cancel: &Cancel) -> Result<bool, StoreError> {
        let engine = self.current();
        let allocated = engine.generation.allocated();
        let count = || live_bytes(&engine, cancel);
        let Some(live) = self.sizes.is_due(allocated, least, count)? else {
            return Ok(false);
        };
        check_room(engine.generation.store(), live / 4 * 5 + LEAST_ROOM)?;
        drop(engine);
        let done = self.rewrite(fill::AT_ONCE, &mut |_| cancel.check().is_ok());
        if !matches!(done, Ok(false)) {
            self.sizes.tried(live);
        }
        done
    }

    /// Rewrites the records, `at_once` at a time, as long as `go_on` says so; says whether that was done.
    pub(super) fn rewrite(
        &self,
        at_once: usize,
        go_on: &mut dyn FnMut(Step) -> bool,
    ) -> Result<bool, StoreError> {
        let Ok(_one_at_a_time) = self.rewriting.try_lock() else {
            return Ok(false);
        };
        let generation = self.current().generation.next();
        let begun = Rewriting::begin(generation.clone()).map_err(not_rewritten);
        let begun = begun.map(|rewriting| *self.lock_for_step() = Some(rewriting));
        let copied = begun.and_then(|()| self.copy(at_once, go_on));
        let old = copied.and_then(|is_whole| match is_whole {
            true => self.switch(&generation, go_on),
            false => Ok(None),
        });
        if !matches!(old, Ok(Some(_))) {
            drop(self.lock_for_step().take());
            generation.abandon();
        }
        // Closed, and its files removed, by whoever reads it last.
        Ok(old?.is_some())
    }

    /// Copies part after part; false where it was stopped.
    fn copy(
        &self,
        at_once: usize,
        go_on: &mut dyn FnMut(Step) -> bool,
    ) -> Result<bool, StoreError> {
        let engine = loop {
            if !go_on(Step::Copying) {
                return Ok(false);
            }
            let mut writing = self.lock_for_step();
            let Some(rewriting) = &mut *writing else {
                return Ok(false);
            };
            if rewriting.copy_part(&self.current(), at_once)? {
                break Arc::clone(&rewriting.engine);
            }
        };
        // So that little is left to be written while others wait.
        engine.sync().map_err(not_rewritten)?;
        Ok(go_on(Step::Copied))
    }

    /// Makes the new generation the current one; returns the database of the old, none where it was
    /// stopped. Batches and commits wait.
    fn switch(
        &self,
        generation: &Generation,
        go_on: &mut dyn FnMut(Step) -> bool,
    ) -> Result<Option<Arc<Engine>>, StoreError> {
        let mut writing = self.lock_for_step();
        let last = self.lock_commits();
        let Some(mut rewriting) = writing.take() else {
            return Ok(None);
        };
        rewriting.check()?;
        // What was written may not be what is read.
        self.current().durable.check()?;
        let engine = rewriting.into_power_safe(*last, self.cache_bytes);
        let engine = engine.map_err(not_rewritten)?;
        if !go_on(Step::PowerSafe) {
            return Ok(None);
        }
        match generation.finish() {
            Ok(()) => {}
            Err(Unfinished::AsBefore(error)) => return Err(not_rewritten(error)),
            Err(Unfinished::Unknown) => return Err(self.current().durable.fail()),
        }
        go_on(Step::Current);
        let old = self.replace(engine);
        old.supersede();
        Ok(Some(old))
    }
}

/// Bytes of all records with their keys; none where it was stopped.
fn live_bytes(engine: &Engine, cancel: &Cancel) -> Result<Option<u64>, StoreError> {
    let (mut bytes, mut records, mut is_stopped) = (0, 0_u64, false);
    engine.records.walk(&[], &mut |key, sealed| {
        bytes += (key.len() + sealed.len()) as u64;
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
