//! Posting lists of some keys, and the pairs that they count for.

use std::ops::Range;

use simdex_signature::Rung;

use super::Join;
use super::documents::{Documents, Kept, NO_TURN};
use crate::{Cancel, IndexError};

/// Documents counted between two checks for cancellation.
const AT_ONCE: u32 = 256;

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

/// Pairs by the turn of the document that comes first, as they were counted: in a block for each thread, since a
/// common list would be a copy of them.
#[derive(Default)]
pub(super) struct OpenPairs {
    /// Blocks of adjacent turns, from the first turn on.
    blocks: Vec<PairBlock>,
}

/// The pairs of adjacent turns.
struct PairBlock {
    first_turn: usize,
    pairs: Vec<OpenPair>,
    /// Where the pairs of each turn end.
    ends: Vec<usize>,
}

impl PairBlock {
    fn turns(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, turn: usize) -> Range<usize> {
        let nth = turn - self.first_turn;
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[nth]
    }

    /// Ends the pairs of the next turn.
    fn end_turn(&mut self) {
        self.ends.push(self.pairs.len());
    }
}

impl OpenPairs {
    /// No pairs, for this many turns.
    pub(super) fn none(turns: usize) -> Self {
        let block = PairBlock {
            first_turn: 0,
            pairs: Vec::new(),
            ends: vec![0; turns],
        };
        Self {
            blocks: vec![block],
        }
    }

    /// What was found, from the first turn on. If one share was not finished, those after it have no meaning.
    pub(super) fn of_shares(shares: Vec<TurnShare>) -> Self {
        let done = shares.iter().take_while(|share| share.is_done()).count();
        let whole = shares.into_iter().take(done + 1);
        let blocks = whole.map(|share| share.found);
        Self {
            // One without turns would hide the one before it.
            blocks: blocks.filter(|block| block.turns() > 0).collect(),
        }
    }

    pub(super) fn turns(&self) -> usize {
        self.blocks.iter().map(PairBlock::turns).sum()
    }

    /// Number of pairs of all turns.
    pub(super) fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.pairs.len()).sum()
    }

    /// The index of the block that has a turn.
    fn at(&self, turn: usize) -> usize {
        let begun = self
            .blocks
            .partition_point(|block| block.first_turn <= turn);
        begun - 1
    }

    pub(super) fn of(&self, turn: usize) -> &[OpenPair] {
        let block = &self.blocks[self.at(turn)];
        &block.pairs[block.range(turn)]
    }

    pub(super) fn of_mut(&mut self, turn: usize) -> &mut [OpenPair] {
        let at = self.at(turn);
        let block = &mut self.blocks[at];
        let range = block.range(turn);
        &mut block.pairs[range]
    }

    /// Releases memory that was reserved for more pairs.
    pub(super) fn release_unused(&mut self) {
        let blocks = self.blocks.iter_mut();
        blocks.for_each(|block| block.pairs.shrink_to_fit());
    }

    /// Keeps those of the first turns.
    pub(super) fn truncate(&mut self, turns: usize) {
        self.blocks.retain(|block| block.first_turn < turns);
        if let Some(last) = self.blocks.last_mut() {
            last.ends.truncate(turns - last.first_turn);
            last.pairs.truncate(last.ends.last().copied().unwrap_or(0));
        }
    }
}

/// Posting lists, reduced to the documents whose postings may matter.
#[derive(Default)]
pub(super) struct Segment {
    members: Vec<u32>,
    /// Where each list ends.
    ends: Vec<u32>,
    /// Maximum number of pairs of members.
    work: u64,
}

impl Segment {
    /// Bytes that a member takes, here and in [`Forward`].
    pub(super) const EACH: u64 = 12;
    /// Pairs of members counted before documents are checked again for whether they begin further pairs.
    const MAX_WORK: u64 = 1 << 25;

    /// Adds the active documents of one key, if one of them has one of the first turns.
    pub(super) fn add(&mut self, documents: &Documents, turns: usize, members: &[u32]) {
        let start = self.members.len();
        let kept = |place: &u32| &documents.kept[*place as usize];
        let active = members.iter().filter(|place| kept(place).is_active);
        self.members.extend(active);
        let length = (self.members.len() - start) as u64;
        let has_turn = |place: &u32| (kept(place).turn as usize) < turns;
        let is_needed = length >= 2 && self.members[start..].iter().any(has_turn);
        match is_needed {
            false => self.members.truncate(start),
            true => {
                self.ends.push(self.members.len() as u32);
                self.work += length * length / 2;
            }
        }
    }

    pub(super) fn is_full(&self, max_members: usize) -> bool {
        self.members.len() >= max_members || self.work >= Self::MAX_WORK
    }

    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.ends.clear();
        self.work = 0;
    }

    fn list(&self, at: u32) -> &[u32] {
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        &self.members[start as usize..self.ends[at as usize] as usize]
    }
}

/// The lists of a segment by the turn of each document that is in them.
pub(super) struct Forward {
    ends: Vec<u32>,
    lists: Vec<u32>,
}

impl Forward {
    pub(super) fn of(segment: &Segment, documents: &Documents, turns: usize) -> Self {
        let turn = |place: u32| {
            let turn = documents.kept[place as usize].turn as usize;
            (turn < turns).then_some(turn)
        };
        let mut ends = vec![0; turns];
        let with_turns = segment.members.iter().filter_map(|place| turn(*place));
        with_turns.for_each(|turn| ends[turn] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // Where its lists begin, until they are filled in.
            sum += std::mem::replace(end, sum);
        }
        let mut lists = vec![0; sum as usize];
        for list in 0..segment.ends.len() as u32 {
            for turn in segment.list(list).iter().filter_map(|place| turn(*place)) {
                lists[ends[turn] as usize] = list;
                ends[turn] += 1;
            }
        }
        Self { ends, lists }
    }

    fn of_turn(&self, turn: usize) -> &[u32] {
        let start = turn.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.lists[start as usize..self.ends[turn] as usize]
    }

    /// The turn that splits the work in halves.
    pub(super) fn middle(&self) -> usize {
        let half = self.lists.len() as u32 / 2;
        self.ends.partition_point(|end| *end < half)
    }
}

/// Adjacent turns whose pairs are counted by one thread, and what was found for the first of them.
pub(super) struct TurnShare {
    turns: Range<usize>,
    found: PairBlock,
}

impl TurnShare {
    pub(super) fn new(turns: Range<usize>) -> Self {
        let found = PairBlock {
            first_turn: turns.start,
            pairs: Vec::new(),
            ends: Vec::with_capacity(turns.len()),
        };
        Self { turns, found }
    }

    /// Whether all turns were counted.
    pub(super) fn is_done(&self) -> bool {
        self.found.turns() == self.turns.len()
    }
}

/// Counts the pairs of some turns in a segment.
pub(super) struct Counting<'a> {
    join: &'a Join<'a>,
    forward: &'a Forward,
    share: &'a mut TurnShare,
    /// Maximum number of pairs.
    max_pairs: usize,
    /// For each document, the index of its pair among those of the present turn, plus one.
    at: Vec<u32>,
}

impl<'a> Counting<'a> {
    pub(super) fn new(
        join: &'a Join<'a>,
        forward: &'a Forward,
        share: &'a mut TurnShare,
        max_pairs: usize,
    ) -> Self {
        Self {
            join,
            forward,
            share,
            max_pairs,
            at: vec![0; join.documents.len()],
        }
    }

    /// Counts until all turns are done, or the pairs of the next one have no room.
    pub(super) fn run(&mut self, cancel: &Cancel) -> Result<(), IndexError> {
        let mut open = Vec::new();
        let first = self.share.turns.start + self.share.found.turns();
        for (nth, turn) in (0..).zip(first..self.share.turns.end) {
            if nth % AT_ONCE == 0 {
                cancel.check()?;
            }
            let place = self.join.places[turn];
            if place == NO_TURN {
                self.share.found.end_turn();
                continue;
            }
            open.extend_from_slice(self.join.open.of(turn));
            self.count(turn, &mut open);
            open.iter()
                .for_each(|pair| self.at[pair.other as usize] = 0);
            open.retain_mut(|pair| self.join.may_reach(place, pair));
            let found = &mut self.share.found;
            if found.pairs.len() + open.len() > self.max_pairs {
                return Ok(());
            }
            found.pairs.append(&mut open);
            found.end_turn();
        }
        Ok(())
    }

    fn count(&mut self, turn: usize, open: &mut Vec<OpenPair>) {
        let kept = &self.join.documents.kept;
        let own = self.join.places[turn];
        let of_own = kept[own as usize];
        for (at, pair) in (1..).zip(open.iter()) {
            self.at[pair.other as usize] = at;
        }
        for list in self.forward.of_turn(turn) {
            for other in self.join.segment.list(*list) {
                let at = &mut self.at[*other as usize];
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
