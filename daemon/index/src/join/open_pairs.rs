//! The pairs of a join that may still reach the threshold, by turn.

use std::ops::Range;

/// Two documents that may reach the threshold.
#[derive(Clone, Copy)]
pub(super) struct OpenPair {
    /// Number of the document that has the later turn.
    pub(super) other: u32,
    /// Number of common postings read.
    pub(super) shared: u32,
    /// What they must share at their common rung; 0 if it was not computed yet.
    pub(super) min_shared: u32,
}

/// Pairs by the turn of the document that comes first. They are kept in blocks, which are counted anew and replaced one
/// by one: then only the pairs of a few blocks are held twice.
#[derive(Default)]
pub(super) struct OpenPairs {
    /// Blocks of adjacent turns, from the first turn on, none without a turn.
    blocks: Vec<PairBlock>,
}

/// Maximum size of a block. One turn may have more pairs.
#[derive(Clone, Copy)]
pub(crate) struct BlockLimits {
    pub(crate) turns: usize,
    pub(crate) pairs: usize,
}

impl BlockLimits {
    pub(super) const USUAL: Self = Self {
        turns: 1 << 10,
        pairs: 1 << 12,
    };
    /// So many blocks at least, where there are as many turns: two threads then end at about the same time.
    const MIN_BLOCKS: usize = 64;

    /// These limits for a join of this many turns.
    pub(super) fn for_turns(self, turns: usize) -> Self {
        Self {
            turns: self.turns.min(turns.div_ceil(Self::MIN_BLOCKS)).max(1),
            ..self
        }
    }
}

/// The pairs of adjacent turns.
#[derive(Default)]
pub(super) struct PairBlock {
    first_turn: usize,
    pairs: Vec<OpenPair>,
    /// Where the pairs of each turn end.
    ends: Vec<u32>,
}

impl PairBlock {
    pub(super) fn turns(&self) -> Range<usize> {
        self.first_turn..self.first_turn + self.ends.len()
    }

    fn range(&self, turn: usize) -> Range<usize> {
        let nth = turn - self.first_turn;
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[nth] as usize
    }

    /// The pairs of a turn of the block.
    pub(super) fn of(&self, turn: usize) -> &[OpenPair] {
        &self.pairs[self.range(turn)]
    }

    /// Keeps the first turns, so many of them.
    pub(super) fn truncate(&mut self, turns: usize) {
        self.ends.truncate(turns);
        let pairs = self.ends.last().map_or(0, |end| *end as usize);
        self.pairs.truncate(pairs);
        self.pairs.shrink_to_fit();
    }

    fn is_full(&self, limits: &BlockLimits) -> bool {
        self.ends.len() >= limits.turns || self.pairs.len() >= limits.pairs
    }
}

impl OpenPairs {
    /// No pairs, for this many turns.
    pub(super) fn none(turns: usize, limits: &BlockLimits) -> Self {
        let mut none = Self::default();
        (0..turns).for_each(|turn| none.add_turn(turn, &mut Vec::new(), limits));
        none
    }

    /// Adds the next turn, and takes its pairs.
    pub(super) fn add_turn(
        &mut self,
        turn: usize,
        pairs: &mut Vec<OpenPair>,
        limits: &BlockLimits,
    ) {
        if self.blocks.last().is_none_or(|last| last.is_full(limits)) {
            self.release_unused();
            self.blocks.push(PairBlock {
                first_turn: turn,
                ..PairBlock::default()
            });
        }
        if let Some(last) = self.blocks.last_mut() {
            last.pairs.append(pairs);
            last.ends.push(last.pairs.len() as u32);
        }
    }

    /// Releases memory that the last block reserved for more pairs.
    pub(super) fn release_unused(&mut self) {
        if let Some(last) = self.blocks.last_mut() {
            last.pairs.shrink_to_fit();
            last.ends.shrink_to_fit();
        }
    }

    pub(super) fn into_blocks(self) -> Vec<PairBlock> {
        self.blocks
    }

    /// Appends the pairs of the turns that follow.
    pub(super) fn append(&mut self, mut next: Self) {
        self.blocks.append(&mut next.blocks);
    }

    pub(super) fn turns(&self) -> usize {
        let ends = |blocks: &[PairBlock]| Some(blocks.last()?.turns().end - blocks[0].first_turn);
        ends(&self.blocks).unwrap_or(0)
    }

    /// Number of pairs of all turns.
    pub(super) fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.pairs.len()).sum()
    }

    /// The turns in order, each with its pairs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &[OpenPair])> {
        let of_block = |block| PairBlock::turns(block).map(|turn| (turn, block.of(turn)));
        self.blocks.iter().flat_map(of_block)
    }

    pub(super) fn of_mut(&mut self, turn: usize) -> &mut [OpenPair] {
        let begun = |block: &PairBlock| block.first_turn <= turn;
        let at = self.blocks.partition_point(begun) - 1;
        let block = &mut self.blocks[at];
        let range = block.range(turn);
        &mut block.pairs[range]
    }
}
