//! The records of a store on disk: the current generation of its database, one commit after another,
//! and a new generation while records are rewritten ([`self::rewrite`]).
//!
//! Readers take the current database and use it until they are done, whatever becomes current meanwhile. Locks are
//! taken in the order `backlog`, `last_commit`, `current`.

pub(super) mod backlog;
pub(super) mod layers;
pub(super) mod pack;
pub(super) mod parts;
pub(super) mod records_db;
pub(super) mod rewrite;
pub(super) mod sizes;
pub(super) mod summed;

use std::cmp::Reverse;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use self::backlog::RewriteBacklog;
use self::records_db::{RecordsDb, UNFINISHED_COMMIT};
use self::sizes::Sizes;
use super::directory::clean::Closed;
use super::directory::generation::Generation;
use super::directory::lock::Anchor;
use super::directory::witness::{RecordsId, Witness, Witnessed};
use super::files::len_at;
use super::short_memory::memory_was_short;
use super::{RecordStore, StoreError, VisitEntry, Write, random_id};

/// All records of a store.
#[derive(Debug)]
pub(super) struct Records {
    /// Locked for each batch; holds what batches changed, while records are rewritten.
    backlog: Mutex<Option<RewriteBacklog>>,
    /// Notified when changes were taken, or are no longer kept.
    pub(super) taken: Condvar,
    /// Locked while records are rewritten.
    pub(super) rewriting: Mutex<()>,
    /// Number of the last commit; locked during a commit.
    last_commit: Mutex<u64>,
    witness: Witness,
    /// Identifies these records in all their generations.
    pub(super) id: RecordsId,
    /// The lock of the store.
    pub(super) lock: Anchor,
    current: RwLock<Arc<RecordsDb>>,
    pub(super) sizes: Sizes,
    /// How often rewriting failed since the store was opened.
    pub(super) failures: AtomicU32,
    pub(super) cache_bytes: u64,
}

impl Records {
    /// Opens the records of a store, creating them if absent. The caller holds the lock of the store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if sled finds them corrupt, knows fewer commits than were made, or knows those of
    /// another store.
    pub(super) fn open(store: &Path, lock: &Anchor, cache_bytes: u64) -> Result<Self, StoreError> {
        let witness = Witness::open(store)?;
        let witnessed = witness.read()?;
        let (records_db, last) = open_likeliest(store, lock, witnessed, cache_bytes)?;
        let id = match records_db.id()? {
            Some(id) => id,
            None => {
                let id = random_id()?;
                records_db.write_id(id)?;
                id
            }
        };
        if records_db.generation.is_marked()? {
            records_db.sync()?;
        }
        // Only now is it certain that nothing needs them.
        records_db
            .generation
            .keep_alone(witnessed.names_records())?;
        Ok(Self {
            backlog: Mutex::default(),
            taken: Condvar::new(),
            rewriting: Mutex::default(),
            last_commit: Mutex::new(last),
            witness,
            id,
            lock: lock.clone(),
            current: RwLock::new(Arc::new(records_db)),
            sizes: Sizes::default(),
            failures: AtomicU32::new(0),
            cache_bytes,
        })
    }

    /// Makes everything applied before power-safe.
    pub(super) fn commit(&self) -> Result<(), StoreError> {
        let mut last = self.lock_commits();
        let number = *last + 1;
        let records_db = self.current();
        records_db.write_commit(number)?;
        records_db.sync()?;
        // By now sled holds it power-safe.
        self.witness.name(self.id)?;
        self.witness.write(number)?;
        *last = number;
        Ok(())
    }

    /// Verifies the checksum of every record, and that none is missing; returns their number. Batches wait.
    pub(super) fn verify(&self) -> Result<u64, StoreError> {
        let _batches_wait = self.lock_backlog();
        self.current().records.verify()
    }

    /// Closes the database; everything must be committed. Returns what was closed once sled has released its files.
    pub(super) fn close(self) -> Result<Closed, StoreError> {
        let (id, commits) = (self.id, *self.lock_commits());
        let current = self.current.into_inner();
        let Some(records_db) = Arc::into_inner(current.unwrap_or_else(PoisonError::into_inner))
        else {
            return Err(StoreError::Internal(
                "the records are still being read".to_owned(),
            ));
        };
        let db = records_db.generation.db();
        records_db.close()?;
        Ok(Closed {
            id,
            commits,
            db_bytes: len_at(&db)?.unwrap_or(0),
        })
    }

    /// Whether these are the records that were closed, with the same last commit.
    pub(super) fn is_same_as(&self, closed: &Closed) -> bool {
        (self.id, *self.lock_commits()) == (closed.id, closed.commits)
    }

    /// The database to read, and to write under the lock of writes.
    pub(super) fn current(&self) -> Arc<RecordsDb> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes everybody read and write another database; returns the former one.
    pub(super) fn replace(&self, records_db: RecordsDb) -> Arc<RecordsDb> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, Arc::new(records_db))
    }

    /// What batches changed while records are rewritten; no batch is applied until it is unlocked.
    pub(super) fn lock_backlog(&self) -> MutexGuard<'_, Option<RewriteBacklog>> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks out other batches, for a batch.
    fn lock_for_batch(&self) -> MutexGuard<'_, Option<RewriteBacklog>> {
        let is_full = |backlog: &mut Option<RewriteBacklog>| {
            backlog.as_ref().is_some_and(RewriteBacklog::is_full)
        };
        let backlog = self.taken.wait_while(self.lock_backlog(), is_full);
        backlog.unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the last commit; no commit is made until it is unlocked.
    pub(super) fn lock_commits(&self) -> MutexGuard<'_, u64> {
        self.last_commit
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the most likely generation that is complete; returns its last commit too. If there are several, all of one is
/// read before it is accepted, because its opening removes the others, or sets them aside.
///
/// # Errors
/// What the most likely of all lacks, if none is complete.
fn open_likeliest(
    store: &Path,
    lock: &Anchor,
    witnessed: Witnessed,
    cache_bytes: u64,
) -> Result<(RecordsDb, u64), StoreError> {
    let (mut refused, mut candidates) = (None, Generation::candidates(store)?);
    let is_alone = candidates.len() == 1;
    if !is_alone && witnessed.commits == 0 {
        candidates = by_commits(candidates, lock, cache_bytes)?;
    }
    for generation in candidates {
        let dir = generation.dir();
        let opened = open_whole(generation, lock, witnessed, cache_bytes);
        let opened = opened.and_then(|(records_db, last)| match (is_alone, last) {
            (true, _) => Ok((records_db, last)),
            (false, 0) => Err(damaged("they record no commit, and others do")),
            (false, _) => records_db.records.verify().map(|_| (records_db, last)),
        });
        match opened {
            // A panic because of short memory says nothing about these records.
            Err(error) if !is_alone && memory_was_short() => return Err(error.for_want_of_memory()),
            Err(error @ (StoreError::Damaged { .. } | StoreError::Corrupt { .. })) => {
                tracing::warn!(%error, dir = %dir.display(), "a directory of records is incomplete");
                refused.get_or_insert(error);
            }
            opened => return opened,
        }
    }
    Err(refused.unwrap_or_else(|| damaged("there are no records")))
}

/// Sorts generations by the commits that they know, most first: if nothing else says what the last commit was, the one
/// that knows most of them knows it.
///
/// # Errors
/// If one cannot be opened now and is not damaged: it may be the right one.
fn by_commits(
    candidates: Vec<Generation>,
    lock: &Anchor,
    cache_bytes: u64,
) -> Result<Vec<Generation>, StoreError> {
    let mut known = Vec::new();
    for generation in candidates {
        let opened = RecordsDb::open(generation.clone(), lock, cache_bytes);
        let commits = opened.and_then(|records_db| {
            let last = records_db.last_commit()?;
            records_db.close().map(|()| last)
        });
        let commits = match commits {
            Ok(UNFINISHED_COMMIT)
            | Err(StoreError::Damaged { .. } | StoreError::Corrupt { .. }) => 0,
            commits => commits?,
        };
        known.push((commits, generation));
    }
    known.sort_by_key(|(commits, _)| Reverse(*commits));
    Ok(known
        .into_iter()
        .map(|(_, generation)| generation)
        .collect())
}

/// Opens a generation that knows every witnessed commit, and is not another store's.
fn open_whole(
    generation: Generation,
    lock: &Anchor,
    witnessed: Witnessed,
    cache_bytes: u64,
) -> Result<(RecordsDb, u64), StoreError> {
    let is_marked = generation.is_marked()?;
    let records_db = RecordsDb::open(generation, lock, cache_bytes)?;
    let (last, id) = (records_db.last_commit()?, records_db.id()?);
    let witnessed_commits = witnessed.commits;
    let reason = match last {
        UNFINISHED_COMMIT => "they were never copied to their end".to_owned(),
        0 if is_marked => "their copy was never finished".to_owned(),
        _ if last < witnessed_commits => {
            let first = last + 1;
            format!("sled lost commits {first} to {witnessed_commits}")
        }
        _ if witnessed.id.is_some() && witnessed.id != id => {
            "they are the records of another store".to_owned()
        }
        _ => return Ok((records_db, last)),
    };
    Err(StoreError::Damaged { reason })
}

fn damaged(reason: &str) -> StoreError {
    let reason = reason.to_owned();
    StoreError::Damaged { reason }
}

impl RecordStore for Records {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.current().records.get(key)
    }

    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.sizes.count(&batch);
        let mut backlog = self.lock_for_batch();
        let to_keep = backlog.as_ref().map(|backlog| backlog.to_keep(&batch));
        let applied = self.current().records.apply(batch);
        if let (Some(backlog), Some(to_keep)) = (&mut *backlog, to_keep) {
            backlog.keep(to_keep, applied.is_ok());
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
