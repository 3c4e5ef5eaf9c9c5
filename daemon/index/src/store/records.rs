//! The records of a store on disk: the current generation of its database, one commit after another,
//! and a new generation while records are rewritten ([`super::rewrite`]).
//!
//! Readers take the current database and read it to the end of what they do, whatever becomes current
//! meanwhile. Locks are taken in the order `writing`, `last`, `current`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::engine::Engine;
use super::generation::Generation;
use super::recovery::Cleaning;
use super::rewrite::Rewriting;
use super::sizes::Sizes;
use super::witness::Witness;
use super::{RecordStore, StoreError, VisitEntry, Write};

/// All records of a store.
#[derive(Debug)]
pub(super) struct Records {
    /// Locked for each batch, and for each step of a rewriting.
    writing: Mutex<Option<Rewriting>>,
    /// Locked while records are rewritten.
    pub(super) rewriting: Mutex<()>,
    /// Batches that wait for the lock: a rewriting lets them go first.
    waiting: AtomicUsize,
    /// Number of the last commit; locked while one is made.
    last: Mutex<u64>,
    witness: Witness,
    current: RwLock<Arc<Engine>>,
    pub(super) sizes: Sizes,
    pub(super) cache_bytes: u64,
}

impl Records {
    /// Opens the records of a store, creating them if absent. The caller holds the lock of the store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the engine finds them corrupt, or knows fewer commits than were made.
    pub(super) fn open(store: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let generation = Generation::alone(store)?;
        let engine = Engine::open(generation, cache_bytes, Cleaning::InBackground)?;
        let witness = Witness::open(store)?;
        let (last, witnessed) = (engine.last_commit()?, witness.read()?);
        if last < witnessed {
            let reason = format!("the engine lost commits {} to {witnessed}", last + 1);
            return Err(StoreError::Damaged { reason });
        }
        Ok(Self {
            writing: Mutex::default(),
            rewriting: Mutex::default(),
            waiting: AtomicUsize::default(),
            last: Mutex::new(last),
            witness,
            current: RwLock::new(Arc::new(engine)),
            sizes: Sizes::default(),
            cache_bytes,
        })
    }

    /// Makes all that was applied before power-safe.
    pub(super) fn commit(&self) -> Result<(), StoreError> {
        let mut last = self.lock_commits();
        let number = *last + 1;
        let engine = self.current();
        engine.write_commit(number)?;
        engine.sync()?;
        self.witness.write(number)?;
        *last = number;
        Ok(())
    }

    /// Closes the engine; everything must be committed. Returns once it let go of its files.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let current = self.current.into_inner();
        match Arc::into_inner(current.unwrap_or_else(PoisonError::into_inner)) {
            Some(engine) => engine.close(),
            None => Err(StoreError::Engine("it is still being read".to_owned())),
        }
    }

    /// The database to read, and to write under the lock of writes.
    pub(super) fn current(&self) -> Arc<Engine> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Has everybody read and write another database; returns the one before.
    pub(super) fn replace(&self, engine: Engine) -> Arc<Engine> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, Arc::new(engine))
    }

    /// Locks out writes, for a batch.
    fn lock_writes(&self) -> MutexGuard<'_, Option<Rewriting>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let writing = self.writing.lock();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        writing.unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks out writes, for a step of a rewriting: after those that wait already.
    pub(super) fn lock_for_step(&self) -> MutexGuard<'_, Option<Rewriting>> {
        while self.waiting.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks out commits.
    pub(super) fn lock_commits(&self) -> MutexGuard<'_, u64> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordStore for Records {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.current().records.get(key)
    }

    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.sizes.count(&batch);
        let mut writing = self.lock_writes();
        let to_mirror = writing
            .as_ref()
            .map(|rewriting| rewriting.to_mirror(&batch));
        let applied = self.current().records.apply(batch);
        if let (Some(rewriting), Some(to_mirror)) = (&mut *writing, to_mirror) {
            rewriting.mirror(to_mirror, applied.is_ok());
        }
        applied
    }

    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError> {
        self.current().records.scan(prefix, from, visit)
    }
}
