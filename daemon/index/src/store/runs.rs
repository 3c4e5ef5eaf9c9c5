//! The runs of postings on disk: a directory with one database of sled for each.
//!
//! A log-structured store reclaims space by rewriting the live data, and its file does not shrink by itself. Runs die
//! as a whole, so each has a database of its own: dropping a run removes a directory. A run is built under another name
//! and renamed once it is power-safe, so that leftovers of a crash are recognised by name and never opened.

mod blocks;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use self::blocks::Blocks;
use self::run::{Builder, KeptOfRun, SledRun};
use super::directory::RUNS;
use super::directory::lock::Anchor;
use super::files::{check_room, folders, remove_dir, sync_dir};
use super::{NewRun, PostingRun, PostingStore, RunWriter, StoreError};
use crate::safe_fs;

/// Suffix of the name of a run that is being built.
const UNFINISHED: &str = ".new";
/// Suffix of the name of a run that is being removed.
const DROPPED: &str = ".gone";

/// Bytes that the smallest run takes.
const MIN_ROOM: u64 = 2 << 20;

/// sled gets this fraction of the cache, for the index above its leaves, and single blocks most of the rest.
const CACHE_OF_SLED: u64 = 4;
/// Single posting lists get this fraction of the cache: some twenty of them take as much as a block.
const CACHE_OF_LISTS: u64 = 8;

/// All runs of a store.
#[derive(Debug)]
pub(super) struct RunDatabases {
    dir: PathBuf,
    /// The lock of the store.
    lock: Anchor,
    /// Bytes of the cache that are left to sled, for all runs together.
    cache_bytes: u64,
    blocks: Arc<Blocks>,
    lists: Arc<Blocks>,
    /// Open runs by number; `None` for one that does not open, which counts as missing: its postings are derived.
    open: RwLock<BTreeMap<u32, Option<Arc<SledRun>>>>,
}

impl RunDatabases {
    /// Opens every run below the directory of a store, and removes leftovers of a crash. Calls `about` before it opens
    /// one, with its number.
    ///
    /// # Errors
    /// Not if a run is damaged.
    pub(super) fn open(
        store: &Path,
        lock: &Anchor,
        cache_bytes: u64,
        about: &dyn Fn(u32),
    ) -> Result<Self, StoreError> {
        let dir = store.join(RUNS);
        safe_fs::create_dir(&dir).map_err(StoreError::io("create", &dir))?;
        let (of_sled, of_lists) = (cache_bytes / CACHE_OF_SLED, cache_bytes / CACHE_OF_LISTS);
        let runs = Self {
            dir,
            lock: lock.clone(),
            cache_bytes: of_sled,
            blocks: Blocks::new(cache_bytes - of_sled - of_lists),
            lists: Blocks::new(of_lists),
            open: RwLock::default(),
        };
        let mut numbers = Vec::new();
        for path in folders(&runs.dir)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.ends_with(UNFINISHED) || name.ends_with(DROPPED) {
                remove_dir(&path)?;
            } else if let Ok(number) = name.parse()
                // Under another name it is somebody's copy.
                && runs.path(number) == path
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        for (older, number) in numbers.into_iter().enumerate() {
            about(number);
            match runs.add(number, older) {
                Err(error @ (StoreError::Damaged { .. } | StoreError::Corrupt { .. })) => {
                    tracing::error!(%error, number, "a run of postings does not open");
                    runs.write().insert(number, None);
                }
                added => added?,
            }
        }
        Ok(runs)
    }

    /// Verifies the checksum of every block; returns their number. Calls `about` before it reads a run, with
    /// its number.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] and [`StoreError::Corrupt`] if the run it is reading is damaged.
    pub(super) fn verify(&self, about: &dyn Fn(u32)) -> Result<u64, StoreError> {
        let runs = self.read().clone();
        let verified = runs.into_iter().map(|(number, run)| {
            about(number);
            run.ok_or_else(|| damaged(number))?.verify()
        });
        verified.sum()
    }

    /// Opens a finished run. Each gets half of what is left of sled's cache, the oldest and largest first; so the sum
    /// is bounded, and nobody's share changes while newer runs come and go.
    fn add(&self, number: u32, older: usize) -> Result<(), StoreError> {
        let part = self.cache_bytes >> (older + 1).min(63);
        let kept = KeptOfRun {
            blocks: self.blocks.of_run(),
            lists: self.lists.of_run(),
        };
        let run = SledRun::open(&self.path(number), number, part, kept)?;
        self.write().insert(number, Some(Arc::new(run)));
        Ok(())
    }

    /// Bytes of cached blocks and lists, and the limit.
    pub(super) fn kept_blocks(&self) -> (u64, u64) {
        let (blocks, lists) = (self.blocks.weight(), self.lists.weight());
        (blocks.0 + lists.0, blocks.1 + lists.1)
    }

    pub(super) fn get(&self, number: u32) -> Option<Arc<SledRun>> {
        self.read().get(&number).cloned().flatten()
    }

    fn path(&self, number: u32) -> PathBuf {
        path(&self.dir, number, "")
    }

    fn with_end(&self, number: u32, end: &str) -> PathBuf {
        path(&self.dir, number, end)
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<u32, Option<Arc<SledRun>>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<u32, Option<Arc<SledRun>>>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PostingStore for RunDatabases {
    fn runs(&self) -> Result<Vec<u32>, StoreError> {
        Ok(self.read().keys().copied().collect())
    }

    fn run(&self, number: u32) -> Result<Option<Arc<dyn PostingRun>>, StoreError> {
        Ok(self.get(number).map(|run| run as Arc<dyn PostingRun>))
    }

    fn begin_run(&self, run: NewRun) -> Result<Box<dyn RunWriter + '_>, StoreError> {
        self.lock.check()?;
        let dir = self.with_end(run.number, UNFINISHED);
        remove_dir(&dir)?;
        // sled's overhead above the values; then its log.
        check_room(&self.dir, run.bytes / 4 * 5 + MIN_ROOM)?;
        let mut writing = Writing {
            runs: self,
            number: run.number,
            older: run.older,
            builder: None,
            dir,
        };
        let builder = Builder::new(&writing.dir, run.number, run.id);
        writing.builder = Some(builder.map_err(not_written)?);
        Ok(Box::new(writing))
    }

    fn drop_run(&self, number: u32) -> Result<(), StoreError> {
        self.lock.check()?;
        // Readers of it still have its files open.
        if self.write().remove(&number).is_none() {
            return Ok(());
        }
        remove_run(&self.dir, number)
    }
}

/// Removes a run of a store that nobody has open, after it was found damaged. The caller holds its lock.
pub(super) fn remove_damaged(store: &Path, number: u32) -> Result<(), StoreError> {
    remove_run(&store.join(RUNS), number)
}

fn remove_run(dir: &Path, number: u32) -> Result<(), StoreError> {
    let (from, to) = (path(dir, number, ""), path(dir, number, DROPPED));
    std::fs::rename(&from, &to).map_err(StoreError::io("rename", &from))?;
    sync_dir(dir)?;
    remove_dir(&to)
}

fn path(dir: &Path, number: u32, end: &str) -> PathBuf {
    dir.join(format!("{number:06}{end}"))
}

fn damaged(number: u32) -> StoreError {
    StoreError::Damaged {
        reason: format!("run {number} of the postings does not open"),
    }
}

/// What a full disk means for a run that nothing names yet: it is written again once there is room. Any other error
/// stays what it is.
fn not_written(error: StoreError) -> StoreError {
    match error.is_disk_full() {
        true => StoreError::RunNotWritten {
            source: Box::new(error),
        },
        false => error,
    }
}

/// A run being built.
struct Writing<'a> {
    runs: &'a RunDatabases,
    number: u32,
    older: usize,
    dir: PathBuf,
    builder: Option<Builder>,
}

impl RunWriter for Writing<'_> {
    fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError> {
        match &mut self.builder {
            Some(builder) => builder.put(key, block).map_err(not_written),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), StoreError> {
        self.runs.lock.check()?;
        if let Some(builder) = self.builder.take() {
            builder.finish().map_err(not_written)?;
        }
        self.runs.lock.check()?;
        let path = self.runs.path(self.number);
        let renamed = std::fs::rename(&self.dir, &path);
        renamed.map_err(|error| not_written(StoreError::io("rename", &self.dir)(error)))?;
        sync_dir(&self.runs.dir)?;
        let added = self.runs.add(self.number, self.older).map_err(not_written);
        if let Err(StoreError::RunNotWritten { .. }) = &added {
            // Nothing names it. What cannot be removed is removed when the store next opens.
            let _ = remove_run(&self.runs.dir, self.number);
        }
        added
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        drop(self.builder.take());
        // A finished run has another name by now. What cannot be removed is removed when the store next opens.
        let _ = self.runs.lock.check().and_then(|()| remove_dir(&self.dir));
    }
}
