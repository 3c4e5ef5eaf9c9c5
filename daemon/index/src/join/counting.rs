//! Counting what open pairs share in a segment, block by block, on two threads if a second one is available.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use simdex_signature::Rung;

use super::Join;
use super::documents::{Kept, NO_TURN};
use super::open_pairs::{OpenPair, OpenPairs, PairBlock};
use super::segment::Forward;
use crate::two_threads::each_on_two_threads;
use crate::{GrowingPermit, IndexError, MemoryAccount};

/// Documents counted between two checks for cancellation.
const AT_ONCE: usize = 256;

/// A block that is counted anew, turn by turn.
struct BlockCount {
    block: PairBlock,
    /// What was found for its first turns.
    found: OpenPairs,
}

impl BlockCount {
    fn of(block: PairBlock) -> Self {
        Self {
            block,
            found: OpenPairs::default(),
        }
    }

    /// The next turn that is to be counted.
    fn next_turn(&self) -> Option<usize> {
        self.block.turns().nth(self.found.turns())
    }

    /// Drops the later half of the turns that were not counted; returns whether there was more than one.
    fn give_way(&mut self) -> bool {
        let counted = self.found.turns();
        let left = self.block.turns().len() - counted;
        self.block.truncate(counted + left.div_ceil(2));
        left > 1
    }

    /// Number of pairs that are still needed: of turns that were counted, what was found.
    fn pairs(&self) -> usize {
        let left = self.block.turns().skip(self.found.turns());
        left.map(|turn| self.block.of(turn).len()).sum::<usize>() + self.found.len()
    }
}

/// What is reused from block to block. A thread has one while it counts.
struct Scratch {
    /// For each document, the index of its pair among those of the present turn, plus one.
    at: Vec<u32>,
    /// The pairs of the present turn.
    open: Vec<OpenPair>,
    /// A permit for these, and for the block that they are from where that is one large turn.
    held: GrowingPermit,
}

/// The scratch memory that no thread uses.
#[derive(Default)]
pub(super) struct ScratchPool(Mutex<Vec<Scratch>>);

impl ScratchPool {
    fn take(&self, documents: usize, account: &MemoryAccount) -> Scratch {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.unwrap_or_else(|| Scratch {
            at: vec![0; documents],
            open: Vec::new(),
            held: GrowingPermit::of(account),
        })
    }

    fn put_back(&self, scratch: Scratch) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(scratch);
    }
}

/// One pass over the blocks.
struct Pass<'a> {
    join: &'a Join<'a>,
    forward: &'a Forward,
    account: &'a MemoryAccount,
    /// Number of pairs held now, and at most.
    pairs: AtomicUsize,
    max_pairs: usize,
    /// Whether there was no room for the pairs of a turn.
    is_full: AtomicBool,
}

impl Join<'_> {
    /// Counts the segment; returns the pairs that are open after it, of the first turns, as many as there is room for.
    pub(super) fn count_pairs(&mut self, account: &MemoryAccount) -> Result<OpenPairs, IndexError> {
        let open = std::mem::take(&mut self.open);
        let forward = Forward::of(&self.segment, &self.documents, open.turns());
        let blocks = open.into_blocks().into_iter();
        let mut blocks: Vec<BlockCount> = blocks.map(BlockCount::of).collect();
        loop {
            self.count_blocks(&forward, &mut blocks, account)?;
            let is_left = |block: &BlockCount| block.next_turn().is_some();
            let Some(first) = blocks.iter().position(is_left) else {
                break;
            };
            if self.room.pairs < self.room.max_pairs {
                self.room.grow(4 * self.room.pairs)?;
                continue;
            }
            // The last turns make room for those before them, and have theirs in a later join.
            let left = blocks.len() - first;
            blocks.truncate(first + left.div_ceil(2));
            if left == 1 && !blocks[first].give_way() {
                break;
            }
        }
        let mut found = OpenPairs::default();
        blocks
            .into_iter()
            .for_each(|block| found.append(block.found));
        Ok(found)
    }

    /// Counts until all blocks are done, or there is no room left.
    fn count_blocks(
        &self,
        forward: &Forward,
        blocks: &mut [BlockCount],
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let pass = Pass {
            join: self,
            forward,
            account,
            pairs: blocks.iter().map(BlockCount::pairs).sum::<usize>().into(),
            max_pairs: self.room.pairs,
            is_full: AtomicBool::new(false),
        };
        let left = blocks
            .iter_mut()
            .filter(|block| block.next_turn().is_some());
        each_on_two_threads("join-2", self.second_thread, left.collect(), &|block| {
            pass.run(block)
        })
    }
}

impl Pass<'_> {
    /// Counts until all turns of the block are done, or there is no room left.
    fn run(&self, block: &mut BlockCount) -> Result<(), IndexError> {
        let pool = &self.join.scratch;
        let mut scratch = pool.take(self.join.documents.len(), self.account);
        let mut turns = 0;
        while let Some(turn) = block.next_turn()
            && !self.is_full.load(Ordering::Relaxed)
        {
            if turns % AT_ONCE == 0 {
                self.account.cancel().check()?;
            }
            turns += 1;
            let before = block.block.of(turn);
            self.count(turn, before, &mut scratch)?;
            let (more, fewer) = (scratch.open.len(), before.len());
            let pairs = self.pairs.fetch_add(more, Ordering::Relaxed) + more - fewer;
            if pairs > self.max_pairs {
                self.is_full.store(true, Ordering::Relaxed);
            }
            if self.is_full.load(Ordering::Relaxed) {
                scratch.open.clear();
                break;
            }
            self.pairs.fetch_sub(fewer, Ordering::Relaxed);
            block
                .found
                .add_turn(turn, &mut scratch.open, &self.join.limits.block);
        }
        if block.next_turn().is_none() {
            block.block = PairBlock::default();
            block.found.release_unused();
        }
        pool.put_back(scratch);
        Ok(())
    }

    /// Counts the pairs of a turn into the scratch memory. `before` are those that were open before the segment.
    fn count(
        &self,
        turn: usize,
        before: &[OpenPair],
        scratch: &mut Scratch,
    ) -> Result<(), IndexError> {
        let own = self.join.places[turn];
        if own == NO_TURN {
            return Ok(());
        }
        let Scratch { at, open, held } = scratch;
        open.extend_from_slice(before);
        for (nth, pair) in (1..).zip(open.iter()) {
            at[pair.other as usize] = nth;
        }
        let kept = &self.join.documents.kept;
        let of_own = kept[own as usize];
        for list in self.forward.of_turn(turn) {
            for other in self.join.segment.list(*list) {
                let at = &mut at[*other as usize];
                if *at > 0 {
                    open[*at as usize - 1].shared += 1;
                } else if is_new(&of_own, &kept[*other as usize]) {
                    open.push(OpenPair {
                        other: *other,
                        shared: 1,
                        min_shared: 0,
                    });
                    *at = open.len() as u32;
                }
            }
        }
        open.iter().for_each(|pair| at[pair.other as usize] = 0);
        let needed = (2 * open.capacity() * size_of::<OpenPair>()) as u64;
        if needed > held.bytes() {
            held.add(needed - held.bytes())?;
        }
        open.retain_mut(|pair| self.join.may_reach(own, pair));
        Ok(())
    }
}

/// Whether a pair begins if both have a posting. Each is counted from the side whose turn comes first.
fn is_new(own: &Kept, other: &Kept) -> bool {
    other.turn > own.turn && own.may_begin(other)
}

impl Join<'_> {
    /// Whether a pair may still share as much as it must.
    fn may_reach(&self, place: u32, pair: &mut OpenPair) -> bool {
        let (a, b) = (
            &self.documents.kept[place as usize],
            &self.documents.kept[pair.other as usize],
        );
        // What the coarser one has not read yet is at the common rung; for the finer one that is not known.
        let unread = match a.rung.cmp(&b.rung) {
            std::cmp::Ordering::Equal => a.unread().min(b.unread()),
            std::cmp::Ordering::Less => b.unread(),
            std::cmp::Ordering::Greater => a.unread(),
        };
        if pair.min_shared == 0 {
            pair.min_shared = self.min_shared(place, pair.other, a.rung.max(b.rung));
        }
        pair.shared.saturating_add(unread) >= pair.min_shared
    }

    /// What two documents must share at their common rung; more than there is if nothing would suffice.
    fn min_shared(&self, a: u32, b: u32, rung: Rung) -> u32 {
        let count = |place: u32| {
            let kept = &self.documents.kept[place as usize];
            match kept.rung == rung {
                true => Some(u64::from(kept.count)),
                false => {
                    let state = self.postings.shared.state();
                    let stats = state.table.get(self.documents.id(place))?;
                    Some(u64::from(stats.counts[usize::from(rung.get())]))
                }
            }
        };
        let counts = count(a).zip(count(b));
        let min_shared = counts.and_then(|(a, b)| self.cuts.min_at_common(a, b, rung));
        min_shared
            .and_then(|min_shared| u32::try_from(min_shared).ok())
            .unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::join::open_pairs::BlockLimits;

    #[test]
    fn a_block_gives_way_turn_by_turn_and_keeps_what_was_counted() {
        let pair = OpenPair {
            other: 1,
            shared: 1,
            min_shared: 1,
        };
        let limits = BlockLimits {
            turns: 8,
            pairs: 1 << 20,
        };
        let mut open = OpenPairs::default();
        (0..6).for_each(|turn| open.add_turn(turn, &mut vec![pair; turn], &limits));
        let mut block = BlockCount::of(open.into_blocks().pop().unwrap());
        assert_eq!((block.pairs(), block.next_turn()), (15, Some(0)));
        block.found.add_turn(0, &mut vec![pair; 9], &limits);
        // Five turns were not counted: 1 and 2, and 3 of those after them.
        assert!(block.give_way());
        assert_eq!(block.block.turns(), 0..4);
        assert_eq!(block.pairs(), 9 + 1 + 2 + 3);
        assert!(block.give_way());
        assert!(block.give_way());
        assert_eq!((block.block.turns(), block.next_turn()), (0..2, Some(1)));
        assert!(!block.give_way());
        assert_eq!((block.pairs(), block.next_turn()), (10, Some(1)));
    }
}
