//! Caches of recently looked-up blocks of runs and, separately, of parts of blocks.
//!
//! sled reads and caches whole leaves of nine blocks, of which a look-up needs one, and counts each leaf as the next
//! power of two of its bytes. For random look-ups of fingerprints a cache of single blocks holds some ten times as many
//! useful ones in the same memory, and returns one without a copy. So most of the memory for runs is here, and sled
//! caches little more than the index above its leaves. A block in turn holds some hundred lists, of which a look-up
//! needs one: if there are more blocks than fit, only the list that was asked for stays.
//!
//! Each shard has a lock of its own, which is held for a moment. What is dropped is drawn at random; a block that was
//! used since it was last drawn stays, and another is drawn. If requests ask again and again for more than fits,
//! dropping by age would drop each block shortly before it is asked for, and every look-up would miss.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::store::Block;

/// Bits of the number of shards.
const SHARD_BITS: u32 = 4;
/// Approximate bytes of a block in addition to its content: its counts, and its entries in the list and the map.
const OVERHEAD: usize = 112;
/// Spreads the ascending keys over the shards.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
/// The generator that draws blocks (Knuth, MMIX): a factor and an increment modulo 2^64.
const LOT: (u64, u64) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);

/// Length of the keys of cached blocks.
const KEY_LEN: usize = 8;

/// A run, and the key of a block in it.
type Key = (u32, u64);

/// Blocks of all runs, limited in bytes.
#[derive(Debug)]
pub(in crate::store) struct Blocks {
    shards: [Mutex<Shard>; 1 << SHARD_BITS],
    limit: usize,
    /// Bytes cached in all shards.
    held: AtomicUsize,
    /// Number of runs that were numbered so far.
    runs: AtomicU32,
}

#[derive(Debug, Default)]
struct Shard {
    kept: FxHashMap<Key, Kept>,
    /// Keys of the cached blocks, to draw from.
    order: Vec<Key>,
    lot: u64,
    held: usize,
}

/// All that a look-up needs is here: if many are cached, each further memory access would take as long as the rest.
#[derive(Debug)]
struct Kept {
    block: Block,
    /// Its index in the order.
    place: usize,
    was_used: bool,
}

/// Bytes that caching a block takes.
fn bytes(block: &Block) -> usize {
    block.len() + OVERHEAD
}

/// The blocks of one run.
#[derive(Debug)]
pub(in crate::store) struct BlocksOfRun {
    all: Arc<Blocks>,
    run: u32,
}

impl Blocks {
    /// Caches at most this many bytes.
    pub(in crate::store) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self {
            shards: Default::default(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            held: AtomicUsize::default(),
            runs: AtomicU32::default(),
        })
    }

    /// The blocks of a run that was just opened; no other run shares them, whatever its number.
    pub(in crate::store) fn of_run(self: &Arc<Self>) -> BlocksOfRun {
        BlocksOfRun {
            run: self.runs.fetch_add(1, Ordering::Relaxed),
            all: Arc::clone(self),
        }
    }

    /// Bytes cached, and the limit.
    pub(in crate::store) fn weight(&self) -> (u64, u64) {
        (self.held.load(Ordering::Relaxed) as u64, self.limit as u64)
    }

    fn shard(&self, key: Key) -> MutexGuard<'_, Shard> {
        let mixed = (key.1 ^ u64::from(key.0)).wrapping_mul(MIX);
        let shard = &self.shards[(mixed >> (u64::BITS - SHARD_BITS)) as usize];
        // Nothing below panics between two changes that belong together.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BlocksOfRun {
    /// The block under a key, if it is cached.
    pub(in crate::store) fn get(&self, key: &[u8]) -> Option<Block> {
        let key = self.key(key)?;
        let mut shard = self.all.shard(key);
        let kept = shard.kept.get_mut(&key)?;
        kept.was_used = true;
        Some(Arc::clone(&kept.block))
    }

    /// Caches the block under a key.
    pub(in crate::store) fn keep(&self, key: &[u8], block: &Block) {
        let Some(key) = self.key(key) else { return };
        let limit = self.all.limit >> SHARD_BITS;
        let mut shard = self.all.shard(key);
        let before = shard.held;
        shard.keep(key, block, limit);
        let (after, held) = (shard.held, &self.all.held);
        match after.checked_sub(before) {
            Some(more) => held.fetch_add(more, Ordering::Relaxed),
            None => held.fetch_sub(before - after, Ordering::Relaxed),
        };
    }

    fn key(&self, key: &[u8]) -> Option<Key> {
        let key: [u8; KEY_LEN] = key.try_into().ok()?;
        Some((self.run, u64::from_be_bytes(key)))
    }
}

impl Shard {
    fn keep(&mut self, key: Key, block: &Block, limit: usize) {
        let bytes = bytes(block);
        // Another reader may have cached it meanwhile.
        if bytes > limit || self.kept.contains_key(&key) {
            return;
        }
        while self.held + bytes > limit {
            self.drop_one();
        }
        self.held += bytes;
        let kept = Kept {
            block: Arc::clone(block),
            place: self.order.len(),
            was_used: false,
        };
        self.order.push(key);
        self.kept.insert(key, kept);
    }

    /// Drops a block that was not used since it was last drawn.
    fn drop_one(&mut self) {
        let key = loop {
            let drawn = self.draw();
            let Some(key) = self.order.get(drawn).copied() else {
                return;
            };
            let kept = self.kept.get_mut(&key);
            if !kept.is_some_and(|kept| std::mem::take(&mut kept.was_used)) {
                break key;
            }
        };
        let Some(dropped) = self.kept.remove(&key) else {
            return;
        };
        self.held -= bytes(&dropped.block);
        self.order.swap_remove(dropped.place);
        let moved = self.order.get(dropped.place);
        if let Some(moved) = moved.and_then(|moved| self.kept.get_mut(moved)) {
            moved.place = dropped.place;
        }
    }

    /// A random index among the cached ones; 0 if there is none.
    fn draw(&mut self) -> usize {
        self.lot = self.lot.wrapping_mul(LOT.0).wrapping_add(LOT.1);
        // The upper bits are the random ones.
        ((self.lot >> 32) % self.order.len().max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 1_000;

    fn block(n: u64) -> Block {
        n.to_le_bytes().repeat(LEN / 8).into()
    }

    fn keep(blocks: &BlocksOfRun, n: u64) {
        blocks.keep(&n.to_be_bytes(), &block(n));
    }

    fn get(blocks: &BlocksOfRun, n: u64) -> Option<Block> {
        blocks.get(&n.to_be_bytes())
    }

    /// Blocks that fit in a shard in the tests, and in all together.
    const IN_SHARD: usize = 100;
    const MOST: u64 = (IN_SHARD << SHARD_BITS) as u64;

    fn blocks() -> Arc<Blocks> {
        Blocks::new(MOST * (LEN + OVERHEAD) as u64)
    }

    /// Looks a block up as a run does; returns whether it was cached.
    fn look_up(blocks: &BlocksOfRun, n: u64) -> bool {
        let found = get(blocks, n);
        assert!(found.as_ref().is_none_or(|found| *found == block(n)));
        if found.is_none() {
            keep(blocks, n);
        }
        found.is_some()
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_used_stays() {
        let (blocks, mut found) = (blocks(), 0);
        let run = blocks.of_run();
        for n in 1..40_000 {
            look_up(&run, n);
            found += u64::from(look_up(&run, 0));
            let (bytes, limit) = blocks.weight();
            assert!(bytes <= limit);
        }
        assert!(found > 39_900, "used each time, and found {found} times");
        for shard in &blocks.shards {
            let shard = shard.lock().unwrap();
            let held: usize = shard.kept.values().map(|kept| bytes(&kept.block)).sum();
            assert_eq!((held, shard.kept.len()), (shard.held, shard.order.len()));
            assert_eq!(shard.kept.len(), IN_SHARD);
        }
    }

    #[test]
    fn of_more_than_is_kept_a_part_is_found_each_time_round() {
        let blocks = blocks();
        let run = blocks.of_run();
        let asked = MOST * 5 / 4;
        let round = || (0..asked).filter(|n| look_up(&run, *n)).count() as u64;
        let mut found = 0;
        for _ in 0..20 {
            found = round();
        }
        assert!(found > asked / 3, "{found} of {asked}");
    }

    #[test]
    fn runs_do_not_see_the_blocks_of_others() {
        let blocks = Blocks::new(1 << 20);
        let (one, other) = (blocks.of_run(), blocks.of_run());
        keep(&one, 7);
        assert_eq!(get(&one, 7), Some(block(7)));
        assert_eq!(get(&other, 7), None);
    }

    #[test]
    fn what_is_too_large_for_a_shard_or_has_another_key_is_not_kept() {
        let blocks = Blocks::new(((LEN + OVERHEAD - 1) << SHARD_BITS) as u64);
        let run = blocks.of_run();
        keep(&run, 1);
        run.keep(b"another", &block(2));
        assert_eq!((get(&run, 1), run.get(b"another")), (None, None));
        assert_eq!(blocks.weight().0, 0);
    }
}
