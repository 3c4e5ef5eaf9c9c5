//! One run of postings: a database of sled, filled in the order of keys and then only read.
//!
//! The last block marks the end of the run: a sled that mistakes damage for a torn tail of its log, and drops what
//! follows, has lost it. It holds the number of blocks, since damage earlier in the log loses others and not this one,
//! and the id of the run.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ::sled::{Db, IVec};
use simdex_schema::RunId;

use super::blocks::{Blocks, BlocksOfRun};
use crate::safe_fs;
use crate::store::files::{files, sync_dir, sync_file};
use crate::store::sled_support::fill::{self, AT_ONCE, CACHE_WHILE_FILLED};
use crate::store::sled_support::recovery::{LastHandle, from_sled, guarded, open_db};
use crate::store::sled_support::seal::{TreeId, seal};
use crate::store::sled_support::tree::SledTree;
use crate::store::{Block, MAX_VALUE, PostingRun, StoreError};

/// A run, open for reading.
#[derive(Debug)]
pub(in crate::store) struct SledRun {
    // Fields drop in this order.
    pub(in crate::store) blocks: SledTree,
    db: Db,
    handle: LastHandle,
    id: Option<RunId>,
    kept: KeptOfRun,
}

/// What is cached in memory of a run.
#[derive(Debug)]
pub(in crate::store) struct KeptOfRun {
    /// Recently looked-up blocks.
    pub(in crate::store) blocks: BlocksOfRun,
    /// Posting lists of other blocks.
    pub(in crate::store) lists: BlocksOfRun,
}

/// How often a block is asked for when it is looked up. sled notes the uses of leaves in 256 queues, and drops leaves that
/// exceed its cache only once 64 uses are in a queue: of leaves used once each, 8,192 would stay beside the cache of each
/// run, some 140 MB. Used more often, they fill the queues sooner.
const USES: usize = 8;

/// Key of the block that ends a run; no other block has it.
const END: &[u8] = &[0xff];

/// The content of the block that ends a run.
#[derive(Debug)]
struct End {
    blocks: u64,
    /// `None` before format 7.
    id: Option<RunId>,
}

impl End {
    fn encode(&self) -> Vec<u8> {
        let id = self.id.map_or(Vec::new(), |id| id.0.to_vec());
        [self.blocks.to_le_bytes().to_vec(), id].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (blocks, id) = bytes.split_first_chunk()?;
        let id = match id.is_empty() {
            true => None,
            false => Some(RunId(id.try_into().ok()?)),
        };
        Some(Self {
            blocks: u64::from_le_bytes(*blocks),
            id,
        })
    }
}

impl SledRun {
    /// Opens a run that was finished.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if its end is missing.
    pub(in crate::store) fn open(
        dir: &Path,
        number: u32,
        cache_bytes: u64,
        kept: KeptOfRun,
    ) -> Result<Self, StoreError> {
        let mut run = Self::open_unfinished(dir, number, cache_bytes, kept)?;
        run.id = run.end()?.id;
        Ok(run)
    }

    fn open_unfinished(
        dir: &Path,
        number: u32,
        cache_bytes: u64,
        kept: KeptOfRun,
    ) -> Result<Self, StoreError> {
        let (db, handle) = open_db(dir, cache_bytes)?;
        let blocks = SledTree::open(&db, dir, TreeId::Postings(number), handle.writes())?;
        Ok(Self {
            blocks,
            db,
            handle,
            id: None,
            kept,
        })
    }

    fn end(&self) -> Result<End, StoreError> {
        let end = self.blocks.read(END)?;
        let end = end.and_then(|end| End::decode(&end));
        end.ok_or_else(|| damaged("a run of postings has lost its end"))
    }

    /// Verifies the checksum of every block; returns their number.
    pub(in crate::store) fn verify(&self) -> Result<u64, StoreError> {
        let blocks = self.end()?.blocks;
        match self.blocks.verify()?.checked_sub(1) {
            Some(found) if found == blocks => Ok(found),
            _ => Err(damaged("a run of postings has lost blocks")),
        }
    }
}

impl PostingRun for SledRun {
    fn id(&self) -> Option<RunId> {
        self.id
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.blocks.read(key)
    }

    fn look_up(&self, key: &[u8]) -> Result<Option<Block>, StoreError> {
        if let Some(block) = self.kept_block(key) {
            return Ok(Some(block));
        }
        let Some(sealed) = self.blocks.read_sealed_often(key, USES)? else {
            return Ok(None);
        };
        let block = Block::from(self.blocks.unseal(key, &sealed)?);
        self.kept.blocks.keep(key, &block);
        Ok(Some(block))
    }

    fn kept_block(&self, key: &[u8]) -> Option<Block> {
        self.kept.blocks.get(key)
    }

    fn kept_list(&self, key: &[u8]) -> Option<Block> {
        self.kept.lists.get(key)
    }

    fn keep_list(&self, key: &[u8], list: &[u8]) {
        self.kept.lists.keep(key, &Block::from(list));
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
pub(in crate::store) struct Builder {
    run: SledRun,
    dir: PathBuf,
    number: u32,
    end: End,
    /// Keys and sealed blocks.
    waiting: Vec<(IVec, IVec)>,
}

impl Builder {
    /// Begins in a directory that must not exist yet.
    pub(in crate::store) fn new(dir: &Path, number: u32, id: RunId) -> Result<Self, StoreError> {
        safe_fs::create_dir(dir).map_err(StoreError::io("create", dir))?;
        Ok(Self {
            run: SledRun::open_unfinished(dir, number, CACHE_WHILE_FILLED, none_kept())?,
            end: End {
                blocks: 0,
                id: Some(id),
            },
            dir: dir.into(),
            number,
            waiting: Vec::with_capacity(AT_ONCE),
        })
    }

    pub(in crate::store) fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError> {
        let tree = TreeId::Postings(self.number);
        tree.check_len(block, MAX_VALUE)?;
        self.end.blocks += 1;
        let sealed = seal(tree, key, block);
        self.waiting.push((key.into(), sealed.into()));
        if self.waiting.len() == AT_ONCE {
            self.write_waiting()?;
        }
        Ok(())
    }

    fn write_waiting(&mut self) -> Result<(), StoreError> {
        fill::append(&self.run.blocks, &self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Writes the rest and closes the run, power-safe except for its name. sled writes the snapshot that makes opening
    /// fast only when it opens, so the run is opened once more.
    pub(in crate::store) fn finish(mut self) -> Result<(), StoreError> {
        self.write_waiting()?;
        self.run.blocks.write(END, &self.end.encode())?;
        let Self {
            run, dir, number, ..
        } = self;
        close(run, &dir)?;
        let reopened = SledRun::open(&dir, number, CACHE_WHILE_FILLED, none_kept())?;
        close(reopened, &dir)?;
        for (path, _) in files(&dir)? {
            sync_file(&path)?;
        }
        sync_dir(&dir)
    }
}

/// Caches nothing: for a run in which nothing is looked up.
fn none_kept() -> KeptOfRun {
    let [blocks, lists] = [0; 2].map(|limit| Blocks::new(limit).of_run());
    KeptOfRun { blocks, lists }
}

fn close(run: SledRun, dir: &Path) -> Result<(), StoreError> {
    guarded(|| run.db.flush())?.map_err(|error| from_sled(dir, error))?;
    let SledRun {
        blocks, db, handle, ..
    } = run;
    guarded(move || drop((blocks, db)))?;
    handle.close(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of calls by which this thread has read files so far.
    fn read_calls() -> u64 {
        let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
        let calls = io.lines().find_map(|line| line.strip_prefix("syscr: "));
        calls.unwrap().parse().unwrap()
    }

    #[test]
    fn a_leaf_is_read_with_one_entry_of_the_log() {
        const BLOCKS: u32 = 2 * AT_ONCE as u32;
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("000001");
        let block = |n: u32| [n.to_le_bytes(); 300].concat();
        let mut builder = Builder::new(&dir, 1, RunId([8; 16])).unwrap();
        for n in 0..BLOCKS {
            builder.put(&n.to_be_bytes(), &block(n)).unwrap();
        }
        builder.finish().unwrap();
        let run = SledRun::open(&dir, 1, 1 << 20, none_kept()).unwrap();
        assert_eq!(run.verify().unwrap(), u64::from(BLOCKS));
        // Far apart, so that each is in a leaf that was not read recently.
        let asked = (0..BLOCKS).step_by(40);
        let (leaves, before) = (asked.len() as u64, read_calls());
        for n in asked {
            assert_eq!(run.get(&n.to_be_bytes()).unwrap(), Some(block(n)));
        }
        let calls = read_calls() - before;
        // The header of an entry and its body; some leaves of an index, and those at the end of a batch.
        assert!(calls <= leaves * 3, "{calls} calls for {leaves} leaves");
        drop(run);
    }

    #[test]
    fn leaves_that_were_looked_up_do_not_stay_beside_the_cache() {
        /// Leaves for each of sled's queues: fewer than the uses at which it empties one.
        const OF_QUEUE: u32 = 24;
        const OF_LEAF: u32 = 8;
        const BLOCKS: u32 = 256 * OF_QUEUE * OF_LEAF;
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("000001");
        let mut builder = Builder::new(&dir, 1, RunId([8; 16])).unwrap();
        for n in 0..BLOCKS {
            builder.put(&n.to_be_bytes(), &[7; 60]).unwrap();
        }
        builder.finish().unwrap();
        let run = SledRun::open(&dir, 1, 1 << 18, none_kept()).unwrap();
        let look_up = |blocks: std::ops::Range<u32>| {
            let before = read_calls();
            for n in blocks.step_by(OF_LEAF as usize) {
                assert!(run.look_up(&n.to_be_bytes()).unwrap().is_some());
            }
            read_calls() - before
        };
        look_up(0..BLOCKS);
        // The first half was dropped, and is read again, each leaf with one call at least.
        let half = BLOCKS / 2;
        let calls = look_up(0..half);
        assert!(calls >= u64::from(half / OF_LEAF), "{calls} calls");
    }

    #[test]
    fn a_run_of_before_has_no_id_and_is_read() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("000001");
        for id in [Some(RunId([8; 16])), None] {
            let mut builder = Builder::new(&dir, 1, RunId::default()).unwrap();
            builder.put(b"key", b"block").unwrap();
            builder.end.id = id;
            builder.finish().unwrap();
            let run = SledRun::open(&dir, 1, 1 << 20, none_kept()).unwrap();
            assert_eq!((run.id(), run.verify().unwrap()), (id, 1));
            drop(run);
            std::fs::remove_dir_all(&dir).unwrap();
        }
        assert!(End::decode(&[1; 9]).is_none() && End::decode(&[1; 7]).is_none());
    }
}
