//! Posting lists of some keys, and which of them each document is in.

use super::documents::JoinDocuments;

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
    pub(super) fn add(&mut self, documents: &JoinDocuments, turns: usize, members: &[u32]) {
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

    pub(super) fn list(&self, at: u32) -> &[u32] {
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
    pub(super) fn of(segment: &Segment, documents: &JoinDocuments, turns: usize) -> Self {
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

    pub(super) fn of_turn(&self, turn: usize) -> &[u32] {
        let start = turn.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.lists[start as usize..self.ends[turn] as usize]
    }
}
