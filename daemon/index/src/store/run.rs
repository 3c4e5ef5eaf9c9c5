//! One run of postings: a database of the engine, filled in the order of keys and then only read.
//!
//! The engine cuts a leaf in two once it has more than 16 values and writes both halves anew. Filled
//! plainly in the order of keys it writes each value four times, and 1.8 bytes stay on disk for each
//! that lives. So keys come first, with nothing under them, some thousands at a time: leaves are cut
//! while they are small, the values are written into leaves that stay as they are, and 1.17 bytes stay.
//!
//! The last block is the end of the run: an engine that takes damage for a torn tail of its log, and
//! drops what follows, has lost it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ::sled::Db;

use super::durable::{files, sync_dir, sync_file};
use super::recovery::{Cleaning, LastHandle, from_engine, guarded, open_engine};
use super::seal::TreeId;
use super::tree::SledTree;
use super::{MAX_VALUE, PostingRun, StoreError};
use crate::safe_fs;

/// Cache while a run is built, which writes each page once or twice.
const CACHE_WHILE_BUILT: u64 = 16 << 20;
/// Blocks whose keys are put down before their values.
const AT_ONCE: usize = 4096;

/// A run, open for reading.
#[derive(Debug)]
pub(super) struct SledRun {
    // Fields drop in this order.
    pub(super) blocks: SledTree,
    db: Db,
    last: LastHandle,
}

/// Key of the number of blocks, which ends a run; no block has it.
const END: &[u8] = &[0xff];

impl SledRun {
    /// Opens a run that was finished.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if its end is not there.
    pub(super) fn open(dir: &Path, number: u32, cache_bytes: u64) -> Result<Self, StoreError> {
        let run = Self::open_unfinished(dir, number, cache_bytes)?;
        run.len()?;
        Ok(run)
    }

    fn open_unfinished(dir: &Path, number: u32, cache_bytes: u64) -> Result<Self, StoreError> {
        let db = open_engine(dir, cache_bytes, Cleaning::WhileWriting)?;
        let blocks = SledTree::open(&db, dir, TreeId::Postings(number))?;
        let last = LastHandle::of(&db);
        Ok(Self { blocks, db, last })
    }

    /// How many blocks it has, as its end says.
    fn len(&self) -> Result<u64, StoreError> {
        let end = self.blocks.read(END)?.and_then(|end| end.try_into().ok());
        let end = end.map(u64::from_le_bytes);
        end.ok_or_else(|| damaged("a run of postings has lost its end"))
    }

    /// Verifies the checksum of every block; returns their number.
    pub(super) fn verify(&self) -> Result<u64, StoreError> {
        let blocks = self.len()?;
        match self.blocks.verify()?.checked_sub(1) {
            Some(found) if found == blocks => Ok(found),
            _ => Err(damaged("a run of postings has lost blocks")),
        }
    }
}

impl PostingRun for SledRun {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.blocks.read(key)
    }

    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.blocks.walk(&[], &mut |key, _sealed| match key == END {
            true => Ok(ControlFlow::Break(())),
            false => Ok(visit(key)),
        })
    }
}

fn damaged(reason: &str) -> StoreError {
    StoreError::Damaged {
        reason: reason.to_owned(),
    }
}

/// A run being filled.
#[derive(Debug)]
pub(super) struct Builder {
    run: SledRun,
    dir: PathBuf,
    number: u32,
    blocks: u64,
    waiting: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Builder {
    /// Begins in a directory that is not there yet.
    pub(super) fn new(dir: &Path, number: u32) -> Result<Self, StoreError> {
        safe_fs::create_dir(dir).map_err(StoreError::io("create", dir))?;
        Ok(Self {
            run: SledRun::open_unfinished(dir, number, CACHE_WHILE_BUILT)?,
            blocks: 0,
            dir: dir.into(),
            number,
            waiting: Vec::with_capacity(AT_ONCE),
        })
    }

    pub(super) fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError> {
        TreeId::Postings(self.number).check_len(block, MAX_VALUE)?;
        self.blocks += 1;
        self.waiting.push((key.to_vec(), block.to_vec()));
        if self.waiting.len() == AT_ONCE {
            self.write_waiting()?;
        }
        Ok(())
    }

    fn write_waiting(&mut self) -> Result<(), StoreError> {
        let blocks = &self.run.blocks;
        for (key, _) in &self.waiting {
            blocks.put_as_it_is(key, Vec::new())?;
        }
        for (key, block) in self.waiting.drain(..) {
            blocks.write(&key, &block)?;
        }
        Ok(())
    }

    /// Writes the rest and closes the run, power-safe but for its name. The engine writes the snapshot
    /// that makes an opening fast only when it opens, so it is opened once more.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        self.write_waiting()?;
        self.run.blocks.write(END, &self.blocks.to_le_bytes())?;
        let Self {
            run, dir, number, ..
        } = self;
        close(run, &dir)?;
        close(SledRun::open(&dir, number, CACHE_WHILE_BUILT)?, &dir)?;
        for (path, _) in files(&dir)? {
            sync_file(&path)?;
        }
        sync_dir(&dir)
    }
}

fn close(run: SledRun, dir: &Path) -> Result<(), StoreError> {
    guarded(|| run.db.flush())?.map_err(|error| from_engine(dir, error))?;
    let SledRun { blocks, db, last } = run;
    guarded(move || drop((blocks, db)))?;
    last.close(dir)
}
