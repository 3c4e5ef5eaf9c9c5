//! A join of documents with one another over their postings, which are read once and in order: all that may be pairs
//! at a threshold, without a look-up for each document.
//!
//! **Which pairs begin.** Keys have one order for all documents: short lists first, by key; then long ones, by
//! length. In it the prefix filter (see [`edges`](crate::edges)) holds for both sides: a fingerprints of which o must
//! be shared, among the first a - o + 1 of both documents stands the first that they share. So a pair begins where
//! both are in their prefixes, and no other ever does. Which rung a posting belongs to its key does not say; of two
//! documents of different rungs the coarser one, all of whose postings are at the common rung, decides alone.
//!
//! **Which are left.** Postings are counted in segments. After each, a pair stays only where what it shares with
//! what was not read yet reaches what it must share. Once nothing begins any more and no pair is left, no more is
//! read. So what remains at the end shares enough of the samples, and is decided on all shingles like any other.
//!
//! **Long lists**, those of a template, come last, when few documents are still in their prefix. Where a pair has
//! begun they are counted by pairs, not by members.
//!
//! **Memory** holds a few numbers for each document, one segment, and the open pairs. Where these take too much, fewer
//! documents have their turn; the others have theirs in a later join. Wherever a document is met counts
//! nothing that the view does not show.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use simdex_schema::DocId;
use simdex_schema::posting::Posting;
use simdex_signature::SchemeKind;

use crate::edges::Cuts;
use crate::two_threads::on_two_threads;
use crate::{GrowingPermit, IndexError, IndexReader, MemoryAccount};

mod documents;
mod long;
mod scan;
mod segment;

use documents::{Documents, NO_TURN};
use long::LongList;
use scan::key_of;
use segment::{Counting, Forward, OpenPair, OpenPairs, Segment, joined};

/// A segment has this part of all postings, so that pairs begin and end while there is much left to read.
const PART: usize = 16;

/// Sizes that change no answer.
#[derive(Clone, Copy)]
pub(crate) struct JoinLimits {
    /// Members of a segment, at least and at most.
    pub(crate) members: [usize; 2],
    /// Members of a list from which on it is long.
    pub(crate) long_from: usize,
    /// Open pairs that there is room for at first.
    pub(crate) first_pairs: usize,
    /// Open pairs that there may be room for.
    pub(crate) most_pairs: usize,
    /// Postings that are read in the time in which one document is sought alone.
    pub(crate) postings_as_one: u64,
}

impl JoinLimits {
    pub(crate) const USUAL: Self = Self {
        members: [1 << 14, 1 << 22],
        long_from: 256,
        first_pairs: 1 << 16,
        most_pairs: 1 << 26,
        postings_as_one: 10_000,
    };
}

/// What a join is asked.
pub(crate) struct JoinRequest<'a> {
    /// Documents whose partners are sought, distinct, in the order of their turns.
    pub(crate) turns: &'a [DocId],
    /// Documents that may be partners, ascending; those with a turn among them.
    pub(crate) among: &'a mut dyn Iterator<Item = DocId>,
    pub(crate) cuts: &'a Cuts,
    /// Whether it may use a second thread.
    pub(crate) second_thread: bool,
    pub(crate) limits: JoinLimits,
}

/// What a join found.
pub(crate) struct Joined {
    /// Of each document that had its turn, in order, those that may be partners and have no earlier turn.
    pub(crate) partners: Vec<Vec<DocId>>,
    /// Lists left unread, because no pair hung on them.
    pub(crate) long_lists: u64,
    /// A permit for the partners.
    pub(crate) held: GrowingPermit,
}

/// A join under way.
struct Join<'a> {
    index: &'a IndexReader,
    cuts: &'a Cuts,
    documents: Documents,
    /// Documents by their turn.
    places: Vec<u32>,
    open: OpenPairs,
    segment: Segment,
    /// Members that make a segment full.
    members: usize,
    limits: JoinLimits,
    second_thread: bool,
    long: Vec<LongList>,
    room: Room,
}

/// Memory of a join.
struct Room {
    held: GrowingPermit,
    /// Open pairs that were counted in.
    pairs: usize,
    most_pairs: usize,
}

impl Room {
    /// Bytes of a pair at the most: before the segment, in a list of a part that doubled as it grew, and in the list
    /// of all parts, which does so too.
    const PAIR: u64 = 5 * size_of::<OpenPair>() as u64;

    fn of(
        account: &MemoryAccount,
        (documents, members): (usize, usize),
        limits: &JoinLimits,
    ) -> Result<Self, IndexError> {
        let mut held = GrowingPermit::of(account);
        let fixed = documents as u64 * Documents::EACH + members as u64 * Segment::EACH;
        let most = account.total() / 2;
        let left = most.saturating_sub(account.held() + fixed);
        let most_pairs = limits.most_pairs.min((left / Self::PAIR) as usize);
        if most_pairs < 2 {
            return Err(IndexError::TooMuchMemory { most });
        }
        held.add(fixed)?;
        let mut room = Self {
            held,
            pairs: 0,
            most_pairs,
        };
        room.grow(limits.first_pairs)?;
        Ok(room)
    }

    /// Makes room for so many pairs, or as many as there may be.
    fn grow(&mut self, pairs: usize) -> Result<(), IndexError> {
        let pairs = pairs.min(self.most_pairs);
        let more = pairs.saturating_sub(self.pairs) as u64;
        self.held.add(more * Self::PAIR)?;
        self.pairs = self.pairs.max(pairs);
        Ok(())
    }
}

/// Seeks partners of the first documents, as many as memory holds at once.
///
/// # Errors
/// [`IndexError::TooMuchMemory`] where not even those of one are.
pub(crate) fn join(
    index: &IndexReader,
    request: JoinRequest<'_>,
    account: &MemoryAccount,
) -> Result<Joined, IndexError> {
    let JoinRequest {
        turns,
        among,
        cuts,
        second_thread,
        limits,
    } = request;
    let joining = index.shared.joining.read();
    let _joining = joining.unwrap_or_else(PoisonError::into_inner);
    let postings = index.postings_of(SchemeKind::ModN) as usize;
    let members = (postings / PART).clamp(limits.members[0], limits.members[1]);
    let documents = index.shared.state().table.known().len() as usize;
    let room = Room::of(account, (documents, members), &limits)?;
    let documents = Documents::of(index, among, turns, cuts);
    let place = |id: &DocId| documents.place(*id).unwrap_or(NO_TURN);
    let places: Vec<u32> = turns.iter().map(place).collect();
    let mut join = Join {
        index,
        cuts,
        open: OpenPairs::none(places.len()),
        places,
        documents,
        segment: Segment::default(),
        members,
        limits,
        second_thread,
        long: Vec::new(),
        room,
    };
    join.read_short(account)?;
    let long_lists = join.read_long(account)?;
    join.into_partners(long_lists)
}

impl Join<'_> {
    /// Reads all postings but those of long lists, as long as anything depends on them.
    fn read_short(&mut self, account: &MemoryAccount) -> Result<(), IndexError> {
        if !self.documents.renew() {
            return Ok(());
        }
        let (index, cancel) = (self.index, account.cancel());
        let (mut members, mut read) = (Vec::new(), (0, 0));
        index.scan_postings(SchemeKind::ModN, cancel, &mut |postings| {
            for list in postings.chunk_by(|a, b| a.0 == b.0) {
                read = (read.0 + 1, read.1 + list.len() as u64);
                self.add(list, &mut members)?;
            }
            Ok(match self.segment.is_full(self.members) {
                true => self.count_segment(account)?,
                false => ControlFlow::Continue(()),
            })
        })?;
        index.shared.work.lists_read(read.0, read.1);
        self.count_segment(account).map(drop)
    }

    /// Takes the list of one key in, or notes it where it is long.
    fn add(&mut self, list: &[Posting], members: &mut Vec<u32>) -> Result<(), IndexError> {
        members.clear();
        let places = list.iter().filter_map(|(_, id)| self.documents.place(*id));
        members.extend(places);
        if let Some(long) =
            key_of(list).and_then(|key| LongList::of(key, members.len(), &self.limits))
        {
            self.room.held.add(size_of::<LongList>() as u64)?;
            self.long.push(long);
            return Ok(());
        }
        for place in members.iter() {
            self.documents.kept[*place as usize].seen += 1;
        }
        let turns = self.open.turns();
        self.segment.add(&self.documents, turns, members);
        Ok(())
    }

    /// Counts the pairs of the segment, and empties it. Ends where nothing depends on further postings.
    fn count_segment(&mut self, account: &MemoryAccount) -> Result<ControlFlow<()>, IndexError> {
        let found = loop {
            let found = self.count_within(self.room.pairs, account)?;
            if found.turns() == self.open.turns() {
                break found;
            }
            if self.room.pairs < self.room.most_pairs {
                self.room.grow(4 * self.room.pairs)?;
                continue;
            }
            // Half of those that there was room for, as pairs of theirs may still begin.
            let turns = (found.turns() / 2).max(1);
            if found.turns() == 0 {
                return Err(IndexError::TooMuchMemory {
                    most: account.total(),
                });
            }
            self.open.truncate(turns);
            self.places.truncate(turns);
        };
        self.segment.clear();
        self.replace_open(found);
        Ok(match self.documents.renew() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    }

    /// The pairs that are open after the segment, where there is room for so many: those of the first turns.
    fn count_within(&self, most: usize, account: &MemoryAccount) -> Result<OpenPairs, IndexError> {
        let turns = self.open.turns();
        let forward = Forward::of(&self.segment, &self.documents, turns);
        let counting = |turns, most| Counting::new(self, (&self.segment, &forward), turns, most);
        let run = |parts: &mut [Counting<'_>]| {
            parts
                .iter_mut()
                .try_for_each(|part| part.run(account.cancel()))
        };
        let mut parts = match self.second_thread {
            true => {
                let middle = forward.middle().min(turns);
                vec![
                    counting(0..middle, most / 2),
                    counting(middle..turns, most / 2),
                ]
            }
            false => vec![counting(0..turns, most)],
        };
        match self.second_thread {
            true => on_two_threads("join-2", &mut parts, &run)?,
            false => run(&mut parts)?,
        }
        // Where a part was not done, those after it have no meaning.
        let done = parts.iter().take_while(|part| part.is_done()).count();
        let whole = parts.into_iter().take(done + 1);
        Ok(joined(whole.map(Counting::into_found)))
    }

    fn replace_open(&mut self, found: OpenPairs) {
        self.open = found;
        let kept = &mut self.documents.kept;
        kept.iter_mut().for_each(|kept| kept.is_paired = false);
        for (turn, place) in self.places.iter().enumerate() {
            let pairs = self.open.of(turn);
            if *place != NO_TURN && !pairs.is_empty() {
                kept[*place as usize].is_paired = true;
            }
            for pair in pairs {
                kept[pair.other as usize].is_paired = true;
            }
        }
    }

    fn into_partners(self, long_lists: u64) -> Result<Joined, IndexError> {
        let mut held = GrowingPermit::of(self.room.held.account());
        let ids = (size_of::<Vec<DocId>>() * self.open.turns()
            + size_of::<DocId>() * self.open.pairs.len()) as u64;
        held.add(ids)?;
        let of_turn = |turn| {
            let pairs = self.open.of(turn).iter();
            pairs.map(|pair| self.documents.id(pair.other)).collect()
        };
        Ok(Joined {
            partners: (0..self.open.turns()).map(of_turn).collect(),
            long_lists,
            held,
        })
    }
}
